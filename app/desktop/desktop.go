// Package desktop is the native window: it shows the web page in the system's web view, answers the page's calls
// and passes it the back end's events. It is the only importer of Wails, and only under the build tag "desktop";
// without the tag the package still builds, without a C compiler, and [Run] says how to build the window.
//
// It handles the window's position on the screen (window.json in the data folder), the system dialogs, external
// links, and exchanging content with other programs: paste and drop, which WebKitGTK does not pass to a page
// (handed.go), and drag-out (lent.go). It knows nothing about sessions, the CLI or individual methods: it passes
// names and JSON.
//
// On X11 the position is exact: the corner of the frame, the size of the page, and both also for a window that
// is maximized, iconified or hidden. Window managers place a window as they like when it is shown, so it is
// moved again until it is there; a position that no monitor shows is moved onto the nearest one. Wayland neither
// reports a window's position nor lets programs set it: there, only the size and the maximized state are
// remembered.
//
// The page's process may crash. The page is reloaded; the third time within a minute the window is hidden
// instead, the program continues, and the page that loads when the window is shown again should be a simpler one
// ([LeaveBroken]). Nothing in the back end ends with the page. System dialogs run their own loops within the
// main loop; the end of the program closes them.
//
// The page sees one bound object, window.go.desktop.Host ([Host]), and one event, "parley", whose argument is a
// JSON array in a string. An element is either {"event":name,"payload":{…}} or {"pull":id} for an event too
// large for a script evaluation; the page fetches that with Host.Pull before it continues, so that the order is
// kept. {"lagged":true} means that events were dropped before the next element, and {"drag":{…}} is a drag from
// another program over the page. A hidden page, as reported by Host.Shown, receives nothing until it is visible.
// Nothing is kept for a page that does not exist: a page starts with the state in its document ([First]),
// requests the rest after it has loaded, and detects missed events by the sequence numbers.
//
// Wails lets every frame call bound methods, so each call must pass the secret that only the window's own
// document receives, a new one for each load (pass.go, document.go).
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
	// DataDir is the folder with the window's saved position.
	DataDir string
	// Hidden starts without showing the window.
	Hidden bool
	// Ready is called once there is a window; it may be nil.
	Ready func()
	// ContentSecurityPolicy returns the policy the asset server sends with a path.
	ContentSecurityPolicy func(urlPath string) string
	// Call runs an API method. Its result is JSON; its error is shown to the page as a fault.
	Call func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// First is called at each load of the page for its initial data. It may be nil.
	First func(ctx context.Context) First
	// Handed receives the arguments of a second start, and Loaded is called when the page has loaded for the
	// first time. They may be nil.
	Handed func(ctx context.Context, args []string)
	Loaded func(ctx context.Context)
	// Subscribe returns the back end's events, like [bus.Bus.Subscribe].
	Subscribe func(patterns []string, limits bus.Limits) (*bus.Subscription, error)
	// Dialog is connected to the window while it runs; it may be nil.
	Dialog *Dialogs
	// Attention is connected to the window while it runs; it may be nil.
	Attention *Attention
	// Keep is called when the user closes the window: true hides it instead. It may be nil.
	Keep func(ctx context.Context) bool
	// Remembered is the user's saved choice for running work when the window is closed: LeaveBackground,
	// LeaveQuit, or "" to be asked. It may be nil.
	Remembered func(ctx context.Context) CloseMode
	// Busy reports whether ending the program would interrupt something. Then Ask makes the page ask the user
	// what to do, until ctx ends; again carries further attempts to close the window. Finished returns when
	// nothing is running, or with an error when ctx ends. All of them may be nil: then the window closes.
	Busy     func(ctx context.Context) bool
	Ask      func(ctx context.Context, again <-chan struct{}) CloseMode
	Finished func(ctx context.Context) error
	// Hid is called when the window was hidden while the program keeps running: each time, but for [LeaveKept]
	// only the first time ever. After [LeaveBroken], the page loaded next should be a simpler one. It may be
	// nil.
	Hid func(how CloseMode)
	// Died is called when the page's process is gone. It may be nil.
	Died func()
	Log  *slog.Logger
}
