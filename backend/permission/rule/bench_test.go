package rule

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// thousand returns a thousand rules, as a user might collect over years.
func thousand(t testing.TB) []Rule {
	var rules []Rule
	add := func(text string, effect Effect) {
		r, err := Parse(text, effect)
		if err != nil {
			t.Fatal(err)
		}
		r.Scope = Global
		rules = append(rules, r)
	}
	for i := range 125 {
		add(fmt.Sprintf("Bash(tool%d run:*)", i), Allow)
		add(fmt.Sprintf("Bash(tool%d 'a b' --exact)", i), Allow)
		add(fmt.Sprintf("Bash(tool%d * --force)", i), Deny)
		add(fmt.Sprintf("Bash(tool%d push:*)", i), Ask)
		add(fmt.Sprintf("Edit(//home/u/proj/dir%d/**)", i), Allow)
		add(fmt.Sprintf("Read(~/private%d/**)", i), Deny)
		add(fmt.Sprintf("WebFetch(domain:*.site%d.org)", i), Allow)
		add(fmt.Sprintf("mcp__server%d", i), Allow)
	}
	return append(rules, Reserved("/home/u/.local/share/parley")...)
}

func BenchmarkDecide(b *testing.B) {
	calls := map[string]string{
		"simple":   "tool7 run --all",
		"compound": "cd src && timeout 10 tool7 run a b c | tool8 run 'x y' && tool9 run $(tool10 run) > /dev/null 2>&1; tool124 run",
		"denied":   "tool1 run && tool124 x --force",
	}
	rules := thousand(b)
	set := machine().New(rules)
	for name, command := range calls {
		input, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			b.Fatal(err)
		}
		call := Call{Tool: "Bash", Input: input, CWD: "/home/u/proj"}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				set.Decide(call, time.Time{})
			}
		})
	}
	b.Run("file", func(b *testing.B) {
		call := Call{Tool: "Edit", Input: json.RawMessage(`{"file_path":"/home/u/proj/dir99/x.go"}`), CWD: "/home/u/proj"}
		for b.Loop() {
			set.Decide(call, time.Time{})
		}
	})
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			machine().New(rules)
		}
	})
}

// A thousand rules must not cause a noticeable delay. The limit is generous
// because test machines are slow; the real time is far below.
func TestDecideIsQuick(t *testing.T) {
	set := machine().New(thousand(t))
	call := Call{Tool: "Bash", Input: json.RawMessage(`{"command":"cd src && tool7 run a | tool8 run b && tool9 run $(tool10 run)"}`), CWD: "/home/u/proj"}
	if v := set.Decide(call, time.Time{}); v.Effect != Ask && v.Effect != Allow {
		t.Fatal(v)
	}
	best := time.Hour
	for range 20 {
		start := time.Now()
		set.Decide(call, time.Time{})
		best = min(best, time.Since(start))
	}
	if best > 50*time.Millisecond {
		t.Errorf("deciding by a thousand rules takes %s", best)
	}
}
