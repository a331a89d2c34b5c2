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

// Host is the object that the page calls: window.go.desktop.Host. All its
// exported methods are bound. The first argument of each is the secret of the
// document, without which nothing is carried out. Arguments and results are strings of JSON, so that
// no value can fail to cross, and a panic becomes an error, so that every promise
// of the page is settled.
//
// A rejected promise carries an Error whose message is the JSON of [Failure].
type Host struct {
	ctx  context.Context
	call func(context.Context, string, json.RawMessage) (json.RawMessage, error)
	pass *pass
	park *park
	open func(url string) error
	// shown hears whether the page is shown, and listens that it hears events from now on.
	shown   func(bool)
	listens func()
	// handing is what comes from other programs; accept answers where it may be dropped.
	handing *handing
	accept  func(may bool)
	// lending is what goes to them.
	lending *lending
	log     *slog.Logger

	calls sync.WaitGroup
}

// Failure is how an error looks to the page.
type Failure struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// Call carries out a method of the border. params is a JSON object, "" for none.
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

// Pull returns an event that was announced as {"pull":id}, once. not_found means
// that it had to make room: the page then asks for a snapshot.
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

// Shown says whether the page is shown: of one that is hidden or minimised nobody sees
// anything, and it is handed no events. A page says it first when it begins to listen,
// which may be long after it is loaded.
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

// Open shows a link in the system's browser or mail program. Only http, https and
// mailto are opened.
func (h *Host) Open(secret, url string) (err error) {
	defer h.settle("open", &err)
	if err := h.admit(secret, "open"); err != nil {
		return err
	}
	return h.open(url)
}

// maxName bounds what is logged of a method that was refused.
const maxName = 80

func (h *Host) admit(secret, method string) error {
	if h.pass.admits(secret) {
		return nil
	}
	h.log.Warn("A call that is not the page's was refused", "method", method[:min(len(method), maxName)])
	return fault.New(fault.Forbidden, "This call did not come from the page.")
}

// settle turns a panic into an error.
func (h *Host) settle(method string, err *error) {
	if r := recover(); r != nil {
		h.log.Error("A call of the page panicked", "method", method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
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
		h.log.Warn("Calls of the page are still running at the end")
	}
}

// formatError gives the page an error as a string of JSON: Wails passes it to
// new Error(…), which would make "[object Object]" of anything else.
func formatError(err error) any {
	b, merr := json.Marshal(Failure{Code: fault.CodeOf(err), Message: fault.MessageOf(err)})
	if merr != nil {
		// Two strings always have a JSON form.
		panic(merr)
	}
	return string(b)
}
