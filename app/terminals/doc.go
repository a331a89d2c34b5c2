// Package terminals watches terminals of tmux for sessions and people, with the set of tools for them.
package terminals
