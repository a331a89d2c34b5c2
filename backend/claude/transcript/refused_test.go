package transcript

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// A failed API call is shown once: with advice, or, for a subagent, in the CLI's own
// words.
func TestRefusedOnce(t *testing.T) {
	refused := func(parent string) *wire.Assistant {
		return &wire.Assistant{
			Error: "server_error", ParentToolUseID: parent,
			Message: wire.Message{ID: "x", Model: wire.SyntheticModel, Content: wire.Content{{Type: "text", Text: "API Error: 500"}}},
		}
	}
	status := 500
	for name, tt := range map[string]struct {
		frames []wire.Frame
		ended  bool
		want   []string
	}{
		"a turn that failed": {
			frames: []wire.Frame{refused(""), &wire.Result{IsError: true, Subtype: "success", Text: "API Error: 500", APIErrorStatus: &status}},
			want:   []string{"api_error: API Error: 500"},
		},
		"a result without words": {
			frames: []wire.Frame{refused(""), &wire.Result{IsError: true, Subtype: "success"}},
			want:   []string{"turn_failed: API Error: 500"},
		},
		"a result that knows of no failure": {
			frames: []wire.Frame{refused(""), &wire.Result{Subtype: "success", Text: "Fine."}, &wire.Result{Subtype: "success"}},
			want:   []string{"turn_failed: API Error: 500"},
		},
		"no result": {frames: []wire.Frame{refused("")}, ended: true, want: []string{"turn_failed: API Error: 500"}},
		"a subagent": {
			frames: []wire.Frame{refused("t"), &wire.Result{Subtype: "success"}},
			want:   []string{"text: API Error: 500"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := NewProjector()
			var events []event.Event
			for _, f := range tt.frames {
				events = append(events, p.Frame(f)...)
			}
			if tt.ended {
				events = append(events, p.ProcessEnded()...)
				events = append(events, p.ProcessEnded()...)
			}
			var got []string
			for _, e := range events {
				switch e := e.(type) {
				case *event.Error:
					got = append(got, e.Code+": "+e.Message)
				case *event.TextDelta:
					got = append(got, "text: "+e.Text)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("shown (-want +got):\n%s", diff)
			}
		})
	}
}

// The same in a file; and a search leads to the message that is there.
func TestRefusedOnceInAFile(t *testing.T) {
	line := func(sidechain string) Line {
		l, ok := ReadLine([]byte(`{"type":"assistant","uuid":"u","isSidechain":` + sidechain + `,"isApiErrorMessage":true,"apiErrorStatus":500,` +
			`"message":{"id":"x","model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"API Error: 500"}]}}`))
		if !ok {
			t.Fatal("not read")
		}
		return l
	}
	for sidechain, parent := range map[string]string{"false": "", "true": "t"} {
		l := line(sidechain)
		f := NewFile(parent, 10, 1<<20)
		f.Add(l)
		messages := f.Messages()
		if len(messages) != 1 || l.Adds() != 1 {
			t.Fatalf("sidechain %s: %d messages, counted %d", sidechain, len(messages), l.Adds())
		}
		m := messages[0]
		if parent == "" && (m.Notice == nil || m.Notice.Text != "API Error: 500" || m.Notice.Hint == "") || parent != "" && m.Role != "assistant" {
			t.Errorf("sidechain %s: %+v", sidechain, m)
		}
		l.Parts(100, 100, func(p Part) {
			if p.MessageID != m.ID || p.Text != "API Error: 500" || !p.IsError {
				t.Errorf("sidechain %s: the search finds %+v, the message is %s", sidechain, p, m.ID)
			}
		})
	}
}
