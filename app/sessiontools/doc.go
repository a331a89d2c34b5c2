// Package sessiontools has the tool sets by which a session reaches other sessions and its user.
//
// Goroutine: one follows the prompts, from Start to Close.
package sessiontools
