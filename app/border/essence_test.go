//go:build linux

package border

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/backend/event"
)

// essence summarizes a session's events, one line each, without what differs from
// run to run with either engine:
//   - numbers and times (seq, at, startedAt, durationMs…),
//   - ids and the names of folders made for the test, which are replaced by their
//     order of appearance,
//   - the CLI's estimate of a summary's size, because it contains such names,
//   - how a text was cut into pieces: consecutive pieces of one block
//     are joined,
//   - where a question and its end are among the events of the CLI, which continues
//     while a question is open: they are moved after their call,
//   - state events, which show the record when there is time for it; the
//     record at the end replaces them,
//   - the progress of the user's own MCP servers, which the CLI does not wait for,
//
// and without what only one engine can know:
//   - why the CLI asks and what it suggests,
//   - the tool by which the CLI asks over the socket, in the list of tools.
func (s *conversation) essence() []string {
	s.p.t.Helper()
	record := s.record()
	var events []map[string]any
	_, err := s.c.find(func(e seen) bool {
		if e.Header().SessionID != s.id || e.Header().Seq > record.LastSeq {
			return false
		}
		if _, ok := e.Event.(*event.State); !ok && !slowStart(e.Event) {
			events = addEvent(events, s.fields(e.raw), e.name)
		}
		return e.Header().Seq == record.LastSeq
	})
	if err != nil {
		s.p.t.Fatal(err)
	}
	// Messages on the socket may overtake those on the pipes.
	events = s.placeQuestions(events, record.Engine == "sdk")
	raw, err := json.Marshal(record)
	if err != nil {
		s.p.t.Fatal(err)
	}
	events = append(events, s.fields(raw))
	lines := make([]string, len(events))
	for i, e := range events {
		line, err := json.Marshal(e)
		if err != nil {
			s.p.t.Fatal(err)
		}
		lines[i] = string(line)
	}
	return strings.Split(s.withoutIDs(strings.Join(lines, "\n")), "\n")
}

// slowStart reports whether an event says that the CLI takes long to start: on a busy
// machine that may happen with either engine.
func slowStart(e event.Event) bool {
	status, ok := e.(*event.Status)
	return ok && status.Status == "starting" && strings.Contains(status.Message, "has not answered for")
}

// fields reads an object without fields that are not compared.
func (s *conversation) fields(raw []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		s.p.t.Fatal(err)
	}
	strip(out)
	return out
}

// volatile are the fields that differ from run to run, extra those of a question
// that only one engine has.
var (
	volatile = []string{"seq", "lastSeq", "at", "startedAt", "durationMs", "ttftMs", "askedAt", "answeredAt", "expiresAt", "createdAt", "lastActivityAt", "pid", "delayMs", "until", "totalDurationMs", "postTokens"}
	extra    = []string{"title", "description", "reason", "blockedPath", "suggestions", "defaultToNo", "noRemember"}
)

func strip(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range volatile {
			delete(v, key)
		}
		if v["requestId"] != nil {
			for _, key := range extra {
				delete(v, key)
			}
		}
		if v["used"] != nil && fmt.Sprint(v["outputTokens"]) == "0" && fmt.Sprint(v["cacheReadTokens"]) == "0" {
			delete(v, "used") // after a compaction: an estimate
			delete(v, "inputTokens")
		}
		if v["engine"] != nil {
			delete(v, "engine")
			// The progress of reading the transcript does not depend on the engine.
			delete(v, "bytes")
			delete(v, "messages")
		}
		if tools, ok := v["tools"].([]any); ok {
			v["tools"] = slices.DeleteFunc(tools, func(t any) bool {
				return t == "mcp__parley__permission_prompt" || strings.HasPrefix(fmt.Sprint(t), "mcp__census__")
			})
		}
		if v["name"] == "census" {
			delete(v, "status")
		}
		for _, inner := range v {
			strip(inner)
		}
	case []any:
		for _, inner := range v {
			strip(inner)
		}
	}
}

// addEvent appends an event, or joins it with the previous piece.
func addEvent(events []map[string]any, e map[string]any, name string) []map[string]any {
	e["event"] = name
	if len(events) == 0 || e["blockId"] == nil || e["text"] == nil {
		return append(events, e)
	}
	last := events[len(events)-1]
	if last["event"] != name || last["blockId"] != e["blockId"] {
		return append(events, e)
	}
	last["text"] = fmt.Sprint(last["text"], e["text"])
	if e["tokens"] != nil {
		last["tokens"] = e["tokens"]
	}
	return events
}

// placeQuestions moves questions and their ends after their tool
// calls, and checks their order: the question before the result
// and, with ordered, after the call. A question without a call stays where it is, and
// its end comes right after it: events that it allowed may arrive before that end.
func (s *conversation) placeQuestions(events []map[string]any, ordered bool) []map[string]any {
	about := map[any][]map[string]any{}
	pending, over := map[any]bool{}, map[any]bool{}
	var rest []map[string]any
	for _, e := range events {
		tool := e["toolUseId"]
		switch e["event"] {
		case "session.tool_pending":
			pending[tool] = true
		case "session.tool_result":
			over[tool] = true
		case "session.permission_request", "session.permission_resolved":
			asks := e["event"] == "session.permission_request"
			if tool == nil && !asks {
				at := slices.IndexFunc(rest, func(r map[string]any) bool { return r["requestId"] == e["requestId"] })
				if at < 0 {
					s.p.t.Errorf("%s without its question: %v", e["event"], e)
				}
				rest = slices.Insert(rest, at+1, e)
				continue
			}
			if tool == nil {
				break
			}
			if !pending[tool] && ordered || asks && over[tool] || asks != (len(about[tool]) == 0) {
				s.p.t.Errorf("%s comes out of order: %v", e["event"], e)
			}
			about[tool] = append(about[tool], e)
			continue
		}
		rest = append(rest, e)
	}
	var out []map[string]any
	for _, e := range rest {
		if out = append(out, e); e["event"] == "session.tool_pending" {
			out = append(out, about[e["toolUseId"]]...)
		}
	}
	return out
}

// ids matches everything that is generated for every run.
var ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:msg|toolu)_[0-9a-f]{6,}|/plans/[a-z0-9-]+\.md|duration_ms: \d+`)

func (s *conversation) withoutIDs(text string) string {
	for _, root := range []string{s.p.root, strings.NewReplacer("/", "-", ".", "-").Replace(s.p.root)} {
		text = strings.ReplaceAll(text, root, "ROOT")
	}
	text = strings.ReplaceAll(text, strings.TrimPrefix(s.p.model.URL(), "http://"), "MODEL")
	for i, task := range s.tasks() {
		text = strings.ReplaceAll(text, task, fmt.Sprint("task", i+1))
	}
	known := map[string]string{}
	return ids.ReplaceAllStringFunc(text, func(id string) string {
		if known[id] == "" {
			known[id] = fmt.Sprintf("id%d", len(known)+1)
		}
		return known[id]
	})
}

// tasks lists the background tasks of the session in starting order.
func (s *conversation) tasks() []string {
	var list []string
	for _, e := range of[*event.TaskUpdate](s.c, s.id) {
		if !slices.Contains(list, e.TaskID) {
			list = append(list, e.TaskID)
		}
	}
	return list
}
