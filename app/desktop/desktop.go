// Package desktop is the native window: it shows the web page in the system's web
// view, answers the page's calls and hands it the events of the back end. It is
// the only importer of Wails, and only under the build tag "desktop"; without
// the tag the package still builds, with no C compiler, and [Run] says how to
// build the window.
//
// It owns the window's place on the screen (window.json in the data folder), the
// folder dialog, the links that leave the page, and what goes between it and other programs
// by a user's hand: what is pasted and dropped, which WebKitGTK keeps from a page
// (handed.go), and what is dragged out (lent.go). It knows nothing of sessions,
// of the CLI or of any single method: it moves names and JSON.
//
// On X11 the place is exact: the corner of the frame, the size of the page, and both also
// for a window that is maximised, an icon or hidden. Window managers put a window where
// they like when it is shown, so it is told again until it is there; a place that no
// monitor shows any more is moved onto the nearest. Wayland tells no program where its
// window is and lets none move it: there, the size and whether it is maximised are
// remembered, and the place is the compositor's.
//
// The page's process may die. The page is loaded again; the third time within a minute the
// window is hidden instead, the program continues, and whatever brings the window up again
// loads a page that should ask less of it ([LeaveBroken]). Nothing of the back end ends
// with the page. Dialogs of the system run loops of their own within the main loop; the
// end of the program closes them.
//
// The page sees one bound object, window.go.desktop.Host ([Host]), and one event,
// "parley", whose argument is a JSON array in a string. An element is either
// {"event":name,"payload":{…}} or {"pull":id} for an event too large for a script
// evaluation; the page fetches that with Host.Pull before it continues, so that the
// order is kept. {"lagged":true} says that events were dropped before the next
// element, and {"drag":{…}} where something is that is dragged over the page out of
// another program. A page that nobody sees, as it says itself (Host.Shown), gets none until
// somebody does. Nothing is kept for a page that is not there: a page begins with the state
// that its document carries ([First]), asks for the rest after it has loaded, and sees by
// the sequence numbers what it missed.
//
// Wails lets every frame call what is bound, so each call must bring the secret that only
// the document of the window itself gets, a new one for each load (pass.go, document.go).
//
// Goroutines: Run has one that feeds the page, one that carries out the end of the
// context, one that handles requests to close the window, while the program keeps running
// in the background without it one that waits for the end of its work, and one for a moment
// that hides a window whose page keeps dying; all are gone when Run returns. Wails answers each call of the page
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
	// Ready is told when there is a window; it may be nil.
	Ready func()
	// ContentSecurityPolicy is what the asset server sends with what is at a path.
	ContentSecurityPolicy func(urlPath string) string
	// Call carries out a method of the border. Its result is JSON, its error is
	// shown to the page as the fault it is.
	Call func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// First is asked at each load of the page for what it begins with. It may be nil.
	First func(ctx context.Context) First
	// Handed takes what a second start was told to show, and Loaded hears that the page was
	// loaded for the first time. They may be nil.
	Handed func(ctx context.Context, args []string)
	Loaded func(ctx context.Context)
	// Subscribe gives the events of the back end; [bus.Bus.Subscribe] does.
	Subscribe func(patterns []string, limits bus.Limits) (*bus.Subscription, error)
	// Dialog are tied to the window while it runs; it may be nil.
	Dialog *Dialogs
	// Attention is tied to the window while it runs; it may be nil.
	Attention *Attention
	// Keep is asked when the user closes the window: true hides it instead. It may be
	// nil.
	Keep func(ctx context.Context) bool
	// Remembered is what the user has said once and for all becomes of running work when
	// the window is closed: LeaveBackground, LeaveQuit, or "" to be asked. It may be nil.
	Remembered func(ctx context.Context) Leave
	// Busy says whether the end of the program would cut something. Then Ask has the page
	// ask the user what becomes of it, until ctx ends; again carries their further tries
	// to close the window. Finished returns when nothing runs any more, or with an error
	// when ctx ends. They may be nil together: the window closes then.
	Busy     func(ctx context.Context) bool
	Ask      func(ctx context.Context, again <-chan struct{}) Leave
	Finished func(ctx context.Context) error
	// Hid is told that the window was hidden while the program keeps running: each time, but of
	// [LeaveKept] only the first time ever. After [LeaveBroken] the page that comes with the
	// window should be one that asks less of it. It may be nil.
	Hid func(how Leave)
	// Died is told when the process that shows the page is gone. It may be nil.
	Died func()
	Log  *slog.Logger
}
