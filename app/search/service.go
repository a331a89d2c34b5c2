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

// Config is what searching needs. All but Title, Busy and Report is required.
// The functions may be called from any goroutine, also while the caller is in one of
// the searches' methods, so they must not wait for those.
type Config struct {
	// Dir is a folder for the index alone. It may be thrown away while no Parley runs.
	Dir     string
	Catalog *history.Catalog
	// Resolve says which session a conversation of the CLI's belongs to, a previous one
	// of a session included; false for what must not be found. It is called for up to
	// all conversations while a query runs, so it has to be fast.
	Resolve func(cliSessionID string) (event.Session, bool)
	// Title is the title that a user gave to the conversation's session, "" for none.
	Title func(cliSessionID string) string
	// Busy says that a session is at work: reading then takes half a processor at most.
	Busy func() bool
	// Report is called when Progress has changed, at most four times a second.
	Report func()
	// History is a page of a session's messages.
	History func(ctx context.Context, id string, limit int, before string) (event.History, error)
	Logger  *slog.Logger
}

// Service is the service behind search.*, and reads conversations for it.
//
// Wiring: Start it, call Scanned when the catalog has scanned for the first time,
// Changed with every change of the catalog's, and Renamed when a user changed a
// title. Close it before the data folder is given back.
type Service struct {
	cfg  Config
	feed *feed
}

// New starts nothing and touches no file.
func New(cfg Config) *Service {
	return &Service{cfg: cfg, feed: newFeed(cfg)}
}

// Start opens the index and begins to read, both in the background. The end of ctx
// ends it as Close does.
func (s *Service) Start(ctx context.Context) { s.feed.start(ctx) }

// Close ends the reading and closes the index. What was read lately may be read
// again the next time. It may be repeated, and may be called without Start.
func (s *Service) Close() { s.feed.close() }

func (s *Service) find(ctx context.Context, p FindParams) (FindPage, error) {
	return (&finder{s.cfg.History}).find(ctx, p)
}

// Scanned says that the catalog knows all conversations. What it does not show is
// forgotten from now on.
func (s *Service) Scanned() { s.feed.scannedOnce() }

// Changed takes a change of the catalog's. It does not wait.
func (s *Service) Changed(c history.Change) { s.feed.changed(c) }

// Renamed says that the title of a conversation's session changed. It does not wait.
func (s *Service) Renamed(cliSessionID string) { s.feed.renamed(cliSessionID) }

// Progress says how far reading has come.
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
		// It has been emptied, and is being filled again.
		result.Partial = true
		page, err = index.Query(ctx, q)
	}
	switch {
	case errors.Is(err, search.ErrClosed):
		return SearchResult{}, fault.Wrap(err, fault.Unavailable, "Parley is being closed.")
	case ctx.Err() != nil:
		return SearchResult{}, ctx.Err()
	case err != nil:
		return SearchResult{}, fault.Wrap(err, fault.Unavailable, "The search index cannot be read. The log says why.")
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

// query checks the parameters.
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

// hit makes what crosses the border; false when the session has gone meanwhile.
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
		out.Target = "" // the conversation is where the user is, at its end
	}
	for i, r := range h.Snippet.Highlights {
		out.Marks[i] = SearchMark{Start: r.Start, End: r.End}
	}
	return out, true
}
