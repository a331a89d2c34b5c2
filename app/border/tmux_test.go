//go:build linux

package border

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"parley/backend/demo"
)

// withTmux skips a test without tmux, or fails it if PARLEY_TEST_REQUIRE is 1, and
// returns the folder of a separate tmux.
func withTmux(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("tmux")
	if err != nil {
		if os.Getenv("PARLEY_TEST_REQUIRE") == "1" {
			t.Fatalf("no tmux: %v", err)
		}
		t.Skipf("no tmux (install the package tmux): %v", err)
	}
	dir, err := os.MkdirTemp("", "plt-") //nolint:usetesting // TempDir's path is too long for the socket that will be in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end := exec.CommandContext(context.Background(), program, "kill-server")
		end.Env = []string{"TMUX_TMPDIR=" + dir}
		_ = end.Run() // it has already ended if all went well
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// terminalEnv is the environment of a Parley that starts the CLI in a separate tmux.
func terminalEnv(t *testing.T) []string {
	t.Helper()
	return []string{
		"TMUX_TMPDIR=" + withTmux(t), "TERM=xterm-256color",
		// In a terminal it would look for plugins on the network.
		"CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1",
	}
}

// knowsTheCLI sets up the terminals of a user who has used the CLI in dir before.
func knowsTheCLI(p *parley, dir string) {
	p.t.Helper()
	known := []byte(`{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":["sk-ant-local"],"rejected":[]},` +
		`"projects":{"` + dir + `":{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true}}}`)
	if err := os.MkdirAll(p.path("home/.claude"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path("home/.claude/.claude.json"), known, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// A model starts the CLI in a terminal, with the user's permission, reads its screen
// and ends it; a denied call has no effect.
func TestModelAndTerminals(t *testing.T) {
	t.Parallel()
	p := startWith(t, demo.ScriptFunc(obedient), setup{env: terminalEnv(t)})
	s := p.open()
	knowsTheCLI(p, s.dir)
	const tool = "manage_tmux_sessions"
	if said := s.calls(tool, m{"action": "spawn", "prompt": "Good morning", "name": "mine"}, m{"behavior": "deny", "message": "not now"}); !strings.HasPrefix(said, "not now") {
		t.Errorf("the model read %q", said)
	}
	if said := s.calls(tool, m{"action": "list"}); !strings.Contains(said, `"panes":[]`) {
		t.Errorf("the model read %q", said)
	}
	if said := s.calls(tool, m{"action": "spawn", "prompt": "Good morning", "name": "mine"}, m{"behavior": "allow"}); !strings.Contains(said, `"mine:0.0"`) {
		t.Fatalf("the model read %q", said)
	}
	// It may read its own terminal without permission.
	poll(t, "the answer in the terminal", func() bool {
		return strings.Contains(s.calls(tool, m{"action": "status", "target": "mine"}), "Heard: Good morning")
	})
	if said := s.calls(tool, m{"action": "kill", "target": "mine"}, m{"behavior": "allow"}); !strings.Contains(said, `"closed":"mine:0.0"`) {
		t.Errorf("the model read %q", said)
	}
	poll(t, "the end of the CLI in it", func() bool { return len(p.running("Good morning")) == 0 })
	if said := s.calls(tool, m{"action": "status", "target": "mine"}); !strings.Contains(said, "no such pane") {
		t.Errorf("the model read %q", said)
	}
}

// A chat user starts the CLI in a terminal, gets its question in the thread, allows it
// with a reaction, is notified when it is done, and ends it.
func TestTerminalOfTheChat(t *testing.T) {
	t.Parallel()
	o := employ(t, clerk(demo.NewGate()), terminalEnv(t)...)
	knowsTheCLI(o.parley, o.path("work"))
	ada := o.server.As(o.ada.ID)
	root := ada.Post(o.dev.Id, `!spawn "make a file" --name mine --dir `+o.path("work"))
	made := o.path("work", "made-in-chat")
	q := o.posted(t, root.Id, "touch made-in-chat")
	o.server.As(o.bob.ID).React(q.Id, "+1") // may only prompt
	o.reactable(t, q.Id, "+1")
	if _, err := os.Stat(made); err == nil {
		t.Fatal("it ran before anybody who may had allowed it")
	}
	ada.React(q.Id, "+1")
	poll(t, "the file", func() bool { _, err := os.Stat(made); return err == nil })
	o.posted(t, root.Id, "It is made: true.")
	ada.Reply(root.Id, "!session mine kill")
	o.posted(t, root.Id, "was closed")
	poll(t, "the end of the CLI in it", func() bool { return len(o.running("make a file")) == 0 })

	// In a direct message the alerts go to the channel, and not into the thread of a post.
	if err := os.Remove(made); err != nil {
		t.Fatal(err)
	}
	first := ada.Post(o.direct.Id, "Good morning")
	o.posted(t, first.Id, "Good morning")
	ada.Post(o.direct.Id, `!spawn "make a file" --name other --dir `+o.path("work"))
	q = o.posted(t, first.Id, "touch made-in-chat")
	if q.RootId != "" {
		t.Errorf("the question stands below %q", q.RootId)
	}
	ada.React(q.Id, "+1")
	poll(t, "the file", func() bool { _, err := os.Stat(made); return err == nil })
	o.posted(t, first.Id, "It is made: true.")
	ada.Post(o.direct.Id, "!session other kill")
	o.posted(t, first.Id, "was closed")
	o.adopt()
}
