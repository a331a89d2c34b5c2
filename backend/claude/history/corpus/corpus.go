// Package corpus generates transcripts like the CLI's, in any number and size, to
// measure and test what reads them. The same options give the same bytes.
//
// The conversations are invented: the words are random, the lines have the CLI's
// format. In addition there are files with faults: truncated lines, a very long
// line, noise, and files that aren't conversations.
//
//	go run ./backend/claude/history/corpus/write -dir /tmp/corpus
//
// It runs one worker per CPU and waits for them.
package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// Options configures the corpus. Zero values mean the defaults of [Full].
type Options struct {
	Seed uint64
	// Files is the number of conversations, not counting faults.
	Files int
	// Bytes is their total size, Largest the size of the biggest one.
	Bytes, Largest int64
	// LongLine is the length of the longest line of the file that has one.
	LongLine int64
}

// Full is the corpus for the performance budgets: 2,000 conversations with 2 GB,
// one of them with 500 MB.
func Full() Options {
	return Options{Seed: 1, Files: 2000, Bytes: 2 << 30, Largest: 500 << 20, LongLine: 100 << 20}
}

// Small has the same structure at a hundredth of the size.
func Small() Options {
	return Options{Seed: 1, Files: 200, Bytes: 20 << 20, Largest: 5 << 20, LongLine: 12 << 20}
}

// Report describes what was written.
type Report struct {
	// Root is the projects folder.
	Root string
	// Files and Bytes count everything, including faults.
	Files int
	Bytes int64
	// Largest is the biggest conversation, LongLine the one with the long line.
	Largest, LongLine string
	// Shown is how many of the files are visible conversations, Hidden how many
	// aren't, by reason.
	Shown  int
	Hidden map[string]int
	// Needle is a word that only occurs in the middle of the biggest conversation.
	Needle string
}

// base is when the oldest conversation starts.
func base() time.Time { return time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC) }

// Plan returns what Write would write, or has written. Sizes are unknown.
func Plan(dir string, o Options) Report {
	r, _ := lay(dir, o)
	return r
}

// lay fills in the defaults and plans the files.
func lay(dir string, o Options) (Report, []job) {
	full := Full()
	if o.Files == 0 {
		o.Files = full.Files
	}
	if o.Bytes == 0 {
		o.Bytes = full.Bytes
	}
	if o.Largest == 0 {
		o.Largest = min(full.Largest, o.Bytes/4)
	}
	if o.LongLine == 0 {
		o.LongLine = full.LongLine
	}
	r := Report{Root: filepath.Join(dir, "projects"), Hidden: make(map[string]int), Needle: "kingfisherneedle"}
	jobs := plan(o, &r)
	r.Files = len(jobs)
	return r, jobs
}

// Write writes a corpus into dir/projects, which must not exist.
func Write(dir string, o Options) (Report, error) {
	r, jobs := lay(dir, o)
	if _, err := os.Stat(r.Root); err == nil {
		return r, errors.New("there is a corpus already: " + r.Root)
	}
	text := newPool(o.Seed)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, j := range jobs {
		group.Go(func() error { return j.write(text) })
	}
	if err := group.Wait(); err != nil {
		return r, err
	}
	for _, j := range jobs {
		info, err := os.Stat(j.path)
		if err != nil {
			return r, err
		}
		r.Bytes += info.Size()
	}
	return r, nil
}

// job is one file to be written.
type job struct {
	path, cwd, id string
	seed          uint64
	n             int
	bytes         int64
	kind          string
	longLine      int64
	needle        string
	at            time.Time
}

// folderName returns the CLI's name for a project's folder.
func folderName(cwd string) string {
	return regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(cwd, "-")
}

// plan plans the files with a realistic size distribution: many small ones and
// few big ones.
func plan(o Options, r *Report) []job {
	rnd := rand.New(rand.NewPCG(o.Seed, 77))
	weights := make([]float64, o.Files)
	sum := 0.0
	for i := 1; i < o.Files; i++ {
		w := rnd.NormFloat64()
		weights[i] = 0.02 + w*w*w*w // most near zero, some many times the mean
		sum += weights[i]
	}
	var jobs []job
	add := func(kind string, bytes int64) *job {
		n := len(jobs)
		cwd := fmt.Sprintf("/home/user/work/project %02d.x", n%40)
		id := newID(rand.New(rand.NewPCG(o.Seed, uint64(n)+1000)))
		name := id
		if kind == "sidechain" {
			name = "agent-" + id[:8]
		}
		jobs = append(jobs, job{
			path: filepath.Join(r.Root, folderName(cwd), name+".jsonl"), cwd: cwd, id: id,
			seed: o.Seed, n: n, bytes: bytes, kind: kind,
			at: base().Add(time.Duration(n) * 3 * time.Hour),
		})
		return &jobs[n]
	}
	for i := range o.Files {
		size := o.Largest
		if i > 0 {
			size = max(4<<10, int64(weights[i]/sum*float64(o.Bytes-o.Largest)))
		}
		j := add("conversation", size)
		if i == 0 {
			r.Largest, j.needle = j.path, r.Needle
			j.at = base().Add(time.Hour)
		}
	}
	for _, kind := range []string{"cut", "broken", "cut", "broken"} {
		add(kind, 200<<10)
	}
	long := add("long", 200<<10)
	long.longLine, r.LongLine = o.LongLine, long.path
	r.Shown = len(jobs)
	for range max(3, o.Files/100) {
		for _, hidden := range [][2]string{{"empty", "empty"}, {"sidechain", "sidechain"}, {"warmup", "warmup"}, {"noise", "damaged"}} {
			add(hidden[0], 40<<10)
			r.Hidden[hidden[1]]++
		}
	}
	return jobs
}

func (j job) write(text *pool) error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(j.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := &writer{
		Writer: bufio.NewWriterSize(f, 1<<20), job: j, text: text,
		rnd: rand.New(rand.NewPCG(j.seed, uint64(j.n)+1)), now: j.at,
	}
	w.file()
	err = errors.Join(w.Flush(), f.Close())
	if err == nil {
		err = os.Chtimes(j.path, w.now, w.now)
	}
	return err
}

func newID(rnd *rand.Rand) string {
	a, b := rnd.Uint64(), rnd.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffffffffffff)
}

// pool is text that conversations are cut from: words as in JSON strings.
type pool struct {
	text  string
	words []int // where words start
}

func newPool(seed uint64) *pool {
	rnd := rand.New(rand.NewPCG(seed, 5))
	syllables := strings.Fields("ka lo mi ren tos ul ba der fin gan hel jo kur lan mon nis or pe quil ras sen tam vor wi xan yel zu ström é 码 🙂")
	vocabulary := make([]string, 4000)
	for i := range vocabulary {
		for range 1 + rnd.IntN(4) {
			vocabulary[i] += syllables[rnd.IntN(len(syllables))]
		}
	}
	var b strings.Builder
	p := &pool{}
	for b.Len() < 1<<20 {
		p.words = append(p.words, b.Len())
		b.WriteString(vocabulary[min(rnd.IntN(4000), rnd.IntN(4000))])
		switch rnd.IntN(30) {
		case 0:
			b.WriteString(`.\n`)
		case 1:
			b.WriteString(`\n\n`)
		case 2:
			b.WriteString(` \"x\": {\t[1]} `)
		default:
			b.WriteString(" ")
		}
	}
	p.text = b.String()
	return p
}

// take returns about n bytes, cut between words.
func (p *pool) take(rnd *rand.Rand, n int) string {
	n = min(n, len(p.text)/2)
	from := rnd.IntN(len(p.words) / 2)
	to := from
	for to < len(p.words)-1 && p.words[to]-p.words[from] < n {
		to += max(1, (n-p.words[to]+p.words[from])/16)
		to = min(to, len(p.words)-1)
	}
	return strings.TrimRight(p.text[p.words[from]:p.words[to]], " ")
}
