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

// Bounds of one thread.
const (
	maxInbox   = 100
	maxWaiting = 100
	maxHandled = 100
	maxEvents  = 1000
	maxNotes   = 20
	maxOver    = 50
)

// ownPrefix begins the names of the relay's own posts in [port.Thread].Posts.
const ownPrefix = "relay:"

// thread is a thread of the chat.
type thread struct {
	r           *Relay
	id, channel string
	// posts takes posts, edits and deletions, and sends what waits; presses takes
	// reactions; notes writes down and says what came of the session.
	posts, presses, notes *lane

	// barred is true when the account may not post there.
	barred atomic.Bool

	// writing keeps the writes of the record in order.
	writing sync.Mutex

	// feeding keeps the stream's events in order. It guards the stream, which shows the
	// session, nil while there is nothing to show; when that was last used; and, while
	// missed events are to be made good, those since then, and whether there were too many.
	// It is taken before mu: what a stream calls takes mu only.
	feeding sync.Mutex
	stream  Stream
	used    time.Time
	missed  bool
	events  []event.Event
	again   bool
	// late is since when what is asked next waits for the stream.
	late time.Time

	// mu guards what follows, and is not held while anything is waited for.
	mu sync.Mutex
	// rec is what is on the disk: what could not be written did not happen.
	rec port.Thread
	// gone is true for one that was forgotten.
	gone bool
	// found is true until it was looked after what an earlier relay left.
	found bool
	// full is true from when something found no room in the inbox until there is plenty.
	full bool
	// kept is what the stream wants written, nil for nothing.
	kept *kept
	// say are notes that are to be posted, said the keys of those that were.
	say  []note
	said []string
	// folder is the session's.
	folder string
	// rootGone is true when the thread is not there any more.
	rootGone bool
	// ends counts what was said about its session's end since began.
	ends  int
	began int64
	// problem is what the mirror is to say, nil for no news.
	problem *string
	// marked are posts with the sign that they wait.
	marked []string
	// quiet is true while a command runs: what becomes of the session is its reply.
	quiet bool
	// finding is the turn that ended last, if fixes may be asked for after it.
	finding finding
	// steered is true when a message went into the running turn. over are prompts that
	// are done, the newest last.
	steered bool
	over    []string
	// ended is how its session came off the list, "" while it is on it, unheard while that
	// is unknown.
	ended string
}

// kept is what a stream wants written.
type kept struct {
	posts map[string]string
	seq   uint64
}

// note is a post that is to be made.
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

// record is the record as it is on the disk. Nothing of it must be changed.
func (t *thread) record() port.Thread {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rec
}

// shows says whether what goes on in its session is shown in it.
func (t *thread) shows() bool {
	rec := t.record()
	return rec.SessionID != "" && !rec.Paused && (!rec.Run || len(rec.Sent)+len(rec.Waiting) > 0)
}

// hasWork says whether an earlier relay left something to be done.
func (t *thread) hasWork() bool {
	rec := t.record()
	return len(rec.Inbox)+len(rec.Waiting)+len(rec.Sent) > 0
}

// Errors of change that have nothing written.
var (
	errSame = errors.New("nothing changes")
	errGone = errors.New("the thread was forgotten")
	errFull = errors.New("there is no room")
)

// change changes the record and writes it. With an error nothing is changed; errSame of
// fn is none.
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

// cloned is a copy whose lists and maps can be changed.
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

// theirs says whether a name in Posts is not a stream's.
func theirs(name string) bool {
	return strings.HasPrefix(name, ask.NamePrefix) || strings.HasPrefix(name, ownPrefix)
}

// enter writes down what came in, and has it looked at. Where there is no room it fails
// at once: whoever tells of other threads, too, must not wait for this one.
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

// crowded says, once until there is room again, that a thread takes no more.
func (t *thread) crowded() {
	t.mu.Lock()
	told, session := t.full, t.rec.SessionID
	t.full = true
	t.mu.Unlock()
	if !told {
		t.r.cfg.Logger.Warn("A thread has too much to do and takes no more for now", "thread", t.id, "session", session, "waiting", maxInbox)
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

// known says whether an item came in before.
func known(rec *port.Thread, id string) bool {
	return slices.Contains(rec.Handled, id) || slices.ContainsFunc(rec.Inbox, func(i port.Item) bool { return i.ID == id })
}

// next is the oldest item of the inbox that one of the two lanes takes.
func (t *thread) next(press bool) (port.Item, bool) {
	rec := t.record()
	i := slices.IndexFunc(rec.Inbox, func(i port.Item) bool { return pressed(i) == press })
	if i < 0 {
		return port.Item{}, false
	}
	return rec.Inbox[i], true
}

// finish takes an item out of the inbox: it was handled. What else it changes is written
// at once with that.
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

// forget lets go of a thread of which nothing is needed any more; with idle, only of one
// that has nothing to do (errFull).
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

// bare says whether a thread is nothing that need be remembered.
func bare(rec *port.Thread) bool {
	return rec.SessionID == "" && rec.Folder == "" && len(rec.Inbox)+len(rec.Waiting)+len(rec.Sent) == 0
}

// wake has everything tried again that failed.
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
