package terminals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app/tool/tooltest"
	"parley/backend/chat"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/tmux"
	"parley/backend/toolserver"
)

// panesKept are two terminals: one with a request, in the session's folder, and one elsewhere.
type panesKept struct {
	asks tmux.Screen
	done []string
}

func newPanes() *panesKept {
	return &panesKept{asks: tmux.Screen{
		Pane: tmux.Pane{ID: "%1", Target: "code:0.0", Folder: "/work/sub", PID: 7, State: tmux.Permission}, State: tmux.Permission, Text: "the screen",
		Asked: "Bash command\nrm it", Whole: true, Fingerprint: "f-0.0", Options: []tmux.Option{{Number: 1, Label: "Yes"}, {Number: 2, Label: "No"}},
	}}
}

func (k *panesKept) did(format string, args ...any) {
	k.done = append(k.done, fmt.Sprintf(format, args...))
}

func (k *panesKept) List(context.Context) ([]tmux.Pane, error) {
	return []tmux.Pane{k.asks.Pane, {ID: "%2", Target: "other:0.0", Folder: "/elsewhere", State: tmux.Idle}}, nil
}

func (k *panesKept) Screen(_ context.Context, target string, _ int) (tmux.Screen, error) {
	if target == "nothing" {
		return tmux.Screen{}, fmt.Errorf("%w: nothing", tmux.ErrNoPane)
	}
	return k.asks, nil
}

func (k *panesKept) Answer(_ context.Context, target, shown string, allow bool) (tmux.Screen, error) {
	if shown != k.asks.Fingerprint {
		return k.asks, tmux.ErrOther
	}
	k.did("answer %s: %v", target, allow)
	return tmux.Screen{State: tmux.Working}, nil
}

func (k *panesKept) Choose(_ context.Context, target, shown string, n int) (tmux.Screen, error) {
	k.did("choose %d in %s for %s", n, target, shown)
	return tmux.Screen{State: tmux.Working}, nil
}

func (k *panesKept) Type(_ context.Context, target, text string) error {
	k.did("type %q into %s", text, target)
	return nil
}

func (k *panesKept) Spawn(_ context.Context, s tmux.Spawn) (tmux.Pane, error) {
	k.did("spawn %+v", s)
	return k.asks.Pane, nil
}

func (k *panesKept) Kill(_ context.Context, target string) (tmux.Pane, error) {
	k.did("kill %s", target)
	return k.asks.Pane, nil
}

func TestTmuxTool(t *testing.T) {
	allow := permission.Decision{Outcome: permission.OutcomeAllow}
	deny := permission.Decision{Outcome: permission.OutcomeDeny, Message: "No."}
	tests := map[string]struct {
		in   tmuxIn
		mode string
		// asks is part of the request, "" for none; weighty if no rule may allow it.
		asks    string
		weighty bool
		does    string
		code    fault.Code
	}{
		"list":                     {in: tmuxIn{Action: "list"}},
		"list all":                 {in: tmuxIn{Action: "list", Everywhere: true}, asks: "all terminals"},
		"capture":                  {in: tmuxIn{Action: "capture", Target: "code"}, asks: "read the screen of the terminal code:0.0 in /work/sub"},
		"capture, planning":        {in: tmuxIn{Action: "capture", Target: "code"}, mode: "plan", asks: "read the screen"},
		"too much":                 {in: tmuxIn{Action: "capture", Target: "code", Lines: 501}, code: fault.Invalid},
		"status":                   {in: tmuxIn{Action: "status", Target: "code"}, asks: "read the screen"},
		"no target":                {in: tmuxIn{Action: "status"}, code: fault.Invalid},
		"no such pane":             {in: tmuxIn{Action: "kill", Target: "nothing"}, code: fault.NotFound},
		"approve":                  {in: tmuxIn{Action: "approve", Target: "code", Fingerprint: "f-0.0"}, asks: "allow, this once, what the terminal code:0.0 in /work/sub asks:\n\nBash command\nrm it\n\n1. Yes\n2. No", weighty: true, does: "answer %1: true"},
		"approve, planning":        {in: tmuxIn{Action: "approve", Target: "code", Fingerprint: "f-0.0"}, mode: "plan", code: fault.Conflict},
		"approve something else":   {in: tmuxIn{Action: "approve", Target: "code", Fingerprint: "g-0.0"}, code: fault.Conflict},
		"approve anything":         {in: tmuxIn{Action: "approve", Target: "code"}, code: fault.Conflict},
		"deny":                     {in: tmuxIn{Action: "deny", Target: "code", Fingerprint: "f-0.0"}, asks: "deny what", weighty: true, does: "answer %1: false"},
		"choose":                   {in: tmuxIn{Action: "choose", Target: "code", Fingerprint: "f-0.0", Option: 2}, asks: "choose “No” for what", weighty: true, does: "choose 2 in %1 for f-0.0"},
		"choose what there is not": {in: tmuxIn{Action: "choose", Target: "code", Fingerprint: "f-0.0", Option: 3}, code: fault.Conflict},
		"type":                     {in: tmuxIn{Action: "send_input", Target: "code", Text: "go on"}, asks: "type this into the terminal code:0.0 in /work/sub:\n\ngo on", does: `type "go on" into %1`},
		"type a command":           {in: tmuxIn{Action: "send_input", Target: "code", Text: " !rm -rf x"}, asks: "runs it as a command", weighty: true, does: `type "!rm -rf x" into %1`},
		"type nothing":             {in: tmuxIn{Action: "send_input", Target: "code"}, code: fault.Invalid},
		"spawn":                    {in: tmuxIn{Action: "spawn", Prompt: "fix it", Name: "fix"}, asks: "Folder: /work\nPrompt: fix it", weighty: true, does: "spawn {Name:fix Folder:/work Prompt:fix it}"},
		"spawn for nothing":        {in: tmuxIn{Action: "spawn"}, code: fault.Invalid},
		"kill":                     {in: tmuxIn{Action: "kill", Target: "code"}, asks: "close the terminal code:0.0", weighty: true, does: "kill %1"},
		"kill, planning":           {in: tmuxIn{Action: "kill", Target: "code"}, mode: "plan", code: fault.Conflict},
		"no such thing":            {in: tmuxIn{Action: "dance", Target: "code"}, code: fault.Invalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, decision := range []permission.Decision{allow, deny} {
				s := event.Session{ID: "s", CWD: "/work", Title: "Mine", PermissionMode: tt.mode}
				panes, asked := newPanes(), &tooltest.Requests{Decision: decision}
				tool := &tmuxTool{own: asked.Asker(s), panes: panes}
				_, err := tool.do(t.Context(), session.Spec{SessionID: "s", CWD: "/work"}, toolserver.Call{Tool: "mcp__parley__manage_tmux_sessions"}, tt.in)
				denied := tt.asks != "" && !decision.Allowed()
				if tt.code != "" && fault.CodeOf(tmuxFault(err)) != tt.code || tt.code == "" && (err != nil) != denied {
					t.Fatalf("%v", err)
				}
				if (len(asked.Asked) == 1) != (tt.asks != "") || tt.asks != "" && !strings.Contains(asked.Asked[0].Description, tt.asks) || asked.Weighty != tt.weighty {
					t.Errorf("asked %+v, weighty %v", asked.Asked, asked.Weighty)
				}
				var want []string
				if tt.does != "" && !denied {
					want = []string{tt.does}
				}
				if diff := cmp.Diff(want, panes.done); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// late changes something while a user is asked.
type late struct {
	*tooltest.Requests
	change func()
}

func (l late) Ask(ctx context.Context, spec session.Spec, weighty bool, q event.Question) (permission.Decision, error) {
	l.change()
	return l.Requests.Ask(ctx, spec, weighty, q)
}

// A request that changes while a user reads it is not answered.
func TestTmuxToolLate(t *testing.T) {
	panes, asked := newPanes(), &tooltest.Requests{Decision: permission.Decision{Outcome: permission.OutcomeAllow}}
	own := asked.Asker(event.Session{ID: "s", CWD: "/work"})
	own.Engine = late{asked, func() { panes.asks.Fingerprint = "other-0.0" }}
	tool := &tmuxTool{own: own, panes: panes}
	_, err := tool.do(t.Context(), session.Spec{SessionID: "s"}, toolserver.Call{}, tmuxIn{Action: "approve", Target: "code", Fingerprint: "f-0.0"})
	if !errors.Is(err, tmux.ErrOther) || len(panes.done) > 0 {
		t.Errorf("%v %v", err, panes.done)
	}
}

// A session reads what it started without permission, until something else runs there.
func TestTmuxToolOwn(t *testing.T) {
	panes, asked := newPanes(), &tooltest.Requests{Decision: permission.Decision{Outcome: permission.OutcomeAllow}}
	tool := &tmuxTool{own: asked.Asker(event.Session{ID: "s", CWD: "/other"}), panes: panes}
	do := func(in tmuxIn) any {
		t.Helper()
		out, err := tool.do(t.Context(), session.Spec{SessionID: "s"}, toolserver.Call{}, in)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	do(tmuxIn{Action: "spawn", Prompt: "x"})
	out, _ := json.Marshal(do(tmuxIn{Action: "list"}))
	if !strings.Contains(string(out), `"started_by_this_session":true`) || !strings.Contains(string(out), `"in_other_folders":1`) {
		t.Errorf("%s", out)
	}
	do(tmuxIn{Action: "status", Target: "code"})
	if len(asked.Asked) != 1 {
		t.Errorf("asked %+v", asked.Asked)
	}
	panes.asks.Pane.PID = 8
	do(tmuxIn{Action: "status", Target: "code"})
	if len(asked.Asked) != 2 {
		t.Errorf("asked %+v", asked.Asked)
	}
	scripted := &tmuxTool{own: asked.Asker(event.Session{Scripted: true}), panes: panes}
	if _, err := scripted.do(t.Context(), session.Spec{}, toolserver.Call{}, tmuxIn{Action: "list"}); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
}

// said receives notifications on this computer.
type said func(title, text string)

func (s said) Say(_ context.Context, _ event.Session, title, text string) error {
	s(title, text)
	return nil
}

type thread func(tmux.Alert) error

func (t thread) Alert(_ context.Context, a tmux.Alert) error { return t(a) }

// An alert goes to its thread; without Mattermost it is a notification.
func TestTerminalAlert(t *testing.T) {
	panes := newPanes()
	a := tmux.Alert{Watch: tmux.Watch{Target: "code:0.0", PaneID: "%1", PID: 7, ChannelID: "c", ThreadID: "t"}, Screen: panes.asks, What: "permission", At: 5}
	var posted []tmux.Alert
	var offline error
	var notices []string
	ter := &Service{cfg: Config{
		Log: slog.New(slog.DiscardHandler),
		Chat: func() interface {
			Alert(ctx context.Context, a tmux.Alert) error
		} {
			return thread(func(a tmux.Alert) error {
				posted = append(posted, a)
				return offline
			})
		},
		Notices: said(func(title, text string) { notices = append(notices, title+": "+text) }),
	}}
	ter.alert(t.Context(), a)
	if len(posted) != 1 || posted[0].Watch != a.Watch || posted[0].What != a.What || len(notices) != 0 {
		t.Fatalf("%+v %v", posted, notices)
	}
	offline = chat.ErrOffline
	ter.alert(t.Context(), a)
	a.Watch.ThreadID = ""
	for _, what := range []string{"question", "idle", "errored", "ended", "stalled"} {
		a.What = what
		ter.alert(t.Context(), a)
	}
	want := []string{
		"Terminal code:0.0: Waiting for your approval.", "Terminal code:0.0: Has a question for you.", "Terminal code:0.0: Done and waiting for you.",
		"Terminal code:0.0: It failed.", "Terminal code:0.0: It has ended.", "Terminal code:0.0: It has not moved for a while.",
	}
	if diff := cmp.Diff(want, notices); diff != "" {
		t.Error(diff)
	}
}

func TestTerminalStore(t *testing.T) {
	s := terminalStore{filepath.Join(t.TempDir(), paths.TerminalsFile)}
	if list, err := s.Load(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
	all := []tmux.Watch{{Target: "code:0.0", PaneID: "%1", PID: 7, ChannelID: "c", ThreadID: "t", Told: "idle"}}
	if err := s.Save(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	list, err := s.Load(t.Context())
	if diff := cmp.Diff(all, list); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if info, err := os.Stat(s.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if err := os.WriteFile(s.path, []byte(`{"watched":[{`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context()); err == nil {
		t.Error("a broken file was accepted")
	}
	aside, err := filepath.Glob(s.path + ".corrupt.*")
	if err != nil || len(aside) != 1 {
		t.Errorf("put aside: %v %v", aside, err)
	}
	if list, err := s.Load(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
}
