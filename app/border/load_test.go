//go:build linux

package border

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	appsessions "parley/app/sessions"
	"parley/backend/demo"
)

// Concurrent sessions do not disturb each other.
func TestSessionsSideBySide(t *testing.T) {
	t.Parallel()
	const sessions = 3
	text := func(name string) string { return strings.Repeat("I am "+name+". ", 2000) }
	p := start(t, demo.ScriptFunc(func(r demo.Request) demo.Reply {
		if r.Kind != demo.Main {
			return demo.Default(r)
		}
		return demo.Say(text(r.Text))
	}))
	list := make([]*conversation, sessions)
	turns := make([]string, sessions)
	for i := range list {
		list[i] = p.open()
		turns[i] = list[i].prompt(fmt.Sprint("session ", i))
	}
	for i, s := range list {
		s.done(turns[i], "completed")
		if got := s.said(turns[i]); got != text(fmt.Sprint("session ", i)) {
			t.Errorf("session %d: %d bytes", i, len(got))
		}
	}
	if mb := residentMB(t, p.pid); mb > 60 && !raceEnabled {
		t.Errorf("Parley takes %d MB with %d sessions", mb, sessions)
	} else {
		t.Logf("Parley takes %d MB with %d sessions", mb, sessions)
	}
	page := call[appsessions.SessionList](p.watcher, "session.list", m{"limit": 2, "offset": 1})
	if page.Total != sessions || len(page.Sessions) != 2 || page.Sessions[0].LastActivityAt < page.Sessions[1].LastActivityAt {
		t.Errorf("session.list: %+v", page)
	}
}

// A client that never reads affects no one else: the others get everything, and
// Parley's memory stays bounded. When it finally reads, it is told that it missed
// something.
func TestClientThatNeverReads(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes too much memory and time for these amounts")
	}
	t.Parallel()
	text := longText()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say(text)))
	s := p.open()
	deaf := p.deafClient()
	before := residentMB(t, p.pid)
	if got := s.turn("at length, please"); got != text {
		t.Errorf("%d bytes of %d came", len(got), len(text))
	}

	// More than any queue may hold: long prompts without an answer.
	const prompts, size = 5, 5 << 20
	dir := p.path("gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	flood := p.openWith(m{"cwd": dir})
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	for range prompts {
		flood.done(flood.prompt(strings.Repeat("word ", size/5)), "failed")
	}
	if got := s.turn("once more"); got != text {
		t.Errorf("after the flood %d bytes of %d came", len(got), len(text))
	}
	after := residentMB(t, p.pid)
	t.Logf("%d MB of events later, Parley has %d MB instead of %d", prompts*size>>20, after, before)
	// The prompts wait with their reason, in memory and in the store.
	if after > before+200+3*prompts*size>>20 && !raceEnabled {
		t.Errorf("memory went from %d to %d MB", before, after)
	}

	if err := deaf.SetReadDeadline(time.Now().Add(limit)); err != nil {
		t.Fatal(err)
	}
	var err error
	for err == nil {
		_, _, err = deaf.ReadMessage()
	}
	var closed *websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != 4000 || !strings.Contains(closed.Text, "resync") {
		t.Errorf("the client that did not read was told %v", err)
	}
}

// deafClient is a client that subscribed to everything and stops reading. The
// system buffers little for it.
func (p *parley) deafClient() *websocket.Conn {
	p.t.Helper()
	small := net.Dialer{Control: func(_, _ string, conn syscall.RawConn) (err error) {
		if e := conn.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		}); e != nil {
			return e
		}
		return err
	}}
	dialer := websocket.Dialer{NetDialContext: small.DialContext}
	ws, _, err := dialer.DialContext(p.t.Context(), "ws"+strings.TrimPrefix(p.url, "http")+"ws",
		http.Header{"Authorization": {"Bearer " + p.token}})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = ws.Close() })
	if err := ws.WriteJSON(m{"type": "req", "id": 1, "method": "subscribe", "params": m{"events": []string{"*"}}}); err != nil {
		p.t.Fatal(err)
	}
	var answer struct{ OK bool }
	if err := ws.ReadJSON(&answer); err != nil || !answer.OK {
		p.t.Fatalf("subscribe: %+v, %v", answer, err)
	}
	return ws
}
