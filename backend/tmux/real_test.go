package tmux

import (
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/backend/claude/claudetest"
	"parley/backend/demo"
)

var update = flag.Bool("update", false, "write the golden files, and record the screens of the real CLI")

// realScript makes the model do whatever makes the CLI draw the screens under
// test.
func realScript() demo.Script {
	type in = map[string]any
	once := func(tool string, input in) []demo.Reply {
		return []demo.Reply{demo.Use(tool, input), demo.Say("Done with it.")}
	}
	long := strings.Repeat("touch one-of-many-files-with-a-long-name.txt;\n", 60)
	return demo.NewRules().
		When(demo.Contains("run it"), once("Bash", in{"command": "echo hello > made.txt && date", "description": "Write a file"})...).
		When(demo.Contains("run much"), once("Bash", in{"command": long, "description": "Write files"})...).
		When(demo.Contains("write it"), once("Write", in{"file_path": "new.txt", "content": "one\n  ❯ 1. Yes\n    2. No\n"})...).
		When(demo.Contains("ask me"), once("AskUserQuestion", in{"questions": []in{{"question": "Which colour?", "header": "Colour", "multiSelect": false,
			"options": []in{{"label": "Red", "description": "like fire"}, {"label": "Blue", "description": "like the sea"}}}}})...).
		When(demo.Contains("slowly"), demo.Answer(demo.Text("A slow ").Pause(10*time.Minute).More("answer."))).
		When(demo.Contains("fail"), demo.Fail(400, "nothing works")).
		When(demo.Any, demo.Say("Do you want to proceed? I need permission.\n\n1. Yes\n2. No\n\nesc to interrupt"))
}

// realCLI returns a tmux that can run the real CLI with the scripted model.
func realCLI(t *testing.T) (*bench, string) {
	t.Helper()
	cli := claudetest.RealCLI(t)
	realTmux(t)
	model, err := demo.Start(demo.Config{Script: realScript(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	home, err := os.MkdirTemp("", "ph") //nolint:usetesting // the CLI may still write while it ends
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	config, work := filepath.Join(home, "config"), filepath.Join(home, "work")
	for _, dir := range []string{config, work, filepath.Join(home, "other")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(config, ".claude.json"), map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{"sk-ant-local"}, "rejected": []string{}},
		"projects":              map[string]any{work: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
	})
	// With this in its settings, it would offer another mode first.
	asking := filepath.Join(home, "claude")
	if err := os.WriteFile(asking, []byte("#!/bin/sh\nexec '"+cli+"' --permission-mode default \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	// In a terminal it would look for plugins on the network.
	env := append(model.Env(home, config), "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1")
	return newBench(t, asking, env...), work
}

func write(t *testing.T, name string, value any) {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

var clock = regexp.MustCompile(`\d+:\d\d [AP]M`)

// record stores a screen of the real CLI for the screen tests.
func (b *bench) record(t *testing.T, name, work string, s Screen) {
	t.Helper()
	if !*update {
		return
	}
	text, err := b.tmux.capture(t.Context(), s.Pane.ID, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	text = clock.ReplaceAllString(strings.ReplaceAll(text, filepath.Dir(work), "/home/you"), "10:06 PM")
	if err := os.WriteFile(filepath.Join("testdata", "screens", name+".txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRealCLI goes through the CLI's terminal screens.
func TestRealCLI(t *testing.T) {
	b, work := realCLI(t)
	ctx := t.Context()
	pane, err := b.Spawn(ctx, Spawn{Name: "real", Folder: work, Prompt: "Please run it"})
	if err != nil {
		t.Fatal(err)
	}
	if pane.Target != "real:0.0" || pane.Folder != work || pane.PID == 0 {
		t.Fatalf("pane: %+v", pane)
	}
	say := func(text string) {
		t.Helper()
		if err := b.Type(ctx, "real", text); err != nil {
			s, _ := b.Screen(ctx, "real", 50)
			t.Fatalf("type %q: %v\n%s", text, err, s.Text)
		}
	}

	asked := b.shows(t, "real", Permission)
	b.record(t, "permission", work, asked)
	if !asked.Whole || !has(asked.Asked, "echo hello > made.txt && date") || asked.Yes() != 1 {
		t.Fatalf("asked: %+v", asked)
	}
	if err := b.Type(ctx, "real", "more"); !errors.Is(err, ErrBusy) {
		t.Errorf("type into a question: %v", err)
	}
	if _, err := b.Answer(ctx, "real", "0000-0.0", true); !errors.Is(err, ErrOther) {
		t.Errorf("answer to another question: %v", err)
	}
	if _, err := os.Stat(filepath.Join(work, "made.txt")); err == nil {
		t.Fatal("it ran without an answer")
	}
	if _, err := b.Answer(ctx, "real", asked.Fingerprint, true); err != nil {
		t.Fatal(err)
	}
	idle := b.shows(t, "real", Idle)
	if _, err := os.Stat(filepath.Join(work, "made.txt")); err != nil {
		t.Errorf("approved, and not run: %v", err)
	}
	if idle.Said != "Done with it." {
		t.Errorf("said %q", idle.Said)
	}
	if _, err := b.Answer(ctx, "real", asked.Fingerprint, true); !errors.Is(err, ErrNotAsking) {
		t.Errorf("answer to nothing: %v", err)
	}

	say("Say something\nabout permission")
	until(t, "the answer", func() bool { idle = b.shows(t, "real", Idle); return has(idle.Said, "I need permission") })
	b.record(t, "idle", work, idle)

	say("Please write it")
	asked = b.shows(t, "real", Permission)
	b.record(t, "write", work, asked)
	if _, err := b.Answer(ctx, "real", asked.Fingerprint, false); err != nil {
		t.Fatal(err)
	}
	b.shows(t, "real", Idle)
	if _, err := os.Stat(filepath.Join(work, "new.txt")); err == nil {
		t.Error("denied, and written all the same")
	}

	say("Please ask me")
	asked = b.shows(t, "real", Question)
	b.record(t, "question", work, asked)
	if _, err := b.Answer(ctx, "real", asked.Fingerprint, true); !errors.Is(err, ErrChoice) {
		t.Errorf("approve a question: %v", err)
	}
	if _, err := b.Choose(ctx, "real", asked.Fingerprint, 2); err != nil {
		t.Fatal(err)
	}
	if s := b.shows(t, "real", Idle); !has(s.Text, "Blue") {
		t.Errorf("no Blue in\n%s", s.Text)
	}

	say("Please run much")
	asked = b.shows(t, "real", Permission)
	b.record(t, "cut", work, asked)
	if _, err := b.Answer(ctx, "real", asked.Fingerprint, true); !errors.Is(err, ErrCut) || asked.Whole {
		t.Errorf("approve what cannot be seen: %v", err)
	}
	if _, err := b.Answer(ctx, "real", asked.Fingerprint, false); err != nil {
		t.Error(err)
	}
	b.shows(t, "real", Idle)

	say("Please fail")
	b.record(t, "errored", work, b.shows(t, "real", Errored))

	say("Say it slowly")
	b.record(t, "working", work, b.shows(t, "real", Working))
	var before Screen
	until(t, "the answer's beginning", func() bool { before = b.shows(t, "real", Working); return has(before.Text, "↓") })
	until(t, "the spinner's clock", func() bool { s := b.shows(t, "real", Working); return s.Text != before.Text })
	if s := b.shows(t, "real", Working); s.calm != before.calm {
		t.Errorf("a clock is taken for news:\n%s\n---\n%s", before.Text, s.Text)
	}

	if _, err := b.Kill(ctx, "real"); err != nil {
		t.Fatal(err)
	}
	if list, err := b.List(ctx); err != nil || len(list) != 0 {
		t.Errorf("after the kill there are %v (%v)", list, err)
	}

	// An untrusted folder: trust can't be granted from here.
	if _, err := b.Spawn(ctx, Spawn{Name: "other", Folder: filepath.Join(filepath.Dir(work), "other")}); err != nil {
		t.Fatal(err)
	}
	asked = b.shows(t, "other", Question)
	b.record(t, "trust", work, asked)
	if _, err := b.Answer(ctx, "other", asked.Fingerprint, true); !errors.Is(err, ErrChoice) {
		t.Errorf("trust a folder: %v", err)
	}
	pid := asked.Pane.PID
	if _, err := b.Kill(ctx, "other"); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of the CLI", func() bool {
		_, err := os.Stat("/proc/" + itoa(pid))
		return errors.Is(err, os.ErrNotExist)
	})
}
