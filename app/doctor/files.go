package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"parley/backend/paths"
	"parley/backend/snapshot"
)

// private are the files that only the user may read.
func private() []string {
	return []string{"parley.db", "settings.json", "heartbeats.yaml", "chat.json", "gateway.json", "rooms.db", "rooms-nats.db", "terminals.json"}
}

// fileChecks are the checks of the data folder.
func fileChecks() []check {
	return []check{
		{"files.folder", "Only you should have access to Parley's data.", func(_ context.Context, m *Machine) finding {
			info, err := m.Stat(m.Dirs.Data)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return left("no data yet")
			case err != nil:
				return found(Wrong, "Check the permissions of the folder above.", "%v", err)
			case !info.IsDir():
				return found(Wrong, "Move it elsewhere, or choose another folder with --data.", "%s isn't a folder", m.Dirs.Data)
			case m.OS != "windows" && info.Mode().Perm()&0o077 != 0:
				return found(Wrong, "chmod 700 "+m.Dirs.Data, "others can access %s", m.Dirs.Data)
			}
			return fine("%s", m.Dirs.Data)
		}, func(_ context.Context, m *Machine) error {
			info, err := m.Stat(m.Dirs.Data)
			if err != nil || !info.IsDir() {
				return errors.New("it is not a folder")
			}
			return os.Chmod(m.Dirs.Data, 0o700) //nolint:gosec // a folder
		}},
		{"files.modes", "Only you should be able to read these files.", func(_ context.Context, m *Machine) finding {
			if open := m.open(); len(open) > 0 {
				return found(Wrong, "chmod 600 "+open[0], "others can read or write %s", open[0])
			}
			return fine("no one else can read them")
		}, func(_ context.Context, m *Machine) error {
			var failed error
			for _, path := range m.open() {
				failed = errors.Join(failed, os.Chmod(path, 0o600))
			}
			return failed
		}},
		{"files.audit", "Only Parley should write the permission log.", func(_ context.Context, m *Machine) finding {
			info, err := m.Stat(m.data("audit"))
			switch {
			case err != nil:
				return left("none yet")
			case m.OS != "windows" && info.Mode().Perm()&0o022 != 0:
				return found(Wrong, "chmod 700 "+m.data("audit"), "others can write to it")
			}
			return fine("others can't write to it")
		}, func(_ context.Context, m *Machine) error { return os.Chmod(m.data("audit"), 0o700) }}, //nolint:gosec // a folder
		{"files.format", "Parley can't read data from a newer version.", func(_ context.Context, m *Machine) finding {
			if _, err := (paths.Dirs{Data: m.Dirs.Data}).Known(); err != nil {
				return found(Wrong, "Update this Parley.", "%s", sentence(err))
			}
			return fine("the format is supported")
		}, nil},
		{"files.announced", "A stale address file breaks parley call.", func(_ context.Context, m *Machine) finding {
			_, err := m.Stat(m.data("gateway.json"))
			switch {
			case err != nil:
				return fine("no address file")
			case m.Busy():
				return found(Note, "Start parley serve without --announce, unless you use parley call.", "the address and token are in a file that Claude's commands can read")
			}
			return found(Warning, "Remove "+m.data("gateway.json"), "there is an address file, but Parley isn't running")
		}, func(_ context.Context, m *Machine) error {
			if m.Busy() {
				return errors.New("the Parley that wrote it is running")
			}
			return os.Remove(m.data("gateway.json"))
		}},
		{"files.snapshots", "You can restore lost data from snapshots.", func(_ context.Context, m *Machine) finding {
			info, err := m.Stat(m.data(snapshot.StoreFile))
			if err != nil {
				return left("nothing to copy yet")
			}
			list, err := snapshot.List(m.Dirs.Data)
			if err != nil {
				return found(Wrong, "Check the folder snapshots in the data folder.", "%v", err)
			}
			list = slices.DeleteFunc(list, func(s snapshot.Listed) bool { return s.Problem != nil })
			switch {
			case len(list) == 0:
				return found(Note, "Parley takes the first one within an hour of use.", "none yet")
			}
			if behind := info.ModTime().UnixMilli() - list[0].At; behind > 48*3600*1000 {
				return found(Warning, "See Settings › Files for the reason.", "the newest is %d days older than the data", behind/(24*3600*1000))
			}
			return fine("%d, the latest is recent", len(list))
		}, nil},
		{"files.cache", "The cache holds what Parley can recreate.", func(_ context.Context, m *Machine) finding {
			if m.Dirs.Cache == "" {
				return left("none")
			}
			if err := m.Probe(m.existing(m.Dirs.Cache)); err != nil {
				return found(Warning, "Check the permissions of "+m.Dirs.Cache, "%v", err)
			}
			return fine("%s", m.Dirs.Cache)
		}, nil},
	}
}

// open are the files that others can read or write.
func (m *Machine) open() []string {
	if m.OS == "windows" {
		return nil
	}
	var open []string
	for _, name := range private() {
		path := filepath.Join(m.Dirs.Data, name)
		if info, err := m.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			open = append(open, path)
		}
	}
	return open
}
