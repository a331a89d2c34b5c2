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

// essence is what a session's events say, one line each, without what differs from
// run to run whatever drives the CLI:
//   - numbers and times (seq, at, startedAt, durationMs…),
//   - ids and the names of folders made for the test, which are replaced by the
//     order in which they come,
//   - how long the CLI takes a summary to be, which has such names in it,
//   - how a text was cut into pieces: pieces of one block that follow each other
//     are joined,
//   - where a question and its end stand among the events of the CLI, which goes on
//     while somebody is asked: they are put behind the call that they are about,
//   - state events, which show the record as it is when there is time for it; the
//     record at the end stands for them,
//   - how far the user's own MCP servers are, which the CLI does not wait for,
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
	// What comes over the socket may overtake what comes over the pipes.
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

// slowStart says whether an event tells that the CLI takes long to start: on a machine
// that has much else to do it may, whatever drives it.
func slowStart(e event.Event) bool {
	status, ok := e.(*event.Status)
	return ok && status.Status == "starting" && strings.Contains(status.Message, "has not answered for")
}

// fields reads an object without what is not worth comparing.
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
// that only one engine knows.
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
			// How far reading the transcript has come is not the engine's.
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

// addEvent adds an event, or joins it with the piece before it.
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

// placeQuestions puts questions and their ends behind the tool calls that they are
// about, and checks that they came in their order, the question before the result
// and, with ordered, after the call. A question that is about no call stays where it is, and
// its end comes right behind it: what it lets happen may be heard of before that end.
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

// ids are all that is made up again for every run.
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

// tasks lists the background tasks of the session in the order in which they began.
func (s *conversation) tasks() []string {
	var list []string
	for _, e := range of[*event.TaskUpdate](s.c, s.id) {
		if !slices.Contains(list, e.TaskID) {
			list = append(list, e.TaskID)
		}
	}
	return list
}
