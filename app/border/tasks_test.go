//go:build linux

package border

import (
	"strings"
	"testing"

	"parley/app/sessions"
	"parley/backend/demo"
	"parley/backend/event"
)

// A background command can be watched and stopped, an interrupt does not affect
// it, and a session with one is not archived without confirmation.
func TestBackgroundTask(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			gate := demo.NewGate()
			defer gate.Open()
			p := start(t, demo.NewRules().
				When(demo.Contains("begin"), demo.Answer(demo.Tool("Bash", m{"command": "sh tick.sh", "run_in_background": true})), demo.Say("It runs.")).
				When(demo.Contains("speak"), demo.Answer(demo.Text("Well ").Wait(gate).More("then."))))
			s := p.openWith(m{"engine": engine})
			s.write("tick.sh", "echo begun; while :; do echo tick; sleep 0.1; done")
			turn := s.prompt("begin")
			s.allow(s.question())
			s.done(turn, "completed")
			list := call[sessions.TaskList](s.c, "task.list", m{"sessionId": s.id})
			if len(list.Tasks) != 1 || list.Tasks[0].Status != "running" || list.Tasks[0].Type != "local_bash" || !list.Tasks[0].Background {
				t.Fatalf("%+v", list)
			}
			task := m{"sessionId": s.id, "taskId": list.Tasks[0].TaskID}
			poll(t, "the output", func() bool {
				out := call[sessions.TaskOutput](s.c, "task.output", task)
				return strings.HasPrefix(out.Text, "begun\ntick\n") && out.Bytes >= int64(len(out.Text)) && !out.Cut
			})

			turn = s.prompt("speak")
			<-gate.Reached()
			s.interrupt(turn)
			if tasks := s.record().Tasks; len(tasks) != 1 {
				t.Errorf("after an interrupt: %+v", tasks)
			}
			for _, method := range []string{"session.archive", "session.close", "session.delete"} {
				s.c.refused(method, m{"sessionId": s.id}, "conflict", "Background work")
			}
			call[m](s.c, "task.stop", task)
			await(s.c, s.id, "the task's end", func(e *event.TaskUpdate) bool { return e.Status == "stopped" })
			list = call[sessions.TaskList](s.c, "task.list", m{"sessionId": s.id})
			if len(list.Tasks) != 1 || list.Tasks[0].Status != "stopped" || len(s.record().Tasks) != 0 {
				t.Errorf("after the stop: %+v", list)
			}
			s.c.refused("task.output", m{"sessionId": s.id, "taskId": "../../etc/passwd"}, "conflict")
			call[event.Session](s.c, "session.archive", m{"sessionId": s.id})
			s.c.refused("task.output", task, "unavailable")
			if left := call[sessions.TaskList](s.c, "task.list", m{"sessionId": s.id}); len(left.Tasks) != 0 {
				t.Errorf("without a process: %+v", left)
			}
		})
	}
}
