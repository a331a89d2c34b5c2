package autostart_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/fault"
	"parley/backend/need"
	"parley/backend/platform/autostart"
)

func TestPath(t *testing.T) {
	for _, tt := range []struct{ config, want string }{
		{"", "/home/ada/.config/autostart/parley.desktop"},
		{"etc", "/home/ada/.config/autostart/parley.desktop"},
		{"/etc/ada", "/etc/ada/autostart/parley.desktop"},
	} {
		if got := autostart.PathIn("/home/ada", tt.config); got != tt.want {
			t.Errorf("%q: %s", tt.config, got)
		}
	}
}

func TestOnAndOff(t *testing.T) {
	dir := t.TempDir()
	e := autostart.Entry{Path: autostart.PathIn(dir, ""), Command: []string{"/usr/bin/parley", "--hidden"}}
	check := func(what string, on, same bool) {
		t.Helper()
		if gotOn, gotSame := e.On(); gotOn != on || gotSame != same {
			t.Errorf("%s: %v, %v", what, gotOn, gotSame)
		}
	}
	check("at first", false, false)
	for range 2 {
		if err := e.Set(true); err != nil {
			t.Fatal(err)
		}
		check("on", true, true)
	}
	if files, err := os.ReadDir(filepath.Dir(e.Path)); err != nil || len(files) != 1 {
		t.Errorf("there are %v, %v", files, err)
	}
	text, err := os.ReadFile(e.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{{"Terminal=false", "Terminal=false\nHidden=true"}, {"enabled=true", "enabled=false"}} {
		if err := os.WriteFile(e.Path, []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		check(change[1], false, true)
	}
	if err := os.WriteFile(e.Path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	e.Command[0] = "/opt/parley"
	check("another program", true, false)
	for range 2 {
		if err := e.Set(false); err != nil {
			t.Fatal(err)
		}
		check("off", false, false)
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, e := range []autostart.Entry{
		{Path: filepath.Join(file, "autostart/parley.desktop"), Command: []string{"/bin/true"}},
		{Path: filepath.Join(t.TempDir(), "parley.desktop"), Command: []string{"/a\nHidden=true"}},
	} {
		if err := e.Set(true); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%+v: %v", e, err)
		}
	}
}

// A desktop starts the intended program, whatever the folders are called.
func TestADesktopReadsIt(t *testing.T) {
	gio := need.Program(t, "gio", "libglib2.0-bin")
	dir := filepath.Join(t.TempDir(), "a \"b\" 'c' $HOME `d` \\e ~#;&|<>ü")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	program, out := filepath.Join(dir, "parley"), filepath.Join(t.TempDir(), "out")
	script := "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\" > '" + out + ".new' && mv '" + out + ".new' '" + out + "'\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	e := autostart.Entry{Path: autostart.PathIn(t.TempDir(), ""), Command: []string{program, "--hidden", "--data", dir + "100%U"}}
	if err := e.Set(true); err != nil {
		t.Fatal(err)
	}
	// It ends once the program is started; the pipe ends with the program.
	cmd := exec.CommandContext(t.Context(), gio, "launch", e.Path)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(err, string(said))
	}
	got, err := os.ReadFile(out)
	if want := strings.Join([]string{program, "--hidden", "--data", dir + "100%U"}, "\n") + "\n"; err != nil || string(got) != want {
		t.Errorf("started %q, %v; want %q", got, err, want)
	}
}
