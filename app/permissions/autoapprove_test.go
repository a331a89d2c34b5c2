package permissions

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/permission/rule"
)

func asks(t testing.TB, command string) permission.Request {
	t.Helper()
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	return permission.Request{SessionID: "s", Question: event.Question{RequestID: "r", ToolName: "Bash", Kind: "tool", Input: input, CWD: "/home/ada/project"}}
}

func makes(t testing.TB, j *judge, effect rule.Effect, texts ...string) {
	t.Helper()
	for _, text := range texts {
		r, err := rule.Parse(text, effect)
		if err != nil {
			t.Fatal(err)
		}
		r.Scope = rule.Global
		if _, err := j.book.Add([]rule.Rule{r}, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
}

// Auto-approve allows what is harmless, if enabled, and nothing that matches a rule, that could not
// be parsed, or that is for a user.
func TestGuard(t *testing.T) {
	harmless := func(context.Context, permission.Request) (Opinion, error) { return Opinion{true, "It builds."}, nil }
	for _, tt := range []struct {
		name, guard, mode, command string
		change                     func(*permission.Request)
		effect                     rule.Effect
		rules                      []string
		review                     func(context.Context, permission.Request) (Opinion, error)
		by                         string
	}{
		{name: "harmless", guard: "static", command: "ls -la", by: "guard"},
		{name: "off", guard: "off", command: "ls -la"},
		{name: "plan", guard: "static", mode: "plan", command: "ls -la"},
		{name: "the CLI's own auto", guard: "static", mode: "auto", command: "ls -la"},
		{name: "edits accepted", guard: "static", mode: "acceptEdits", command: "ls -la", by: "guard"},
		{name: "dangerous", guard: "static", command: "rm -rf build"},
		{name: "not known", guard: "static", command: "./build.sh"},
		{name: "a deny rule", guard: "static", command: "ls -la", effect: rule.Deny, rules: []string{"Bash(ls:*)"}, by: "rule"},
		{name: "an ask rule", guard: "static", command: "ls -la", effect: rule.Ask, rules: []string{"Bash(ls:*)"}},
		{name: "an ask rule about a part", guard: "static", command: "pwd; ls", effect: rule.Ask, rules: []string{"Bash(ls:*)"}},
		{name: "an allow rule", guard: "off", command: "make x", effect: rule.Allow, rules: []string{"Bash(make x)"}, by: "rule"},
		{name: "not understood", guard: "static", command: "ls $(", by: ""},
		{name: "only for a person", guard: "static", command: "ls", change: func(q *permission.Request) { q.NoRemember = true }},
		{name: "no by default", guard: "static", command: "ls", change: func(q *permission.Request) { q.DefaultToNo = true }},
		{name: "the CLI's reason", guard: "static", command: "ls", change: func(q *permission.Request) { q.Weighty = true }},
		{name: "a blocked path", guard: "static", command: "ls", change: func(q *permission.Request) { q.BlockedPath = "/etc" }},
		{name: "reviewed", guard: "reviewed", command: "./build.sh", review: harmless, by: "reviewer"},
		{name: "reviewed and dangerous", guard: "reviewed", command: "sudo make install", review: harmless},
		{name: "reviewed and destructive", guard: "reviewed", command: "rm x", review: harmless},
		{name: "reviewed and not understood", guard: "reviewed", command: "ls $(", review: harmless},
		{name: "reviewed with an ask rule", guard: "reviewed", command: "./build.sh", effect: rule.Ask, rules: []string{"Bash"}, review: harmless},
		{name: "found to be harmful", guard: "reviewed", command: "./build.sh", review: func(context.Context, permission.Request) (Opinion, error) { return Opinion{}, nil }},
		{name: "nobody reviews", guard: "reviewed", command: "./build.sh"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := testJudge(t, "/home/ada", "/data")
			j.guarded = func(string) (string, string) { return tt.guard, tt.mode }
			if tt.review != nil {
				j.review = tt.review
			}
			makes(t, j, tt.effect, tt.rules...)
			q := asks(t, tt.command)
			if tt.change != nil {
				tt.change(&q)
			}
			by := ""
			if d := j.decide(t.Context(), &q); d != nil {
				by = d.By
				if d.Why == "" {
					t.Error("nobody is told why")
				}
			}
			if by != tt.by {
				t.Errorf("decided by %q, want %q", by, tt.by)
			}
			if q.Verdict == nil || q.Risk == nil {
				t.Errorf("the question shows %+v and %+v", q.Verdict, q.Risk)
			}
		})
	}
}

// A decision made while the small model is thinking takes precedence.
func TestReviewIsOvertaken(t *testing.T) {
	for name, meanwhile := range map[string]func(j *judge){
		"an ask rule":       func(j *judge) { makes(t, j, rule.Ask, "Bash(./build.sh)") },
		"a deny rule":       func(j *judge) { makes(t, j, rule.Deny, "Bash") },
		"another guard":     func(j *judge) { j.guarded = func(string) (string, string) { return "static", "default" } },
		"a mode that plans": func(j *judge) { j.guarded = func(string) (string, string) { return "reviewed", "plan" } },
	} {
		j := testJudge(t, "/home/ada", "/data")
		j.guarded = func(string) (string, string) { return "reviewed", "default" }
		j.review = func(context.Context, permission.Request) (Opinion, error) {
			meanwhile(j)
			return Opinion{true, "It builds."}, nil
		}
		q := asks(t, "./build.sh")
		if d := j.decide(t.Context(), &q); d != nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// The CLI's own ask or deny rule overrides our allow rule.
func TestTheirRules(t *testing.T) {
	j := testJudge(t, "/home/ada", "/data")
	j.guarded = func(string) (string, string) { return "static", "default" }
	makes(t, j, rule.Allow, "Bash(ls:*)")
	for _, effect := range []rule.Effect{rule.Ask, rule.Deny} {
		r, err := rule.Parse("Bash(ls:*)", effect)
		if err != nil {
			t.Fatal(err)
		}
		r.Scope, r.Source = rule.Global, rule.CLI
		j.theirs = func(string, string) *rule.Set { return j.book.Engine().New([]rule.Rule{r}) }
		q := asks(t, "ls")
		if d := j.decide(t.Context(), &q); d != nil || !strings.Contains(q.Verdict.Why, "CLI's own") {
			t.Errorf("%s: %+v, %+v", effect, d, q.Verdict)
		}
	}
}

func TestChoose(t *testing.T) {
	j := testJudge(t, "/home/ada", "/data")
	q := asks(t, "git status && mkdir out")
	q.Offers = j.offers(q)
	if len(q.Offers) < 2 || len(q.Offers[1].Rules) != 2 {
		t.Fatalf("offers %+v", q.Offers)
	}
	for _, tt := range []struct {
		name   string
		choice RuleChoice
		want   string
	}{
		{"as offered", RuleChoice{Offer: 1, Scope: "session"}, ""},
		{"narrowed", RuleChoice{Offer: 1, Scope: "workspace", Texts: []string{"Bash(git status)", "Bash(mkdir out:*)"}}, ""},
		{"wider", RuleChoice{Offer: 1, Scope: "global", Texts: []string{"Bash(git:*)", "Bash(mkdir:*)"}}, "would allow more"},
		{"about something else", RuleChoice{Offer: 1, Scope: "global", Texts: []string{"Bash(git status:*)", "Bash(mkdir other)"}}, "does not fit"},
		{"too few", RuleChoice{Offer: 1, Scope: "global", Texts: []string{"Bash(git status:*)"}}, "texts has 1 rules"},
		{"no rule", RuleChoice{Offer: 1, Scope: "global", Texts: []string{"Bash(", "x"}}, "cannot be created"},
		{"no offer", RuleChoice{Offer: 9, Scope: "global"}, "this request has"},
		{"no scope", RuleChoice{Offer: 0, Scope: "world"}, "scope is"},
		{"no time", RuleChoice{Offer: 0, Scope: "global", Expiry: "soon"}, "not an expiry"},
	} {
		made, err := j.choose(q, tt.choice, time.Now())
		if tt.want == "" {
			if err != nil || len(made) != 2 || made[0].ScopeID != map[string]string{"session": "s", "workspace": "w"}[tt.choice.Scope] {
				t.Errorf("%s: %+v, %v", tt.name, made, err)
			}
			continue
		}
		if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestGuardStats(t *testing.T) {
	s := newTally()
	for i := range maxPasses + 10 {
		q := asks(t, "ls")
		q.RequestID, q.SessionID = fmt.Sprint(i), fmt.Sprintf("s%d", i%2)
		s.passed(q, permission.ByGuard, "why")
	}
	s.count("s0", func(c *guardCounts) { c.failed++ })
	all, one := s.of(""), s.of("s0")
	if all.Passed != maxPasses+10 || len(all.Recent) != maxPasses || all.Recent[0].RequestID != fmt.Sprint(maxPasses+9) || one.Failed != 1 || one.Passed != (maxPasses+10)/2 || len(one.Recent) != maxPasses/2 {
		t.Errorf("%+v\n%+v", all, one)
	}
	for i := range maxCounted + 5 {
		s.count(fmt.Sprint(i), func(c *guardCounts) { c.refused++ })
	}
	if len(s.sessions) != maxCounted || len(s.order) != maxCounted {
		t.Errorf("%d sessions are counted", len(s.sessions))
	}
}

// The time to answer with a thousand rules: what a rule decides, and what a user does, with an edit
// and a rule.
func BenchmarkThousandRules(b *testing.B) {
	j := testJudge(b, "/home/ada", "/data")
	for i := range 1000 {
		makes(b, j, []rule.Effect{rule.Allow, rule.Ask, rule.Deny}[i%3], fmt.Sprintf("Bash(tool%d sub:*)", i))
	}
	desk := permission.NewQueue(permission.Config{Decide: j.decide, Forbid: j.forbid})
	defer desk.Close()
	n := 0
	ask := func(command string) (permission.Request, <-chan permission.Decision) {
		n++
		q, answered := asks(b, command), make(chan permission.Decision, 1)
		q.RequestID = fmt.Sprint(n)
		go func() {
			d, err := desk.Ask(context.Background(), q)
			if err != nil {
				b.Error(err)
			}
			answered <- d
		}()
		return q, answered
	}
	b.Run("by a rule", func(b *testing.B) {
		for b.Loop() {
			if _, answered := ask("tool999 sub x"); !(<-answered).Allowed() {
				b.Fatal("not allowed")
			}
		}
	})
	b.Run("by a person", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			q, answered := ask("make something")
			for {
				if _, open := desk.Question(q.RequestID); open {
					break
				}
				time.Sleep(time.Microsecond)
			}
			b.StartTimer()
			won, err := desk.Respond(q.RequestID, permission.Answer{Behavior: "allow", UpdatedInput: json.RawMessage(`{"command":"make other"}`)}, "window")
			if !won || err != nil || !(<-answered).Allowed() {
				b.Fatal(won, err)
			}
		}
	})
	b.Run("rules that are made", func(b *testing.B) {
		q := asks(b, "make something")
		for b.Loop() {
			if _, err := j.choose(q, RuleChoice{Scope: "global"}, time.Now()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
