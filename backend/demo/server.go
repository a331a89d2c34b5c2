package demo

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxBody bounds a request's body, like the real API's limit with some margin.
	maxBody = 64 << 20
	// maxRecords and maxRecordBytes bound what Requests keeps; the oldest are dropped first.
	maxRecords     = 2000
	maxRecordBytes = 64 << 20
	// writeSlice is the size of one write to the connection.
	writeSlice = 64 << 10
)

// Config configures a [Server].
type Config struct {
	// Script answers the requests. Required.
	Script Script
	// Logger logs requests at debug level. Required.
	Logger *slog.Logger
	// Instant skips every Pace and Pause, for tests.
	Instant bool
}

// Server is a running scripted Messages API. All methods may be called from any
// goroutine.
type Server struct {
	cfg    Config
	log    *slog.Logger
	http   *http.Server
	addr   string
	ctx    context.Context // ends every wait
	cancel context.CancelFunc
	served chan struct{} // closed when the accepting goroutine has ended
	nonce  string        // keeps ids unique when a conversation continues after a restart
	ids    atomic.Int64

	mu       sync.Mutex
	closed   bool
	handlers sync.WaitGroup
	seq      int
	records  []Request
	bytes    int
	changed  chan struct{} // closed and replaced when records grow
}

// Start listens on a free port of 127.0.0.1 and serves until [Server.Close].
func Start(cfg Config) (*Server, error) {
	if cfg.Script == nil || cfg.Logger == nil {
		return nil, errors.New("demo: Config needs a Script and a Logger")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the demo: %w", err)
	}
	nonce := make([]byte, 5)
	_, _ = rand.Read(nonce) // never fails: it aborts the program instead
	s := &Server{
		cfg:     cfg,
		log:     cfg.Logger,
		addr:    listener.Addr().String(),
		served:  make(chan struct{}),
		changed: make(chan struct{}),
		nonce:   hex.EncodeToString(nonce),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(cfg.Logger.Handler(), slog.LevelDebug),
	}
	go func() {
		defer close(s.served)
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("The server of the scripted model stopped", "err", err)
		}
	}()
	return s, nil
}

// URL is the base URL for ANTHROPIC_BASE_URL, without a trailing slash.
func (s *Server) URL() string { return "http://" + s.addr }

// Close stops listening, ends every wait, breaks open streams and returns when all
// handlers have ended. It may be called more than once.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	_ = s.http.Close() // its errors come from connections that are being dropped anyway
	s.handlers.Wait()
	<-s.served
}

// Env returns the whole environment for a CLI that talks only to this server:
// it takes nothing but PATH from the caller's environment, so no proxy,
// provider or credential can leak in. home becomes HOME and the place for the CLI's
// temporary files, configDir CLAUDE_CONFIG_DIR.
func (s *Server) Env(home, configDir string) []string {
	path := os.Getenv("PATH")
	if path == "" {
		path = "/usr/local/bin:/usr/bin:/bin"
	}
	return []string{
		"PATH=" + path,
		"HOME=" + home,
		"LANG=C.UTF-8",
		"CLAUDE_CONFIG_DIR=" + configDir,
		"CLAUDE_CODE_TMPDIR=" + home, // otherwise every session leaves a folder in the system's temporary folder
		"ANTHROPIC_BASE_URL=" + s.URL(),
		"ANTHROPIC_API_KEY=sk-ant-local", // fake; the server ignores it
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_ERROR_REPORTING=1",
	}
}

// Requests returns the recorded requests, oldest first: at most the last 2,000,
// and at most 64 MB of bodies.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.records...)
}

// Await returns the first recorded request that matches, waiting for it if necessary.
// Its error is ctx's, or says that the server was closed.
func (s *Server) Await(ctx context.Context, m Match) (Request, error) {
	next := 0 // sequence number of the newest request already looked at
	for {
		s.mu.Lock()
		records, changed := s.records, s.changed
		s.mu.Unlock()
		for _, r := range records {
			if r.Seq > next && m(r) {
				return r, nil
			}
		}
		if len(records) > 0 {
			next = records[len(records)-1].Seq
		}
		select {
		case <-changed:
		case <-s.ctx.Done():
			return Request{}, errors.New("demo: the server was closed")
		case <-ctx.Done():
			return Request{}, ctx.Err()
		}
	}
}

func (s *Server) record(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	r.Seq = s.seq
	// Await reads older slices without the lock: elements are appended and cut off,
	// never overwritten.
	s.records = append(s.records, *r)
	s.bytes += r.Bytes
	for len(s.records) > 1 && (len(s.records) > maxRecords || s.bytes > maxRecordBytes) {
		s.bytes -= s.records[0].Bytes
		s.records = s.records[1:]
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// enter counts a handler, unless the server is closing.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.handlers.Add(1)
	return true
}

func (s *Server) serve(w http.ResponseWriter, req *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler) // the documented way to drop a connection
	}
	defer s.handlers.Done()
	switch {
	case req.Method == http.MethodPost && (req.URL.Path == "/v1/messages" || req.URL.Path == "/v1/messages/count_tokens"):
		s.messages(w, req)
	default:
		s.log.Debug("Unknown demo endpoint", "method", req.Method, "path", req.URL.Path)
		s.fail(w, http.StatusNotFound, "not_found_error", "the scripted model serves POST /v1/messages only", 0)
	}
}

func (s *Server) messages(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBody+1))
	if err != nil {
		s.log.Debug("A request to the scripted model was cut off", "err", err)
		panic(http.ErrAbortHandler)
	}
	if len(body) > maxBody {
		s.fail(w, http.StatusRequestEntityTooLarge, "request_too_large", "the body is larger than 64 MB", 0)
		return
	}
	r, err := parseRequest(req.URL.Path, req.Header, body)
	if err != nil {
		s.fail(w, http.StatusBadRequest, "invalid_request_error", err.Error(), 0)
		return
	}
	s.record(&r)
	s.log.Debug("Request to the scripted model", "seq", r.Seq, "kind", r.Kind, "messages", len(r.Messages), "bytes", r.Bytes)
	if r.Kind == Count {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(mustJSON(object{"input_tokens": tokens(r.Bytes)}))
		return
	}
	s.answer(w, req, r, s.cfg.Script.Reply(r))
}

// answer writes a reply. A client that disconnects in the middle is no error: that
// is how an interrupt looks from here.
func (s *Server) answer(w http.ResponseWriter, req *http.Request, r Request, reply Reply) {
	ctx, cancel := context.WithCancel(req.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	if reply.before != nil && !hold(ctx, step{gate: reply.before}) {
		panic(http.ErrAbortHandler)
	}
	if reply.status != 0 {
		if reply.final {
			w.Header().Set("X-Should-Retry", "false")
		}
		s.fail(w, reply.status, reply.errType, reply.errMessage, reply.retryAfter)
		return
	}
	env := envelope{
		messageID: s.id("msg"),
		toolID:    func() string { return s.id("toolu") },
		model:     r.Model,
		instant:   s.cfg.Instant,
	}
	if reply.model != "" {
		env.model = reply.model
	}
	if reply.usage != nil {
		env.usage = *reply.usage
	} else {
		env.usage = estimate(r, reply)
	}
	var steps []step
	if r.Stream {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		steps = reply.stream(env)
	} else {
		w.Header().Set("Content-Type", "application/json")
		steps = reply.whole(env)
	}
	w.Header().Set("Request-Id", s.id("req"))
	flush := http.NewResponseController(w).Flush
	for _, st := range steps {
		if st.gate != nil || st.pause > 0 {
			// Earlier parts must reach the client before this one waits.
			if r.Stream && flush() != nil || !hold(ctx, st) {
				panic(http.ErrAbortHandler)
			}
		}
		for data := st.data; len(data) > 0; {
			n := min(len(data), writeSlice)
			if _, err := w.Write(data[:n]); err != nil {
				return
			}
			data = data[n:]
		}
	}
	if reply.end == endCut {
		_ = flush() // deliver the written part before the connection breaks
		panic(http.ErrAbortHandler)
	}
}

// hold waits for a step's gate or pause. It returns false if ctx ended first.
func hold(ctx context.Context, st step) bool {
	if st.gate != nil {
		st.gate.arrive()
		select {
		case <-st.gate.open:
		case <-ctx.Done():
			return false
		}
	}
	if st.pause > 0 {
		timer := time.NewTimer(st.pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (s *Server) fail(w http.ResponseWriter, status int, errType, message string, retryAfter time.Duration) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", s.id("req"))
	if retryAfter > 0 {
		seconds := int64((retryAfter + time.Second - 1) / time.Second)
		w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	w.WriteHeader(status)
	_, _ = w.Write(errorBody(errType, message)) // the client may be gone
}

func (s *Server) id(prefix string) string {
	return prefix + "_" + s.nonce + strings.ToLower(strconv.FormatInt(s.ids.Add(1), 36))
}

// tokens estimates the tokens of n bytes of text.
func tokens(n int) int { return max(n/4, 1) }

// estimate returns plausible counts: what the last answer already knew counts as
// read from the cache, the rest as written to it.
func estimate(r Request, reply Reply) Usage {
	fresh := 0
	for i := len(r.Messages) - 1; i >= 0 && r.Messages[i].Role != "assistant"; i-- {
		for _, b := range r.Messages[i].Blocks {
			fresh += len(b.Text)
		}
	}
	u := Usage{Input: 4, CacheCreation: tokens(fresh), Output: tokens(reply.outputBytes())}
	u.CacheRead = max(tokens(r.Bytes)-u.CacheCreation-u.Input, 0)
	return u
}
