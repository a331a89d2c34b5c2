package mattermosttest

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/mattermost/mattermost/server/public/model"
)

// Options of a server. The zero value is a server as installed.
type Options struct {
	// Seed makes faults with a chance reproducible.
	Seed uint64
	// Version is the server's reported version, "11.0.0" if empty.
	Version string
	// MaxPost is the maximum length of a post in characters, 16,383 if 0.
	MaxPost int
	// MaxFile is the maximum size of a file in bytes, 100 MiB if 0.
	MaxFile int64
	// EditLimit is how long a post can be edited, unlimited if 0.
	EditLimit time.Duration
	// DedupWindow is how long a pending_post_id is remembered, 30 s if 0.
	DedupWindow time.Duration
	// PingEvery is the ping interval of sockets, 60 s if 0.
	PingEvery time.Duration
	// Clock is the source of the server's time. If nil it is time.Now, and no two posts
	// share a millisecond: a real server takes longer for one.
	Clock func() time.Time
	// NoIntegrations makes button presses fail, as on a server that may not call out.
	NoIntegrations bool
}

// Memory limits. They are far above what a test needs: a runaway test fails instead
// of filling the memory.
const (
	maxPosts     = 200_000
	maxFileBytes = 512 << 20
	maxHistory   = 32
	maxTypings   = 10_000
)

// Server is one Mattermost server.
type Server struct {
	tb   testing.TB // nil outside tests
	opts Options
	gate *gate
	http *http.Server
	ctx  context.Context // ends with Close
	end  context.CancelFunc
	wg   sync.WaitGroup // the accepting goroutine, connections, handlers, writers of sockets

	mu      sync.Mutex
	closed  bool
	changed chan struct{} // closed and replaced at every change
	skew    time.Duration
	rng     *rand.Rand

	users    map[string]*user
	tokens   map[string]string // token to user
	teams    map[string]*team
	channels map[string]*channel
	posts    map[string]*post
	inOrder  map[string][]*post // by channel, in order of creation
	replies  map[string][]*post // by root
	files    map[string]*file
	fileSize int64
	pending  map[string]pendingPost
	rights   rights
	prefs    map[string]model.Preferences
	typings  []Typing
	made     int // posts ever created, for their order
	distinct bool
	last     int64 // the time of the newest post, if times must be distinct

	sockets []*socket
	faults  []*installed
	struck  int                       // how often faults have happened
	calls   map[string]map[string]int // by user, by route
}

// Open starts a server outside of tests. Close stops it.
func Open(o Options) (*Server, error) {
	if o.Version == "" {
		o.Version = "11.0.0"
	}
	if o.MaxPost == 0 {
		o.MaxPost = model.PostMessageMaxRunesV2
	}
	if o.MaxFile == 0 {
		o.MaxFile = 100 << 20
	}
	if o.DedupWindow == 0 {
		o.DedupWindow = 30 * time.Second
	}
	if o.PingEvery == 0 {
		o.PingEvery = time.Minute
	}
	distinct := o.Clock == nil
	if distinct {
		o.Clock = time.Now
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{
		opts: o, gate: newGate(l), changed: make(chan struct{}), distinct: distinct,
		rng:   rand.New(rand.NewPCG(o.Seed, 0x6d6d)),
		users: map[string]*user{}, tokens: map[string]string{}, teams: map[string]*team{},
		channels: map[string]*channel{}, posts: map[string]*post{}, inOrder: map[string][]*post{},
		replies: map[string][]*post{}, files: map[string]*file{}, pending: map[string]pendingPost{}, rights: newRights(),
		prefs: map[string]model.Preferences{}, calls: map[string]map[string]int{},
	}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.http = &http.Server{Handler: s.handler(), ReadHeaderTimeout: time.Minute, ConnState: s.track}
	s.wg.Go(func() { _ = s.http.Serve(s.gate) }) // it only ends with Close
	return s, nil
}

// track counts the connections, so that Close can wait for them.
func (s *Server) track(_ net.Conn, to http.ConnState) {
	switch to {
	case http.StateNew:
		s.wg.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.wg.Done()
	}
}

// New starts a server that ends with the test.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	s, err := Open(o)
	if err != nil {
		tb.Fatalf("mattermosttest: %v", err)
	}
	s.tb = tb
	tb.Cleanup(s.Close)
	return s
}

// URL returns the server's address, without a trailing slash.
func (s *Server) URL() string { return "http://" + s.gate.Addr().String() }

// SocketURL returns the same for model.NewWebSocketClient4.
func (s *Server) SocketURL() string { return "ws://" + s.gate.Addr().String() }

// Close stops the server and waits for its goroutines. It may be repeated.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	_ = s.http.Close()
	s.gate.end()
	s.dropSockets(nil, true)
	s.wg.Wait()
}

// Stop takes the server down: current calls and sockets are cut, new connections are
// reset, and volatile state is lost: seen pending_post_ids, and resumable sockets. The
// data stays.
func (s *Server) Stop() {
	s.gate.set(false)
	s.dropSockets(nil, true)
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.pending)
	s.change()
}

// Start brings a stopped server back.
func (s *Server) Start() { s.gate.set(true) }

// Restart is Stop and Start.
func (s *Server) Restart() {
	s.Stop()
	s.Start()
}

// Skew sets how far the server's clock is ahead of Options.Clock.
func (s *Server) Skew(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skew, s.last = d, 0
}

// now returns the server's time in milliseconds; mu is held.
func (s *Server) now() int64 {
	return max(s.opts.Clock().Add(s.skew).UnixMilli(), s.last)
}

// nowForPost is the same for a new post; mu is held.
func (s *Server) nowForPost() int64 {
	now := s.now()
	if s.distinct {
		if now == s.last {
			now++
		}
		s.last = now
	}
	return now
}

// change wakes waiters; mu is held.
func (s *Server) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}
