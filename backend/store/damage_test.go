package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"parley/backend/fault"
	"parley/backend/store"
	"parley/backend/store/storetest"
)

// sample writes a store with a few levels of pages, values that take several, and
// free pages in between. It returns the file and its records.
func sample(t testing.TB, notes int) (file []byte, records map[string]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := store.Open(path, store.Config{Logger: storetest.Logger(t)})
	check(t, err)
	c := define(t, s)
	empty := must[*store.Collection[note]](t)(store.Define[note](s, "empty"))
	small := must[*store.Collection[note]](t)(store.Define[note](s, "small"))
	check(t, small.Put("only", note{Title: "Small"}))
	records = map[string]string{"small/only": "Small"}
	for round := range 3 {
		check(t, s.Update(func(tx *store.Tx) error {
			for i := range notes {
				n := note{Title: fmt.Sprintf("%d in %d", i, round), Rank: int64(i), Slug: fmt.Sprint("s", i), Tags: []string{"t"}}
				if i%17 == 0 {
					n.Title += strings.Repeat(" long", 1500)
				}
				key := fmt.Sprintf("%03d", i)
				if i%5 == round {
					check(t, c.In(tx).Delete(key))
					delete(records, "notes/"+key)
					continue
				}
				check(t, c.In(tx).Put(key, n))
				records["notes/"+key] = n.Title
			}
			return nil
		}))
	}
	check(t, empty.Delete("x"))
	check(t, s.Close())
	data, err := os.ReadFile(path)
	check(t, err)
	return data, records
}

// reopened is what became of a file.
type reopened struct {
	report  store.Report
	records map[string]string
}

// reopen opens a file with given contents, reads everything and writes something.
func reopen(t *testing.T, contents []byte) reopened {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	check(t, os.WriteFile(path, contents, 0o600))
	s, err := store.Open(path, store.Config{Logger: quiet()})
	check(t, err)
	got := reopened{s.Report(), map[string]string{}}
	for _, name := range []string{"notes", "small", "empty"} {
		c := must[*store.Collection[note]](t)(store.Define(s, name, indexes()...))
		check(t, c.Each(store.Query{}, func(key string, n note) bool { got.records[name+"/"+key] = n.Title; return true }))
		all := must[int](t)(c.Count(store.Query{}))
		if n := must[int](t)(c.Count(store.Query{Index: "rank"})); n != all {
			t.Errorf("%s has %d records and %d in the index", name, all, n)
		}
		if name == "notes" {
			check(t, c.Put("new", note{Title: "New"}))
		}
	}
	check(t, s.Close())
	storetest.Check(t, path)
	if got.report.Rebuilt {
		aside, err := os.ReadFile(got.report.SetAside)
		check(t, err)
		if !bytes.Equal(aside, contents) {
			t.Error("the file that was set aside is not what it was")
		}
		if base := filepath.Base(got.report.SetAside); !strings.HasPrefix(base, "store.broken-") || !strings.HasSuffix(base, ".db") {
			t.Errorf("set aside as %s", base)
		}
	}
	left, err := os.ReadDir(dir)
	check(t, err)
	if want := 1 + len(filesOf(got.report)); len(left) != want {
		t.Errorf("left in the folder: %v", left)
	}
	return got
}

func filesOf(r store.Report) []string {
	if r.SetAside == "" {
		return nil
	}
	return []string{r.SetAside}
}

// subset fails when a record was made up.
func subset(t *testing.T, got, want map[string]string) {
	t.Helper()
	for k, v := range got {
		if want[k] != v {
			t.Errorf("%s is %.30q, was %.30q", k, v, want[k])
		}
	}
}

func TestTruncated(t *testing.T) {
	file, want := sample(t, 120)
	page := os.Getpagesize()
	used := usedPages(t, file) * page
	if used < 15*page {
		t.Fatalf("the sample has %d bytes only", used)
	}
	kept := 0
	for size := 0; size <= len(file); size += page {
		if size > used+2*page && size < len(file) {
			continue // behind the last page there is nothing to lose
		}
		for _, size := range []int{size, size + 1, size - 1} {
			if size < 0 || size > len(file) {
				continue
			}
			got := reopen(t, file[:size])
			// Where neither tree nor free list is left, there may be older copies.
			if size >= used {
				subset(t, got.records, want)
			}
			if size >= used && (got.report.Rebuilt || len(got.records) != len(want)) {
				t.Errorf("%d bytes: nothing was lost, but %+v, %d records", size, got.report, len(got.records))
			}
			if size > 0 && size < used && !got.report.Rebuilt {
				t.Errorf("%d bytes: not noticed", size)
			}
			if got.report.Rebuilt && got.report.Kept != len(got.records) {
				t.Errorf("%d bytes: %d records kept, report says %d", size, len(got.records), got.report.Kept)
			}
			kept = max(kept, len(got.records)*btoi(size < used))
		}
	}
	if kept < len(want)*3/4 {
		t.Errorf("of %d records at most %d came out of a truncated file", len(want), kept)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// usedPages asks bbolt how far the file is in use.
func usedPages(t *testing.T, file []byte) int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.db")
	check(t, os.WriteFile(path, file, 0o600))
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	check(t, err)
	defer func() { _ = db.Close() }()
	var n int64
	check(t, db.View(func(tx *bbolt.Tx) error { n = tx.Size(); return nil }))
	return int(n) / os.Getpagesize()
}

func TestFlippedBytes(t *testing.T) {
	file, want := sample(t, 120)
	used := usedPages(t, file) * os.Getpagesize()
	random := rand.New(rand.NewPCG(1, 2))
	var at []int
	for p := 0; p < used; p += os.Getpagesize() {
		for i := range 64 { // heads are where most can go wrong
			at = append(at, p+i)
		}
	}
	random.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
	at = at[:75]
	for range 75 {
		at = append(at, random.IntN(used))
	}
	noticed, lost := 0, 0
	for _, i := range at {
		bad := bytes.Clone(file)
		bad[i] ^= byte(1 << random.IntN(8))
		got := reopen(t, bad)
		if i < 2*os.Getpagesize() {
			// In a meta page: there is another, which may be one transaction older.
			if got.report.Rebuilt || i%os.Getpagesize() < 80 && got.report.Damage == "" {
				t.Errorf("byte %d: %+v", i, got.report)
			}
			continue
		}
		subset(t, got.records, want)
		noticed += btoi(got.report.Rebuilt)
		lost += len(want) - len(got.records)
		if !got.report.Rebuilt && len(got.records) != len(want) {
			t.Errorf("byte %d: %d of %d records, not noticed", i, len(got.records), len(want))
		}
	}
	t.Logf("%d flips, %d noticed (the others hit free space), %d of %d records lost on average", len(at), noticed, lost/max(noticed, 1), len(want))
	if noticed < len(at)/4 || lost/noticed > len(want)/3 {
		t.Error("that is worse than it was")
	}
}

func TestGarbage(t *testing.T) {
	file, want := sample(t, 120)
	page := os.Getpagesize()
	random := rand.New(rand.NewPCG(3, 4))
	noise := make([]byte, len(file))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	zeroed := func(from, to int) []byte {
		b := bytes.Clone(file)
		clear(b[from:to])
		return b
	}
	selfish := bytes.Clone(file)
	for p := 2 * page; p < len(selfish); p += page { // every branch leads to itself
		if selfish[p+8] == 1 {
			copy(selfish[p+16+8:p+16+16], selfish[p:p+8])
		}
	}
	tests := map[string][]byte{
		"noise": noise, "text": []byte("{}\n"), "one byte": {0}, "noise with meta pages": append(bytes.Clone(file[:2*page]), noise[2*page:]...),
		"no meta pages": zeroed(0, 2*page), "no first meta page": zeroed(0, page), "zeros behind the meta pages": zeroed(2*page, len(file)),
		"all zeros": make([]byte, 64<<10), "branches that lead to themselves": selfish,
	}
	for name, contents := range tests {
		t.Run(name, func(t *testing.T) {
			got := reopen(t, contents)
			subset(t, got.records, want)
			if !got.report.Rebuilt && name != "no first meta page" {
				t.Error("not noticed")
			}
		})
	}
}

func TestDamageThatHidesTheTree(t *testing.T) {
	file, want := sample(t, 120)
	page := os.Getpagesize()
	bad := bytes.Clone(file)
	branches := 0
	for p := 2 * page; p < len(bad); p += page {
		if bad[p+8] == 1 { // a branch page: the leaves below are whole, but nothing leads there
			clear(bad[p : p+page])
			branches++
		}
	}
	got := reopen(t, bad)
	if branches == 0 || !got.report.Rebuilt || len(got.records) != len(want) {
		t.Errorf("%d branches, %d of %d records, %+v", branches, len(got.records), len(want), got.report)
	}
	subset(t, got.records, want)
}

func TestFileVanishesInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	file, _ := sample(t, 120)
	check(t, os.WriteFile(path, file, 0o600))
	s, err := store.Open(path, store.Config{Logger: quiet()})
	check(t, err)
	c := define(t, s)
	check(t, os.Truncate(path, int64(2*os.Getpagesize())))
	_, err = c.List(store.Query{})
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "Restart Parley") {
		t.Errorf("list: %v", err)
	}
	for what, err := range map[string]error{
		"put": c.Put("a", note{}), "delete": c.Delete("a"), "view": s.View(func(*store.Tx) error { return nil }),
	} {
		if fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", what, err)
		}
	}
	check(t, s.Close())
	s, err = store.Open(path, store.Config{Logger: quiet()})
	check(t, err)
	if !s.Report().Rebuilt {
		t.Error("not rebuilt")
	}
	check(t, define(t, s).Put("a", note{}))
	check(t, s.Close())
}

// A writer that meets the same must not leave others waiting.
func TestFileVanishesUnderAWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	file, _ := sample(t, 120)
	check(t, os.WriteFile(path, file, 0o600))
	s, err := store.Open(path, store.Config{Logger: quiet()})
	check(t, err)
	c := define(t, s)
	check(t, os.Truncate(path, int64(2*os.Getpagesize())))
	results := make(chan error, 4)
	for range cap(results) {
		go func() { results <- c.Put("001", note{Title: "x"}) }()
	}
	for range cap(results) {
		if err := <-results; fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("put: %v", err)
		}
	}
	check(t, s.Close())
}

func TestNotAFile(t *testing.T) {
	dir := t.TempDir()
	check(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	for _, path := range []string{filepath.Join(dir, "folder"), filepath.Join(dir, "none", "store.db"), os.DevNull} {
		if _, err := store.Open(path, store.Config{Logger: quiet()}); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestLinkedFile(t *testing.T) {
	dir := t.TempDir()
	file, _ := sample(t, 40)
	check(t, os.WriteFile(filepath.Join(dir, "real.db"), file[:3*os.Getpagesize()], 0o600))
	check(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	link := filepath.Join(dir, "data", "store.db")
	if err := os.Symlink("../real.db", link); err != nil {
		t.Skip("no links here:", err)
	}
	s, err := store.Open(link, store.Config{Logger: quiet()})
	check(t, err)
	defer func() { _ = s.Close() }()
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if filepath.Dir(s.Report().SetAside) != must[string](t)(filepath.EvalSymlinks(dir)) {
		t.Errorf("set aside as %s", s.Report().SetAside)
	}
}

func TestReplacementThatWasInterrupted(t *testing.T) {
	dir := t.TempDir()
	file, want := sample(t, 40)
	path := filepath.Join(dir, "store.db")
	// The damaged file is away, the new one not yet in place.
	check(t, os.WriteFile(path+".new", file, 0o600))
	s := storetest.OpenAt(t, path)
	if n := must[int](t)(define(t, s).Count(store.Query{})); n != len(want)-1 || s.Report().Rebuilt {
		t.Errorf("%d records, %+v", n, s.Report())
	}
	check(t, s.Close())
	// A new one that was not finished while the old one is still there.
	check(t, os.WriteFile(path+".new", []byte("half"), 0o600))
	check(t, os.Truncate(path, int64(4*os.Getpagesize())))
	s, err := store.Open(path, store.Config{Logger: quiet()})
	check(t, err)
	if !s.Report().Rebuilt {
		t.Error("not rebuilt")
	}
	check(t, s.Close())
}

func TestMigrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	old := storetest.OpenAt(t, path)
	c := define(t, old)
	for i := range 200 {
		check(t, c.Put(fmt.Sprint(i), note{Title: "old", Rank: int64(i)}))
	}
	_ = must[*store.Collection[note]](t)(store.Define[note](old, "gone"))
	check(t, old.Close())

	ran := []string{}
	upper := store.Migration{Name: "Upper", Run: func(m *store.Migrator) error {
		ran = append(ran, "upper")
		return m.Transform("notes", func(key string, record json.RawMessage) (json.RawMessage, error) {
			if key == "13" {
				return nil, nil
			}
			return bytes.ReplaceAll(record, []byte(`"old"`), []byte(`"OLD"`)), nil
		})
	}}
	drop := store.Migration{Name: "Drop", Run: func(m *store.Migrator) error {
		ran = append(ran, "drop")
		return errors.Join(m.Drop("gone"), m.Drop("never"), m.Transform("never", nil))
	}}
	before := must[[]byte](t)(os.ReadFile(path))
	for name, bad := range map[string]func(*store.Migrator) error{
		"error": func(*store.Migrator) error { return errors.New("no") },
		"panic": func(*store.Migrator) error { panic("no") },
		"record": func(m *store.Migrator) error {
			return m.Transform("notes", func(string, json.RawMessage) (json.RawMessage, error) { return nil, errors.New("no") })
		},
	} {
		_, err := store.Open(path, store.Config{Logger: quiet(), Migrations: []store.Migration{upper, {Name: "Bad", Run: bad}}})
		if fault.CodeOf(err) != fault.Internal || !strings.Contains(err.Error(), `"Bad"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !bytes.Equal(before, must[[]byte](t)(os.ReadFile(path))) {
		t.Error("a migration that failed changed the file")
	}

	ran = ran[:0]
	s := storetest.OpenAt(t, path, upper)
	check(t, s.Close())
	s = storetest.OpenAt(t, path, upper, drop)
	if got := strings.Join(ran, " "); got != "upper drop" {
		t.Errorf("ran %s", got)
	}
	c = define(t, s)
	got := must[[]note](t)(c.List(store.Query{Index: "rank"}))
	if len(got) != 199 || got[0].Title != "OLD" {
		t.Errorf("%d records, the first %+v", len(got), got[0])
	}
	check(t, s.Close())

	before = must[[]byte](t)(os.ReadFile(path))
	_, err := store.Open(path, store.Config{Logger: quiet(), Migrations: []store.Migration{upper}})
	if !errors.Is(err, store.ErrNewer) || fault.CodeOf(err) != fault.Conflict {
		t.Errorf("a newer layout: %v", err)
	}
	damaged := bytes.Clone(before)
	for p := 2 * os.Getpagesize(); p < len(damaged); p += os.Getpagesize() {
		if damaged[p+8] == 1 {
			clear(damaged[p : p+os.Getpagesize()])
		}
	}
	for _, contents := range [][]byte{before, damaged} {
		check(t, os.WriteFile(path, contents, 0o600))
		if _, err := store.Open(path, store.Config{Logger: quiet(), Migrations: []store.Migration{upper}}); !errors.Is(err, store.ErrNewer) {
			t.Errorf("a newer layout: %v", err)
		}
		if !bytes.Equal(contents, must[[]byte](t)(os.ReadFile(path))) {
			t.Error("a file of a newer layout was changed")
		}
	}
	check(t, os.WriteFile(path, before, 0o600))
}
