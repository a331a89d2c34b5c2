package mattermost

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/mattermost/mattermosttest"
)

// Everything together: 1,000 posts in 20 threads, each of which is answered, while the
// socket is cut 50 times, the server restarted five times, Parley itself three times, and
// every tenth call fails, before or after it had an effect. Every post is delivered once,
// in order in its thread, and every answer exists once.
func TestStorm(t *testing.T) {
	const posts, threads, cuts, restarts, runs = 1000, 20, 50, 5, 3
	g := newRig(t, mattermosttest.Options{Seed: 1})
	ada := g.Try(g.ada.ID)
	var roots []string
	var c *Client
	var mu sync.Mutex
	order := map[string][]string{} // thread to texts
	refused := map[string]bool{}
	handle := func(ctx context.Context, in chat.Incoming) error {
		v, ok := in.(chat.Posted)
		if !ok || v.Post.Mine || v.Post.System || !strings.HasPrefix(v.Post.Text, "n") {
			return nil
		}
		mu.Lock()
		// Occasionally the handler refuses something at first.
		if rand.N(50) == 0 && !refused[v.Post.ID] {
			refused[v.Post.ID] = true
			mu.Unlock()
			return errors.New("not now")
		}
		client := c
		mu.Unlock()
		_, err := client.Send(ctx, chat.NewPost{Key: "re-" + v.Post.ID, ChannelID: v.Post.ChannelID, RootID: v.Post.Thread(), Text: "re " + v.Post.Text})
		if err != nil {
			return err
		}
		mu.Lock()
		order[v.Post.Thread()] = append(order[v.Post.Thread()], v.Post.Text)
		mu.Unlock()
		g.Poke()
		return nil
	}
	var stop func()
	begin := func() {
		mine := g.client()
		mine.tune.callTimeout = time.Second
		mu.Lock()
		c = mine
		mu.Unlock()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- mine.Run(ctx, handle) }()
		stop = func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Run: %v", err)
			}
			mine.Close()
		}
	}
	begin()
	defer func() { stop() }()
	g.WaitFor(t, "the beginning", func() bool { return g.store.has(g.ch.Id) })
	remove := g.Faults(
		mattermosttest.Fault{What: mattermosttest.DropBefore, User: g.bot.ID, Chance: 0.02},
		mattermosttest.Fault{What: mattermosttest.DropAfter, User: g.bot.ID, Chance: 0.02},
		mattermosttest.Fault{What: mattermosttest.Status, User: g.bot.ID, Chance: 0.02},
		mattermosttest.Fault{What: mattermosttest.StatusAfter, User: g.bot.ID, Chance: 0.02, Code: 502},
		mattermosttest.Fault{What: mattermosttest.TooMany, User: g.bot.ID, Chance: 0.02},
		mattermosttest.Fault{What: mattermosttest.EventLost, User: g.bot.ID, Chance: 0.01},
		mattermosttest.Fault{What: mattermosttest.EventTwice, User: g.bot.ID, Chance: 0.01},
	)
	written := map[string][]string{}
	answered := func() int {
		mu.Lock()
		defer mu.Unlock()
		n := 0
		for _, texts := range order {
			n += len(texts)
		}
		return n
	}
	for i := range posts {
		text := fmt.Sprintf("n%04d", i)
		if i < threads {
			p, err := ada.Post(g.ch.Id, text)
			if err != nil {
				t.Fatal(err)
			}
			roots = append(roots, p.Id)
		} else if _, err := ada.Reply(roots[i%threads], text); err != nil {
			t.Fatal(err)
		}
		written[roots[i%threads]] = append(written[roots[i%threads]], text)
		if i%(posts/cuts) == 7 {
			g.Cut(g.bot.ID)
		}
		if i%(posts/restarts) == 100 {
			g.Restart()
		}
		if i%(posts/(runs+1)) == posts/(runs+1)-1 && i < posts-1 {
			stop()
			begin()
		}
		// The relay must not lag all the time, so that gaps of all depths occur.
		if i%100 == 50 {
			g.WaitFor(t, "half", func() bool { return answered() >= i/2 })
		}
	}
	t.Log("answered when all was written:", answered())
	defer func() { t.Log("answered:", answered(), "calls:", g.Calls(g.bot.ID)) }()
	g.WaitFor(t, "all", func() bool { return answered() >= posts })
	t.Log("faults:", remove())
	mu.Lock()
	defer mu.Unlock()
	for _, root := range roots {
		if got, want := strings.Join(order[root], " "), strings.Join(written[root], " "); got != want {
			t.Errorf("a thread was delivered as\n%s, want\n%s", got, want)
		}
		count := map[string]int{}
		for _, p := range g.Thread(root) {
			count[p.Message]++
		}
		for _, text := range written[root] {
			if count["re "+text] != 1 {
				t.Errorf("%q was answered %d times", text, count["re "+text])
			}
		}
	}
}
