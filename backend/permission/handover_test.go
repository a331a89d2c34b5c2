package permission

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/fault"
)

// use returns a question about a tool use.
func use(id, input string) Request {
	q := question("s1", id, "Bash", input)
	q.ToolUseID = "tool-" + id
	return q
}

// A question keeps its id, time and position, and an asker that repeats it gets its
// answer, whether given before or after.
func TestHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bg := context.Background()
		var first, second recorder
		before := NewQueue(Config{Observe: first.observe})
		waiting := map[string]<-chan asking{}
		for _, q := range []Request{use("a", `{"command":"<ls>"}`), use("b", `{}`), use("c", `{}`), use("d", `{}`)} {
			waiting[q.RequestID] = ask(bg, before, q)
			synctest.Wait()
		}
		if won, err := before.Respond("b", Answer{Behavior: OutcomeAllow, Remember: true}, "window"); !won || err != nil {
			t.Fatal(won, err)
		}
		open := before.List("")
		time.Sleep(time.Second)
		state, err := before.HandOver(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := before.HandOver(t.Context()); err == nil {
			t.Error("it is handed over twice")
		}
		if _, err := before.Respond("a", Answer{Behavior: OutcomeAllow}, "window"); fault.CodeOf(err) != fault.Unavailable {
			t.Error(err)
		}
		went := make(chan struct{})
		go func() {
			before.Withdraw("s1", "it is over")
			close(went)
		}()
		seen := first.all()
		time.Sleep(2 * DefaultExpiry) // nothing expires there
		if got := first.all(); len(got) != len(seen) || before.Count("") != 3 {
			t.Errorf("%q", got)
		}

		again := 0
		after := NewQueue(Config{Observe: second.observe, Again: func(Request) func(Decision) error {
			again++
			return func(Decision) error { return nil }
		}})
		// Its questions keep their age and would have expired; this test resets it.
		var h handed
		if err := json.Unmarshal(state, &h); err != nil {
			t.Fatal(err)
		}
		for i := range h.Open {
			if h.Open[i].ExpiresAt != open[i].ExpiresAt || h.Open[i].RequestID != open[i].RequestID {
				t.Errorf("%+v, want %+v", h.Open[i], open[i])
			}
			h.Open[i].ExpiresAt = time.Now().Add(time.Hour).UnixMilli()
		}
		h.Given[0].At = time.Now()
		state, _ = json.Marshal(h) // escapes what the first one did not
		if err := after.TakeOver(state); err != nil {
			t.Fatal(err)
		}
		if got := after.List("s1"); len(got) != 3 || got[0].RequestID != "a" || got[2].RequestID != "d" || again != 3 {
			t.Errorf("%+v", got)
		}
		if won, err := after.Respond("b", Answer{Behavior: OutcomeDeny}, "late"); won || err != nil {
			t.Error(won, err)
		}
		fresh := func(q Request) Request {
			q.RequestID = ""
			return q
		}
		a := ask(bg, after, fresh(use("a", `{"command":"<ls>"}`)))
		synctest.Wait()
		if won, err := after.Respond("a", Answer{Behavior: OutcomeAllow}, "window"); !won || err != nil {
			t.Error(won, err)
		}
		if got := <-a; got.err != nil || !got.decision.Allowed() {
			t.Error(got)
		}
		// Answered before it was repeated: by the first desk, and by this one.
		if won, err := after.Respond("c", Answer{Behavior: OutcomeDeny, Message: "no"}, "window"); !won || err != nil {
			t.Error(won, err)
		}
		for id, want := range map[string]string{"b": OutcomeAllow, "c": OutcomeDeny} {
			if got := <-ask(bg, after, fresh(use(id, `{}`))); got.err != nil || got.decision.Outcome != want {
				t.Errorf("%s: %+v", id, got)
			}
		}
		// Remembered answers are kept, and another input is another question.
		if got := <-ask(bg, after, question("s1", "e", "Bash", `{}`)); got.err != nil || got.decision.By != ByRule {
			t.Error(got)
		}
		other := ask(bg, after, fresh(use("d", `{"command":"rm"}`)))
		synctest.Wait()
		if after.Count("") != 2 {
			t.Errorf("%+v", after.List(""))
		}
		time.Sleep(adoptWait)
		synctest.Wait()
		if r, known := after.Resolution("d"); !known || r.Outcome != OutcomeWithdrawn {
			t.Errorf("%+v", r)
		}
		if got := strings.Join(second.all(), ", "); strings.Contains(", "+got, ", a opened") || !strings.Contains(got, `a allow by "window"`) {
			t.Error(got)
		}
		after.Close()
		if got := <-other; got.err != nil || got.decision.Outcome != OutcomeWithdrawn {
			t.Error(got)
		}
		before.CancelHandOver()
		<-went
		before.Close()
		for _, w := range waiting {
			if got := <-w; got.err != nil {
				t.Error(got.err)
			}
		}
	})
}

// A question asked while the desk is frozen waits, and an answer that is being recorded
// counts.
func TestFrozenDesk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bg := context.Background()
		release := make(chan struct{})
		d := NewQueue(Config{Record: func(Request) func(Decision) error {
			return func(Decision) error { <-release; return nil }
		}})
		a := ask(bg, d, use("a", `{}`))
		synctest.Wait()
		won := make(chan bool)
		go func() {
			is, _ := d.Respond("a", Answer{Behavior: OutcomeAllow}, "window")
			won <- is
		}()
		synctest.Wait()
		frozen := make(chan json.RawMessage)
		go func() {
			state, err := d.HandOver(context.Background())
			if err != nil {
				t.Error(err)
			}
			frozen <- state
		}()
		close(release)
		if !<-won {
			t.Error("the answer does not hold")
		}
		var h handed
		if err := json.Unmarshal(<-frozen, &h); err != nil || len(h.Open) != 0 || len(h.Given) != 1 {
			t.Errorf("%+v %v", h, err)
		}
		b := ask(bg, d, use("b", `{}`))
		synctest.Wait()
		if d.Count("") != 0 {
			t.Error("it is asked while the desk is frozen")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := d.Ask(ctx, use("c", `{}`)); err == nil {
			t.Error("nobody waits, and it is asked")
		}
		d.CancelHandOver()
		synctest.Wait()
		if d.Count("") != 1 {
			t.Error("it is not asked when the desk goes on")
		}
		d.Close()
		for _, w := range []<-chan asking{a, b} {
			if got := <-w; got.err != nil {
				t.Error(got.err)
			}
		}
		if _, err := d.HandOver(t.Context()); err == nil {
			t.Error("a desk that is closed is handed over")
		}
	})
}

func TestTakeOverOfNonsense(t *testing.T) {
	d := NewQueue(Config{})
	defer d.Close()
	many, _ := json.Marshal(handed{Open: make([]Request, MaxOpen+1)})
	for _, state := range []string{`[]`, `{"open":7}`, string(many)} {
		if err := d.TakeOver(json.RawMessage(state)); fault.CodeOf(err) != fault.Internal {
			t.Errorf("%.20s: %v", state, err)
		}
	}
}
