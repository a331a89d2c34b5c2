// Package logbuffer keeps the newest log records in memory, so that a user can read
// them in the window. A [Handler] wraps the one that writes the log; the contents of
// the [Book] are bounded, and free of apparent secrets and invisible characters.
//
// The package starts no goroutine and doesn't interpret the records.
package logbuffer

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	// maxRecords are kept; maxMessage and maxAttrs bound each of them, in bytes.
	maxRecords = 2000
	maxMessage = 1 << 10
	maxAttrs   = 4 << 10
)

// Record is one line of the log.
type Record struct {
	// Seq is 1 for the program's first record and increases by one.
	Seq     uint64
	At      time.Time
	Level   slog.Level
	Message string
	// Attrs is the rest as text: key=value pairs.
	Attrs string
}

// Book holds the newest records. Its methods may be called from any goroutine.
type Book struct {
	mu sync.Mutex
	// ring holds record n at index (n-1) modulo maxRecords.
	ring []Record
	last uint64
	buf  bytes.Buffer
}

// secretForm matches what looks like a secret.
var secretForm = regexp.MustCompile(
	`\bsk-[A-Za-z0-9_-]{6,}|(?i:\bbearer\s+[A-Za-z0-9._~+/=-]{6,})|(?i:\b[a-z_-]*(?:token|api_?-?key|password|secret)(?:\\?["'])?\s*[=:]\s*(?:\\?["'])?[^\s"',;&\\]{4,})`)

// Handler is a [slog.Handler] that keeps every record it passes on.
type Handler struct {
	book *Book
	next slog.Handler
	// text writes the attributes to the book's buffer.
	text slog.Handler
}

// New returns a handler that passes on the levels that next is enabled for.
func New(next slog.Handler) *Handler {
	b := &Book{}
	text := slog.NewTextHandler(&b.buf, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
			return slog.Attr{}
		}
		return a
	}})
	return &Handler{book: b, next: next, text: text}
}

// Of returns the logger's book, and a logger that has one: the same if it already
// had one.
func Of(log *slog.Logger) (*Book, *slog.Logger) {
	h, ok := log.Handler().(*Handler)
	if !ok {
		h = New(log.Handler())
		log = slog.New(h)
	}
	return h.book, log
}

// Enabled implements [slog.Handler].
func (h *Handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	h.book.add(ctx, r, h.text)
	return h.next.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Handler{book: h.book, next: h.next.WithAttrs(attrs), text: h.text.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{book: h.book, next: h.next.WithGroup(name), text: h.text.WithGroup(name)}
}

func (b *Book) add(ctx context.Context, r slog.Record, text slog.Handler) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf.Reset()
	// It only writes to memory.
	_ = text.Handle(ctx, r)
	b.last++
	record := Record{
		Seq: b.last, At: r.Time, Level: r.Level,
		Message: clean(r.Message, maxMessage), Attrs: clean(strings.TrimSpace(b.buf.String()), maxAttrs),
	}
	if len(b.ring) < maxRecords {
		b.ring = append(b.ring, record)
		return
	}
	b.ring[(b.last-1)%maxRecords] = record
}

// Cleaned is a writer of lines that removes apparent secrets and invisible characters.
// Each call of Write is one line.
type Cleaned struct{ To io.Writer }

// Write implements [io.Writer].
func (c Cleaned) Write(line []byte) (int, error) {
	text := clean(strings.TrimSuffix(string(line), "\n"), maxMessage+maxAttrs)
	if _, err := io.WriteString(c.To, text+"\n"); err != nil {
		return 0, err
	}
	return len(line), nil
}

// clean removes apparent secrets and invisible characters, and truncates.
func clean(s string, most int) string {
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	s = secretForm.ReplaceAllString(s, "[removed]")
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// Clean returns a text without apparent secrets and invisible characters.
func (b *Book) Clean(s string) string { return clean(s, maxAttrs) }

// Last returns the number of the newest record, 0 before the first.
func (b *Book) Last() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last
}

// Query selects records.
type Query struct {
	// After is a record's number: only newer ones are returned.
	After uint64
	// Level is the minimum level.
	Level slog.Level
	// Text is in the message or in the attributes, ignoring case.
	Text string
	// Limit is the maximum number of records, the newest ones.
	Limit int
}

// Find returns the matching records, oldest first, and how many were dropped.
func (b *Book) Find(q Query) (found []Record, dropped uint64) {
	text := strings.ToLower(q.Text)
	b.mu.Lock()
	defer b.mu.Unlock()
	first := b.last - uint64(len(b.ring)) + 1
	for n := b.last; n >= first && n > q.After && len(found) < q.Limit; n-- {
		r := b.ring[(n-1)%maxRecords]
		if r.Level < q.Level || text != "" && !strings.Contains(strings.ToLower(r.Message+" "+r.Attrs), text) {
			continue
		}
		found = append(found, r)
	}
	for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
		found[i], found[j] = found[j], found[i]
	}
	return found, first - 1
}
