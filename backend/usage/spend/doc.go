// Package spend is the ledger of what conversations used: the answers of the model,
// each counted once, and the cost that the CLI reported for them. It is kept
// permanently, even when a conversation's file is gone.
//
//   - Answers come from the CLI's files, a batch at a time and any number of times:
//     an answer with known API ids is not counted again, wherever it is
//     repeated. If its usage grew, the difference is counted.
//   - Cost is never computed from tokens. The CLI's running totals come with the
//     results of turns and at the ends of its files; the increase of a total over
//     the previous one is what was spent. A forked conversation starts with
//     the total of the original.
//   - [Ledger.Warnings] reports when a budget is reached, once in each period.
//
// Everything is in memory and written a little later; [Ledger.Flush] forces that. What
// a crash loses is read from the files again, because the reader flushes before it saves
// how far it has read; only a turn's cost of the last moment may be missing
// until the CLI's next report.
//
// Bounds: [maxAnswers] are remembered; beyond that, those of the longest inactive
// conversations are forgotten, and would be counted again if their files were read again.
// [maxSessions] conversations are kept.
//
// Goroutines: [Ledger.Start] has one that writes and reports, until [Ledger.Close]. The
// package knows neither the store nor the files nor the surfaces.
package spend
