package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/app/checkup"
	"parley/app/feature"
	"parley/app/snapshots"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/snapshot"
	"parley/backend/store"
	"parley/backend/store/schema"
)

// rich is a data folder with every kind of file, created by a start or by users.
func rich(t *testing.T) (l *life, session string) {
	t.Helper()
	l, session = lived(t)
	l.during(func(a *App) {
		ask[json.RawMessage](t.Context(), t, a, "memory.save", map[string]any{"text": "Tea is good."})
		ask[json.RawMessage](t.Context(), t, a, "room.create", map[string]any{"name": "lobby"})
		ask[json.RawMessage](t.Context(), t, a, "heartbeat.save", map[string]any{"spec": map[string]any{
			"name": "beat", "prompt": "look", "schedule": map[string]any{"every": "1h"}, "folder": l.cfg.Dirs.Home, "enabled": true,
		}})
		chat := ask[struct {
			Config   json.RawMessage
			Revision string
		}](t.Context(), t, a, "mattermost.get", feature.Empty{})
		ask[json.RawMessage](t.Context(), t, a, "mattermost.set", map[string]any{"config": chat.Config, "revision": chat.Revision})
		_, err := a.store.Blobs.Put([]byte("an image"))
		done(t, err)
		if taken := ask[snapshots.SnapshotTaken](t.Context(), t, a, "snapshot.take", feature.Empty{}); !taken.Made {
			t.Error("no snapshot")
		}
	})
	return l, session
}

// tree is every file of the data folder, except those of the lock.
func (l *life) tree() map[string]string {
	l.t.Helper()
	files := map[string]string{}
	done(l.t, filepath.WalkDir(l.cfg.Dirs.Data, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, l.cfg.Dirs.Data+"/")
		switch {
		case err != nil || d.IsDir():
			return err
		case strings.HasPrefix(name, "parley.lock"):
			return nil
		}
		text, err := os.ReadFile(path)
		sum := sha256.Sum256(text)
		files[name] = hex.EncodeToString(sum[:])
		return err
	}))
	return files
}

// newerLayout sets a store's layout version to one more than this program knows.
func newerLayout(t *testing.T, path string, layout int) {
	t.Helper()
	migrations := make([]store.Migration, layout+1)
	for i := range migrations {
		migrations[i] = store.Migration{Name: fmt.Sprint(i), Run: func(*store.Migrator) error { return nil }}
	}
	db, err := store.Open(path, store.Config{Migrations: migrations, Logger: slog.New(slog.DiscardHandler)})
	done(t, err)
	done(t, db.Close())
}

// Kinds of files in the data folder.
const (
	ownNumber  = "it has a number of its own"
	byFolder   = "format.json speaks for it"
	throwaway  = "it can be made again, or tells of processes that run"
	newerWords = "A newer Parley wrote "
)

// dataFiles are Parley's files in its data folder, and how the format version of each is
// determined.
func dataFiles() map[string]string {
	return map[string]string{
		snapshot.StoreFile: ownNumber, paths.RoomsFile: ownNumber, paths.RoomsNATSFile: ownNumber, snapshot.Folder: ownNumber,
		"restore.json": ownNumber, "restored.json": ownNumber, paths.FormatFile: ownNumber,

		paths.SettingsFile: byFolder, paths.HeartbeatsFile: byFolder, paths.ChatFile: byFolder, paths.MemoryFolder: byFolder,
		paths.TerminalsFile: byFolder, paths.StyleFile: byFolder, "audit": byFolder, "attachments": byFolder, "files": byFolder, "undo": byFolder,

		"search": throwaway, "heartbeats.schema.json": throwaway, ".heartbeats.yaml.lock": throwaway, "groups": throwaway, "owners.json": throwaway, "gateway.json": throwaway,
		"parley.lock": throwaway, "parley.pid": throwaway, "rehearsal": throwaway, paths.RelayFolder: throwaway, "models.json": throwaway, "window.json": throwaway,
	}
}

// Data of a newer Parley is refused with a sentence that says what to do, and is never changed:
// neither by a start nor by a restore or repair.
func TestNewerData(t *testing.T) {
	t.Parallel()
	l, _ := rich(t)
	entries, err := os.ReadDir(l.cfg.Dirs.Data)
	done(t, err)
	for _, e := range entries {
		if dataFiles()[e.Name()] == "" {
			t.Errorf("nothing is said about what a newer %s means", e.Name())
		}
	}
	refused := func(t *testing.T, l *life, names ...string) {
		t.Helper()
		before := l.tree()
		a, err := New(l.cfg)
		if err == nil {
			t.Fatal("it starts", a.Close())
		}
		if said := fault.MessageOf(err); fault.CodeOf(err) != fault.Conflict || !strings.Contains(said, newerWords) || !strings.Contains(said, "Update this one") || !strings.Contains(said, "Nothing was changed.") {
			t.Errorf("refused with %v", err)
		}
		after := l.tree()
		if len(names) == 0 {
			names = slices.Collect(maps.Keys(before))
		}
		for _, name := range names {
			if before[name] != after[name] {
				t.Errorf("%s was changed", name)
			}
		}
		if lines, ok := l.check(false); ok || !slices.ContainsFunc(lines, func(s string) bool { return strings.HasPrefix(s, "WRONG") && strings.Contains(s, "newer Parley") }) {
			t.Errorf("check says:\n%s", strings.Join(lines, "\n"))
		}
	}
	for name, layout := range map[string]int{snapshot.StoreFile: schema.Layout(), paths.RoomsFile: 0, paths.RoomsNATSFile: 0} {
		t.Run(name, func(t *testing.T) {
			l, session := rich(t)
			if name == paths.RoomsNATSFile {
				text, err := os.ReadFile(l.path(paths.RoomsFile))
				done(t, err)
				done(t, os.WriteFile(l.path(name), text, 0o600))
				l.during(func(a *App) {
					ask[json.RawMessage](t.Context(), t, a, "settings.set", map[string]any{"natsUrl": "nats://127.0.0.1:1"})
				})
			}
			whole, err := os.ReadFile(l.path(name))
			done(t, err)
			newerLayout(t, l.path(name), layout)
			refused(t, l, name)
			refused(t, l, name)
			done(t, os.WriteFile(l.path(name), whole, 0o600))
			l.during(func(a *App) {
				if got := stateOf(t, a, session); got.doubt != "" || !got.session || got.allows != 1 {
					t.Errorf("afterwards: %+v", got)
				}
			})
		})
	}
	t.Run("restore.json", func(t *testing.T) {
		l, _ := rich(t)
		for _, name := range []string{"restore.json", "restored.json"} {
			done(t, os.WriteFile(l.path(name), []byte(`{"format":99,"more":true}`), 0o600))
			refused(t, l)
			done(t, os.Remove(l.path(name)))
		}
	})
	t.Run("a snapshot", func(t *testing.T) {
		l, _ := rich(t)
		list, err := snapshot.List(l.cfg.Dirs.Data)
		done(t, err)
		path := l.path(filepath.Join(snapshot.Folder, list[0].Name, "manifest.json"))
		text, err := os.ReadFile(path)
		done(t, err)
		newer := bytes.Replace(text, []byte(`"format": 2`), []byte(`"format": 99`), 1)
		if bytes.Equal(text, newer) {
			t.Fatalf("%s", text)
		}
		done(t, os.WriteFile(path, newer, 0o600))
		before := l.tree()
		l.during(func(a *App) {
			ask[json.RawMessage](t.Context(), t, a, "memory.save", map[string]any{"text": "Coffee, too."})
			ask[snapshots.SnapshotTaken](t.Context(), t, a, "snapshot.take", feature.Empty{})
			raw, err := json.Marshal(map[string]any{"name": list[0].Name})
			done(t, err)
			if _, err := a.Methods().Call(t.Context(), "snapshot.restore", raw); err == nil || !strings.Contains(fault.MessageOf(err), "newer Parley") {
				t.Errorf("restored: %v", err)
			}
		})
		after := l.tree()
		for name := range before {
			if strings.HasPrefix(name, snapshot.Folder+"/"+list[0].Name) && before[name] != after[name] {
				t.Errorf("%s was changed", name)
			}
		}
	})
	for name, how := range dataFiles() {
		if how != byFolder {
			continue
		}
		t.Run(name, func(t *testing.T) {
			l, _ := rich(t)
			path := l.path(name)
			if info, err := os.Stat(path); err == nil && info.IsDir() || !strings.Contains(name, ".") {
				path = filepath.Join(path, "from tomorrow")
			}
			done(t, os.MkdirAll(filepath.Dir(path), 0o700))
			done(t, os.WriteFile(path, []byte("%tomorrow\x00{"), 0o600))
			done(t, os.WriteFile(l.path(paths.FormatFile), []byte(`{"format":2}`), 0o600))
			refused(t, l)
			before := l.tree()
			if _, err := checkup.Check(l.cfg.Dirs, l.cfg.Env, true, func(string, string, string) {}); fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), newerWords) {
				t.Errorf("repaired: %v", err)
			}
			if !maps.Equal(before, l.tree()) {
				t.Error("a repair changed something")
			}
		})
	}
}
