package mattermost

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/mattermost/mattermosttest"
)

// A server keeps the socket of a revoked token and answers its pings: it is detected
// anyway, by missing replies or by any call, and reported. With another token nothing is
// missing.
func TestTokenTakenBack(t *testing.T) {
	for name, notice := range map[string]func(*rig, *Client){
		"by the socket": func(_ *rig, c *Client) {},
		"by a call": func(g *rig, c *Client) {
			if _, err := c.Post(g.Context(), g.ch.Id); !errors.Is(err, chat.ErrOffline) {
				g.Errorf("the call: %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newRig(t, mattermosttest.Options{})
			var token atomic.Value
			token.Store(g.bot.Token)
			c := g.client(func(cfg *Config) {
				cfg.Token = func(context.Context) (string, error) { return token.Load().(string), nil }
			})
			if name == "by a call" {
				c.tune.pingEvery, c.tune.silence = time.Hour, time.Hour
			}
			g.run(c)
			g.hello()
			g.Revoke(g.bot.Token)
			g.As(g.ada.ID).Post(g.ch.Id, "while it is deaf")
			notice(g, c)
			g.WaitFor(t, "the refusal", func() bool { return c.Connection().State == "refused" && c.Connection().Reason != "" })
			token.Store(g.NewToken(g.bot.ID))
			c.Retry()
			g.expect("post while it is deaf")
			g.settled()
		})
	}
}

func TestAccountThatIsDisabled(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	c, _ := g.begin()
	g.Deactivate(g.bot.ID)
	g.WaitFor(t, "the refusal", func() bool { return c.Connection().State == "refused" })
}

// The server says how long a post may be edited.
func TestEditLimit(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{0: 0, 8 * time.Second: 8 * time.Second} {
		g := newRig(t, mattermosttest.Options{EditLimit: limit})
		c, _ := g.begin()
		if got := c.Limits().EditFor; got != want {
			t.Errorf("%v: %v", want, got)
		}
	}
}
