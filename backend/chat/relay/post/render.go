package post

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// draft is the intended state of a post.
type draft struct {
	// part names it within its turn, and never changes.
	part, text string
}

// spare is kept free in each post for the lines at its end, in characters.
const spare = 400

// posts returns the posts of a turn in order. limit is the maximum number of
// characters per post.
//
// What precedes something with its own post (a prompt, a question, a failure) is one
// group. A group with only text is a growing answer. One with tools is a record of the
// work, with a line per tool call; the text after its last tool may be the answer and is
// held back until that is certain, because people are notified of a new post and not of
// a changed one.
func (t *turn) posts(limit int) []draft {
	r := &renderer{limit: max(limit-spare, limit/2)}
	group, from := 0, 0
	for i, it := range t.items {
		if !it.alone() {
			continue
		}
		r.group(group, t.items[from:i], true)
		if it.text != "" {
			r.out = append(r.out, draft{"g" + strconv.Itoa(group) + "x", Truncate(it.text, limit-spare)})
		}
		group, from = group+1, i+1
	}
	r.group(group, t.items[from:], t.over)
	r.end(group, t)
	return r.out
}

type renderer struct {
	limit int
	out   []draft
	// name and n are those of the current post, weight is its size.
	name   string
	n      int
	text   strings.Builder
	weight int
	tools  bool
}

// group renders the items between two that have their own posts.
func (r *renderer) group(g int, items []*item, whole bool) {
	last := -1
	for i, it := range items {
		if it.kind != ofText {
			last = i
		}
	}
	r.open("g" + strconv.Itoa(g))
	for _, it := range items[:last+1] {
		r.put(it)
	}
	if last >= 0 {
		r.flush()
		if !whole {
			return
		}
		r.open("g" + strconv.Itoa(g) + "a")
	}
	for _, it := range items[last+1:] {
		r.put(it)
	}
	r.flush()
}

func (r *renderer) open(name string) { r.name, r.n = name, 0 }

// flush ends the current post.
func (r *renderer) flush() {
	if r.text.Len() > 0 {
		r.out = append(r.out, draft{r.name + "-" + strconv.Itoa(r.n), r.text.String()})
	}
	if r.text.Len() > 0 || r.weight > 0 {
		r.n++
	}
	r.text.Reset()
	r.weight, r.tools = 0, false
}

// put adds an item. Each tool call reserves the longest line, so that a line that
// grows later moves nothing to another post.
func (r *renderer) put(it *item) {
	switch it.kind {
	case ofTool:
		if r.weight > 0 && r.weight+lineWeight > r.limit {
			r.flush()
		}
		r.weight += lineWeight
		if line := it.tool.line(); line != "" {
			r.join(line, true)
		}
	case ofNotice:
		if r.weight > 0 && r.weight+lineWeight > r.limit {
			r.flush()
		}
		r.weight += lineWeight
		if it.text != "" {
			r.join(Truncate(it.text, lineWeight), true)
		}
	case ofText:
		r.say(it)
	}
}

// say adds text, in as many posts as needed.
func (r *renderer) say(it *item) {
	tame := it.tame
	if tame == "" {
		if tame = seal(strings.TrimSpace(Sanitize(string(it.said)))); it.ended {
			it.tame = tame
		}
	}
	if tame == "" {
		return
	}
	n := utf8.RuneCountInString(tame)
	if r.weight+n+2 <= r.limit {
		r.weight += n + 2
		r.join(tame, false)
		return
	}
	if r.weight > 0 {
		r.flush()
	}
	parts := hushed(tame, r.limit, 3)
	for i, part := range parts {
		r.weight = utf8.RuneCountInString(part) + 2
		r.join(part, false)
		if i < len(parts)-1 {
			r.flush()
		}
	}
}

// join adds to the post's text: lines directly follow lines, everything else follows an
// empty line.
func (r *renderer) join(text string, line bool) {
	if r.text.Len() > 0 {
		r.text.WriteString("\n")
		if !line || !r.tools {
			r.text.WriteString("\n")
		}
	}
	r.text.WriteString(text)
	r.tools = line
}

// end adds the final part: the status, or how it ended.
func (r *renderer) end(g int, t *turn) {
	var lines []string
	if t.left > 0 {
		lines = append(lines, fmt.Sprintf("_%d more tool uses and texts are in Parley._", t.left))
	}
	if t.lost {
		lines = append(lines, "_The rest of this answer is in Parley._")
	}
	if t.dropped > 0 && t.over {
		lines = append(lines, "_"+count(t.dropped, "more file")+": in Parley._")
	}
	if t.status != "" {
		lines = append(lines, t.status)
	}
	if t.over {
		switch {
		case t.stopped || t.reason == "interrupted":
			lines = append(lines, "⏹️ _Interrupted_")
		case t.reason == "closed":
			lines = append(lines, "⏹️ _The session was closed before this was finished_")
		}
		if f := t.footer(); f != "" {
			lines = append(lines, f)
		}
	}
	if len(lines) == 0 {
		return
	}
	text := strings.Join(lines, "\n")
	last := len(r.out) - 1
	if last >= 0 && (!strings.HasSuffix(r.out[last].part, "x") || t.items[len(t.items)-1].kind == ofAlarm) {
		r.out[last].text += "\n\n" + text
		return
	}
	if text == t.footer() {
		return // nothing was posted, so there is nothing to report
	}
	r.out = append(r.out, draft{"g" + strconv.Itoa(g) + "-0", text})
}

// render renders a model's text as posts.
func render(markdown string, limit int) []string {
	return hushed(Sanitize(markdown), limit, 3)
}

// hushed splits sanitized text. A split can move a character out of code, so each part
// is sanitized again.
func hushed(markdown string, limit, tries int) []string {
	var parts []string
	for _, part := range Split(markdown, limit) {
		tame := Sanitize(part)
		switch {
		case tame == part || utf8.RuneCountInString(tame) <= limit:
			parts = append(parts, tame)
		case tries > 0:
			parts = append(parts, hushed(tame, limit, tries-1)...)
		default:
			parts = append(parts, Sanitize(part[:fit(part, limit/2)]), Sanitize(part[fit(part, limit/2):]))
		}
	}
	return parts
}
