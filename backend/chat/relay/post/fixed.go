package post

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"parley/backend/chat"
)

// If the chat doesn't allow editing a post, or no longer, it is continued in new posts:
// each contains what is new, and nothing is repeated.

const (
	// newPost is how much new text justifies a new post, in characters.
	newPost = 1500
	// refusedFor is how long no post is edited after the chat refused it. Then it is
	// retried, because permissions change.
	refusedFor = time.Hour
	// shortly is the edit limit below which a post isn't started with partial
	// text.
	shortly = time.Minute
)

// fixed reports whether a post can't be edited.
func (s *Stream) fixed(at *slot, now time.Time) bool {
	if at.fixed || s.refused.After(now) {
		return true
	}
	limit := s.cfg.Chat.Limits().EditFor
	return limit > 0 && (limit < shortly || !at.made.IsZero() && now.Sub(at.made) > limit-time.Second)
}

// extend returns the call that posts what is new in a draft, or nil, and whether some is
// left for another. whole means that the text is final.
func (s *Stream) extend(turn string, at *slot, text string, whole bool, limit int) (do func() bool, again bool) {
	if !at.known {
		at.text, at.known = text[:min(at.done, len(text))], true
	}
	at.posts = max(at.posts, min(len(at.id), 1))
	said, upTo := more(at.text, text, whole, limit)
	if said == "" {
		return nil, false
	}
	return func() bool { return s.sendMore(turn, at, said, upTo) }, whole && upTo != text
}

// more returns the part of a text that isn't in the thread yet, for one post, or "" while
// that is too little; upTo is what is then in the thread.
func more(shown, text string, whole bool, limit int) (said, upTo string) {
	from := agreed(shown, text)
	open := openFence(text[:from])
	rest := text[from:]
	if strings.Trim(rest, " \t\r\n`~") == "" {
		return "", ""
	}
	src := open + rest
	size := limit
	if !whole {
		size = min(newPost, limit)
	}
	if n := utf8.RuneCountInString(src); n <= size {
		if !whole {
			return "", ""
		}
		if open == "" {
			src = strings.TrimLeft(src, " \t\r\n")
		}
		return src, text
	}
	c := choose(src, len(open), size)
	p := finish(open, src[len(open):c.at], size)
	if open == "" {
		p.body = strings.TrimLeft(p.body, " \t\r\n")
	}
	return p.open + p.body + p.close, text[:from+c.at-len(open)]
}

// agreed returns how far a text matches what is shown. A line about a tool is reposted
// when it says more; everything else continues where it ended.
func agreed(shown, text string) int {
	n := 0
	for n < min(len(shown), len(text)) && shown[n] == text[n] {
		n++
	}
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	if n == len(shown) || n == len(text) {
		return n
	}
	start := strings.LastIndexByte(text[:n], '\n') + 1
	if first, _ := utf8.DecodeRuneInString(text[start:]); unicode.Is(unicode.So, first) {
		return start
	}
	return n
}

// openFence returns the line that reopens the code block a text ends in, or "".
func openFence(text string) string {
	if heavy(text) {
		return ""
	}
	last, ok := parse([]byte(text)).LastChild().(*ast.FencedCodeBlock)
	if !ok {
		return ""
	}
	f := fenceOf([]byte(text), last)
	if f.closed || f.mark == "" || len(f.info) > least {
		return ""
	}
	return f.mark + f.info + "\n"
}

func (s *Stream) sendMore(turn string, at *slot, said, upTo string) bool {
	began := time.Now()
	key := s.key(turn, at)
	if at.posts > 0 {
		key += "-" + strconv.Itoa(at.posts)
	}
	p, err := s.cfg.Chat.Send(s.ctx, chat.NewPost{Key: key, ChannelID: s.cfg.ChannelID, RootID: s.root(), Text: said})
	if err == nil && p.Text == "" {
		// It may be from an earlier Parley, with a shorter text.
		if was, err := s.cfg.Chat.Post(s.ctx, p.ID); err == nil {
			p.Text = was.Text
		}
	}
	s.mu.Lock()
	switch {
	case err == nil:
		if at.id == "" {
			at.id = p.ID
		}
		if old := strings.TrimSpace(p.Text); len(old) < len(said) && strings.HasPrefix(said, old) {
			upTo = upTo[:max(len(upTo)-len(said)+len(old), 0)]
		}
		at.text, at.done, at.known, at.fixed = upTo, len(upTo), true, true
		at.posts++
		s.unkept = true
	case errors.Is(err, chat.ErrGone):
		at.dead = true // the thread is
	}
	s.pace.changed(ending, time.Now())
	s.mu.Unlock()
	return s.called(began, at, err)
}

// refuse records that the chat doesn't allow editing a post, and continues without. The
// caller holds s.mu.
func (s *Stream) refuse(at *slot, now time.Time) {
	s.refused = now.Add(refusedFor)
	at.fixed, at.posts, at.done = true, max(at.posts, 1), len(at.text)
	s.unkept = true
	s.pace.changed(ending, now)
}

// A fixed post is stored with what is needed to continue: the number of continuation
// posts, and how much of the text they contain.
func (at *slot) state() string { return fmt.Sprintf("%d %d", at.posts, at.done) }

func (at *slot) resume(state string) {
	posts, done, _ := strings.Cut(state, " ")
	at.posts, _ = strconv.Atoi(posts)
	at.done, _ = strconv.Atoi(done)
	at.fixed = true
}
