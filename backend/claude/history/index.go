package history

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Progress is the progress of counting.
type Progress struct {
	Files, FilesDone int
	Bytes, BytesDone int64
}

// saveEvery is how often counting saves its results.
const saveEvery = 2 * time.Second

// Index counts the messages of the visible conversations, most recently changed
// first, and continues where it ended before. It calls report with the progress, one
// call at a time and at most about ten times a second, and once at the end; it may
// be nil. Index ends when everything is counted or ctx ends; entries get their
// counts along the way.
func (c *Catalog) Index(ctx context.Context, report func(Progress)) error {
	type job struct {
		path string
		from *Record
		todo int64
	}
	var jobs []job
	var mu sync.Mutex
	var p Progress
	c.mu.Lock()
	for path, r := range c.records {
		// A subagent's file is hidden, but it was paid for.
		paid := r.Entry.Hidden == Sidechain && c.cfg.Accounts != nil
		if r.Entry.Hidden != "" && !paid || r.Totals != nil && r.Totals.Size == r.Size {
			continue
		}
		todo := r.Size
		if r.Totals != nil && r.Totals.End < r.Size {
			todo -= r.Totals.End
		}
		jobs = append(jobs, job{path, r, todo})
		p.Bytes += todo
	}
	c.mu.Unlock()
	p.Files = len(jobs)
	slices.SortFunc(jobs, func(a, b job) int { return cmp.Compare(b.from.ModTime, a.from.ModTime) })
	reported, saved := time.Now(), time.Now()
	tell := func(last bool) { // the caller holds mu
		if report != nil && (last || time.Since(reported) >= 100*time.Millisecond) {
			reported = time.Now()
			report(p)
		}
	}
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(c.cfg.Workers)
	for _, j := range jobs {
		if gctx.Err() != nil {
			break
		}
		group.Go(func() error {
			totals, err := Open(j.path).Count(gctx, j.from.Totals.clone(), func(n int64) {
				mu.Lock()
				defer mu.Unlock()
				p.BytesDone += n
				tell(false)
			}, c.account(j.path))
			if gctx.Err() != nil {
				return gctx.Err()
			}
			if err != nil {
				c.cfg.Log.Warn("Couldn't count a conversation's messages", "err", err)
			} else {
				c.counted(j.path, totals)
			}
			mu.Lock()
			defer mu.Unlock()
			p.FilesDone++
			tell(false)
			if time.Since(saved) >= saveEvery {
				saved = time.Now()
				c.trySave(ctx)
			}
			return nil
		})
	}
	err := group.Wait()
	c.scanning.Lock()
	c.save(ctx)
	c.scanning.Unlock()
	mu.Lock()
	defer mu.Unlock()
	tell(true)
	return err
}

// account returns the receiver of the accounts in a file, nil for none.
func (c *Catalog) account(path string) func(Account) error {
	if c.cfg.Accounts == nil {
		return nil
	}
	id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	return func(a Account) error {
		a.ID = id
		return c.cfg.Accounts.Told(a)
	}
}

// trySave saves unless the folders are being scanned, which saves anyway.
func (c *Catalog) trySave(ctx context.Context) {
	if c.scanning.TryLock() {
		c.save(ctx)
		c.scanning.Unlock()
	}
}

// counted records a count.
func (c *Catalog) counted(path string, t Totals) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.records[path]
	if old == nil {
		return // removed since
	}
	r := *old
	r.Totals = &t
	r.Entry.Messages, r.Entry.Counted = t.Messages, t.Size
	if r.Entry.TitleSource == "" || r.Entry.TitleSource == sourcePrompt {
		(&summary{titles: map[string]string{}}).title(&r.Entry, &t)
	}
	c.records[path] = &r
	c.dirty[path] = true
}
