package tmux

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNothingRuns(t *testing.T) {
	b := newBench(t, standInCLI(t))
	if list, err := b.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
	if _, err := b.Screen(t.Context(), "code", 10); !errors.Is(err, ErrNoPane) {
		t.Error(err)
	}
	missing := New(Config{Program: "no-such-program", Env: b.cfg.Env, CLI: b.cfg.CLI})
	if _, err := missing.List(t.Context()); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
}

func TestSpawn(t *testing.T) {
	b := newBench(t, standInCLI(t))
	act(t, b, "one")
	for name, s := range map[string]Spawn{
		"a name with a dot":        {Name: "a.b", Folder: b.home},
		"a name with a colon":      {Name: "a:b", Folder: b.home},
		"a name like an option":    {Name: "-a", Folder: b.home},
		"a name with a space":      {Name: "a b", Folder: b.home},
		"a name that is too long":  {Name: strings.Repeat("a", 65), Folder: b.home},
		"a name that is taken":     {Name: "one", Folder: b.home},
		"no folder":                {Name: "two"},
		"a folder that is not one": {Name: "two", Folder: filepath.Join(b.home, "nothing")},
		"a relative folder":        {Name: "two", Folder: "."},
		"a prompt with an escape":  {Name: "two", Folder: b.home, Prompt: "a\x1b[2J"},
		"a prompt of any length":   {Name: "two", Folder: b.home, Prompt: strings.Repeat("a", MaxText+1)},
	} {
		if _, err := b.Spawn(t.Context(), s); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	list, err := b.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Target != "one:0.0" || list[0].Session != "one" || list[0].Folder != filepath.Join(b.home, "one") {
		t.Errorf("%+v %v", list, err)
	}
}

// TestSpawnIsNoShell: a prompt reaches the CLI unchanged, and nothing else does.
func TestSpawnIsNoShell(t *testing.T) {
	home := t.TempDir()
	cli := filepath.Join(home, "claude")
	script := "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" \"${TMUX-none}\" \"${TMUX_PANE-none}\" \"${CLAUDECODE-none}\" > " + home + "/got.tmp\nmv " + home + "/got.tmp " + home + "/got\nexec cat\n"
	if err := os.WriteFile(cli, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, cli, "CLAUDECODE=1")
	prompt := `--help "$(touch bad)" ; touch bad #{pane_id} 'x' \ ` + "`touch bad`\nsecond line"
	// The script execs cat, which isn't the CLI: the test only checks how it was started.
	if _, err := b.tmux.spawn(t.Context(), "one", home, []string{cli, "--", prompt}); err != nil {
		t.Fatal(err)
	}
	var got []byte
	until(t, "the program's arguments", func() bool {
		var err error
		got, err = os.ReadFile(filepath.Join(home, "got"))
		return err == nil
	})
	if diff := cmp.Diff("2\n--\n"+prompt+"\nnone\nnone\nnone\n", string(got)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(home, "bad")); err == nil {
		t.Error("a shell ran")
	}
}

// TestFolderIsNoFormat: a folder's name runs nothing.
func TestFolderIsNoFormat(t *testing.T) {
	home := t.TempDir()
	cli := filepath.Join(home, "claude")
	if err := os.WriteFile(cli, []byte("#!/bin/sh\npwd > "+home+"/got.tmp\nmv "+home+"/got.tmp "+home+"/got\nexec cat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, cli)
	bad := filepath.Join(home, "bad")
	folder := filepath.Join(home, "a#{pid} #(touch bad) 100%", "b")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(home) // where tmux would run it
	if _, err := b.tmux.spawn(t.Context(), "one", folder, []string{cli}); err != nil {
		t.Fatal(err)
	}
	var got []byte
	until(t, "where the program runs", func() bool {
		var err error
		got, err = os.ReadFile(filepath.Join(home, "got"))
		return err == nil
	})
	if diff := cmp.Diff(folder+"\n", string(got)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(bad); err == nil {
		t.Error("a program ran")
	}
	styled := filepath.Join(home, "#[red]")
	if err := os.Mkdir(styled, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Spawn(t.Context(), Spawn{Name: "two", Folder: styled}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a folder with a style: %v", err)
	}
}

func TestAnswer(t *testing.T) {
	b := newBench(t, standInCLI(t))
	a := act(t, b, "code")
	a.draw(t, askScreen("make test"))
	shown := b.shows(t, "code", Permission)

	// Another question appears: nothing is typed.
	a.draw(t, askScreen("rm -rf everything"))
	until(t, "the other question", func() bool { s, err := b.Screen(t.Context(), "code", 50); return err == nil && has(s.Asked, "rm -rf") })
	now, err := b.Answer(t.Context(), "code", shown.Fingerprint, true)
	if !errors.Is(err, ErrOther) || !has(now.Asked, "rm -rf") {
		t.Errorf("%v %+v", err, now)
	}
	if _, err := b.Answer(t.Context(), "code", shown.Fingerprint, false); !errors.Is(err, ErrOther) {
		t.Error(err)
	}
	if _, err := b.Answer(t.Context(), "code", "", true); !errors.Is(err, ErrOther) {
		t.Error(err)
	}
	if keys := a.pressed(); keys != "" {
		t.Fatalf("typed %q", keys)
	}

	// The first key is ignored as accidental, the second one counts.
	a.draw(t, askScreen("make test"))
	until(t, "the question", func() bool {
		s, err := b.Screen(t.Context(), "code", 50)
		return err == nil && has(s.Asked, "make test")
	})
	presses := 0
	a.onPress(func(string) {
		if presses++; presses == 2 {
			a.draw(t, workingScreen("Running", "✻ Running… (1s)"))
		}
	})
	if now, err := b.Answer(t.Context(), "code", shown.Fingerprint, true); err != nil || now.State != Working {
		t.Errorf("%v %v", now.State, err)
	}
	if keys := a.pressed(); keys != "11" {
		t.Errorf("typed %q", keys)
	}

	// The same question again: what was shown before doesn't answer it.
	a.onPress(func(string) { a.draw(t, idleScreen("Stopped.", "", "")) })
	a.draw(t, askScreen("make test"))
	again := b.shows(t, "code", Permission)
	if again.Fingerprint == shown.Fingerprint {
		t.Error("the same fingerprint twice")
	}
	if _, err := b.Answer(t.Context(), "code", shown.Fingerprint, true); !errors.Is(err, ErrOther) {
		t.Error(err)
	}
	if now, err := b.Answer(t.Context(), "code", again.Fingerprint, false); err != nil || now.State != Idle {
		t.Errorf("%v %v", now.State, err)
	}
	if keys := a.pressed(); keys != "113" {
		t.Errorf("typed %q", keys)
	}
	if _, err := b.Answer(t.Context(), "code", again.Fingerprint, true); !errors.Is(err, ErrNotAsking) {
		t.Error(err)
	}
}

func TestChoose(t *testing.T) {
	b := newBench(t, standInCLI(t))
	a := act(t, b, "code")
	a.onPress(func(string) { a.draw(t, idleScreen("Chosen.", "", "")) })
	a.draw(t, ruled()+"\nWhich colour?\n\n❯ 1. Red\n  2. Blue\n\nEnter to select · Esc to cancel")
	shown := b.shows(t, "code", Question)
	if diff := cmp.Diff([]Option{{1, "Red"}, {2, "Blue"}}, shown.Options); diff != "" {
		t.Error(diff)
	}
	if _, err := b.Choose(t.Context(), "code", shown.Fingerprint, 3); !errors.Is(err, ErrChoice) {
		t.Error(err)
	}
	if _, err := b.Answer(t.Context(), "code", shown.Fingerprint, true); !errors.Is(err, ErrChoice) {
		t.Error(err)
	}
	if _, err := b.Choose(t.Context(), "code", shown.Fingerprint, 2); err != nil {
		t.Error(err)
	}
	if keys := a.pressed(); keys != "2" {
		t.Errorf("typed %q", keys)
	}
}

func TestType(t *testing.T) {
	b := newBench(t, standInCLI(t))
	a := act(t, b, "code")
	draft, swallowed := "", false
	a.onPress(func(keys string) {
		if keys == "\r" && !swallowed { // the CLI treated it as a line break
			swallowed, keys = true, "\n"
		}
		if draft += keys; strings.HasSuffix(draft, "\r") {
			draft = ""
			a.draw(t, workingScreen("Reading", "✻ Reading… (1s)"))
			return
		}
		a.draw(t, idleScreen("Done.", strings.ReplaceAll(draft, "\n", "\n  "), ""))
	})
	a.draw(t, idleScreen("Done.", "", ""))
	b.shows(t, "code", Idle)
	text := "Look at $HOME; `id` \"and\" 'this' -l #{pane_id} C-c Enter\nsecond line"
	if err := b.Type(t.Context(), "code", text); err != nil {
		t.Fatal(err)
	}
	if keys := a.pressed(); keys != text+"\r\r" {
		t.Errorf("typed %q", keys)
	}
	for name, bad := range map[string]string{"nothing": " ", "an escape": "a\x1bb", "an interrupt": "\x03", "too much": strings.Repeat("a", MaxText+1)} {
		if err := b.Type(t.Context(), "code", bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}

	before := a.pressed()
	a.draw(t, idleScreen("Done.", "someone's draft", ""))
	until(t, "the draft", func() bool { s := b.shows(t, "code", Idle); return s.drafted })
	if err := b.Type(t.Context(), "code", "mine"); !errors.Is(err, ErrDraft) {
		t.Error(err)
	}
	a.draw(t, askScreen("make"))
	b.shows(t, "code", Permission)
	if err := b.Type(t.Context(), "code", "1"); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	a.draw(t, "something new")
	b.shows(t, "code", Unknown)
	if err := b.Type(t.Context(), "code", "mine"); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	// It doesn't accept the text: Enter isn't pressed.
	a.onPress(nil)
	a.draw(t, idleScreen("Done.", "", ""))
	b.shows(t, "code", Idle)
	if err := b.Type(t.Context(), "code", "lost"); !errors.Is(err, ErrUnsure) {
		t.Error(err)
	}
	if keys := strings.TrimPrefix(a.pressed(), before); keys != "lost" {
		t.Errorf("typed %q", keys)
	}
}

// TestTargets: a name must match exactly one pane.
func TestTargets(t *testing.T) {
	b := newBench(t, standInCLI(t))
	act(t, b, "code")
	act(t, b, "code-2")
	ctx := t.Context()
	// A shell in another window isn't a pane of the CLI.
	if _, err := b.tmux.run(ctx, "new-window", "-d", "-t", "=code:", "--", "env", "cat"); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"code", "code:0", "code:0.0", "%0"} {
		if f, err := b.find(ctx, target); err != nil || f.id != "%0" {
			t.Errorf("%s: %v %v", target, f.id, err)
		}
	}
	for _, target := range []string{"cod", "code:1", "code:1.0", "c*", "=code", "", "%9", "-t", "{last}"} {
		if _, err := b.find(ctx, target); !errors.Is(err, ErrNoPane) {
			t.Errorf("%q: %v", target, err)
		}
	}
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(t.TempDir(), "claude")
	if err := os.Symlink(cat, second); err != nil {
		t.Fatal(err)
	}
	if _, err := b.tmux.run(ctx, "split-window", "-d", "-t", "%0", "--", "env", second); err != nil {
		t.Fatal(err)
	}
	until(t, "two panes", func() bool { _, err := b.find(ctx, "code"); return errors.Is(err, ErrAmbiguous) })
	if _, err := b.Kill(ctx, "code:0.0"); err != nil {
		t.Fatal(err)
	}
	if f, err := b.find(ctx, "code"); err != nil || f.id == "%0" {
		t.Errorf("%v %v", f.id, err)
	}
	list, err := b.List(ctx)
	if err != nil || !slices.ContainsFunc(list, func(p Pane) bool { return p.Session == "code-2" }) {
		t.Errorf("%v %v", list, err)
	}
}

func TestWatch(t *testing.T) {
	b := newBench(t, standInCLI(t))
	a := act(t, b, "code")
	ctx := t.Context()
	a.draw(t, workingScreen("Reading", "✻ Reading… (1s)"))
	b.shows(t, "code", Working)
	if _, err := b.Watch(ctx, Watch{Target: "nothing"}); !errors.Is(err, ErrNoPane) {
		t.Error(err)
	}
	pane, err := b.Watch(ctx, Watch{Target: "code", ChannelID: "c", ThreadID: "t"})
	if err != nil || !pane.Watched || pane.Target != "code:0.0" {
		t.Fatalf("%+v %v", pane, err)
	}
	whats := func() []string {
		var list []string
		for _, one := range b.alerts.take() {
			list = append(list, one.What)
			if one.Watch.ThreadID != "t" || one.Watch.ChannelID != "c" {
				t.Errorf("told elsewhere: %+v", one.Watch)
			}
		}
		return list
	}
	poll := func(want ...string) {
		t.Helper()
		b.poll(ctx)
		if diff := cmp.Diff(want, whats()); diff != "" {
			t.Error(diff)
		}
	}
	poll()
	a.draw(t, askScreen("make"))
	b.shows(t, "code", Permission)
	poll("permission")
	poll()
	a.draw(t, idleScreen("Done.", "", "12:00"))
	b.shows(t, "code", Idle)
	poll("idle")
	a.draw(t, idleScreen("Done.", "", "12:01"))
	until(t, "the clock", func() bool { return has(b.shows(t, "code", Idle).Text, "12:01") })
	poll()

	// Another Parley continues with it, and repeats nothing.
	next := New(b.cfg)
	if err := next.Start(ctx); err != nil {
		t.Fatal(err)
	}
	next.Close()
	next.poll(ctx)
	if told := whats(); told != nil {
		t.Errorf("told again: %v", told)
	}
	if diff := cmp.Diff(b.Watched(), next.Watched()); diff != "" {
		t.Error(diff)
	}

	if _, err := b.tmux.run(ctx, "kill-server"); err != nil {
		t.Fatal(err)
	}
	poll("ended")
	poll()
	if len(b.Watched()) != 0 || len(b.store.kept) != 0 {
		t.Errorf("still watched: %v", b.store.kept)
	}
}

func TestUnwatch(t *testing.T) {
	b := newBench(t, standInCLI(t))
	a := act(t, b, "code")
	ctx := t.Context()
	a.draw(t, idleScreen("Done.", "", ""))
	b.shows(t, "code", Idle)
	for range 2 { // a second watch replaces the first
		if _, err := b.Watch(ctx, Watch{Target: "code"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(b.store.kept); n != 1 {
		t.Errorf("%d are kept", n)
	}
	if err := b.Unwatch(ctx, "nothing"); !errors.Is(err, ErrNoPane) {
		t.Error(err)
	}
	if err := b.Unwatch(ctx, "code"); err != nil || len(b.store.kept) != 0 {
		t.Errorf("%v %v", err, b.store.kept)
	}
	if list, err := b.List(ctx); err != nil || len(list) != 1 || list[0].Watched {
		t.Errorf("%+v %v", list, err)
	}
	a.draw(t, askScreen("make"))
	b.shows(t, "code", Permission)
	b.poll(ctx)
	if told := b.alerts.take(); told != nil {
		t.Errorf("told %v", told)
	}
}
