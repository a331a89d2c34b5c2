// Package tmux manages sessions of the CLI that run in plain terminals, in tmux: it
// lists the panes with the CLI in the foreground, reads their screens, determines the
// CLI's state from them, types into them, and watches selected ones.
//
// There is only the screen to go by, so nothing is typed on a guess: an answer names the
// question that a user saw by a fingerprint of its text, and if the screen shows another
// one, or none, no key is sent.
//
// It runs the program tmux, with arguments and never through a shell. Sessions that it
// starts belong to tmux: they are plain terminals, and stay when Parley ends. The
// Supervisor has one goroutine while it watches; Close waits for it.
package tmux
