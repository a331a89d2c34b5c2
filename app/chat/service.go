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

// Service is the service behind chat.* and session.mirror: what was decided about the team
// chat, and the connection that follows it.
//
// Goroutines, from Start to Close: one owns the connection, one says how it is, and for
// each connection there is one in which the client runs, one that hears that it is there,
// and one that has what was decided looked at, with one that does so. Those of the relay
// are its own.
type Service struct {
	File     *config.File
	tokens   *config.Tokens
	sessions port.Sessions
	trail    port.Trail
	records  port.Records
	cursors  mattermost.Cursors
	commands command.Ports
	// title is a session's title, "" when there is none.
	title func(ctx context.Context, sessionID string) string
	// served is true where a gateway can be called by the chat's server.
	served  bool
	publish func(event.Event)
	log     *slog.Logger

	cancel context.CancelFunc
	tasks  sync.WaitGroup
	// wake has the connection follow what was decided, news has it said how it is.
	wake, news chan struct{}

	// asking is held while a token is kept: then one that was just kept is not taken for
	// another person's.
	asking sync.Mutex

	mu sync.Mutex
	// link is the connection, nil while there is none; idle says why then.
	link *chatLink
	idle chat.Connection
	// lately are things that happened, newest last.
	lately []ChatEvent
	// troubles are what of the configuration the account cannot use, as it was seen when
	// it connected.
	troubles []string
	// told is what was said last.
	told chatTold
	// heard are the channels in which threads are that have a session. The map is never
	// changed.
	heard map[string]bool
}

// Several says whether more people than one can write to a session by way of the chat:
// everywhere but in a direct message.
func (c *Service) Several(ctx context.Context, sessionID string) bool {
	link := c.linked()
	s, err := c.sessions.Get(ctx, sessionID)
	if link == nil || err != nil || s.Mirror == nil || s.Mirror.ChannelID == "" {
		return true
	}
	ch, err := link.client.Channel(ctx, s.Mirror.ChannelID)
	return err != nil || ch.Kind != chat.Direct
}

// States of a connection, beyond which the client's own.
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
	// chatCall bounds what a user waits for the chat's server.
	chatCall = 20 * time.Second
)

// Get is chat.get.
func (c *Service) Get(ctx context.Context, _ feature.Empty) (ChatState, error) {
	if c.File.Look() {
		c.Follow()
	}
	decided, revision, problem := c.File.Get()
	if decided.URL == "" {
		decided.URL = c.tokens.Address()
	}
	state := ChatState{Config: decided, Revision: revision, Problems: []string{}, Wide: feature.List(access.Wide(decided))}
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
	state.Problems = append(state.Problems, access.Useless(decided)...)
	c.mu.Lock()
	defer c.mu.Unlock()
	state.Problems = append(state.Problems, c.troubles...)
	return state, nil
}

// Problems are what there may be wrong with it.
func (c *Service) Problems() problem.Looks {
	return problem.Looks{problem.ChatUnread: c.unread}
}

// unread says that the file cannot be used, if that is so now.
func (c *Service) unread() (p problem.Problem, wrong bool) {
	if c.File.Look() {
		c.Follow()
	}
	return c.File.Unread()
}

// folderProblems are about folders that sessions cannot begin in.
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

// connection is how it is with the connection.
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

// threads are those that have a session, or will, those used last first.
func (c *Service) threads(ctx context.Context) []port.Thread {
	if link := c.linked(); link != nil {
		return link.relay.Threads()
	}
	list, err := c.records.Threads(ctx)
	if err != nil {
		c.log.Warn("The threads of the chat cannot be read", "err", err)
	}
	slices.SortFunc(list, func(a, b port.Thread) int { return cmp.Compare(b.UsedAt, a.UsedAt) })
	return list
}

func (c *Service) linked() *chatLink {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link
}

// SayWrong says in the threads of sessions that work what is wrong with Parley.
func (c *Service) SayWrong(key, text string) {
	if link := c.linked(); link != nil {
		link.relay.Tell(key, text)
	}
}

// live is the connection, or a fault that says why there is none.
func (c *Service) live() (*chatLink, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != nil {
		return c.link, nil
	}
	return nil, fault.New(fault.Unavailable, "%s", cmp.Or(c.idle.Reason, "No chat is connected. Connect one in the settings."))
}

// Set is chat.set.
func (c *Service) Set(ctx context.Context, p ChatSetParams) (ChatState, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	if p.Token != nil {
		if err := config.CheckToken(*p.Token); err != nil {
			return ChatState{}, err
		}
		if _, revision, _ := c.File.Get(); revision != p.Revision { // before anything is kept
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

// Follow has the connection follow what was decided.
func (c *Service) Follow() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Events is chat.events.
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

// happened notes something that happened in the threads.
func (c *Service) happened(h relay.Happening) {
	c.note(ChatEvent{At: time.Now().UnixMilli(), Kind: h.Kind, Text: h.Text, By: h.By, SessionID: h.SessionID})
}

func (c *Service) note(list ...ChatEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lately = append(c.lately, list...)
	c.lately = slices.Delete(c.lately, 0, max(0, len(c.lately)-maxChatEvents))
}

// Threads is chat.threads.
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

// channelName is what a channel was called when it was chosen.
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
