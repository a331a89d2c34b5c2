package relay_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"parley/backend/chat"
)

// fakeChat is a chat server.
type fakeChat struct {
	mu    sync.Mutex
	posts []*chat.Post
	files map[string][]byte
	// react holds reactions as "post/person/emoji".
	react map[string]bool
	// err fails sends and look-ups; barred refuses sends.
	err    error
	barred bool
	// sends counts sending calls.
	sends int
}

func newFakeChat() *fakeChat {
	return &fakeChat{files: map[string][]byte{}, react: map[string]bool{}}
}

func (c *fakeChat) write(by, channel, root, text string, files ...chat.File) chat.Post {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := &chat.Post{ID: fmt.Sprintf("post%03d", len(c.posts)+1), ChannelID: channel, RootID: root, AuthorID: by, Text: text, Files: files, At: time.Now().UnixMilli()}
	c.posts = append(c.posts, p)
	return *p
}

func (c *fakeChat) find(id string) *chat.Post {
	for _, p := range c.posts {
		if p.ID == id {
			return p
		}
	}
	return nil
}

func (c *fakeChat) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

func (c *fakeChat) send(p chat.NewPost) (chat.Post, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sends++
	switch {
	case c.err != nil:
		return chat.Post{}, c.err
	case c.barred:
		return chat.Post{}, chat.ErrForbidden
	}
	if p.Key == "" || len(p.Key) > 60 || strings.Trim(p.Key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return chat.Post{}, fmt.Errorf("the key %q is not valid", p.Key)
	}
	for _, old := range c.posts {
		if old.Key == p.Key {
			return *old, nil
		}
	}
	if p.RootID != "" && c.find(p.RootID) == nil {
		return chat.Post{}, chat.ErrGone
	}
	made := &chat.Post{ID: fmt.Sprintf("post%03d", len(c.posts)+1), ChannelID: p.ChannelID, RootID: p.RootID, AuthorID: "me", Text: p.Text, At: time.Now().UnixMilli(), Mine: true, Key: p.Key}
	c.posts = append(c.posts, made)
	return *made, nil
}

// mortalChat is the chat as seen by one run of Parley.
type mortalChat struct {
	*fakeChat
	life *mortal
}

func (c mortalChat) Me() chat.Person {
	return chat.Person{ID: "me", Username: "parley", Name: "Parley", Bot: true}
}
func (c mortalChat) Limits() chat.Limits {
	return chat.Limits{Text: 16383, Files: 5, FileBytes: 50 << 20}
}
func (c mortalChat) Connection() chat.Connection { return chat.Connection{State: "connected"} }
func (c mortalChat) Link(id string) string       { return "https://chat.example/pl/" + id }

func (c mortalChat) Send(_ context.Context, p chat.NewPost) (chat.Post, error) {
	happens, heard := c.life.step()
	if !happens {
		return chat.Post{}, errDead
	}
	made, err := c.send(p)
	if !heard {
		return chat.Post{}, errDead
	}
	return made, err
}

func (c mortalChat) Edit(_ context.Context, id, text string, _ []chat.Button) error {
	happens, heard := c.life.step()
	if !happens {
		return errDead
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.find(id)
	switch {
	case c.err != nil:
		return c.err
	case p == nil:
		return chat.ErrGone
	}
	p.Text = text
	if !heard {
		return errDead
	}
	return nil
}

func (c mortalChat) Reactions(context.Context, string) ([]chat.Reaction, error) { return nil, nil }

func (c mortalChat) React(_ context.Context, id, emoji string) error {
	if !c.life.alive() {
		return errDead
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.react[id+"/me/"+emoji] = true
	return c.err
}

func (c mortalChat) Unreact(_ context.Context, id, emoji string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.react, id+"/me/"+emoji)
	return c.err
}

func (c mortalChat) Upload(_ context.Context, _, name string, r io.Reader) (chat.File, error) {
	data, err := io.ReadAll(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	id := fmt.Sprintf("file%d", len(c.files))
	c.files[id] = data
	return chat.File{ID: id, Name: name}, err
}

func (c mortalChat) Download(_ context.Context, id string, limit int64) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, ok := c.files[id]
	switch {
	case c.err != nil:
		return nil, c.err
	case !ok:
		return nil, chat.ErrGone
	case int64(len(data)) > limit:
		return nil, chat.ErrTooLarge
	}
	return data, nil
}

func (c mortalChat) Typing(context.Context, string, string) error { return nil }

func (c mortalChat) Post(_ context.Context, id string) (chat.Post, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.find(id); p != nil {
		return *p, nil
	}
	return chat.Post{}, chat.ErrGone
}

func (c mortalChat) Thread(_ context.Context, root string, limit int) ([]chat.Post, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []chat.Post
	for _, p := range c.posts {
		if p.ID == root || p.RootID == root {
			list = append(list, *p)
		}
	}
	return list[max(0, len(list)-limit):], c.err
}

func (c mortalChat) Person(_ context.Context, id string) (chat.Person, error) {
	if !c.life.alive() {
		return chat.Person{}, errDead
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return chat.Person{ID: id, Username: id, Name: strings.ToUpper(id[:1]) + id[1:], Bot: strings.HasPrefix(id, "bot")}, c.err
}

func (c mortalChat) Channel(_ context.Context, id string) (chat.Channel, error) {
	kind := chat.Open
	if strings.HasPrefix(id, "dm") {
		kind = chat.Direct
	}
	if strings.HasPrefix(id, "gm") {
		kind = chat.Group
	}
	return chat.Channel{ID: id, Title: "The " + id, Kind: kind}, nil
}

func (c mortalChat) InTeam(context.Context, string, string) (bool, error) { return true, nil }
