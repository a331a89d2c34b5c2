package mattermost

import (
	"errors"
	"slices"
	"time"

	"parley/backend/chat/mattermost/wire"

	"parley/backend/chat"
)

// touch schedules a write of a room's cursor.
func (r *run) touch(m *room) {
	if r.rooms[m.id] == m {
		r.dirty[m] = true
	}
}

// take handles what comes from the socket.
func (r *run) take(v any) {
	switch v := v.(type) {
	case up:
		r.online = true
		if v.me != r.me {
			r.forget(v.me)
		}
		r.gap()
		// A sweep finds what the server's database didn't show yet.
		r.sweepAt = time.Now().Add(r.tune.sweepAfter)
	case down:
		r.online, r.sweepAt = false, time.Time{}
		r.gap()
	case heard:
		if v.gap {
			r.cfg.Logger.Info("Mattermost events are missing; fetching them")
			r.gap()
		}
		if v.event != "" {
			r.live(v.frame)
		}
	}
}

// calls delivers a post that mentions the account in a channel that isn't followed. A missed
// one isn't recovered.
func (r *run) calls(f frame) {
	if f.event != wire.Posted || !slices.Contains(f.named, r.me) || r.lanes.count >= maxWaiting {
		return
	}
	p := post(f.post, r.me)
	r.threads.put(p.ID, p.Thread())
	r.lanes.push(&item{lane: p.Thread(), key: postKey(p.ID), at: p.At, in: chat.Posted{Post: p}}, time.Time{})
}

// gap records that anything may have been missed.
func (r *run) gap() {
	r.relist, r.listAt = true, time.Time{}
	for _, m := range r.rooms {
		m.miss()
	}
}

// miss schedules a fetch of a room. A fetch in progress may be too early.
func (m *room) miss() {
	if m.fetching {
		m.again = true
		return
	}
	m.stale = true
}

// Results of jobs.
type (
	listed struct {
		channels []*wire.Channel
		at       int64
		cursors  map[string]cursor
		account  int64
		me       string
		err      error
	}
	fetched struct {
		room  *room
		got   missed
		sweep bool
		err   error
	}
)

// job is the fetcher's next task; began is called when it starts.
type job struct {
	do    func() any
	began func()
}

// plan chooses what to fetch next.
func (r *run) plan() job {
	now := time.Now()
	if !r.sweepAt.IsZero() && !now.Before(r.sweepAt) {
		r.sweepAt = time.Time{}
		for _, m := range r.rooms {
			m.due = true
		}
	}
	for _, m := range r.rooms {
		if m.behind && !m.stale && r.drained(m) {
			m.miss()
		}
	}
	if !r.online || r.fetching {
		return job{}
	}
	if r.relist && !now.Before(r.listAt) {
		return job{do: r.listing()}
	}
	var sweep *room
	for _, m := range r.rooms {
		switch {
		case now.Before(m.retryAt) || len(m.waiting) >= fetchBelow || r.lanes.count >= maxWaiting/2 || m.full():
		case m.stale:
			return job{do: r.fetchingOf(m, false), began: func() { m.stale, m.due, m.fetching = false, false, true }}
		case m.due:
			sweep = m
		}
	}
	if sweep != nil {
		return job{do: r.fetchingOf(sweep, true), began: func() { sweep.due = false }}
	}
	return job{}
}

// drained reports whether there is room again for what a room left out.
func (r *run) drained(m *room) bool {
	if m.fetching || len(m.waiting) >= fetchBelow || r.lanes.count >= maxWaiting/2 {
		return false
	}
	for name := range m.shut {
		if r.lanes.byName[name] == nil {
			return true
		}
	}
	return false
}

// listing is the job that lists the channels, and loads the cursors of unknown ones.
func (r *run) listing() func() any {
	me, first := r.me, r.first
	have := make(map[string]bool, len(r.rooms))
	for id := range r.rooms {
		have[id] = true
	}
	return func() any {
		out := listed{me: me, cursors: map[string]cursor{}}
		if first {
			c, ok, err := r.load(r.ctx, r.key(""))
			if err != nil {
				return listed{err: err}
			}
			if ok {
				out.account = c.Through
			}
		}
		channels, err := r.list(r.ctx)
		if err != nil {
			return listed{err: err}
		}
		out.channels, out.at = channels, r.serverNow()
		for _, ch := range channels {
			if !first || have[ch.ID] || !r.hears(ch) {
				continue
			}
			c, ok, err := r.load(r.ctx, r.key(ch.ID))
			if err != nil {
				return listed{err: err}
			}
			if ok {
				out.cursors[ch.ID] = c
			}
		}
		return out
	}
}

func (c *Client) hears(ch *wire.Channel) bool {
	return c.cfg.Hears == nil || c.cfg.Hears(channel(ch))
}

// fetchingOf is the job that fetches a room. A sweep only looks for what the server
// showed late: the room continues during it.
func (r *run) fetchingOf(m *room, sweep bool) func() any {
	since := min(m.Through, r.serverNow()) - r.tune.overlap.Milliseconds()
	if m.fresh {
		since = m.lastPost - 1
		if m.joinedAfter > 0 {
			since = min(since, m.joinedAfter-r.tune.overlap.Milliseconds())
		}
		if at, ok := r.strange[m.id]; ok {
			since = min(since, at-1)
		}
	}
	id, me := m.id, r.me
	return func() any {
		got, err := r.fetch(r.ctx, id, since, me)
		return fetched{room: m, got: got, sweep: sweep, err: err}
	}
}

// fetched handles the result of a job.
func (r *run) fetched(v any) {
	switch v := v.(type) {
	case listed:
		r.tookList(v)
	case fetched:
		r.tookRoom(v)
	}
}

func (r *run) tookRoom(v fetched) {
	m := v.room
	if r.rooms[m.id] != m {
		return
	}
	if v.sweep {
		if v.err == nil {
			r.swept(m, v.got)
		}
		return // also after a failure: the next gap checks it
	}
	if v.err == nil {
		r.caughtUp(m, v.got)
		return
	}
	m.fetching = false
	if r.ctx.Err() != nil {
		return
	}
	if errors.Is(v.err, chat.ErrForbidden) || errors.Is(v.err, chat.ErrGone) {
		// Waiting wouldn't help, and socket events can be handled.
		r.cfg.Logger.Warn("Couldn't read the posts of a channel", "channel", m.id, "err", hide(v.err.Error(), ""))
		r.status.problem("The posts of " + m.channel.Title + " could not be read. Messages sent while Parley was away are missing.")
		r.relist = true
		r.caughtUp(m, missed{})
		return
	}
	m.stale, m.again = true, false
	m.retryAt = time.Now().Add(backoff(m.fails, r.tune.retryFirst, r.tune.connectMost))
	m.fails++
}

func (r *run) tookList(v listed) {
	if v.me != r.me && v.err == nil {
		return
	}
	if v.err != nil {
		if r.ctx.Err() == nil {
			r.listAt = time.Now().Add(backoff(r.listFails, r.tune.retryFirst, r.tune.connectMost))
			r.listFails++
			r.cfg.Logger.Warn("Couldn't list the Mattermost channels", "err", hide(v.err.Error(), ""))
		}
		return
	}
	r.relist, r.listFails, r.listAt = false, 0, time.Time{}
	before := r.listed
	if r.first {
		before = v.account
	}
	is := map[string]bool{}
	for _, ch := range v.channels {
		if !r.hears(ch) {
			r.deaf[ch.ID] = true
			delete(r.strange, ch.ID)
			continue
		}
		if len(is) >= maxRooms {
			r.status.problem("The account is in more channels than Parley can follow. Leave some, or choose fewer.")
			break
		}
		is[ch.ID] = true
		r.enter(ch, v, before)
	}
	for id := range r.rooms {
		if !is[id] {
			delete(r.dirty, r.rooms[id])
			delete(r.rooms, id)
		}
	}
	for id := range r.deaf {
		if is[id] {
			delete(r.deaf, id)
		}
	}
	for id := range r.strange {
		if !is[id] {
			delete(r.strange, id)
		}
	}
	r.first = false
	if v.at > r.listed {
		r.listed, r.listedDirty = v.at, true
	}
}

// enter adds a new room. before is when the channels were last listed, 0 for never.
func (r *run) enter(ch *wire.Channel, v listed, before int64) {
	if m := r.rooms[ch.ID]; m != nil {
		m.channel = channel(ch)
		return
	}
	m := &room{
		id: ch.ID, channel: channel(ch), stale: true, createAt: ch.CreateAt, lastPost: max(ch.LastPostAt, ch.CreateAt, 1),
		waiting: map[string]int64{}, reacting: map[string]int{}, unreacting: map[string]int{}, shut: map[string]bool{},
	}
	if c, ok := v.cursors[ch.ID]; ok {
		m.cursor, m.noted = c, c.Through
	} else {
		m.fresh, m.cursor = true, newCursor(1)
		if before > 0 && !r.deaf[ch.ID] {
			m.joinedAfter = max(1, before-r.tune.overlap.Milliseconds())
		}
	}
	r.rooms[ch.ID] = m
}
