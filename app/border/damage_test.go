//go:build linux

package border

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/audit"
	appchat "parley/app/chat"
	"parley/app/diagnostics"
	"parley/app/heartbeats"
	"parley/app/memory"
	"parley/app/outside"
	"parley/app/permissions"
	"parley/app/rooms"
	"parley/app/sessions"
	"parley/app/settings"
	"parley/app/snapshots"
	"parley/backend/demo"
	"parley/backend/event"
)

var update = flag.Bool("update", false, "write the golden files")

// spoil damages a file.
type spoil func(path string) error

// rewrite changes a file's content.
func rewrite(change func([]byte) []byte) spoil {
	return func(path string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, change(data), 0o600)
	}
}

func instead(put func(path string) error) spoil {
	return func(path string) error { return errors.Join(os.RemoveAll(path), put(path)) }
}

// accidents are damages that may happen to any file.
func accidents() map[string]spoil {
	return map[string]spoil{
		"removed": os.Remove,
		"emptied": func(path string) error { return os.Truncate(path, 0) },
		"zeroed":  rewrite(func(b []byte) []byte { clear(b); return b }),
		"cut":     rewrite(func(b []byte) []byte { return b[:len(b)/2] }),
		"random": rewrite(func(b []byte) []byte {
			for i := range b {
				b[i] = byte(i*7919>>3) | 0x80
			}
			return b
		}),
		"a folder":         instead(func(path string) error { return os.Mkdir(path, 0o700) }),
		"a pipe":           instead(func(path string) error { return syscall.Mkfifo(path, 0o600) }),
		"a link to itself": instead(func(path string) error { return os.Symlink(filepath.Base(path), path) }),
	}
}

// text replaces a file.
func text(s string) spoil { return rewrite(func([]byte) []byte { return []byte(s) }) }

// damages are the files, and the additional damages of each.
func damages() map[string]map[string]spoil {
	doubled := rewrite(func(b []byte) []byte { return append(slices.Clone(b), b...) })
	return map[string]map[string]spoil{
		"data/parley.db":       {"text": text("not a store\n")},
		"data/rooms.db":        {"text": text("not a store\n")},
		"data/settings.json":   {"an invalid value": text(`{"budgetDayUSD":"five"}`), "newer fields": text(`{"budgetDayUSD":9,"tomorrow":{"a":1}}`)},
		"data/heartbeats.yaml": {"tabs": text("heartbeats:\n\t- name: x\n")},
		"data/chat.json":       {"of no role": text(`{"nobody":1}`)},
		"data/format.json":     {"newer": text(`{"format":2}`)},
		"data/audit/000000000001.jsonl": {
			"a word changed": rewrite(func(b []byte) []byte { return bytes.Replace(b, []byte(`"rule`), []byte(`"mule`), 1) }),
		},
		"data/audit/head.json": {},
		"data/memory/DAY":      {},
		"conversation":         {"doubled": doubled, "a line that is not JSON": rewrite(func(b []byte) []byte { return append(b, "{\"type\":\"user\",\n"...) })},
	}
}

// Whatever happens to a file, Parley starts or says why not, reports the problem to the user
// and in "parley check", and allows nothing that it did not allow before. The reports
// are in testdata/damage.
func TestDamage(t *testing.T) {
	t.Parallel()
	for file, special := range damages() {
		all := accidents()
		maps.Copy(all, special)
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			d := newDamaged(t, file)
			var said strings.Builder
			for _, name := range slices.Sorted(maps.Keys(all)) {
				fmt.Fprintf(&said, "%s\n%s", name, d.after(all[name]))
			}
			golden := filepath.Join("testdata", "damage", strings.NewReplacer("data/", "", "/", "-").Replace(file)+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(said.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), said.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// damaged is a Parley with a file that is damaged repeatedly.
type damaged struct {
	p        *parley
	file     string
	template string
	session  string
}

// newDamaged makes a Parley with all kinds of data, and ends it.
func newDamaged(t *testing.T, file string) *damaged {
	t.Helper()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Noted.")))
	p.damaged, p.tampered, p.strange = true, true, true
	c := p.watcher
	s := p.openWith(m{"title": "A title of its own"})
	s.turn("remember the aubergine")
	call[m](c, "draft.set", m{"sessionId": s.id, "text": "half a thought"})
	call[settings.Settings](c, "settings.set", m{"budgetDayUSD": 9})
	call[permissions.Rule](c, "rule.add", m{"effect": "allow", "text": "Bash(ls:*)", "scope": "global"})
	call[permissions.Rule](c, "rule.add", m{"effect": "deny", "text": "Bash(rm:*)", "scope": "global"})
	call[memory.Memory](c, "memory.save", m{"text": "Tea is good."})
	p.beat(m{"name": "beat"})
	chat := call[appchat.ChatState](c, "mattermost.get", m{})
	call[appchat.ChatState](c, "mattermost.set", m{"config": chat.Config, "revision": chat.Revision})
	room := call[rooms.Room](c, "room.create", m{"name": "lobby"}).ID
	call[m](c, "room.post", m{"roomId": room, "text": "hello", "messageId": "m1"})
	poll(t, "a snapshot of all of it", func() bool { return !call[snapshots.SnapshotTaken](c, "snapshot.take", m{}).Made })
	d := &damaged{p: p, file: file, template: p.path("template"), session: s.id}
	switch file {
	case "conversation":
		d.file = strings.TrimPrefix(p.transcript(s.record().CLISessionID), p.root+"/")
	case "data/memory/DAY":
		d.file = "data/memory/" + time.Now().Format(time.DateOnly) + ".md"
	}
	p.end()
	if file == "conversation" {
		// Data about it may be written a moment after its turn, or only at the end. An
		// idle Parley has written everything.
		poll(t, "the conversation to be known", func() bool {
			p.again()
			call[m](p.watcher, "session.list", m{})
			p.end()
			out, _ := p.run("check")
			return strings.Contains(out, "1 conversations are on disk")
		})
	}
	d.copy(p.root, d.template)
	return d
}

func (d *damaged) copy(from, to string) {
	d.p.t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		d.p.t.Fatal(err)
	}
	for _, dir := range []string{"data", "home"} {
		if err := os.RemoveAll(filepath.Join(to, dir)); err != nil {
			d.p.t.Fatal(err)
		}
		if out, err := exec.Command("cp", "-a", filepath.Join(from, dir), to).CombinedOutput(); err != nil {
			d.p.t.Fatalf("%v: %s", err, out)
		}
	}
}

// after returns the consequences of a damage.
func (d *damaged) after(do spoil) string {
	p := d.p
	p.t.Helper()
	d.copy(d.template, p.root)
	if err := do(p.path(d.file)); err != nil {
		p.t.Fatal(err)
	}
	var b strings.Builder
	out, _ := p.run("check")
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "WRONG") || strings.HasPrefix(line, "note") {
			b.WriteString("  check  " + strings.Join(strings.Fields(line), " ") + "\n")
		}
	}
	p.again()
	select {
	case <-p.exited:
		b.WriteString("  start  refused: " + strings.TrimSpace(p.stderr.String()) + "\n")
		return d.plain(b.String())
	default:
	}
	var problems []string
	for _, one := range call[diagnostics.Problems](p.watcher, "app.problems", m{}).Problems {
		problems = append(problems, one.ID)
	}
	slices.Sort(problems)
	fmt.Fprintf(&b, "  start  problems: %s\n", strings.Join(problems, ", "))
	fmt.Fprintf(&b, "  there  %s\n", d.there())
	p.end()
	return d.plain(b.String())
}

var (
	times   = regexp.MustCompile(`\d{8}-\d{6}\.\d{3}|\d{4}-\d\d-\d\d( \d\d:\d\d)?`)
	numbers = regexp.MustCompile(`\b(0x)?[0-9a-f]{8,}\b|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
)

// plain removes what differs each time.
func (d *damaged) plain(s string) string {
	s = strings.ReplaceAll(s, d.p.root, "ROOT")
	s = strings.ReplaceAll(s, strings.ReplaceAll(d.p.root, "/", "-"), "-ROOT")
	return numbers.ReplaceAllString(times.ReplaceAllString(s, "TIME"), "ID")
}

// there lists what Parley has.
func (d *damaged) there() string {
	c := d.p.watcher
	poll(d.p.t, "all conversations are read", func() bool { return len(d.p.sessions(m{})) > 0 || !strings.HasPrefix(d.file, "data/") })
	var list []string
	say := func(what, method string, params m, value func(raw json.RawMessage) string) {
		raw, err := c.try(method, params)
		var r *refusal
		switch {
		case errors.As(err, &r):
			list = append(list, what+" "+r.Code)
		case err != nil:
			d.p.t.Fatal(err)
		default:
			list = append(list, what+" "+value(raw))
		}
	}
	say("titles", "session.list", m{}, func(raw json.RawMessage) string {
		var got struct{ Sessions []event.Session }
		d.decode(raw, &got)
		own := 0
		for _, s := range got.Sessions {
			if s.Title == "A title of its own" {
				own++
			}
		}
		return fmt.Sprintf("%d of %d", own, len(got.Sessions))
	})
	say("said", "session.history", m{"sessionId": d.session}, func(raw json.RawMessage) string {
		var got event.History
		d.decode(raw, &got)
		return fmt.Sprint(len(got.Messages))
	})
	say("draft", "draft.get", m{"sessionId": d.session}, func(raw json.RawMessage) string {
		var got sessions.Draft
		d.decode(raw, &got)
		return fmt.Sprintf("%q", got.Text)
	})
	say("budget", "settings.get", m{}, func(raw json.RawMessage) string {
		var got settings.Settings
		d.decode(raw, &got)
		return fmt.Sprint(got.BudgetDayUSD)
	})
	say("rules", "rule.list", m{}, func(raw json.RawMessage) string {
		var got permissions.RuleList
		d.decode(raw, &got)
		var rules []string
		for _, r := range got.Rules {
			if r.Text == "Bash(ls:*)" || r.Text == "Bash(rm:*)" {
				rules = append(rules, r.Effect)
			}
		}
		slices.Sort(rules)
		return strings.Join(rules, "+")
	})
	say("memories", "memory.search", m{}, func(raw json.RawMessage) string {
		var got memory.MemoryFound
		d.decode(raw, &got)
		return fmt.Sprint(got.Total)
	})
	say("heartbeats", "heartbeat.list", m{}, func(raw json.RawMessage) string {
		var got heartbeats.HeartbeatList
		d.decode(raw, &got)
		return fmt.Sprint(len(got.Heartbeats))
	})
	say("rooms", "room.list", m{}, func(raw json.RawMessage) string {
		var got rooms.RoomList
		d.decode(raw, &got)
		return fmt.Sprint(len(got.Rooms))
	})
	say("doubt", "outside.list", m{}, func(raw json.RawMessage) string {
		var got outside.HeldList
		d.decode(raw, &got)
		held := []string{fmt.Sprintf("%q", got.Doubt)}
		for _, f := range got.Files {
			held = append(held, f.Name)
		}
		return strings.Join(held, "+")
	})
	say("log", "audit.verify", m{}, func(raw json.RawMessage) string {
		var got audit.AuditReport
		d.decode(raw, &got)
		if got.OK {
			return "ok"
		}
		return "not ok: " + got.Problem
	})
	return strings.Join(list, ", ")
}

func (d *damaged) decode(raw json.RawMessage, into any) {
	d.p.t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		d.p.t.Fatal(err)
	}
}
