package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
	"parley/backend/store"
	"parley/backend/store/storetest"
)

type note struct {
	Title string   `json:"title"`
	Tags  []string `json:"tags,omitempty"`
	Slug  string   `json:"slug,omitempty"`
	Rank  int64    `json:"rank,omitempty"`
	Place *place   `json:"place,omitempty"`
}

type place struct {
	Street string `json:"street,omitempty"`
	Town   string `json:"town"`
}

func indexes() []store.Index[note] {
	return []store.Index[note]{
		{Name: "tag", Terms: func(n *note) []string { return n.Tags }},
		{Name: "rank", Terms: func(n *note) []string { return []string{store.Number(n.Rank)} }},
		{Name: "slug", Unique: true, Terms: func(n *note) []string {
			if n.Slug == "" {
				return nil
			}
			return []string{n.Slug}
		}},
	}
}

func define(t testing.TB, s *store.Store) *store.Collection[note] {
	t.Helper()
	c, err := store.Define(s, "notes", indexes()...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRecords(t *testing.T) {
	c := define(t, storetest.Open(t))

	if _, err := c.Get("a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("missing: %v", err)
	}
	if _, err := c.Update("a", func(*note) error { return nil }); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("update of a missing one: %v", err)
	}
	check(t, c.Delete("a"))

	want := note{Title: "One", Tags: []string{"x", "y"}, Rank: 3, Place: &place{Town: "T"}}
	check(t, c.Put("a", want))
	if diff := cmp.Diff(want, must[note](t)(c.Get("a"))); diff != "" {
		t.Error(diff)
	}
	got := must[note](t)(c.Update("a", func(n *note) error { n.Title = "Two"; return nil }))
	if got.Title != "Two" || must[note](t)(c.Get("a")).Title != "Two" {
		t.Errorf("after the update: %+v", got)
	}
	refused := errors.New("refused")
	if _, err := c.Update("a", func(n *note) error { n.Title = "Three"; return refused }); !errors.Is(err, refused) {
		t.Errorf("refused update: %v", err)
	}
	if got := must[note](t)(c.Get("a")); got.Title != "Two" {
		t.Errorf("a refused update changed it to %q", got.Title)
	}
	check(t, c.Delete("a"))
	if _, err := c.Get("a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	for _, x := range indexes() {
		if n := must[int](t)(c.Count(store.Query{Index: x.Name})); n != 0 {
			t.Errorf("index %s has %d entries left", x.Name, n)
		}
	}
}

func TestWhatCannotBeStored(t *testing.T) {
	s := storetest.Open(t)
	c := define(t, s)
	check(t, c.Put("first", note{Slug: "s"}))
	tests := []struct {
		name, key string
		value     note
		want      error
	}{
		{"empty key", "", note{}, store.ErrInvalid},
		{"zero in the key", "a\x00b", note{}, store.ErrInvalid},
		{"long key", strings.Repeat("k", store.MaxKey+1), note{}, store.ErrInvalid},
		{"empty term", "a", note{Tags: []string{""}}, store.ErrInvalid},
		{"zero in a term", "a", note{Tags: []string{"x\x00"}}, store.ErrInvalid},
		{"long term", "a", note{Tags: []string{strings.Repeat("t", store.MaxKey+1)}}, store.ErrInvalid},
		{"too large", "a", note{Title: strings.Repeat("x", store.MaxRecord)}, store.ErrInvalid},
		{"taken slug", "a", note{Slug: "s", Tags: []string{"x"}}, store.ErrDuplicate},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := c.Put(tt.key, tt.value); !errors.Is(err, tt.want) {
				t.Errorf("got %v", err)
			}
			// A caller that continues after the error must not commit half of it.
			check(t, s.Update(func(tx *store.Tx) error {
				if err := c.In(tx).Put(tt.key, tt.value); !errors.Is(err, tt.want) {
					t.Errorf("in a transaction: %v", err)
				}
				return nil
			}))
			for q, want := range map[store.Query]int{{}: 1, {Index: "tag"}: 0, {Index: "rank"}: 1, {Index: "slug"}: 1} {
				if n := must[int](t)(c.Count(q)); n != want {
					t.Errorf("%+v has %d entries, want %d", q, n, want)
				}
			}
		})
	}
	check(t, c.Put("first", note{Slug: "s", Title: "Itself"}))
	for _, name := range []string{"", "Notes", "no/tes", "no\x00tes"} {
		if _, err := store.Define[note](s, name); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("collection %q: %v", name, err)
		}
	}
	if _, err := c.List(store.Query{Index: "none"}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown index: %v", err)
	}
}

func TestPutAll(t *testing.T) {
	c := define(t, storetest.Open(t))
	check(t, c.PutAll(map[string]note{"b": {Title: "B"}, "a": {Title: "A"}}))
	if err := c.PutAll(map[string]note{"c": {Title: "C"}, "": {}}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("with one that cannot be stored: %v", err)
	}
	if diff := cmp.Diff([]note{{Title: "A"}, {Title: "B"}}, must[[]note](t)(c.All())); diff != "" {
		t.Error(diff)
	}
}

func TestTransactionsAreWhole(t *testing.T) {
	s := storetest.Open(t)
	c := define(t, s)
	check(t, c.Put("a", note{Title: "Before", Rank: 1}))

	failed := errors.New("failed")
	err := s.Update(func(tx *store.Tx) error {
		check(t, c.In(tx).Put("a", note{Title: "After", Rank: 2}))
		check(t, c.In(tx).Put("b", note{Title: "New"}))
		check(t, c.In(tx).Delete("a"))
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	func() {
		defer func() {
			if p := recover(); p == nil {
				t.Error("a panic of the caller was swallowed")
			}
		}()
		_ = s.Update(func(tx *store.Tx) error {
			check(t, c.In(tx).Put("c", note{}))
			var nothing *note
			nothing.Title = "boom"
			return nil
		})
	}()
	var kept *store.Tx
	check(t, s.View(func(tx *store.Tx) error { kept = tx; return nil }))
	if _, err := c.In(kept).Get("a"); !errors.Is(err, store.ErrClosed) {
		t.Errorf("a transaction that is over: %v", err)
	}
	if err := s.View(func(tx *store.Tx) error { return c.In(tx).Put("d", note{}) }); err == nil {
		t.Error("a reading transaction wrote")
	}
	got := must[[]note](t)(c.List(store.Query{Index: "rank"}))
	if diff := cmp.Diff([]note{{Title: "Before", Rank: 1}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownFieldsSurvive(t *testing.T) {
	type newerPlace struct {
		place
		Zip   string            `json:"zip"`
		Extra map[string]string `json:"extra"`
	}
	type newer struct {
		Title  string     `json:"title"`
		Colour string     `json:"colour"`
		Place  newerPlace `json:"place"`
	}
	path := filepath.Join(t.TempDir(), "store.db")
	s := storetest.OpenAt(t, path)
	later := must[*store.Collection[newer]](t)(store.Define[newer](s, "notes"))
	written := newer{Title: "One", Colour: "red", Place: newerPlace{place{Town: "T"}, "1010", map[string]string{"a": "b"}}}
	check(t, later.Put("a", written))

	earlier := define(t, s)
	_ = must[note](t)(earlier.Update("a", func(n *note) error { n.Title = "Two"; n.Place.Street = "S"; return nil }))
	written.Title, written.Place.Street = "Two", "S"
	if diff := cmp.Diff(written, must[newer](t)(later.Get("a")), cmp.AllowUnexported(newerPlace{})); diff != "" {
		t.Errorf("after an update: %s", diff)
	}
	check(t, earlier.Put("a", note{Title: "Three", Place: &place{Town: "U"}}))
	written.Title, written.Place.place = "Three", place{Town: "U"}
	if diff := cmp.Diff(written, must[newer](t)(later.Get("a")), cmp.AllowUnexported(newerPlace{})); diff != "" {
		t.Errorf("after a replacement: %s", diff)
	}
	check(t, earlier.Put("a", note{Title: "Four"}))
	if got := must[newer](t)(later.Get("a")); got.Colour != "red" || got.Place.Zip != "" {
		t.Errorf("after the object went: %+v", got)
	}
	check(t, earlier.Delete("a"))
	check(t, earlier.Put("a", note{Title: "New"}))
	if got := must[newer](t)(later.Get("a")); got.Colour != "" {
		t.Errorf("a new record has something of the old: %+v", got)
	}
}

func TestRecordsThatCannotBeRead(t *testing.T) {
	s := storetest.Open(t)
	other := must[*store.Collection[map[string]any]](t)(store.Define[map[string]any](s, "notes"))
	check(t, other.Put("bad", map[string]any{"title": 5}))
	c := define(t, s)
	check(t, c.Put("good", note{Title: "Good", Rank: 1}))

	if _, err := c.Get("bad"); !errors.Is(err, store.ErrUnreadable) {
		t.Errorf("get: %v", err)
	}
	if got := must[[]note](t)(c.List(store.Query{})); len(got) != 1 || got[0].Title != "Good" {
		t.Errorf("list: %+v", got)
	}
	check(t, c.Put("bad", note{Title: "Mended", Rank: 2}))
	if got := must[[]note](t)(c.List(store.Query{Index: "rank"})); len(got) != 2 || got[1].Title != "Mended" {
		t.Errorf("after mending: %+v", got)
	}
	check(t, other.Put("worse", map[string]any{"title": 5}))
	c = define(t, s)
	check(t, c.Delete("worse"))
	if n := must[int](t)(c.Count(store.Query{})); n != 2 {
		t.Errorf("%d records", n)
	}
}

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := storetest.OpenAt(t, path)
	check(t, define(t, s).Put("a", note{Title: "One"}))

	_, err := store.Open(path, store.Config{Logger: storetest.Logger(t), Timeout: 1})
	if fault.CodeOf(err) != fault.Conflict || !errors.Is(err, store.ErrLocked) || !strings.Contains(fault.MessageOf(err), "Another Parley") {
		t.Errorf("a second one: %v", err)
	}
	check(t, s.Close())
	check(t, s.Close())
	if _, err := store.Define[note](s, "notes"); !errors.Is(err, store.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
	if runtime.GOOS != "windows" {
		check(t, os.Chmod(path, 0o644))
	}
	s = storetest.OpenAt(t, path)
	if s.Report().Rebuilt {
		t.Errorf("report: %+v", s.Report())
	}
	if got := must[note](t)(define(t, s).Get("a")); got.Title != "One" {
		t.Errorf("got %+v", got)
	}
	if info := must[os.FileInfo](t)(os.Stat(path)); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestConcurrentUse(t *testing.T) {
	s := storetest.Open(t)
	c := define(t, s)
	check(t, c.Put("sum", note{}))
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 25 {
				if _, err := c.Update("sum", func(n *note) error { n.Rank++; return nil }); err != nil {
					t.Error(err)
				}
				if err := c.Put(fmt.Sprintf("%d-%d", w, i), note{Tags: []string{"t"}}); err != nil {
					t.Error(err)
				}
				if err := s.View(func(tx *store.Tx) error {
					all, err := c.In(tx).Count(store.Query{})
					if err != nil {
						return err
					}
					ranked, err := c.In(tx).Count(store.Query{Index: "rank"})
					if all != ranked {
						t.Errorf("%d records, %d in the index", all, ranked)
					}
					return err
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := must[note](t)(c.Get("sum")); got.Rank != 100 {
		t.Errorf("sum %d", got.Rank)
	}
	// Close waits for running transactions.
	started, proceed := make(chan struct{}), make(chan struct{})
	wg.Go(func() {
		if err := s.Update(func(tx *store.Tx) error {
			close(started)
			<-proceed
			return c.In(tx).Put("last", note{})
		}); err != nil {
			t.Error(err)
		}
	})
	<-started
	wg.Go(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	close(proceed)
	wg.Wait()
	reopened := storetest.OpenAt(t, s.Path())
	if _, err := define(t, reopened).Get("last"); err != nil {
		t.Error(err)
	}
}
