// Package sessiontools has the sets of tools by which a session reaches other sessions and its person.
//
// Goroutine: the [Messenger] hears what becomes of prompts, from start to close.
package sessiontools
