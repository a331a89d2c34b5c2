//go:build linux

package border

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/demo"
	"parley/backend/event"
)

// fates are the results of a conversation's tools, by command.
func (s *conversation) fates() map[string]string {
	s.p.t.Helper()
	got := map[string]string{}
	for _, message := range s.p.messages(s.id) {
		for _, b := range message.Blocks {
			if b.Tool != nil {
				got[commandOf(b.Tool.Input)] = b.Tool.State + " " + b.Tool.Reason
				if b.Tool.State == event.UseError { // none of these tools fails: log the CLI's text
					got[commandOf(b.Tool.Input)] += fmt.Sprint(b.Tool.Content)
				}
				if b.Tool.State == event.UseNotRun && b.Tool.DurationMs != 0 {
					s.p.t.Errorf("%s did not run, in %d ms", b.Tool.Input, b.Tool.DurationMs)
				}
			}
		}
	}
	return got
}

// told are the results according to the events: the last state of each tool.
func (s *conversation) told() map[string]string {
	inputs, got := map[string]string{}, map[string]string{}
	for _, e := range s.c.all() {
		switch e := e.Event.(type) {
		case *event.ToolPending:
			inputs[e.ToolUseID] = commandOf(e.Input)
		case *event.ToolResult:
			if e.SessionID == s.id {
				got[inputs[e.ToolUseID]] = e.Outcome + " " + e.Reason
			}
		}
	}
	return got
}

// wants waits until the model has requested a command.
func (s *conversation) wants(command string) {
	s.p.t.Helper()
	await(s.c, s.id, command, func(e *event.ToolPending) bool { return commandOf(e.Input) == command })
}

// A tool that never started is marked as not run, live and after a restart, with either
// engine; one that had started is not.
func TestNotRun(t *testing.T) {
	t.Parallel()
	const stopped, never, denied = "stopped ", "notRun interrupted", "notRun denied"
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p := start(t, demo.NewRules().
				When(demo.Contains("parallel"), demo.Answer(bash("touch a"), bash("touch b"), bash("touch c")), demo.Say("never")).
				When(demo.Contains("work"), demo.Answer(bash("sh endless.sh"), bash("touch behind")), demo.Say("never")).
				When(demo.Contains("deny"), demo.Answer(bash("touch made")), demo.Say("Then not.")).
				When(demo.Contains("close"), demo.Answer(bash("touch closed"), bash("touch later")), demo.Say("never")).
				When(demo.Contains("die"), demo.Answer(bash("touch dead")), demo.Say("never")).
				When(demo.Contains("kill"), demo.Answer(bash("touch killed"), bash("touch unknown")), demo.Say("never")))
			want := map[string]map[string]string{}
			var all []*conversation
			open := func(what string, fates map[string]string) *conversation {
				s := p.openWith(m{"engine": engine, "title": what})
				want[s.id] = fates
				all = append(all, s)
				return s
			}
			check := func(what string) {
				t.Helper()
				for _, s := range all {
					got := s.fates()
					if got["touch unknown"] == never { // if it has time, the CLI reports more about it
						got["touch unknown"] = "cutOff "
					}
					if diff := cmp.Diff(want[s.id], got); diff != "" {
						t.Errorf("%s, history (-want +got):\n%s", what, diff)
					}
				}
			}

			var s *conversation
			// What the CLI has not saved yet is lost with it.
			written := func(command string) {
				t.Helper()
				poll(t, command+" is written down", func() bool {
					b, err := os.ReadFile(p.transcript(s.record().CLISessionID))
					return err == nil && strings.Contains(string(b), command)
				})
			}

			s = open("parallel", map[string]string{"touch a": never, "touch b": never, "touch c": never})
			turn := s.prompt("parallel")
			s.question()
			s.wants("touch c")
			s.interrupt(turn)

			s = open("work", map[string]string{"sh endless.sh": stopped, "touch behind": never})
			s.write("endless.sh", endless)
			turn = s.prompt("work")
			s.allow(s.question())
			pollFile(t, s.dir+"/begun")
			s.interrupt(turn)

			s = open("deny", map[string]string{"touch made": denied})
			turn = s.prompt("deny")
			s.answer(s.question(), m{"behavior": "deny", "message": "not on my watch"})
			s.done(turn, "completed")

			s = open("die", map[string]string{"touch dead": never})
			turn = s.prompt("die")
			q := s.question()
			written("touch dead")
			if err := syscall.Kill(s.record().PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			s.resolved(q)
			s.done(turn, "crashed")

			for _, s := range all {
				if diff := cmp.Diff(want[s.id], s.told()); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			}
			check("at once")

			// A closed session has no subscribers, but its events were received.
			s = p.openWith(m{"engine": engine, "title": "close"})
			s.prompt("close")
			s.question()
			s.wants("touch later")
			call[m](s.c, "session.close", m{"sessionId": s.id})
			await(s.c, s.id, "the end of the process", func(*event.Closed) bool { return true })
			if diff := cmp.Diff(map[string]string{"touch closed": never, "touch later": never}, s.told()); diff != "" {
				t.Errorf("closed, events (-want +got):\n%s", diff)
			}

			s = open("kill", map[string]string{"touch killed": never, "touch unknown": "cutOff "})
			s.prompt("kill")
			s.question()
			s.wants("touch unknown")
			written("touch unknown")
			p.kill()
			p.nothingLeft()
			p.again()
			for i := range all {
				all[i] = p.resume(all[i])
			}
			check("after a kill")
			p.terminate()
			p.again()
			for i := range all {
				all[i] = p.resume(all[i])
			}
			check("after another start")
			for _, name := range []string{"a", "b", "c", "behind", "made", "dead", "closed", "later", "killed", "unknown"} {
				if slices.ContainsFunc(all, func(s *conversation) bool { return s.exists(name) }) {
					t.Errorf("%s is there", name)
				}
			}
		})
	}
}

// commandOf is the command of a Bash tool's input.
func commandOf(input json.RawMessage) string {
	var in struct{ Command string }
	_ = json.Unmarshal(input, &in) // the input may not be complete
	return in.Command
}
