package doctor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// made is a year before any Parley existed: an earlier clock is wrong.
const made = 2026

// machineChecks are the checks of the system.
func machineChecks() []check {
	return []check{
		{"disk.room", "On a full disk, nothing can be saved, and nothing is allowed without a log entry.", func(_ context.Context, m *Machine) finding {
			room, err := m.Room(m.existing(m.Dirs.Data))
			switch {
			case err != nil:
				return left("unknown: %v", err)
			case room.Full():
				return found(Wrong, "Free up some space.", "the disk of %s is full", m.Dirs.Data)
			case room.Low():
				return found(Warning, "Free up some space.", "%d MB free on the disk of %s", room.Free>>20, m.Dirs.Data)
			}
			return fine("%d MB free", room.Free>>20)
		}, nil},
		{"disk.data", "Parley must be able to write its data.", func(_ context.Context, m *Machine) finding {
			if err := m.Probe(m.existing(m.Dirs.Data)); err != nil {
				return found(Wrong, "Check the folder's permissions and whether the disk is read-only.", "%v", err)
			}
			return fine("%s is writable", m.Dirs.Data)
		}, nil},
		{"disk.conversations", "If the CLI can't write conversations, answers are lost.", func(_ context.Context, m *Machine) finding {
			if err := m.Probe(m.existing(m.config())); err != nil {
				return found(Wrong, "Check the folder's permissions and whether the disk is read-only.", "%v", err)
			}
			return fine("%s is writable", m.config())
		}, nil},
		{"disk.temp", "Commands and the CLI need a folder for temporary files.", func(_ context.Context, m *Machine) finding {
			dir := m.get("TMPDIR")
			if dir == "" {
				dir = os.TempDir()
			}
			if err := m.Probe(dir); err != nil {
				return found(Wrong, "Create the folder, or set TMPDIR to one that is writable.", "%v", err)
			}
			return fine("%s is writable", dir)
		}, nil},
		least("inotify.watches", "Without file watches, Parley notices changed files late or never.",
			"/proc/sys/fs/inotify/max_user_watches", 8192, "sudo sysctl fs.inotify.max_user_watches=524288"),
		least("inotify.instances", "Each program that watches files needs an instance.",
			"/proc/sys/fs/inotify/max_user_instances", 64, "sudo sysctl fs.inotify.max_user_instances=512"),
		{"system.descriptors", "Each session needs some open files.", func(_ context.Context, m *Machine) finding {
			most, err := m.Descriptors()
			switch {
			case err != nil:
				return left("no limit on this system")
			case most < 1024:
				return found(Warning, "Raise it: ulimit -Hn, or LimitNOFILE= in the unit.", "a process can open only %d files", most)
			}
			return fine("a process can open enough files")
		}, nil},
		{"system.clock", "Heartbeats, rule expiry, and connections need the correct time.", func(_ context.Context, m *Machine) finding {
			now := m.Now()
			if now.Year() < made {
				return found(Wrong, "Set the clock: timedatectl set-ntp true", "the clock shows %s", now.Format("2006-01-02"))
			}
			info, err := m.Stat(m.data("parley.db"))
			if err == nil && info.ModTime().After(now.Add(5*time.Minute)) {
				return found(Warning, "Set the clock: timedatectl set-ntp true", "the data is from %s, which is in the future", info.ModTime().Format("2006-01-02 15:04"))
			}
			return fine("%s", now.Format("2006-01-02 15:04 MST"))
		}, nil},
		{"system.ptrace", "A program that can trace your processes can take over the CLI.", func(_ context.Context, m *Machine) finding {
			scope, err := m.number("/proc/sys/kernel/yama/ptrace_scope")
			switch {
			case err != nil:
				return left("unknown on this system")
			case scope < 1:
				return found(Note, "sudo sysctl kernel.yama.ptrace_scope=1", "your programs can trace each other")
			}
			return fine("kernel.yama.ptrace_scope is %d", scope)
		}, nil},
		{"system.groups", "Control groups keep all processes of a session together.", func(_ context.Context, m *Machine) finding {
			if m.OS != "linux" {
				return left("only Linux has control groups")
			}
			text, err := m.Read("/proc/self/cgroup")
			if err != nil || !strings.Contains("\n"+string(text), "\n0::/") {
				return found(Note, "Use a system with cgroup v2. Until then, Parley identifies processes by their environment, which a program can clear.", "no cgroup v2")
			}
			return fine("version 2")
		}, nil},
		{"system.memory", "Each CLI process needs a few hundred megabytes.", func(_ context.Context, m *Machine) finding {
			text, err := m.Read("/proc/meminfo")
			if err != nil {
				return left("unknown on this system")
			}
			var kilobytes int64
			if _, rest, ok := bytes.Cut(text, []byte("MemAvailable:")); ok {
				_, _ = fmt.Sscan(string(rest), &kilobytes)
			}
			if kilobytes < 512<<10 {
				return found(Warning, "Close programs you don't need. Unused sessions end their process automatically.", "%d MB available", kilobytes>>10)
			}
			return fine("%d MB available", kilobytes>>10)
		}, nil},
		{"system.language", "Locales other than UTF-8 garble some file names.", func(_ context.Context, m *Machine) finding {
			if m.OS == "windows" {
				return left("not relevant here")
			}
			for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
				if value := m.get(name); value != "" {
					if !strings.Contains(strings.ToLower(strings.ReplaceAll(value, "-", "")), "utf8") {
						return found(Note, "export LANG=C.UTF-8", "%s is %s", name, value)
					}
					return fine("%s", value)
				}
			}
			return found(Note, "export LANG=C.UTF-8", "no locale is set")
		}, nil},
		{"system.runtime", "Sockets need a folder that only you can access.", func(_ context.Context, m *Machine) finding {
			dir := m.get("XDG_RUNTIME_DIR")
			if dir == "" {
				return left("not set; Parley creates its own")
			}
			info, err := m.Stat(dir)
			switch {
			case err != nil:
				return found(Warning, "Log in again, or unset XDG_RUNTIME_DIR.", "%v", err)
			case info.Mode().Perm()&0o077 != 0:
				return found(Wrong, "chmod 700 "+dir, "others can access %s", dir)
			}
			return fine("%s", dir)
		}, nil},
		{"service.unit", "Parley's service must start the right program.", func(_ context.Context, m *Machine) finding {
			config := m.get("XDG_CONFIG_HOME")
			if !filepath.IsAbs(config) {
				config = filepath.Join(m.Dirs.Home, ".config")
			}
			return m.starts(filepath.Join(config, "systemd", "user", "parley.service"), `ExecStart="`, "parley service install")
		}, nil},
		{"login.entry", "The login entry must start the right program.", func(_ context.Context, m *Machine) finding {
			config := m.get("XDG_CONFIG_HOME")
			if !filepath.IsAbs(config) {
				config = filepath.Join(m.Dirs.Home, ".config")
			}
			return m.starts(filepath.Join(config, "autostart", "parley.desktop"), `Exec="`, "In Settings, turn starting at login off and on again.")
		}, nil},
	}
}

// least checks the minimum of a system setting.
func least(id, meaning, path string, wanted int64, todo string) check {
	return check{id, meaning, func(_ context.Context, m *Machine) finding {
		has, err := m.number(path)
		switch {
		case err != nil:
			return left("unknown on this system")
		case has < wanted:
			return found(Warning, todo, "%d allowed, %d needed", has, wanted)
		}
		return fine("%d allowed", has)
	}, nil}
}

// existing is a folder, or its nearest existing ancestor.
func (m *Machine) existing(dir string) string {
	for {
		if _, err := m.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// starts checks that the program started by a file exists.
func (m *Machine) starts(file, before, todo string) finding {
	text, err := m.Read(file)
	if err != nil {
		return left("none")
	}
	_, rest, _ := strings.Cut(string(text), before)
	path, _, _ := strings.Cut(rest, `"`)
	if _, err := m.Stat(path); err != nil || path == "" {
		return found(Wrong, todo, "%s starts %q, which is missing", file, path)
	}
	return fine("%s", path)
}
