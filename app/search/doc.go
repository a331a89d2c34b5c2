// Package search finds words in all conversations (search.query), and in one (session.find). It
// feeds the index from the catalog of conversations.
//
// Goroutines: those of the feed, from Start to Close.
package search
