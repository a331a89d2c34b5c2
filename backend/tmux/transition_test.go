package tmux

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSee(t *testing.T) {
	type look struct {
		text, want string
	}
	idle := func(status string) string { return idleScreen("Done.", "", status) }
	working := func(said, clock string) string {
		return workingScreen(said, "✻ Thinking… ("+clock+"s · ↓ 3 tokens)")
	}
	ask := askScreen("make test")
	tests := map[string][]look{
		"idle stays idle, whatever the clock shows": {
			{idle("12:00"), ""}, {idle("12:01"), ""}, {idle("12:02"), ""}, {idle("12:03"), ""}, {idle("12:04"), ""}, {idle("12:05"), ""},
		},
		"a turn ends": {{idle(""), ""}, {working("a", "1"), ""}, {idle(""), "idle"}, {idle("1"), ""}, {working("b", "1"), ""}, {idle(""), "idle"}},
		"a question": {
			{working("a", "1"), ""}, {ask, "permission"}, {ask, ""}, {ask, ""}, {askScreen("make other"), "permission"}, {working("a", "2"), ""}, {ask, "permission"}, {idle(""), "idle"},
		},
		"a question that was there": {{ask, "permission"}, {ask, ""}},
		"an error":                  {{working("a", "1"), ""}, {idleScreen("API Error: 500", "", ""), "errored"}, {idleScreen("API Error: 500", "", "12:01"), ""}, {working("a", "1"), ""}},
		"stalled once, until something moves": {
			{working("a", "1"), ""}, {working("a", "46"), ""}, {working("a", "91"), ""}, {working("a", "136"), "stalled"}, {working("a", "181"), ""},
			{working("b", "226"), ""}, {working("b", "271"), ""}, {working("b", "316"), ""}, {working("b", "361"), "stalled"},
		},
		"what is not known changes nothing": {{working("a", "1"), ""}, {"$ vim", ""}, {working("a", "1"), ""}, {"$ vim", ""}, {idle(""), "idle"}, {"$ vim", ""}, {idle(""), ""}},
	}
	for name, looks := range tests {
		t.Run(name, func(t *testing.T) {
			w := &watching{}
			var got, want []string
			for _, l := range looks {
				s := lookAt(l.text, 200)
				got, want = append(got, w.see(&s, 3)), append(want, l.want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}

	// A pane started with a prompt hasn't alerted anyone, and may be quick.
	for name, looks := range map[string][]look{
		"an answer at once":   {{idleScreen("", "", ""), ""}, {idle(""), "idle"}, {idle("1"), ""}},
		"a question at once":  {{ask, "permission"}, {ask, ""}, {idle(""), "idle"}},
		"an answer at length": {{working("a", "1"), ""}, {idle(""), "idle"}},
	} {
		w := &watching{Watch: Watch{Begun: true}}
		for i, l := range looks {
			s := lookAt(l.text, 200)
			if got := w.see(&s, 3); got != l.want {
				t.Errorf("%s: look %d says %q, want %q", name, i, got, l.want)
			}
		}
	}

	// A restarted Parley continues where the last one ended.
	for told, want := range map[string]string{"": "", "working": "idle", "idle": "", "permission x": "idle", "errored": "idle"} {
		w := &watching{Watch: Watch{Told: told}}
		s := lookAt(idle(""), 200)
		if got := w.see(&s, 3); got != want {
			t.Errorf("after %q: %q, want %q", told, got, want)
		}
	}
}
