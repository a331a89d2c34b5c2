package mattermost

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/backend/chat/mattermost/wire"

	"parley/backend/chat"
)

// maxHeld is how much of a channel is buffered during a fetch.
const maxHeld = 500

// room is a followed channel. The owner of the run owns it.
type room struct {
	id      string
	channel chat.Channel
	cursor
	// fresh: it has no cursor yet. joinedAfter is when the account wasn't in it, or
	// wasn't known to be; lastPost is the time of its newest post when it was listed.
	fresh                 bool
	joinedAfter, lastPost int64
	createAt              int64
	// stale: something may be missing, so it must be fetched. again: it must be fetched
	// once more after that. behind: something was left out for lack of room, and is
	// fetched when there is some.
	stale, fetching, again, behind bool
	// due: it must be swept. shut are lanes that left something out: nothing later
	// may enter them first.
	due     bool
	shut    map[string]bool
	retryAt time.Time
	fails   int
	// held arrived while it was stale.
	held []*item
	// waiting is what is in the lanes, with its times; reacting and unreacting count the
	// reactions in it.
	waiting              map[string]int64
	reacting, unreacting map[string]int
	// noted is the time of the latest received event.
	noted int64
}

func postKey(id string) string           { return "p " + id }
func editKey(id string, at int64) string { return "e " + id + " " + strconv.FormatInt(at, 36) }
func deletedKey(id string) string        { return "d " + id }
func bond(re chat.Reaction) string       { return re.PostID + " " + re.PersonID + " " + re.Emoji }
func reactedKey(re chat.Reaction) string { return "r " + bond(re) + " " + strconv.FormatInt(re.At, 36) }
func unreactedKey(re chat.Reaction) string {
	return "u " + bond(re) + " " + strconv.FormatInt(re.At, 36)
}

// known reports whether an event was handled or is waiting.
func (m *room) known(r *run, key string, at int64) bool {
	if _, ok := m.waiting[key]; ok {
		return true
	}
	if m.has(key, at) {
		return true
	}
	_, ok := r.told.get(key)
	return ok
}

// knownLive is the same for socket events, where an event later than it seems is new
// anyway: the server's clock went back.
func (m *room) knownLive(r *run, key string) bool {
	if _, ok := m.waiting[key]; ok {
		return true
	}
	if _, ok := m.marks[key]; ok {
		return true
	}
	_, ok := r.told.get(key)
	return ok
}

// silent records an event that needs no handling.
func (m *room) silent(r *run, key string, at int64) {
	m.mark(key, at)
	r.told.put(key, struct{}{})
	r.touch(m)
}

// handled records what the handler accepted.
func (m *room) handled(r *run, it *item) {
	delete(m.waiting, it.key)
	switch v := it.in.(type) {
	case chat.ReactionAdded:
		less(m.reacting, bond(v.Reaction))
		m.tell(bond(v.Reaction))
	case chat.ReactionRemoved:
		less(m.unreacting, bond(v.Reaction))
		m.untell(bond(v.Reaction))
	}
	m.mark(it.key, it.at)
	r.told.put(it.key, struct{}{})
	m.settle()
	r.touch(m)
}

func less(counts map[string]int, key string) {
	if counts[key]--; counts[key] <= 0 {
		delete(counts, key)
	}
}

// settle moves the cursor past everything handled.
func (m *room) settle() {
	if m.stale || m.behind || m.fetching || m.fresh {
		m.advance(0) // as far as it is, but without what needn't be kept
		return
	}
	through := m.noted
	for _, at := range m.waiting {
		through = min(through, at-1)
	}
	m.advance(through)
}

func (m *room) note(at int64) { m.noted = max(m.noted, at) }

// push adds an item to its lane, or leaves it and its successors there for a later
// fetch. At most most items of a room may wait.
func (r *run) push(m *room, it *item, most int, at time.Time) {
	if m.shut[it.lane] || len(m.waiting) >= most || r.lanes.count >= max(maxWaiting, most) || m.full() || !r.lanes.push(it, at) {
		m.behind, m.shut[it.lane] = true, true
		return
	}
	m.waiting[it.key] = it.at
	switch v := it.in.(type) {
	case chat.ReactionAdded:
		m.reacting[bond(v.Reaction)]++
	case chat.ReactionRemoved:
		m.unreacting[bond(v.Reaction)]++
	}
}

// live handles a post event.
func (r *run) live(f frame) {
	var id string
	switch {
	case f.post != nil:
		id = f.post.ChannelID
	case f.reaction != nil:
		id = f.reaction.ChannelID
	default:
		r.aside(f)
		return
	}
	m := r.rooms[id]
	if m == nil {
		if r.deaf[id] {
			r.calls(f)
		} else {
			r.stranger(id, f)
		}
		return
	}
	it := r.itemOf(m, f)
	if m.stale || m.fetching {
		switch {
		case it == nil:
		case len(m.held) < maxHeld:
			m.held = append(m.held, it)
		default:
			m.again = true
		}
		return
	}
	if f.post != nil {
		m.note(f.post.UpdateAt)
	}
	if it != nil {
		if !it.guess {
			m.note(it.at)
		}
		if !m.undone(it) {
			r.push(m, it, maxRoom, time.Now().Add(r.tune.reorder))
		}
	}
	m.settle()
}

// undone reports whether the removal of a reaction is irrelevant: the reaction is
// unknown, or its removal was already delivered.
func (m *room) undone(it *item) bool {
	v, ok := it.in.(chat.ReactionRemoved)
	if !ok {
		return false
	}
	b := bond(v.Reaction)
	return m.reacting[b] == 0 && (m.unreacting[b] > 0 || !m.told(b))
}

// stranger handles a channel that wasn't listed yet: it is fetched from its
// start.
func (r *run) stranger(id string, f frame) {
	if len(r.strange) >= maxRooms {
		return
	}
	at := r.serverNow()
	if f.post != nil {
		at = f.post.CreateAt
	}
	if was, ok := r.strange[id]; !ok || at < was {
		r.strange[id] = at
	}
	r.relist = true
}

// itemOf returns the handler's item for an event, nil for nothing.
func (r *run) itemOf(m *room, f frame) *item {
	if f.reaction != nil {
		return r.reactionItem(m, f)
	}
	p := post(f.post, r.me)
	r.threads.put(p.ID, p.Thread())
	it := &item{room: m, lane: p.Thread()}
	switch f.event {
	case wire.Posted:
		r.sends.note(p)
		r.recent.put(p.ID, p)
		it.key, it.at, it.in = postKey(p.ID), p.At, chat.Posted{Post: p}
	case wire.PostEdited:
		if _, ok := r.recent.get(p.ID); ok {
			r.recent.put(p.ID, p)
		}
		if p.EditedAt == 0 || p.Key != "" {
			return nil // its text didn't change, or we changed it
		}
		it.key, it.at, it.in = editKey(p.ID, p.EditedAt), p.EditedAt, chat.Edited{Post: p}
	case wire.PostDeleted:
		r.recent.drop(p.ID)
		at := f.post.DeleteAt
		if at == 0 {
			at, it.guess = max(f.post.UpdateAt, p.At, r.serverNow()), true // it doesn't say
		}
		it.key, it.at, it.in = deletedKey(p.ID), at, chat.Deleted{Post: p}
	default:
		return nil
	}
	if m.knownLive(r, it.key) {
		return nil
	}
	return it
}

func (r *run) reactionItem(m *room, f frame) *item {
	re := reaction(f.reaction)
	it := &item{room: m, lane: r.laneOf(re.PostID)}
	if f.event == wire.ReactionAdded {
		it.key, it.at, it.in = reactedKey(re), re.At, chat.ReactionAdded{Reaction: re}
	} else {
		re.At, it.guess = f.reaction.DeleteAt, false
		if re.At == 0 {
			re.At, it.guess = r.serverNow(), true
		}
		it.key, it.at, it.in = unreactedKey(re), re.At, chat.ReactionRemoved{Reaction: re}
	}
	if m.knownLive(r, it.key) {
		return nil
	}
	return it
}

func (r *run) laneOf(postID string) string {
	if t, ok := r.threads.get(postID); ok {
		return t
	}
	return postID
}

// caughtUp processes what was fetched of a room, and then what was buffered.
func (r *run) caughtUp(m *room, got missed) {
	m.fetching, m.fails, m.retryAt = false, 0, time.Time{}
	if m.fresh {
		r.begin(m, got.rows)
	}
	if got.cut {
		r.status.problem("Too much was posted in " + m.channel.Title + " while Parley was away. The oldest posts were left out.")
		r.cfg.Logger.Warn("Gap in a channel was too large; skipped its oldest posts", "channel", m.id)
	}
	m.stale, m.again, m.behind = m.again, false, false
	clear(m.shut)
	items := r.itemsIn(m, got.rows)
	r.status.set(func(s *chat.Connection) { s.CaughtUp += int64(len(items)) })
	seen := map[string]bool{}
	for _, it := range items {
		seen[it.key] = true
	}
	held := m.held
	m.held = nil
	for _, it := range held {
		switch {
		case seen[it.key] || m.knownLive(r, it.key):
		case m.stale: // missing events may precede it: the next fetch tells
			m.held = append(m.held, it)
		default:
			seen[it.key] = true
			items = append(items, it)
		}
	}
	slices.SortStableFunc(items, func(a, b *item) int { return cmp.Compare(a.at, b.at) })
	for _, it := range items {
		if !it.guess {
			m.note(it.at)
		}
		if !m.undone(it) {
			r.push(m, it, maxMissed, time.Time{})
		}
	}
	m.settle()
	r.touch(m)
}

// swept processes a sweep of a room that continued during it.
func (r *run) swept(m *room, got missed) {
	if m.fresh || m.stale || m.fetching {
		return // it will be fetched completely
	}
	items := r.itemsIn(m, got.rows)
	r.status.set(func(s *chat.Connection) { s.CaughtUp += int64(len(items)) })
	for _, it := range items {
		r.push(m, it, maxMissed, time.Time{})
	}
	m.settle()
}

// itemsIn returns the undelivered events of a room, by time.
func (r *run) itemsIn(m *room, rows []row) []*item {
	gone := map[string]int64{}
	for _, w := range rows {
		if w.deleteAt > 0 {
			gone[w.post.ID] = w.deleteAt
		}
	}
	var items []*item
	for _, w := range rows {
		m.note(w.updateAt)
		items = append(items, r.itemsOf(m, w, gone)...)
	}
	slices.SortStableFunc(items, func(a, b *item) int { return cmp.Compare(a.at, b.at) })
	return items
}

// begin determines from when a room without a cursor is followed: from when the account
// joined it, as far as known, or from now.
func (r *run) begin(m *room, rows []row) {
	from := m.lastPost
	if m.joinedAfter > 0 {
		joined := false
		for _, w := range rows {
			if w.joined && w.post.At > m.joinedAfter {
				from, joined = min(from, w.post.At-1), true
			}
		}
		if !joined && m.createAt > m.joinedAfter {
			from = m.createAt - 1
		}
	}
	if first, ok := r.strange[m.id]; ok {
		from = min(from, first-1)
		delete(r.strange, m.id)
	}
	// Everything existing is old, including that millisecond; what comes isn't.
	m.cursor, m.fresh = newCursor(max(from-1, 1)), false
	m.noted = max(from, 1)
	coming := map[string]bool{}
	for _, it := range m.held {
		coming[it.key] = true
	}
	for _, w := range rows {
		if key := postKey(w.post.ID); w.post.At <= from && !coming[key] {
			m.silent(r, key, w.post.At)
		}
	}
}

// itemsOf returns what happened to a post since the last check.
func (r *run) itemsOf(m *room, w row, gone map[string]int64) []*item {
	p := w.post
	r.sends.note(p)
	r.threads.put(p.ID, p.Thread())
	happened := func(key string, at int64, in chat.Incoming) *item {
		return &item{room: m, key: key, at: at, lane: p.Thread(), in: in}
	}
	was := m.known(r, postKey(p.ID), p.At)
	if w.deleteAt > 0 {
		r.recent.drop(p.ID)
		if m.known(r, deletedKey(p.ID), w.deleteAt) {
			return nil
		}
		// A thread's replies are deleted with its first post and not delivered
		// individually; what came and went in one gap never existed.
		if root := gone[p.RootID]; !was || root > 0 && root >= w.deleteAt {
			m.silent(r, postKey(p.ID), p.At)
			m.silent(r, deletedKey(p.ID), w.deleteAt)
			return nil
		}
		return []*item{happened(deletedKey(p.ID), w.deleteAt, chat.Deleted{Post: p})}
	}
	var out []*item
	edit := editKey(p.ID, p.EditedAt)
	switch {
	case !was:
		r.recent.put(p.ID, p)
		out = append(out, happened(postKey(p.ID), p.At, chat.Posted{Post: p}))
		if p.EditedAt > 0 {
			m.silent(r, edit, p.EditedAt)
		}
	case p.EditedAt > 0 && p.Key == "" && !m.known(r, edit, p.EditedAt):
		out = append(out, happened(edit, p.EditedAt, chat.Edited{Post: p}))
	}
	there := map[string]bool{}
	for _, re := range w.reactions {
		there[bond(re)] = true
		if !m.known(r, reactedKey(re), re.At) {
			out = append(out, happened(reactedKey(re), re.At, chat.ReactionAdded{Reaction: re}))
		}
	}
	for _, b := range m.present {
		parts := strings.SplitN(b, " ", 3)
		if len(parts) == 3 && parts[0] == p.ID && !there[b] && m.unreacting[b] == 0 {
			re := chat.Reaction{PostID: p.ID, PersonID: parts[1], Emoji: parts[2], At: w.updateAt}
			if !m.known(r, unreactedKey(re), re.At) {
				out = append(out, happened(unreactedKey(re), re.At, chat.ReactionRemoved{Reaction: re}))
			}
		}
	}
	return out
}
