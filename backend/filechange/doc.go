// Package filechange reports what a session did to files, from what the CLI keeps of the
// conversation: the results of the tools that edit (Edit, MultiEdit, Write,
// NotebookEdit), and the CLI's checkpoints, which say how each file was when a turn
// started. Changes by commands are not included: the package only
// counts how many commands ran in which turn.
//
// It gets the lines of transcripts and works on values alone: it reads no file,
// so it knows neither the current files nor the content of a checkpoint. It starts
// no goroutine. The lines come from a file that others can write, including the model's
// commands: callers must check before they act on them.
package filechange
