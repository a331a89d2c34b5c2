// Package ask shows a session's open questions in its Mattermost thread, and accepts
// answers by reaction, reply or button.
//
// One goroutine, Run's, writes to the chat: it brings every post to its intended state,
// and retries when the chat is unreachable. A question never waits for it. Everything
// else runs on the caller's goroutine, and never waits for the chat except to check a
// user's rights, and to read the reactions of a post with several choices.
//
// An answer is bound to one question by its id, and to what its post showed: a rule is
// only created exactly as it was shown. The desk decides who was first.
package ask

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/owner"
)

// Gate decides who may answer. [access.Gate] implements it.
type Gate interface {
	Check(ctx context.Context, t access.Attempt) access.Verdict
	Role(ctx context.Context, by chat.Person, automated bool, channelID string) port.ChatRole
	// Approvers returns the people to notify of a question.
	Approvers(ctx context.Context, channelID, first string, least port.ChatRole) []chat.Person
	Holders(channelID string, private bool, least port.ChatRole, limit int) (names []string, more int)
}

// Config configures Asks. Keep, Buttons, Answered and Zone may be nil.
type Config struct {
	Chat port.Chat
	Desk port.RequestQueue
	Gate Gate
	// Keep stores in a thread's record (port.Thread.Posts) which post a question has; post ""
	// removes it. Names start with NamePrefix. Run's goroutine calls it.
	Keep func(ctx context.Context, threadID, name, postID string) error
	// Root returns the post that a thread's posts reply to; nil means the one that started it.
	Root func(threadID string) string
	// Buttons reports whether the chat server can call back: posts then have buttons
	// in addition to reactions. nil is never.
	Buttons func() bool
	// Answered is called for each answer from the chat that counted, with a readable
	// text that repeats nothing of the question or answer. It must return quickly.
	Answered func(by chat.Person, sessionID, text string)
	// Calls returns how people are notified of questions; nil mentions nobody.
	Calls func() port.ChatCalls
	// Zone is the time zone in posts, nil for the computer's.
	Zone   *time.Location
	Logger *slog.Logger
}

// NamePrefix is the name prefix of questions' posts in port.Thread.Posts.
const NamePrefix = "ask:"

// Memory limits. A question beyond them isn't shown in its thread, and can be answered
// elsewhere.
const (
	maxItems = 500
	// maxOver is how many ended questions are remembered for late answers.
	maxOver = 200
	// maxCards bounds posts waiting for an update, maxNotes sentences waiting to be posted.
	maxCards, maxNotes = 1500, 100
)

// Manager are the questions shown in threads. Its methods may be called from any
// goroutine.
type Manager struct {
	config Config
	wake   chan struct{}

	mu sync.Mutex
	// items are the open questions by id, over those that ended last, oldest first.
	items map[string]*item
	over  []*item
	// posts maps posts to cards, for both.
	posts map[string]*card
	// queue are cards that may need an update, in order; notes are sentences to post.
	queue []*card
	notes []note
	// shown counts how often threads were dropped: what is shown again is a new post.
	shown int
	// awake is when to retry after a failure.
	awake time.Time
	delay time.Duration
}

// item is a question.
type item struct {
	q port.Request
	// threadID and channelID are where it is shown.
	threadID, channelID string
	// card is its post, or that of its current sub-question.
	card *card
	step int
	// answers are those given, chosen maps options of the current sub-question to the
	// people who chose them: false if they took it back.
	answers map[string]any
	chosen  map[int]map[string]bool
	// first is the author of the prompt that led to it, "" if unknown; calls mention
	// people, and called of them were posted.
	first  string
	calls  []call
	called int
	// expires is when to check for its end if no event arrived.
	expires int64
	// end is how it ended, nil while open. told are people who were told that they were late.
	end  *ending
	told map[string]bool
}

// note is a sentence to post in a thread.
type note struct{ channelID, threadID, key, text string }

// New returns empty Asks. Run must be called.
func New(c Config) *Manager {
	if c.Keep == nil {
		c.Keep = func(context.Context, string, string, string) error { return nil }
	}
	if c.Root == nil {
		c.Root = func(threadID string) string { return threadID }
	}
	if c.Calls == nil {
		c.Calls = func() port.ChatCalls { return port.ChatCalls{Who: callNobody} }
	}
	if c.Buttons == nil {
		c.Buttons = func() bool { return false }
	}
	if c.Answered == nil {
		c.Answered = func(chat.Person, string, string) {}
	}
	return &Manager{config: c, wake: make(chan struct{}, 1), items: map[string]*item{}, posts: map[string]*card{}}
}

// Opened shows a question in a thread soon. One that is already shown, or that a rule
// or the guard decides, is ignored.
func (a *Manager) Opened(_ context.Context, t port.Thread, q port.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open(t, q, "")
}

// open starts to show a question; postID is its earlier post, "" for none.
func (a *Manager) open(t port.Thread, q port.Request, postID string) {
	if q.Decided != "" || q.RequestID == "" || a.items[q.RequestID] != nil || a.ended(q.RequestID) != nil {
		return
	}
	if len(a.items) >= maxItems {
		a.config.Logger.Warn("Too many requests; not posting one in its thread", "session", q.SessionID, "request", q.RequestID)
		return
	}
	it := &item{q: q, threadID: t.ID, channelID: t.ChannelID, expires: q.ExpiresAt, answers: map[string]any{}, told: map[string]bool{}}
	if n := len(t.Sent); n > 0 {
		it.first = t.Sent[n-1].By
	}
	a.items[q.RequestID] = it
	c := a.ask(it)
	if postID != "" {
		c.postID, c.tried, c.kept, c.sent = postID, true, true, true
		a.posts[postID] = c
	}
}

// ended returns a question that has ended, nil if unknown.
func (a *Manager) ended(requestID string) *item {
	if at := slices.IndexFunc(a.over, func(it *item) bool { return it.q.RequestID == requestID }); at >= 0 {
		return a.over[at]
	}
	return nil
}

// ask queues the post of an item's current step.
func (a *Manager) ask(it *item) *card {
	it.chosen = map[int]map[string]bool{}
	hash := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%d\n%d\n%d", it.q.SessionID, it.q.RequestID, it.threadID, it.q.AskedAt, it.step, a.shown))
	name := NamePrefix + it.q.RequestID
	if it.step > 0 {
		name += fmt.Sprintf("#%d", it.step)
	}
	it.card = &card{item: it, step: it.step, threadID: it.threadID, channelID: it.channelID, key: fmt.Sprintf("ask-%x", hash[:16]), name: name}
	a.push(it.card)
	return it.card
}

// push queues a card for a check.
func (a *Manager) push(c *card) {
	if !c.queued {
		if len(a.queue) >= maxCards {
			a.config.Logger.Warn("Too many request posts; not updating one", "post", c.postID)
			return
		}
		c.queued = true
		a.queue = append(a.queue, c)
	}
	owner.Wake(a.wake)
}

// say queues a sentence for a thread; duplicates are posted once.
func (a *Manager) say(threadID, channelID, text string, of ...string) {
	if text == "" || len(a.notes) >= maxNotes {
		return
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%q", threadID, text, of))
	a.notes = append(a.notes, note{channelID: channelID, threadID: threadID, key: fmt.Sprintf("asknote-%x", hash[:16]), text: text})
	owner.Wake(a.wake)
}

// Resolved updates a question's post with its end.
func (a *Manager) Resolved(_ context.Context, requestID string, r event.PermissionResolved) {
	a.mu.Lock()
	defer a.mu.Unlock()
	it := a.items[requestID]
	if it == nil {
		it = a.ended(requestID)
	}
	if it != nil {
		a.finish(it, resolved(it.q, r))
	}
}

// finish ends an item, or completes how it ended.
func (a *Manager) finish(it *item, e ending) {
	if it.end == nil {
		it.end = &e
		delete(a.items, it.q.RequestID)
		a.over = append(a.over, it)
		for len(a.over) > maxOver {
			a.drop(a.over[0])
			a.over = a.over[1:]
		}
	} else if !it.end.add(e) {
		return
	}
	it.card.close(it.end.text(it.q, a.zone()))
	a.push(it.card)
}

// drop forgets an ended item. Its card is still updated.
func (a *Manager) drop(it *item) {
	for id, c := range a.posts {
		if c.item == it {
			delete(a.posts, id)
		}
	}
}

// Restored corrects a thread's posts after missed events: after a start, after a lag,
// and when mirroring is switched on. Open questions are shown, and posts of others say
// that they are over.
func (a *Manager) Restored(_ context.Context, t port.Thread) {
	known := map[string]bool{}
	a.mu.Lock()
	for id, it := range a.items {
		known[id] = it.threadID == t.ID
	}
	a.mu.Unlock()
	list := a.config.Desk.Open(t.SessionID)
	for _, q := range list {
		known[q.RequestID] = true
	}
	a.restore(t, list)
	// What ended between the two checks was unknown when its end was reported.
	still := map[string]bool{}
	for _, q := range a.config.Desk.Open(t.SessionID) {
		still[q.RequestID] = true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, it := range a.items {
		if it.threadID == t.ID && known[id] && !still[id] {
			a.finish(it, ending{what: ended, at: time.Now().UnixMilli()})
		}
	}
}

// restore shows open questions, and ends the posts of others.
func (a *Manager) restore(t port.Thread, list []port.Request) {
	open := map[string]port.Request{}
	for _, q := range list {
		open[q.RequestID] = q
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, postID := range t.Posts {
		id, ok := cutName(name)
		if !ok || postID == "" || a.posts[postID] != nil {
			continue
		}
		if q, is := open[id]; is && name == NamePrefix+id {
			a.open(t, q, postID)
		}
		if a.posts[postID] == nil {
			c := &card{threadID: t.ID, channelID: t.ChannelID, name: name, postID: postID, tried: true, kept: true, sent: true}
			c.close(ending{what: ended}.text(port.Request{}, a.zone()))
			a.push(c)
		}
	}
	for _, q := range list {
		a.open(t, q, "")
	}
}

// Forget drops a thread that no longer shows its session: its posts say so, and its open
// questions can be answered elsewhere.
func (a *Manager) Forget(_ context.Context, threadID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shown++
	for id, it := range a.items {
		if it.threadID == threadID {
			it.end = &ending{what: hidden, at: time.Now().UnixMilli()}
			it.card.close(it.end.text(it.q, a.zone()))
			a.push(it.card)
			a.drop(it)
			delete(a.items, id)
		}
	}
}

// Open counts the open questions that are, or will be, shown in a thread; "" for all.
func (a *Manager) Open(threadID string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, it := range a.items {
		if threadID == "" || it.threadID == threadID {
			n++
		}
	}
	return n
}

// Wake makes Run retry at once: the chat is reachable again.
func (a *Manager) Wake() {
	a.mu.Lock()
	a.awake, a.delay = time.Time{}, 0
	a.mu.Unlock()
	owner.Wake(a.wake)
}

// Deleted handles a deleted post, and reports whether it was a question's: it is
// reposted once.
func (a *Manager) Deleted(_ context.Context, d chat.Deleted) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.posts[d.Post.ID]
	if c == nil {
		return false
	}
	a.lost(c)
	a.push(c)
	return true
}

func (a *Manager) zone() *time.Location {
	if a.config.Zone != nil {
		return a.config.Zone
	}
	return time.Local
}

// pseudonym names a question in replies if several are open.
func pseudonym(requestID string) string {
	const letters = "0123456789abcdefghjkmnpqrstvwxyz"
	hash := sha256.Sum256([]byte(requestID))
	var b [4]byte
	for i := range b {
		b[i] = letters[int(hash[i])%len(letters)]
	}
	return string(b[:])
}
