package app

import (
	"context"
	"io/fs"
	"log/slog"
	"time"

	"parley/app/feature"
	"parley/app/restart"
	"parley/backend/paths"
	"parley/backend/update"
)

// Config has Parley's environment and options.
type Config struct {
	Version string
	// Dirs are Parley's folders. Required.
	Dirs paths.Dirs
	// Env is the environment from which the CLI's is made, as from os.Environ, but without Parley's
	// Secrets: see [feature.TakeSecrets].
	Env     []string
	Secrets feature.Secrets
	// Executable is this program's path, which the CLI runs for its tools. Required.
	Executable string
	// Relay has the small program to run in its place, see [toolserver.Program]; nil for none.
	Relay fs.FS
	// Scripted makes every session use the scripted model.
	Scripted bool
	// Instant skips the scripted model's pauses, for tests.
	Instant bool
	// Desktop is set if a window is the surface; Picker is its folder dialog.
	Desktop bool
	Picker  feature.FolderPicker
	// Saver is the window's dialog for saving a file, nil without a window.
	Saver feature.FileSaver
	// Attention requests the user's attention for the window; it may be nil.
	Attention feature.Attention
	// Wait is how long to wait for another Parley on the same data folder to end.
	Wait time.Duration
	// Again executes the program on disk in place of this one, after [App.HandOver]. It returns
	// immediately, and may be nil. Probe tests that program.
	Again func()
	Probe func(ctx context.Context) error
	// Handed is what the previous program left, nil if this one was started normally.
	Handed  *restart.Handed
	Updater *update.Updater // it replaces this program, or is nil
	// Logger is required.
	Logger *slog.Logger
}
