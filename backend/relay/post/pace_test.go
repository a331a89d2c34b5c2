package post

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// tokens are words of about four and a half bytes.
func tokens(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = []string{"the ", "quick ", "brown ", "fox, ", "is ", "over ", "a ", "lazy.\n\n", "dog's ", "house "}[i%10]
	}
	return out
}

// measure streams tokens at a pace, and counts the calls.
func measure(t *testing.T, n, perSecond int, slow time.Duration, tools int) (calls int, most int, texts []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.slow = slow
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
			// About twenty tokens for each use, and the rest in between.
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

// The server is called at most 40 times for 1,000 tokens, whatever their pace.
func TestCallsForTokens(t *testing.T) {
	for _, perSecond := range []int{5, 50, 400} {
		for _, slow := range []time.Duration{0, 2 * time.Second} {
			for _, n := range []int{1000, 10_000} {
				calls, most, texts := measure(t, n, perSecond, slow, 0)
				per := float64(calls) * 1000 / float64(n)
				t.Logf("%d tokens at %d/s, calls of %v: %.1f calls per 1,000", n, perSecond, slow, per)
				if per > 40 || most != 1 {
					t.Errorf("%d tokens at %d/s, calls of %v: %.1f calls per 1,000, %d at a time", n, perSecond, slow, per, most)
				}
				all := strings.Join(texts, "")
				if want := strings.Join(tokens(n), ""); !strings.Contains(bare(all), bare(want)) {
					t.Error("the text is not whole")
				}
			}
		}
		if calls, _, _ := measure(t, 1000, perSecond, 0, 10); calls > 40 {
			t.Errorf("with 10 uses of tools at %d/s: %d calls", perSecond, calls)
		} else {
			t.Logf("1,000 tokens at %d/s with 10 uses of tools: %d calls", perSecond, calls)
		}
	}
}
