package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/backend/chat"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/tmux"
)

// world implements all ports. It records the calls.
type world struct {
	session event.Session
	history []event.Message
	open    []port.Request
	done    []string
	screen  tmux.Screen
	panes   []tmux.Pane
	watched []tmux.Watch
	// fail is the error of all terminal calls.
	fail error
}

func (w *world) did(format string, args ...any) {
	w.done = append(w.done, fmt.Sprintf(format, args...))
}

func newWorld() *world {
	const at = 1_795_000_000_000
	pane := tmux.Pane{ID: "%3", Target: "code:1.0", Session: "code", Folder: "/home/you/projects/parley", PID: 12, State: tmux.Permission}
	return &world{
		session: event.Session{
			ID: "s1", CWD: "/home/you/project", Title: "Fix the *parser* | @all", State: "running", Model: "claude-opus-5", PermissionMode: "default", PID: 7,
			Context: &event.Context{Used: 24_680, Window: 200_000, Percent: new(12.3)}, TotalCostUSD: 0.5, LastActivityAt: at,
		},
		history: []event.Message{
			{Role: "user", At: at, Author: &event.Author{Name: "Ada"}, Blocks: []event.Block{{Type: "text", Text: "Fix it"}}},
			{Role: "assistant", At: at, Result: &event.TurnResult{TTFTMs: 1234, DurationMs: 11_234, Usage: event.Usage{OutputTokens: 420}}, Blocks: []event.Block{
				{Type: "thinking", Text: "secret"},
				{Type: "tool", Tool: &event.Tool{Name: "Bash", State: "done", Input: json.RawMessage(`{"command":"ls"}`), Content: []event.ResultContent{{Type: "text", Text: "a\nb"}}}},
				{Type: "text", Text: "It is **fixed**."},
			}},
			{Role: "notice", At: at, Notice: &event.Notice{Text: "Summarised."}},
		},
		open: []port.Request{{SessionID: "s1", Question: event.Question{ToolName: "Bash", AskedAt: at}}},
		screen: tmux.Screen{
			Pane: pane, Text: "● Running\n```\n Do you want to proceed?\n ❯ 1. Yes\n   2. No", State: tmux.Permission, Asked: " Bash command\n\n make `x`",
			Whole: true, Fingerprint: "f1-0.0", Options: []tmux.Option{{Number: 1, Label: "Yes"}, {Number: 2, Label: "No"}}, Said: "I run @it",
		},
		panes: []tmux.Pane{pane, {ID: "%4", Target: "a|b:0.0", Folder: "/x/y", State: tmux.Idle, Watched: true}},
	}
}

func (w *world) ports() command.Ports {
	return command.Ports{
		Sessions: sessions{w}, Desk: desk{w}, Figures: figures{}, Heartbeats: heartbeats{w}, Memory: memory{w}, Rooms: rooms{w}, Terminals: terminals{w},
		Version: "1.2.3", Config: func() port.ChatConfig {
			return port.ChatConfig{Channels: []port.ChatMapping{{ChannelID: "c1", Folder: "/home/you/project"}}}
		},
	}
}

type sessions struct{ *world }

func (s sessions) Get(context.Context, string) (event.Session, error) { return s.session, nil }
func (s sessions) Interrupt(_ context.Context, id string, by chat.Person) error {
	s.did("interrupt %s by %s", id, by.Username)
	return nil
}
func (s sessions) Drop(_ context.Context, id string) error {
	s.did("drop what waits in %s", id)
	return nil
}
func (s sessions) Stop(_ context.Context, id string, kill bool) error {
	s.did("stop %s, kill %v", id, kill)
	return nil
}
func (s sessions) Suspend(_ context.Context, id string) (event.Session, error) {
	s.did("suspend %s", id)
	return s.session, nil
}
func (s sessions) SetMode(_ context.Context, id, mode, guard string) error {
	s.did("mode of %s is %s, guard %q", id, mode, guard)
	return nil
}
func (s sessions) SetModel(_ context.Context, id, model string) error {
	s.did("model of %s is %s", id, model)
	return nil
}
func (s sessions) SetEffort(_ context.Context, id, effort string) error {
	s.did("effort of %s is %s", id, effort)
	return nil
}
func (s sessions) Models(context.Context, string) ([]string, error) {
	return []string{"opus", "sonnet"}, nil
}
func (s sessions) Fork(_ context.Context, id, title string) (event.Session, error) {
	s.did("fork %s as %q", id, title)
	return event.Session{Title: title}, nil
}
func (s sessions) Rename(_ context.Context, id, title string) (event.Session, error) {
	s.did("rename %s to %q", id, title)
	return event.Session{Title: title}, nil
}
func (s sessions) Page(_ context.Context, _, before string, limit int) (event.History, error) {
	if before != "" {
		return event.History{Messages: s.history[:1]}, nil
	}
	if limit < 100 {
		return event.History{Messages: s.history}, nil
	}
	return event.History{Messages: s.history[1:], HasMore: true, Before: "1"}, nil
}
func (s sessions) Folder(_ context.Context, path string) (string, error) {
	if strings.HasSuffix(path, "nothing") {
		return "", fault.New(fault.NotFound, "There is no folder %s on this machine.", path)
	}
	return strings.Replace(path, "~", "/home/you", 1), nil
}

type desk struct{ *world }

func (d desk) Open(string) []port.Request { return d.open }
func (d desk) Answer(context.Context, port.Answer) (port.Outcome, error) {
	return port.Outcome{}, nil
}

type figures struct{}

func (figures) Spent(context.Context, string) (command.Totals, error) {
	return command.Totals{Tokens: event.Usage{InputTokens: 1000, CacheReadTokens: 20_000, OutputTokens: 3456}, CostUSD: 0.12345, Answers: 4}, nil
}
func (f figures) Account(ctx context.Context, _ string) (command.Account, error) {
	day, _ := f.Spent(ctx, "")
	return command.Account{
		Today: day, Month: command.Totals{CostUSD: 12}, Budgets: []event.Budget{{Name: "day-usd", Limit: 5, Used: 1}, {Name: "month-tokens", Limit: 1_000_000, Used: 250_000}},
		Allowances: []command.Allowance{{Name: "Session", Percent: 42, ResetsAt: 1_795_000_000_000}, {Name: "Week", Percent: -1, State: "allowed"}},
	}, nil
}
func (figures) Window(context.Context, string) (command.Window, error) {
	return command.Window{Live: true, Model: "claude-opus-5", Used: 24_680, Size: 200_000, Parts: []command.Part{
		{Name: "Free space", Tokens: 150_000}, {Name: "Something new", Tokens: 1}, {Name: "System prompt", Tokens: 3000}, {Name: "Messages", Tokens: 20_000},
	}}, nil
}

type heartbeats struct{ *world }

func (h heartbeats) List(context.Context) (command.Schedule, error) {
	return command.Schedule{Paused: true, Heartbeats: []command.Heartbeat{
		{Name: "morning", Next: 1_795_000_000_000, Last: 1_794_000_000_000, Runs: 3, State: "idle", Failed: true}, {Name: "Watch", State: "running"},
	}}, nil
}
func (h heartbeats) Run(_ context.Context, name string) error { h.did("run %s", name); return nil }
func (h heartbeats) Enable(_ context.Context, name string, on bool) error {
	h.did("enable %s: %v", name, on)
	return nil
}
func (h heartbeats) Pause(_ context.Context, paused bool, until int64) error {
	h.did("pause %v, ends %v", paused, until != 0)
	return nil
}

type memory struct{ *world }

func (m memory) Remember(_ context.Context, by chat.Person, id, text string) error {
	m.did("remember of %s in %s: %q", by.Username, id, text)
	return nil
}
func (m memory) Search(_ context.Context, by chat.Person, id, words string, limit int) ([]command.Remembered, error) {
	m.did("search for %s in %s for %q, at most %d", by.Username, id, words, limit)
	return []command.Remembered{{File: "USER.md", About: "ada", Text: "Likes [links](http://x) @all"}}, nil
}

type rooms struct{ *world }

func (r rooms) List(_ context.Context, of command.Whose) ([]command.Room, error) {
	r.did("list rooms of %+v", of)
	return []command.Room{{Name: "build", Members: []string{"ada", "tester"}, LastAt: 1_795_000_000_000}}, nil
}
func (r rooms) Say(_ context.Context, of command.Whose, room string, by chat.Person, text string) error {
	r.did("say in %s of %+v as %s: %q", room, of, by.Username, text)
	return nil
}
func (r rooms) Recent(_ context.Context, of command.Whose, room string, _ int) ([]event.RoomMessage, error) {
	r.did("read %s of %+v", room, of)
	return []event.RoomMessage{{From: event.RoomSpeaker{Nick: "tester"}, At: 1_795_000_000_000, Text: "Done @ada"}}, nil
}
func (r rooms) Join(_ context.Context, room, id string) error {
	r.did("%s joins %s", id, room)
	return nil
}

type terminals struct{ *world }

func (t terminals) List(context.Context) ([]tmux.Pane, error) { return t.panes, t.fail }
func (t terminals) Screen(_ context.Context, target string, _ int) (tmux.Screen, error) {
	if target == "nothing" {
		return tmux.Screen{}, tmux.ErrNoPane
	}
	return t.screen, t.fail
}
func (t terminals) Answer(_ context.Context, target, shown string, allow bool) (tmux.Screen, error) {
	return t.press(fmt.Sprintf("answer %s: %v", target, allow), shown)
}
func (t terminals) Choose(_ context.Context, target, shown string, n int) (tmux.Screen, error) {
	return t.press(fmt.Sprintf("choose %d in %s", n, target), shown)
}
func (t terminals) press(what, shown string) (tmux.Screen, error) {
	if shown != t.screen.Fingerprint {
		return t.screen, tmux.ErrOther
	}
	t.did("%s", what)
	return tmux.Screen{Pane: t.screen.Pane, State: tmux.Working}, t.fail
}
func (t terminals) Type(_ context.Context, target, text string) error {
	t.did("type into %s: %q", target, text)
	return t.fail
}
func (t terminals) Spawn(_ context.Context, s tmux.Spawn) (tmux.Pane, error) {
	t.did("spawn %+v", s)
	return t.panes[0], t.fail
}
func (t terminals) Kill(_ context.Context, target string) (tmux.Pane, error) {
	t.did("kill %s", target)
	return t.panes[0], t.fail
}
func (t terminals) Watch(_ context.Context, w tmux.Watch) (tmux.Pane, error) {
	t.did("watch %s for %s in %s", w.Target, w.ThreadID, w.ChannelID)
	return t.panes[0], t.fail
}
func (t terminals) Unwatch(_ context.Context, target string) error {
	t.did("unwatch %s", target)
	return nil
}
func (t terminals) Watched() []tmux.Watch {
	return append([]tmux.Watch{{Target: "code:1.0", ThreadID: "t1"}, {Target: "other:0.0", ThreadID: "t9"}}, t.watched...)
}

// in returns a thread with a session.
func in() command.In {
	return command.In{
		Thread: &port.Thread{ID: "t1", ChannelID: "c1", SessionID: "s1"}, ChannelID: "c1", ThreadID: "t1", PostID: "p1",
		By: chat.Person{ID: "u1", Username: "ada", Name: "Ada"}, Role: port.RoleAdmin,
	}
}

// give runs a command from a post.
func give(t *testing.T, table *command.Table, text string, in command.In) command.Reply {
	t.Helper()
	call, ok := command.Parse(text)
	if !ok {
		t.Fatalf("%q is no command", text)
	}
	reply, err := table.Run(t.Context(), call, in)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return reply
}
