package search

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"
)

const (
	mostResults = 100
	mostOffset  = 1000
	// mostRead is how many documents are read to check whether words are adjacent, in
	// batches, by several readers.
	mostRead  = 1000
	readBatch = 100
	readers   = 2
)

// Hit is one result: its location, and why it matched.
type Hit struct {
	Transcript File `json:"transcript"`
	// MessageID and Offset are the jump target; they are empty for a title.
	MessageID string `json:"messageId,omitempty"`
	Offset    int64  `json:"offset"`
	// Time is the document's, in Unix milliseconds.
	Time    int64   `json:"time"`
	Kind    Kind    `json:"kind"`
	Model   string  `json:"model,omitempty"`
	Tool    string  `json:"tool,omitempty"`
	IsError bool    `json:"isError,omitempty"`
	Snippet Snippet `json:"snippet"`
}

// Page is a part of the results, best first; among similar ones, newest first.
type Page struct {
	Hits []Hit `json:"hits"`
	// Total is the number of matching documents. Exact is false if there may be more,
	// because not all were read to check whether words are adjacent.
	Total int  `json:"total"`
	Exact bool `json:"exact"`
	// More is true if a page follows.
	More bool `json:"more"`
}

// Query searches documents. Its errors are those of the context and the disk,
// [ErrClosed] and [ErrDamaged]; no query is invalid.
func (x *Index) Query(ctx context.Context, q Query) (Page, error) {
	v, err := x.view()
	if err != nil {
		return Page{}, err
	}
	page, err := v.query(ctx, q)
	x.let(v)
	if errors.Is(err, ErrDamaged) {
		x.reset(err)
	}
	return page, err
}

func (v *view) query(ctx context.Context, q Query) (Page, error) {
	p := parse(q.Text)
	if q.Limit <= 0 {
		q.Limit = 20
	}
	q.Limit, q.Offset = min(q.Limit, mostResults), min(max(q.Offset, 0), mostOffset)
	want := q.Offset + q.Limit
	keep := want
	if p.needsText() {
		keep = mostRead
	}
	m, err := v.match(ctx, &q, p, keep)
	if err != nil {
		return Page{}, err
	}
	page := Page{Total: m.total, Exact: true}
	reader := &reader{}
	list := m.best.sorted()
	if p.needsText() {
		kept, read, err := confirm(ctx, list, p, want)
		if err != nil {
			return Page{}, err
		}
		page.Exact, page.Total = read == m.total, len(kept)
		page.More = len(kept) > want
		list = kept
	} else {
		page.More = m.total > want
	}
	page.More = page.More && q.Offset+q.Limit <= mostOffset
	list = list[min(q.Offset, len(list)):min(want, len(list))]
	page.Hits = make([]Hit, 0, len(list))
	for i := range list {
		h, err := reader.hit(&list[i], p)
		if err != nil {
			return Page{}, err
		}
		page.Hits = append(page.Hits, h)
	}
	return page, nil
}

// needsText reports whether the words alone don't decide.
func (p plan) needsText() bool {
	for _, c := range p.must {
		if len(c) > 1 {
			return true
		}
	}
	for _, c := range p.not {
		if len(c) > 1 {
			return true
		}
	}
	return false
}

// confirm keeps the candidates whose texts contain the adjacent words, until there
// are more than wanted, and returns how many were read.
func confirm(ctx context.Context, list []candidate, p plan, want int) (kept []candidate, read int, err error) {
	kept = list[:0]
	var all [readers]reader
	for read < len(list) && len(kept) <= want {
		batch := list[read:min(len(list), read+readBatch)]
		read += len(batch)
		good := make([]bool, len(batch))
		group, ctx := errgroup.WithContext(ctx)
		for n := range all {
			group.Go(func() error {
				for i := n; i < len(batch); i += readers {
					if err := ctx.Err(); err != nil {
						return err
					}
					var err error
					if good[i], err = all[n].confirm(&batch[i], p); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return nil, read, err
		}
		for i, ok := range good {
			if ok {
				kept = append(kept, batch[i])
			}
		}
	}
	return kept, read, nil
}

// reader reads the texts of candidates, one after the other.
type reader struct {
	block unpacked
}

// confirm checks the text of a candidate for adjacent words.
func (r *reader) confirm(c *candidate, p plan) (bool, error) {
	if c.title != nil {
		return true, nil // decided by its words
	}
	d, err := r.block.document(c.part.segment, c.doc)
	if err != nil {
		return false, err
	}
	for _, m := range p.must {
		if len(m) > 1 && !m.in(d.text) {
			return false, nil
		}
	}
	for _, n := range p.not {
		if len(n) > 1 && n.in(d.text) {
			return false, nil
		}
	}
	return true, nil
}

// hit creates a result.
func (r *reader) hit(c *candidate, p plan) (Hit, error) {
	if c.title != nil {
		return Hit{Transcript: c.title.File, Time: c.at, Kind: Title, Snippet: snippet(c.title.Title, p)}, nil
	}
	d, err := r.block.document(c.part.segment, c.doc)
	if err != nil {
		return Hit{}, err
	}
	col := c.part.column(c.doc)
	return Hit{
		Transcript: c.part.of[col.source()].File, MessageID: d.message, Offset: d.offset, Time: c.at,
		Kind: col.kind(), Model: c.part.table.Models[col.model()], Tool: d.tool, IsError: col.failed(), Snippet: snippet(d.text, p),
	}, nil
}
