package search

import (
	"context"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/search/textsearch"
)

const (
	// findPage is how many messages are read at once, findTime how long one call keeps reading, and
	// findHits approximately how many hits it returns.
	findPage = 200
	findTime = 200 * time.Millisecond
	findHits = 1000
)

// finder implements session.find. It reads the same pages as the timeline, so that every hit is a
// displayable message.
type finder struct {
	history func(ctx context.Context, id string, limit int, before string) (event.History, error)
}

// find is session.find.
func (f *finder) find(ctx context.Context, p FindParams) (FindPage, error) {
	q, err := textsearch.Parse(p.Text, p.MatchCase, p.Words)
	if err != nil {
		return FindPage{}, fault.New(fault.Invalid, "This cannot be searched for: %v (parameter text).", err)
	}
	out := FindPage{Hits: []FindHit{}, Before: p.Before}
	for begun := time.Now(); ; {
		page, err := f.history(ctx, p.SessionID, findPage, out.Before)
		if err != nil {
			return FindPage{}, err
		}
		hits := []FindHit{}
		for i := range page.Messages {
			for _, h := range q.Message(&page.Messages[i]) {
				out.Places += h.Count
				hits = append(hits, findHit(h))
			}
		}
		out.Hits = append(hits, out.Hits...)
		out.Messages += len(page.Messages)
		out.Total = max(out.Total, page.Total)
		out.Before = page.Before
		if !page.HasMore {
			out.Before = ""
		}
		if out.Before == "" || len(out.Hits) >= findHits || time.Since(begun) > findTime {
			return out, nil
		}
	}
}

func findHit(h textsearch.Hit) FindHit {
	marks := make([]SearchMark, 0, len(h.Marks))
	for _, m := range h.Marks {
		marks = append(marks, SearchMark{Start: m.Start, End: m.End})
	}
	return FindHit{
		MessageID: h.MessageID, ParentToolUseID: h.ParentToolUseID, BlockID: h.BlockID, Kind: h.Kind, Tool: h.Tool, At: h.At,
		Count: h.Count, Snippet: h.Snippet, Marks: marks,
	}
}
