//go:build desktop

package desktop

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"parley/app/method"
	"parley/backend/bus"
	"parley/build"
)

// maxParkedBytes bounds the events waiting to be pulled by the page.
const maxParkedBytes = 64 << 20

// drainTime is how long the end waits for the page's running calls.
const drainTime = 2 * time.Second

// Prepare starts system preparations for the window, so that other work can run in parallel. It
// must be called on the same goroutine as Run, which reports errors.
func Prepare() {
	goruntime.LockOSThread()
	_ = prepare() // it may be repeated
}

// Run shows the window and returns when the user has closed it or ctx has ended. It must be called
// on the main goroutine, once per process.
func Run(ctx context.Context, cfg Config) error {
	if err := errors.Join(prepare(), choices()); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(method.WithSurface(ctx, "window"))
	defer cancel()

	p, err := loadPlace(cfg.DataDir)
	if err != nil {
		cfg.Log.Warn("Couldn't read the window position", "err", err)
	}
	w := &window{
		cfg: cfg, ctx: ctx, at: p.on(monitors()),
		started: make(chan struct{}), ended: make(chan struct{}), closeRequests: make(chan struct{}, 1),
	}
	events, err := cfg.Subscribe([]string{"*"}, bus.Limits{})
	if err != nil {
		return err
	}
	defer events.Close()
	w.events = events
	w.sink = &sink{emit: w.emit, park: newPark(maxParkedBytes)}
	w.pass = newPass()
	w.host = &Host{
		ctx: ctx, call: cfg.Call, pass: w.pass, park: w.sink.park, open: w.open,
		shown: w.sink.seen.setShown, listens: w.sink.release, handing: newHanding(clipboard()), accept: w.acceptDrag,
		lending: newLending(filepath.Join(cfg.DataDir, "lent")), log: cfg.Log,
	}
	defer w.host.lending.end()

	w.tasks.Go(w.quitWhenAsked)
	w.tasks.Go(w.handleCloseRequests)
	err = wails.Run(w.options())
	if cfg.Dialog != nil {
		cfg.Dialog.attach(shown{})
	}
	if cfg.Attention != nil {
		cfg.Attention.attach(nil, nil, nil)
	}
	close(w.ended)
	cancel()
	w.host.drain(drainTime)
	w.tasks.Wait()
	select {
	case <-w.started:
		w.detach()
	default:
	}
	return err
}

// A window is one run of the native window.
type window struct {
	cfg    Config
	ctx    context.Context
	events *bus.Subscription
	sink   *sink
	pass   *pass
	host   *Host

	// started is closed when Wails has created the window; native is then the context for its
	// functions, and detach releases the view. ended is closed when the main loop is over.
	started, ended chan struct{}
	native         context.Context
	detach         func()

	// bar is the menu bar, for the main loop's thread only.
	bar menuBar

	loadOnce sync.Once
	// leaving is true once closing the window is decided, closing once it happens.
	leaving, closing atomic.Bool
	closeRequests    chan struct{}
	tasks            sync.WaitGroup

	mu sync.Mutex
	// at is the window's position, or its last one before it was hidden.
	at      place
	crashes []time.Time
	// requested is the pending request.
	requested closeRequest

	// showing prevents the window from being shown and hidden at once.
	showing sync.Mutex
	// shown ends the watch over a background program's work, nil for none; stuck is true if the
	// page did not answer, or is gone.
	shown func()
	stuck bool
}

func (w *window) options() *options.App {
	o := &options.App{
		Title:       w.cfg.Title,
		Width:       w.at.Width,
		Height:      w.at.Height,
		MinWidth:    minWidth,
		MinHeight:   minHeight,
		StartHidden: w.cfg.Hidden,
		// Visible in the first frames, before the page is painted.
		BackgroundColour: options.NewRGB(0x1c, 0x1c, 0x1e),
		AssetServer: &assetserver.Options{
			Assets:     w.cfg.Assets,
			Middleware: assetserver.ChainMiddleware(secure(w.cfg.ContentSecurityPolicy), documents(w.cfg.Assets, w.pass.issue, w.onDocument, w.first)),
		},
		Menu:               applicationMenu(),
		Logger:             wailsLog{w.cfg.Log},
		LogLevelProduction: logger.WARNING,
		OnStartup:          w.onStartup,
		OnDomReady:         w.onDomReady,
		OnBeforeClose:      w.onBeforeClose,
		Bind:               []any{w.host},
		ErrorFormatter:     formatError,
		SingleInstanceLock: &options.SingleInstanceLock{
			UniqueId:               instanceID(w.cfg.DataDir),
			OnSecondInstanceLaunch: w.secondStart,
		},
		Linux: &linux.Options{
			Icon:             build.Icon,
			ProgramName:      "parley",
			WebviewGpuPolicy: gpuPolicy(),
		},
		Mac: &mac.Options{About: &mac.AboutInfo{Title: w.cfg.Title, Message: w.cfg.Version, Icon: build.Icon}},
	}
	if w.at.Maximised && goruntime.GOOS != "linux" { // there, the position comes first
		o.WindowStartState = options.Maximised
	}
	return o
}

// applicationMenu is nil where a menu bar would look foreign. On macOS the edit shortcuts don't
// work without it.
func applicationMenu() *menu.Menu {
	if goruntime.GOOS != "darwin" {
		return nil
	}
	return menu.NewMenuFromItems(menu.AppMenu(), menu.EditMenu(), menu.WindowMenu())
}

func (w *window) onStartup(ctx context.Context) {
	w.native = ctx
	w.detach = w.attachView()
	if w.cfg.Dialog != nil {
		w.cfg.Dialog.attach(shown{folder: w.pickFolder, save: w.saveFile})
	}
	if w.cfg.Attention != nil {
		w.cfg.Attention.attach(w.markUrgent, w.raise, func() { w.requestClose(closeRequest{quit: true}) })
	}
	w.cfg.Attention.hide(w.cfg.Hidden)
	close(w.started)
	if w.cfg.Ready != nil {
		w.cfg.Ready()
	}
}

func (w *window) pickFolder(start string) (string, error) {
	if start == "" {
		// The system's own default would be a list of recent files.
		start, _ = os.UserHomeDir()
	}
	return runtime.OpenDirectoryDialog(w.native, runtime.OpenDialogOptions{
		Title: "Choose a folder to work in", DefaultDirectory: start, CanCreateDirectories: true,
	})
}

func (w *window) saveFile(name string) (string, error) {
	start, _ := os.UserHomeDir()
	return runtime.SaveFileDialog(w.native, runtime.SaveDialogOptions{
		Title: "Save", DefaultDirectory: start, DefaultFilename: name, CanCreateDirectories: true,
	})
}

// onDocument runs before the page's document is generated, at every load: whatever is published
// from now on is news to the page, which receives it once it listens. Events kept for the previous
// page are dropped.
func (w *window) onDocument() {
	w.sink.hold()
	w.sink.park.clear()
	w.host.handing.clear()
	w.events.Take(nil)
}

func (w *window) first() First {
	if w.cfg.First == nil {
		return First{}
	}
	return w.cfg.First(w.ctx)
}

// onDomReady runs at every load of the page, possibly before its scripts.
func (w *window) onDomReady(context.Context) {
	<-w.started
	first := false
	w.loadOnce.Do(func() {
		first = true
		w.tasks.Go(func() { w.sink.run(w.ctx, w.events) })
		if w.cfg.Loaded != nil {
			w.tasks.Go(func() { w.cfg.Loaded(w.ctx) })
		}
	})
	w.cfg.Log.Info("The page is loaded", "first", first)
}

// onBeforeClose is called by Wails for every request to end: a click, a signal, the end of the
// context. Clicks are handled elsewhere, which may take long; of the others the first counts, and
// is never refused. It saves the window's position.
func (w *window) onBeforeClose(context.Context) (prevent bool) {
	if w.ctx.Err() == nil && !w.leaving.Load() {
		w.requestClose(closeRequest{})
		return true
	}
	if !w.closing.CompareAndSwap(false, true) {
		return true
	}
	// Waits for the main loop, so that there is a window to query and a loop to end.
	w.savePlace()
	return false
}

// quitWhenAsked ends the main loop when the context ends.
func (w *window) quitWhenAsked() {
	select {
	case <-w.ended:
		return
	case <-w.ctx.Done():
	}
	select {
	case <-w.ended:
	case <-w.started:
		w.quit()
	}
}

// quit ends the main loop, and the loops of dialogs within it.
func (w *window) quit() {
	w.endDialogs()
	runtime.Quit(w.native)
}

func (w *window) emit(batch string) { runtime.EventsEmit(w.native, "parley", batch) }

// tellDrag reports the position of a drag over the page.
func (w *window) tellDrag(d dragged) { w.emit(dragEvent(d)) }

func (w *window) open(link string) error {
	url, err := outside(link)
	if err != nil {
		return err
	}
	// Some systems' opener runs as long as the browser does, so don't wait.
	go runtime.BrowserOpenURL(w.native, url)
	return nil
}

// Three crashes of the page in a minute are no coincidence.
const (
	maxCrashes  = 3
	crashPeriod = time.Minute
)

// onPageDied is called when the page's process is gone. It reports whether to reload the page
// immediately; the back end has lost nothing.
func (w *window) onPageDied(reason string) (reload bool) {
	if w.cfg.Died != nil {
		w.cfg.Died()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	recent := w.crashes[:0]
	for _, t := range w.crashes {
		if now.Sub(t) < crashPeriod {
			recent = append(recent, t)
		}
	}
	w.crashes = append(recent, now)
	if len(w.crashes) < maxCrashes {
		w.cfg.Log.Error("Web process crashed; reloading the page", "reason", reason)
		return true
	}
	w.cfg.Log.Error("Web process keeps crashing; hiding the window", "reason", reason, "times", len(w.crashes))
	w.crashes = nil
	w.tasks.Go(w.hideBroken) // it waits for the main loop
	return false
}

// wailsLog forwards Wails' log without the arguments of calls, which may contain prompts.
type wailsLog struct{ log *slog.Logger }

func (l wailsLog) say(level slog.Level, message string) {
	message, _, _ = strings.Cut(message, "{")
	l.log.Log(context.Background(), level, "Message from Wails", "message", strings.TrimSpace(message))
}

func (l wailsLog) Print(message string)   { l.say(slog.LevelInfo, message) }
func (l wailsLog) Trace(message string)   { l.say(slog.LevelDebug, message) }
func (l wailsLog) Debug(message string)   { l.say(slog.LevelDebug, message) }
func (l wailsLog) Info(message string)    { l.say(slog.LevelInfo, message) }
func (l wailsLog) Warning(message string) { l.say(slog.LevelWarn, message) }
func (l wailsLog) Error(message string)   { l.say(slog.LevelError, message) }
func (l wailsLog) Fatal(message string)   { l.say(slog.LevelError, message) }
