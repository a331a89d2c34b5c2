package mattermosttest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat/mattermost/mattermosttest"
)

// TestFaultsOfCalls: each call fails while its fault is installed, and succeeds
// otherwise.
func TestFaultsOfCalls(t *testing.T) {
	broken := func(t *testing.T, err error) {
		t.Helper()
		var e *model.AppError
		if err == nil || errors.As(err, &e) {
			t.Errorf("got %v, want the connection to break", err)
		}
	}
	status := func(code int) func(*testing.T, error) {
		return func(t *testing.T, err error) {
			t.Helper()
			refused(t, err, code, "")
		}
	}
	late := func(t *testing.T, err error) {
		t.Helper()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want to be the one who gives up", err)
		}
	}
	limited := func(t *testing.T, err error) { // plain text, which the client can't decode
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "limit exceeded") {
			t.Errorf("got %v, want the limit", err)
		}
	}
	tests := map[string]struct {
		fault mattermosttest.Fault
		check func(*testing.T, error)
		made  int // posts that were created anyway
	}{
		"drop before":  {mattermosttest.Fault{What: mattermosttest.DropBefore}, broken, 0},
		"drop after":   {mattermosttest.Fault{What: mattermosttest.DropAfter}, broken, 1},
		"hang before":  {mattermosttest.Fault{What: mattermosttest.HangBefore}, late, 0},
		"hang after":   {mattermosttest.Fault{What: mattermosttest.HangAfter}, late, 1},
		"500":          {mattermosttest.Fault{What: mattermosttest.Status}, status(500), 0},
		"503 and done": {mattermosttest.Fault{What: mattermosttest.StatusAfter, Code: 503}, status(503), 1},
		"too many":     {mattermosttest.Fault{What: mattermosttest.TooMany}, limited, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, mattermosttest.Options{})
			c := w.client(t, w.bot)
			tt.fault.Route = "POST /posts"
			remove := w.Faults(tt.fault)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if strings.HasPrefix(name, "hang") {
				go func() { // gives up once the call hangs
					_ = w.Until(ctx, func() bool { return w.InjectedFaults() > 0 })
					cancel()
				}()
			}
			_, _, err := c.CreatePost(ctx, &model.Post{ChannelId: w.ch.Id, Message: "x"})
			tt.check(t, err)
			if got := len(w.Posts(w.ch.Id)); got != tt.made {
				t.Errorf("%d posts were made, want %d", got, tt.made)
			}
			if diff := cmp.Diff([]int{1}, remove()); diff != "" {
				t.Errorf("it happened (-want +got)\n%s", diff)
			}
			must[*model.Post](t)(c.CreatePost(t.Context(), &model.Post{ChannelId: w.ch.Id, Message: "y"}))
		})
	}
}

// TestAfterTimesAndChance: the parameters and the seed determine which calls a fault
// hits.
func TestAfterTimesAndChance(t *testing.T) {
	pattern := func(f mattermosttest.Fault, seed uint64) string {
		w := newWorld(t, mattermosttest.Options{Seed: seed})
		c := w.client(t, w.bot)
		f.What, f.User = mattermosttest.Status, w.bot.ID
		w.Faults(f)
		var b strings.Builder
		for range 30 {
			if _, _, err := c.GetMe(t.Context(), ""); err != nil {
				b.WriteByte('x')
			} else {
				b.WriteByte('.')
			}
		}
		if _, _, err := w.client(t, w.ada).GetMe(t.Context(), ""); err != nil {
			t.Errorf("someone else's call failed: %v", err)
		}
		return b.String()
	}
	if got, want := pattern(mattermosttest.Fault{After: 3, Times: 2}, 1), "...xx"+strings.Repeat(".", 25); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	a, b := pattern(mattermosttest.Fault{Chance: 0.3}, 1), pattern(mattermosttest.Fault{Chance: 0.3}, 1)
	if a != b || !strings.Contains(a, "x") || !strings.Contains(a, ".") {
		t.Errorf("the same seed gave\n%s and\n%s", a, b)
	}
	if c := pattern(mattermosttest.Fault{Chance: 0.3}, 2); c == a {
		t.Errorf("another seed gave the same: %s", c)
	}
}

func TestTooManyHasItsHeaders(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	w.Faults(mattermosttest.Fault{What: mattermosttest.TooMany, RetryAfter: 1500 * time.Millisecond})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL()+"/api/v4/users/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "2" || resp.Header.Get("X-Ratelimit-Reset") != "2" ||
		resp.Header.Get("X-Ratelimit-Remaining") != "0" || string(body) != "limit exceeded\n" {
		t.Errorf("%d %v %q", resp.StatusCode, resp.Header, body)
	}
}

func TestSlow(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	w.Faults(mattermosttest.Fault{What: mattermosttest.Slow, Delay: 20 * time.Millisecond})
	begun := time.Now()
	must[*model.User](t)(w.client(t, w.bot).GetMe(t.Context(), ""))
	if took := time.Since(begun); took < 20*time.Millisecond {
		t.Errorf("a slow call took %v", took)
	}
}

// TestFaultsOfEvents: each changes what one socket receives of three posts.
func TestFaultsOfEvents(t *testing.T) {
	tests := map[string]struct {
		what  mattermosttest.FaultKind
		want  []string
		first int64 // the first out-of-sequence number, 0 for none
	}{
		"none":    {0, []string{"a", "b", "c"}, 0},
		"twice":   {mattermosttest.EventTwice, []string{"a", "a", "b", "c"}, 0},
		"swapped": {mattermosttest.EventSwapped, []string{"b", "a", "c"}, 0},
		"lost":    {mattermosttest.EventLost, []string{"b", "c"}, 3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, mattermosttest.Options{})
			so := w.socket(t, w.bot)
			if tt.what != 0 {
				w.Faults(mattermosttest.Fault{What: tt.what, Route: "posted", Times: 1})
			}
			for _, text := range []string{"a", "b", "c"} {
				w.As(w.ada.ID).Post(w.ch.Id, text)
			}
			var heard []string
			gap, next := int64(0), int64(2)
			for len(heard) < len(tt.want) {
				e := so.next(model.WebsocketEventPosted)
				heard = append(heard, postIn(t, e).Message)
				if e.GetSequence() != next && gap == 0 {
					gap = e.GetSequence()
				}
				next = e.GetSequence() + 1
			}
			if diff := cmp.Diff(tt.want, heard); diff != "" {
				t.Errorf("heard (-want +got)\n%s", diff)
			}
			if gap != tt.first {
				t.Errorf("the numbers have a gap at %d, want %d", gap, tt.first)
			}
		})
	}
}

// TestHalfOpen: a frozen socket answers no ping and sends nothing, but is open.
func TestHalfOpen(t *testing.T) {
	for _, frozen := range []bool{false, true} {
		w := newWorld(t, mattermosttest.Options{})
		c, resp, err := websocket.DefaultDialer.DialContext(t.Context(), w.SocketURL()+"/api/v4/websocket",
			http.Header{"Authorization": {"Bearer " + w.bot.Token}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		defer c.Close()
		if _, _, err := c.ReadMessage(); err != nil { // the hello
			t.Fatal(err)
		}
		ponged := make(chan struct{})
		c.SetPongHandler(func(string) error { close(ponged); return nil })
		if frozen && w.Freeze(w.bot.ID) != 1 {
			t.Error("nothing was frozen")
		}
		if err := c.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			for {
				if _, _, err := c.ReadMessage(); err != nil {
					ended <- err
					return
				}
			}
		}()
		if frozen {
			w.As(w.ada.ID).Post(w.ch.Id, "unheard")
			if n := w.Sockets(w.bot.ID); n != 1 {
				t.Errorf("%d sockets are open", n)
			}
			w.Cut(w.bot.ID)
			_ = <-ended
			select {
			case <-ponged:
				t.Error("a frozen socket answered a ping")
			default:
			}
			continue
		}
		<-ponged
		w.Cut("")
		_ = <-ended
	}
}

func TestRestart(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	ctx, c := t.Context(), w.client(t, w.bot)
	so := w.socket(t, w.bot)
	post := func() (*model.Post, error) {
		p, _, err := c.CreatePost(ctx, &model.Post{ChannelId: w.ch.Id, Message: "x", PendingPostId: "key"})
		return p, err
	}
	first, err := post()
	if err != nil {
		t.Fatal(err)
	}
	w.Stop()
	if _, err := post(); err == nil {
		t.Error("a server that is away answered")
	}
	for range so.EventChannel { // the socket has ended
	}
	w.Start()
	if got := must[*model.Post](t)(c.GetPost(ctx, first.Id, "")); got.Message != "x" {
		t.Errorf("kept %+v", got)
	}
	second, err := post()
	if err != nil || second.Id == first.Id {
		t.Errorf("after a restart the pending id is still known: %v", err)
	}
	if e := w.socket(t, w.bot); e == nil {
		t.Error("no socket after the restart")
	}
}

func TestSkewAndDedupWindow(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	p := w.As(w.ada.ID).Post(w.ch.Id, "now")
	w.Skew(time.Hour)
	if q := w.As(w.ada.ID).Post(w.ch.Id, "later"); q.CreateAt-p.CreateAt < time.Hour.Milliseconds() {
		t.Errorf("an hour ahead is %d ms", q.CreateAt-p.CreateAt)
	}
	c := w.client(t, w.bot)
	in := &model.Post{ChannelId: w.ch.Id, Message: "x", PendingPostId: "key"}
	a := must[*model.Post](t)(c.CreatePost(t.Context(), in))
	w.Skew(time.Hour + 31*time.Second)
	if b := must[*model.Post](t)(c.CreatePost(t.Context(), in)); b.Id == a.Id {
		t.Error("a pending id is known after 31 seconds")
	}
}
