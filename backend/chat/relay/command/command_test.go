package command_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/tmux"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) {
	time.Local = time.UTC // for times in replies
	os.Exit(m.Run())
}

func TestParse(t *testing.T) {
	tests := map[string]struct {
		want command.Call
		ok   bool
	}{
		"!help":                       {command.Call{Name: "help"}, true},
		"!HELP":                       {command.Call{Name: "help"}, true},
		"  \n !Stats  ":               {command.Call{}, false},
		"\n!stats":                    {command.Call{Name: "stats"}, true},
		"  !stats":                    {command.Call{Name: "stats"}, true},
		"    !stats":                  {command.Call{}, false},
		"!cd ~/a b ":                  {command.Call{Name: "cd", Text: "~/a b"}, true},
		"!loop 5m look\nat it":        {command.Call{Name: "loop", Text: "5m look\nat it"}, true},
		"!help?":                      {command.Call{Name: "help"}, true},
		"!nosuch thing":               {command.Call{Name: "nosuch", Text: "thing"}, true},
		"hello !help":                 {},
		"`!help`":                     {},
		"```\n!help\n```":             {},
		"> !help":                     {},
		"- !help":                     {},
		"\\!help":                     {},
		"\t!help":                     {},
		"!":                           {},
		"! help":                      {},
		"!!help":                      {},
		"!5":                          {},
		"![image](http://x/y.png)":    {},
		"!help.me":                    {},
		"!help, please":               {},
		"!höflich":                    {},
		"!" + strings.Repeat("a", 33): {},
		"":                            {},
	}
	for text, tt := range tests {
		got, ok := command.Parse(text)
		if ok != tt.ok || got.Name != tt.want.Name || got.Text != tt.want.Text {
			t.Errorf("Parse(%q) = %+v, %v", text, got, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"!help", `!spawn "a" --name b`, "!session x “y”", "!loop 5m don't", `!cd "a`, "!room say x 'y'", "!watch \\", "!cd $(x) `y` ${z}", "!mode «plan»"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		call, ok := command.Parse(text)
		if !ok {
			return
		}
		if call.Name == "" || len(call.Name) > 32 || call.Name != strings.ToLower(call.Name) || strings.TrimSpace(call.Text) != call.Text {
			t.Errorf("%+v", call)
		}
		if !strings.Contains(text, call.Text) {
			t.Errorf("%q is not what was written", call.Text)
		}
		table := command.New(newWorld().ports())
		_ = table.Need(call)
		if _, err := table.Run(t.Context(), call, in()); err != nil && fault.CodeOf(err) == fault.Internal {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// given are commands in every form, in the order of the golden file.
func given() []string {
	return []string{
		"!help", "!help spawn", "!help nosuch", "!commands",
		"!stats", "!cost", "!usage", "!context",
		"!stop", "!escape", "!interrupt", "!esc", "!kill", "!kill the process on port 80", "!restart", "!restart now", "!restart session", "!update",
		"!compact", "!compact keep the plan", "!compact “keep the plan”",
		"!cd", "!cd /srv/x", "!cd sub/folder", `!cd "~/my folder"`, "!cd “~/my folder”", "!cd ~/my folder", "!cd $HOME/`id`",
		"!permissions", "!mode", "!mode PLAN", "!mode guarded", "!mode default", "!mode nosuch",
		"!model", "!model Opus", "!model claude-x", "!effort", "!effort HIGH", "!effort much",
		"!rename", "!rename A *new* title", "!rename „Ein Titel“", "!fork", "!fork Another way",
		"!export", "!export json", "!export pdf",
		"!loop", "!loop 5m look at it", `!loop 1H "don't stop"`, "!loop often look", "!loop 5m",
		"!heartbeats", "!heartbeats run Morning", "!heartbeats run", "!heartbeats run nosuch", "!heartbeats on watch", "!heartbeats off Watch",
		"!heartbeats pause", "!heartbeats pause 2h", "!heartbeats pause forever", "!heartbeats resume", "!heartbeats nosuch",
		"!memory", "!memory tabs spaces", `!memory "save money"`, "!memory save I like tabs", "!memory save",
		"!room", "!rooms", "!room read #build", "!room say build hello all", "!room say build", "!room join #build", "!room nosuch",
		"!sessions", "!session", "!session code", "!session nothing", "!session code:1.0 status", "!session code nudge",
		"!session code approve", "!session code deny", "!session code choose 2", "!session code choose x",
		`!session code "run $(id) and 'that'"`, "!session code ‘quoted text’", "!session code text without marks", `!session "my code" status`, "!session code kill",
		`!spawn "fix it" --name fix --dir ~/x`, `!spawn --dir=sub "don't $(touch x)"`, "!spawn “fix it” —name fix", "!spawn fix it", "!spawn", `!spawn "fix" --name`,
		"!watch", "!watch code:1.0", "!watch a b", "!unwatch code:1.0", "!unwatch",
		"!hlep", "!stast", "!xyzzyplugh", "!sesion x",
	}
}

// TestReplies runs every form of every command, and records the replies and effects.
func TestReplies(t *testing.T) {
	var b strings.Builder
	for _, text := range given() {
		w := newWorld()
		reply := give(t, command.New(w.ports()), text, in())
		fmt.Fprintf(&b, "=== %s\n", text)
		for _, d := range w.done {
			fmt.Fprintf(&b, "did: %s\n", d)
		}
		if reply.Prompt != "" || reply.Folder != "" || reply.Ended || reply.Screen != nil {
			fmt.Fprintf(&b, "prompt %q folder %q ended %v screen %v\n", reply.Prompt, reply.Folder, reply.Ended, reply.Screen != nil)
		}
		fmt.Fprintf(&b, "%s\n", soon.ReplaceAllString(reply.Text, "until SOON"))
		for _, f := range reply.Files {
			fmt.Fprintf(&b, "--- %s\n%s\n", f.Name, f.Data)
		}
		b.WriteString("\n")
	}
	const name = "testdata/replies.txt"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("other replies (-want +got):\n%s", diff)
	}
}

var soon = regexp.MustCompile(`until \d{4}-\d\d-\d\d \d\d:\d\d`)

// TestNeed lists who may use what. It is written out so that a change of the table shows here.
func TestNeed(t *testing.T) {
	table := command.New(newWorld().ports())
	needs := map[port.ChatRole][]string{
		port.RoleWatch: {"!help", "!commands", "!stats", "!cost", "!usage", "!context", "!update", "!permissions", "!heartbeats", "!nosuch", "!heartbeats nosuch", "!kill the process", "!stop it"},
		port.RolePrompt: {"!stop", "!escape", "!esc", "!interrupt", "!compact", "!model", "!model x", "!effort", "!effort x", "!rename x", "!fork", "!export", "!loop", "!loop 5m x",
			"!room", "!rooms", "!room say x y", "!sessions"},
		port.RoleApprove: {"!memory", "!memory x", "!memory save x", `!memory "save x"`, "!room read x", "!session x", "!session x status", "!session x STATUS", "!session x nudge", "!session x approve", "!session x deny", "!session x choose 1", "!watch", "!watch x", "!unwatch x"},
		port.RoleAdmin: {"!kill", "!restart", "!restart now", "!restart session", "!cd x", "!mode", "!mode plan", "!heartbeats run x", "!heartbeats on x", "!heartbeats off x", "!heartbeats pause", "!heartbeats resume",
			"!room join x", "!session x kill", `!session x "text"`, `!session x "approve"`, "!session x other", `!spawn "x"`},
	}
	for need, texts := range needs {
		for _, text := range texts {
			call, ok := command.Parse(text)
			if got := table.Need(call); !ok || got != need {
				t.Errorf("%s needs %q, want %q", text, got, need)
			}
		}
	}
}

// TestWithoutASession: commands that need a session report that there is none, and no others
// do.
func TestWithoutASession(t *testing.T) {
	outside := in()
	outside.Thread = nil
	for _, text := range given() {
		w := newWorld()
		reply := give(t, command.New(w.ports()), text, outside)
		none := strings.HasPrefix(reply.Text, "There is no active session in this thread. Send")
		if none && (len(w.done) > 0 || reply.Ended || reply.Prompt != "") {
			t.Errorf("%s did %v", text, w.done)
		}
		for _, done := range w.done {
			if strings.Contains(done, " s1") {
				t.Errorf("%s did %q", text, done)
			}
		}
	}
	for text, want := range map[string]string{"!loop 5m x": "/loop 5m x", "!cd /srv": ""} {
		if reply := give(t, command.New(newWorld().ports()), text, outside); reply.Prompt != want {
			t.Errorf("%s: %+v", text, reply)
		}
	}
	if reply := give(t, command.New(newWorld().ports()), "!cd sub", outside); reply.Folder != "/home/you/project/sub" {
		t.Errorf("%+v", reply)
	}
}

// TestRooms: users reach the rooms of their thread's session, and administrators all.
func TestRooms(t *testing.T) {
	for _, tt := range []struct {
		name    string
		role    port.ChatRole
		session bool
		hidden  bool
		want    string
	}{
		{"prompt", port.RolePrompt, true, false, "{SessionID:s1 All:false}"},
		{"approve", port.RoleApprove, true, false, "{SessionID:s1 All:false}"},
		{"admin", port.RoleAdmin, true, false, "{SessionID: All:true}"},
		{"admin without a session", port.RoleAdmin, false, false, "{SessionID: All:true}"},
		{"no session", port.RoleApprove, false, false, ""},
		{"hidden", port.RoleApprove, false, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, text := range []string{"!room", "!room read build", "!rooms say build hello"} {
				w := newWorld()
				by := in()
				by.Role, by.Hidden = tt.role, tt.hidden
				if !tt.session {
					by.Thread = nil
				}
				reply := give(t, command.New(w.ports()), text, by)
				if tt.want == "" && (len(w.done) > 0 || !strings.Contains(reply.Text, "session")) || tt.want != "" && (len(w.done) != 1 || !strings.Contains(w.done[0], tt.want)) {
					t.Errorf("%s did %q and said %q", text, w.done, reply.Text)
				}
			}
		})
	}
}

// TestMirror: the session of a mirror stays the thread's.
func TestMirror(t *testing.T) {
	mirrored := in()
	mirrored.Thread.Mirror = true
	if reply := give(t, command.New(newWorld().ports()), "!cd /srv", mirrored); reply.Folder != "" {
		t.Errorf("%+v", reply)
	}
	if reply := give(t, command.New(newWorld().ports()), "!kill", mirrored); !reply.Ended || !strings.Contains(reply.Text, "reopens it") {
		t.Errorf("%+v", reply)
	}
	// The session is in use at the desktop: what stops it there stops it here.
	for state, says := range map[string]string{"running": "The turn was stopped", "idle": "No turn is running"} {
		w := newWorld()
		w.session.State = state
		reply := give(t, command.New(w.ports()), "!stop", mirrored)
		done := strings.Join(w.done, ", ")
		if reply.Ended || !reply.Dropped || !strings.Contains(reply.Text, says) ||
			!strings.HasPrefix(done, "drop what waits in s1") || strings.Contains(done, "interrupt s1") != (state == "running") {
			t.Errorf("%s: did %q, %+v", state, done, reply)
		}
	}
}

func TestStopped(t *testing.T) {
	w := newWorld()
	w.session.State, w.session.PID = "closed", 0
	table := command.New(w.ports())
	if got := give(t, table, "!stats", in()).Text; !strings.Contains(got, "(stopped)") || strings.Contains(got, "Model") || !strings.Contains(got, "$0.1235") {
		t.Error(got)
	}
	if got := give(t, table, "!escape", in()).Text; !strings.HasPrefix(got, "No turn is running") {
		t.Error(got)
	}
	if got := give(t, table, "!restart session", in()).Text; !strings.HasPrefix(got, "This session has no running process") {
		t.Error(got)
	}
	if len(w.done) > 0 {
		t.Error(w.done)
	}
}

// TestRestart: the command has no answer of its own while Parley ends.
func TestRestart(t *testing.T) {
	p, asked := newWorld().ports(), 0
	p.Restart = func(context.Context, bool, chat.Person) ([]string, error) {
		asked++
		return nil, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // it ended
	if _, err := command.New(p).Run(ctx, command.Call{Name: "restart"}, in()); err != nil || asked != 1 {
		t.Error(err, asked)
	}
	// While sessions work it says which, and waits for them unless it must not.
	var nows []bool
	p.Restart = func(_ context.Context, now bool, by chat.Person) ([]string, error) {
		nows = append(nows, now)
		if now {
			return nil, fault.New(fault.Unavailable, "no way, %s", by.Username)
		}
		return []string{"A", "B"}, nil
	}
	table := command.New(p)
	if got := give(t, table, "!restart", in()).Text; !strings.Contains(got, "A, B") || !strings.Contains(got, "!restart now") {
		t.Error(got)
	}
	if _, err := table.Run(t.Context(), command.Call{Name: "restart", Text: "now"}, in()); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	if !slices.Equal(nows, []bool{false, true}) {
		t.Error(nows)
	}
}

// TestNothingThere: what this Parley does not have, it says.
func TestNothingThere(t *testing.T) {
	w := newWorld()
	table := command.New(command.Ports{Sessions: w.ports().Sessions, Version: "1"})
	for _, text := range given() {
		if reply := give(t, table, text, in()); reply.Text == "" && reply.Prompt == "" {
			t.Errorf("%s says nothing", text)
		}
	}
}

func TestFaultsAreHandedOn(t *testing.T) {
	table := command.New(newWorld().ports())
	call, _ := command.Parse("!cd ~/nothing")
	if _, err := table.Run(t.Context(), call, in()); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

func TestTerminalErrors(t *testing.T) {
	for _, err := range []error{tmux.ErrMissing, tmux.ErrNoPane, tmux.ErrAmbiguous, tmux.ErrNotAsking, tmux.ErrBusy, tmux.ErrCut, tmux.ErrChoice, tmux.ErrDraft, tmux.ErrUnsure, tmux.ErrInvalid, tmux.ErrFull} {
		w := newWorld()
		w.fail = fmt.Errorf("%w: here", err)
		if got := give(t, command.New(w.ports()), `!session code "text"`, in()).Text; got == "" || strings.HasPrefix(got, ":") {
			t.Errorf("%v: %q", err, got)
		}
	}
	w := newWorld()
	w.fail = errors.New("broken")
	call, _ := command.Parse("!sessions")
	if _, err := command.New(w.ports()).Run(t.Context(), call, in()); err == nil {
		t.Error("an unknown error is lost")
	}
}

// TestApprove: only what a thread was shown is answered.
func TestApprove(t *testing.T) {
	w := newWorld()
	table := command.New(w.ports())
	first := give(t, table, "!session code approve", in())
	if len(w.done) > 0 || !strings.Contains(first.Text, "has not shown") || !strings.Contains(first.Text, "make `x`") {
		t.Fatalf("%v %q", w.done, first.Text)
	}
	elsewhere := in()
	elsewhere.ThreadID = "t2"
	give(t, table, "!session code approve", elsewhere)
	w.screen.Fingerprint = "f2-0.0"
	if got := give(t, table, "!session code approve", in()).Text; len(w.done) > 0 || !strings.Contains(got, "something else") {
		t.Fatalf("%v %q", w.done, got)
	}
	if got := give(t, table, "!session code approve", in()).Text; !strings.Contains(got, "Allowed") {
		t.Fatal(got)
	}
	if diff := cmp.Diff([]string{"answer code: true"}, w.done); diff != "" {
		t.Error(diff)
	}
}

func TestReaction(t *testing.T) {
	w := newWorld()
	table := command.New(w.ports())
	for emoji, want := range map[string]string{"octagonal_sign": "stop", "stop_sign": "stop", "skull": "kill", "warning": "escape"} {
		if call, ok := table.Reaction("any", emoji); !ok || call.Name != want {
			t.Errorf("%s: %+v", emoji, call)
		}
	}
	for _, emoji := range []string{"+1", "white_check_mark", "one", "tada", ""} {
		if call, ok := table.Reaction("any", emoji); ok {
			t.Errorf("%s: %+v", emoji, call)
		}
	}
	table.Shown("post", *give(t, table, "!session code", in()).Screen)
	for emoji, want := range map[string]string{
		"+1": "answer %3: true", "white_check_mark": "answer %3: true", "+1_medium_light_skin_tone": "answer %3: true",
		"x": "answer %3: false", "-1": "answer %3: false", "two": "choose 2 in %3",
	} {
		call, ok := table.Reaction("post", emoji)
		if need := table.Need(call); !ok || need != port.RoleApprove {
			t.Errorf("%s needs %q", emoji, need)
		}
		w.done = nil
		if _, err := table.Run(t.Context(), call, in()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{want}, w.done); diff != "" {
			t.Errorf("%s: %s", emoji, diff)
		}
	}
	// The screen shows something else by now.
	w.screen.Fingerprint, w.done = "f9-0.0", nil
	call, _ := table.Reaction("post", "+1")
	reply, err := table.Run(t.Context(), call, in())
	if err != nil || len(w.done) > 0 || !strings.Contains(reply.Text, "something else") {
		t.Errorf("%v %v %q", err, w.done, reply.Text)
	}
	for i := range 600 { // old ones are forgotten
		table.Shown(fmt.Sprint("p", i), w.screen)
	}
	if _, ok := table.Reaction("post", "+1"); ok {
		t.Error("nothing is ever forgotten")
	}
	if _, ok := table.Reaction("p599", "+1"); !ok {
		t.Error("the newest is forgotten")
	}
}

func TestAlerts(t *testing.T) {
	w := newWorld()
	table := command.New(w.ports())
	for what, want := range map[string]string{
		"permission": "allows it once", "question": "asks:", "idle": "is done", "errored": "failed:", "stalled": "has not moved", "ended": "has ended",
	} {
		a := tmux.Alert{Watch: tmux.Watch{Target: "code:1.0", ThreadID: "t1"}, Screen: w.screen, What: what}
		reply := table.Alert(a)
		if !strings.Contains(reply.Text, want) || !strings.Contains(reply.Text, "`code:1.0`") {
			t.Errorf("%s: %q", what, reply.Text)
		}
		if (reply.Screen != nil) != (what == "permission" || what == "question") {
			t.Errorf("%s has a screen: %v", what, reply.Screen)
		}
	}
	if give(t, table, "!session code approve", in()); len(w.done) != 1 {
		t.Errorf("an alert does not count as shown: %v", w.done)
	}
}

// TestExportIsBounded: of a long conversation the newest part is kept.
func TestExportIsBounded(t *testing.T) {
	w := newWorld()
	big := strings.Repeat("x", 9<<20)
	w.history[0].Blocks[0].Text, w.history[1].Blocks[2].Text = big, big
	reply := give(t, command.New(w.ports()), "!export", in())
	if len(reply.Files) != 1 || len(reply.Files[0].Data) > 17<<20 || !strings.Contains(reply.Text, "Older ones") || !strings.Contains(string(reply.Files[0].Data), "Summarised") {
		t.Errorf("%q, %d bytes", reply.Text, len(reply.Files[0].Data))
	}
}

type unsized struct{ figures }

func (unsized) Window(context.Context, string) (command.Window, error) {
	return command.Window{Live: true, Used: 161_000, Parts: []command.Part{{Name: "Messages", Tokens: 160_000}}}, nil
}

// Of a window whose size is unknown no part is claimed.
func TestWindowThatIsNotKnown(t *testing.T) {
	w := newWorld()
	w.session.Context = &event.Context{Used: 161_000}
	ports := w.ports()
	ports.Figures = unsized{}
	table := command.New(ports)
	for name, want := range map[string]string{"!stats": "161,000 tokens", "!context": "**Used:** 161,000 tokens. The window's size"} {
		if got := give(t, table, name, in()).Text; !strings.Contains(got, want) || strings.Contains(got, "%") || strings.Contains(got, "/ 0") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
