package post

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// tokens returns words of about four and a half bytes.
func tokens(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = []string{"the ", "quick ", "brown ", "fox, ", "is ", "over ", "a ", "lazy.\n\n", "dog's ", "house "}[i%10]
	}
	return out
}

// measure streams tokens at a pace, and counts the calls.
func measure(t *testing.T, n, perSecond int, slow time.Duration, tools int, set func(*recorder)) (calls int, most int, texts []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.slow = slow
		set(r)
		s := NewStream(testConfig(r))
		sc := new(script).begin("t1", "Hello?", ada)
		feed(s, sc.events, 0)
		pause := time.Second / time.Duration(perSecond)
		sc.events = nil
		if tools == 0 {
			feed(s, sc.say(tokens(n)...).events, pause)
		}
		for i := range tools {
			sc.events = nil
			id := fmt.Sprintf("u%d", i)
			// About twenty tokens per tool call, and the rest in between.
			feed(s, sc.say(tokens(n/tools-20)...).events, pause)
			time.Sleep(20 * pause)
			sc.events = nil
			feed(s, sc.tool(id, "Bash", `{"command":"go test ./... -run TestThatOne","description":"Run the one test that fails"}`).events, 0)
			time.Sleep(2 * time.Second)
			sc.events = nil
			feed(s, sc.result(id, "ok", false, 2000).events, 0)
		}
		sc.events = nil
		feed(s, sc.end("completed").events, 0)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !s.Idle() {
			t.Error("not all is in the thread")
		}
		shut(t, s)
		for _, c := range r.counts() {
			calls += c
		}
		most, texts = r.most, r.texts()
	})
	return calls, most, texts
}

// The server is called at most 15 times per 1,000 tokens, whatever their pace, the server's
// speed, tool calls, and whether posts can be edited.
func TestLongCallsForTokens(t *testing.T) {
	const bound = 15
	lengths := []int{1000, 10_000}
	if testing.Short() {
		lengths = lengths[:1]
	}
	for mode, set := range map[string]func(*recorder){
		"posts that are edited":          func(*recorder) {},
		"posts that are not":             func(r *recorder) { r.fixed = true },
		"posts that are for ten seconds": func(r *recorder) { r.editFor, r.limits.EditFor = 10*time.Second, 10*time.Second },
		"posts that are for ten minutes": func(r *recorder) { r.editFor, r.limits.EditFor = 10*time.Minute, 10*time.Minute },
	} {
		for _, perSecond := range []int{5, 50, 400} {
			for _, slow := range []time.Duration{0, 2 * time.Second} {
				for _, n := range lengths {
					calls, most, texts := measure(t, n, perSecond, slow, 0, set)
					per := float64(calls) * 1000 / float64(n)
					t.Logf("%s, %d tokens at %d/s, calls of %v: %.1f calls per 1,000", mode, n, perSecond, slow, per)
					if per > bound || most != 1 {
						t.Errorf("%s, %d tokens at %d/s, calls of %v: %.1f calls per 1,000, %d at a time", mode, n, perSecond, slow, per, most)
					}
					all := strings.Join(strings.Fields(strings.Join(texts, "\n")), " ")
					if want := strings.Join(strings.Fields(strings.Join(tokens(n), "")), " "); !strings.Contains(bare(all), bare(want)) {
						t.Errorf("%s: the text is not whole", mode)
					}
				}
			}
			calls, _, _ := measure(t, 1000, perSecond, 0, 10, set)
			t.Logf("%s, 1,000 tokens at %d/s with 10 uses of tools: %d calls", mode, perSecond, calls)
			if calls > bound {
				t.Errorf("%s, with 10 uses of tools at %d/s: %d calls", mode, perSecond, calls)
			}
		}
	}
}
