package mattermosttest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mattermost/mattermost/server/public/model"
)

// Posts returns the undeleted posts of a channel in order of creation, without system
// posts.
func (s *Server) Posts(channelID string) []*model.Post {
	return s.collect(s.inOrderOf(channelID))
}

func (s *Server) inOrderOf(channelID string) func() []*post {
	return func() []*post { return s.inOrder[channelID] }
}

// Thread returns a root and its replies, without deleted ones, in order of creation.
func (s *Server) Thread(rootID string) []*model.Post {
	return s.collect(func() []*post {
		if s.posts[rootID] == nil {
			return nil
		}
		return append([]*post{s.posts[rootID]}, s.replies[rootID]...)
	})
}

func (s *Server) collect(of func() []*post) []*model.Post {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(of())
	slices.SortStableFunc(list, func(a, b *post) int { return cmp.Compare(a.number, b.number) })
	out := []*model.Post{}
	for _, p := range list {
		if p.DeleteAt == 0 && !strings.HasPrefix(p.Type, model.PostSystemMessagePrefix) {
			out = append(out, s.shown(p))
		}
	}
	return out
}

// Post returns one post, even if deleted, nil if there is none. Unlike what clients see,
// it has the addresses of its buttons.
func (s *Server) Post(id string) *model.Post {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.posts[id]
	if p == nil {
		return nil
	}
	out := s.shown(p)
	out.SetProps(plain(p.GetProps()))
	return out
}

// Edits returns how often a post was edited, as far as the server remembers
// (32).
func (s *Server) Edits(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.posts[id]; p != nil {
		return len(p.history)
	}
	return 0
}

// Reactions returns those of a post, as "username emoji", in order of creation.
func (s *Server) Reactions(postID string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []string{}
	if p := s.posts[postID]; p != nil {
		for _, r := range p.reactions {
			out = append(out, s.users[r.UserId].Username+" "+r.EmojiName)
		}
	}
	return out
}

// File returns an uploaded file, nil if there is none.
func (s *Server) File(id string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[id]; f != nil {
		return slices.Clone(f.data)
	}
	return nil
}

// Typings returns all typing indicators.
func (s *Server) Typings() []Typing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.typings)
}

// Sockets returns the number of a user's open authenticated sockets.
func (s *Server) Sockets(userID string) int {
	return len(s.Connections(userID))
}

// Connections returns the ids of those sockets.
func (s *Server) Connections(userID string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, so := range s.sockets {
		if so.conn != nil && so.user != nil && so.user.Id == userID {
			out = append(out, so.id)
		}
	}
	return out
}

// Calls counts a user's calls by route, as "POST /posts/{post_id}/patch", including
// those hit by a fault; "" for those without a valid token.
func (s *Server) Calls(userID string) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := maps.Clone(s.calls[userID])
	if out == nil {
		out = map[string]int{}
	}
	return out
}

// InjectedFaults returns how often faults have happened.
func (s *Server) InjectedFaults() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.struck
}

// ResetCalls resets the counters.
func (s *Server) ResetCalls() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.calls)
}

// Poke makes waiters recheck their conditions.
func (s *Server) Poke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change()
}

// Until waits for a condition, which is rechecked after every event here; it may use the
// server. It fails with the context.
func (s *Server) Until(ctx context.Context, done func() bool) error {
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if done() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// patience is how long a test waits for something that never happens.
const patience = time.Minute

// WaitFor is Until in a test: it fails if the condition isn't met within a minute,
// naming what was waited for.
func (s *Server) WaitFor(tb testing.TB, what string, done func() bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	if err := s.Until(ctx, done); err != nil {
		tb.Fatalf("mattermosttest: waited in vain for %s", what)
	}
}
