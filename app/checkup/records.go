package checkup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"parley/backend/heartbeat/plan"
	"parley/backend/kept"
	"parley/backend/permission/audit"
	"parley/backend/permission/guard"
	"parley/backend/permission/rule"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
	"parley/backend/snapshot"
	"parley/backend/store"
	"parley/backend/store/blob"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

// count reads all records of a collection, and returns how many are unreadable.
func count[T any](c *store.Collection[T]) (read, unread int, err error) {
	total, err := c.Count(store.Query{})
	if err != nil {
		return 0, 0, err
	}
	err = c.Each(store.Query{}, func(string, T) bool { read++; return true })
	return read, total - read, err
}

// records reads every record.
func (l *look) records(db *schema.DB) {
	all, bad := 0, []string{}
	add := func(name string, read, unread int, err error) {
		all += read
		if err != nil {
			bad = append(bad, fmt.Sprintf("%s: %s", name, err))
		} else if unread > 0 {
			bad = append(bad, fmt.Sprintf("%s: %d records cannot be read", name, unread))
		}
	}
	one := func(name string, f func() (int, int, error)) {
		read, unread, err := f()
		add(name, read, unread, err)
	}
	one("sessions", func() (int, int, error) { return count(db.Sessions) })
	one("drafts", func() (int, int, error) { return count(db.Drafts) })
	one("prompts", func() (int, int, error) { return count(db.Prompts) })
	one("workspaces", func() (int, int, error) { return count(db.Workspaces) })
	one("layouts", func() (int, int, error) { return count(db.Layouts) })
	one("transcripts", func() (int, int, error) { return count(db.Transcripts) })
	one("profiles", func() (int, int, error) { return count(db.Profiles) })
	one("usage", func() (int, int, error) { return count(db.Usage) })
	one("answers", func() (int, int, error) { return count(db.Answers) })
	one("rules", func() (int, int, error) { return count(db.Rules) })
	one("trust", func() (int, int, error) { return count(db.Trust) })
	one("beats", func() (int, int, error) { return count(db.Beats) })
	one("outcomes", func() (int, int, error) { return count(db.Outcomes) })
	one("kept", func() (int, int, error) { return count(db.Kept) })
	for _, b := range bad {
		l.say(Wrong, "store", "%s", b)
	}
	if len(bad) == 0 {
		l.say(OK, "store", "all values are intact, and %d records can be read", all)
	}
}

// kept reports whether a user has to act, and returns the store's knowledge of the log.
func (l *look) kept(db *schema.DB) (point audit.Point) {
	if r, err := db.Kept.Get(kept.LogNote); err == nil && json.Unmarshal([]byte(r.Text), &point) != nil {
		l.say(Wrong, "store", "its record of the audit log cannot be read")
	}
	if r, err := db.Kept.Get(kept.Heartbeats); err == nil {
		specs, _ := plan.Accepted(r.Text) // an unreadable record says nothing about the file
		l.beats = len(specs)
	}
	if doubt := kept.DoubtIn(db); doubt != "" {
		l.say(Note, "store", "you have to review it in the window before anything that you allowed applies (%s)", doubt)
	}
	return point
}

// rules reports user rules that may allow more than intended.
func (l *look) rules(db *schema.DB) {
	var wide []string
	_ = db.Rules.Each(store.Query{}, func(_ string, r model.Rule) bool {
		own := rule.Rule{Effect: rule.Effect(r.Effect), Tool: r.Tool, Pattern: r.Pattern}
		over := r.ExpiresAt != 0 && r.ExpiresAt <= time.Now().UnixMilli()
		if own.Effect == rule.Allow && !over && guard.Anything(own) {
			wide = append(wide, own.String())
		}
		return len(wide) < 5
	})
	for _, text := range wide {
		l.say(Note, "rules", "%.200s allows every command", text)
	}
	if len(wide) == 0 {
		l.say(OK, "rules", "none of Parley's rules allows every command")
	}
}

// stopped reports heartbeats that were turned off automatically, after consecutive failures.
func (l *look) stopped(db *schema.DB) {
	var names []string
	enabled := map[string]bool{}
	if r, err := db.Kept.Get(kept.Heartbeats); err == nil {
		specs, _ := plan.Accepted(r.Text) // an unreadable record says nothing about the file
		for _, s := range specs {
			enabled[s.Name] = s.Enabled
		}
	}
	_ = db.Hearts.Each(store.Query{}, func(name string, h model.HeartbeatState) bool {
		if h.Stopped && enabled[name] {
			names = append(names, fmt.Sprintf("%.100q (%.200s)", name, h.Why))
		}
		return len(names) < 5
	})
	for _, name := range names {
		l.say(Note, "stopped heartbeats", "%s", name)
	}
	if len(names) == 0 {
		l.say(OK, "stopped heartbeats", "none")
	}
}

const attachmentsFolder = "attachments"

// attachments checks the files of drafts and queued prompts, and their owners.
func (l *look) attachments(db *schema.DB) {
	dir := filepath.Join(l.Data, attachmentsFolder)
	entries, err := os.ReadDir(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.say(Wrong, attachmentsFolder, "they cannot be read: %s", err)
		}
		return
	}
	blobs, err := blob.Open(dir)
	if err != nil {
		l.say(Wrong, attachmentsFolder, "they cannot be read: %s", err)
		return
	}
	needed := map[string]bool{}
	note := func(list []model.Attachment) {
		for _, a := range list {
			needed[a.Blob] = true
		}
	}
	_ = db.Prompts.Each(store.Query{}, func(_ string, p model.Prompt) bool { note(p.Attachments); return true })
	_ = db.Drafts.Each(store.Query{}, func(_ string, d model.Draft) bool { note(d.Attachments); return true })
	good, wrong := 0, l.wrong
	for _, e := range entries {
		f, err := blobs.Open(e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // not an attachment, or one being written
		}
		if err == nil {
			_, err = io.Copy(io.Discard, f)
			err = errors.Join(err, f.Close())
		}
		switch {
		case err != nil && needed[e.Name()]:
			l.say(Wrong, attachmentsFolder, "%s, which a draft or queued prompt needs, cannot be read: %s", e.Name(), err)
		case !needed[e.Name()]:
			l.orphans = append(l.orphans, filepath.Join(dir, e.Name()))
		default:
			good++
		}
		delete(needed, e.Name())
	}
	for name := range needed {
		l.say(Wrong, attachmentsFolder, "%s, which a draft or queued prompt needs, is missing", name)
	}
	if len(l.orphans) > 0 {
		l.say(Note, attachmentsFolder, "%d belong to no draft or queued prompt", len(l.orphans))
	}
	if l.wrong == wrong {
		l.say(OK, attachmentsFolder, "%d are intact", good)
	}
}

// index compares the index of conversations with those on disk.
func (l *look) index(db *schema.DB) {
	there := map[string]bool{}
	_ = filepath.WalkDir(l.Projects, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".jsonl") {
			there[path] = true
		}
		return nil
	})
	gone, known, shorter, unread := 0, 0, 0, 0
	_ = db.Transcripts.Each(store.Query{}, func(path string, t model.Transcript) bool {
		switch {
		case !strings.HasPrefix(path, l.Projects+string(filepath.Separator)): // another account's, or of the demo
		case !there[path]:
			gone++
		default:
			known++
			var found struct{ Size int64 }
			if json.Unmarshal(t.Found, &found) != nil {
				l.stale = true
			}
			switch size, ok := conversation(path); {
			case size < found.Size:
				shorter++
			case !ok:
				unread++
			}
		}
		return true
	})
	if shorter > 0 {
		l.say(Wrong, "conversations", "%d of %d are shorter than before: another program truncated them, and what is missing cannot be restored", shorter, gone+known)
	}
	if unread > 0 {
		l.say(Wrong, "conversations", "%d of %d start with something that Claude Code did not write", unread, gone+known)
	}
	switch {
	case l.stale:
		l.say(Wrong, "index", "the entries of some conversations cannot be read; --repair rebuilds the index")
	case gone > 0:
		l.stale = true
		l.say(Note, "index", "%d of %d conversations are no longer on disk; the next start updates the index", gone, gone+known)
	default:
		l.say(OK, "index", "%d conversations are on disk", known)
	}
}

// conversation is the length of a conversation file, and whether its first line can be one of the
// CLI's.
func conversation(path string) (size int64, ok bool) {
	f, err := safeopen.Open(path)
	if err != nil {
		return 0, false
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return 0, false
	}
	first := make([]byte, 1)
	n, _ := f.Read(first)
	return info.Size(), n == 1 && first[0] == '{'
}

// memory checks the memories.
func (l *look) memory() {
	root := filepath.Join(l.Data, snapshot.Memory)
	good, wrong := 0, l.wrong
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(l.Data, path)
		switch {
		case err != nil:
			if path != root || !errors.Is(err, fs.ErrNotExist) {
				l.say(Wrong, "memory", "%s: %s", name, err)
			}
			return nil
		case d.IsDir(), strings.HasPrefix(d.Name(), atomicfile.Unfinished), d.Name() == ".lock":
			return nil
		case !d.Type().IsRegular():
			l.say(Note, "memory", "%s is not a regular file, and is ignored", name)
			return nil
		}
		text, err := safeopen.Read(path, maxText)
		switch {
		case err != nil:
			l.say(Wrong, "memory", "%s: %s", name, err)
		case !utf8.Valid(text) || strings.ContainsRune(string(text), 0):
			l.say(Wrong, "memory", "%s is not text", name)
		case d.Name() == ".workspace.json" && !json.Valid(text):
			l.say(Wrong, "memory", "%s is not valid JSON", name)
		default:
			good++
		}
		return nil
	})
	if err == nil && l.wrong == wrong && good > 0 {
		l.say(OK, "memory", "%d files can be read", good)
	}
}
