package mattermosttest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat/mattermost/mattermosttest"
)

// echo is the simplest bot with the official client that survives a storm: it rereads
// everything new after each connection, and checks the result of a failed call.
type echo struct {
	w       *world
	rest    *model.Client4
	since   int64
	handled map[string]bool
	// noCheck makes it a bad one: it only retries.
	noCheck bool
}

func (b *echo) run(ctx context.Context) {
	for ctx.Err() == nil {
		c, err := model.NewWebSocketClient4(b.w.SocketURL(), b.w.bot.Token)
		if err != nil {
			continue
		}
		c.Listen()
		stop := context.AfterFunc(ctx, c.Close)
		for e := range c.EventChannel {
			switch e.EventType() {
			case model.WebsocketEventHello:
				b.catchUp(ctx)
			case model.WebsocketEventPosted:
				var p model.Post
				text, _ := e.GetData()["post"].(string)
				if json.Unmarshal([]byte(text), &p) == nil {
					b.handle(ctx, &p)
				}
			}
		}
		stop()
		c.Close()
	}
}

// catchUp rereads everything that changed, page by page: most of a page may be the
// bot's own posts, so only the page tells where the next one starts.
func (b *echo) catchUp(ctx context.Context) {
	since := max(1, b.since-1)
	for ctx.Err() == nil {
		l, _, err := b.rest.GetPostsSince(ctx, b.w.ch.Id, since, false)
		if err != nil {
			continue
		}
		posts := l.ToSlice()
		slices.Reverse(posts)
		for _, p := range posts {
			b.handle(ctx, p)
			since = max(since, p.UpdateAt-1)
		}
		if len(posts) < 1000 {
			return
		}
	}
}

func (b *echo) handle(ctx context.Context, p *model.Post) {
	if p.UserId == b.w.bot.ID || p.DeleteAt != 0 || p.IsSystemMessage() || b.handled[p.Id] {
		return
	}
	root := p.RootId
	if root == "" {
		root = p.Id
	}
	answer := &model.Post{ChannelId: p.ChannelId, RootId: root, Message: mattermosttest.AnswerTo(p.Message), PendingPostId: "answer:" + p.Id}
	for ctx.Err() == nil {
		if _, _, err := b.rest.CreatePost(ctx, answer); err == nil || !b.noCheck && b.answered(ctx, answer) {
			break
		}
		if b.noCheck {
			answer.PendingPostId = ""
		}
	}
	b.handled[p.Id] = true
	b.since = max(b.since, p.CreateAt)
}

func (b *echo) answered(ctx context.Context, answer *model.Post) bool {
	for ctx.Err() == nil {
		if l, _, err := b.rest.GetPostThread(ctx, answer.RootId, "", false); err == nil {
			for _, p := range l.Posts {
				if p.UserId == b.w.bot.ID && p.Message == answer.Message {
					return true
				}
			}
			return false
		}
	}
	return true
}

// start runs the bot until the test ends.
func (b *echo) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { b.run(ctx) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	b.w.WaitFor(t, "the bot's socket", func() bool { return b.w.Sockets(b.w.bot.ID) == 1 })
}

// TestLongStorm is the scenario that the official client survives.
func TestLongStorm(t *testing.T) {
	st := mattermosttest.ChaosConfig{Posts: 1000, Threads: 20, Cuts: 50, Restarts: 5, Fail: 0.1}
	if testing.Short() {
		st.Posts, st.Cuts, st.Restarts = 200, 10, 2
	}
	w := newWorld(t, mattermosttest.Options{Seed: 7})
	w.AddMember(w.ch.Id, w.bob.ID)
	(&echo{w: w, rest: w.client(t, w.bot), handled: map[string]bool{}}).start(t)
	st.Bot, st.People, st.ChannelID = w.bot, []mattermosttest.User{w.ada, w.bob}, w.ch.Id
	failed := w.RunChaos(t, st)
	t.Logf("%d of the bot's calls failed: %v", failed, w.Calls(w.bot.ID))
}

// heard is a testing.TB that only records failures.
type heard struct {
	testing.TB
	wrong []string
}

func (h *heard) Errorf(format string, args ...any) {
	h.wrong = append(h.wrong, fmt.Sprintf(format, args...))
}

// TestStormFindsDuplicates: a bot that only retries answers twice.
func TestStormFindsDuplicates(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{Seed: 7})
	(&echo{w: w, rest: w.client(t, w.bot), handled: map[string]bool{}, noCheck: true}).start(t)
	h := &heard{TB: t}
	w.RunChaos(h, mattermosttest.ChaosConfig{
		Bot: w.bot, People: []mattermosttest.User{w.ada}, ChannelID: w.ch.Id, Posts: 60, Threads: 3, Fail: 0.4,
	})
	if len(h.wrong) == 0 {
		t.Error("nobody noticed that prompts were answered twice")
	}
}
