package desktop

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"parley/backend/fault"
)

// Host is the object that the page calls: window.go.desktop.Host. All its exported methods are
// bound. The first argument of each is the document's secret, without which calls are rejected.
// Arguments and results are JSON strings, so that every value can be passed, and a panic becomes an
// error, so that every promise of the page is settled.
//
// A rejected promise carries an Error whose message is the JSON of [Failure].
type Host struct {
	ctx  context.Context
	call func(context.Context, string, json.RawMessage) (json.RawMessage, error)
	pass *pass
	park *park
	open func(url string) error
	// shown is called with whether the page is shown, and listens when it starts to receive events.
	shown   func(bool)
	listens func()
	// handing passes content from other programs; accept sets whether it may be dropped.
	handing *handing
	accept  func(may bool)
	// lending passes content to other programs.
	lending *lending
	log     *slog.Logger

	calls sync.WaitGroup
}

// Failure is an error as the page sees it.
type Failure struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// Call runs an API method. params is a JSON object, "" for none.
func (h *Host) Call(secret, method, params string) (result string, err error) {
	h.calls.Add(1)
	defer h.calls.Done()
	defer h.settle(method, &err)
	if err := h.admit(secret, method); err != nil {
		return "", err
	}
	if params == "" {
		params = "{}"
	}
	out, err := h.call(h.ctx, method, json.RawMessage(params))
	return string(out), err
}

// Pull returns an event announced as {"pull":id}, once. not_found means that it was evicted: the
// page then requests a snapshot.
func (h *Host) Pull(secret, id string) (event string, err error) {
	defer h.settle("pull", &err)
	if err := h.admit(secret, "pull"); err != nil {
		return "", err
	}
	body, ok := h.park.take(id)
	if !ok {
		return "", fault.New(fault.NotFound, "The event %q is no longer available.", id)
	}
	return string(body), nil
}

// Shown reports whether the page is shown: a hidden or minimized page receives no events. A page
// first calls it when it starts to listen, which may be long after it has loaded.
func (h *Host) Shown(secret string, shown bool) (err error) {
	defer h.settle("shown", &err)
	if err := h.admit(secret, "shown"); err != nil {
		return err
	}
	h.shown(shown)
	if h.pass.newest(secret) {
		h.listens()
	}
	return nil
}

// Open opens a link in the system's browser or mail program. Only http, https and mailto are
// allowed.
func (h *Host) Open(secret, url string) (err error) {
	defer h.settle("open", &err)
	if err := h.admit(secret, "open"); err != nil {
		return err
	}
	return h.open(url)
}

// maxName bounds the logged part of an unknown method's name.
const maxName = 80

func (h *Host) admit(secret, method string) error {
	if h.pass.admits(secret) {
		return nil
	}
	h.log.Warn("Rejected a call that isn't from the page", "method", method[:min(len(method), maxName)])
	return fault.New(fault.Forbidden, "This call did not come from the page.")
}

// settle turns a panic into an error.
func (h *Host) settle(method string, err *error) {
	if r := recover(); r != nil {
		h.log.Error("Panic in a call from the page", "method", method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*err = fault.New(fault.Internal, "%s", fault.MessageOf(fmt.Errorf("panic")))
	}
}

// drain waits for the running calls, at most for d.
func (h *Host) drain(d time.Duration) {
	done := make(chan struct{})
	go func() {
		h.calls.Wait()
		close(done)
	}()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
		h.log.Warn("Calls from the page still running at shutdown")
	}
}

// formatError returns an error as a JSON string for the page: Wails passes it to new Error(…), which
// would turn anything else into "[object Object]".
func formatError(err error) any {
	b, merr := json.Marshal(Failure{Code: fault.CodeOf(err), Message: fault.MessageOf(err)})
	if merr != nil {
		// Marshaling two strings never fails.
		panic(merr)
	}
	return string(b)
}
