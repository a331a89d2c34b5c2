package ask

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/permission"
)

func calls(c port.ChatCalls) func(*Config) {
	return func(config *Config) { config.Calls = func() port.ChatCalls { return c } }
}

// at returns a question asked now.
func at(q port.Request) port.Request {
	q.AskedAt = time.Now().UnixMilli()
	return q
}

// times returns the posts with their times, relative to a moment.
func (w *world) times(from time.Time) []string {
	w.chat.mu.Lock()
	defer w.chat.mu.Unlock()
	var out []string
	for _, p := range w.chat.posts {
		text := p.Text
		if _, tail, open := apart(text); open {
			_, text, _ = strings.Cut(tail, "\n\n")
		}
		if text != "" {
			out = append(out, time.UnixMilli(p.At).Sub(from).Round(time.Minute).String()+" "+text)
		}
	}
	return out
}

// People who may answer are mentioned and reminded, and others after them; nobody is at
// night.
func TestCalls(t *testing.T) {
	name := "`#" + pseudonym("q") + "`"
	day := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		calls  port.ChatCalls
		begins time.Time
		first  string
		kind   string
		q      func() port.Request
		want   []string
	}{
		"usual":          {want: []string{"0s @ann – this is waiting for your answer."}},
		"nobody":         {calls: port.ChatCalls{Who: "none", RemindMinutes: 1, HandOverMinutes: 1}},
		"all":            {calls: port.ChatCalls{Who: "all", HandOverMinutes: 5}, want: []string{"0s @ann, @bob – this is waiting for your answer."}},
		"who wrote":      {first: "bob", want: []string{"0s @bob – this is waiting for your answer."}},
		"who may not":    {first: "cyd", want: []string{"0s @ann – this is waiting for your answer."}},
		"trust":          {first: "bob", q: trust1, want: []string{"0s @ann – this is waiting for your answer."}},
		"direct":         {kind: chat.Direct, first: "ann", want: []string{"0s @ann – this is waiting for your answer."}},
		"direct, others": {kind: chat.Direct, first: "cyd"},
		"again": {calls: port.ChatCalls{RemindMinutes: 10, HandOverMinutes: 30}, want: []string{
			"0s @ann – this is waiting for your answer.", "10m0s @ann – the request " + name + " is still waiting for your answer.",
			"30m0s @bob – no one has answered the request " + name + " yet. Can you?",
		}},
		"at night": {begins: day.Add(14 * time.Hour), calls: port.ChatCalls{QuietFrom: "22:00", QuietTo: "07:30"}, want: []string{"8h30m0s @ann – this is waiting for your answer."}},
		"before the night": {begins: day.Add(12*time.Hour + 30*time.Minute), calls: port.ChatCalls{RemindMinutes: 45, HandOverMinutes: 60, QuietFrom: "22:00", QuietTo: "07:30"}, want: []string{
			"0s @ann – this is waiting for your answer.", "10h0m0s @bob – no one has answered the request " + name + " yet. Can you?",
		}},
		"at noon": {begins: day.Add(3*time.Hour + time.Minute), calls: port.ChatCalls{QuietFrom: "12:00", QuietTo: "13:00"}, want: []string{"59m0s @ann – this is waiting for your answer."}},
	}
	for what, tt := range tests {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begins := tt.begins
				if begins.IsZero() {
					begins = day
				}
				time.Sleep(time.Until(begins))
				w := newWorld(t, calls(tt.calls), func(c *Config) { c.Zone = time.UTC })
				w.chat.kind = tt.kind
				w.thread.Sent = []port.Sent{{PromptID: "p", By: tt.first}}
				q := push1
				if tt.q != nil {
					q = tt.q
				}
				w.ask(at(q()))
				time.Sleep(23 * time.Hour)
				synctest.Wait()
				if diff := cmp.Diff(tt.want, w.times(begins)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// Nobody is mentioned once it is answered, and the answering person is posted. Calls
// posted before a restart aren't repeated.
func TestCallsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)))
		how := calls(port.ChatCalls{RemindMinutes: 10, HandOverMinutes: 30})
		w := newWorld(t, how)
		w.ask(at(push1()))
		time.Sleep(15 * time.Minute)
		w.thread.Posts = w.kept
		w.begin(how) // the previous one is stopped
		w.Restored(t.Context(), w.thread)
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		if got := w.said(); len(got) != 2 {
			t.Fatalf("%q", got)
		}
		w.react(bob(), "p1", "+1")
		w.resolved("q", permission.OutcomeAllow, "@bob in Mattermost")
		time.Sleep(10 * time.Hour)
		synctest.Wait()
		w.wants("p1", "**Allowed** by Bob")
		if text := w.text("p1"); strings.Contains(text, "@ann") {
			t.Error(text)
		}
		if got := w.said(); len(got) != 2 {
			t.Errorf("%q", got)
		}
	})
}
