// Package spend is the ledger of what conversations used: which answers of the model
// there were, each counted once, and what the CLI reported that they cost. It is kept
// for good, also when a conversation's file is gone.
//
//   - Answers come from the CLI's files, a batch at a time and as often as one likes:
//     an answer that is known by the API's ids is not counted again, wherever it is
//     repeated. One whose account grew counts with what it has more.
//   - Cost is never worked out from tokens. The CLI's running totals come with the
//     results of turns and stand at the ends of its files; what a total has more than
//     the one before it is what was spent. A conversation that was forked begins with
//     the total of the other one.
//   - [Ledger.Warnings] says when a budget is reached, once in each period.
//
// Everything is in memory and written a little later; [Ledger.Flush] makes sure. What
// a crash loses is read from the files again, because whoever remembers how far a
// file was read flushes first; only a turn's cost of the last moment may be missing
// until the CLI's next report.
//
// Bounds: [maxAnswers] are remembered; beyond, those of the conversations that rest
// longest are forgotten, and would be counted again if their files were read again.
// [maxSessions] conversations are kept.
//
// Goroutines: [Ledger.Start] has one that writes and tells, until [Ledger.Close]. The
// package knows neither the store nor the files nor the surfaces.
package spend
