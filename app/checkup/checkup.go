package checkup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/backend/chat/relay/access"
	"parley/backend/fault"
	"parley/backend/heartbeat/plan"
	"parley/backend/paths"
	"parley/backend/permission/audit"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
	"parley/backend/settings"
	"parley/backend/snapshot"
	"parley/backend/store"
	"parley/backend/store/schema"
)

// Level is the severity of a line.
type Level string

// The levels: fine, informational, repaired, and wrong.
const (
	OK       Level = "ok"
	Note     Level = "note"
	Repaired Level = "repaired"
	Wrong    Level = "WRONG"
)

// Line is one finding.
type Line struct {
	Level      Level
	What, Says string
}

// Config says what to check. All fields but Stop are required.
type Config struct {
	Data string
	// Projects is the folder of the CLI's conversations.
	Projects string
	// Tell receives each line.
	Tell func(Line)
	// Stop is called between the parts: its error ends the check.
	Stop func() error
}

// look is one check of a data folder.
type look struct {
	Config
	wrong int
	// beats are the accepted heartbeats, as in the store.
	beats int
	// leftovers are files left by a crash, orphans attachments without an owner; stale reports that
	// derived data is not as it should be.
	leftovers, orphans []string
	stale              bool
}

func (l *look) say(level Level, what, format string, args ...any) {
	if level == Wrong {
		l.wrong++
	}
	l.Tell(Line{level, what, fmt.Sprintf(format, args...)})
}

// Run checks everything, and reports whether there are no problems.
func Run(cfg Config) (ok bool, err error) {
	l := &look{Config: cfg}
	err = l.all()
	return l.wrong == 0, err
}

func (l *look) all() error {
	info, err := os.Stat(l.Data)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		l.say(Wrong, "folder", "other users of this computer can read it (%o); the next start fixes this", mode)
	}
	if _, err := (paths.Dirs{Data: l.Data}).Known(); err != nil {
		l.say(Wrong, paths.FormatFile, "%s", fault.MessageOf(err))
		return nil // an unusable copy would be misread
	}
	point := l.store()
	for _, part := range []func(){l.rooms, func() { l.log(point) }, l.files, l.memory, l.snapshots, l.left} {
		if l.Stop != nil {
			if err := l.Stop(); err != nil {
				return err
			}
		}
		part()
	}
	return nil
}

// copied opens a copy of a store that may be in use, or reports what is wrong with it.
func (l *look) copied(what, name string) (path string, done func(), ok bool) {
	from := filepath.Join(l.Data, name)
	info, err := os.Lstat(from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if l.there(paths.FormatFile) && name == snapshot.StoreFile {
			l.say(Wrong, what, "%s is missing; the next start restores the newest snapshot, or starts without anything that you allowed", name)
		}
		if m, ok := snapshot.Newest(l.Data, func(string, error) {}); ok && m.Has(name) && name != snapshot.StoreFile {
			l.say(Wrong, what, "%s is missing; the next start restores it from the newest snapshot", name)
		}
		return "", nil, false
	case err == nil && info.Mode().IsRegular() && info.Size() == 0:
		l.say(Wrong, what, "%s is empty", name)
		return "", nil, false
	}
	dir, err := os.MkdirTemp("", "parley-check-")
	if err != nil {
		l.say(Wrong, what, "it cannot be copied for reading: %s", err)
		return "", nil, false
	}
	done = func() { _ = os.RemoveAll(dir) }
	path = filepath.Join(dir, name)
	// A copy of a file that is being written is inconsistent.
	for range 3 {
		if err = copyFile(path, from); err == nil {
			if err = store.Check(path); err == nil {
				return path, done, true
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	if errors.Is(err, fs.ErrPermission) {
		l.say(Wrong, what, "%s cannot be read: %s. Check its permissions", name, err)
		done()
		return "", nil, false
	}
	l.say(Wrong, what, "%s is damaged or cannot be read: %s. The next start keeps what is intact, and restores the rest from the newest snapshot", name, err)
	done()
	return "", nil, false
}

func copyFile(to, from string) error {
	r, err := safeopen.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}

func (l *look) there(name string) bool {
	_, err := os.Lstat(filepath.Join(l.Data, name))
	return err == nil
}

// store checks the store and what belongs to it. It returns the store's knowledge of the log.
func (l *look) store() audit.Point {
	path, done, ok := l.copied("store", snapshot.StoreFile)
	if !ok {
		return audit.Point{}
	}
	defer done()
	db, err := schema.Open(path, schema.Config{Logger: slog.New(slog.DiscardHandler)})
	switch {
	case errors.Is(err, store.ErrNewer):
		l.say(Wrong, "store", "it was written by a newer Parley; update this one")
		return audit.Point{}
	case err != nil:
		l.say(Wrong, "store", "it cannot be opened: %s", err)
		return audit.Point{}
	}
	defer func() { _ = db.Close() }()
	l.records(db)
	l.rules(db)
	l.stopped(db)
	l.attachments(db)
	l.index(db)
	return l.kept(db)
}

func (l *look) rooms() {
	for _, name := range snapshot.Stores() {
		if path, done, ok := l.copied("rooms", name); ok {
			l.room(path)
			done()
		}
	}
}

// room opens a copy of the rooms.
func (l *look) room(path string) {
	db, err := store.Open(path, store.Config{Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		err = db.Close()
	}
	switch {
	case errors.Is(err, store.ErrNewer):
		l.say(Wrong, "rooms", "they were written by a newer Parley; update this one")
	case err != nil:
		l.say(Wrong, "rooms", "they cannot be opened: %s", err)
	default:
		l.say(OK, "rooms", "all values are intact")
	}
}

// log checks the audit log.
func (l *look) log(point audit.Point) {
	dir := filepath.Join(l.Data, "audit")
	var report audit.Report
	var err error
	for i := range 3 { // it may be in the middle of a write
		if i > 0 {
			time.Sleep(250 * time.Millisecond)
		}
		if report, err = audit.Verify(dir, point); err != nil || report.Problem == nil {
			break
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && !l.there(snapshot.StoreFile):
	case err != nil:
		l.say(Wrong, "audit", "it cannot be read: %s", err)
	case report.Problem != nil:
		l.say(Wrong, "audit", "%s", report.Problem)
	default:
		l.say(OK, "audit", "%d records in %d files are intact", report.Records, report.Files)
	}
	if report.Missing > 0 {
		l.say(Note, "audit", "%d records could not be written, according to the log", report.Missing)
	}
}

// maxText is more than any user-editable file has.
const maxText = 4 << 20

// files checks the user-editable files.
func (l *look) files() {
	for _, f := range []struct {
		name  string
		check func([]byte) (string, []string)
	}{
		{"settings.json", func(text []byte) (string, []string) { return "all settings are valid", settings.Problems(text) }},
		{"heartbeats.yaml", func(text []byte) (string, []string) {
			parsed, problems := plan.Parse(text)
			var said []string
			for _, p := range problems {
				said = append(said, fmt.Sprintf("line %d: %s", p.Line, p.Message))
			}
			if parsed.Empty && len(problems) == 0 && l.beats > 0 {
				said = append(said, fmt.Sprintf("it is empty, but you accepted heartbeats before (%d). They keep running until the file is restored or removed", l.beats))
			}
			return fmt.Sprintf("%d heartbeats", len(parsed.Heartbeats)), said
		}},
		{"chat.json", func(text []byte) (string, []string) {
			if _, err := access.Decode(text); err != nil {
				return "", []string{fault.MessageOf(err)}
			}
			return "it is valid", nil
		}},
	} {
		text, err := safeopen.Read(filepath.Join(l.Data, f.name), maxText)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			l.say(Wrong, f.name, "it cannot be read: %s", err)
			continue
		}
		good, problems := f.check(text)
		for _, p := range problems {
			l.say(Wrong, f.name, "%s", p)
		}
		if len(problems) == 0 {
			l.say(OK, f.name, "%s", good)
		}
	}
}

// snapshots checks all snapshots.
func (l *look) snapshots() {
	list, err := snapshot.List(l.Data)
	if err != nil {
		l.say(Wrong, "snapshots", "%s", err)
		return
	}
	good := 0
	for _, s := range list {
		switch _, err := snapshot.Verify(l.Data, s.Name); {
		case err == nil:
			good++
		case errors.Is(err, snapshot.ErrNewer):
			l.say(Note, "snapshots", "%s: %s", s.Name, err)
		default:
			l.say(Wrong, "snapshots", "%s: %s", s.Name, err)
		}
	}
	switch {
	case len(list) == 0:
		l.say(Note, "snapshots", "none yet")
	case good > 0:
		l.say(OK, "snapshots", "%d can be restored; the newest is from %s", good, time.UnixMilli(list[0].At).Format("2006-01-02 15:04"))
	}
	switch decided, err := snapshot.Decided(l.Data); {
	case err != nil:
		l.say(Wrong, "snapshots", "%s", fault.MessageOf(err))
	case decided:
		l.say(Note, "snapshots", "a restore is pending; the next start finishes it")
	}
	if _, _, err := snapshot.Restored(l.Data); err != nil {
		l.say(Wrong, "snapshots", "%s", fault.MessageOf(err))
	}
}

// left looks for files left by crashes, and for files set aside.
func (l *look) left() {
	dirs := []string{l.Data}
	entries, _ := os.ReadDir(l.Data) // an unreadable folder was reported before
	aside, bytes := 0, int64(0)
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(l.Data, e.Name()))
		}
		if strings.HasPrefix(e.Name(), snapshot.AsidePrefix) || strings.Contains(e.Name(), ".broken-") || strings.Contains(e.Name(), ".outside-") || strings.HasPrefix(e.Name(), asidePrefix) {
			aside++
			bytes += sizeOf(filepath.Join(l.Data, e.Name()))
		}
	}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), atomicfile.Unfinished) || filepath.Base(dir) == attachmentsFolder && strings.HasPrefix(e.Name(), ".new-") {
				l.leftovers = append(l.leftovers, filepath.Join(dir, e.Name()))
			}
		}
	}
	if len(l.leftovers) > 0 {
		l.say(Note, "leftovers", "%d temporary files and folders of a Parley that crashed or is running", len(l.leftovers))
	}
	if aside > 0 {
		l.say(Note, "set aside", "%d files and folders with %.1f MB were set aside; you can remove them", aside, float64(bytes)/(1<<20))
	}
}

func sizeOf(path string) (sum int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it counts as nothing
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
