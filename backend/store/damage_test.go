package store_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"parley/backend/store"
	"parley/backend/store/storetest"
)

// sample writes a store with several levels of pages, multi-page values, and free
// pages in between. It returns the file and its records.
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

// reopened is the result of reopening a file.
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

// subset fails if a record is invented.
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
			continue // after the last page there is nothing to lose
		}
		for _, size := range []int{size, size + 1, size - 1} {
			if size < 0 || size > len(file) {
				continue
			}
			got := reopen(t, file[:size])
			// If neither tree nor free list is left, there may be older copies.
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

// usedPages asks bbolt how much of the file is in use.
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
		for i := range 64 { // most errors are possible in heads
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
		if bad[p+8] == 1 { // a branch page: the leaves below are intact, but unreachable
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
