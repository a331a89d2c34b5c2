package permission

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestKeyOf(t *testing.T) {
	base := `{"command":"ls","n":1}`
	tests := []struct {
		name, tool, input string
		same              bool
	}{
		{"itself", "Bash", base, true},
		{"other order and space", "Bash", ` {"n": 1, "command": "l\u0073"}`, true},
		{"other tool", "Write", base, false},
		{"other value", "Bash", `{"command":"ls ","n":1}`, false},
		{"other number", "Bash", `{"command":"ls","n":2}`, false},
		{"another field", "Bash", `{"command":"ls","n":1,"x":null}`, false},
	}
	want, ok := keyOf("Bash", json.RawMessage(base))
	if !ok {
		t.Fatal("no key")
	}
	for _, tt := range tests {
		if got, ok := keyOf(tt.tool, json.RawMessage(tt.input)); !ok || (got == want) != tt.same {
			t.Errorf("%s: key %v, same %v", tt.name, ok, got == want)
		}
	}
	big1, _ := keyOf("T", json.RawMessage(`{"n":9007199254740992}`))
	big2, _ := keyOf("T", json.RawMessage(`{"n":9007199254740993}`))
	if big1 == big2 {
		t.Error("two large numbers have the same key")
	}
	// The boundary between name and input is part of the key.
	short, _ := keyOf("T", json.RawMessage("12"))
	long, _ := keyOf("T1", json.RawMessage("2"))
	if short == long {
		t.Error("two tools have the same key")
	}
	for _, input := range []string{`{"a":"\ud800"}`, `{"a":"\ufffd"}`, `{"a":`} {
		if _, ok := keyOf("T", json.RawMessage(input)); ok {
			t.Errorf("%s has a key", input)
		}
	}
}

func FuzzKeyOf(f *testing.F) {
	f.Add(`{"command":"ls"}`)
	f.Add(`{"b":[1,2.50,"x"],"a":{"y":null}}`)
	f.Fuzz(func(t *testing.T, input string) {
		key, ok := keyOf("T", json.RawMessage(input))
		if !ok {
			return
		}
		var fields any
		if json.Unmarshal([]byte(input), &fields) != nil {
			return // something follows the first value
		}
		spaced, err := json.MarshalIndent(json.RawMessage(input), " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if again, ok := keyOf("T", spaced); !ok || again != key {
			t.Errorf("%q changes its key with white space", input)
		}
	})
}

func TestRemember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rec recorder
		d := NewQueue(Config{Observe: rec.observe})
		defer d.Close()
		answer := func(q Request, a Answer) Decision {
			got := ask(t.Context(), d, q)
			synctest.Wait()
			if won, err := d.Respond(q.RequestID, a, "window"); !won || err != nil {
				t.Fatal(won, err)
			}
			return (<-got).decision
		}
		automatic := func(q Request) bool {
			got := ask(t.Context(), d, q)
			synctest.Wait()
			if d.Count(q.SessionID) == 0 {
				a := <-got
				return a.decision.By == ByRule && a.decision.Allowed()
			}
			d.Withdraw(q.SessionID, "test")
			<-got
			return false
		}

		answer(bash("s", "q1"), Answer{Behavior: "allow", Remember: true})
		if !automatic(question("s", "q2", "Bash", `{ "command" : "ls" }`)) {
			t.Error("the same input is asked again")
		}
		for name, q := range map[string]Request{
			"other input":   question("s", "q3", "Bash", `{"command":"ls -l"}`),
			"other tool":    question("s", "q4", "Shell", `{"command":"ls"}`),
			"other session": bash("t", "q5"),
			"no valid text": question("s", "q5b", "Bash", `{"command":"\ud800"}`),
		} {
			if automatic(q) {
				t.Errorf("%s is not asked", name)
			}
		}
		never := bash("s", "q6")
		never.NoRemember = true
		if automatic(never) {
			t.Error("a question that must be asked is not asked")
		}

		// The allowed input is remembered, not the requested one.
		edited := Answer{Behavior: "allow", Remember: true, UpdatedInput: json.RawMessage(`{"command":"ls tmp"}`)}
		answer(question("s", "q7", "Bash", `{"command":"rm -r tmp"}`), edited)
		if automatic(question("s", "q8", "Bash", `{"command":"rm -r tmp"}`)) {
			t.Error("the input before the edit is allowed")
		}
		if !automatic(question("s", "q9", "Bash", `{"command":"ls tmp"}`)) {
			t.Error("the input after the edit is asked again")
		}

		d.Forget("s")
		if automatic(bash("s", "q10")) {
			t.Error("a forgotten session's rule holds")
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"q1 opened", `q1 allow by "window"`, "q2 opened", `q2 allow by "rule"`}, rec.all()[:4]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRecentForgetsTheOldest(t *testing.T) {
	r := newRecent[string, int](3)
	for i := range 5 {
		r.put(fmt.Sprint(i), i)
	}
	r.put("3", 33) // no newer than before
	r.delete("2")
	r.delete("absent")
	r.put("5", 5)
	r.put("6", 6)
	if diff := cmp.Diff(map[string]int{"4": 4, "5": 5, "6": 6}, r.entries); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"4", "5", "6"}, r.order); diff != "" {
		t.Error(diff)
	}
}
