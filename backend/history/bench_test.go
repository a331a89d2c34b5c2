package history_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"parley/backend/history"
	"parley/backend/history/corpus"
)

// measured returns the corpus that is measured with: a small one, made anew, or the
// folder that PARLEY_CORPUS names, where a full one is made when it is not there.
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

// memory is a cache that lives as long as the test.
type memory struct {
	mu      sync.Mutex
	records map[string]history.Record
	saves   int
}

func (m *memory) Load(context.Context) (map[string]history.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string]history.Record, len(m.records))
	for path, r := range m.records {
		out[path] = r
	}
	return out, nil
}

func (m *memory) Save(_ context.Context, put map[string]history.Record, remove []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saves++
	for path, r := range put {
		m.records[path] = r
	}
	for _, path := range remove {
		delete(m.records, path)
	}
	return nil
}

func newMemory() *memory { return &memory{records: make(map[string]history.Record)} }

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
	if err := history.NewCatalog(history.Config{Root: r.Root, Cache: cache}).Scan(b.Context()); err != nil {
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
				if err != nil || len(p.Messages) < 50 {
					b.Fatal(len(p.Messages), err)
				}
				b.ReportMetric(float64(p.Read), "B/page")
			}
		})
	}
}

func BenchmarkIndex(b *testing.B) {
	r := measured(b)
	for b.Loop() {
		c := history.NewCatalog(history.Config{Root: r.Root, Cache: newMemory()})
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
}
