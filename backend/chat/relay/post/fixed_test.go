package post

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/chat"
	"parley/backend/event"
)

// words returns a text of n numbered words, with occasional paragraphs.
func words(n int) []string {
	var out []string
	for i := range n {
		end := " "
		if i%40 == 39 {
			end = "\n\n"
		}
		out = append(out, fmt.Sprintf("word%d%s", i, end))
	}
	return out
}

// If posts can't be edited, or only for a while, each word is there once, in order, and no
// problem is reported.
func TestPostsThatCannotBeEdited(t *testing.T) {
	for name, set := range map[string]func(*recorder){
		"never":                    func(r *recorder) { r.fixed = true },
		"for eight seconds":        func(r *recorder) { r.editFor = 8 * time.Second },
		"for five minutes":         func(r *recorder) { r.editFor = 5 * time.Minute },
		"for eight, which it says": func(r *recorder) { r.editFor, r.limits.EditFor = 8*time.Second, 8*time.Second },
		"for five minutes, which it says": func(r *recorder) {
			r.editFor, r.limits.EditFor = 5*time.Minute, 5*time.Minute
		},
		"in short posts": func(r *recorder) { r.fixed, r.limits.Text = true, 1000 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRecorder()
				set(r)
				var problems []string
				cfg := testConfig(r)
				cfg.Problem = func(s string) { problems = append(problems, s) }
				s := NewStream(cfg)
				said := words(3000)
				feed(s, new(script).begin("t1", "Go", ada).say(said...).end("completed").events, 200*time.Millisecond)
				shut(t, s)
				posts := r.texts()
				all := strings.Join(posts, "\n\n")
				if got, want := strings.Fields(strings.Split(all, "_claude-opus")[0]), strings.Fields(strings.Join(said, "")); strings.Join(got, " ") != strings.Join(want, " ") {
					t.Errorf("there are %d words of %d in %d posts", len(got), len(want), len(posts))
				}
				if !strings.Contains(posts[len(posts)-1], "_claude-opus") {
					t.Errorf("the last post is %q", posts[len(posts)-1])
				}
				if n := r.counts(); n["send"] > len(all)/300+10 {
					t.Errorf("there are %v", n)
				}
				if len(problems) > 0 {
					t.Errorf("it said %q", problems)
				}
			})
		})
	}
}

// Code that continues in another post is code there, too; a line about a tool is only
// repeated when it says more.
func TestContinuedPosts(t *testing.T) {
	code := "Look:\n\n```go\n" + strings.Repeat("x := 1 // a line of code\n", 200) + "```\n\nThat was it."
	var shown []string
	upTo := ""
	for i := 0; i <= len(code); i += 100 {
		for whole := i+100 > len(code); ; {
			said, next := more(upTo, seal(code[:min(i+100, len(code))]), whole, 16000)
			if said == "" {
				break
			}
			shown, upTo = append(shown, said), next
		}
	}
	lines := 0
	for i, p := range shown {
		if sealed := seal(p); sealed != p || strings.Count(p, "```")%2 != 0 {
			t.Errorf("post %d leaves code open: %q", i, p)
		}
		if i > 0 && i < len(shown)-1 && !strings.HasPrefix(p, "```go\n") {
			t.Errorf("post %d begins with %q", i, p[:20])
		}
		lines += strings.Count(p, "x := 1")
	}
	if lines != 200 || len(shown) < 3 || !strings.HasSuffix(shown[len(shown)-1], "That was it.") {
		t.Errorf("%d lines in %d posts: %q", lines, len(shown), shown)
	}
	for _, tt := range []struct{ shown, text, want string }{
		{"One two", "One two three", "three"},
		{"One\n\n⏳ _waits_", "One and a half", "and a half"},
		{"🔧 **Bash** `ls` · …", "🔧 **Bash** `ls` · 0.5 s", "🔧 **Bash** `ls` · 0.5 s"},
		{"🔧 **Bash** `ls` · 0.5 s", "🔧 **Bash** `ls` · 0.5 s\n🔧 **Bash** `pwd` · 1 s", "🔧 **Bash** `pwd` · 1 s"},
		{"One", "One", ""},
		{"grü", "grün", "n"},
		{"", "One", "One"},
	} {
		if said, _ := more(tt.shown, tt.text, true, 1000); strings.TrimSpace(said) != tt.want {
			t.Errorf("after %q of %q comes %q", tt.shown, tt.text, said)
		}
	}
}

// A question, a failure and another person's message are shown at once.
func TestWhatStandsAloneIsShownAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.fixed = true
		s := NewStream(testConfig(r))
		defer shut(t, s)
		sc := new(script).begin("t1", "Go", ada).say("Let me see.").tool("u1", "Bash", `{"command":"ls"}`).result("u1", "", false, 100)
		sc.add(&event.Error{Message: "It broke."})
		feed(s, sc.events, 100*time.Millisecond)
		time.Sleep(5 * time.Second)
		checkTexts(t, r, "Let me see.", "🔧 **Bash** `ls` · 0.1 s", "⚠️ **It broke.**")
	})
}

// A restarted Parley continues without edits and repeats nothing.
func TestRestartWithoutEdits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.fixed = true
		var kept map[string]string
		cfg := testConfig(r)
		cfg.Keep = func(posts map[string]string, seq uint64) { kept = posts }
		said := words(2000)
		s := NewStream(cfg)
		sc := new(script).begin("t1", "Go", ada)
		for i, w := range said[:1200] {
			sc.add(&event.TextDelta{MessageID: "m", BlockID: "b", Text: w})
			if i == 0 {
				sc.add(&event.Processing{})
			}
		}
		feed(s, sc.events, 100*time.Millisecond)
		synctest.Wait()
		s.cancel()
		<-s.done
		before := len(r.texts())
		cfg.Posts = kept
		s = NewStream(cfg)
		s.Set(event.Session{State: "idle"}, event.History{Seq: 9999, Messages: []event.Message{
			{ID: "t1", Role: "user", TurnID: "t1", Author: ada, Blocks: []event.Block{{Type: "text", Text: "Go"}}},
			{ID: "m", Role: "assistant", TurnID: "t1", Blocks: []event.Block{{ID: "b", Type: "text", Text: strings.Join(said, "")}}},
		}})
		shut(t, s)
		got := strings.Fields(strings.Join(r.texts(), "\n\n"))
		if strings.Join(got, " ") != strings.Join(strings.Fields(strings.Join(said, "")), " ") || before < 3 {
			t.Errorf("%d words of %d; %d posts before: %q", len(got), len(said), before, r.texts())
		}
	})
}

// A post never loses what people have read: if the conversation lacks it after a crash,
// the post says so below.
func TestNothingShownIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, tt := range map[string]struct {
			history []event.Message
			want    []string
		}{
			"no answer": {nil, []string{"One two three\n\n" + cutOff}},
			"the beginning": {[]event.Message{{ID: "m", Role: "assistant", TurnID: "t1", Blocks: []event.Block{{ID: "b", Type: "text", Text: "One"}}}},
				[]string{"One two three\n\n" + cutOff}},
			"all and more": {[]event.Message{{ID: "m", Role: "assistant", TurnID: "t1", Blocks: []event.Block{{ID: "b", Type: "text", Text: "One two three four"}}}},
				[]string{"One two three four"}},
			"interrupted": {[]event.Message{{ID: "notice:1", Role: "notice", TurnID: "t1", Notice: &event.Notice{Kind: "interrupted"}}},
				[]string{"One two three\n\n" + cutOff + "\n⏹️ _Interrupted_"}},
		} {
			r := newRecorder()
			var kept map[string]string
			cfg := testConfig(r)
			cfg.Keep = func(posts map[string]string, seq uint64) { kept = posts }
			s := NewStream(cfg)
			sc := new(script).begin("t1", "Go", ada)
			feed(s, append(sc.events, &event.TextDelta{Head: event.Head{TurnID: "t1", Seq: 10}, BlockID: "b", Text: "One two three"}), time.Second)
			synctest.Wait()
			s.cancel()
			<-s.done
			cfg.Posts = kept
			for range 2 { // another end, another start
				s = NewStream(cfg)
				s.Set(event.Session{State: "idle"}, event.History{Seq: 99, Messages: append([]event.Message{
					{ID: "t1", Role: "user", TurnID: "t1", Author: ada, Blocks: []event.Block{{Type: "text", Text: "Go"}}},
				}, tt.history...)})
				time.Sleep(10 * time.Second)
				shut(t, s)
				t.Log(name)
				checkTexts(t, r, tt.want...)
			}
		}
	})
}

// If nothing can be written, that is reported, even if only the edit was refused
// first.
func TestARightThatIsTakenAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		var problems []string
		cfg := testConfig(r)
		cfg.Problem = func(s string) { problems = append(problems, s) }
		s := NewStream(cfg)
		sc := new(script).begin("t1", "Go", ada).say("One ")
		feed(s, sc.events, time.Second)
		r.set(func(r *recorder) {
			r.fail = func(what string) error {
				if what == "send" || what == "edit" {
					return chat.ErrForbidden
				}
				return nil
			}
		})
		sc.events = nil
		feed(s, sc.say("two.").end("completed").events, time.Second)
		shut(t, s)
		if len(problems) != 1 || !strings.Contains(problems[0], "may not post in this thread") {
			t.Errorf("it said %q", problems)
		}
	})
}
