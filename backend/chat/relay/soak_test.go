package relay_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/mattermost"
	"parley/backend/chat/mattermost/mattermosttest"
	"parley/backend/chat/relay"
	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
)

// storm is people writing in many threads while the connection drops, the server goes
// away and calls fail.
type storm struct {
	posts, threads, cuts, restarts int
	fail                           float64
	// edits is how long the server allows edits, 0 for no limit; revoked makes the token
	// be revoked midway and replaced.
	edits   time.Duration
	revoked bool
}

// With the real client, real streams and a failing server, every prompt is answered
// once, in the order of its thread.
func TestLongStorm(t *testing.T) {
	st := storm{posts: 1000, threads: 20, cuts: 50, restarts: 5, fail: 0.1}
	if testing.Short() {
		st = storm{posts: 100, threads: 10, cuts: 3, restarts: 1, fail: 0.1}
	}
	// The last storm has each fault; these have one each, with fewer posts.
	few := st
	few.posts, few.cuts, few.restarts = st.posts/4, max(1, st.cuts/4), max(1, st.restarts/4)
	hardly, revoked, both := few, few, st
	hardly.edits, revoked.revoked = time.Millisecond, true
	both.edits, both.revoked = time.Millisecond, true
	for name, st := range map[string]storm{
		"plain": st, "posts that can hardly be edited": hardly, "the token is taken back": revoked, "no edits, and another token comes": both,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st.rage(t)
		})
	}
}

func (st storm) rage(t *testing.T) {
	s := mattermosttest.New(t, mattermosttest.Options{Seed: 1, Clock: ticking(), EditLimit: st.edits})
	team := s.AddTeam("ops")
	bot, ada, bob := s.AddBot("parley", team.Id), s.AddUser("ada", team.Id), s.AddUser("bob", team.Id)
	ch := s.AddChannel(team.Id, "general", bot.ID, ada.ID, bob.ID)
	logger := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	var client *mattermost.Client
	var token atomic.Value
	token.Store(bot.Token)
	client, err := mattermost.New(mattermost.Config{
		URL: s.URL(), Token: func(context.Context) (string, error) { return token.Load().(string), nil }, Cursors: &cursors{data: map[string][]byte{}}, Logger: logger,
		Changed: func(c chat.Connection) {
			s.Poke()                  // retries at once
			if c.State == "waiting" { // there is no time to back off
				client.Retry()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	life := &mortal{died: make(chan struct{})}
	sessions, disk := newFakeSessions(), &fakeDisk{threads: map[string]port.Thread{}}
	sessions.takes, sessions.lead = 60*time.Millisecond, "This is shown first, and stays. "
	r := relay.New(relay.Config{
		Chat: client, Sessions: mortalSessions{sessions, life}, Records: mortalDisk{disk, life}, Desk: noDesk{}, Trail: noTrail{},
		Config: func() port.ChatConfig {
			return port.ChatConfig{
				Enabled:  true,
				Channels: []port.ChatMapping{{ChannelID: ch.Id, Folder: folder}},
				Access:   []port.ChatGrant{{Role: port.RolePrompt, Everyone: true, ChannelID: ch.Id}},
			}
		},
		Commands: &fakeCommands{}, Logger: logger,
		Streams: func(c post.Config) relay.Stream {
			c.Debounce = 20 * time.Millisecond
			return post.NewStream(c)
		},
	})
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = client.Run(ctx, r.Handle) })
	defer wg.Wait()
	defer cancel()
	// Existing posts in a channel that Parley joins aren't for it.
	s.WaitFor(t, "a socket", func() bool { return s.Sockets(bot.ID) > 0 })
	s.WaitFor(t, "the first answer", func() bool {
		first := s.As(ada.ID).Post(ch.Id, "prompt 0 of thread 98;")
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		return s.Until(ctx, func() bool { return len(prompts(s, first.Id, bot.ID)) > 0 }) == nil
	})

	each := st.fail / 4
	calm := s.Faults(
		mattermosttest.Fault{What: mattermosttest.DropBefore, User: bot.ID, Chance: each}, mattermosttest.Fault{What: mattermosttest.Status, User: bot.ID, Chance: each},
		mattermosttest.Fault{What: mattermosttest.DropAfter, User: bot.ID, Chance: each},
		mattermosttest.Fault{What: mattermosttest.StatusAfter, Code: http.StatusGatewayTimeout, User: bot.ID, Chance: each},
	)
	began := time.Now()
	roots, want := make([]string, st.threads), make([][]string, st.threads)
	write := func(n int) {
		th := n % st.threads
		text := fmt.Sprintf("prompt %d of thread %d;", n/st.threads, th)
		who := s.As([]mattermosttest.User{ada, bob}[(n/7)%2].ID)
		if roots[th] == "" {
			roots[th] = who.Post(ch.Id, text).Id
		} else {
			who.Reply(roots[th], text)
		}
		want[th] = append(want[th], text)
	}
	connected := func() { s.WaitFor(t, "a socket", func() bool { return s.Sockets(bot.ID) > 0 }) }
	cuts, restarts := 0, 0
	for n := range st.posts {
		switch {
		case restarts*st.posts < n*st.restarts:
			connected()
			s.Stop()
			restarts++
			write(n) // while it is away
			s.Start()
			continue
		case cuts*st.posts < n*st.cuts:
			connected()
			cuts += s.Cut(bot.ID)
		}
		if st.revoked && n == st.posts/2 {
			s.Revoke(bot.Token)
			write(n) // while it is deaf
			s.WaitFor(t, "the refusal", func() bool { return client.Connection().State == "refused" })
			token.Store(s.NewToken(bot.ID))
			client.Retry()
			continue
		}
		write(n)
	}
	for ; cuts < st.cuts; cuts += s.Cut(bot.ID) {
		connected()
	}
	for ; restarts < st.restarts; restarts++ {
		connected()
		s.Stop()
		s.Start()
	}
	answered := func(th int) []string { return prompts(s, roots[th], bot.ID) }
	for th := range roots {
		s.WaitFor(t, fmt.Sprintf("the answers of thread %d", th), func() bool { return len(answered(th)) >= len(want[th]) })
	}
	failed := 0
	for _, n := range calm() {
		failed += n
	}
	last := s.As(ada.ID).Post(ch.Id, "prompt 0 of thread 99;")
	s.WaitFor(t, "the last answer", func() bool { return len(prompts(s, last.Id, bot.ID)) > 0 })
	all := 0
	for _, n := range s.Calls(bot.ID) {
		all += n
	}
	t.Logf("%d prompts in %d threads, %d cuts, %d restarts, %d of %d calls failed, %v", st.posts, st.threads, cuts, restarts, failed, all, time.Since(began).Round(time.Second))
	for th := range roots {
		if got := answered(th); !slices.Equal(got, want[th]) {
			t.Errorf("thread %d: answered %q, want %q", th, got, want[th])
		}
	}
	for th := range roots { // nothing shown at first is gone or duplicated
		leads, rests := 0, 0
		for _, p := range s.Thread(roots[th]) {
			if p.UserId == bot.ID {
				leads += strings.Count(p.Message, strings.TrimSpace(sessions.lead))
				rests += strings.Count(p.Message, "Answer to ")
			}
		}
		if leads != rests {
			t.Errorf("thread %d has the beginnings of %d answers, and the ends of %d", th, leads, rests)
		}
	}
	changed := 0
	for route, n := range s.Calls(bot.ID) {
		if strings.Contains(route, "patch") {
			changed += n
		}
	}
	if changed == 0 {
		t.Error("no post was tried to be edited")
	}
	sent := map[string]int{}
	for _, p := range sessions.prompts {
		for _, m := range promptText().FindAllString(p.Text, -1) {
			sent[m]++
		}
	}
	delete(sent, "prompt 0 of thread 98;")
	for text, n := range sent {
		if n != 1 {
			t.Errorf("%q was sent %d times", text, n)
		}
	}
	if len(sent) != st.posts+1 {
		t.Errorf("%d prompts were sent", len(sent))
	}
}

// ticking is a clock that never returns the same millisecond twice: the order of posts
// of one millisecond is lost after a gap.
func ticking() func() time.Time {
	var mu sync.Mutex
	var last time.Time
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now().Truncate(time.Millisecond)
		if !now.After(last) {
			now = last.Add(time.Millisecond)
		}
		last = now
		return now
	}
}

func promptText() *regexp.Regexp { return regexp.MustCompile(`prompt \d+ of thread \d+;`) }

// prompts returns those that a bot's posts in a thread answer, in post order.
func prompts(s *mattermosttest.Server, root, bot string) []string {
	var list []string
	for _, p := range s.Thread(root) {
		if p.UserId == bot {
			list = append(list, promptText().FindAllString(p.Message, -1)...)
		}
	}
	return list
}

type noDesk struct{}

func (noDesk) Open(string) []port.Request { return nil }
func (noDesk) Answer(context.Context, port.Answer) (port.Outcome, error) {
	return port.Outcome{}, nil
}

type noTrail struct{}

func (noTrail) Chat(context.Context, port.Action) {}

type cursors struct {
	mu   sync.Mutex
	data map[string][]byte
}

func (c *cursors) Load(_ context.Context, key string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.data[key]), nil
}

func (c *cursors) Save(_ context.Context, key string, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.data[key] = slices.Clone(data)
	return nil
}

// An idle thread only costs its record, however much was written in it.
func TestMemory(t *testing.T) {
	bubble(t, func(w *world) {
		heap := func() (bytes uint64, goroutines int) {
			w.pass(3 * time.Minute)
			// Don't count the fakes' memory.
			w.sessions.mu.Lock()
			w.sessions.prompts = nil
			for _, s := range w.sessions.list {
				s.history, s.answers, s.seen = nil, nil, map[string]string{}
			}
			w.sessions.mu.Unlock()
			w.chat.mu.Lock()
			w.chat.posts = slices.DeleteFunc(w.chat.posts, func(p *chat.Post) bool { return p.RootID != "" })
			w.chat.mu.Unlock()
			w.gate.mu.Lock()
			w.gate.tries = nil
			w.gate.mu.Unlock()
			w.telling.Lock()
			w.happened = nil
			w.telling.Unlock()
			w.asks.heard = nil
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc, runtime.NumGoroutine()
		}
		var roots []string
		n := 0
		talk := func(root string) string {
			n++
			p := &chat.Post{ID: fmt.Sprintf("m%06d", n), ChannelID: room, RootID: root, AuthorID: "anna", Text: "Tell me " + strings.Repeat("more ", 20), At: time.Now().UnixMilli()}
			w.chat.mu.Lock()
			if root == "" {
				w.chat.posts = append(w.chat.posts, p)
			}
			w.chat.mu.Unlock()
			w.tell(chat.Posted{Post: *p})
			return p.ID
		}
		before, quiet := heap()
		for range 200 {
			roots = append(roots, talk(""))
		}
		w.pass(time.Second / 2)
		busy := runtime.NumGoroutine() - quiet
		first, goroutines := heap()
		for range 10 {
			for _, root := range roots {
				talk(root)
			}
			w.pass(3 * time.Second)
		}
		second, _ := heap()
		for range 20 {
			for _, root := range roots {
				talk(root)
			}
			w.pass(3 * time.Second)
		}
		third, _ := heap()
		t.Logf("200 threads: %d goroutines while all work, %d at rest; %d bytes for each after a turn, %d after 11, %d after 31",
			busy, goroutines-quiet, int64(first-before)/200, int64(second-before)/200, int64(third-before)/200)
		if goroutines > quiet {
			t.Errorf("%d goroutines are left", goroutines-quiet)
		}
		if each := int64(third-before) / 200; each > 64<<10 {
			t.Errorf("a thread costs %d bytes", each)
		}
	})
}
