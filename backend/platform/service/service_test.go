package service_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/backend/fault"
	"parley/backend/platform/service"
)

var update = flag.Bool("update", false, "write the golden files")

func TestTexts(t *testing.T) {
	odd := []string{"/opt/a b/parley", "serve", "--data", `/home/ada/100%/"x" $HOME\`}
	for name, text := range map[string]string{
		"parley.service": service.Unit(odd),
		"parley.plist":   service.Agent([]string{"/opt/a b/parley", "serve", "--data", "<&>"}, "/Users/ada/Library/Logs/Parley.log"),
		"parley.xml":     service.Task([]string{`C:\Program Files\Parley\parley.exe`, "serve", "--data", `D:\my "data"\`}, `DESK\ada`),
	} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if text != string(want) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// systemd itself accepts the unit, if available here.
func TestUnitVerified(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze")
	}
	path := filepath.Join(t.TempDir(), "parley.service")
	if err := os.WriteFile(path, []byte(service.Unit([]string{"/bin/true", "a b", "100%"})), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), analyze, "verify", "--user", path).CombinedOutput()
	for line := range strings.Lines(string(said)) {
		// This systemd ignores newer directives.
		if strings.Contains(line, path) && !strings.Contains(line, "RestartSteps") && !strings.Contains(line, "RestartMaxDelaySec") {
			t.Errorf("%v: %s", err, line)
		}
	}
}

func TestPathIn(t *testing.T) {
	for config, want := range map[string]string{
		"":       "/home/ada/.config/systemd/user/parley.service",
		"config": "/home/ada/.config/systemd/user/parley.service",
		"/etc/a": "/etc/a/systemd/user/parley.service",
	} {
		if got := service.PathIn("/home/ada", config); got != want {
			t.Errorf("%q: %s", config, got)
		}
	}
}

// system is a systemd that records its calls.
type system struct {
	asked []string
	says  string
	fails string
}

func (s *system) run(_ context.Context, name string, args ...string) (string, error) {
	line := strings.Join(append([]string{name}, args...), " ")
	s.asked = append(s.asked, line)
	if s.fails != "" && strings.Contains(line, s.fails) {
		return "Failed to connect to bus", errors.New("exit status 1")
	}
	return s.says, nil
}

func TestManager(t *testing.T) {
	s := &system{}
	m := service.Manager{Path: service.PathIn(t.TempDir(), ""), Run: s.run}
	if got, err := m.Status(t.Context()); err != nil || got.Installed || len(s.asked) != 0 {
		t.Errorf("before: %+v, %v, %q", got, err, s.asked)
	}
	if err := m.Uninstall(t.Context()); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("uninstall before: %v", err)
	}
	for range 2 { // it may be repeated
		s.asked = nil
		if err := m.Install(t.Context(), []string{"/usr/bin/parley", "serve"}); err != nil {
			t.Fatal(err)
		}
		if want := []string{"systemctl --user daemon-reload", "systemctl --user enable parley.service", "systemctl --user restart parley.service"}; !slices.Equal(s.asked, want) {
			t.Errorf("install asked %q", s.asked)
		}
	}
	if text, err := os.ReadFile(m.Path); err != nil || string(text) != service.Unit([]string{"/usr/bin/parley", "serve"}) {
		t.Errorf("%v:\n%s", err, text)
	}
	s.says = "ActiveState=active\nSubState=running\nStatusText=2 sessions\nMainPID=42\nNRestarts=3\nResult=watchdog\nUnitFileState=enabled\n"
	got, err := m.Status(t.Context())
	if want := (service.Status{Installed: true, Enabled: true, State: "active (running)", Says: "2 sessions", PID: 42, Restarts: 3, Result: "watchdog"}); err != nil || got != want {
		t.Errorf("status: %+v, %v", got, err)
	}
	s.asked = nil
	if err := m.Uninstall(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"systemctl --user disable --now parley.service", "systemctl --user daemon-reload"}; !slices.Equal(s.asked, want) {
		t.Errorf("uninstall asked %q", s.asked)
	}
	if _, err := os.Lstat(m.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the unit is still there: %v", err)
	}
}

func TestManagerRefuses(t *testing.T) {
	t.Run("another's unit", func(t *testing.T) {
		s := &system{}
		m := service.Manager{Path: filepath.Join(t.TempDir(), "parley.service"), Run: s.run}
		if err := os.WriteFile(m.Path, []byte("[Service]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := m.Install(t.Context(), []string{"parley"}); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("install: %v", err)
		}
		if err := m.Uninstall(t.Context()); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("uninstall: %v", err)
		}
		if text, _ := os.ReadFile(m.Path); string(text) != "[Service]\n" || len(s.asked) != 0 {
			t.Errorf("it was touched: %q, %q", text, s.asked)
		}
	})
	t.Run("no systemd", func(t *testing.T) {
		s := &system{fails: "daemon-reload"}
		m := service.Manager{Path: filepath.Join(t.TempDir(), "parley.service"), Run: s.run}
		err := m.Install(t.Context(), []string{"parley"})
		if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "Failed to connect to bus") {
			t.Errorf("%v", err)
		}
	})
}
