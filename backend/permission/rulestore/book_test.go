package rulestore

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/fault"
	"parley/backend/permission/rule"
	"parley/backend/store/model"
)

// memory stores rules. err is the result of writes.
type memory struct {
	rules map[string]model.Rule
	err   error
}

func (m *memory) All() ([]model.Rule, error) { return slices.Collect(maps.Values(m.rules)), nil }

func (m *memory) Put(id string, r model.Rule) error {
	if m.err == nil {
		m.rules[id] = r
	}
	return m.err
}

func (m *memory) Delete(id string) error {
	if m.err == nil {
		delete(m.rules, id)
	}
	return m.err
}

func open(t testing.TB, m *memory) *Book {
	t.Helper()
	b, err := Open(Config{Records: m, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func allow(text string, scope rule.Scope, id string) rule.Rule {
	r, err := rule.Parse(text, rule.Allow)
	if err != nil {
		panic(err) // a mistake in the test
	}
	r.Scope, r.ScopeID = scope, id
	return r
}

func decides(b *Book, command string) rule.Effect {
	call := rule.Call{Tool: "Bash", Input: fmt.Appendf(nil, `{"command":%q}`, command), CWD: "/w", SessionID: "s", WorkspaceID: "w"}
	return b.Set().Decide(call, time.Now()).Effect
}

func TestBook(t *testing.T) {
	kept := &memory{rules: map[string]model.Rule{}}
	b := open(t, kept)
	now := time.Now()
	made, err := b.Add([]rule.Rule{allow("Bash(mkdir a)", rule.Session, "s"), allow("Bash(mkdir b)", rule.Workspace, "w"), allow("Bash(mkdir c)", rule.Global, "")}, now)
	if err != nil || len(made) != 3 || made[0].ID == "" || made[0].Source != rule.Person {
		t.Fatal(made, err)
	}
	for _, command := range []string{"mkdir a", "mkdir b", "mkdir c"} {
		if decides(b, command) != rule.Allow {
			t.Errorf("%s is asked", command)
		}
	}
	if again, err := b.Add([]rule.Rule{allow("Bash(mkdir c)", rule.Global, "")}, now); err != nil || again[0].ID != made[2].ID {
		t.Errorf("the same rule again: %+v, %v", again, err)
	}
	if b = open(t, kept); len(b.List(now)) != 3 || decides(b, "mkdir a") != rule.Allow {
		t.Error("the rules did not outlive Parley")
	}
	b.Used(made[:1])
	if b.Uses(made[0].ID) != 1 {
		t.Error("uses are not counted")
	}
	if some, err := b.EndSession("s"); !some || err != nil || decides(b, "mkdir a") != rule.Ask || decides(b, "mkdir b") != rule.Allow {
		t.Error("the session's rule did not end with it")
	}
	if some, err := b.EndSession("other"); some || err != nil {
		t.Error("another session ended rules")
	}
	if some, err := b.EndWorkspace("w"); !some || err != nil || decides(b, "mkdir b") != rule.Ask || len(kept.rules) != 1 {
		t.Error("the workspace's rule did not end with it")
	}
	if _, err := b.Change(made[2].ID, func(r *rule.Rule) error { r.Effect = rule.Deny; return nil }); err != nil || decides(b, "mkdir c") != rule.Deny {
		t.Errorf("the change: %v", err)
	}
	if err := b.Remove(made[2].ID); err != nil || decides(b, "mkdir c") != rule.Ask {
		t.Errorf("the removal: %v", err)
	}
	if err := b.Remove(made[2].ID); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

func TestWrongRules(t *testing.T) {
	b := open(t, &memory{rules: map[string]model.Rule{}})
	for name, r := range map[string]rule.Rule{
		"no tool": {Effect: rule.Allow, Scope: rule.Global}, "no effect": {Tool: "Bash", Scope: rule.Global},
		"no scope": {Effect: rule.Allow, Tool: "Bash"}, "no session": {Effect: rule.Allow, Tool: "Bash", Scope: rule.Session},
		"no workspace": {Effect: rule.Allow, Tool: "Bash", Scope: rule.Workspace}, "too much": {Effect: rule.Allow, Tool: "Bash", Scope: rule.Global, ScopeID: "s"},
	} {
		if _, err := b.Add([]rule.Rule{allow("Bash(ls)", rule.Global, ""), r}, time.Now()); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(b.List(time.Now())) != 0 {
		t.Error("a rule was made beside a wrong one")
	}
	many := make([]rule.Rule, MaxRules+1)
	if _, err := b.Add(slices.Repeat([]rule.Rule{allow("Bash(ls)", rule.Global, "")}, len(many)), time.Now()); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("too many: %v", err)
	}
}

// A rule that can't be stored still applies, and the caller is told.
func TestFullDisk(t *testing.T) {
	kept := &memory{rules: map[string]model.Rule{}, err: errors.New("full")}
	b := open(t, kept)
	made, err := b.Add([]rule.Rule{allow("Bash(mkdir a)", rule.Global, "")}, time.Now())
	if !errors.Is(err, ErrNotKept) || decides(b, "mkdir a") != rule.Allow {
		t.Errorf("%v", err)
	}
	if err := b.Remove(made[0].ID); fault.CodeOf(err) != fault.Unavailable || decides(b, "mkdir a") != rule.Ask {
		t.Errorf("%v", err)
	}
}

// A rule ends at its expiry, by the wall clock, and is removed when another is created.
func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &memory{rules: map[string]model.Rule{}}
		b := open(t, kept)
		hour, day := allow("Bash(mkdir hour)", rule.Global, ""), allow("Bash(mkdir day)", rule.Global, "")
		for r, expiry := range map[*rule.Rule]string{&hour: "hour", &day: "today"} {
			var err error
			if r.ExpiresAt, err = Until(expiry, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.Add([]rule.Rule{hour, day}, time.Now()); err != nil {
			t.Fatal(err)
		}
		b = open(t, kept)
		for _, at := range []struct {
			after     time.Duration
			hour, day rule.Effect
		}{
			{time.Hour - time.Millisecond, rule.Allow, rule.Allow}, {time.Millisecond, rule.Ask, rule.Allow},
			{time.Until(day.ExpiresAt) - time.Hour - time.Millisecond, rule.Ask, rule.Allow}, {time.Millisecond, rule.Ask, rule.Ask},
		} {
			time.Sleep(at.after)
			if h, d := decides(b, "mkdir hour"), decides(b, "mkdir day"); h != at.hour || d != at.day {
				t.Errorf("at %v: %s and %s", time.Now(), h, d)
			}
		}
		if len(b.List(time.Now())) != 0 {
			t.Error("rules that are over are listed")
		}
		if _, err := b.Add([]rule.Rule{allow("Bash(ls)", rule.Global, "")}, time.Now()); err != nil || len(kept.rules) != 1 {
			t.Errorf("%d are kept, %v", len(kept.rules), err)
		}
		if _, err := Until("tomorrow", time.Now()); fault.CodeOf(err) != fault.Invalid {
			t.Error(err)
		}
	})
}
