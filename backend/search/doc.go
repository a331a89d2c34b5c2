// Package search finds words in all transcripts: titles, prompts, answers, inputs
// and outputs of tools. It keeps its own index in one folder, which can be deleted:
// transcripts are the source of truth, and their reader passes on what is new. It
// knows neither their location nor their format.
//
// # Filling
//
// [Index.Index] takes the documents of a part of a transcript, with their byte range;
// [Index.State] returns the byte to continue from. A file that doesn't continue its
// earlier contents is restarted at byte 0, which replaces its documents. New
// documents are held in memory with counted terms, and are found after
// [Index.Commit], which a reader calls when it has caught up; a large amount is
// committed automatically. After a crash at any moment the index is in the state of
// some commit, for all transcripts.
//
// # Finding
//
// [Index.Query] requires all words, in any order, the last one possibly unfinished,
// and ranks with BM25; prompts and titles weigh more than tool output, and among
// similar results the newer one comes first. Case and accents are ignored. Chinese,
// Japanese, Korean and other scripts without spaces are indexed by pairs of
// characters, so that every part of a run is found. Positions aren't stored: whether
// words are adjacent is checked in the texts of the best documents that have them
// all. The compressed texts are half of the index; snippets come from there too, so
// that no query must read a transcript.
//
// # Why not a library
//
// The first index of several gigabytes must be built in seconds, and every keystroke
// must be answered at once, with the best results overall. Libraries were measured
// first, and missed one goal or both. They index this much text per second of CPU
// time:
//
//	bleve                               8.8 MB
//	SQLite FTS5 (modernc), ranked      19.5 MB; 95 % of the queries for s* within 763 ms
//	SQLite FTS5, detail=none           13.8 MB; neither ranking nor phrases
//	this package                       43.5 MB; 95 % of the queries for s* within 7 ms, of all within 40 ms
//
// That is 2.2 to 5 times as much. The others are slow with the first letters of a
// word: they visit all terms with that prefix. Here the documents of a prefix are
// stored: for one and two letters always, for three if there are many terms. The
// package is the small part of such an engine that is needed: no fields, no updates
// of single documents, nothing to repair.
//
// # On the disk
//
// The folder contains segments, which never change, and a manifest that names them.
// See writer for their format. Segments of similar size are merged, eight into one;
// those with data of forgotten transcripts are rewritten. Lists of terms, texts and
// tables have checksums, postings are checked for their form: a damaged index is
// emptied and reports that.
//
// # Limits
//
// [Limit] bytes of a document are searchable; words over 64 bytes and runs that look
// like base64 aren't. A query has at most 24 words and checks phrases in the 1,000
// best documents; the first 1,100 results are available. Memory: [Config] for new
// terms, and about 20 bytes per document; during a query, and until the next garbage
// collection, 20 more per document of the two biggest segments.
//
// The package starts one goroutine for merging, one per worker during a commit, and
// two while a query goes through segments or texts. Their starters wait for them.
package search
