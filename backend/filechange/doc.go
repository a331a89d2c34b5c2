// Package filechange tells what a session did to files, from what the CLI keeps of the
// conversation: the results of the tools that edit (Edit, MultiEdit, Write,
// NotebookEdit), and the CLI's checkpoints, which say how each file was when a turn
// began. What commands did to files is not in there: of those the package only
// counts how many ran in which turn.
//
// It is given the lines of transcripts and works on values alone: it reads no file,
// so it knows neither how the files are now nor what is in a checkpoint. It starts
// no goroutine. The lines come from a file that others can write, the model's
// commands among them: whoever acts on what they say checks it.
package filechange
