package snapshot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
	"parley/backend/platform/atomicfile"
	"parley/backend/store"
)

type row struct {
	Text string `json:"text"`
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// place is a data folder with an open store.
type place struct {
	t    testing.TB
	data string
	db   *store.Store
	rows *store.Collection[row]
	// rooms is a store beside it.
	rooms *store.Store
	said  *store.Collection[row]
	at    time.Time
}

// undoneFile is a file of an undo record.
const undoneFile = Undo + "/0123456789abcdef0123456789abcdef/record.json"

// files are the files that fill writes beside the stores.
func files() []string {
	return append(Files(), "memory/SOUL.md", "memory/workspaces/a/NOTES.md", undoneFile)
}

func newPlace(t testing.TB, data string) *place {
	t.Helper()
	p := &place{t: t, data: data, at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	p.open()
	t.Cleanup(p.close)
	return p
}

func (p *place) open() {
	p.t.Helper()
	p.db, p.rows = openRows(p.t, filepath.Join(p.data, StoreFile))
	p.rooms, p.said = openRows(p.t, filepath.Join(p.data, "rooms.db"))
}

func (p *place) close() { _ = errors.Join(p.db.Close(), p.rooms.Close()) }

func openRows(t testing.TB, path string) (*store.Store, *store.Collection[row]) {
	t.Helper()
	db, err := store.Open(path, store.Config{Logger: slog.New(slog.DiscardHandler)})
	check(t, err)
	rows, err := store.Define[row](db, "rows")
	check(t, err)
	return db, rows
}

func (p *place) source() Source {
	return Source{
		Data: p.data, Version: "test", State: p.db.Version, Now: func() time.Time { return p.at },
		Store: func(ctx context.Context, path string) (uint64, error) {
			state, err := p.db.Version()
			return state, errors.Join(err, p.db.Copy(ctx, path))
		},
		Taken: func() (string, uint64, error) {
			err := p.rows.Put("taken", row{p.at.String()})
			state, failed := p.db.Version()
			return "mark", state, errors.Join(err, failed)
		},
		Counts: func() map[string]int { return map[string]int{"rows": 1} },
		Others: []Other{{"rooms.db", p.rooms.Version, p.rooms.Copy}},
	}
}

func (p *place) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.data, name)
	check(p.t, os.MkdirAll(filepath.Dir(path), 0o700))
	check(p.t, os.WriteFile(path, []byte(text), 0o600))
}

// fill writes every part of a snapshot, in one state.
func (p *place) fill(state string) {
	p.t.Helper()
	check(p.t, p.rows.Put("state", row{state}))
	check(p.t, p.said.Put("state", row{state}))
	for _, name := range files() {
		p.write(name, name+" "+state)
	}
}

func (p *place) take() (Manifest, bool) {
	p.t.Helper()
	m, made, err := Take(p.t.Context(), p.source())
	check(p.t, err)
	return m, made
}

// state returns the state of each part of a closed data folder.
func state(t testing.TB, data string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, name := range append(files(), "memory/new.md") {
		text, err := os.ReadFile(filepath.Join(data, name))
		if err == nil {
			_, got[name], _ = strings.Cut(string(text), " ")
		}
	}
	for _, name := range []string{StoreFile, "rooms.db"} {
		if there(filepath.Join(data, name)) {
			db, rows := openRows(t, filepath.Join(data, name))
			one, err := rows.Get("state")
			check(t, err)
			got[name] = one.Text
			check(t, db.Close())
		}
	}
	return got
}

func whole(state string) map[string]string {
	all := map[string]string{StoreFile: state, "rooms.db": state}
	for _, name := range files() {
		all[name] = state
	}
	return all
}

// left lists entries that neither belong to a data folder nor were set aside.
func left(t testing.TB, data string) []string {
	t.Helper()
	var found []string
	check(t, filepath.WalkDir(data, func(path string, _ os.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), atomicfile.Unfinished) {
			found = append(found, path)
		}
		return err
	}))
	return found
}

func TestTakeAndRestore(t *testing.T) {
	p := newPlace(t, t.TempDir())
	p.fill("one")
	p.write("memory/.lock", "")
	check(t, os.Symlink("/etc/passwd", filepath.Join(p.data, "memory", "link.md")))
	first, made := p.take()
	if !made || first.Name != "20261120-120000.000" || first.Mark != "mark" || first.Counts["rows"] != 1 || len(first.Files) != 8 || !slices.Equal(first.Left, []string{"memory/link.md"}) {
		t.Errorf("made %v: %+v", made, first)
	}
	dir := filepath.Join(p.data, Folder)
	for _, path := range []string{dir, filepath.Join(dir, first.Name)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	p.at = p.at.Add(time.Hour)
	if again, made := p.take(); made || again.Name != first.Name {
		t.Errorf("nothing changed, and it made %+v", again)
	}
	p.fill("two")
	p.write("memory/new.md", "new two")
	second, made := p.take()
	if !made || second.Name == first.Name {
		t.Errorf("made %v: %+v", made, second)
	}
	p.at = p.at.Add(time.Hour)
	p.write("settings.json", "x three")
	if _, made := p.take(); !made {
		t.Error("changed settings made no snapshot")
	}
	p.close()

	restore, err := Prepare(p.data, first.Name, ByCommand)
	check(t, err)
	if _, err := Prepare(p.data, second.Name, ByPage); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("two restores at once: %v", err)
	}
	done, ok, err := Finish(p.data)
	check(t, err)
	if diff := cmp.Diff(restore, done); !ok || diff != "" {
		t.Errorf("%v, (-prepared +done):\n%s", ok, diff)
	}
	if diff := cmp.Diff(whole("one"), state(t, p.data)); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	want := whole("two")
	want["settings.json"], want["memory/new.md"] = "three", "two"
	if diff := cmp.Diff(want, state(t, filepath.Join(p.data, restore.Aside))); diff != "" {
		t.Errorf("set aside (-want +got):\n%s", diff)
	}
	if note, ok, err := Restored(p.data); err != nil || !ok || note.From != first.Name || note.By != ByCommand {
		t.Errorf("the note: %+v, %v, %v", note, ok, err)
	}
	check(t, Noted(p.data))
	if _, ok, _ := Restored(p.data); ok {
		t.Error("the note is still there")
	}
	if found := left(t, p.data); found != nil {
		t.Errorf("left: %v", found)
	}
}

// Lost parts are restored; existing ones stay.
func TestRestoreOfWhatIsLost(t *testing.T) {
	p := newPlace(t, t.TempDir())
	p.fill("one")
	first, _ := p.take()
	p.fill("two")
	p.close()
	for _, name := range []string{StoreFile, "rooms.db", "chat.json"} {
		check(t, os.Remove(filepath.Join(p.data, name)))
	}
	_, err := PrepareLost(p.data, first.Name)
	check(t, err)
	_, ok, err := Finish(p.data)
	check(t, err)
	want := whole("two")
	want[StoreFile], want["rooms.db"], want["chat.json"] = "one", "one", "one"
	if diff := cmp.Diff(want, state(t, p.data)); !ok || diff != "" {
		t.Errorf("%v (-want +got):\n%s", ok, diff)
	}
}

// A snapshot with any modified file is not restored, and the newest
// valid one is found after it.
func TestDamagedSnapshots(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"store removed":    func(dir string) error { return os.Remove(filepath.Join(dir, StoreFile)) },
		"store emptied":    func(dir string) error { return os.Truncate(filepath.Join(dir, StoreFile), 0) },
		"rooms emptied":    func(dir string) error { return os.Truncate(filepath.Join(dir, "rooms.db"), 0) },
		"undone changed":   func(dir string) error { return os.WriteFile(filepath.Join(dir, undoneFile), nil, 0o600) },
		"settings changed": func(dir string) error { return os.WriteFile(filepath.Join(dir, "settings.json"), []byte("x"), 0o600) },
		"manifest removed": func(dir string) error { return os.Remove(filepath.Join(dir, manifestName)) },
		"manifest zeroed": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, manifestName), make([]byte, 100), 0o600)
		},
		"newer": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, manifestName), []byte(`{"format":99}`), 0o600)
		},
		"names another file": rename("heartbeats.yaml", "../../evil"),
		"another record":     rename(undoneFile, "undo/../../evil/record.json"),
		"leads out of it":    rename("memory/SOUL.md", "memory/../../../evil"),
		"store is a folder": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, StoreFile)), os.Mkdir(filepath.Join(dir, StoreFile), 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, t.TempDir())
			p.fill("one")
			good, _ := p.take()
			p.at = p.at.Add(time.Hour)
			p.fill("two")
			bad, _ := p.take()
			check(t, spoil(filepath.Join(p.data, Folder, bad.Name)))
			if _, err := Prepare(p.data, bad.Name, ByCommand); err == nil || fault.MessageOf(err) == "" {
				t.Errorf("prepared: %v", err)
			}
			var told []string
			m, ok := Newest(p.data, func(name string, problem error) { told = append(told, name) })
			if !ok || m.Name != good.Name || !slices.Equal(told, []string{bad.Name}) {
				t.Errorf("newest %v %s, told %v", ok, m.Name, told)
			}
			if found := left(t, p.data); found != nil {
				t.Errorf("left: %v", found)
			}
		})
	}
	for _, name := range []string{"", "..", "../x", "20261120-120000.000", "x"} {
		if _, err := Prepare(t.TempDir(), name, ByCommand); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func rename(was, is string) func(dir string) error {
	return func(dir string) error {
		path := filepath.Join(dir, manifestName)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(strings.Replace(string(text), strconv.Quote(was), strconv.Quote(is), 1)), 0o600)
	}
}

func TestKept(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 30, 0, 0, time.Local)
	made := func(size int64, every time.Duration, n int) []Listed {
		var list []Listed
		for i := range n {
			at := now.Add(-time.Duration(i) * every)
			list = append(list, Listed{Manifest: Manifest{Name: strconv.Itoa(i), At: at.UnixMilli(), Files: []File{{Size: size}}}})
		}
		return list
	}
	bytes := func(l Listed) int64 { return l.Bytes() }
	for name, c := range map[string]struct {
		list []Listed
		most int64
		want int
	}{
		"hourly for 60 days":     {made(1, time.Hour, 60*24), MaxBytes, Hourly + Daily - 2},
		"daily for a year":       {made(1, 24*time.Hour, 365), MaxBytes, Hourly},
		"ten within an hour":     {made(1, time.Minute, 10), MaxBytes, Latest},
		"too large, all of them": {made(100, time.Hour, 10), 50, 1},
		"some too large":         {made(100, time.Hour, 10), 350, 3},
		"none":                   {nil, MaxBytes, 0},
	} {
		if got := keep(c.list, bytes, c.most); len(got) != c.want || len(c.list) > 0 && !got["0"] {
			t.Errorf("%s: %d stay, want %d: %v", name, len(got), c.want, slices.Sorted(maps.Keys(got)))
		}
	}
}

func TestPruneAndDue(t *testing.T) {
	p := newPlace(t, t.TempDir())
	if Wait(p.data, p.at) != 0 {
		t.Error("the first one is not due")
	}
	for i := range 30 {
		p.fill(strconv.Itoa(i))
		p.take()
		if Wait(p.data, p.at.Add(59*time.Minute)) != time.Minute || Wait(p.data, p.at.Add(time.Hour)) != 0 || Wait(p.data, p.at.Add(-time.Minute)) != 0 {
			t.Error("it is due at the wrong time")
		}
		p.at = p.at.Add(time.Hour)
	}
	check(t, os.Mkdir(filepath.Join(p.data, Folder, atomicfile.Unfinished+"1"), 0o700))
	check(t, Prune(p.data))
	list, err := List(p.data)
	check(t, err)
	if len(list) < Hourly || len(list) > Hourly+2 || !list[0].Has("settings.json") || !list[0].Has("rooms.db") {
		t.Errorf("%d stay", len(list))
	}
	if found := left(t, p.data); found != nil {
		t.Errorf("left: %v", found)
	}
	for _, l := range list {
		if _, err := Verify(p.data, l.Name); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
	}
}

// A failure anywhere leaves the old snapshots and nothing else.
func TestFailedTake(t *testing.T) {
	no := errors.New("the disk is full")
	for name, spoil := range map[string]func(*Source){
		"the store": func(s *Source) {
			s.Store = func(_ context.Context, path string) (uint64, error) {
				return 0, errors.Join(no, os.WriteFile(path, []byte("half"), 0o600))
			}
		},
		"a copy that is not good": func(s *Source) {
			s.Store = func(_ context.Context, path string) (uint64, error) {
				return 1, os.WriteFile(path, []byte("half"), 0o600)
			}
		},
		"the mark": func(s *Source) { s.Taken = func() (string, uint64, error) { return "", 0, no } },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, t.TempDir())
			p.fill("one")
			p.take()
			p.fill("two")
			s := p.source()
			spoil(&s)
			if _, made, err := Take(t.Context(), s); made || err == nil {
				t.Errorf("made %v, %v", made, err)
			}
			if list, err := List(p.data); err != nil || len(list) != 1 {
				t.Errorf("%d snapshots, %v", len(list), err)
			}
			if found := left(t, p.data); found != nil {
				t.Errorf("left: %v", found)
			}
		})
	}
}

// Rooms and undo records that are too large are left out, whole records at a time, the
// oldest first; parts that a snapshot lacks, like those of older Parleys, are not removed by it.
func TestSnapshotIsBounded(t *testing.T) {
	p := newPlace(t, t.TempDir())
	p.fill("one")
	record := func(n int) string { return fmt.Sprintf("%s/%032x", Undo, n) }
	for n := range 4 {
		p.write(record(n)+"/record.json", "{}")
		p.write(record(n)+"/0", strings.Repeat("x", maxUndo/3))
		at := p.at.Add(time.Duration(n) * time.Second)
		check(t, os.Chtimes(filepath.Join(p.data, record(n)), at, at))
	}
	p.write(Undo+"/new-1/0", "half")
	for i := range maxStore>>20 + 1 {
		check(t, p.said.Put(strconv.Itoa(i), row{strings.Repeat("y", 1<<20)}))
	}
	m, _ := p.take()
	if want := []string{record(1), record(0), "rooms.db"}; !slices.Equal(m.Left, want) {
		t.Errorf("left out: %q, want %q", m.Left, want)
	}
	if !m.Has(record(3)) || !m.Has(record(2)) || m.Has(record(0)) || m.Has(record(1)) || m.Has("rooms.db") || !m.Has(undoneFile) {
		t.Errorf("files: %+v", m.Files)
	}
	if _, made := p.take(); made {
		t.Error("nothing changed, and it made another one")
	}
	p.fill("two")
	p.close()
	check(t, os.RemoveAll(filepath.Join(p.data, record(3))))
	if _, err := Prepare(p.data, m.Name, ByCommand); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := Finish(p.data); !ok || err != nil {
		t.Fatal(ok, err)
	}
	want := whole("one")
	want["rooms.db"] = "two"
	if diff := cmp.Diff(want, state(t, p.data)); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	if !there(filepath.Join(p.data, record(3), "0")) {
		t.Error("a record did not come back")
	}
}

// The clock was wrong for days, and was corrected: a snapshot made then is still the newest.
// It is restored before the others, and they do not push it out.
func TestClockSetBack(t *testing.T) {
	p := newPlace(t, t.TempDir())
	right := p.at
	p.at = p.at.AddDate(1, 0, 0)
	for i := range 40 {
		p.at = p.at.Add(time.Hour)
		p.fill(fmt.Sprint("wrong ", i))
		p.take()
	}
	check(t, Prune(p.data))
	p.at = right
	for i := range 2 {
		p.at = p.at.Add(time.Hour)
		p.fill(fmt.Sprint("right ", i))
		m, made := p.take()
		check(t, Prune(p.data))
		newest, ok := Newest(p.data, func(name string, problem error) { t.Error(name, problem) })
		if !made || !ok || newest.Name != m.Name {
			t.Errorf("made %v as %s, the newest is %s", made, m.Name, newest.Name)
		}
		if wait := Wait(p.data, p.at.Add(time.Minute)); wait != 59*time.Minute {
			t.Errorf("the next is made after %v", wait)
		}
	}
}
