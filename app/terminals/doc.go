// Package terminals watches tmux terminals for sessions and users, and has the tool set for them.
package terminals
