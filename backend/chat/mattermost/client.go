package mattermost

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"parley/backend/chat/mattermost/wire"
	"parley/backend/owner"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
)

var _ port.Chat = (*Client)(nil)

// Client is the connection to one server with one account. Its methods may be called at
// any time, including before and after Run; they sign in on demand.
type Client struct {
	cfg  Config
	base *url.URL
	http *http.Client
	tune tuning
	// gate limits concurrent calls, in FIFO order.
	gate *semaphore.Weighted
	// quietUntil is when calls resume after the server's rate limit (Unix ns); ahead is how
	// far the server's clock is ahead of ours (ns).
	quietUntil, ahead atomic.Int64

	status *status
	sends  *sends

	people, members *lru[chat.Person]
	rooms           *lru[chat.Channel]
	recent          *lru[chat.Post] // for reactions to them

	mu     sync.Mutex
	me     chat.Person
	limits chat.Limits
	// typing writes to the socket while there is one.
	typing func(channelID, threadID string) error

	running atomic.Bool
	// inbox takes events from outside the socket: buttons. again and refresh wake Run.
	inbox          chan chat.ButtonPressed
	again, refresh chan struct{}
	// expired has a token if the server rejected the access token.
	expired chan struct{}
}

// tuning are times that tests shorten.
type tuning struct {
	// callTimeout is for one try; patience for all tries of a call.
	callTimeout, patience time.Duration
	retryFirst, retryMost time.Duration
	// pauseMost bounds the server's rate limit pause.
	pauseMost             time.Duration
	connectFirst          time.Duration
	connectMost           time.Duration
	refusedEvery          time.Duration
	pingEvery, silence    time.Duration
	handlerFirst          time.Duration
	handlerMost           time.Duration
	handleTimeout         time.Duration
	saveAfter, sweepAfter time.Duration
	overlap, reorder      time.Duration
}

func usual() tuning {
	return tuning{
		callTimeout: 15 * time.Second, patience: time.Minute,
		retryFirst: 250 * time.Millisecond, retryMost: 10 * time.Second, pauseMost: longestPause,
		connectFirst: 500 * time.Millisecond, connectMost: time.Minute,
		refusedEvery: 15 * time.Minute,
		pingEvery:    20 * time.Second, silence: 50 * time.Second,
		handlerFirst: 500 * time.Millisecond, handlerMost: time.Minute,
		handleTimeout: 2 * time.Minute,
		saveAfter:     saveAfter, sweepAfter: 15 * time.Second,
		overlap: 2 * time.Minute, reorder: 30 * time.Millisecond,
	}
}

// saveAfter is how long the saved cursor may lag behind while there is more to handle.
// It bounds what is delivered twice after a kill.
const saveAfter = 100 * time.Millisecond

// New returns a client without connecting. It fails with a fault if the address is
// invalid.
func New(cfg Config) (*Client, error) {
	base, err := ParseURL(cfg.URL, cfg.AllowInsecure)
	if err != nil {
		return nil, err
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	rt := cfg.Transport
	if rt == nil {
		rt = transport()
	}
	c := &Client{
		cfg: cfg, base: base, tune: usual(), gate: semaphore.NewWeighted(maxCalls),
		// A redirect would send the token elsewhere, or over http: the address must be
		// corrected instead.
		http:   &http.Client{Transport: rt, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		people: newLRU[chat.Person](2000, 10*time.Minute), members: newLRU[chat.Person](4000, 2*time.Minute),
		rooms: newLRU[chat.Channel](1000, 10*time.Minute), recent: newLRU[chat.Post](500, 0),
		limits: chat.Limits{Text: wire.MaxText, Files: maxFiles, FileBytes: 100 << 20},
		inbox:  make(chan chat.ButtonPressed, 16), again: make(chan struct{}, 1), expired: make(chan struct{}, 1), refresh: make(chan struct{}, 1),
	}
	c.status = newStatus(base.String(), cfg.Changed)
	c.sends = newSends()
	return c, nil
}

// Close closes idle connections. The client can still be used.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Refresh rereads the channels: [Config.Hears] has changed.
func (c *Client) Refresh() { owner.Wake(c.refresh) }

// Retry retries the connection now, even if the server refused.
func (c *Client) Retry() { owner.Wake(c.again) }

// Me returns the account; its ID is "" before the first sign-in.
func (c *Client) Me() chat.Person {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.me
}

// Limits returns defaults until the server has reported its own.
func (c *Client) Limits() chat.Limits {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limits
}

// Connection returns the state of the connection.
func (c *Client) Connection() chat.Connection { return c.status.get() }

// Events returns the newest connection events, newest first, at most 200.
func (c *Client) Events() []Event { return c.status.events() }

// Link returns the address of a post in a browser.
func (c *Client) Link(postID string) string {
	return c.base.String() + "/_redirect/pl/" + url.PathEscape(postID)
}

// signIn loads the account and the server's limits; fn is [Client.try] or
// [Client.do].
func (c *Client) signIn(ctx context.Context, fn func(context.Context, call, any) error) (*wire.User, string, error) {
	var u wire.User
	if err := fn(ctx, call{method: http.MethodGet, path: "/users/me"}, &u); err != nil {
		return nil, "", err
	}
	if !wire.IsID(u.ID) {
		return nil, "", &failure{text: "what answered is not a Mattermost server", kind: chat.ErrOffline, address: true}
	}
	conf := map[string]any{}
	if err := fn(ctx, call{method: http.MethodGet, path: "/config/client", query: url.Values{"format": {"old"}}}, &conf); err != nil {
		return nil, "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.me.ID != u.ID {
		c.sends.forget() // keys are per account
	}
	c.me = person(&u)
	if n := number(conf["MaxPostSize"]); n >= 4000 && n <= 1<<20 {
		c.limits.Text = int(n)
	}
	if n := number(conf["MaxFileSize"]); n > 0 {
		c.limits.FileBytes = n
	}
	c.limits.EditFor = time.Duration(min(max(number(conf["PostEditTimeLimit"]), 0), 1<<30)) * time.Second
	version, _ := conf["Version"].(string)
	return &u, hide(version, ""), nil
}

func number(v any) int64 {
	s, _ := v.(string)
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// account returns the account's id.
func (c *Client) account(ctx context.Context) (string, error) {
	if me := c.Me(); me.ID != "" {
		return me.ID, nil
	}
	if _, _, err := c.signIn(ctx, c.do); err != nil {
		return "", err
	}
	return c.Me().ID, nil
}
