package search_test

import (
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/search"
)

// corpus generates conversations with realistic word frequencies, including the
// numbers and names in tool outputs.
type corpus struct {
	words []string
	zipf  *rand.Zipf
	r     *rand.Rand
	bytes int
}

func newCorpus() *corpus {
	r := rand.New(rand.NewPCG(7, 7))
	c := &corpus{r: r, zipf: rand.NewZipf(r, 1.07, 4, 149_999)}
	syllables := strings.Fields("ba con der en fi go ha in jo ki lo mu ne or per qua re st ti un vo wa ex y za th ing er")
	for range 150_000 {
		var w strings.Builder
		for range 2 + r.IntN(4) {
			w.WriteString(syllables[r.IntN(len(syllables))])
		}
		c.words = append(c.words, w.String())
	}
	return c
}

func (c *corpus) text(size int) string {
	var b strings.Builder
	for b.Len() < size {
		switch c.r.IntN(25) {
		case 0:
			fmt.Fprintf(&b, "%d ", c.r.IntN(100_000))
		case 1:
			fmt.Fprintf(&b, "%08x\n", c.r.Uint32())
		default:
			b.WriteString(c.words[c.zipf.Uint64()])
			b.WriteByte(" ._/"[min(c.r.IntN(12), 3)])
		}
	}
	c.bytes += b.Len()
	return b.String()
}

// conversation returns about 1 MB.
func (c *corpus) conversation(n int) search.Update {
	u := search.Update{File: search.File{ID: fmt.Sprint("c", n), CWD: fmt.Sprint("/work/", n%40), Title: c.text(40)}}
	for size := 0; size < 1<<20; {
		d := search.Document{MessageID: fmt.Sprint("m", len(u.Documents)), At: int64(n*1000 + len(u.Documents)), Kind: search.ToolOutput, Model: "opus"}
		switch c.r.IntN(10) {
		case 0:
			d.Kind, d.Text = search.Prompt, c.text(150)
		case 1, 2, 3:
			d.Kind, d.Text = search.Answer, c.text(100+c.r.IntN(1200))
		case 4, 5, 6:
			d.Kind, d.Text = search.ToolInput, c.text(30+c.r.IntN(800))
		default:
			d.Text = c.text(30 + int(c.r.ExpFloat64()*2500))
		}
		u.Documents = append(u.Documents, d)
		size += len(d.Text)
	}
	return u
}

// fill indexes that many MB and returns the size of the text.
func fill(b *testing.B, x *search.Index, c *corpus, megabytes int) {
	for n := range megabytes {
		u := c.conversation(n)
		b.StartTimer()
		err := x.Index(b.Context(), u)
		b.StopTimer()
		if err != nil {
			b.Fatal(err)
		}
	}
	b.StartTimer()
	err := x.Commit()
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkIndex uses one worker and indexes 64 MB of text each time.
func BenchmarkIndex(b *testing.B) {
	c := newCorpus()
	var size int64
	b.ResetTimer()
	b.StopTimer()
	for range b.N {
		dir := b.TempDir()
		x, err := search.Open(dir, search.Config{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			b.Fatal(err)
		}
		fill(b, x, c, 64)
		x.Close()
		size += folderSize(b, dir)
	}
	b.ReportMetric(float64(c.bytes)/1e6/b.Elapsed().Seconds(), "MB/s")
	b.ReportMetric(float64(size)/float64(c.bytes), "disk/text")
}

func folderSize(b *testing.B, dir string) (n int64) {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		n += info.Size()
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkQuery queries an index of 128 MB of text, or of
// PARLEY_BENCH_TEXT (700 is the text in 2 GB of transcripts).
func BenchmarkQuery(b *testing.B) {
	megabytes := 128
	if s := os.Getenv("PARLEY_BENCH_TEXT"); s != "" {
		if _, err := fmt.Sscan(s, &megabytes); err != nil {
			b.Fatal(err)
		}
	}
	x := open(b, b.TempDir(), 0)
	c := newCorpus()
	fill(b, x, c, megabytes)
	x.Settle()
	common, rare := c.words[3], c.words[120_000]
	for _, q := range []struct{ name, text string }{
		{"common", common + " "}, {"rare", rare + " "}, {"two", common + " " + c.words[9] + " "}, {"three", common + " " + c.words[40] + " " + c.words[5000] + " "},
		{"letter", "s"}, {"letters2", "co"}, {"letters3", "con"}, {"letters5", "conde"}, {"typing", common + " r"},
		{"phrase", `"` + c.words[0] + " " + c.words[1] + `"`}, {"rarePhrase", `"` + common + " " + rare + `"`}, {"not", common + " -" + c.words[9] + " "},
		{"number", "404 "}, {"none", "qqqqq "}, {"newest", ""},
	} {
		b.Run(q.name, func(b *testing.B) {
			var times []time.Duration
			total := 0
			for b.Loop() {
				begun := time.Now()
				page, err := x.Query(b.Context(), search.Query{Text: q.text})
				if err != nil {
					b.Fatal(err)
				}
				times, total = append(times, time.Since(begun)), page.Total
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1e3, "p95-ms")
			b.ReportMetric(float64(total), "documents")
		})
	}
}
