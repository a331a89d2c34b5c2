package relay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/ask"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
)

// Limits of one thread.
const (
	maxInbox   = 100
	maxWaiting = 100
	maxHandled = 100
	maxEvents  = 1000
	maxNotes   = 20
	maxOver    = 50
)

// ownPrefix is the prefix of the relay's own posts in [port.Thread].Posts.
const ownPrefix = "relay:"

// thread is a Mattermost thread.
type thread struct {
	r           *Relay
	id, channel string
	// posts handles posts, edits and deletions, and sends waiting messages;
	// presses handles reactions; notes stores and posts the session's progress.
	posts, presses, notes *lane

	// barred is true if the account may not post there.
	barred atomic.Bool

	// writing serializes the writes of the record.
	writing sync.Mutex

	// feeding serializes the stream's events. It guards the stream, which is nil while
	// there is nothing to show; the time of its last use; and, while missed events must be
	// recovered, the events since then and whether there were too many. It is locked before
	// mu: callbacks of a stream only lock mu.
	feeding sync.Mutex
	stream  Stream
	used    time.Time
	missed  bool
	events  []event.Event
	again   bool
	// late is since when the next prompt has been waiting for the stream.
	late time.Time

	// mu guards the fields below, and is never held while waiting.
	mu sync.Mutex
	// rec is the record on disk: what couldn't be written didn't happen.
	rec port.Thread
	// gone is true if the thread was dropped.
	gone bool
	// found is true until the leftovers of an earlier relay were checked.
	found bool
	// full is true from the first item that didn't fit in the inbox until there is
	// plenty of room.
	full bool
	// kept is what the stream wants to store, nil for nothing.
	kept *kept
	// say are notes to post, said the keys of posted ones.
	say  []note
	said []string
	// folder is the session's.
	folder string
	// rootGone is true if the thread no longer exists.
	rootGone bool
	// ends counts the posts about its session's end since began.
	ends  int
	began int64
	// problem is the new mirroring problem, nil if unchanged.
	problem *string
	// marked are posts with the waiting reaction.
	marked []string
	// quiet is true while a command runs: its reply reports the session's state.
	quiet bool
	// finding is the last turn, if fixes may be requested after it.
	finding finding
	// steered is true if a message was sent into the running turn. over are finished
	// prompts, newest last.
	steered bool
	over    []string
	// ended is how its session left the list, "" while it is on it, unheard if unknown.
	ended string
}

// kept is what a stream wants to store.
type kept struct {
	posts map[string]string
	seq   uint64
}

// note is a post to create.
type note struct {
	key, text string
	// offers is an emoji that people can react with, "" for none.
	offers string
}

func newThread(r *Relay, rec port.Thread) *thread {
	t := &thread{r: r, id: rec.ID, channel: rec.ChannelID, rec: rec, began: time.Now().UnixMilli()}
	for _, m := range rec.Waiting {
		t.marked = append(t.marked, m.Post.ID)
	}
	t.posts = newLane(r, t.takePosts)
	t.presses = newLane(r, t.takePresses)
	t.notes = newLane(r, t.takeNotes)
	return t
}

// record returns the record on disk. It must not be modified.
func (t *thread) record() port.Thread {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rec
}

// shows reports whether the thread shows its session.
func (t *thread) shows() bool {
	rec := t.record()
	return rec.SessionID != "" && !rec.Paused && (!rec.Run || len(rec.Sent)+len(rec.Waiting) > 0)
}

// hasWork reports whether an earlier relay left work.
func (t *thread) hasWork() bool {
	rec := t.record()
	return len(rec.Inbox)+len(rec.Waiting)+len(rec.Sent) > 0
}

// Errors of change after which nothing is written.
var (
	errSame = errors.New("nothing changes")
	errGone = errors.New("the thread was forgotten")
	errFull = errors.New("there is no room")
)

// change changes the record and writes it. On error nothing is changed; errSame of fn
// isn't an error.
func (t *thread) change(ctx context.Context, fn func(*port.Thread) error) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	next, gone := cloned(t.rec), t.gone
	t.mu.Unlock()
	if gone {
		return errGone
	}
	if err := fn(&next); err != nil {
		if errors.Is(err, errSame) {
			return nil
		}
		return err
	}
	if err := t.r.cfg.Records.PutThread(ctx, next); err != nil {
		return err
	}
	t.mu.Lock()
	t.rec = next
	if len(next.Inbox) <= maxInbox/2 {
		t.full = false
	}
	t.mu.Unlock()
	return nil
}

// cloned returns a copy whose lists and maps can be changed.
func cloned(rec port.Thread) port.Thread {
	rec.Inbox, rec.Waiting = slices.Clone(rec.Inbox), slices.Clone(rec.Waiting)
	rec.Sent, rec.Handled = slices.Clone(rec.Sent), slices.Clone(rec.Handled)
	rec.Posts = maps.Clone(rec.Posts)
	return rec
}

func setPost(rec *port.Thread, name, postID string) {
	if rec.Posts == nil {
		rec.Posts = map[string]string{}
	}
	if postID == "" {
		delete(rec.Posts, name)
	} else {
		rec.Posts[name] = postID
	}
}

// theirs reports whether a name in Posts belongs to the relay instead of a
// stream.
func theirs(name string) bool {
	return strings.HasPrefix(name, ask.NamePrefix) || strings.HasPrefix(name, ownPrefix)
}

// enter stores an item and triggers its handling. If there is no room it fails at once:
// a caller that serves other threads too must not wait for this one.
func (t *thread) enter(ctx context.Context, item port.Item) error {
	err := t.change(ctx, func(rec *port.Thread) error {
		if known(rec, item.ID) {
			return errSame
		}
		if len(rec.Inbox) >= maxInbox {
			return errFull
		}
		rec.Inbox = append(rec.Inbox, item)
		return nil
	})
	switch {
	case err == nil:
		t.laneOf(item).stir()
	case errors.Is(err, errFull):
		t.crowded()
		return fmt.Errorf("%d things of the thread %s wait to be done: %w", maxInbox, t.id, err)
	}
	return err
}

// crowded reports, once until there is room again, that a thread is full.
func (t *thread) crowded() {
	t.mu.Lock()
	told, session := t.full, t.rec.SessionID
	t.full = true
	t.mu.Unlock()
	if !told {
		t.r.cfg.Logger.Warn("Queue of a thread is full; rejecting more for now", "thread", t.id, "session", session, "waiting", maxInbox)
		t.r.happened("problem", crowdedSaid, chat.Person{}, session)
	}
}

func (t *thread) laneOf(item port.Item) *lane {
	if pressed(item) {
		return t.presses
	}
	return t.posts
}

func pressed(item port.Item) bool { return item.Kind == kindReact }

// known reports whether an item came in before.
func known(rec *port.Thread, id string) bool {
	return slices.Contains(rec.Handled, id) || slices.ContainsFunc(rec.Inbox, func(i port.Item) bool { return i.ID == id })
}

// next returns the oldest inbox item for one of the two lanes.
func (t *thread) next(press bool) (port.Item, bool) {
	rec := t.record()
	i := slices.IndexFunc(rec.Inbox, func(i port.Item) bool { return pressed(i) == press })
	if i < 0 {
		return port.Item{}, false
	}
	return rec.Inbox[i], true
}

// finish removes a handled item from the inbox. Its other changes are written at the
// same time.
func (t *thread) finish(ctx context.Context, item port.Item, more func(*port.Thread)) error {
	return t.change(ctx, func(rec *port.Thread) error {
		rec.Inbox = slices.DeleteFunc(rec.Inbox, func(i port.Item) bool { return i.ID == item.ID })
		rec.Handled = append(rec.Handled, item.ID)
		rec.Handled = rec.Handled[max(0, len(rec.Handled)-maxHandled):]
		rec.UsedAt = max(rec.UsedAt, time.Now().UnixMilli())
		if more != nil {
			more(rec)
		}
		return nil
	})
}

// amend changes an item that stays in the inbox.
func (t *thread) amend(ctx context.Context, id string, fn func(*port.Item, *port.Thread)) error {
	return t.change(ctx, func(rec *port.Thread) error {
		i := slices.IndexFunc(rec.Inbox, func(i port.Item) bool { return i.ID == id })
		if i < 0 {
			return errSame
		}
		fn(&rec.Inbox[i], rec)
		return nil
	})
}

// forget drops a thread that is no longer needed; with idle, only an inactive one
// (errFull).
func (r *Relay) forget(ctx context.Context, t *thread, idle bool) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	rec := t.record()
	if idle && len(rec.Inbox)+len(rec.Waiting)+len(rec.Sent) > 0 {
		return errFull
	}
	if err := r.cfg.Records.DeleteThread(ctx, t.id); err != nil {
		return err
	}
	t.mu.Lock()
	t.gone = true
	t.mu.Unlock()
	r.mu.Lock()
	if r.threads[t.id] == t {
		delete(r.threads, t.id)
	}
	if r.shown[rec.SessionID] == t {
		delete(r.shown, rec.SessionID)
	}
	r.mu.Unlock()
	r.asks.Forget(ctx, t.id)
	t.putStreamAway()
	return nil
}

// bare reports whether a thread contains nothing worth remembering.
func bare(rec *port.Thread) bool {
	return rec.SessionID == "" && rec.Folder == "" && len(rec.Inbox)+len(rec.Waiting)+len(rec.Sent) == 0
}

// wake retries everything that failed.
func (t *thread) wake() {
	for _, l := range []*lane{t.posts, t.presses, t.notes} {
		l.wake()
	}
	t.feeding.Lock()
	defer t.feeding.Unlock()
	if t.stream != nil {
		t.stream.Wake()
	}
}
