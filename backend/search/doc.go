// Package search finds words in all transcripts: titles, prompts, answers, inputs
// and outputs of tools. It keeps an index of its own in one folder, which can be
// thrown away: transcripts are the truth, and whoever reads them hands over what is
// new. It knows neither where they come from nor what they look like.
//
// # Filling
//
// [Index.Index] takes the documents of a stretch of a transcript, with the bytes
// they were read from; [Index.State] says from which byte to continue. A file that is
// no continuation of what it was is begun again from byte 0, which replaces what
// there was of it. New documents are held in memory, the terms counted, and are
// found after [Index.Commit], which a reader calls whenever it has caught up; when
// much has come together it happens by itself. After a crash at any moment the
// index is as it was after some commit, of all transcripts at once.
//
// # Finding
//
// [Index.Query] wants all words, in any order, the last one possibly unfinished, and
// ranks with BM25; prompts and titles weigh more than what tools printed, and of
// results that are about as good the newer one comes first. Case and accents do
// not count. Chinese, Japanese, Korean and other scripts without spaces are indexed
// by pairs of characters, so that every part of a run is found. Positions are not
// kept: whether words stand together is read from the texts of the best documents
// that have them all. The texts, compressed, are half of the index; snippets come
// from there, too, so that no query has to read a transcript.
//
// # Why not a library
//
// The first index of some gigabytes has to be done in seconds, and every key typed
// has to be answered at once, with the best results of all. Libraries were measured
// first, and missed one target or both. Of the same text they index, for each second
// of processor time:
//
//	bleve                               8.8 MB
//	SQLite FTS5 (modernc), ranked      19.5 MB; 95 % of the queries for s* within 763 ms
//	SQLite FTS5, detail=none           13.8 MB; neither ranking nor phrases
//	this package                       43.5 MB; 95 % of the queries for s* within 7 ms, of all within 40 ms
//
// That is 2.2 to 5 times as much. The first letters of a word are what the others are
// slow with: they look at all terms that begin so. Here it is kept which documents
// have them: for one and two letters always, for three where there are many terms.
// What is here is the small part of such an engine that is needed: no fields, no
// updates of single documents, nothing to repair.
//
// # On the disk
//
// The folder holds segments, which never change, and a manifest that names them.
// See writer for their form. Segments of about the same size are merged, eight into
// one; those that hold something of forgotten transcripts are rewritten. Lists of
// terms, texts and tables have checksums, postings are checked for their form: a
// damaged index is emptied, and says so.
//
// # Limits
//
// [Limit] bytes of a document are searched; words over 64 bytes and runs that look
// like base64 are not. A query has at most 24 words and looks for phrases in the
// 1,000 best documents; of the results the first 1,100 can be had. Memory: what
// [Config] says for new terms, and about 20 bytes for each document; while a query
// runs, and after it until the next collection of garbage, 20 more for each document
// of the two biggest segments.
//
// The package starts one goroutine, which merges, one for each worker while a commit
// writes, and two while a query goes through segments or texts. Who started them
// waits for them.
package search
