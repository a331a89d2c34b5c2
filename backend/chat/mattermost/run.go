package mattermost

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"parley/backend/chat/mattermost/wire"

	"parley/backend/chat"
)

// maxRooms is how many channels are followed.
const maxRooms = 2000

// ErrRunning means that Run is already running.
var ErrRunning = errors.New("mattermost: it runs already")

// run is one call of [Client.Run]. The calling goroutine owns its state.
type run struct {
	*Client
	ctx context.Context
	// me is the account of these rooms.
	me    string
	rooms map[string]*room
	// deaf are channels that aren't followed; strange are unknown ones, with the time of
	// their first event.
	deaf    map[string]bool
	strange map[string]int64
	// listed is when the channels were last listed (server time, 0 for never); first is
	// true until they were listed in this run.
	listed int64
	first  bool
	relist bool
	lanes  *lanes
	// told are keys of recently handled events, against repetitions by servers whose
	// clocks went back.
	told *lru[struct{}]
	// threads maps posts to threads, to keep reactions in order with their thread.
	threads *lru[string]

	online                bool
	sweepAt, listAt       time.Time
	listFails             int
	busy, fetching        bool
	current               *lane
	dirty                 map[*room]bool
	listedDirty           bool
	saveFailed            bool
	dirtySince, saveAfter time.Time

	heard   chan any // up, heard or down
	jobs    chan func() any
	results chan any
	work    chan *item
	done    chan error
	handle  func(context.Context, chat.Incoming) error
}

// Messages on run.heard in addition to heard.
type (
	up   struct{ me string }
	down struct{}
)

// Run keeps the connection and passes every event to handle, one at a time, in order
// within each thread, until ctx ends; then it returns nil. What handle refuses with an
// error is redelivered after a delay, and so is what it didn't finish in two minutes.
// Only one call may run at a time.
func (c *Client) Run(ctx context.Context, handle func(context.Context, chat.Incoming) error) error {
	if c.cfg.Cursors == nil {
		return errors.New("mattermost: cursors are required")
	}
	if !c.running.CompareAndSwap(false, true) {
		return ErrRunning
	}
	defer c.running.Store(false)
	ctx, cancel := context.WithCancel(ctx)
	r := c.newRun(ctx, handle)
	var wg sync.WaitGroup
	wg.Go(r.keep)
	wg.Go(r.fetcher)
	wg.Go(r.worker)
	r.own()
	cancel()
	wg.Wait()
	c.status.set(func(s *chat.Connection) { s.State, s.Reason, s.RetryAt = "off", "", 0 })
	return nil
}

func (c *Client) newRun(ctx context.Context, handle func(context.Context, chat.Incoming) error) *run {
	r := &run{
		Client: c, ctx: ctx, handle: handle, lanes: newLanes(),
		told: newLRU[struct{}](8192, 0), threads: newLRU[string](8192, 0),
		heard: make(chan any, 256), jobs: make(chan func() any), results: make(chan any),
		work: make(chan *item), done: make(chan error),
	}
	r.forget("")
	return r
}

// forget starts over with an account.
func (r *run) forget(me string) {
	r.me, r.listed, r.first = me, 0, true
	r.rooms, r.deaf, r.strange = map[string]*room{}, map[string]bool{}, map[string]int64{}
	r.dirty = map[*room]bool{}
	// Another account's items are dropped. The one in the handler still gets its
	// answer.
	r.lanes = newLanes()
	if !r.busy {
		r.current = nil
	}
	if r.current != nil {
		r.current.items = r.current.items[:1]
		r.lanes.byName[r.current.name] = r.current
		r.lanes.count = 1
	}
}

// fetcher makes calls for the owner, one after the other.
func (r *run) fetcher() {
	for {
		select {
		case <-r.ctx.Done():
			return
		case job := <-r.jobs:
			result := job()
			select {
			case <-r.ctx.Done():
				return
			case r.results <- result:
			}
		}
	}
}

// worker calls the handler. It answers for every item it got, also at the end.
func (r *run) worker() {
	for {
		select {
		case <-r.ctx.Done():
			return
		case it := <-r.work:
			r.done <- r.give(it)
		}
	}
}

// give passes an item to the handler, with the post that a reaction is about.
func (r *run) give(it *item) error {
	ctx, cancel := context.WithTimeout(r.ctx, r.tune.handleTimeout)
	defer cancel()
	in := it.in
	var id string
	switch v := in.(type) {
	case chat.ReactionAdded:
		id = v.Reaction.PostID
	case chat.ReactionRemoved:
		id = v.Reaction.PostID
	}
	if id != "" {
		p, ok := r.recent.get(id)
		if !ok {
			var err error
			p, err = r.read(ctx, id)
			if errors.Is(err, chat.ErrGone) || errors.Is(err, chat.ErrForbidden) {
				return nil // its post doesn't exist
			}
			if err != nil {
				return err
			}
			r.recent.put(id, p)
		}
		switch v := in.(type) {
		case chat.ReactionAdded:
			v.Post, in = p, chat.ReactionAdded{Reaction: v.Reaction, Post: p}
		case chat.ReactionRemoved:
			v.Post, in = p, chat.ReactionRemoved{Reaction: v.Reaction, Post: p}
		}
	}
	return r.handle(ctx, in)
}

// own is the owner's loop.
func (r *run) own() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		next := r.plan()
		var jobs chan func() any
		if next.do != nil {
			jobs = r.jobs
		}
		work, it := r.turn()
		r.save(it == nil && !r.busy)
		timer.Reset(r.next())
		select {
		case <-r.ctx.Done():
			r.finish()
			return
		case v := <-r.heard:
			r.take(v)
		case jobs <- next.do:
			r.fetching = true
			if next.began != nil {
				next.began()
			}
		case v := <-r.results:
			r.fetching = false
			r.fetched(v)
		case work <- it:
			r.busy = true
		case err := <-r.done:
			r.answered(err)
		case p := <-r.inbox:
			r.lanes.push(&item{lane: "button " + p.PostID, in: p}, time.Time{})
		case <-r.refresh:
			r.relist = true
		case <-timer.C:
		}
	}
}

// turn chooses the handler's next item.
func (r *run) turn() (chan *item, *item) {
	if r.busy {
		return nil, nil
	}
	if r.current == nil {
		r.current = r.lanes.next(time.Now())
	}
	if r.current == nil {
		return nil, nil
	}
	return r.work, r.current.items[0]
}

// next returns how long there is nothing to do.
func (r *run) next() time.Duration {
	now := time.Now()
	wait := time.Hour
	until := func(t time.Time) {
		if !t.IsZero() {
			wait = min(wait, max(t.Sub(now), time.Millisecond))
		}
	}
	if !r.busy && r.current == nil {
		until(r.lanes.earliest())
	}
	if !r.dirtySince.IsZero() {
		until(r.saveAfter)
	}
	if r.online {
		until(r.sweepAt)
		if !r.fetching {
			if r.relist {
				until(r.listAt)
			}
			for _, m := range r.rooms {
				if m.stale || m.due {
					until(m.retryAt)
				}
			}
		}
	}
	return wait
}

// answered processes the handler's result.
func (r *run) answered(err error) {
	a := r.current
	it := a.items[0]
	r.busy, r.current = false, nil
	if err != nil {
		if r.ctx.Err() != nil {
			return
		}
		wait := backoff(a.tries, r.tune.handlerFirst, r.tune.handlerMost)
		if a.tries%8 == 0 {
			r.cfg.Logger.Warn("Couldn't handle a Mattermost event; retrying", "tries", a.tries+1, "wait", wait, "err", hide(err.Error(), ""))
		}
		if a.tries == 4 {
			r.status.problem("A post cannot be handled right now. Parley keeps trying; later posts in its thread wait.")
		}
		r.lanes.again(a, wait)
		return
	}
	r.lanes.done(a)
	if it.room != nil {
		it.room.handled(r, it)
	}
}

// finish waits for the handler and writes what was handled.
func (r *run) finish() {
	if r.busy {
		r.answered(<-r.done)
	}
	// The context is over, but what was handled must be stored.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), 5*time.Second)
	defer cancel()
	r.write(ctx)
}

// save writes the cursors that moved: at once if there is nothing to handle, or if the
// first has waited long enough.
func (r *run) save(idle bool) {
	if len(r.dirty) == 0 && !r.listedDirty {
		r.dirtySince = time.Time{}
		return
	}
	now := time.Now()
	if r.dirtySince.IsZero() {
		r.dirtySince, r.saveAfter = now, now.Add(r.tune.saveAfter)
	}
	if now.Before(r.saveAfter) && (!idle || r.saveFailed) {
		return
	}
	r.write(r.ctx)
}

func (r *run) write(ctx context.Context) {
	if r.me == "" {
		return
	}
	failed := func(err error) {
		r.cfg.Logger.Error("Couldn't save the position in Mattermost", "err", err)
		r.status.problem("Parley cannot save its place in the chat. Posts may be handled twice after a restart.")
		r.dirtySince, r.saveAfter, r.saveFailed = time.Now(), time.Now().Add(time.Second), true
	}
	for m := range r.dirty {
		data, err := m.cursor.data()
		if err == nil {
			err = r.cfg.Cursors.Save(ctx, r.key(m.id), data)
		}
		if err != nil {
			failed(err)
			return
		}
		delete(r.dirty, m)
	}
	if r.listedDirty {
		c := newCursor(r.listed)
		data, err := c.data()
		if err == nil {
			err = r.cfg.Cursors.Save(ctx, r.key(""), data)
		}
		if err != nil {
			failed(err)
			return
		}
		r.listedDirty = false
	}
	r.dirtySince, r.saveFailed = time.Time{}, false
}

// key names a cursor: of a channel or, for "", of the account.
func (r *run) key(channelID string) string {
	sum := sha256.Sum256([]byte(r.base.String()))
	key := hex.EncodeToString(sum[:8]) + "/" + r.me
	if channelID != "" {
		key += "/" + channelID
	}
	return key
}

// load loads a stored cursor; ok is false for none.
func (r *run) load(ctx context.Context, key string) (cursor, bool, error) {
	data, err := r.cfg.Cursors.Load(ctx, key)
	if err != nil || len(data) == 0 {
		return cursor{}, false, err
	}
	c, err := readCursor(data)
	if err != nil {
		r.cfg.Logger.Error("Couldn't read the position in a channel; starting over", "key", key, "err", err)
		r.status.problem("Parley lost its place in a channel. Messages sent while it was away may be missing.")
		return cursor{}, false, nil
	}
	return c, true, nil
}

// mine reports whether an event is about the account itself.
func (r *run) mine(f frame) bool { return f.userID == r.me }

// aside handles events that aren't about posts.
func (r *run) aside(f frame) {
	switch f.event {
	case wire.UserUpdated, wire.UserRoleUpdated:
		r.people.drop(f.userID)
	case wire.LeaveTeam, wire.AddedToTeam:
		r.members.drop(f.teamID + f.userID)
		r.relist = r.relist || r.mine(f)
	case wire.UserAdded, wire.UserRemoved:
		r.relist = r.relist || r.mine(f)
	case wire.DirectAdded, wire.GroupAdded, wire.ChannelRestored, wire.ChannelDeleted, wire.ChannelConverted, wire.ChannelUpdated:
		r.Client.rooms.drop(f.channelID)
		r.relist = r.relist || f.event != wire.ChannelUpdated
	}
}
