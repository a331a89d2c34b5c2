// Package textsearch searches a text in messages like Ctrl+F: every occurrence counts,
// regardless of its surroundings; case is ignored unless requested, and so are Unicode
// variants of a letter (package fold). It is pure; package search finds words in all
// conversations. Markdown is searched as rendered: without markup and link addresses.
package textsearch

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/parser"

	"parley/backend/event"
	"parley/backend/fold"
)

// MaxQuery is the maximum length of a query, in bytes.
const MaxQuery = 200

const (
	// around is how much text is shown before and after a place, in bytes,
	// approximately.
	around = 80
	// maxMarks bounds the marks in a snippet.
	maxMarks = 50
)

// Query is a parsed query.
type Query struct {
	text []rune
	// exact is case-sensitive, words requires that no letters or digits are
	// adjacent.
	exact, words bool
	markdown     parser.Parser
}

// Parse parses a query. Line breaks and tabs are searched literally.
func Parse(text string, exact, words bool) (Query, error) {
	switch {
	case text == "":
		return Query{}, errors.New("there is nothing to look for")
	case len(text) > MaxQuery:
		return Query{}, errors.New("the text to look for is too long")
	case !utf8.ValidString(text):
		return Query{}, errors.New("the text to look for is not UTF-8")
	}
	q := Query{exact: exact, words: words, markdown: newMarkdown()}
	for _, r := range text {
		q.text = fold.AppendRune(q.text, r, exact)
	}
	return q, nil
}

// Hit is a block, or a message's own text, with the places in it.
type Hit struct {
	MessageID string
	// ParentToolUseID is set for a subagent's messages.
	ParentToolUseID string
	// BlockID is "" for the text of a notice.
	BlockID string
	// Kind is "prompt", "answer", "thinking", "toolInput", "toolOutput" or "notice".
	Kind string
	// Tool is the tool's name for its input and output.
	Tool string
	At   int64
	// Count is the number of places.
	Count int
	// Snippet is the text around the first place on one line; Marks are the places in
	// it, in UTF-16 units.
	Snippet string
	Marks   []Mark
}

// Mark is the range of a match, from Start up to End.
type Mark struct{ Start, End int }

// Message returns the hits in a message, in display order.
func (q Query) Message(m *event.Message) []Hit {
	var hits []Hit
	look := func(kind, block, tool, text string) {
		if h, ok := q.in(text); ok {
			h.MessageID, h.ParentToolUseID, h.BlockID, h.Kind, h.Tool, h.At = m.ID, m.ParentToolUseID, block, kind, tool, m.At
			hits = append(hits, h)
		}
	}
	if m.Notice != nil {
		look("notice", "", "", m.Notice.Text)
	}
	said := "answer"
	if m.Role == "user" {
		said = "prompt"
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch {
		case b.Tool != nil:
			look("toolInput", b.ID, b.Tool.Name, strings.Join(inputTexts(b.Tool), "\n"))
			for _, part := range b.Tool.Content {
				look("toolOutput", b.ID, b.Tool.Name, part.Text)
			}
		case b.Type == "thinking":
			look("thinking", b.ID, "", b.Text)
		case m.Role == "assistant" || m.Role == "user" && m.Synthetic:
			look(said, b.ID, "", asRead(q.markdown, b.Text))
		default:
			look(said, b.ID, "", b.Text)
		}
	}
	return hits
}

// inputTexts returns the texts of a tool's input, without field names, which
// aren't shown.
func inputTexts(t *event.Tool) []string {
	var v any
	if json.Unmarshal(t.Input, &v) != nil {
		return []string{t.InputText}
	}
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, k := range keys(v) {
				walk(v[k])
			}
		}
	}
	walk(v)
	return out
}

// in counts the places in a text and returns a hit with the text around the
// first.
func (q Query) in(text string) (Hit, bool) {
	var places []Mark // in bytes
	count := 0
	for at := 0; ; {
		start, end, ok := q.next(text, at)
		if !ok {
			break
		}
		if count++; len(places) < maxMarks {
			places = append(places, Mark{start, end})
		}
		at = end
	}
	if count == 0 {
		return Hit{}, false
	}
	h := Hit{Count: count}
	h.Snippet, h.Marks = snippet(text, places)
	return h, true
}

// next finds the next place from an offset on, in bytes.
func (q Query) next(text string, from int) (start, end int, ok bool) {
	var parts [maxParts]rune
	for at := from; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if fold.AppendRune(parts[:0], r, q.exact)[0] == q.text[0] {
			if end, ok := q.at(text, at); ok && (!q.words || apart(text, at, end)) {
				return at, end, true
			}
		}
		at += size
	}
	return 0, 0, false
}

// at reports whether the text matches at an offset, and returns where the match
// ends.
func (q Query) at(text string, at int) (end int, ok bool) {
	var parts [maxParts]rune
	for rest := q.text; len(rest) > 0; {
		r, size := utf8.DecodeRuneInString(text[at:])
		if size == 0 {
			return 0, false
		}
		is := fold.AppendRune(parts[:0], r, q.exact)
		if len(is) > len(rest) || !slices.Equal(is, rest[:len(is)]) {
			return 0, false
		}
		rest = rest[len(is):]
		at += size
	}
	// A following accent makes it another letter.
	next, _ := utf8.DecodeRuneInString(text[at:])
	return at, !fold.Accent(next)
}

// maxParts is the maximum decomposition of one character.
const maxParts = 18

// apart reports whether no letter or digit is adjacent to a place.
func apart(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !wordy(before) && !wordy(after)
}

func wordy(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
