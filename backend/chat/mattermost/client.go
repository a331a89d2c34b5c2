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

// Client is the connection to one server with one account. Its methods may be called from
// anywhere, also before and after Run; they sign in when they need to.
type Client struct {
	cfg  Config
	base *url.URL
	http *http.Client
	tune tuning
	// gate lets few calls run at once, in the order in which they came.
	gate *semaphore.Weighted
	// quietUntil is when calls continue after the server wanted to be left alone (Unix ns);
	// ahead is what to add to our clock to have the server's (ns).
	quietUntil, ahead atomic.Int64

	status *status
	sends  *sends

	people, members *lru[chat.Person]
	rooms           *lru[chat.Channel]
	recent          *lru[chat.Post] // of posts, for reactions to them

	mu     sync.Mutex
	me     chat.Person
	limits chat.Limits
	// typing writes to the socket, while there is one.
	typing func(channelID, threadID string) error

	running atomic.Bool
	// inbox takes what comes from elsewhere than the socket: buttons. again and refresh
	// wake up Run.
	inbox          chan chat.Pressed
	again, refresh chan struct{}
	// expired has a token when the server refused the access token.
	expired chan struct{}
}

// tuning are times that tests shorten.
type tuning struct {
	// callTimeout is for one try; patience for all tries of a call.
	callTimeout, patience time.Duration
	retryFirst, retryMost time.Duration
	// pauseMost is for how long the server can have itself left alone.
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

// saveAfter is for how long the cursor may lag behind what was handled, while there is
// more to handle. It bounds what comes twice when Parley is killed.
const saveAfter = 100 * time.Millisecond

// New makes a client, and does nothing else yet. It fails with a fault when the address
// cannot be right.
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
		// A redirect would take the token elsewhere, or over http: the address is to be set
		// right instead.
		http:   &http.Client{Transport: rt, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		people: newLRU[chat.Person](2000, 10*time.Minute), members: newLRU[chat.Person](4000, 2*time.Minute),
		rooms: newLRU[chat.Channel](1000, 10*time.Minute), recent: newLRU[chat.Post](500, 0),
		limits: chat.Limits{Text: wire.MaxText, Files: maxFiles, FileBytes: 100 << 20},
		inbox:  make(chan chat.Pressed, 16), again: make(chan struct{}, 1), expired: make(chan struct{}, 1), refresh: make(chan struct{}, 1),
	}
	c.status = newStatus(base.String(), cfg.Changed)
	c.sends = newSends()
	return c, nil
}

// Close lets go of idle connections. The client can be used on.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Refresh has the channels looked at again: [Config.Hears] says others now.
func (c *Client) Refresh() { owner.Wake(c.refresh) }

// Retry has the next try to connect happen now, also when the server refused.
func (c *Client) Retry() { owner.Wake(c.again) }

// Me is the account; its ID is "" before it signed in for the first time.
func (c *Client) Me() chat.Person {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.me
}

// Limits are the usual ones before the server said its own.
func (c *Client) Limits() chat.Limits {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limits
}

// Connection says how it is.
func (c *Client) Connection() chat.Connection { return c.status.get() }

// Events are the newest things that happened to the connection, newest first, at most 200.
func (c *Client) Events() []Event { return c.status.events() }

// Link is the address of a post in a browser.
func (c *Client) Link(postID string) string {
	return c.base.String() + "/_redirect/pl/" + url.PathEscape(postID)
}

// signIn asks who the account is and what the server's limits are, once with fn being
// [Client.try] or [Client.do].
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
		c.sends.forget() // another account's keys are another's
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

// account is the id of the account.
func (c *Client) account(ctx context.Context) (string, error) {
	if me := c.Me(); me.ID != "" {
		return me.ID, nil
	}
	if _, _, err := c.signIn(ctx, c.do); err != nil {
		return "", err
	}
	return c.Me().ID, nil
}
