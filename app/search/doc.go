// Package search finds words in all conversations (search.query), and in one (session.find). It
// feeds the index with what the catalog of conversations reports.
//
// Goroutines: those of the feed, from Start to Close.
package search
