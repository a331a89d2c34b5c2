package doctor

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/claude"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/platform/disk"
)

// fake is a machine on which everything is fine, until a test breaks it.
type fake struct {
	*Machine
	t        *testing.T
	system   map[string]string // files of /proc
	programs map[string]bool   // on PATH
	bus      []string
	said     []line // the checkup's lines
	repaired int    // the checkup's repairs
}

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func healthy(t *testing.T) *fake {
	t.Helper()
	root := t.TempDir()
	f := &fake{
		t: t, programs: map[string]bool{"git": true, "tmux": true, "node": true, "server": true},
		system: map[string]string{
			"/proc/sys/fs/inotify/max_user_watches":   "524288\n",
			"/proc/sys/fs/inotify/max_user_instances": "512\n",
			"/proc/sys/kernel/yama/ptrace_scope":      "1\n",
			"/proc/self/cgroup":                       "0::/user.slice\n",
			"/proc/meminfo":                           "MemTotal: 9 kB\nMemAvailable:   4000000 kB\n",
		},
		bus: []string{"org.freedesktop.DBus", "org.kde.StatusNotifierWatcher", "org.freedesktop.Notifications", "org.freedesktop.portal.Desktop"},
	}
	for _, c := range dataChecks() {
		what := strings.TrimPrefix(c.id, "data.")
		f.said = append(f.said, line{"ok", whatOf(what), "all is well"})
	}
	dirs := paths.Dirs{Home: filepath.Join(root, "home"), Data: filepath.Join(root, "data"), Cache: filepath.Join(root, "cache")}
	f.Machine = &Machine{
		Dirs: dirs, OS: "linux", Now: func() time.Time { return now },
		Env: []string{
			"HOME=" + dirs.Home, "LANG=C.UTF-8", "WAYLAND_DISPLAY=wayland-0", "ANTHROPIC_API_KEY=made-up", "TMPDIR=" + root,
			"XDG_RUNTIME_DIR=" + filepath.Join(root, "run"), "PARLEY_CLAUDE_BIN=" + filepath.Join(root, "claude"),
			"HTTPS_PROXY=http://proxy:3128", "ANTHROPIC_BASE_URL=https://model/", "NODE_EXTRA_CA_CERTS=" + filepath.Join(root, "certs.pem"),
		},
		Read: func(path string) ([]byte, error) {
			if text, ok := f.system[path]; ok {
				return []byte(text), nil
			}
			if strings.HasPrefix(path, "/proc/") {
				return nil, fs.ErrNotExist
			}
			return os.ReadFile(path)
		},
		Find: func(name string) (string, error) {
			if !f.programs[name] {
				return "", errors.New("not found")
			}
			return "/usr/bin/" + name, nil
		},
		Output:  func(context.Context, string, ...string) (string, error) { return "v22.1.0", nil },
		Version: func(context.Context, string) (string, error) { return "2.1.329", nil },
		Stat: func(path string) (os.FileInfo, error) {
			if path == "/dev/dri" {
				path = root
			}
			return os.Lstat(path)
		},
		Room:        func(string) (disk.Room, error) { return disk.Room{Free: 9 << 30, Total: 10 << 30}, nil },
		Probe:       func(string) error { return nil },
		Descriptors: func() (uint64, error) { return 4096, nil },
		Dial:        func(context.Context, string, string) error { return nil },
		Listen:      func() error { return nil },
		Bus:         func(context.Context) ([]string, error) { return f.bus, nil },
		Keyring:     func(context.Context) error { return nil },
		Busy:        func() bool { return false },
		Checkup: func(repair bool, tell func(level, what, says string)) (bool, error) {
			if repair {
				f.repaired++
				for i := range f.said {
					f.said[i].level = "ok"
				}
			}
			for _, l := range f.said {
				tell(l.level, l.what, l.says)
			}
			return true, nil
		},
	}
	for _, dir := range []string{dirs.Home, dirs.Data, filepath.Join(dirs.Data, "audit"), filepath.Join(dirs.Home, ".claude", "projects"), filepath.Join(root, "run"), dirs.Cache} {
		f.do(os.MkdirAll(dir, 0o700))
	}
	f.write(filepath.Join(root, "claude"), "#!/bin/sh\n")
	f.do(os.Chmod(filepath.Join(root, "claude"), 0o700))
	f.write(filepath.Join(root, "certs.pem"), certificate(t, now.AddDate(1, 0, 0)))
	f.write(f.data("settings.json"), `{"natsUrl":"nats://rooms:4222"}`)
	f.write(f.data("chat.json"), `{"url":"https://chat.example.org"}`)
	f.write(f.data("parley.db"), "the store")
	f.do(os.Chtimes(f.data("parley.db"), now, now))
	f.snapshot(now)
	f.write(f.home(".claude.json"), `{"mcpServers":{"one":{"command":"server"}}}`)
	f.write(f.home(".claude/settings.json"), `{"permissions":{"allow":["Bash(git status)"]}}`)
	f.write(f.home(".config/systemd/user/parley.service"), "ExecStart=\""+filepath.Join(root, "claude")+"\" \"serve\"\n")
	f.write(f.home(".config/autostart/parley.desktop"), "Exec=\""+filepath.Join(root, "claude")+"\"\n")
	return f
}

// whatOf is the checkup's name for a check's subject.
func whatOf(name string) string {
	switch name {
	case "settings", "chat":
		return name + ".json"
	case "heartbeats":
		return "heartbeats.yaml"
	case "stopped":
		return "stopped heartbeats"
	case "aside":
		return "set aside"
	}
	return name
}

func (f *fake) do(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) write(path, text string) {
	f.t.Helper()
	f.do(os.MkdirAll(filepath.Dir(path), 0o700))
	f.do(os.WriteFile(path, []byte(text), 0o600))
}

func (f *fake) home(name string) string { return filepath.Join(f.Dirs.Home, name) }

func (f *fake) set(name, value string) { f.Env = append(f.Env, name+"="+value) }

// snapshot adds a snapshot's manifest.
func (f *fake) snapshot(at time.Time) {
	f.t.Helper()
	f.do(os.RemoveAll(f.data("snapshots")))
	name := at.UTC().Format("20060102-150405.000")
	f.write(f.data("snapshots/"+name+"/manifest.json"), `{"format":1,"name":"`+name+`"}`)
}

func certificate(t *testing.T, until time.Time) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a company"}, NotBefore: now.AddDate(-2, 0, 0), NotAfter: until}
	der, err := x509.CreateCertificate(nil, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

var errNo = errors.New("no")

// spoiled has for each check what makes it fail: the defect, and its description.
func spoiled() map[string]struct {
	state State
	spoil func(*fake)
} {
	type s = struct {
		state State
		spoil func(*fake)
	}
	all := map[string]s{
		"cli.found": {Wrong, func(f *fake) { f.set("PARLEY_CLAUDE_BIN", "/nowhere/claude") }},
		"cli.version": {Wrong, func(f *fake) {
			f.Version = func(context.Context, string) (string, error) { return "", fault.New(fault.CLIUnusable, "old") }
		}},
		"cli.known": {Warning, func(f *fake) {
			f.Version = func(context.Context, string) (string, error) { return "2.1.257", nil }
		}},
		"cli.account":  {Wrong, func(f *fake) { f.set("ANTHROPIC_API_KEY", "") }},
		"cli.settings": {Wrong, func(f *fake) { f.write(f.home(".claude/settings.json"), "{") }},
		"cli.mode": {Warning, func(f *fake) {
			f.write(f.home(".claude/settings.json"), `{"permissions":{"defaultMode":"bypassPermissions"}}`)
		}},
		"rules.wide": {Warning, func(f *fake) { f.write(f.home(".claude/settings.json"), `{"permissions":{"allow":["Bash(*)"]}}`) }},
		"cli.hooks":  {Note, func(f *fake) { f.write(f.home(".claude/settings.json"), `{"hooks":{"Stop":[]}}`) }},
		"cli.nested": {Warning, func(f *fake) { f.set("CLAUDECODE", "1") }},
		"cli.conversations": {Wrong, func(f *fake) {
			f.do(os.Remove(f.home(".claude/projects")))
			f.write(f.home(".claude/projects"), "")
		}},
		"tool.git":  {Note, func(f *fake) { delete(f.programs, "git") }},
		"tool.tmux": {Note, func(f *fake) { delete(f.programs, "tmux") }},
		"tool.node": {Warning, func(f *fake) {
			f.Output = func(context.Context, string, ...string) (string, error) { return "v16.0.0", nil }
		}},

		"network.proxy":        {Wrong, func(f *fake) { f.set("HTTPS_PROXY", "proxy:3128") }},
		"network.model":        {Wrong, func(f *fake) { f.set("ANTHROPIC_BASE_URL", "model") }},
		"network.certificates": {Wrong, func(f *fake) { f.set("SSL_CERT_FILE", "/nowhere.pem") }},
		"network.expired":      {Warning, func(f *fake) { f.write(f.get("NODE_EXTRA_CA_CERTS"), certificate(f.t, now.AddDate(0, 0, -1))) }},
		"network.loopback":     {Wrong, func(f *fake) { f.Listen = func() error { return errNo } }},
		"chat.server":          {Warning, func(f *fake) { f.refuse("chat.example.org:443") }},
		"rooms.server":         {Warning, func(f *fake) { f.refuse("rooms:4222") }},
		"servers.local":        {Warning, func(f *fake) { delete(f.programs, "server") }},

		"disk.room": {Wrong, func(f *fake) {
			f.Room = func(string) (disk.Room, error) { return disk.Room{Free: 9, Total: 10 << 30}, nil }
		}},
		"disk.data":          {Wrong, func(f *fake) { f.unwritable(f.Dirs.Data) }},
		"disk.conversations": {Wrong, func(f *fake) { f.unwritable(f.config()) }},
		"disk.temp":          {Wrong, func(f *fake) { f.unwritable(f.get("TMPDIR")) }},
		"inotify.watches":    {Warning, func(f *fake) { f.system["/proc/sys/fs/inotify/max_user_watches"] = "100\n" }},
		"inotify.instances":  {Warning, func(f *fake) { f.system["/proc/sys/fs/inotify/max_user_instances"] = "2\n" }},
		"system.descriptors": {Warning, func(f *fake) { f.Descriptors = func() (uint64, error) { return 256, nil } }},
		"system.clock":       {Wrong, func(f *fake) { f.Now = func() time.Time { return time.Unix(0, 0) } }},
		"system.ptrace":      {Note, func(f *fake) { f.system["/proc/sys/kernel/yama/ptrace_scope"] = "0\n" }},
		"system.groups":      {Note, func(f *fake) { f.system["/proc/self/cgroup"] = "1:cpu:/\n" }},
		"system.memory":      {Warning, func(f *fake) { f.system["/proc/meminfo"] = "MemAvailable: 1000 kB\n" }},
		"system.language":    {Note, func(f *fake) { f.set("LC_ALL", "C") }},
		"system.runtime":     {Wrong, func(f *fake) { f.do(os.Chmod(f.get("XDG_RUNTIME_DIR"), 0o755)) }},
		"service.unit":       {Wrong, func(f *fake) { f.write(f.home(".config/systemd/user/parley.service"), `ExecStart="/gone"`) }},
		"login.entry":        {Wrong, func(f *fake) { f.write(f.home(".config/autostart/parley.desktop"), `Exec="/gone"`) }},

		"desktop.screen":  {Note, func(f *fake) { f.set("WAYLAND_DISPLAY", "") }},
		"desktop.keys":    {Note, func(f *fake) { f.set("WAYLAND_DISPLAY", ""); f.set("DISPLAY", ":0") }},
		"desktop.bus":     {Note, func(f *fake) { f.Bus = func(context.Context) ([]string, error) { return nil, errNo } }},
		"desktop.icon":    {Note, func(f *fake) { f.without("org.kde.StatusNotifierWatcher") }},
		"desktop.notices": {Note, func(f *fake) { f.without("org.freedesktop.Notifications") }},
		"desktop.portal":  {Note, func(f *fake) { f.without("org.freedesktop.portal.Desktop") }},
		"desktop.keyring": {Note, func(f *fake) { f.Keyring = func(context.Context) error { return errNo } }},
		"desktop.gpu": {Note, func(f *fake) {
			stat := f.Stat
			f.Stat = func(path string) (os.FileInfo, error) {
				if path == "/dev/dri" {
					return nil, fs.ErrNotExist
				}
				return stat(path)
			}
		}},
		"desktop.nvidia": {Warning, func(f *fake) {
			f.system["/proc/driver/nvidia/version"] = "NVRM version: 550\n"
			f.set("WEBKIT_DISABLE_DMABUF_RENDERER", "0")
		}},

		"files.folder":    {Wrong, func(f *fake) { f.do(os.Chmod(f.Dirs.Data, 0o755)) }},
		"files.modes":     {Wrong, func(f *fake) { f.do(os.Chmod(f.data("settings.json"), 0o644)) }},
		"files.audit":     {Wrong, func(f *fake) { f.do(os.Chmod(f.data("audit"), 0o777)) }},
		"files.format":    {Wrong, func(f *fake) { f.write(f.data(paths.FormatFile), `{"format":99}`) }},
		"files.announced": {Warning, func(f *fake) { f.write(f.data("gateway.json"), "{}") }},
		"files.snapshots": {Warning, func(f *fake) { f.snapshot(now.AddDate(0, 0, -5)) }},
		"files.cache":     {Warning, func(f *fake) { f.unwritable(f.Dirs.Cache) }},
	}
	for _, c := range dataChecks() {
		what := whatOf(strings.TrimPrefix(c.id, "data."))
		all[c.id] = s{Wrong, func(f *fake) {
			for i := range f.said {
				if f.said[i].what == what {
					f.said[i].level = "WRONG"
				}
			}
		}}
	}
	return all
}

// refuse makes an address unreachable.
func (f *fake) refuse(at string) {
	f.Dial = func(_ context.Context, _, address string) error {
		if address == at {
			return errNo
		}
		return nil
	}
}

func (f *fake) unwritable(at string) {
	f.Probe = func(dir string) error {
		if dir == at {
			return errNo
		}
		return nil
	}
}

func (f *fake) without(name string) {
	f.bus = slices.DeleteFunc(f.bus, func(n string) bool { return n == name })
}

// If everything is fine, every check passes; each check has a defect that makes it fail, and only
// it.
func TestChecks(t *testing.T) {
	well := healthy(t)
	results := Run(t.Context(), well.Machine, false)
	if len(results) < 40 {
		t.Errorf("there are %d checks", len(results))
	}
	seen := map[string]bool{}
	for _, r := range results {
		if r.State != OK {
			t.Errorf("on a machine on which all is well, %s is %s: %s", r.ID, r.State, r.Says)
		}
		if seen[r.ID] || r.Meaning == "" || r.Says == "" {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
	if !Well(results) {
		t.Error("all is well, and it is not")
	}
	for id, s := range spoiled() {
		if !seen[id] {
			t.Errorf("there is no check %s", id)
		}
		t.Run(id, func(t *testing.T) {
			f := healthy(t)
			s.spoil(f)
			for _, r := range Run(t.Context(), f.Machine, false) {
				switch {
				case r.ID == id && (r.State != s.state || r.Todo == "" || r.Repaired):
					t.Errorf("spoiled: %+v", r)
				case r.ID != id && (r.State == Wrong || r.State == Warning):
					t.Errorf("%s fails, too: %+v", r.ID, r)
				}
			}
		})
		delete(seen, id)
	}
	for id := range seen {
		t.Errorf("nothing makes %s fail", id)
	}
}

// Repairable defects are fixed afterwards, and nothing else was touched.
func TestRepairs(t *testing.T) {
	repairable := []string{"files.folder", "files.modes", "files.audit", "files.announced", "data.attachments", "data.index", "data.leftovers"}
	for _, c := range checks() {
		if (c.repair != nil) != slices.Contains(repairable, c.id) {
			t.Errorf("%s: a repair %v", c.id, c.repair != nil)
		}
	}
	for _, id := range repairable {
		t.Run(id, func(t *testing.T) {
			f := healthy(t)
			spoiled()[id].spoil(f)
			before := find(Run(t.Context(), f.Machine, false), id)
			f.forget()
			after := find(Run(t.Context(), f.Machine, true), id)
			if !before.Repairable || before.Repaired || after.State != OK || !after.Repaired {
				t.Errorf("%+v\n%+v", before, after)
			}
		})
	}
	t.Run("while a Parley runs", func(t *testing.T) {
		f := healthy(t)
		f.write(f.data("gateway.json"), "{}")
		f.Busy = func() bool { return true }
		f.Checkup = func(repair bool, tell func(level, what, says string)) (bool, error) {
			if repair {
				return false, fault.New(fault.Conflict, "Another Parley is using it.")
			}
			tell("note", "leftovers", "3 files")
			return true, nil
		}
		results := Run(t.Context(), f.Machine, true)
		if r := find(results, "files.announced"); r.State != Note || r.Repaired {
			t.Errorf("%+v", r)
		}
		if r := find(results, "data.leftovers"); r.State != Note || r.Repaired || !strings.Contains(r.Todo, "Another Parley is using it.") {
			t.Errorf("%+v", r)
		}
		if _, err := os.Stat(f.data("gateway.json")); err != nil {
			t.Error(err)
		}
	})
	t.Run("only what is named", func(t *testing.T) {
		f := healthy(t)
		for _, id := range []string{"files.modes", "files.audit", "data.leftovers"} {
			spoiled()[id].spoil(f)
		}
		f.Running = true
		results := Fix(t.Context(), f.Machine, []string{"files.modes", "data.leftovers"})
		if r := find(results, "files.modes"); r.State != OK || !r.Repaired {
			t.Errorf("%+v", r)
		}
		if r := find(results, "files.audit"); r.State != Wrong || !r.Repairable {
			t.Errorf("not named: %+v", r)
		}
		if r := find(results, "data.leftovers"); r.State != Wrong || r.Repairable || f.repaired > 0 {
			t.Errorf("it wants the folder for itself: %+v, %d repairs", r, f.repaired)
		}
	})
	t.Run("no time", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, r := range Run(ctx, healthy(t).Machine, true) {
			if r.State != Skipped || r.Repaired {
				t.Errorf("%+v", r)
			}
		}
	})
	t.Run("nothing to do", func(t *testing.T) {
		f := healthy(t)
		if Run(t.Context(), f.Machine, true); f.repaired != 0 {
			t.Errorf("%d repairs", f.repaired)
		}
	})
}

func find(results []CheckResult, id string) CheckResult {
	for _, r := range results {
		if r.ID == id {
			return r
		}
	}
	return CheckResult{}
}

// On an empty machine, nothing is broken, and nothing is left behind.
func TestFirstStart(t *testing.T) {
	root := t.TempDir()
	m := Here(paths.Dirs{Home: root, Data: filepath.Join(root, "data")}, []string{"HOME=" + root, "PARLEY_CLAUDE_BIN=/nowhere", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere"})
	for _, r := range Run(t.Context(), m, true) {
		if strings.HasPrefix(r.ID, "files.") || strings.HasPrefix(r.ID, "data.") {
			if r.State == Wrong || r.State == Warning {
				t.Errorf("%+v", r)
			}
		}
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		version, os string
		want        int
	}{
		{"2.1.254", "darwin", 1}, {"2.1.255", "darwin", 2}, {"2.1.257", "linux", 1},
		{"2.1.258", "darwin", 0}, {"2.1.329", "linux", 0}, {"2.2.0", "linux", 0},
	} {
		got := 0
		for _, b := range mistakes {
			if b.in(test.version, test.os) {
				got++
			}
		}
		if got != test.want {
			t.Errorf("%s on %s has %d, want %d", test.version, test.os, got, test.want)
		}
	}
	for _, b := range mistakes {
		if !claude.Older(claude.MinVersion, b.mended) {
			t.Errorf("no CLI that is accepted has it: %+v", b)
		}
	}
}
