package ask

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/fault"
)

const (
	channel, thread, session, parley = "channel", "thread", "session", "parley"
)

// fakeChat stores posts, reactions and files, and fails on demand.
type fakeChat struct {
	port.Chat
	mu        sync.Mutex
	posts     []*chat.Post
	reactions map[string][]string
	// given are other people's reactions.
	given   []chat.Reaction
	buttons map[string][]chat.Button
	files   map[string]string
	keys    map[string]*chat.Post
	calls   []string
	// fail returns a call's error; lose means that the call succeeds anyway.
	fail func(call string) (lose bool, err error)
	// there is called with a visible post before the call that sends it returns.
	there  func(chat.Post)
	limits chat.Limits
	// kind is that of every channel, and away the error if it can't be determined.
	kind string
	away error
}

func newChat() *fakeChat {
	return &fakeChat{reactions: map[string][]string{}, buttons: map[string][]chat.Button{}, files: map[string]string{}, keys: map[string]*chat.Post{},
		limits: chat.Limits{Text: 16383, Files: 5, FileBytes: 1 << 20}}
}

// call starts a call, and returns its error.
func (f *fakeChat) call(name string) (lose bool, err error) {
	f.calls = append(f.calls, name)
	if f.fail == nil {
		return false, nil
	}
	return f.fail(name)
}

func (f *fakeChat) Me() chat.Person {
	return chat.Person{ID: parley, Username: parley, Name: "Parley", Bot: true}
}
func (f *fakeChat) Limits() chat.Limits { return f.limits }

func (f *fakeChat) Channel(_ context.Context, id string) (chat.Channel, error) {
	return chat.Channel{ID: id, Kind: cmp.Or(f.kind, chat.Private)}, f.away
}

func (f *fakeChat) find(id string) *chat.Post {
	if at := slices.IndexFunc(f.posts, func(p *chat.Post) bool { return p.ID == id }); at >= 0 {
		return f.posts[at]
	}
	return nil
}

func (f *fakeChat) Send(_ context.Context, n chat.NewPost) (chat.Post, error) {
	p, err := f.send(n)
	if f.there != nil && p.ID != "" {
		f.there(p)
	}
	return p, err
}

func (f *fakeChat) send(n chat.NewPost) (chat.Post, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	lose, err := f.call("send")
	if err != nil && !lose {
		return chat.Post{}, err
	}
	if len(n.Key) == 0 || len(n.Key) > 60 || len([]rune(n.Text)) > f.limits.Text {
		panic(fmt.Sprintf("a post that cannot be: %+v", n))
	}
	p := f.keys[n.Key]
	if p == nil {
		p = &chat.Post{ID: fmt.Sprintf("p%d", len(f.keys)+1), ChannelID: n.ChannelID, RootID: n.RootID, AuthorID: parley, Text: n.Text, Mine: true, Key: n.Key, At: time.Now().UnixMilli()}
		for _, id := range n.FileIDs {
			p.Files = append(p.Files, chat.File{ID: id, Name: f.files[id]})
		}
		f.keys[n.Key] = p
		f.posts = append(f.posts, p)
		f.buttons[p.ID] = n.Buttons
	}
	return *p, err
}

func (f *fakeChat) Edit(_ context.Context, id, text string, buttons []chat.Button) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if lose, err := f.call("edit"); err != nil && !lose {
		return err
	}
	p := f.find(id)
	if p == nil {
		return chat.ErrGone
	}
	p.Text = text
	if buttons != nil {
		f.buttons[id] = buttons
	}
	return nil
}

func (f *fakeChat) React(_ context.Context, id, emoji string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if lose, err := f.call("react"); err != nil && !lose {
		return err
	}
	if f.find(id) == nil {
		return chat.ErrGone
	}
	if !slices.Contains(f.reactions[id], emoji) {
		f.reactions[id] = append(f.reactions[id], emoji)
	}
	return nil
}

func (f *fakeChat) Unreact(_ context.Context, id, emoji string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if lose, err := f.call("unreact"); err != nil && !lose {
		return err
	}
	at := slices.Index(f.reactions[id], emoji)
	if at < 0 {
		return chat.ErrGone
	}
	f.reactions[id] = slices.Delete(f.reactions[id], at, at+1)
	return nil
}

func (f *fakeChat) Reactions(_ context.Context, id string) ([]chat.Reaction, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.call("reactions"); err != nil {
		return nil, err
	}
	var out []chat.Reaction
	for _, emoji := range f.reactions[id] {
		out = append(out, chat.Reaction{PostID: id, PersonID: parley, Emoji: emoji})
	}
	for _, r := range f.given {
		if r.PostID == id {
			out = append(out, r)
		}
	}
	return out, nil
}

func (f *fakeChat) Person(_ context.Context, id string) (chat.Person, error) {
	for _, p := range []chat.Person{ann(), bob(), cyd(), eve(), f.Me()} {
		if p.ID == id {
			return p, nil
		}
	}
	return chat.Person{}, chat.ErrGone
}

func (f *fakeChat) Upload(_ context.Context, _, name string, r io.Reader) (chat.File, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return chat.File{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.call("upload"); err != nil {
		return chat.File{}, err
	}
	id := fmt.Sprintf("f%d", len(f.files)+1)
	f.files[id] = name + "\n" + string(data)
	return chat.File{ID: id, Name: name}, nil
}

func (f *fakeChat) Post(_ context.Context, id string) (chat.Post, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.find(id); p != nil {
		return *p, nil
	}
	return chat.Post{}, chat.ErrGone
}

// fakeDesk has questions, and the first answer counts.
type fakeDesk struct {
	mu   sync.Mutex
	open []port.Request
	ends map[string]port.Outcome
	// looked is called after each read of the open questions.
	looked  func()
	answers []port.Answer
	lost    int
	refuse  error
}

func (d *fakeDesk) Open(sessionID string) []port.Request {
	d.mu.Lock()
	var out []port.Request
	for _, q := range d.open {
		if sessionID == "" || q.SessionID == sessionID {
			out = append(out, q)
		}
	}
	d.mu.Unlock()
	if d.looked != nil {
		d.looked()
	}
	return out
}

func (d *fakeDesk) Answer(_ context.Context, a port.Answer) (port.Outcome, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuse != nil {
		return port.Outcome{}, d.refuse
	}
	if end, ok := d.ends[a.RequestID]; ok {
		d.lost++
		return end, nil
	}
	at := slices.IndexFunc(d.open, func(q port.Request) bool { return q.RequestID == a.RequestID })
	if at < 0 {
		return port.Outcome{}, fault.New(fault.NotFound, "There is no such question.")
	}
	q := d.open[at]
	if len(a.Rules) > 0 && !slices.ContainsFunc(q.Offers, func(o event.RuleOffer) bool { return slices.Equal(o.Rules, a.Rules) }) {
		return port.Outcome{}, fault.New(fault.Invalid, "No such rule was offered.")
	}
	d.open = slices.Delete(d.open, at, at+1)
	what := "denied"
	if a.Allow {
		what = "allowed"
	}
	d.ends[a.RequestID] = port.Outcome{What: what, By: a.By.Name, Message: a.Message, At: time.Now().UnixMilli()}
	d.answers = append(d.answers, a)
	won := d.ends[a.RequestID]
	won.Won = true
	return won, nil
}

// decide ends a question elsewhere.
func (d *fakeDesk) decide(id string, o port.Outcome) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = slices.DeleteFunc(d.open, func(q port.Request) bool { return q.RequestID == id })
	d.ends[id] = o
}

type fakeTrail struct {
	mu    sync.Mutex
	deeds []port.Action
}

func (f *fakeTrail) Chat(_ context.Context, d port.Action) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deeds = append(f.deeds, d)
}
