package command

import (
	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/tmux"
)

// Call is a command as typed.
type Call struct {
	// Name is what was typed after "!", in lower case: aliases aren't resolved yet.
	Name string
	// Text is what follows the name, as typed, trimmed.
	Text string
	// shown is the fingerprint of what a user saw when answering by reaction.
	shown string
}

// In is where a command was given, and by whom.
type In struct {
	// Thread is nil in a thread without a session.
	Thread *port.Thread
	// Hidden is true in a thread that doesn't currently show its session: then Thread is
	// nil, and the session can't be read or changed through it.
	Hidden bool
	// ChannelID is the channel, ThreadID the post that started the thread (the command's
	// own if it started it), PostID the command's.
	ChannelID, ThreadID, PostID string
	By                          chat.Person
	// Role is By's role, at least what [Table.Need] returns.
	Role port.ChatRole
}

// Reply is the result of a command.
type Reply struct {
	// Text is posted in the thread, "" for nothing.
	Text string
	// Files are attached to it.
	Files []File
	// Prompt is sent to the thread's session, as if By had written it; if the thread has
	// none, it starts one.
	Prompt string
	// Folder is the folder of the thread's next session, to be stored with the thread. ""
	// changes nothing.
	Folder string
	// Ended is true if the thread's session has ended: the next post starts another one,
	// unless the thread is a mirror.
	Ended bool
	// Dropped is true if the thread's waiting messages must be dropped; Ended implies it.
	Dropped bool
	// Show is a session to show in its own thread in the channel, "" for none.
	Show string
	// Screen is set if the text shows a terminal's question: pass it to [Table.Shown] with
	// the post's id, so that reactions to the post answer it.
	Screen *tmux.Screen
}

// File is a reply's file.
type File struct {
	Name string
	Data []byte
}
