//go:build linux

package border

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/app/heartbeats"
	"parley/app/permissions"
	"parley/backend/demo"
	"parley/backend/event"
)

// beat creates a heartbeat that is due far in the future, and returns it.
func (p *parley) beat(spec m) heartbeats.Heartbeat {
	p.t.Helper()
	full := m{"name": "look", "prompt": "Look around.", "folder": p.path("work"), "enabled": true, "schedule": m{"cron": "0 0 1 1 *"}}
	for key, value := range spec {
		full[key] = value
	}
	return call[heartbeats.Heartbeat](p.watcher, "heartbeat.save", m{"spec": full})
}

// stopHeartbeat turns the heartbeat off, and waits until a started run has ended and its
// process is gone.
func (p *parley) stopHeartbeat() {
	p.t.Helper()
	call[m](p.watcher, "heartbeat.enable", m{"name": "look", "enabled": false})
	poll(p.t, "the last run", func() bool {
		return call[heartbeats.Heartbeat](p.watcher, "heartbeat.get", m{"name": "look"}).Running == nil
	})
	p.noProcess()
}

// runNow runs a heartbeat and returns its record when it has ended and its process is gone.
func (p *parley) runNow(name string) heartbeats.HeartbeatRecord {
	p.t.Helper()
	id := call[heartbeats.HeartbeatRunResult](p.watcher, "heartbeat.run", m{"name": name}).RecordID
	return p.over(name, id)
}

func (p *parley) over(name, id string) heartbeats.HeartbeatRecord {
	p.t.Helper()
	var got heartbeats.HeartbeatRecord
	poll(p.t, "the end of "+id, func() bool {
		h := call[heartbeats.Heartbeat](p.watcher, "heartbeat.get", m{"name": name})
		if h.Last == nil || h.Last.ID != id || h.Running != nil {
			return false
		}
		got = *h.Last
		return true
	})
	p.began(got)
	return got
}

// began notes the turn of a run, like that of any accepted prompt.
func (p *parley) began(r heartbeats.HeartbeatRecord) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.TurnID != "" {
		p.accepted[r.TurnID] = true
	}
}

// noProcess checks that no CLI runs.
func (p *parley) noProcess() {
	p.t.Helper()
	poll(p.t, "the end of the CLI", func() bool { return len(p.running("--output-format")) == 0 })
}

// A heartbeat is created, tried, run, collapsed, edited by hand and removed.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Say("All is well.\n\nHEARTBEAT_OK"), demo.Say("The cellar is full of water.")))
	c := p.dial()
	c.subscribe("heartbeats.changed", "notice.*", "sessions.changed")
	h := p.beat(m{"description": "Round", "schedule": m{"cron": "0 9 * * mon-fri", "zone": "Europe/Berlin"}})
	if h.State != "idle" || h.Next == 0 || h.Line == 0 {
		t.Errorf("%+v", h)
	}
	preview := call[heartbeats.HeartbeatPreview](c, "heartbeat.preview", m{"name": "look"})
	if preview.Basis != 0 || preview.Blocked != "" || !strings.HasPrefix(preview.Prompt, "Look around.") || preview.RunsPerMonth < 20 || len(preview.Next) != 10 {
		t.Errorf("%+v", preview)
	}
	if n := len(p.mainRequests()); n != 0 {
		t.Errorf("a dry run asked the model %d times", n)
	}
	quiet := p.runNow("look")
	if quiet.State != "finished" || quiet.Found || quiet.Answer != "All is well." || quiet.SessionID == "" || quiet.TurnID == "" ||
		quiet.Turns != 1 || quiet.Tokens == 0 || quiet.CostUSD == 0 || quiet.Usage == nil || quiet.Trigger != "person" {
		t.Errorf("%+v", quiet)
	}
	p.noProcess()
	s := call[event.Session](c, "session.get", m{"sessionId": quiet.SessionID})
	if s.Heartbeat != "look" || !s.Quiet || s.Unread || s.State != "closed" || s.PID != 0 || !strings.HasPrefix(s.Title, "Round · ") {
		t.Errorf("%+v", s)
	}
	found := p.runNow("look")
	if found.State != "finished" || !found.Found || found.Answer != "The cellar is full of water." || found.SessionID == quiet.SessionID {
		t.Errorf("%+v", found)
	}
	if s := call[event.Session](c, "session.get", m{"sessionId": found.SessionID}); s.Quiet || !s.Unread {
		t.Errorf("%+v", s)
	}
	notice := await(c, "", "the notice", func(e *event.NotificationShown) bool { return true })
	if notice.SessionID != found.SessionID || notice.Kind != "found" || notice.Title != "Round" {
		t.Errorf("told of %+v", notice)
	}
	if history := call[heartbeats.HeartbeatHistory](c, "heartbeat.history", m{"name": "look", "limit": 1}); !history.More || len(history.Records) != 1 || history.Records[0].ID != found.ID {
		t.Errorf("%+v", history)
	} else if older := call[heartbeats.HeartbeatHistory](c, "heartbeat.history", m{"before": found.ID}); older.More || len(older.Records) != 1 || older.Records[0].ID != quiet.ID {
		t.Errorf("%+v", older)
	}
	if preview := call[heartbeats.HeartbeatPreview](c, "heartbeat.preview", m{"name": "look"}); preview.Basis != 2 || preview.Tokens == 0 {
		t.Errorf("%+v", preview)
	}

	// By hand, with an editor.
	text := call[heartbeats.HeartbeatText](c, "heartbeat.getFile", m{})
	own := strings.Replace(text.Text, "Look around.", "Look here. # not a comment", 1) + "# mine\n"
	if err := os.WriteFile(p.path("data", "heartbeats.yaml"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	accept(c, "heartbeats.yaml")
	poll(t, "the change", func() bool {
		return strings.HasPrefix(call[heartbeats.Heartbeat](c, "heartbeat.get", m{"name": "look"}).Prompt, "Look here.")
	})
	c.refused("heartbeat.setFile", m{"text": "heartbeats: {}", "revision": text.Revision}, "conflict", "changed")
	c.refused("heartbeat.setFile", m{"text": "heartbeats: {look: {}}", "revision": text.Revision}, "invalid", "Line 1")
	call[heartbeats.Heartbeat](c, "heartbeat.enable", m{"name": "look", "enabled": false})
	if raw, err := os.ReadFile(p.path("data", "heartbeats.yaml")); err != nil || !strings.Contains(string(raw), "enabled: false") || !strings.Contains(string(raw), "# mine") {
		t.Errorf("%s, %v", raw, err)
	}
	if err := os.WriteFile(p.path("data", "heartbeats.yaml"), []byte("heartbeats:\n  look: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var list heartbeats.HeartbeatList
	poll(t, "the mistake", func() bool {
		list = call[heartbeats.HeartbeatList](c, "heartbeat.list", m{})
		return list.Stale
	})
	if len(list.Problems) == 0 || list.Problems[0].Line < 2 || len(list.Heartbeats) != 1 || list.Today.Runs != 2 {
		t.Errorf("%+v", list)
	}
	if err := os.Remove(p.path("data", "heartbeats.yaml")); err != nil {
		t.Fatal(err)
	}
	poll(t, "no file", func() bool {
		list = call[heartbeats.HeartbeatList](c, "heartbeat.list", m{})
		return !list.Stale && len(list.Heartbeats) == 0 && len(list.Problems) == 0
	})
	c.refused("heartbeat.run", m{"name": "look"}, "not_found", "look")
	if n := len(of[*event.HeartbeatsChanged](c, "")); n == 0 {
		t.Error("no change was told")
	}
}

// A persistent session continues from run to run, and keeps no process in between.
func TestHeartbeatContinues(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Say("Seen."), demo.Say("Nothing new.\nHEARTBEAT_OK"), demo.Say("Hello."), demo.Say("Seen.")))
	p.beat(m{"session": "persistent"})
	first := p.runNow("look")
	p.noProcess()
	second := p.runNow("look")
	p.noProcess()
	if first.State != "finished" || second.State != "finished" || second.Found || first.SessionID != second.SessionID {
		t.Errorf("%+v\n%+v", first, second)
	}
	if s := call[event.Session](p.watcher, "session.get", m{"sessionId": second.SessionID}); s.State != "idle" || !s.Quiet {
		t.Errorf("%+v", s)
	}
	if last := p.lastRequest(); len(last.Messages) < 3 {
		t.Errorf("the model was sent %d messages", len(last.Messages))
	}

	// One that uses an existing session.
	s := p.open()
	s.turn("hello?")
	p.beat(m{"name": "feed", "destination": m{"session": s.id}})
	fed := p.runNow("feed")
	if fed.State != "finished" || fed.SessionID != s.id || s.record().PID == 0 || s.record().Heartbeat != "" {
		t.Errorf("%+v, %+v", fed, s.record())
	}
}

// A question in a run names its heartbeat, is answered like any other, and the run
// continues.
func TestHeartbeatAsks(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Answer(bash("touch pumped")), demo.Say("Pumped.")))
	p.beat(nil)
	id := call[heartbeats.HeartbeatRunResult](p.watcher, "heartbeat.run", m{"name": "look"}).RecordID
	e, err := p.watcher.find(func(s seen) bool { _, ok := s.Event.(*event.PermissionRequest); return ok })
	if err != nil {
		t.Fatal(err)
	}
	q := e.Event.(*event.PermissionRequest)
	if q.Heartbeat != "look" {
		t.Errorf("%+v", q.Question)
	}
	open := call[permissions.PermissionList](p.watcher, "permission.list", m{})
	if len(open.Requests) != 1 || open.Requests[0].Heartbeat != "look" {
		t.Errorf("%+v", open)
	}
	poll(t, "waiting", func() bool {
		return call[heartbeats.Heartbeat](p.watcher, "heartbeat.get", m{"name": "look"}).State == "waiting"
	})
	if !p.watcher.respond(q, m{"behavior": "allow"}) {
		t.Error("the answer came too late")
	}
	if r := p.over("look", id); r.State != "finished" || r.Answer != "Pumped." || r.Turns != 2 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(p.path("work", "pumped")); err != nil {
		t.Error(err)
	}
	p.noProcess()
}

// spender never ends on its own. At the third request it starts to answer,
// and continues when the gate is open: that is when it must be stopped.
func spender(gate *demo.Gate) demo.ScriptFunc {
	var asked atomic.Int32
	return func(r demo.Request) demo.Reply {
		if r.Kind != demo.Main {
			return demo.Default(r)
		}
		n := asked.Add(1)
		reply := demo.Answer(bash(fmt.Sprintf("echo %d", n)))
		if n >= 3 {
			reply = demo.Answer(demo.Wait(gate), bash("echo more"))
		}
		return reply.Usage(demo.Usage{Input: 50_000, Output: 500})
	}
}

// A run that exceeds its budget is stopped, and reports it.
func TestHeartbeatBudget(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		budget m
		turns  int64
	}{
		{"tokens", m{"tokens": 120_000}, 3},
		{"turns", m{"turns": 2}, 3},
		{"usd", m{"usd": 0.3}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			gate := demo.NewGate()
			if t.Cleanup(gate.Open); tt.name == "usd" {
				gate.Open() // the CLI stops on its own when an answer is complete
			}
			p := start(t, spender(gate))
			p.beat(m{"budgets": m{"run": tt.budget}})
			r := p.runNow("look")
			if r.State != "failed" || r.Code != "budget" || !strings.Contains(r.Reason, "stopped at its budget") || r.Tokens < 50_000 || r.SessionID == "" {
				t.Errorf("%+v", r)
			}
			t.Logf("%d turns, %d tokens, $%.3f: %s", r.Turns, r.Tokens, r.CostUSD, r.Reason)
			if n := int64(len(p.mainRequests())); n > tt.turns+3 {
				t.Errorf("the model was asked %d times", n)
			}
			p.noProcess()
		})
	}
}

// A repeated identical call is cut off.
func TestHeartbeatRepeatsItself(t *testing.T) {
	t.Parallel()
	p := start(t, demo.ScriptFunc(func(r demo.Request) demo.Reply {
		if r.Kind != demo.Main {
			return demo.Default(r)
		}
		return demo.Answer(bash("echo again"))
	}))
	p.beat(nil)
	if r := p.runNow("look"); r.State != "failed" || r.Code != "repeats" || !strings.Contains(r.Reason, "Bash 5 times") {
		t.Errorf("%+v", r)
	}
	p.noProcess()
}

// An error of the account stops the series after one run.
func TestHeartbeatAccount(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]demo.Reply{
		"at once":         demo.Fail(401, "invalid x-api-key").Final(),
		"again and again": demo.Fail(401, "invalid x-api-key").RetryAfter(time.Second),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, demo.NewRules().When(demo.Any, reply))
			p.beat(m{"schedule": m{"every": "1s"}})
			var h heartbeats.Heartbeat
			poll(t, "the stop", func() bool {
				h = call[heartbeats.Heartbeat](p.watcher, "heartbeat.get", m{"name": "look"})
				return h.State == "stopped"
			})
			if h.Last.Code != "auth" || h.Last.State != "failed" && h.Last.Code != "disabled" || !strings.Contains(h.Why, "account") || h.Next != 0 {
				t.Errorf("%+v, last %+v", h, h.Last)
			}
			p.noProcess()
			asked := len(p.mainRequests())
			time.Sleep(3 * time.Second) // three more due times, none of which counts
			runs := 0
			for _, r := range call[heartbeats.HeartbeatHistory](p.watcher, "heartbeat.history", m{}).Records {
				p.began(r)
				if r.SessionID != "" {
					runs++
				}
			}
			if now := len(p.mainRequests()); now != asked || runs != 1 {
				t.Errorf("%d runs, %d requests after the stop", runs, now-asked)
			}
		})
	}
}

// Parley is killed in the middle of a run: the next one records that as a failure, runs
// nothing twice and leaves nothing of it.
func TestHeartbeatIsKilled(t *testing.T) {
	t.Parallel()
	gate := demo.NewGate()
	t.Cleanup(gate.Open)
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Never said.").Before(gate)))
	p.beat(nil)
	id := call[heartbeats.HeartbeatRunResult](p.watcher, "heartbeat.run", m{"name": "look"}).RecordID
	<-gate.Reached()
	asked := len(p.mainRequests())
	if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.lost = true
	p.mu.Unlock()
	p.nothingLeft()
	p.again()
	r := p.over("look", id)
	if r.State != "failed" || r.Code != "crash" || r.SessionID == "" || r.EndedAt == 0 {
		t.Errorf("%+v", r)
	}
	poll(t, "the closed session", func() bool {
		s := call[event.Session](p.watcher, "session.get", m{"sessionId": r.SessionID})
		return s.State == "closed" && len(s.Queued) == 0
	})
	if n := len(p.mainRequests()); n != asked {
		t.Errorf("asked %d times more", n-asked)
	}
	p.noProcess()
}

// Two Parleys share one file, because one links to the other's: only one runs it.
func TestHeartbeatsOfASharedFile(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Nothing.\nHEARTBEAT_OK")))
	p.shared = true
	p.beat(m{"schedule": m{"every": "1s"}})
	q := p.beside()
	c := q.dial()
	if err := os.Symlink(p.path("data", "heartbeats.yaml"), q.path("data", "heartbeats.yaml")); err != nil {
		t.Fatal(err)
	}
	accept(c, "heartbeats.yaml")
	poll(t, "the file", func() bool {
		list := call[heartbeats.HeartbeatList](c, "heartbeat.list", m{})
		return len(list.Heartbeats) == 1 && len(list.Problems) == 1 && strings.Contains(list.Problems[0].Message, "Another Parley")
	})
	before := len(call[heartbeats.HeartbeatHistory](p.watcher, "heartbeat.history", m{}).Records)
	poll(t, "three more due times", func() bool {
		return len(call[heartbeats.HeartbeatHistory](p.watcher, "heartbeat.history", m{}).Records) >= before+3
	})
	if theirs := call[heartbeats.HeartbeatHistory](c, "heartbeat.history", m{}).Records; len(theirs) != 0 {
		t.Errorf("the second one ran %+v", theirs)
	}
	p.stopHeartbeat()
	for _, r := range call[heartbeats.HeartbeatHistory](p.watcher, "heartbeat.history", m{"limit": 1000}).Records {
		p.began(r)
	}
}

// A heartbeat every two seconds for a minute: thirty records, no process left, and no
// more memory than at the start.
func TestHeartbeatEveryTwoSeconds(t *testing.T) {
	onlyInAll(t) // it takes more than a minute
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Nothing.\nHEARTBEAT_OK")))
	p.beat(m{"schedule": m{"every": "2s"}})
	records := func() []heartbeats.HeartbeatRecord {
		return call[heartbeats.HeartbeatHistory](p.watcher, "heartbeat.history", m{"limit": 1000}).Records
	}
	poll(t, "the first five", func() bool { return len(records()) >= 5 })
	before := residentMB(t, p.pid)
	// On a busy machine a run takes longer than two seconds, and the next ones are skipped.
	deadline := time.Now().Add(10 * time.Minute)
	for finished := 0; (finished < 5 || len(records()) < 30) && time.Now().Before(deadline); {
		time.Sleep(200 * time.Millisecond)
		finished = 0
		for _, r := range records() {
			if r.State == "finished" {
				finished++
			}
		}
	}
	p.stopHeartbeat()
	all := records()
	if len(all) < 30 {
		t.Errorf("%d records", len(all))
	}
	slices.Reverse(all)
	states := map[string]int{}
	for i, r := range all {
		p.began(r)
		states[r.State+"/"+r.Code]++
		if i > 0 && r.DueAt != all[i-1].DueAt+2000 {
			t.Errorf("%d ms after the one before", r.DueAt-all[i-1].DueAt)
		}
		switch {
		case r.State == "finished" && r.SessionID != "" && !r.Found, r.Code == "overlap", r.State == "missed":
		default:
			t.Errorf("%+v", r)
		}
	}
	after := residentMB(t, p.pid)
	t.Logf("%v, %d MB before and %d MB after", states, before, after)
	if states["finished/"] < 5 {
		t.Errorf("%v", states)
	}
	if after > before+40 {
		t.Errorf("%d MB before and %d MB after", before, after)
	}
}
