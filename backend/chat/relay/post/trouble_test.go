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

func TestADeletedPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		s := NewStream(testConfig(r))
		defer shut(t, s)
		sc := new(script).begin("t1", "Go", ada)
		feed(s, append(sc.events, &event.TextDelta{Head: event.Head{TurnID: "t1", Seq: 10}, BlockID: "b", Text: "One "}), 0)
		synctest.Wait()
		more := func(seq uint64, text string) {
			s.Take(&event.TextDelta{Head: event.Head{TurnID: "t1", Seq: seq}, BlockID: "b", Text: text})
			time.Sleep(5 * time.Second)
			synctest.Wait()
		}
		r.set(func(r *recorder) { r.gone["post1"] = true })
		more(11, "two ")
		checkTexts(t, r, "One two")
		more(12, "three ")
		checkTexts(t, r, "One two three")
		r.set(func(r *recorder) { r.gone["post2"] = true })
		more(13, "four ")
		checkTexts(t, r)
		s.Take(&event.Done{Head: event.Head{TurnID: "t1", Seq: 14}, Reason: "completed"})
		sc = &script{seq: 20}
		feed(s, sc.begin("t2", "Again", ada).say("Here.").events, 0)
		time.Sleep(time.Second)
		checkTexts(t, r, "Here.")
	})
}

func TestAChatThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		var problems []string
		cfg := testConfig(r)
		cfg.Problem = func(s string) { problems = append(problems, s) }
		s := NewStream(cfg)
		defer shut(t, s)
		r.fail = func(string) error { return fmt.Errorf("no route: %w", chat.ErrOffline) }
		sc := new(script)
		for i := range 12 {
			sc.begin(fmt.Sprintf("t%d", i), "Go", ada).say(fmt.Sprintf("Answer %d.", i)).end("completed")
		}
		feed(s, sc.events, time.Second)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := len(r.calls); n < 5 || n > 60 {
			t.Errorf("%d calls were made", n)
		}
		r.set(func(r *recorder) { r.fail = nil })
		s.Wake()
		time.Sleep(time.Minute)
		synctest.Wait()
		got := r.texts()
		if len(got) < maxTurns || !strings.Contains(got[0], "could not be shown") || !strings.HasPrefix(got[len(got)-1], "Answer 11.") {
			t.Errorf("there are %q", got)
		}
		if len(problems) != 2 || problems[1] != "" || !strings.Contains(problems[0], "cannot be reached") {
			t.Errorf("it said %q", problems)
		}
	})
}

// A call whose answer is lost is repeated and changes nothing.
func TestNothingIsPostedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		s := NewStream(testConfig(r))
		n := 0
		r.fail = func(call string) error {
			if n++; n%3 == 0 && call != "typing" {
				return chat.ErrOffline
			}
			return nil
		}
		sc := new(script)
		want := []string{}
		for i := range 5 {
			id := fmt.Sprintf("t%d", i)
			sc.begin(id, "Go", ada).tool("u"+id, "Bash", `{"command":"ls"}`).result("u"+id, "", false, 100).say("Answer.").end("completed")
			want = append(want, "🔧 **Bash** `ls` · 0.1 s", "Answer.")
		}
		feed(s, sc.events, 500*time.Millisecond)
		shut(t, s)
		checkTexts(t, r, want...)
	})
}

func TestForbidden(t *testing.T) {
	for _, failure := range []error{chat.ErrForbidden, chat.ErrGone} {
		synctest.Test(t, func(t *testing.T) {
			r := newRecorder()
			var problems []string
			cfg := testConfig(r)
			cfg.Problem = func(s string) { problems = append(problems, s) }
			s := NewStream(cfg)
			r.fail = func(call string) error {
				if call == "send" {
					return failure
				}
				return nil
			}
			feed(s, new(script).begin("t1", "Go", ada).say(tokens(500)...).end("completed").events, 20*time.Millisecond)
			shut(t, s)
			if n := r.counts()["send"]; n != 1 {
				t.Errorf("it tried %d times", n)
			}
			if len(problems) != 1 {
				t.Errorf("it said %q", problems)
			}
		})
	}
}

// A restarted Parley continues with the earlier posts, whether the conversation contains
// turn ids or comes from the CLI's file, which doesn't.
func TestRestart(t *testing.T) {
	for name, nameless := range map[string]int{"as the session knows it": 0, "from the file, but for the turn under way": 4, "from the file": 6} {
		t.Run(name, func(t *testing.T) { testRestart(t, nameless) })
	}
}

func testRestart(t *testing.T, nameless int) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		var kept map[string]string
		cfg := testConfig(r)
		cfg.Keep = func(posts map[string]string, seq uint64) { kept = posts }
		s := NewStream(cfg)
		sc := new(script).begin("t1", "Go", ada).say("One.").end("completed").begin("t2", "Go", ada).say("Two ")
		feed(s, sc.events, 400*time.Millisecond)
		synctest.Wait()
		// It ends abruptly.
		s.cancel()
		<-s.done
		checkTexts(t, r, "One.", "Two")
		history := event.History{Seq: 100, Messages: []event.Message{
			{ID: "t1", Role: "user", TurnID: "t1", Blocks: []event.Block{{Type: "text", Text: "Go"}}, Author: ada},
			{ID: "m1", Role: "assistant", TurnID: "t1", Blocks: []event.Block{{ID: "t1-b1", Type: "text", Text: "One."}}},
			{ID: "t2", Role: "user", TurnID: "t2", Blocks: []event.Block{{Type: "text", Text: "Go"}}, Author: ada},
			{ID: "m2", Role: "assistant", TurnID: "t2", Blocks: []event.Block{{ID: "t2-b2", Type: "text", Text: "Two and a half."}, {
				ID: "x", Type: "tool", Tool: &event.Tool{ToolUseID: "u1", Name: "Bash", Input: []byte(`{"command":"ls"}`), State: "done", DurationMs: 1000}}}},
			{ID: "t3", Role: "user", TurnID: "t3", Blocks: []event.Block{{Type: "text", Text: "And?"}}},
			{ID: "m3", Role: "assistant", TurnID: "t3", Blocks: []event.Block{{ID: "t3-b1", Type: "text", Text: "Three", Open: true}}},
		}}
		for i := range nameless {
			history.Messages[i].TurnID = ""
		}
		cfg.Posts = kept
		for _, known := range []map[string]string{kept, nil} {
			cfg.Posts = known
			s = NewStream(cfg)
			s.Set(event.Session{State: "running"}, history)
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if known != nil {
				s.Take(&event.TextDelta{Head: event.Head{TurnID: "t3", Seq: 101}, BlockID: "t3-b1", Text: " more."})
				history.Messages[5].Blocks[0].Text += " more."
			}
			shut(t, s)
			checkTexts(t, r, "One.", "Two and a half.\n\n🔧 **Bash** `ls` · 1 s", "**You, in Parley**:\n> And?", "Three more.")
		}
	})
}

// In the CLI's file a prompt sent during a turn looks like the start of another: the
// messages of that time are already in the thread, and so is the end. Later ones
// aren't.
func TestRestartAfterSteering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		var kept map[string]string
		cfg := testConfig(r)
		cfg.Keep = func(posts map[string]string, seq uint64) { kept = posts }
		s := NewStream(cfg)
		for i, e := range []event.Event{
			&event.UserMessage{MessageID: "t1", Text: "Go", Author: ada},
			&event.TextDelta{MessageID: "m1", BlockID: "b1", Text: "I go."},
			&event.UserMessage{MessageID: "p2", Text: "Faster", Author: ada},
			&event.TextDelta{MessageID: "m2", BlockID: "b2", Text: "I run."},
			&event.Error{Message: "It broke."},
			&event.Done{Reason: "error"},
		} {
			e.Header().TurnID, e.Header().Seq = "t1", uint64(i+1)
			s.Take(e)
			time.Sleep(time.Second)
		}
		shut(t, s)
		before := r.texts()
		said := func(id, words string) event.Message {
			return event.Message{ID: id, Role: "assistant", Blocks: []event.Block{{ID: "b-" + id, Type: "text", Text: words}}}
		}
		asked := func(id, words string) event.Message {
			return event.Message{ID: id, Role: "user", Author: ada, Blocks: []event.Block{{Type: "text", Text: words}}}
		}
		cfg.Posts = kept
		s = NewStream(cfg)
		s.Set(event.Session{State: "idle"}, event.History{Seq: 9, Messages: []event.Message{
			asked("t1", "Go"), said("m1", "I go."), asked("p2", "Faster"), said("m2", "I run."),
			{ID: "notice:x", Role: "notice", Notice: &event.Notice{Kind: "error", Text: "It broke."}},
			asked("t3", "Again"), said("m3", "I am there."),
		}})
		shut(t, s)
		checkTexts(t, r, append(before, "I am there.")...)
	})
}

// A new thread doesn't show earlier messages.
func TestSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		cfg := testConfig(r)
		cfg.Since = 50
		s := NewStream(cfg)
		s.Set(event.Session{State: "idle"}, event.History{Seq: 9, Messages: []event.Message{
			{ID: "m1", Role: "assistant", TurnID: "t1", At: 10, Blocks: []event.Block{{ID: "b1", Type: "text", Text: "Old."}}},
			{ID: "m2", Role: "assistant", TurnID: "t2", At: 60, Blocks: []event.Block{{ID: "b2", Type: "text", Text: "New."}}},
		}})
		shut(t, s)
		checkTexts(t, r, "New.")
	})
}
