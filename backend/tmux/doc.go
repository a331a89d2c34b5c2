// Package tmux looks after sessions of the CLI that run in plain terminals, in tmux: it
// lists the panes in which the CLI is in the foreground, reads their screens, tells what
// the CLI does from what is drawn there, types into them, and watches those that it is
// asked to.
//
// A screen is all that there is to go by, so nothing is typed on a guess: what answers a
// question names the question that a user saw, by a fingerprint of its text, and when
// the screen shows another one, or none, no key is sent.
//
// It runs the program tmux, with arguments and never through a shell. Sessions that it
// starts belong to tmux: they are plain terminals, and stay when Parley ends. The
// Supervisor has one goroutine while it watches; Close waits for it.
package tmux
