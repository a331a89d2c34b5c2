package notify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
	"parley/backend/platform/notify"
)

func at(id string) event.Head { return event.Head{SessionID: id} }

func begin(id string) event.Event { return &event.Processing{Head: at(id)} }

func done(id, reason string) event.Event { return &event.Done{Head: at(id), Reason: reason} }

func limited(id string) event.Event {
	return &event.Error{Head: at(id), Code: event.FailRateLimit}
}

func ask(id, request, kind string) event.Event {
	return &event.PermissionRequest{Head: at(id), Question: event.Question{RequestID: request, Kind: kind}}
}

func answer(id, request string) event.Event {
	return &event.PermissionResolved{Head: at(id), RequestID: request, Outcome: "allow"}
}

func TestPolicy(t *testing.T) {
	all := notify.Choices{Done: true, Question: true, Failure: true, After: 10 * time.Second}
	tests := []struct {
		name    string
		choices notify.Choices
		// took is how long passes before the last event.
		took   time.Duration
		events []event.Event
		want   notify.Decision
	}{
		{"a long turn", all, 10 * time.Second, []event.Event{begin("a"), done("a", "completed")}, notify.Decision{SessionID: "a", Show: notify.Done, Happened: notify.Done}},
		{"a short one", all, 9 * time.Second, []event.Event{begin("a"), done("a", "completed")}, notify.Decision{}},
		{"another session's", all, time.Minute, []event.Event{begin("b"), done("a", "completed")}, notify.Decision{}},
		{"not wanted here", notify.Choices{}, time.Minute, []event.Event{begin("a"), done("a", "completed")}, notify.Decision{SessionID: "a", Happened: notify.Done}},
		{"a failure, however short", all, 0, []event.Event{begin("a"), done("a", "crashed")}, notify.Decision{SessionID: "a", Show: notify.Failed, Happened: notify.Failed}},
		{"interrupted by the person", all, time.Minute, []event.Event{begin("a"), done("a", "interrupted")}, notify.Decision{}},
		{"closed", all, time.Minute, []event.Event{begin("a"), done("a", "closed")}, notify.Decision{}},
		{"a question", all, 0, []event.Event{ask("a", "1", "tool")}, notify.Decision{SessionID: "a", Show: notify.Question, Happened: notify.Question}},
		{"a plan", all, 0, []event.Event{ask("a", "1", "plan")}, notify.Decision{SessionID: "a", Show: notify.Plan, Happened: notify.Plan}},
		{"questions are not wanted here", notify.Choices{Done: true}, 0, []event.Event{ask("a", "1", "tool")}, notify.Decision{SessionID: "a", Happened: notify.Question}},
		{"the answer", all, 0, []event.Event{ask("a", "1", "tool"), answer("a", "1")}, notify.Decision{SessionID: "a", Withdraw: true}},
		{"one of two answers", all, 0, []event.Event{ask("a", "1", "tool"), ask("a", "2", "tool"), answer("a", "1")}, notify.Decision{}},
		{"an answer to what was not told here", notify.Choices{}, 0, []event.Event{ask("a", "1", "tool"), answer("a", "1")}, notify.Decision{SessionID: "a", Withdraw: true}},
		{"the account's limit", all, 0, []event.Event{begin("a"), limited("a"), done("a", "error")}, notify.Decision{SessionID: "a", Show: notify.Failed, Happened: notify.Limit}},
		{"a failure after a limit", all, 0, []event.Event{limited("a"), done("a", "error"), begin("a"), done("a", "error")}, notify.Decision{SessionID: "a", Show: notify.Failed, Happened: notify.Failed}},
		{"the end of a turn with a question", all, 0, []event.Event{begin("a"), ask("a", "1", "tool"), done("a", "interrupted")}, notify.Decision{SessionID: "a", Withdraw: true}},
		{"the end of the process", all, 0, []event.Event{ask("a", "1", "tool"), &event.Closed{Head: at("a")}}, notify.Decision{SessionID: "a", Withdraw: true}},
		{"something else", all, 0, []event.Event{&event.TextDelta{Head: at("a")}}, notify.Decision{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := time.Unix(1000, 0)
			p := notify.NewPolicy(func() notify.Choices { return tt.choices }, func() time.Time { return now })
			var got notify.Decision
			for i, e := range tt.events {
				if i == len(tt.events)-1 {
					now = now.Add(tt.took)
				}
				got = p.Observe(e)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	tests := []struct{ title, want string }{
		{"Fix the upload", "Fix the upload"},
		{"", ""},
		{"  two\n\nlines\t", "two lines"},
		{"a\u202eb\u200bc\x1b[31md", "abc[31md"},
		{strings.Repeat("ä", 100), strings.Repeat("ä", 80) + "…"},
	}
	for _, tt := range tests {
		if got := notify.Title(tt.title); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.title, got, tt.want)
		}
	}
}
