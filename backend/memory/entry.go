package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"parley/backend/truncate"
)

// Entry is one memory: a line of a daily file, or a paragraph of another file.
type Entry struct {
	// ID is from its comment, or derived from its text.
	ID string
	// Place is the file, and Line the line where it starts, from 1.
	Place
	Line int
	// At is when it was saved, to the minute. Without a clock (Clock false) it is the
	// start of the day, or when the file was changed.
	At    time.Time
	Clock bool
	// About is the user it is about, "" for none in particular.
	About string
	// Text is cleaned.
	Text   string
	Origin Origin

	// start and end are its byte offsets in the file.
	start, end int
	raw        string
	folded     string
}

// Origin is where a memory came from. All fields are "" for a line that another program
// or a user by hand wrote.
type Origin struct {
	// By is "session", "person" (typed in Parley) or "earl" (imported).
	By string
	// Session is the id of the session, Heartbeat the name of the heartbeat that ran
	// it, and Workspace the slug of its folder.
	Session, Heartbeat, Workspace string
}

// mark is the comment that contains the origin.
func mark(id string, o Origin) string {
	values := url.Values{"id": {id}}
	for key, value := range map[string]string{"by": o.By, "session": o.Session, "heartbeat": o.Heartbeat, "in": o.Workspace} {
		if value != "" {
			values.Set(key, value)
		}
	}
	return "<!-- parley " + values.Encode() + " -->"
}

var (
	marks = regexp.MustCompile(`[ \t]*<!-- parley ([^<>\s]+) -->[ \t]*$`)
	ids   = regexp.MustCompile(`^[a-z0-9]{6,32}$`)
	daily = regexp.MustCompile("^[-*] \\*\\*(\\d{2}:\\d{2}) UTC\\*\\* \\| `?@([^`|]*?)`? \\| ?(.*)$")
	// bullets start an entry, headings are not part of one.
	bullets  = regexp.MustCompile(`^[-*+] +`)
	headings = regexp.MustCompile(`^#{1,6}(?: +|$)`)
)

// block formats an entry of a daily file.
func block(at time.Time, about, text, id string, o Origin) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		switch {
		case i == 0:
			fmt.Fprintf(&b, "- **%s UTC** | `@%s` | %s %s\n", at.UTC().Format("15:04"), about, line, mark(id, o))
		case line == "":
			b.WriteByte('\n')
		default:
			b.WriteString("  " + line + "\n")
		}
	}
	return b.String()
}

// parse reads the entries of a file. Any text is valid; changed is the file's modification time.
func parse(place Place, content string, changed time.Time) []Entry {
	p := parser{place: place, changed: changed, seen: map[string]bool{}}
	if t, err := time.Parse(day, place.Day); err == nil {
		p.changed = t
	}
	lines := strings.SplitAfter(content, "\n")
	offset, number := 0, 0
	for i := 0; i < len(lines); {
		line := strings.TrimRight(lines[i], "\r\n")
		if strings.TrimSpace(line) == "" {
			offset, number, i = offset+len(lines[i]), number+1, i+1
			continue
		}
		n := 1
		if !headings.MatchString(line) {
			n = extent(lines[i:])
		}
		size := 0
		for _, l := range lines[i : i+n] {
			size += len(l)
		}
		p.add(content[offset:offset+size], offset, number+1)
		offset, number, i = offset+size, number+n, i+n
	}
	return p.entries
}

// extent counts the lines of the entry that starts with the first of some lines: those
// that follow, up to an empty one, a bullet or a heading; after an empty one it continues
// only with indented lines.
func extent(lines []string) int {
	n := 1
	for i := 1; i < len(lines); i++ {
		line := lines[i]
		blank := strings.TrimSpace(line) == ""
		indented := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
		switch {
		case blank:
			continue
		case indented:
		case n < i || bullets.MatchString(line) || headings.MatchString(line):
			return n
		}
		n = i + 1
	}
	return n
}

type parser struct {
	place   Place
	changed time.Time
	seen    map[string]bool
	entries []Entry
}

func (p *parser) add(raw string, offset, line int) {
	e := Entry{Place: p.place, Line: line, At: p.changed, start: offset, end: offset + len(raw), raw: raw}
	first, rest, more := strings.Cut(strings.TrimRight(raw, "\r\n"), "\n")
	first = strings.TrimRight(first, "\r")
	if m := marks.FindStringSubmatch(first); m != nil {
		first = strings.TrimSuffix(first, m[0])
		e.ID, e.Origin = unmark(m[1])
	}
	if m := daily.FindStringSubmatch(first); m != nil && p.place.Kind == Daily {
		if at, err := time.Parse(day+" 15:04", p.place.Day+" "+m[1]); err == nil {
			e.At, e.Clock = at, true
		}
		e.About, first = Clean(m[2]), m[3]
	} else if headings.MatchString(first) {
		if p.place.Kind == Daily {
			return // "Memories for …"
		}
		first = headings.ReplaceAllString(first, "")
	} else {
		first = bullets.ReplaceAllString(first, "")
	}
	text := first
	if more {
		for l := range strings.SplitSeq(rest, "\n") {
			if cut, ok := strings.CutPrefix(l, "  "); ok {
				l = cut
			}
			text += "\n" + l
		}
	}
	if e.Text = strings.TrimSpace(Clean(text)); e.Text == "" {
		return
	}
	if e.ID == "" || p.seen[e.ID] {
		e.ID = derive(p.place, raw, func(id string) bool { return p.seen[id] })
	}
	p.seen[e.ID] = true
	e.folded = fold(e.Text)
	p.entries = append(p.entries, e)
}

// derive makes the id of an entry without one.
func derive(place Place, raw string, taken func(id string) bool) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", place.Name(), strings.TrimSpace(raw), n))
		if id := "h" + hex.EncodeToString(sum[:6]); !taken(id) {
			return id
		}
	}
}

// unmark reads the comment. An invalid one is ignored.
func unmark(s string) (string, Origin) {
	values, err := url.ParseQuery(s)
	if err != nil || !ids.MatchString(values.Get("id")) {
		return "", Origin{}
	}
	get := func(key string) string { return truncate.Prefix(Clean(values.Get(key)), 200) }
	o := Origin{By: get("by"), Session: get("session"), Heartbeat: get("heartbeat")}
	if slug := get("in"); IsSlug(slug) {
		o.Workspace = slug
	}
	switch o.By {
	case "session", "person", "chat", "earl":
	default:
		o.By = ""
	}
	return values.Get("id"), o
}
