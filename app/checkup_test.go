package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app/checkup"
	"parley/app/feature"
	"parley/app/snapshots"
	"parley/backend/fault"
	"parley/backend/kept"
	"parley/backend/snapshot"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

// check returns the lines that a check of a data folder reports.
func (l *life) check(repair bool) (lines []string, ok bool) {
	l.t.Helper()
	ok, err := checkup.Check(l.cfg.Dirs, l.cfg.Env, repair, func(level, what, says string) {
		lines = append(lines, fmt.Sprintf("%s %s: %s", level, what, says))
	})
	done(l.t, err)
	return lines, ok
}

func TestCheck(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	whole := func(t *testing.T) (*life, model.Attachment) {
		l, session := lived(t)
		var a model.Attachment
		l.during(func(app *App) {
			blob, err := app.store.Blobs.Put([]byte("an image"))
			done(t, err)
			a = model.Attachment{Blob: blob}
			done(t, app.store.DB.Drafts.Put(session, model.Draft{SessionID: session, Text: "half", Attachments: []model.Attachment{a}}))
			ask[json.RawMessage](t.Context(), t, app, "memory.save", map[string]any{"text": "Tea is good."})
			ask[snapshots.SnapshotTaken](t.Context(), t, app, "snapshot.take", feature.Empty{})
		})
		return l, a
	}
	l, a := whole(t)
	lines, ok := l.check(false)
	if !ok || slices.ContainsFunc(lines, func(s string) bool { return strings.HasPrefix(s, "WRONG") }) {
		t.Errorf("a sound folder: %v\n%s", ok, strings.Join(lines, "\n"))
	}
	for _, what := range []string{"ok store", "ok audit", "ok settings.json", "ok attachments: 1 ", "ok memory", "ok snapshots: 1 ", "ok index"} {
		if !slices.ContainsFunc(lines, func(s string) bool { return strings.HasPrefix(s, what) }) {
			t.Errorf("nothing is said of %q:\n%s", what, strings.Join(lines, "\n"))
		}
	}
	write := func(name, text string) func(*life, model.Attachment) error {
		return func(l *life, _ model.Attachment) error { return os.WriteFile(l.path(name), []byte(text), 0o600) }
	}
	for name, c := range map[string]struct {
		spoil func(*life, model.Attachment) error
		want  string
	}{
		"store emptied":     {write("parley.db", ""), "WRONG store"},
		"store removed":     {func(l *life, _ model.Attachment) error { return os.Remove(l.path("parley.db")) }, "WRONG store"},
		"store overwritten": {write("parley.db", strings.Repeat("no store ", 9999)), "WRONG store"},
		"a record of nobody's": {func(l *life, _ model.Attachment) error {
			db, err := schema.Open(l.path("parley.db"), schema.Config{Logger: l.cfg.Logger})
			done(l.t, err)
			done(l.t, db.Transcripts.Put(filepath.Join(l.cfg.Dirs.Home, ".claude", "projects", "x", "gone.jsonl"), model.Transcript{CLISessionID: "x"}))
			return db.Close()
		}, "note index: 1 of 1"},
		"a heartbeat that was stopped": {func(l *life, _ model.Attachment) error {
			db, err := schema.Open(l.path("parley.db"), schema.Config{Logger: l.cfg.Logger})
			done(l.t, err)
			done(l.t, db.Kept.Put(kept.Heartbeats, model.Kept{Name: kept.Heartbeats, Text: `[{"name":"tea","enabled":true}]`}))
			for _, name := range []string{"gone", "tea"} {
				done(l.t, db.Hearts.Put(name, model.HeartbeatState{Name: name, Stopped: true, Why: "It failed 3 times."}))
			}
			return db.Close()
		}, `note stopped heartbeats: "tea" (It failed 3 times.)`},
		"a rule that allows everything": {func(l *life, _ model.Attachment) error {
			db, err := schema.Open(l.path("parley.db"), schema.Config{Logger: l.cfg.Logger})
			done(l.t, err)
			done(l.t, db.Rules.Put("r", model.Rule{ID: "r", Effect: "allow", Tool: "Bash", Pattern: "env:*", Scope: "global"}))
			return db.Close()
		}, "note rules: Bash(env:*) allows every command"},
		"rooms overwritten":  {write("rooms.db", "no store"), "WRONG rooms"},
		"audit overwritten":  {write("audit/000000000001.jsonl", "{}\n"), "WRONG audit"},
		"settings no JSON":   {write("settings.json", "{"), "WRONG settings.json"},
		"settings not taken": {write("settings.json", `{"zoom":9999}`), "WRONG settings.json"},
		"heartbeats":         {write("heartbeats.yaml", "heartbeats:\n  a: 1\n"), "WRONG heartbeats.yaml: line 2"},
		"heartbeats emptied": {func(l *life, _ model.Attachment) error {
			l.during(func(a *App) {
				ask[json.RawMessage](l.t.Context(), l.t, a, "heartbeat.save", map[string]any{"spec": map[string]any{
					"name": "beat", "prompt": "look", "schedule": map[string]any{"every": "1h"}, "folder": l.cfg.Dirs.Home, "enabled": true,
				}})
			})
			return os.Truncate(l.path("heartbeats.yaml"), 0)
		}, "WRONG heartbeats.yaml: it is empty, but you accepted heartbeats before (1)"},
		"heartbeats never had": {write("heartbeats.yaml", ""), "ok heartbeats.yaml: 0"},
		"chat emptied":         {write("chat.json", ""), "WRONG chat.json: The Mattermost settings cannot be read: it is empty. Fix the file, or delete it and connect again."},
		"chat":                 {write("chat.json", `{"nobody":1}`), "WRONG chat.json"},
		"memory of NULs":       {write("memory/SOUL.md", "\x00\x00"), "WRONG memory"},
		"attachment removed":   {func(l *life, a model.Attachment) error { return os.Remove(l.path("attachments/" + a.Blob)) }, "WRONG attachments"},
		"attachment changed": {func(l *life, a model.Attachment) error {
			return os.WriteFile(l.path("attachments/"+a.Blob), []byte("another"), 0o600)
		}, "WRONG attachments"},
		"attachment of nobody": {func(l *life, _ model.Attachment) error {
			return os.WriteFile(l.path("attachments/"+strings.Repeat("a", 64)), nil, 0o600)
		}, "note attachments: 1 "},
		"snapshot": {func(l *life, _ model.Attachment) error {
			list, err := snapshot.List(l.cfg.Dirs.Data)
			done(l.t, err)
			return os.Truncate(l.path("snapshots/"+list[0].Name+"/parley.db"), 99)
		}, "WRONG snapshots"},
		"leftover":    {write("memory/.parley-123", "half"), "note leftovers: 1 "},
		"others look": {func(l *life, _ model.Attachment) error { return os.Chmod(l.cfg.Dirs.Data, 0o755) }, "WRONG folder"},
	} {
		t.Run(name, func(t *testing.T) {
			l, a := whole(t)
			done(t, c.spoil(l, a))
			lines, ok := l.check(false)
			if !slices.ContainsFunc(lines, func(s string) bool { return strings.HasPrefix(s, c.want) }) || ok == strings.HasPrefix(c.want, "WRONG") {
				t.Errorf("%v, want %q:\n%s", ok, c.want, strings.Join(lines, "\n"))
			}
		})
	}
	t.Run("repair", func(t *testing.T) {
		orphan, fresh := l.path("attachments/"+strings.Repeat("a", 64)), l.path("attachments/"+strings.Repeat("b", 64))
		for _, path := range []string{orphan, fresh, l.path("snapshots/.parley-1"), l.path("attachments/.new-1")} {
			done(t, os.WriteFile(path, nil, 0o600))
		}
		old := time.Now().Add(-25 * time.Hour)
		done(t, os.Chtimes(orphan, old, old))
		lines, ok := l.check(true)
		there := func(path string) bool { _, err := os.Lstat(path); return err == nil }
		if !ok || there(orphan) || !there(fresh) || !there(l.path("attachments/"+a.Blob)) || there(l.path("attachments/.new-1")) || there(l.path("snapshots/.parley-1")) {
			t.Errorf("%v:\n%s", ok, strings.Join(lines, "\n"))
		}
		if set, _ := filepath.Glob(l.path("aside-*/" + filepath.Base(orphan))); len(set) != 1 {
			t.Errorf("set aside: %v", set)
		}
		l.during(func(*App) {
			if _, err := checkup.Check(l.cfg.Dirs, nil, true, func(string, string, string) {}); fault.CodeOf(err) != fault.Conflict {
				t.Errorf("while one runs: %v", err)
			}
			if lines, ok := l.check(false); !ok {
				t.Errorf("while one runs:\n%s", strings.Join(lines, "\n"))
			}
		})
	})
	if left, err := os.ReadDir(temp); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "parley-check") }) {
		t.Errorf("left: %v, %v", left, err)
	}
}
