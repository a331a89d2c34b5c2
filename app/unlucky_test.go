//go:build linux

package app

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/app/feature"
	"parley/app/settings"
	"parley/app/snapshots"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/snapshot"
)

// someday is a data folder as it was yesterday, with that of another Parley, and as it is today:
// today less is allowed than yesterday.
type someday struct {
	*life
	session                  string
	yesterday, others, today string
}

func newSomeday(t *testing.T) *someday {
	t.Helper()
	l, session := rich(t)
	other, _ := rich(t)
	s := &someday{life: l, session: session, others: other.cfg.Dirs.Data, yesterday: filepath.Join(t.TempDir(), "yesterday"), today: filepath.Join(t.TempDir(), "today")}
	s.copy(l.cfg.Dirs.Data, s.yesterday)
	l.during(func(a *App) {
		ctx := t.Context()
		ask[settings.Settings](ctx, t, a, "settings.set", map[string]any{"budgetDayUSD": 3, "permissionMode": ""})
		ask[json.RawMessage](ctx, t, a, "rule.add", map[string]any{"effect": "deny", "text": "Bash(dd:*)", "scope": "global"})
		ask[json.RawMessage](ctx, t, a, "heartbeat.delete", map[string]any{"name": "beat"})
		ask[json.RawMessage](ctx, t, a, "memory.save", map[string]any{"text": "Coffee is better."})
		ask[json.RawMessage](ctx, t, a, "room.create", map[string]any{"name": "attic"})
		ask[snapshots.SnapshotTaken](ctx, t, a, "snapshot.take", feature.Empty{})
	})
	s.copy(l.cfg.Dirs.Data, s.today)
	return s
}

func (s *someday) copy(from, to string) {
	s.t.Helper()
	done(s.t, os.RemoveAll(to))
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
}

// count is the length of a list in a method's result.
func count(t *testing.T, a *App, method, field string) int {
	t.Helper()
	var list []json.RawMessage
	done(t, json.Unmarshal(ask[map[string]json.RawMessage](t.Context(), t, a, method, feature.Empty{})[field], &list))
	return len(list)
}

// asNobody runs this test as an unprivileged user.
func asNobody(t *testing.T) {
	const nobody = 65534
	dir, err := os.MkdirTemp("/tmp", "ply-nobody-") //nolint:usetesting // TempDir is below a folder that other users may not enter
	done(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program, err := os.ReadFile("/proc/self/exe")
	done(t, err)
	done(t, os.WriteFile(filepath.Join(dir, "test"), program, 0o755)) //nolint:gosec // another user runs it
	done(t, os.Chown(dir, nobody, nobody))
	cmd := exec.Command(filepath.Join(dir, "test"), "-test.run", "^TestUnlucky$") //nolint:gosec // this test
	cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "TMPDIR=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// Whichever file is yesterday's, or another Parley's, or inaccessible, Parley starts or says which
// file prevents that. What was allowed only yesterday, or only there, does not apply; and unusable
// files are reported, and stay where they are.
func TestUnlucky(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 { // who can access everything
		asNobody(t)
		return
	}
	s := newSomeday(t)
	reachable := func(path string) {
		if out, err := exec.Command("chmod", "-R", "u+rwX", path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	t.Cleanup(func() { reachable(s.cfg.Dirs.Data) })
	from := func(folder string) func(file, path string) error {
		return func(file, path string) error {
			s.copy(filepath.Join(folder, file), path)
			return nil
		}
	}
	for what, do := range map[string]func(file, path string) error{
		"as yesterday": from(s.yesterday),
		"another's":    from(s.others),
		"unreadable":   func(_, path string) error { return os.Chmod(path, 0) },
		"read-only":    func(_, path string) error { return exec.Command("chmod", "-R", "a-w", path).Run() },
	} {
		out := what == "unreadable" || what == "read-only"
		for _, file := range []string{
			snapshot.StoreFile, paths.RoomsFile, paths.SettingsFile, paths.HeartbeatsFile, paths.ChatFile, paths.FormatFile,
			"audit/000000000001.jsonl", "audit/head.json", "audit", "memory/" + time.Now().Format(time.DateOnly) + ".md", "attachments", snapshot.Folder, "parley.lock",
		} {
			t.Run(file+" "+what, func(t *testing.T) {
				reachable(s.cfg.Dirs.Data)
				s.copy(s.today, s.cfg.Dirs.Data)
				path := s.path(file)
				done(t, do(file, path))
				_, checked := s.check(false)
				a, err := New(s.cfg)
				if err != nil {
					if !out || !strings.Contains(fault.MessageOf(err), path) || checked && file != "parley.lock" {
						t.Errorf("refused with %v; check says that all is well: %v", err, checked)
					}
					return
				}
				done(t, a.Start(t.Context()))
				got := stateOf(t, a, s.session)
				mode := ask[settings.Settings](t.Context(), t, a, "settings.get", feature.Empty{}).PermissionMode
				if beats := count(t, a, "heartbeat.list", "heartbeats"); beats != 0 || mode != "" || got.budget != 3 || got.doubt != "" && got.allows > 0 {
					t.Errorf("%d heartbeats, mode %q, %+v", beats, mode, got)
				}
				if got.denies != 2 && (got.doubt == "" || what != "another's") || got.doubt != "" && len(got.problems) == 0 {
					t.Errorf("it is lost, or not said: %+v", got)
				}
				done(t, a.Close())
			})
		}
	}
}
