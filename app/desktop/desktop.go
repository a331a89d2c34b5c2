// Package desktop is the native window: it shows the web page in the system's web
// view, answers the page's calls and hands it the events of the back end. It is
// the only importer of Wails, and only under the build tag "desktop"; without
// the tag the package still builds, with no C compiler, and [Run] says how to
// build the window.
//
// It owns the window's place on the screen (window.json in the data folder), the
// folder dialog, and the links that leave the page. It knows nothing of sessions,
// of the CLI or of any single method: it moves names and JSON.
//
// The page sees one bound object, window.go.desktop.Host ([Host]), and one event,
// "parley", whose argument is a JSON array in a string. An element is either
// {"event":name,"payload":{…}} or {"pull":id} for an event too large for a script
// evaluation; the page fetches that with Host.Pull before it goes on, so that the
// order is kept. {"lagged":true} says that events were dropped before the next
// element. Nothing is kept for a page that is not there: a page asks for the state
// (app.info, session.list) after it has loaded, and sees by the sequence numbers
// what it missed.
//
// Goroutines: Run has one that feeds the page, one that carries out the end of the
// context, one that handles requests to close the window, and while the program keeps running
// in the background without it one that waits for the end of its work; all are gone when
// Run returns. Wails answers each call of the page
// on a goroutine of its own; Run waits for those, a moment, before it returns.
package desktop

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"

	"parley/backend/bus"
)

// Config is what a window needs. Every field without "may be" is required.
type Config struct {
	// Title is the window's title.
	Title string
	// Version is shown where the system shows it.
	Version string
	// Assets holds the page: index.html at its root.
	Assets fs.FS
	// DataDir is the folder in which the window's place is kept.
	DataDir string
	// Hidden starts without showing the window.
	Hidden bool
	// ContentSecurityPolicy is what the asset server sends with what is at a path.
	ContentSecurityPolicy func(urlPath string) string
	// Call carries out a method of the border. Its result is JSON, its error is
	// shown to the page as the fault it is.
	Call func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Subscribe gives the events of the back end; [bus.Bus.Subscribe] does.
	Subscribe func(patterns []string, limits bus.Limits) (*bus.Subscription, error)
	// Dialog are tied to the window while it runs; it may be nil.
	Dialog *Dialogs
	// Attention is tied to the window while it runs; it may be nil.
	Attention *Attention
	// Keep is asked when the person closes the window: true hides it instead. It may be
	// nil.
	Keep func(ctx context.Context) bool
	// Busy says whether the end of the program would cut something. Then Ask has the page
	// ask the person what becomes of it, until ctx ends; again carries their further tries
	// to close the window. Finished returns when nothing runs any more, or with an error
	// when ctx ends. They may be nil together: the window closes then.
	Busy     func(ctx context.Context) bool
	Ask      func(ctx context.Context, again <-chan struct{}) Leave
	Finished func(ctx context.Context) error
	// Hid is told that the window was hidden while the program keeps running: each time, but of
	// [LeaveKept] only the first time ever. It may be nil.
	Hid func(how Leave)
	// Died is told when the process that shows the page is gone. It may be nil.
	Died func()
	Log  *slog.Logger
}
