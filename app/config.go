package app

import (
	"context"
	"io/fs"
	"log/slog"
	"time"

	"parley/app/files"
	"parley/app/notices"
	"parley/app/restart"
	"parley/backend/paths"
	"parley/backend/update"
)

// Config is what Parley needs to know about where it runs.
type Config struct {
	Version string
	// Dirs are Parley's folders. Required.
	Dirs paths.Dirs
	// Env is the environment that the CLI's is made of, as os.Environ gives it.
	Env []string
	// Executable is this program's path, which the CLI spawns for its tools. Required.
	Executable string
	// Relay holds the small program that is spawned in its place, see
	// [toolserver.Program]; nil for none.
	Relay fs.FS
	// Rehearsal makes every session talk to the scripted model.
	Rehearsal bool
	// Instant leaves out the scripted model's pauses, for tests.
	Instant bool
	// Desktop says that a window is the surface; Picker is its folder dialog.
	Desktop bool
	Picker  files.FolderPicker
	// Saver is the window's dialog for saving a file, nil without a window.
	Saver files.FileSaver
	// Attention asks for the window; it may be nil.
	Attention notices.Attention
	// Wait is how long a Parley on the same data folder may take to end.
	Wait time.Duration
	// Again has the program on the disk executed in the place of this one, after
	// [App.HandOver]. It returns at once, and may be nil. Probe tries that program.
	Again func()
	Probe func(ctx context.Context) error
	// Handed is what the program before this one left, nil when this one was started.
	Handed  *restart.Handed
	Updater *update.Updater // it replaces this program, or is nil
	// Logger is required.
	Logger *slog.Logger
}
