package relay

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/ask"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
	"parley/backend/event"
	"parley/backend/tmux"
)

const (
	// MaxThreads is how many threads are remembered.
	MaxThreads = 2000
	// callLimit bounds one call to a session, commandLimit a command.
	callLimit    = 30 * time.Second
	commandLimit = 90 * time.Second
	// idleAfter is how long an idle stream is kept, idleEvery the interval of the
	// check.
	idleAfter = time.Minute
	idleEvery = 20 * time.Second
	// closeLimit bounds how long Close lets streams finish posting.
	closeLimit = 2 * time.Second
)

// Config configures a relay. All fields are required unless noted.
type Config struct {
	Chat     port.Chat
	Sessions port.Sessions
	Desk     port.RequestQueue
	Records  port.Records
	Trail    port.AuditLog
	// Config returns the current configuration. It must return quickly.
	Config func() port.ChatConfig
	// Commands is the table of commands.
	Commands Commands
	// Buttons reports whether the chat server can call back; nil is never.
	Buttons func() bool
	// Changed is called from any goroutine when mirrors or threads have changed. It may be
	// nil, and must return quickly.
	Changed func()
	// Happened receives the activity in threads for display: never the text of a post. It
	// may be nil, and must return quickly.
	Happened func(Activity)
	Logger   *slog.Logger

	// Gate, Asks and Streams are created here if nil.
	Gate    Gate
	Asks    Requests
	Streams func(post.Config) Stream
}

// Commands are the commands typed after "!"; [command.Table] implements it.
type Commands interface {
	Need(c command.Call) port.ChatRole
	Run(ctx context.Context, c command.Call, in command.In) (command.Reply, error)
	Reaction(postID, emoji string) (command.Call, bool)
	Shown(postID string, s tmux.Screen)
}

// Gate decides who may do what; [access.Gate] implements it.
type Gate interface{ ask.Gate }

// Requests are the questions shown in threads; [ask.Manager] implements it.
type Requests interface {
	Run(ctx context.Context)
	Opened(ctx context.Context, t port.Thread, q port.Request)
	Resolved(ctx context.Context, requestID string, e event.PermissionResolved)
	Restored(ctx context.Context, t port.Thread)
	Forget(ctx context.Context, threadID string)
	Wake()
	Reacted(ctx context.Context, r chat.ReactionAdded, by chat.Person) bool
	Unreacted(ctx context.Context, r chat.ReactionRemoved, by chat.Person) bool
	Replied(ctx context.Context, t port.Thread, p chat.Post, by chat.Person) bool
	Pressed(ctx context.Context, p chat.ButtonPressed, by chat.Person) bool
	Deleted(ctx context.Context, d chat.Deleted) bool
	Open(threadID string) int
}

// Stream shows a session's turns in a thread; [post.Stream] implements it.
type Stream interface {
	Take(e event.Event)
	Set(s event.Session, h event.History)
	Wake()
	Idle() bool
	Close(ctx context.Context) error
}

// Activity is an event in a thread.
type Activity struct {
	// Kind is "prompt", "command", "answer", "refused", "mirror" or "problem".
	Kind string
	// Text is a sentence. By is the actor, "" for none; SessionID "" for none.
	Text, By, SessionID string
}

// Relay connects sessions to threads. Its methods may be called from any goroutine
// between Start and Close.
type Relay struct {
	cfg  Config
	gate Gate
	asks Requests

	ctx    context.Context //nolint:containedctx // of the lanes, which Close ends
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	// mu guards the fields below. Only a thread's mu may be locked while holding
	// it.
	mu      sync.Mutex
	closed  bool
	threads map[string]*thread
	// shown are the threads that show sessions, by session.
	shown map[string]*thread
	// looked are sessions known not to be mirrored automatically.
	looked map[string]bool
	// pointed is when the hint that Parley doesn't listen was last posted, by channel.
	pointed map[string]time.Time
	// repairing is true while missed events are being recovered, laps counts the
	// requests for it.
	repairing bool
	laps      int
}

// New returns a relay; Start starts it.
func New(c Config) *Relay {
	r := &Relay{cfg: c, gate: c.Gate, asks: c.Asks, threads: map[string]*thread{}, shown: map[string]*thread{}, looked: map[string]bool{}, pointed: map[string]time.Time{}}
	if r.gate == nil {
		r.gate = access.New(access.Config{Config: c.Config, Chat: c.Chat, Trail: c.Trail})
	}
	if r.asks == nil {
		r.asks = ask.New(ask.Config{
			Chat: c.Chat, Desk: c.Desk, Gate: r.gate, Keep: r.keepAsk, Root: r.Root, Calls: r.calls, Buttons: c.Buttons, Logger: c.Logger,
			Answered: func(by chat.Person, sessionID, text string) { r.happened("answer", text, by, sessionID) },
		})
	}
	if r.cfg.Streams == nil {
		r.cfg.Streams = func(c post.Config) Stream { return post.NewStream(c) }
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Start loads the stored threads, subscribes to session events, and continues where an
// earlier relay left off. Close stops it.
func (r *Relay) Start(ctx context.Context) error {
	records, err := r.cfg.Records.Threads(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(records, func(a, b port.Thread) int { return cmp.Compare(a.UsedAt, b.UsedAt) })
	found := make([]*thread, 0, len(records))
	r.mu.Lock()
	for i := range records {
		t := newThread(r, records[i])
		t.found, t.ended, t.missed = len(records[i].Sent) > 0, unheard, true
		r.threads[t.id] = t
		if t.shows() {
			r.shown[t.rec.SessionID] = t // of several, the most recently used
		}
		found = append(found, t)
	}
	r.mu.Unlock()
	r.start(func() { r.asks.Run(r.ctx) })
	r.start(func() { r.cfg.Sessions.Subscribe(r.ctx, r.observe, r.lagged) })
	r.start(r.closeIdleStreams)
	r.lagged()
	for _, t := range found {
		if t.hasWork() {
			t.posts.stir()
			t.presses.stir()
		}
	}
	return nil
}

// Close stops the relay and returns when everything has ended. Unfinished work is left
// to the next one.
func (r *Relay) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.tasks.Wait()
	r.mu.Lock()
	threads := r.all()
	r.mu.Unlock()
	// Now nobody feeds or starts streams.
	limited, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	var streams sync.WaitGroup
	for _, t := range threads {
		streams.Go(func() {
			if s := t.takeStream(); s != nil {
				_ = s.Close(limited) // the next one's Set posts what is missing
			}
			if err := t.noteKept(limited); err != nil {
				r.cfg.Logger.Warn("Couldn't save what a thread shows", "thread", t.id, "err", err)
			}
		})
	}
	streams.Wait()
}

// start starts a goroutine that Close waits for, and reports whether it did.
func (r *Relay) start(fn func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.tasks.Go(fn)
	return true
}

// all returns the threads. The caller holds mu.
func (r *Relay) all() []*thread {
	list := make([]*thread, 0, len(r.threads))
	for _, t := range r.threads {
		list = append(list, t)
	}
	return list
}

// thread finds a thread, nil if unknown.
func (r *Relay) thread(id string) *thread {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.threads[id]
}

// showing finds the thread that shows a session, nil for none.
func (r *Relay) showing(sessionID string) *thread {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shown[sessionID]
}

// obtain finds a thread, or creates an unstored one.
func (r *Relay) obtain(id, channelID string, flat bool, folder string) *thread {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.threads[id]
	if t == nil {
		now := time.Now().UnixMilli()
		t = newThread(r, port.Thread{ID: id, ChannelID: channelID, Flat: flat, Folder: folder, CreatedAt: now, UsedAt: now, Since: now})
		r.threads[id] = t
	}
	return t
}

// show makes a thread the one that shows its session, or no longer shows it: then
// another thread that has it takes over.
func (r *Relay) show(t *thread) {
	var over []*thread
	r.mu.Lock()
	is := ""
	if t.shows() {
		is = t.record().SessionID
		r.shown[is] = t
	}
	for id, other := range r.shown {
		if other != t || id == is {
			continue
		}
		delete(r.shown, id)
		for _, next := range r.threads {
			if next != t && next.record().SessionID == id && next.shows() {
				r.shown[id] = next
				over = append(over, next)
				break
			}
		}
	}
	r.mu.Unlock()
	for _, next := range over {
		next.feeding.Lock()
		next.missed = true
		next.feeding.Unlock()
	}
	if len(over) > 0 {
		r.repair()
	}
	if r.cfg.Changed != nil {
		r.cfg.Changed()
	}
}

// Threads returns all threads with a session, most recently used first.
func (r *Relay) Threads() []port.Thread {
	r.mu.Lock()
	threads := r.all()
	r.mu.Unlock()
	list := make([]port.Thread, 0, len(threads))
	for _, t := range threads {
		if rec := t.record(); rec.SessionID != "" {
			list = append(list, rec)
		}
	}
	slices.SortFunc(list, func(a, b port.Thread) int {
		return cmp.Or(cmp.Compare(b.UsedAt, a.UsedAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Thread returns the thread that shows, or showed, a session.
func (r *Relay) Thread(sessionID string) (port.Thread, bool) {
	if t := r.showing(sessionID); t != nil {
		return t.record(), true
	}
	for _, rec := range r.Threads() {
		if rec.SessionID == sessionID && !rec.Run {
			return rec, true
		}
	}
	return port.Thread{}, false
}

// Connected tells the relay that the chat is reachable again: failed posts are retried
// at once.
func (r *Relay) Connected() {
	r.asks.Wake()
	r.mu.Lock()
	threads := r.all()
	r.mu.Unlock()
	for _, t := range threads {
		t.wake()
	}
}

// happened reports activity.
func (r *Relay) happened(kind, text string, by chat.Person, sessionID string) {
	if r.cfg.Happened != nil {
		r.cfg.Happened(Activity{Kind: kind, Text: text, By: by.Name, SessionID: sessionID})
	}
}

// keepAsk stores which post a question has.
func (r *Relay) keepAsk(ctx context.Context, threadID, name, postID string) error {
	t := r.thread(threadID)
	if t == nil {
		return nil // it was dropped, with its questions
	}
	return t.change(ctx, func(rec *port.Thread) error {
		setPost(rec, name, postID)
		return nil
	})
}

// maxBare is how many threads without a session are remembered.
const maxBare = 200

// makeRoom drops threads if there are too many: first those without a session, so that
// people without rights can't evict others.
func (r *Relay) makeRoom(ctx context.Context) {
	r.mu.Lock()
	all := r.all()
	r.mu.Unlock()
	if len(all) < maxBare {
		return
	}
	var bares, rest []*thread
	for _, t := range all {
		rec := t.record()
		switch {
		case bare(&rec):
			bares = append(bares, t)
		case len(rec.Inbox)+len(rec.Waiting)+len(rec.Sent) == 0:
			rest = append(rest, t)
		}
	}
	used := func(a, b *thread) int { return cmp.Compare(a.record().UsedAt, b.record().UsedAt) }
	slices.SortFunc(bares, used)
	slices.SortFunc(rest, used)
	forget := bares[:max(0, len(bares)-maxBare)]
	if over := len(all) - len(forget) - MaxThreads; over > 0 {
		forget = append(slices.Clone(forget), rest[:min(over, len(rest))]...)
	}
	for _, t := range forget {
		if err := r.forget(ctx, t, true); err != nil && !errors.Is(err, errFull) {
			r.cfg.Logger.Warn("Couldn't delete the record of a thread", "thread", t.id, "err", err)
			return
		}
	}
}
