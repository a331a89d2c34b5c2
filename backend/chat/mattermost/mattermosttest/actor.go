package mattermosttest

import (
	"context"
	"testing"

	"github.com/mattermost/mattermost/server/public/model"
)

// Person acts as a user with the user's rights, bypassing the faults.
type Person struct {
	s *Server
	u *user
}

// Actor is a Person whose failures fail the test.
type Actor struct {
	p  Person
	tb testing.TB
}

// Try acts as a user. An unknown id can do nothing.
func (s *Server) Try(userID string) Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Person{s: s, u: s.users[userID]}
}

// As acts as a user in a test.
func (s *Server) As(userID string) Actor {
	if s.tb == nil {
		panic("mattermosttest: As is for tests, use Try")
	}
	return Actor{p: s.Try(userID), tb: s.tb}
}

// do runs fn with mu held.
func do[T any](p Person, fn func() (T, *model.AppError)) (T, error) {
	var zero T
	if p.u == nil {
		return zero, missingUser()
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.u.DeleteAt != 0 {
		return zero, expired()
	}
	v, e := fn()
	if e != nil {
		return zero, e
	}
	return v, nil
}

func (p Person) post(in *model.Post) (*model.Post, error) {
	return do(p, func() (*model.Post, *model.AppError) {
		made, e := p.s.create(p.u, in)
		if e != nil {
			return nil, e
		}
		return p.s.shown(made), nil
	})
}

// Post writes in a channel.
func (p Person) Post(channelID, text string) (*model.Post, error) {
	return p.post(&model.Post{ChannelId: channelID, Message: text})
}

// PostWith creates a post as given: with a root, files, properties.
func (p Person) PostWith(in *model.Post) (*model.Post, error) { return p.post(in) }

// Reply writes in a post's thread.
func (p Person) Reply(rootID, text string) (*model.Post, error) {
	p.s.mu.Lock()
	root := p.s.posts[rootID]
	in := &model.Post{RootId: rootID, Message: text}
	if root != nil {
		in.ChannelId = root.ChannelId
		if root.RootId != "" {
			in.RootId = root.RootId
		}
	}
	p.s.mu.Unlock()
	return p.post(in)
}

// Edit replaces the text of one's own post.
func (p Person) Edit(postID, text string) (*model.Post, error) {
	return do(p, func() (*model.Post, *model.AppError) {
		made, e := p.s.update(p.u, postID, &model.PostPatch{Message: &text})
		if e != nil {
			return nil, e
		}
		return p.s.shown(made), nil
	})
}

// Delete deletes one's own post, or any for an administrator.
func (p Person) Delete(postID string) error {
	_, err := do(p, func() (struct{}, *model.AppError) { return struct{}{}, p.s.remove(p.u, postID) })
	return err
}

// React adds a reaction to a post.
func (p Person) React(postID, emoji string) error {
	_, err := do(p, func() (*model.Reaction, *model.AppError) { return p.s.react(p.u, postID, emoji) })
	return err
}

// Unreact removes one's own reaction.
func (p Person) Unreact(postID, emoji string) error {
	_, err := do(p, func() (struct{}, *model.AppError) {
		return struct{}{}, p.s.unreact(p.u, p.u.Id, postID, emoji)
	})
	return err
}

// Upload stores a file for a later post.
func (p Person) Upload(channelID, name string, data []byte) (*model.FileInfo, error) {
	return do(p, func() (*model.FileInfo, *model.AppError) { return p.s.save(p.u, channelID, name, data) })
}

// Typing sends a typing indicator.
func (p Person) Typing(channelID, rootID string) error {
	_, err := do(p, func() (struct{}, *model.AppError) { return struct{}{}, p.s.typing(p.u, channelID, rootID) })
	return err
}

// Direct finds or creates the direct channel with a user.
func (p Person) Direct(otherID string) (*model.Channel, error) {
	return do(p, func() (*model.Channel, *model.AppError) {
		if p.s.users[otherID] == nil {
			return nil, missingUser()
		}
		c := *p.s.direct(p.u.Id, otherID).Channel
		return &c, nil
	})
}

// Press presses a post's button: its address is called before this returns.
func (p Person) Press(ctx context.Context, postID, actionID string) error {
	if p.u == nil {
		return missingUser()
	}
	if _, e := p.s.press(ctx, p.u, postID, actionID, ""); e != nil {
		return e
	}
	return nil
}

// must fails the test.
func must[T any](a Actor, v T, err error) T {
	a.tb.Helper()
	if err != nil {
		a.tb.Fatalf("mattermosttest: %v", err)
	}
	return v
}

func (a Actor) check(err error) {
	a.tb.Helper()
	must(a, 0, err)
}

// Post writes in a channel.
func (a Actor) Post(channelID, text string) *model.Post {
	a.tb.Helper()
	v, err := a.p.Post(channelID, text)
	return must(a, v, err)
}

// PostWith creates a post as given: with a root, files, properties.
func (a Actor) PostWith(in *model.Post) *model.Post {
	a.tb.Helper()
	v, err := a.p.PostWith(in)
	return must(a, v, err)
}

// Reply writes in a post's thread.
func (a Actor) Reply(rootID, text string) *model.Post {
	a.tb.Helper()
	v, err := a.p.Reply(rootID, text)
	return must(a, v, err)
}

// Edit replaces the text of one's own post.
func (a Actor) Edit(postID, text string) *model.Post {
	a.tb.Helper()
	v, err := a.p.Edit(postID, text)
	return must(a, v, err)
}

// Delete deletes one's own post, or any for an administrator.
func (a Actor) Delete(postID string) {
	a.tb.Helper()
	a.check(a.p.Delete(postID))
}

// React adds a reaction to a post.
func (a Actor) React(postID, emoji string) {
	a.tb.Helper()
	a.check(a.p.React(postID, emoji))
}

// Unreact removes one's own reaction.
func (a Actor) Unreact(postID, emoji string) {
	a.tb.Helper()
	a.check(a.p.Unreact(postID, emoji))
}

// Upload stores a file for a later post.
func (a Actor) Upload(channelID, name string, data []byte) *model.FileInfo {
	a.tb.Helper()
	v, err := a.p.Upload(channelID, name, data)
	return must(a, v, err)
}

// Typing sends a typing indicator.
func (a Actor) Typing(channelID, rootID string) {
	a.tb.Helper()
	a.check(a.p.Typing(channelID, rootID))
}

// Direct finds or creates the direct channel with a user.
func (a Actor) Direct(otherID string) *model.Channel {
	a.tb.Helper()
	v, err := a.p.Direct(otherID)
	return must(a, v, err)
}

// Press presses a post's button: its address is called before this returns.
func (a Actor) Press(postID, actionID string) {
	a.tb.Helper()
	a.check(a.p.Press(a.tb.Context(), postID, actionID))
}
