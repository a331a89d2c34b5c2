package command

import (
	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/tmux"
)

// Call is a command as somebody wrote it.
type Call struct {
	// Name is what was typed after "!", in lower case: an alias is not resolved yet.
	Name string
	// Text is what follows the name, as it was typed, without space around it.
	Text string
	// shown is the fingerprint of what a user saw who answers by a reaction.
	shown string
}

// In is where a command was given, and by whom.
type In struct {
	// Thread is nil in a thread that has no session.
	Thread *port.Thread
	// Hidden is true in a thread whose session is not shown in it at the moment: then Thread
	// is nil, and nothing of the session is told or changed by way of it.
	Hidden bool
	// ChannelID is where, ThreadID the post that began the thread (the command's own when
	// it began it), PostID the command's.
	ChannelID, ThreadID, PostID string
	By                          chat.Person
	// Role is what By may do, at least what [Table.Need] says.
	Role port.ChatRole
}

// Reply is what became of a command.
type Reply struct {
	// Text is posted in the thread, "" for nothing.
	Text string
	// Files go with it.
	Files []File
	// Prompt goes to the thread's session, as if By had written it; where the thread has
	// none, it begins one.
	Prompt string
	// Folder is where the session begins that the thread begins next: it is to be kept as
	// the thread's. "" changes nothing.
	Folder string
	// Ended is true when the thread's session has ended: the next post begins another one,
	// unless the thread is a mirror.
	Ended bool
	// Dropped is true when what waits in the thread for its session is to be dropped; with
	// Ended it is anyway.
	Dropped bool
	// Show is a session that is to be shown in a thread of its own in the channel, "" for none.
	Show string
	// Screen is set when the text shows what a terminal asks: hand it to [Table.Shown] with
	// the post's id, so that reactions to the post answer it.
	Screen *tmux.Screen
}

// File is one that a reply has.
type File struct {
	Name string
	Data []byte
}
