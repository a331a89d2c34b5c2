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
// exported methods are bound. Arguments and results are strings of JSON, so that
// no value can fail to cross, and a panic becomes an error, so that every promise
// of the page is settled.
//
// A rejected promise carries an Error whose message is the JSON of [Failure].
type Host struct {
	ctx  context.Context
	call func(context.Context, string, json.RawMessage) (json.RawMessage, error)
	park *park
	open func(url string) error
	log  *slog.Logger

	calls sync.WaitGroup
}

// Failure is how an error looks to the page.
type Failure struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// Call carries out a method of the border. params is a JSON object, "" for none.
func (h *Host) Call(method, params string) (result string, err error) {
	h.calls.Add(1)
	defer h.calls.Done()
	defer h.settle(method, &err)
	if params == "" {
		params = "{}"
	}
	out, err := h.call(h.ctx, method, json.RawMessage(params))
	return string(out), err
}

// Pull returns an event that was announced as {"pull":id}, once. not_found means
// that it had to make room: the page then asks for a snapshot.
func (h *Host) Pull(id string) (event string, err error) {
	defer h.settle("pull", &err)
	body, ok := h.park.take(id)
	if !ok {
		return "", fault.New(fault.NotFound, "The event %q is not kept any more.", id)
	}
	return string(body), nil
}

// Open shows a link in the system's browser or mail program. Only http, https and
// mailto are opened.
func (h *Host) Open(url string) (err error) {
	defer h.settle("open", &err)
	return h.open(url)
}

// settle turns a panic into an error.
func (h *Host) settle(method string, err *error) {
	if r := recover(); r != nil {
		h.log.Error("A call of the page panicked", "method", method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*err = fault.New(fault.Internal, "%s", fault.MessageOf(fmt.Errorf("panic")))
	}
}

// drain waits for the calls under way, at most for d.
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
