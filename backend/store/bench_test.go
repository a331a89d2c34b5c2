package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/backend/store"
	"parley/backend/store/storetest"
)

const many = 10_000

// entry resembles a session's record.
type entry struct {
	ID, Workspace, CWD, Title, Engine, Model, Mode, CLI string
	At, Created                                         int64
	Pinned                                              bool
}

func filled(b *testing.B) (*store.Store, *store.Collection[entry]) {
	b.Helper()
	s := storetest.Open(b)
	c := must[*store.Collection[entry]](b)(store.Define(s, "entries",
		store.Index[entry]{Name: "at", Terms: func(e *entry) []string { return []string{store.Number(e.At)} }},
		store.Index[entry]{Name: "workspace", Terms: func(e *entry) []string { return []string{store.Term(e.Workspace, store.Number(e.At))} }},
		store.Index[entry]{Name: "cli", Terms: func(e *entry) []string { return []string{e.CLI} }},
	))
	check(b, s.Update(func(tx *store.Tx) error {
		for i := range many {
			if err := c.In(tx).Put(key(i), entry{
				ID: key(i), Workspace: fmt.Sprintf("3f6d1a52-0000-4000-8000-%012d", i%40), CLI: fmt.Sprintf("9a6d1a52-0000-4000-8000-%012d", i),
				CWD: fmt.Sprintf("/home/person/projects/some-project-%d", i%40), Title: fmt.Sprintf("Why does the build fail when the cache is cold, take %d", i),
				Engine: "cli", Model: "claude-sonnet-4-5-20250929", Mode: "acceptEdits", At: 1_700_000_000_000 + int64(i*7919%many)*1000, Created: 1_700_000_000_000,
			}); err != nil {
				return err
			}
		}
		return nil
	}))
	return s, c
}

func key(i int) string { return fmt.Sprintf("7c9e6679-7425-40de-944b-%012d", i) }

func BenchmarkPage(b *testing.B) {
	_, c := filled(b)
	for b.Loop() {
		page := must[[]entry](b)(c.List(store.Query{Index: "at", Reverse: true, Offset: 200, Limit: 100}))
		total := must[int](b)(c.Count(store.Query{Index: "at"}))
		if len(page) != 100 || total != many {
			b.Fatal(len(page), total)
		}
	}
}

func BenchmarkListAll(b *testing.B) {
	_, c := filled(b)
	for b.Loop() {
		if all := must[[]entry](b)(c.List(store.Query{Index: "at", Reverse: true})); len(all) != many {
			b.Fatal(len(all))
		}
	}
}

func BenchmarkCountByTerm(b *testing.B) {
	_, c := filled(b)
	for b.Loop() {
		counts := map[string]int{}
		check(b, c.Keys(store.Query{Index: "workspace"}, func(term, _ string) bool { counts[term[:36]]++; return true }))
		if len(counts) != 40 {
			b.Fatal(len(counts))
		}
	}
}

func BenchmarkGet(b *testing.B) {
	_, c := filled(b)
	i := 0
	for b.Loop() {
		_ = must[entry](b)(c.Get(key(i % many)))
		i++
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, writers := range []int{1, 8} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			_, c := filled(b)
			var mu sync.Mutex
			var took []time.Duration
			work := make(chan int)
			var wg sync.WaitGroup
			for range writers {
				wg.Go(func() {
					for i := range work {
						start := time.Now()
						if _, err := c.Update(key(i%many), func(e *entry) error { e.At += 12345; return nil }); err != nil {
							b.Error(err)
						}
						mu.Lock()
						took = append(took, time.Since(start))
						mu.Unlock()
					}
				})
			}
			for i := 0; b.Loop(); i++ {
				work <- i * 31
			}
			close(work)
			wg.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
		})
	}
}

// BenchmarkOpen measures the whole check of the file, and bbolt's own open.
func BenchmarkOpen(b *testing.B) {
	s, _ := filled(b)
	check(b, s.Close())
	file := must[[]byte](b)(os.ReadFile(s.Path()))
	path := filepath.Join(b.TempDir(), "store.db")
	check(b, os.WriteFile(path, file, 0o600))
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		s, err := store.Open(path, store.Config{Logger: quiet()})
		check(b, err)
		check(b, s.Close())
	}
}
