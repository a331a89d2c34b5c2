package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"parley/backend/tmux"
)

// maxSeen bounds the remembered terminal questions that were shown.
const maxSeen = 500

// seen holds the terminal questions shown in threads and posts: only those can be
// answered.
type seen struct {
	mu sync.Mutex
	// posts are by post id, threads by thread and pane; order has the oldest of both
	// first.
	posts, threads map[string]shown
	order          []string
}

// shown is a question that people have seen.
type shown struct{ pane, fingerprint string }

func (s *seen) put(into *map[string]shown, key, ordered string, what shown) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *into == nil {
		*into = map[string]shown{}
	}
	(*into)[key] = what
	s.order = append(slices.DeleteFunc(s.order, func(o string) bool { return o == ordered }), ordered)
	if len(s.order) <= maxSeen {
		return
	}
	oldest := s.order[0]
	s.order = s.order[1:]
	delete(s.posts, strings.TrimPrefix(oldest, "post "))
	delete(s.threads, strings.TrimPrefix(oldest, "thread "))
}

func threadKey(threadID, paneID string) string { return threadID + " " + paneID }

// inThread records what a thread is shown; last is what it was shown before.
func (s *seen) inThread(threadID string, screen *tmux.Screen) {
	key := threadKey(threadID, screen.Pane.ID)
	s.put(&s.threads, key, "thread "+key, shown{screen.Pane.ID, screen.Fingerprint})
}

func (s *seen) last(threadID, paneID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.threads[threadKey(threadID, paneID)].fingerprint
}

// Shown records that a post shows a terminal's question.
func (t *Table) Shown(postID string, s tmux.Screen) {
	if s.Fingerprint != "" {
		t.seen.put(&t.seen.posts, postID, "post "+postID, shown{s.Pane.ID, s.Fingerprint})
	}
}

// Reaction returns the call that a reaction to one of Parley's posts stands for:
// one of the control reactions, or the answer to the terminal question in that
// post.
func (t *Table) Reaction(postID, emoji string) (Call, bool) {
	emoji = bare(emoji)
	switch emoji {
	case "octagonal_sign", "stop_sign":
		return Call{Name: "stop"}, true
	case "skull":
		return Call{Name: "kill"}, true
	case "warning":
		return Call{Name: "escape"}, true
	}
	t.seen.mu.Lock()
	what, ok := t.seen.posts[postID]
	t.seen.mu.Unlock()
	if !ok {
		return Call{}, false
	}
	do := ""
	switch emoji {
	case "white_check_mark", "heavy_check_mark", "+1", "thumbsup":
		do = "approve"
	case "x", "-1", "thumbsdown":
		do = "deny"
	}
	if n := slices.Index([]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}, emoji); n >= 0 {
		do = "choose " + string(rune('1'+n))
	}
	return Call{Name: "session", Text: what.pane + " " + do, shown: what.fingerprint}, do != ""
}

// tone matches the skin tone suffix of an emoji's name.
var tone = regexp.MustCompile(`_(light|medium_light|medium|medium_dark|dark)_skin_tone$`)

func bare(emoji string) string { return tone.ReplaceAllString(emoji, "") }
