// Package sessiontools has the sets of tools by which a session reaches other sessions and its person.
//
// Goroutine: one hears what becomes of prompts, from Start to Close.
package sessiontools
