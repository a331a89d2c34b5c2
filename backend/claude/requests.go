package claude

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"

	"parley/backend/claude/wire"
	"parley/backend/fault"
)

const (
	// maxRequests bounds the CLI's pending requests.
	maxRequests = 512
	// maxRefused bounds the ids, in bytes, of requests whose refusal is waiting
	// to be written.
	maxRefused = 1 << 20
)

// Host answers the requests of one CLI process. The reading goroutine calls it with
// the requests in order, so it must not block: slow work belongs in the [Answer],
// which runs in its own goroutine. When it gets a request, the receiver of Frames
// has received everything before it.
type Host func(req *wire.ControlRequest) Answer

// Answer returns the answer to one request: anything that encodes to a JSON
// object, nil for an empty one. An error becomes a refusal with the fault's
// message. ctx ends when the CLI withdraws the request and when the process ends;
// the answer is then ignored.
type Answer func(ctx context.Context) (response any, err error)

// requests are the pending requests of a CLI.
type requests struct {
	host Host
	// write returns when a line is written, and calls wrote, unless nil, as soon as it is.
	write func(ctx context.Context, line []byte, wrote func()) error
	// note is called for every answer before it is written.
	note func(id string)
	log  *slog.Logger
	// ctx ends with the process.
	ctx    context.Context
	cancel context.CancelFunc

	mu sync.Mutex
	// open are the unanswered ones, by id.
	open map[string]*request
	// last counts all of them.
	last int
	// refused are requests whose refusal is waiting to be written; refusing is true
	// while a goroutine writes them.
	refused      []string
	refusedBytes int
	refusing     bool
	closed       bool
	// active counts the goroutines.
	active sync.WaitGroup
}

// request is one pending request.
type request struct {
	*wire.ControlRequest
	nth      int
	withdraw context.CancelFunc
	// settled: the CLI has the answer, or no longer waits for one.
	settled bool
}

func newRequests(host Host, write func(context.Context, []byte, func()) error, note func(id string), log *slog.Logger) *requests {
	ctx, cancel := context.WithCancel(context.Background())
	return &requests{
		host: host, write: write, note: note, log: log, ctx: ctx, cancel: cancel,
		open: make(map[string]*request),
	}
}

// handle processes a request or its withdrawal.
func (r *requests) handle(f wire.Frame) {
	switch f := f.(type) {
	case *wire.ControlRequest:
		r.take(f)
	case *wire.ControlCancelRequest:
		r.withdraw(f.RequestID)
	}
}

// take starts answering a request. It doesn't block.
func (r *requests) take(req *wire.ControlRequest) {
	ctx, ok := r.begin(req)
	if !ok {
		return
	}
	answer := r.host(req)
	go func() {
		defer r.active.Done()
		defer r.forget(req.RequestID)
		r.answer(ctx, req, answer)
	}()
}

// begin registers a request. It returns false if there is nothing left to do for
// it; otherwise the caller must release one count of active.
func (r *requests) begin(req *wire.ControlRequest) (context.Context, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := req.RequestID
	_, known := r.open[id]
	switch {
	case r.closed:
		return nil, false
	case known:
		// The CLI may repeat a pending request; one answer is enough.
		r.log.Info("The CLI repeated a request", "request", id)
		return nil, false
	case len(r.open) >= maxRequests:
		r.refuse(id)
		return nil, false
	}
	ctx, cancel := context.WithCancel(r.ctx)
	r.last++
	r.open[id] = &request{ControlRequest: req, nth: r.last, withdraw: cancel}
	r.active.Add(1)
	return ctx, true
}

// answer waits for the answer and writes it, unless the CLI no longer waits for
// it.
func (r *requests) answer(ctx context.Context, req *wire.ControlRequest, answer Answer) {
	response, err := r.call(ctx, req, answer)
	if ctx.Err() != nil {
		return
	}
	var line []byte
	if err == nil {
		line, err = wire.EncodeReply(req.RequestID, response)
	}
	if err != nil {
		r.log.Info("Rejected a request from the CLI", "subtype", req.Subtype, "err", err)
		line, err = wire.EncodeReplyError(req.RequestID, fault.MessageOf(err))
	}
	if err == nil {
		r.note(req.RequestID)
		err = r.write(ctx, line, func() { r.wrote(req.RequestID) })
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrGone) {
		r.log.Warn("Couldn't answer a request from the CLI", "subtype", req.Subtype, "err", err)
	}
}

// call runs an answer. A panic only fails this request.
func (r *requests) call(ctx context.Context, req *wire.ControlRequest, answer Answer) (response any, err error) {
	defer func() {
		if v := recover(); v != nil {
			r.log.Error("Panic while answering a request from the CLI", "subtype", req.Subtype, "panic", v, "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "Parley failed to answer this request.")
		}
	}()
	return answer(ctx)
}

// refuse queues a refusal. A CLI that asks far more than it reads answers gets no
// more. The caller holds mu.
func (r *requests) refuse(id string) {
	if r.refusedBytes+len(id) > maxRefused {
		r.log.Warn("Dropped a request from the CLI", "bytes", len(id))
		return
	}
	r.refused, r.refusedBytes = append(r.refused, id), r.refusedBytes+len(id)
	if !r.refusing {
		r.refusing = true
		r.log.Warn("Too many requests from the CLI at once", "limit", maxRequests)
		r.active.Go(r.writeRefusals)
	}
}

func (r *requests) writeRefusals() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.refused) > 0 {
		ids := r.refused
		r.refused, r.refusedBytes = nil, 0
		r.mu.Unlock()
		var lines []byte
		for _, id := range ids {
			if line, err := wire.EncodeReplyError(id, "Too many requests are waiting for an answer."); err == nil {
				r.note(id)
				lines = append(lines, line...)
			}
		}
		if err := r.write(r.ctx, lines, nil); err != nil && r.ctx.Err() == nil && !errors.Is(err, ErrGone) {
			r.log.Warn("Couldn't reject requests from the CLI", "requests", len(ids), "err", err)
		}
		r.mu.Lock()
	}
	r.refusing = false
}

// withdraw ends a request that the CLI no longer waits for.
func (r *requests) withdraw(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if open, ok := r.open[id]; ok {
		open.settled = true
		open.withdraw()
	}
}

// forget removes a request whose goroutine has ended.
func (r *requests) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[id].withdraw()
	delete(r.open, id)
}

// close ends every request and waits for the goroutines.
func (r *requests) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.active.Wait()
}
