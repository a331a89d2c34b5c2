package search

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/search"
)

// Limits of a search.
const (
	defaultHits  = 30
	maxHits      = 100
	maxHitOffset = 1000
)

// Config has the dependencies of search. All but Title, Busy and Reading are required. The functions
// may be called from any goroutine, also during calls of the service's methods, so they must not
// wait for those.
type Config struct {
	// Dir is a folder for the index alone. It may be deleted while no Parley is running.
	Dir     string
	Catalog *history.Catalog
	// Resolve returns the session of a CLI conversation, including former ones of a session; false
	// if it must not be found. It is called for up to all conversations during a query, so it has
	// to be fast.
	Resolve func(cliSessionID string) (event.Session, bool)
	// Title is the user's title of the conversation's session, "" for none.
	Title func(cliSessionID string) string
	// Busy reports that a session is working: reading then takes at most half a CPU.
	Busy func() bool
	// Reading is told when Progress has changed, at most four times a second. It is made later.
	Reading func() interface{ Told() }
	// History is a page of a session's messages.
	History func(ctx context.Context, id string, limit int, before string) (event.History, error)
	Logger  *slog.Logger
}

// Service implements search.*, and reads conversations for it.
//
// Wiring: Start it, call Scanned when the catalog has completed its first scan, Changed with every
// change of the catalog, and Renamed when a user changed a title. Close it before the data folder
// is released.
type Service struct {
	cfg  Config
	feed *feed
}

// New starts nothing and touches no file.
func New(cfg Config) *Service {
	return &Service{cfg: cfg, feed: newFeed(cfg)}
}

// Start opens the index and starts reading, both in the background. The end of ctx has the same
// effect as Close.
func (s *Service) Start(ctx context.Context) { s.feed.start(ctx) }

// Close ends reading and closes the index. Recently read text may be read again the next time. It
// may be repeated, and may be called without Start.
func (s *Service) Close() { s.feed.close() }

func (s *Service) find(ctx context.Context, p FindParams) (FindPage, error) {
	return (&finder{s.cfg.History}).find(ctx, p)
}

// Scanned reports that the catalog knows all conversations. Others are removed from the index from
// now on.
func (s *Service) Scanned() { s.feed.scannedOnce() }

// Changed handles a change of the catalog. It does not block.
func (s *Service) Changed(c history.Change) { s.feed.changed(c) }

// Renamed reports that the title of a conversation's session has changed. It does not block.
func (s *Service) Renamed(cliSessionID string) { s.feed.renamed(cliSessionID) }

// Progress returns the progress of reading.
func (s *Service) Progress() event.Progress { return s.feed.progress() }

// Query is search.query.
func (s *Service) Query(ctx context.Context, p SearchParams) (SearchResult, error) {
	begun := time.Now()
	q, err := s.query(p)
	if err != nil {
		return SearchResult{}, err
	}
	progress := s.feed.progress()
	result := SearchResult{Hits: []SearchHit{}, Partial: progress.Busy || progress.Problem != ""}
	index := s.feed.current()
	if index == nil && progress.Problem != "" {
		return SearchResult{}, fault.New(fault.Unavailable, "Conversations cannot be searched now. %s", progress.Problem)
	}
	if index == nil {
		result.Partial = true
		return result, nil
	}
	page, err := index.Query(ctx, q)
	if errors.Is(err, search.ErrDamaged) {
		// It was emptied, and is being refilled.
		result.Partial = true
		page, err = index.Query(ctx, q)
	}
	switch {
	case errors.Is(err, search.ErrClosed):
		return SearchResult{}, fault.Wrap(err, fault.Unavailable, "Parley is shutting down.")
	case ctx.Err() != nil:
		return SearchResult{}, ctx.Err()
	case err != nil:
		return SearchResult{}, fault.Wrap(err, fault.Unavailable, "The search index cannot be read. The log has the details.")
	}
	for i := range page.Hits {
		if hit, ok := s.hit(&page.Hits[i]); ok {
			result.Hits = append(result.Hits, hit)
		}
	}
	result.Total, result.More = page.Total, page.More
	result.TookMs = float64(time.Since(begun).Microseconds()) / 1e3
	return result, nil
}

// query validates the parameters.
func (s *Service) query(p SearchParams) (search.Query, error) {
	if strings.TrimSpace(p.Text) == "" {
		return search.Query{}, fault.New(fault.Invalid, `Type a word, the beginning of one, or "words in quotation marks" (parameter text).`)
	}
	if p.Limit < 0 || p.Limit > maxHits || p.Offset < 0 || p.Offset > maxHitOffset {
		return search.Query{}, fault.New(fault.Invalid, "limit must be 0 to %d and offset 0 to %d.", maxHits, maxHitOffset)
	}
	if p.Limit == 0 {
		p.Limit = defaultHits
	}
	q := search.Query{
		Text: p.Text, Model: p.Model, OnlyErrors: p.HasError, Since: p.Since, Until: p.Until, Limit: p.Limit, Offset: p.Offset,
		Want: func(f search.File) bool {
			record, ok := s.cfg.Resolve(f.ID)
			return ok && (p.SessionID == "" || record.ID == p.SessionID) && (p.WorkspaceID == "" || record.WorkspaceID == p.WorkspaceID)
		},
	}
	for _, name := range p.Kinds {
		var k search.Kind
		if err := k.UnmarshalText([]byte(name)); err != nil {
			return search.Query{}, fault.Wrap(err, fault.Invalid, "There is no kind %q (parameter kinds).", name)
		}
		q.Kinds = append(q.Kinds, k)
	}
	return q, nil
}

// hit converts a hit for the API; false if the session no longer exists.
func (s *Service) hit(h *search.Hit) (SearchHit, bool) {
	record, ok := s.cfg.Resolve(h.Transcript.ID)
	if !ok {
		return SearchHit{}, false
	}
	out := SearchHit{
		SessionID: record.ID, Title: record.Title, CWD: record.CWD, Kind: h.Kind.String(), Tool: h.Tool, Model: h.Model,
		IsError: h.IsError, At: h.Time, Snippet: h.Snippet.Text, Marks: make([]SearchMark, len(h.Snippet.Highlights)),
		Target: h.Transcript.ID + "@" + strconv.FormatInt(h.Offset, 10), MessageID: h.MessageID,
	}
	if h.Kind == search.Title && record.CLISessionID == h.Transcript.ID {
		out.Target = "" // the conversation ends there, where the user already is
	}
	for i, r := range h.Snippet.Highlights {
		out.Marks[i] = SearchMark{Start: r.Start, End: r.End}
	}
	return out, true
}
