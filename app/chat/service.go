package chat

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"parley/app/chat/config"
	"parley/app/feature"
	"parley/backend/chat"
	"parley/backend/chat/mattermost"
	"parley/backend/chat/relay"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/problem"
)

// Service implements chat.* and session.mirror: the Mattermost configuration, and the connection
// that follows it.
//
// Goroutines, from Start to Close: one owns the connection, one publishes its state, and
// each connection has one that runs the client, one that waits until it is up, and one
// that triggers checks of the configuration, with one that runs them. The relay's are
// listed there.
type Service struct {
	File     *config.File
	tokens   *config.Tokens
	sessions port.Sessions
	trail    port.AuditLog
	records  port.Records
	cursors  mattermost.Cursors
	commands command.Ports
	// title is a session's title, "" when there is none.
	title func(ctx context.Context, sessionID string) string
	// served is true if the Mattermost server can call a gateway.
	served  bool
	publish func(event.Event)
	log     *slog.Logger

	cancel context.CancelFunc
	tasks  sync.WaitGroup
	// wake adapts the connection to the configuration, news triggers publishing its state.
	wake, news chan struct{}

	// asking is held while a token is stored, so that a token just stored is not taken for another
	// user's.
	asking sync.Mutex

	mu sync.Mutex
	// link is the connection, nil if there is none; idle is the reason then.
	link *chatLink
	idle chat.Connection
	// lately are recent events, newest last.
	lately []ChatEvent
	// troubles are the parts of the configuration that the account can't use, as checked on
	// connecting.
	troubles []string
	// told is the last published state.
	told chatTold
	// heard are the channels that have threads with a session. The map is never modified.
	heard map[string]bool
}

// Several reports whether more than one person can write to a session through Mattermost:
// everywhere except in a direct message.
func (c *Service) Several(ctx context.Context, sessionID string) bool {
	link := c.linked()
	s, err := c.sessions.Get(ctx, sessionID)
	if link == nil || err != nil || s.Mirror == nil || s.Mirror.ChannelID == "" {
		return true
	}
	ch, err := link.client.Channel(ctx, s.Mirror.ChannelID)
	return err != nil || ch.Kind != chat.Direct
}

// States of a connection besides the client's own.
const (
	chatOff       = "off"
	chatWaiting   = "waiting"
	chatRefused   = "refused"
	chatConnected = "connected"
)

const (
	maxChatEvents                = 200
	chatEventPage                = 50
	chatThreadPage, maxChatPage  = 50, 100
	maxChatQuery, maxChatChannel = 200, 64
	// chatCall bounds how long a user waits for the Mattermost server.
	chatCall = 20 * time.Second
)

// Get is mattermost.get.
func (c *Service) Get(ctx context.Context, _ feature.Empty) (ChatState, error) {
	if c.File.Look() {
		c.Follow()
	}
	decided, revision, problem := c.File.Get()
	if decided.URL == "" {
		decided.URL = c.tokens.Address()
	}
	state := ChatState{Config: decided, Revision: revision, Problems: []string{}, Wide: feature.List(access.BroadGrants(decided))}
	if problem != nil {
		state.Problems = append(state.Problems, fault.MessageOf(problem))
	}
	_, from, err := c.tokens.Of(ctx, decided.URL)
	if state.Token = from; err != nil {
		state.Problems = append(state.Problems, fault.MessageOf(err))
	}
	state.Connection = c.connection()
	state.Mirrors, state.Threads = c.count(ctx)
	state.Problems = append(state.Problems, folderProblems(decided)...)
	state.Problems = append(state.Problems, access.IneffectiveGrants(decided)...)
	c.mu.Lock()
	defer c.mu.Unlock()
	state.Problems = append(state.Problems, c.troubles...)
	return state, nil
}

// Problems are the chat's possible problems.
func (c *Service) Problems() problem.Looks {
	return problem.Looks{problem.ChatUnread: c.unread}
}

// unread reports that the file is currently unusable.
func (c *Service) unread() (p problem.Problem, wrong bool) {
	if c.File.Look() {
		c.Follow()
	}
	return c.File.Unread()
}

// folderProblems reports folders that sessions can't start in.
func folderProblems(decided port.ChatConfig) []string {
	var list []string
	look := func(what, folder string) {
		if info, err := os.Stat(folder); folder != "" && (err != nil || !info.IsDir()) {
			list = append(list, "The folder "+folder+" of "+what+" does not exist, so no session can start there.")
		}
	}
	for _, m := range decided.Channels {
		look("the channel "+cmp.Or(m.Name, m.ChannelID), m.Folder)
	}
	if decided.Direct != nil {
		look("direct messages", decided.Direct.Folder)
	}
	return list
}

// connection is the state of the connection.
func (c *Service) connection() chat.Connection {
	c.mu.Lock()
	link, idle := c.link, c.idle
	c.mu.Unlock()
	if link == nil {
		return idle
	}
	return link.client.Connection()
}

// count counts mirrors and threads.
func (c *Service) count(ctx context.Context) (mirrors, threads int) {
	for _, t := range c.threads(ctx) {
		if t.SessionID == "" {
			continue
		}
		threads++
		if !t.Paused && !t.Run {
			mirrors++
		}
	}
	return mirrors, threads
}

// threads are those that have or will have a session, most recently used first.
func (c *Service) threads(ctx context.Context) []port.Thread {
	if link := c.linked(); link != nil {
		return link.relay.Threads()
	}
	list, err := c.records.Threads(ctx)
	if err != nil {
		c.log.Warn("Couldn't read the Mattermost threads", "err", err)
	}
	slices.SortFunc(list, func(a, b port.Thread) int { return cmp.Compare(b.UsedAt, a.UsedAt) })
	return list
}

func (c *Service) linked() *chatLink {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link
}

// SayWrong posts a problem of Parley in the threads of working sessions.
func (c *Service) SayWrong(key, text string) {
	if link := c.linked(); link != nil {
		link.relay.Tell(key, text)
	}
}

// live returns the connection, or a fault that says why there is none.
func (c *Service) live() (*chatLink, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != nil {
		return c.link, nil
	}
	return nil, fault.New(fault.Unavailable, "%s", cmp.Or(c.idle.Reason, "Mattermost is not connected. Connect it in Settings."))
}

// Set is mattermost.set.
func (c *Service) Set(ctx context.Context, p ChatSetParams) (ChatState, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	if p.Token != nil {
		if err := config.CheckToken(*p.Token); err != nil {
			return ChatState{}, err
		}
		if _, revision, _ := c.File.Get(); revision != p.Revision { // before anything is stored
			return ChatState{}, c.File.Set(p.Config, p.Revision)
		}
		if err := c.tokens.Keep(ctx, p.Config.URL, *p.Token); err != nil {
			return ChatState{}, err
		}
	}
	if err := c.File.Set(p.Config, p.Revision); err != nil {
		return ChatState{}, err
	}
	c.Follow()
	return c.Get(ctx, feature.Empty{})
}

// Follow adapts the connection to the configuration.
func (c *Service) Follow() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Events is mattermost.events.
func (c *Service) Events(_ context.Context, p ChatEventsParams) (ChatEvents, error) {
	limit := cmp.Or(p.Limit, chatEventPage)
	if limit < 1 || limit > maxChatEvents {
		return ChatEvents{}, fault.New(fault.Invalid, "limit must be 1 to %d.", maxChatEvents)
	}
	c.mu.Lock()
	list := slices.Clone(c.lately)
	link := c.link
	c.mu.Unlock()
	if link != nil {
		list = append(list, link.events()...)
	}
	slices.SortStableFunc(list, func(a, b ChatEvent) int { return cmp.Compare(b.At, a.At) })
	return ChatEvents{Events: feature.List(list[:min(len(list), limit)])}, nil
}

// happened records an event in the threads.
func (c *Service) happened(h relay.Activity) {
	c.note(ChatEvent{At: time.Now().UnixMilli(), Kind: h.Kind, Text: h.Text, By: h.By, SessionID: h.SessionID})
}

func (c *Service) note(list ...ChatEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lately = append(c.lately, list...)
	c.lately = slices.Delete(c.lately, 0, max(0, len(c.lately)-maxChatEvents))
}

// Threads is mattermost.threads.
func (c *Service) Threads(ctx context.Context, p ChatThreadsParams) (ChatThreads, error) {
	limit := cmp.Or(p.Limit, chatThreadPage)
	if limit < 1 || limit > maxChatPage || p.Offset < 0 {
		return ChatThreads{}, fault.New(fault.Invalid, "limit must be 1 to %d and offset 0 or more.", maxChatPage)
	}
	all := slices.DeleteFunc(slices.Clone(c.threads(ctx)), func(t port.Thread) bool { return t.SessionID == "" })
	page := ChatThreads{Threads: []ChatThread{}, Total: len(all)}
	link := c.linked()
	for _, t := range all[min(p.Offset, len(all)):min(p.Offset+limit, len(all))] {
		one := ChatThread{
			ThreadID: t.ID, ChannelID: t.ChannelID, Channel: c.channelName(t.ChannelID), SessionID: t.SessionID,
			Title: c.title(ctx, t.SessionID), Mirror: t.Mirror, Paused: t.Paused, UsedAt: t.UsedAt,
		}
		if s, err := c.sessions.Get(ctx, t.SessionID); err == nil && s.Mirror != nil && s.Mirror.ThreadID == t.ID {
			one.Channel, one.Link = cmp.Or(s.Mirror.Channel, one.Channel), s.Mirror.Link
		}
		if link != nil && one.Link == "" {
			one.Link = link.client.Link(t.ID)
		}
		page.Threads = append(page.Threads, one)
	}
	return page, nil
}

// channelName is a channel's name when it was configured.
func (c *Service) channelName(id string) string {
	for _, m := range c.File.Holds().Channels {
		if m.ChannelID == id {
			return m.Name
		}
	}
	return ""
}

// Mirror is session.mirror.
func (c *Service) Mirror(ctx context.Context, p SessionMirrorParams) (event.Mirror, error) {
	if len(p.ChannelID) > maxChatChannel {
		return event.Mirror{}, fault.New(fault.Invalid, "Choose a channel (parameter channelId).")
	}
	if _, err := c.sessions.Get(ctx, p.SessionID); err != nil {
		return event.Mirror{}, err
	}
	link, err := c.live()
	if err != nil {
		return event.Mirror{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, chatCall)
	defer cancel()
	if p.On {
		m, err := link.relay.MirrorOn(ctx, p.SessionID, p.ChannelID)
		return m, chatFault(err)
	}
	m, err := link.relay.MirrorOff(ctx, p.SessionID)
	return m, chatFault(err)
}
