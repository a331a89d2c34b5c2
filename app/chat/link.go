package chat

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/app/chat/config"
	"parley/app/feature"
	"parley/backend/chat"
	"parley/backend/chat/mattermost"
	"parley/backend/chat/relay"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/fault"
)

const (
	// chatLook is how often the file is checked for changes.
	chatLook = 3 * time.Second
	// chatAgain is the delay before a retry after the keyring was unavailable, or the relay could
	// not start.
	chatAgain = config.KeyringAgain + 10*time.Second
	// chatCheck bounds the check of the configuration.
	chatCheck = time.Minute
)

// chatPath is where Mattermost calls the gateway for pressed buttons; package gateway has it, too.
const chatPath = "/chat/button"

// chatLink is a connection to Mattermost, with its relay.
type chatLink struct {
	key    chatKey
	client *mattermost.Client
	relay  *relay.Relay
	table  *command.Table
	cancel context.CancelFunc
	// over is closed when the client has ended. look triggers a check of the configuration.
	over, look chan struct{}
}

// lookAgain triggers a check of the configuration. It never blocks.
func (l *chatLink) lookAgain() {
	select {
	case l.look <- struct{}{}:
	default:
	}
}

// chatKey has the values a connection depends on: when they change, it is replaced.
type chatKey struct {
	url, token, callback string
	insecure             bool
}

// events are the client's events of the connection, newest first.
func (l *chatLink) events() []ChatEvent {
	var list []ChatEvent
	for _, e := range l.client.Events() {
		list = append(list, ChatEvent{At: e.At, Kind: e.Kind, Text: e.Text})
	}
	return list
}

// Start connects, if enabled. It does not wait for the server.
func (c *Service) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	c.tasks.Go(func() { c.own(ctx) })
	c.tasks.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-c.news:
				c.publishState(ctx)
			}
		}
	})
}

// Close ends the connection, and returns when everything has stopped. The next Parley does what is
// left to do.
func (c *Service) Close() {
	if c.cancel != nil {
		c.cancel()
	}
	c.tasks.Wait()
}

// own keeps the connection in line with the configuration until the end of ctx.
func (c *Service) own(ctx context.Context) {
	defer c.drop(chat.Connection{State: chatOff})
	look := time.NewTicker(chatLook)
	defer look.Stop()
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		case <-look.C:
			if !c.File.Look() {
				continue
			}
		case <-again.C:
		}
		if !c.arrange(ctx) {
			again.Reset(chatAgain)
		}
	}
}

// arrange adapts the connection to the configuration, and reports whether that succeeded.
func (c *Service) arrange(ctx context.Context) bool {
	decided := c.File.Holds()
	if !decided.Enabled {
		c.drop(chat.Connection{State: chatOff, Server: decided.URL, Since: time.Now().UnixMilli()})
		return true
	}
	idle := chat.Connection{State: chatRefused, Server: decided.URL, Since: time.Now().UnixMilli()}
	token, _, err := c.tokens.Of(ctx, decided.URL)
	switch {
	case ctx.Err() != nil:
		return true
	case err != nil && fault.CodeOf(err) != fault.Unauthorized:
		idle.State, idle.Reason, idle.RetryAt = chatWaiting, fault.MessageOf(err), time.Now().Add(chatAgain).UnixMilli()
		c.drop(idle)
		return false
	case err != nil:
		idle.Reason = fault.MessageOf(err)
		c.drop(idle)
		return true
	case token == "":
		idle.Reason = "There is no token for " + decided.URL + ". Enter one in the settings, or set it in " + feature.ChatToken + " and the address in " + feature.ChatURL + "."
		c.drop(idle)
		return true
	}
	key := chatKey{url: decided.URL, token: token, insecure: decided.AllowInsecure}
	if c.served {
		key.callback = decided.CallbackURL
	}
	if link := c.linked(); link != nil && link.key == key {
		link.client.Refresh()
		link.client.Retry()
		link.lookAgain()
		c.tell()
		return true
	}
	c.drop(chat.Connection{State: "connecting", Server: decided.URL, Since: time.Now().UnixMilli()})
	link, err := c.connect(ctx, key)
	if err != nil {
		idle.Reason = fault.MessageOf(err)
		if fault.CodeOf(err) == fault.Internal {
			c.log.Error("Couldn't connect to Mattermost", "err", err)
			idle.State, idle.RetryAt = chatWaiting, time.Now().Add(chatAgain).UnixMilli()
		}
		c.drop(idle)
		return idle.RetryAt == 0
	}
	c.mu.Lock()
	c.link = link
	c.mu.Unlock()
	c.tell()
	return true
}

// connect creates a connection and its relay.
func (c *Service) connect(ctx context.Context, key chatKey) (*chatLink, error) {
	c.listen(ctx)
	link := &chatLink{key: key, table: command.New(c.commands), over: make(chan struct{}), look: make(chan struct{}, 1)}
	connected := make(chan struct{}, 1)
	var err error
	link.client, err = mattermost.New(mattermost.Config{
		URL: key.url, AllowInsecure: key.insecure, Token: mattermost.Fixed(key.token), Cursors: c.cursors,
		Hears: c.hears, Callback: callbackOf(key), Logger: c.log,
		Changed: func(now chat.Connection) {
			if now.State == chatConnected {
				select {
				case connected <- struct{}{}:
				default:
				}
			}
			c.tell()
		},
	})
	if err != nil {
		return nil, err
	}
	link.relay = relay.New(relay.Config{
		Chat: link.client, Sessions: c.sessions, Desk: c.commands.Desk, Records: c.records, Trail: c.trail,
		Config: c.File.Holds, Commands: link.table, Buttons: func() bool { return key.callback != "" },
		Changed: c.tell, Happened: c.happened, Logger: c.log,
	})
	if err := link.relay.Start(ctx); err != nil {
		link.relay.Close()
		return nil, err
	}
	run, cancel := context.WithCancel(ctx)
	link.cancel = cancel
	c.tasks.Go(func() {
		defer close(link.over)
		if err := link.client.Run(run, link.relay.Handle); err != nil && run.Err() == nil {
			c.log.Error("Mattermost connection ended", "err", err)
		}
	})
	c.tasks.Go(func() {
		for {
			select {
			case <-link.over:
				return
			case <-connected:
				link.relay.Connected()
				link.lookAgain()
			}
		}
	})
	c.tasks.Go(func() { c.looks(run, link) })
	return link, nil
}

// hears reports whether a channel's posts are processed.
func (c *Service) hears(ch chat.Channel) bool {
	decided := c.File.Holds()
	switch ch.Kind {
	case chat.Direct, chat.Group:
		if decided.Direct != nil {
			return true
		}
	}
	c.mu.Lock()
	heard := c.heard
	c.mu.Unlock()
	return ch.ID == decided.MirrorChannelID || heard[ch.ID] ||
		slices.ContainsFunc(decided.Channels, func(m port.ChatMapping) bool { return m.ChannelID == ch.ID })
}

// listen records the channels that have threads with a session.
func (c *Service) listen(ctx context.Context) {
	heard := map[string]bool{}
	for _, t := range c.threads(ctx) {
		if t.SessionID != "" {
			heard[t.ChannelID] = true
		}
	}
	c.mu.Lock()
	same := maps.Equal(heard, c.heard)
	c.heard = heard
	link := c.link
	c.mu.Unlock()
	if !same && link != nil {
		link.client.Refresh()
	}
}

// callbackOf is how the Mattermost server reaches the gateway, nil for none. The secret is derived
// from the token and lives as long.
func callbackOf(key chatKey) *mattermost.Callback {
	if key.callback == "" {
		return nil
	}
	secret := hmac.New(sha256.New, []byte(key.token))
	secret.Write([]byte("parley buttons"))
	return &mattermost.Callback{URL: strings.TrimRight(key.callback, "/") + chatPath, Secret: secret.Sum(nil)}
}

// Button handles a Mattermost server's call for a button, and reports whether such calls are
// expected.
func (c *Service) Button(ctx context.Context, body []byte) (asked bool, err error) {
	link := c.linked()
	if link == nil || link.key.callback == "" {
		return false, nil
	}
	return true, link.client.Pressed(ctx, body)
}

// drop ends the connection, if there is one, and sets the state without it.
func (c *Service) drop(idle chat.Connection) {
	c.mu.Lock()
	link := c.link
	c.link = nil
	if link != nil || idle.State != c.idle.State || idle.Reason != c.idle.Reason || idle.Server != c.idle.Server {
		c.idle = idle
	}
	c.idle.RetryAt = idle.RetryAt
	c.troubles = nil
	c.mu.Unlock()
	if link != nil {
		link.cancel()
		<-link.over
		link.relay.Close()
		c.note(link.events()...)
	}
	c.tell()
}

// tell schedules publishing the state, which may have changed. It never blocks.
func (c *Service) tell() {
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// chatTold is the last published state.
type chatTold struct {
	state, revision            string
	mirrors, threads, troubles int
}

// publishState publishes the state if it has changed.
func (c *Service) publishState(ctx context.Context) {
	c.listen(ctx)
	now := chatTold{state: c.connection().State}
	now.mirrors, now.threads = c.count(ctx)
	_, now.revision, _ = c.File.Get()
	c.mu.Lock()
	now.troubles = len(c.troubles)
	same := now == c.told
	c.told = now
	c.mu.Unlock()
	if !same {
		c.publish(&event.ChatChanged{State: now.state, Mirrors: now.mirrors})
	}
}

// looks checks the configuration whenever requested, until the end of ctx. A new request cancels a
// running check, whose result would be stale.
func (c *Service) looks(ctx context.Context, link *chatLink) {
	end := func() {}
	var looking sync.WaitGroup
	defer looking.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-link.look:
		}
		end()
		looking.Wait()
		one, cancel := context.WithTimeout(ctx, chatCheck)
		end = cancel
		looking.Go(func() {
			defer cancel()
			c.check(one, link)
		})
	}
}

// check finds the parts of the configuration that the account can't use.
func (c *Service) check(ctx context.Context, link *chatLink) {
	if link.client.Connection().State != chatConnected {
		return
	}
	decided := c.File.Holds()
	var troubles []string
	for _, m := range decided.Channels {
		ch, err := link.client.Channel(ctx, m.ChannelID)
		switch {
		case errors.Is(err, chat.ErrGone) || errors.Is(err, chat.ErrForbidden):
			troubles = append(troubles, "Parley's account cannot see the channel "+m.Name+". Invite it, or choose another channel.")
		case err == nil && ch.Archived:
			troubles = append(troubles, "The channel "+m.Name+" is archived, so no one can post in it. Unarchive it, or choose another channel.")
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == link && !errors.Is(ctx.Err(), context.Canceled) {
		c.troubles = troubles
		c.tell()
	}
}

// chatFault converts an error from Mattermost to a fault for users. Faults are returned as they
// are.
func chatFault(err error) error {
	switch {
	case err == nil || fault.CodeOf(err) != fault.Internal:
		return err
	case errors.Is(err, chat.ErrGone):
		return fault.Wrap(err, fault.NotFound, "This no longer exists in Mattermost, or Parley's account cannot see it.")
	case errors.Is(err, chat.ErrForbidden):
		return fault.Wrap(err, fault.Forbidden, "Parley's account is not allowed to do this in Mattermost. Ask the server's administrator, or choose another channel.")
	case errors.Is(err, chat.ErrOffline), errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(err, fault.Unavailable, "Mattermost cannot be reached. Check the network and the server's address, then try again.")
	case errors.Is(err, chat.ErrTooLarge):
		return fault.Wrap(err, fault.TooLarge, "This is too large for Mattermost.")
	}
	return err
}
