package history_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"parley/backend/claude/history"
	"parley/backend/claude/history/corpus"
)

// measured returns the corpus for measurements: a small generated one, or the folder
// named by PARLEY_CORPUS, where a full one is generated if missing.
func measured(t testing.TB) corpus.Report {
	t.Helper()
	dir, options := os.Getenv("PARLEY_CORPUS"), corpus.Full()
	if dir == "" {
		dir, options = t.TempDir(), corpus.Small()
	} else if _, err := os.Stat(filepath.Join(dir, "projects")); err == nil {
		return corpus.Plan(dir, options)
	}
	r, err := corpus.Write(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// memory is a cache that lives as long as the test. It stores encoded records
// as a store would.
type memory struct {
	mu      sync.Mutex
	records map[string][]byte
	saves   int
}

func (m *memory) Load(context.Context) (map[string]history.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string]history.Record, len(m.records))
	for path, encoded := range m.records {
		var r history.Record
		if err := json.Unmarshal(encoded, &r); err != nil {
			return nil, err
		}
		out[path] = r
	}
	return out, nil
}

func (m *memory) Save(_ context.Context, put map[string]history.Record, remove []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saves++
	for path, r := range put {
		encoded, err := json.Marshal(r)
		if err != nil {
			return err
		}
		m.records[path] = encoded
	}
	for _, path := range remove {
		delete(m.records, path)
	}
	return nil
}

func newMemory() *memory { return &memory{records: make(map[string][]byte)} }

func BenchmarkListCold(b *testing.B) {
	r := measured(b)
	for b.Loop() {
		c := history.NewCatalog(history.Config{Root: r.Root})
		if err := c.Scan(b.Context()); err != nil || c.Counts().Shown != r.Shown {
			b.Fatal(err, c.Counts())
		}
	}
	b.ReportMetric(float64(r.Files), "files")
}

func BenchmarkListWarm(b *testing.B) {
	r := measured(b)
	cache := newMemory()
	first := history.NewCatalog(history.Config{Root: r.Root, Cache: cache})
	if err := errors.Join(first.Scan(b.Context()), first.Index(b.Context(), nil)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c := history.NewCatalog(history.Config{Root: r.Root, Cache: cache})
		if err := c.Scan(b.Context()); err != nil || len(c.Entries()) != r.Shown {
			b.Fatal(err, c.Counts())
		}
	}
}

func BenchmarkNewestPage(b *testing.B) {
	r := measured(b)
	for name, path := range map[string]string{"largest": r.Largest, "long-line": r.LongLine} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p, err := history.Open(path).Page(b.Context(), 50, "")
				if err != nil || len(p.Messages) < 10 {
					b.Fatal(len(p.Messages), err)
				}
				b.ReportMetric(float64(p.Read), "B/page")
			}
		})
	}
}

func BenchmarkIndex(b *testing.B) {
	r := measured(b)
	for name, accounts := range map[string]interface{ Told(history.Account) error }{
		"messages": nil, "and accounts": telling(func(history.Account) error { return nil }),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c := history.NewCatalog(history.Config{Root: r.Root, Cache: newMemory(), Accounts: accounts})
				if err := c.Scan(b.Context()); err != nil {
					b.Fatal(err)
				}
				var last history.Progress
				start := time.Now()
				if err := c.Index(b.Context(), func(p history.Progress) { last = p }); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(last.BytesDone)/1e6/time.Since(start).Seconds(), "MB/s")
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.Sys)/1e6, "MB-sys")
			}
		})
	}
}

func BenchmarkTexts(b *testing.B) {
	r := measured(b)
	info, err := os.Stat(r.Largest)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		n := 0
		if _, err := history.Open(r.Largest).Texts(b.Context(), 0, func(x history.Text) error { n += len(x.Text); return nil }); err != nil || n == 0 {
			b.Fatal(n, err)
		}
	}
}
