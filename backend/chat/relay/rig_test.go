package relay_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"parley/backend/chat"
	"parley/backend/chat/relay"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/tmux"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errDead = fault.New(fault.Unavailable, "This Parley was killed.")

// mortal is one run of Parley: once dead, nothing it does has an effect.
type mortal struct {
	mu    sync.Mutex
	dead  bool
	steps int
	// diesAt is the step at which it dies, 0 for never: before or after the step is
	// done.
	diesAt int
	after  bool
	died   chan struct{}
}

// step counts external effects, and returns whether the effect happens and whether its
// caller learns of it.
func (m *mortal) step() (happens, heard bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return false, false
	}
	m.steps++
	if m.steps != m.diesAt {
		return true, true
	}
	m.dead = true
	close(m.died)
	return m.after, false
}

func (m *mortal) alive() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.dead
}

// world is what outlives a Parley, and the current Parley.
type world struct {
	t        *testing.T
	chat     *fakeChat
	sessions *fakeSessions
	disk     *fakeDisk
	config   port.ChatConfig
	gate     *fakeGate
	asks     *fakeAsks
	commands *fakeCommands
	telling  sync.Mutex
	happened []relay.Activity
	streams  func(post.Config) relay.Stream

	*relay.Relay
	life *mortal
}

const (
	room   = "room"
	folder = "/work/room"
)

func newWorld(t *testing.T) *world {
	w := &world{
		t: t, chat: newFakeChat(), sessions: newFakeSessions(), disk: &fakeDisk{threads: map[string]port.Thread{}},
		gate: &fakeGate{allowed: map[string]bool{"anna": true, "bert": true}}, commands: &fakeCommands{},
		streams: func(c post.Config) relay.Stream { return newFakeStream(c) },
		config:  port.ChatConfig{Channels: []port.ChatMapping{{ChannelID: room, Folder: folder}}},
	}
	return w
}

// bubble runs a test in a world with fake time.
func bubble(t *testing.T, fn func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start()
		defer func() { w.stop() }()
		fn(w)
	})
}

func (w *world) start() { w.startUntil(0, false) }

// startUntil starts a Parley that dies at a step.
func (w *world) startUntil(diesAt int, after bool) {
	w.t.Helper()
	w.life = &mortal{diesAt: diesAt, after: after, died: make(chan struct{})}
	w.asks = &fakeAsks{}
	var gate relay.Gate
	if w.gate != nil {
		gate = w.gate
	}
	w.Relay = relay.New(relay.Config{
		Chat: mortalChat{w.chat, w.life}, Sessions: mortalSessions{w.sessions, w.life}, Records: mortalDisk{w.disk, w.life},
		Desk: nil, Config: func() port.ChatConfig { return w.config }, Commands: w.commands, Gate: gate, Trail: noTrail{}, Asks: w.asks,
		Streams: w.streams,
		Happened: func(h relay.Activity) {
			w.telling.Lock()
			defer w.telling.Unlock()
			w.happened = append(w.happened, h)
		},
		Logger: slog.New(slog.NewTextHandler(w.t.Output(), &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err := w.Start(context.Background()); err != nil && w.life.alive() {
		w.t.Fatal(err)
	}
	synctest.Wait() // it is subscribed to the sessions
}

func (w *world) stop() { w.Close() }

// pass lets time pass until everything is idle.
func (w *world) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// write creates a user's post and passes it to the relay.
func (w *world) write(by, root, text string, files ...chat.File) chat.Post {
	w.t.Helper()
	p := w.chat.write(by, room, root, text, files...)
	w.tell(chat.Posted{Post: p})
	return p
}

func (w *world) tell(in chat.Incoming) {
	w.t.Helper()
	if err := w.Handle(context.Background(), in); err != nil && w.life.alive() {
		w.t.Errorf("%T: %v", in, err)
	}
}

// signs returns Parley's reactions, as "post/emoji".
func (w *world) signs() []string {
	w.chat.mu.Lock()
	defer w.chat.mu.Unlock()
	var list []string
	for key := range w.chat.react {
		list = append(list, strings.Replace(key, "/me/", "/", 1))
	}
	slices.Sort(list)
	return list
}

// post returns a post, which must exist; "" is the newest.
func (w *world) post(id string) chat.Post {
	w.t.Helper()
	w.chat.mu.Lock()
	defer w.chat.mu.Unlock()
	if id == "" {
		id = w.chat.posts[len(w.chat.posts)-1].ID
	}
	p := w.chat.find(id)
	if p == nil {
		w.t.Fatalf("there is no post %s", id)
	}
	return *p
}

// session changes or inspects a session.
func (w *world) session(id string, fn func(s *fakeSession)) {
	w.sessions.mu.Lock()
	defer w.sessions.mu.Unlock()
	fn(w.sessions.list[id])
}

// said returns the texts of Parley's posts in a thread.
func (w *world) said(root string) []string {
	w.chat.mu.Lock()
	defer w.chat.mu.Unlock()
	var list []string
	for _, p := range w.chat.posts {
		if p.Mine && (p.RootID == root || p.ID == root) {
			list = append(list, p.Text)
		}
	}
	return list
}

func (w *world) wantSaid(root string, want ...string) {
	w.t.Helper()
	got := w.said(root)
	if len(got) != len(want) {
		w.t.Fatalf("said %q, want %q", got, want)
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			w.t.Fatalf("said %q, want %q", got, want)
		}
	}
}

// fakeDisk stores records.
type fakeDisk struct {
	mu      sync.Mutex
	threads map[string]port.Thread
	err     error
	writes  int
}

type mortalDisk struct {
	*fakeDisk
	life *mortal
}

func (d mortalDisk) Threads(context.Context) ([]port.Thread, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Values(d.threads)), nil
}

func (d mortalDisk) PutThread(_ context.Context, t port.Thread) error {
	happens, heard := d.life.step()
	if !happens {
		return errDead
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return d.err
	}
	d.writes++
	d.threads[t.ID] = t
	if !heard {
		return errDead
	}
	return nil
}

func (d mortalDisk) DeleteThread(_ context.Context, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.threads, id)
	return nil
}

// fakeGate allows some people everything.
type fakeGate struct {
	mu      sync.Mutex
	allowed map[string]bool
	tries   []access.Attempt
	refused map[string]bool
}

func (g *fakeGate) Check(_ context.Context, t access.Attempt) access.Verdict {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tries = append(g.tries, t)
	if g.allowed[t.By.ID] {
		return access.Verdict{OK: true, Role: port.RoleAdmin}
	}
	if g.refused == nil {
		g.refused = map[string]bool{}
	}
	v := access.Verdict{}
	if !g.refused[t.By.ID] {
		v.Refusal = "Sorry, you may not."
	}
	g.refused[t.By.ID] = true
	return v
}

func (g *fakeGate) Role(_ context.Context, by chat.Person, _ bool, _ string) port.ChatRole {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.allowed[by.ID] {
		return port.RoleAdmin
	}
	return port.RoleNone
}

func (g *fakeGate) Approvers(context.Context, string, string, port.ChatRole) []chat.Person {
	return nil
}

func (g *fakeGate) Holders(string, bool, port.ChatRole, int) ([]string, int) { return nil, 0 }

// fakeAsks has at most one question.
type fakeAsks struct {
	mu     sync.Mutex
	opened []string
	posts  map[string]bool
	heard  []string
}

func (a *fakeAsks) Run(ctx context.Context) { <-ctx.Done() }

func (a *fakeAsks) Opened(_ context.Context, t port.Thread, q port.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.opened = append(a.opened, t.ID)
	a.heard = append(a.heard, "opened "+q.RequestID)
}

func (a *fakeAsks) Resolved(_ context.Context, id string, _ event.PermissionResolved) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.opened = nil
	a.heard = append(a.heard, "resolved "+id)
}

func (a *fakeAsks) note(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.heard = append(a.heard, fmt.Sprintf(format, args...))
}

func (a *fakeAsks) Restored(_ context.Context, t port.Thread) { a.note("restored %s", t.ID) }
func (a *fakeAsks) Forget(_ context.Context, threadID string) { a.note("forgot %s", threadID) }
func (a *fakeAsks) Wake()                                     {}

func (a *fakeAsks) Reacted(_ context.Context, r chat.ReactionAdded, by chat.Person) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.posts[r.Post.ID] {
		a.heard = append(a.heard, by.ID+" reacted "+r.Reaction.Emoji)
	}
	return a.posts[r.Post.ID]
}

func (a *fakeAsks) Unreacted(context.Context, chat.ReactionRemoved, chat.Person) bool { return false }

func (a *fakeAsks) Replied(_ context.Context, t port.Thread, p chat.Post, by chat.Person) bool {
	a.note("%s replied %s", by.ID, p.Text)
	return true
}

func (a *fakeAsks) Pressed(_ context.Context, p chat.ButtonPressed, by chat.Person) bool {
	a.note("%s pressed %s", by.ID, p.ButtonID)
	return true
}

func (a *fakeAsks) Deleted(context.Context, chat.Deleted) bool { return false }

func (a *fakeAsks) Open(threadID string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, id := range a.opened {
		if id == threadID {
			n++
		}
	}
	return n
}

// fakeCommands knows some commands.
type fakeCommands struct {
	mu    sync.Mutex
	runs  []string
	last  command.In
	reply map[string]command.Reply
	err   error
	while func()
	needs map[string]port.ChatRole
}

func (c *fakeCommands) Need(call command.Call) port.ChatRole {
	if need := c.needs[call.Name]; need != "" {
		return need
	}
	return port.RolePrompt
}

func (c *fakeCommands) Run(_ context.Context, call command.Call, in command.In) (command.Reply, error) {
	c.mu.Lock()
	c.last = in
	c.runs = append(c.runs, in.By.ID+" !"+strings.TrimSpace(call.Name+" "+call.Text))
	reply, err, while := c.reply[call.Name], c.err, c.while
	c.mu.Unlock()
	if while != nil {
		while()
	}
	return reply, err
}

func (c *fakeCommands) Reaction(_, emoji string) (command.Call, bool) {
	name, does := map[string]string{"octagonal_sign": "stop", "skull": "kill", "warning": "escape"}[emoji]
	return command.Call{Name: name}, does
}

func (c *fakeCommands) Shown(string, tmux.Screen) {}
