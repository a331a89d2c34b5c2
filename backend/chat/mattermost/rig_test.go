package mattermost

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mattermost/mattermost/server/public/model"
	"go.uber.org/goleak"

	"parley/backend/chat"
	"parley/backend/chat/mattermost/mattermosttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick are times for tests.
func quick() tuning {
	return tuning{
		callTimeout: 5 * time.Second, patience: 20 * time.Second,
		retryFirst: time.Millisecond, retryMost: 20 * time.Millisecond, pauseMost: 5 * time.Millisecond,
		connectFirst: time.Millisecond, connectMost: 10 * time.Millisecond,
		refusedEvery: time.Hour,
		pingEvery:    50 * time.Millisecond, silence: 5 * time.Second,
		handlerFirst: time.Millisecond, handlerMost: 10 * time.Millisecond,
		handleTimeout: 10 * time.Second,
		saveAfter:     30 * time.Millisecond, sweepAfter: 50 * time.Millisecond,
		overlap: time.Second,
	}
}

// cursors is an in-memory store.
type cursors struct {
	mu    sync.Mutex
	data  map[string][]byte
	saves int
	fail  error // of saving
	poke  func()
}

func newCursors(poke func()) *cursors { return &cursors{data: map[string][]byte{}, poke: poke} }

// has reports whether there is a cursor of a channel.
func (c *cursors) has(channelID string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.data {
		if strings.HasSuffix(key, "/"+channelID) {
			return true
		}
	}
	return false
}

func (c *cursors) Load(_ context.Context, key string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.data[key]), nil
}

func (c *cursors) Save(_ context.Context, key string, data []byte) error {
	defer c.poke()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fail != nil {
		return c.fail
	}
	if len(key) > 80 || len(data) > 512<<10 {
		return fmt.Errorf("too large: %d, %d", len(key), len(data))
	}
	c.saves++
	c.data[key] = slices.Clone(data)
	return nil
}

// rig is a server with a bot, a user and a channel, and the events received by the
// bot's client.
type rig struct {
	*testing.T
	*mattermosttest.Server
	bot, ada mattermosttest.User
	team     *model.Team
	ch       *model.Channel
	store    *cursors

	mu    sync.Mutex
	heard []chat.Incoming
	// refuse returns an error for what the handler must not accept.
	refuse func(chat.Incoming) error
}

// ticking is a clock that advances one step per reading.
func ticking(step time.Duration) func() time.Time {
	at := time.Now()
	var n atomic.Int64
	return func() time.Time { return at.Add(time.Duration(n.Add(1)) * step) }
}

func newRig(t *testing.T, o mattermosttest.Options) *rig {
	if o.Clock == nil {
		o.Clock = ticking(time.Millisecond)
	}
	s := mattermosttest.New(t, o)
	g := &rig{T: t, Server: s, store: newCursors(s.Poke)}
	g.team = s.AddTeam("ops")
	g.bot = s.AddBot("parley", g.team.Id)
	g.ada = s.AddUser("ada", g.team.Id)
	g.ch = s.AddChannel(g.team.Id, "general", g.bot.ID, g.ada.ID)
	return g
}

func (g *rig) config() Config {
	return Config{URL: g.URL(), Token: Fixed(g.bot.Token), Cursors: g.store, Logger: slog.New(slog.DiscardHandler), Changed: func(chat.Connection) { g.Poke() }}
}

// client returns a client with short times.
func (g *rig) client(change ...func(*Config)) *Client {
	g.Helper()
	cfg := g.config()
	for _, fn := range change {
		fn(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		g.Fatal(err)
	}
	c.tune = quick()
	g.Cleanup(c.Close)
	return c
}

func (g *rig) take(_ context.Context, in chat.Incoming) error {
	g.mu.Lock()
	defer g.Poke()
	defer g.mu.Unlock()
	if g.refuse != nil {
		if err := g.refuse(in); err != nil {
			return err
		}
	}
	g.heard = append(g.heard, in)
	return nil
}

// run runs a client until stop.
func (g *rig) run(c *Client) (stop func()) {
	g.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, g.take) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			g.Errorf("Run: %v", err)
		}
	})
	g.Cleanup(stop)
	return stop
}

// begin runs a client and waits until it has caught up.
func (g *rig) begin(change ...func(*Config)) (*Client, func()) {
	g.Helper()
	c := g.client(change...)
	stop := g.run(c)
	g.hello()
	return c, stop
}

// hello waits until a new post is received, and discards everything received until then.
func (g *rig) hello() {
	g.Helper()
	g.WaitFor(g.T, "the beginning", func() bool { return g.store.has(g.ch.Id) })
	p := g.As(g.ada.ID).Post(g.ch.Id, "hello")
	g.WaitFor(g.T, "the hello", func() bool {
		return slices.ContainsFunc(g.all(), func(in chat.Incoming) bool {
			v, ok := in.(chat.Posted)
			return ok && v.Post.ID == p.Id
		})
	})
	g.forgetHeard()
}

func (g *rig) all() []chat.Incoming {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.heard)
}

func (g *rig) forgetHeard() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heard = nil
}

// lines formats what was received.
func (g *rig) lines() []string {
	out := []string{}
	for _, in := range g.all() {
		switch v := in.(type) {
		case chat.Posted:
			if !v.Post.System {
				out = append(out, "post "+v.Post.Text)
			}
		case chat.Edited:
			out = append(out, "edit "+v.Post.Text)
		case chat.Deleted:
			out = append(out, "delete "+v.Post.ID)
		case chat.ReactionAdded:
			out = append(out, "react "+v.Reaction.Emoji+" to "+v.Post.Text)
		case chat.ReactionRemoved:
			out = append(out, "unreact "+v.Reaction.Emoji+" from "+v.Post.Text)
		case chat.ButtonPressed:
			out = append(out, "press "+v.ButtonID)
		}
	}
	return out
}

// expect waits for that many events, and compares them.
func (g *rig) expect(want ...string) {
	g.Helper()
	g.WaitFor(g.T, fmt.Sprint(want), func() bool { return len(g.lines()) >= len(want) })
	if diff := cmp.Diff(want, g.lines()); diff != "" {
		g.Fatalf("heard something else (-want +got):\n%.3000s", diff)
	}
}

// settled writes a post, waits for it, and checks that nothing else was received.
func (g *rig) settled() {
	g.Helper()
	before := len(g.lines())
	g.As(g.ada.ID).Post(g.ch.Id, "settled")
	g.WaitFor(g.T, "the end", func() bool { return slices.Contains(g.lines(), "post settled") })
	if got := g.lines()[before:]; !slices.Equal(got, []string{"post settled"}) {
		g.Fatalf("heard besides: %q", got)
	}
	g.forgetHeard()
}

// away ends a run, and waits until the bot has no socket.
func (g *rig) away(stop func()) {
	g.Helper()
	stop()
	if n := g.Sockets(g.bot.ID); n != 0 {
		g.WaitFor(g.T, "the socket's end", func() bool { return g.Sockets(g.bot.ID) == 0 })
	}
}

// WaitFor gives up earlier than the server's, and reports what was received.
func (g *rig) WaitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	if g.Until(ctx, done) != nil {
		lines := g.lines()
		t.Fatalf("waited in vain for %s; heard %d: %.2000q", what, len(lines), fmt.Sprint(lines))
	}
}

func (c *cursors) set(fail error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail = fail
}
