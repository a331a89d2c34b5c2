package permission

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/fault"
)

func TestQuestionIsCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewQueue(Config{Expiry: time.Hour})
		defer d.Close()
		own := bash("s", "own")
		own.ExpiresAt = time.Now().Add(time.Minute).UnixMilli()
		first := ask(t.Context(), d, own)
		synctest.Wait()
		second := ask(t.Context(), d, question("s", "", "AskUserQuestion", `{"questions":[]}`))
		synctest.Wait()
		list := d.List("s")
		if len(list) != 2 || list[0].RequestID != "own" || len(list[1].RequestID) != 36 {
			t.Fatalf("list %+v", list)
		}
		if q := list[1]; q.Kind != KindQuestion || !q.NoRemember || q.ExpiresAt-q.AskedAt != time.Hour.Milliseconds() {
			t.Errorf("completed question %+v", q)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if a := <-first; a.decision.Outcome != OutcomeExpired {
			t.Errorf("its own expiry: %+v", a)
		}
		if d.Count("") != 1 {
			t.Error("the other question ended too")
		}
		d.Withdraw("s", "done")
		<-second
	})
}

func TestAskRefusesBadQuestions(t *testing.T) {
	d := NewQueue(Config{})
	defer d.Close()
	for name, q := range map[string]Request{
		"no session": bash("", "q"),
		"no tool":    question("s", "q", "", `{}`),
		"array":      question("s", "q", "Bash", `[1]`),
		"empty":      question("s", "q", "Bash", ``),
		"cut":        question("s", "q", "Bash", `{"command":`),
	} {
		if _, err := d.Ask(t.Context(), q); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Respond("unknown", Answer{Behavior: "allow"}, "window"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("unknown id: %v", err)
	}
}

func TestARequestIDIsUsedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewQueue(Config{})
		defer d.Close()
		got := ask(t.Context(), d, bash("s", "twice"))
		synctest.Wait()
		if _, err := d.Ask(t.Context(), bash("s", "twice")); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("open id again: %v", err)
		}
		d.Withdraw("s", "done")
		<-got
		if _, err := d.Ask(t.Context(), bash("s", "twice")); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("ended id again: %v", err)
		}
	})
}

func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewQueue(Config{})
		var all []<-chan asking
		for s := range MaxOpen / MaxOpenPerSession {
			for range MaxOpenPerSession {
				all = append(all, ask(t.Context(), d, bash(fmt.Sprint("s", s), "")))
			}
		}
		synctest.Wait()
		for session, want := range map[string]string{"s0": "1000", "new": "1000"} {
			a, err := d.Ask(t.Context(), bash(session, ""))
			if err != nil || a.Outcome != OutcomeDeny || !strings.Contains(a.Message, want) {
				t.Errorf("%s: %+v %v", session, a, err)
			}
		}
		d.Withdraw("s1", "done")
		synctest.Wait()
		if a, _ := d.Ask(t.Context(), bash("s0", "")); !strings.Contains(a.Message, "(200)") {
			t.Errorf("session bound: %+v", a)
		}
		roomy := ask(t.Context(), d, bash("s1", ""))
		synctest.Wait()
		if d.Count("s1") != 1 {
			t.Error("no room although a session's questions ended")
		}
		d.Close()
		for _, c := range append(all, roomy) {
			if a := <-c; a.decision.Outcome != OutcomeWithdrawn {
				t.Fatalf("%+v", a)
			}
		}
		if a, err := d.Ask(t.Context(), bash("s0", "")); err != nil || a.Outcome != OutcomeDeny {
			t.Errorf("after close: %+v %v", a, err)
		}
	})
}

// An answer makes room for exactly one question of its session.
func TestAnswerMakesRoomForOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewQueue(Config{})
		defer d.Close()
		for n := range MaxOpenPerSession {
			ask(t.Context(), d, bash("s", fmt.Sprint("q", n)))
		}
		synctest.Wait()
		if won, err := d.Respond("q0", Answer{Behavior: "allow"}, "w"); !won || err != nil {
			t.Fatal(won, err)
		}
		synctest.Wait()
		ask(t.Context(), d, bash("s", "more"))
		synctest.Wait()
		if n := d.Count("s"); n != MaxOpenPerSession {
			t.Errorf("%d questions are open", n)
		}
		if a, err := d.Ask(t.Context(), bash("s", "over")); err != nil || a.Outcome != OutcomeDeny {
			t.Errorf("one more: %+v %v", a, err)
		}
	})
}

func TestLateAnswersAreKnownForAThousandQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewQueue(Config{})
		defer d.Close()
		for n := range maxResolved + 1 {
			got := ask(t.Context(), d, bash("s", fmt.Sprint("q", n)))
			synctest.Wait()
			d.Withdraw("s", "done")
			<-got
		}
		if _, err := d.Respond("q0", Answer{Behavior: "allow"}, "w"); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("the oldest: %v", err)
		}
		if won, err := d.Respond("q1", Answer{Behavior: "allow"}, "w"); won || err != nil {
			t.Errorf("the second oldest: %v %v", won, err)
		}
	})
}
