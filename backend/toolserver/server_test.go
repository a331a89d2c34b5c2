package toolserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/backend/fault"
	"parley/backend/toolserver/relay"
)

// patience is the time limit for any wait, generous enough for a busy machine.
const patience = 10 * time.Minute

// lockedBuffer is a log for concurrent writers.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// shortDir returns a folder for sockets: the path of t.TempDir is too long.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ts") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// startServer runs a server until the test ends.
func startServer(t testing.TB, adjust func(*Server)) (*Server, *lockedBuffer) {
	t.Helper()
	log := &lockedBuffer{}
	s, err := New(Config{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), Version: "test", Dir: shortDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	if adjust != nil {
		adjust(s)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return s, log
}

// links collects what a grant reports.
type links chan Link

func (l links) next(t testing.TB) Link {
	t.Helper()
	select {
	case link := <-l:
		return link
	case <-time.After(patience):
		t.Fatal("no report of the connection")
		return Link{}
	}
}

// register makes a grant for relays in this process.
func register(t testing.TB, s *Server, tools ...Tool) (*Grant, links) {
	t.Helper()
	reports := make(links, 16)
	g, err := s.Register(Session{ID: "session-1", Tools: tools, Report: func(l Link) { reports <- l }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Revoke)
	g.SetPID(os.Getppid())
	return g, reports
}

// knock connects, writes a first line and returns the answer and whether the
// connection stayed open.
func knock(t testing.TB, s *Server, first string) (relay.Welcome, *net.UnixConn, *bufio.Reader) {
	t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: s.path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, first); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	line, err := r.ReadBytes('\n')
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	var w relay.Welcome
	if err := json.Unmarshal(line, &w); err != nil {
		t.Fatal(err)
	}
	return w, conn, r
}

// hungUp checks that the server has closed a connection and sends nothing more.
func hungUp(t testing.TB, r io.Reader) {
	t.Helper()
	if n, err := r.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection stays open: %d bytes, %v", n, err)
	}
}

func helloLine(token string) string { return fmt.Sprintf(`{"token":%q}`+"\n", token) }

func TestRefusals(t *testing.T) {
	tests := []struct {
		name   string
		first  func(g *Grant) string
		server func(*Server)
		grant  func(*testing.T, *Server, *Grant)
		reason string
	}{
		{name: "wrong token", first: func(*Grant) string { return helloLine(strings.Repeat("0", 64)) }, reason: "token is not known"},
		{name: "cut token", first: func(g *Grant) string { return helloLine(g.token.reveal()[:63]) }, reason: "token is not known"},
		{name: "no token", first: func(*Grant) string { return "{}\n" }, reason: "holds no token"},
		{name: "garbage", first: func(*Grant) string { return "GET / HTTP/1.1\r\n" }, reason: "holds no token"},
		{name: "endless line", first: func(*Grant) string { return strings.Repeat("x", maxHello) }, reason: "over 4096 bytes"},
		{name: "slow hello", first: func(*Grant) string { return `{"token":` }, reason: "did not come in time",
			server: func(s *Server) { s.limits.hello = 50 * time.Millisecond }},
		{name: "another user", reason: "peer is user 12345",
			server: func(s *Server) {
				s.identify = func(*net.UnixConn) (peer, error) { return peer{uid: 12345, uidKnown: true}, nil }
			}},
		{name: "a peer nobody knows", reason: "peer is not known",
			server: func(s *Server) {
				s.identify = func(*net.UnixConn) (peer, error) { return peer{}, os.ErrNotExist }
			}},
		{name: "a CLI nobody named", reason: "CLI process of the session is not known",
			// Long enough for the first line to arrive on a busy machine.
			server: func(s *Server) { s.limits.hello = time.Second },
			grant:  func(_ *testing.T, _ *Server, g *Grant) { g.named = make(chan struct{}) }},
		{name: "second use", reason: "used before",
			grant: func(t *testing.T, s *Server, g *Grant) {
				if w, _, _ := knock(t, s, helloLine(g.token.reveal())); !w.OK {
					t.Fatal("the first use was refused")
				}
			}},
		{name: "revoked", reason: "token is not known", grant: func(_ *testing.T, _ *Server, g *Grant) { g.Revoke() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, log := startServer(t, tt.server)
			g, _ := register(t, s)
			if tt.grant != nil {
				tt.grant(t, s, g)
			}
			first := helloLine(g.token.reveal())
			if tt.first != nil {
				first = tt.first(g)
			}
			w, _, r := knock(t, s, first)
			if w.OK || w.Reason == "" {
				t.Errorf("welcome %+v", w)
			}
			hungUp(t, r)
			if !strings.Contains(log.String(), tt.reason) {
				t.Errorf("log without %q:\n%s", tt.reason, log)
			}
			if strings.Contains(log.String(), g.token.reveal()[:16]) {
				t.Error("the log holds the token")
			}
		})
	}
}

// A stranger who knows the token is rejected, and the CLI can still connect.
func TestAStrangerDoesNotSpendTheToken(t *testing.T) {
	var stranger atomic.Bool
	stranger.Store(true)
	s, log := startServer(t, func(s *Server) {
		s.identify = func(conn *net.UnixConn) (peer, error) {
			p := peer{parent: os.Getppid(), parentKnown: true}
			if stranger.Load() {
				p.parent = os.Getpid()
			}
			return p, nil
		}
	})
	reports := make(links, 16)
	g, err := s.Register(Session{ID: "s", Report: func(l Link) { reports <- l }})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Revoke()
	g.SetPID(os.Getppid())
	g.SetPID(os.Getpid()) // only the first call counts
	if w, _, _ := knock(t, s, helloLine(g.token.reveal())); w.OK {
		t.Fatal("a stranger was let in")
	}
	if l := reports.next(t); l.Up || l.Reason == "" {
		t.Errorf("report %+v", l)
	}
	if !strings.Contains(log.String(), "the peer's parent is process") {
		t.Error(log)
	}
	stranger.Store(false)
	if w, _, _ := knock(t, s, helloLine(g.token.reveal())); !w.OK {
		t.Fatal("the CLI was refused")
	}
	if l := reports.next(t); !l.Up {
		t.Errorf("report %+v", l)
	}
}

// The relay may connect before the PID is set.
func TestConnectionWaitsForThePID(t *testing.T) {
	looked := make(chan struct{})
	s, _ := startServer(t, func(s *Server) {
		s.identify = func(*net.UnixConn) (peer, error) {
			close(looked)
			return peer{parent: os.Getppid(), parentKnown: true}, nil
		}
	})
	g, err := s.Register(Session{ID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Revoke()
	go func() {
		<-looked
		g.SetPID(os.Getppid())
	}()
	if w, _, _ := knock(t, s, helloLine(g.token.reveal())); !w.OK {
		t.Fatalf("refused: %+v", w)
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	s, log := startServer(t, func(s *Server) { s.limits.connections = 1 })
	g, _ := register(t, s)
	knock(t, s, helloLine(g.token.reveal()))
	conn, err := net.Dial("unix", s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	hungUp(t, conn)
	if !strings.Contains(log.String(), "too many connections") {
		t.Error(log)
	}
}

func TestTokenStaysOutOfSight(t *testing.T) {
	s, _ := startServer(t, nil)
	g, _ := register(t, s)
	token := g.token.reveal()
	env := g.Env()
	if len(token) != 64 || len(env) != 2 || env[0] != relay.EnvSocket+"="+s.path || env[1] != relay.EnvToken+"="+token {
		t.Fatalf("environment %v", env)
	}
	args, err := g.Args(`/opt/my "parley"/parley`)
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		MCPServers map[string]struct {
			Type, Command string
			Args          []string
		}
	}
	if err := json.Unmarshal([]byte(args[1]), &config); err != nil {
		t.Fatal(err)
	}
	if p := config.MCPServers["parley"]; p.Type != "stdio" || p.Command != `/opt/my "parley"/parley` || len(p.Args) != 1 || p.Args[0] != "mcp" {
		t.Errorf("config %s", args[1])
	}
	if args[0] != "--mcp-config" || args[2] != "--permission-prompt-tool" || args[3] != "mcp__parley__permission_prompt" {
		t.Errorf("args %v", args)
	}
	endpoint := relay.NewEndpoint(s.path, token)
	for _, shown := range []string{fmt.Sprint(args), fmt.Sprintf("%+v %#v", g, g), fmt.Sprintf("%+v %#v", endpoint, endpoint)} {
		if strings.Contains(shown, token) {
			t.Errorf("the token shows in %.200s", shown)
		}
	}
	other, _ := register(t, s)
	if other.token.reveal() == token {
		t.Error("two grants have one token")
	}
}

func TestSocketIsPrivateAndRemoved(t *testing.T) {
	s, err := New(Config{Logger: slog.New(slog.DiscardHandler), Dir: shortDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{s.dir: 0o700 | os.ModeDir, s.path: 0o600 | os.ModeSocket} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(s.dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if err := s.Serve(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := s.Register(Session{ID: "s"}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("register after close: %v", err)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	s, err := New(Config{Logger: slog.New(slog.DiscardHandler), Dir: shortDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	g, _ := register(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	_, _, r := knock(t, s, helloLine(g.token.reveal()))
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	hungUp(t, r)
}
