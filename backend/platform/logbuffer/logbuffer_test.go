package logbuffer_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/platform/logbuffer"
)

func messages(records []logbuffer.Record) []string {
	out := []string{}
	for _, r := range records {
		out = append(out, strings.TrimSpace(r.Message+" "+r.Attrs))
	}
	return out
}

func TestFind(t *testing.T) {
	var out bytes.Buffer
	book, log := logbuffer.Of(slog.New(slog.NewTextHandler(&out, nil)))
	log.Debug("Not written, so not kept")
	log.Info("Started", "port", 7)
	log.With("session", "a").WithGroup("cli").Warn("Slow", "ms", 900)
	log.Error("Broke", "err", "a file is gone")
	tests := []struct {
		name string
		q    logbuffer.Query
		want []string
	}{
		{"all", logbuffer.Query{Level: slog.LevelDebug, Limit: 9}, []string{"Started port=7", "Slow session=a cli.ms=900", `Broke err="a file is gone"`}},
		{"the newest", logbuffer.Query{Level: slog.LevelDebug, Limit: 1}, []string{`Broke err="a file is gone"`}},
		{"newer ones", logbuffer.Query{Level: slog.LevelDebug, After: 1, Limit: 9}, []string{"Slow session=a cli.ms=900", `Broke err="a file is gone"`}},
		{"warnings", logbuffer.Query{Level: slog.LevelWarn, Limit: 9}, []string{"Slow session=a cli.ms=900", `Broke err="a file is gone"`}},
		{"by a word of the attributes", logbuffer.Query{Level: slog.LevelDebug, Text: "FILE", Limit: 9}, []string{`Broke err="a file is gone"`}},
		{"none", logbuffer.Query{Level: slog.LevelDebug, After: 3, Limit: 9}, []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, dropped := book.Find(tt.q)
			if diff := cmp.Diff(tt.want, messages(found)); diff != "" || dropped != 0 {
				t.Errorf("%s\ndropped %d", diff, dropped)
			}
		})
	}
	if again, same := logbuffer.Of(log); again != book || same != log {
		t.Error("a logger with a book got another one")
	}
	if strings.Count(out.String(), "\n") != 3 {
		t.Errorf("passed on: %s", out.String())
	}
}

// handle logs a constructed message.
func handle(t *testing.T, log *slog.Logger, message string, args ...any) {
	t.Helper()
	r := slog.NewRecord(time.Now(), slog.LevelInfo, message, 0)
	r.Add(args...)
	if err := log.Handler().Handle(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNotKept(t *testing.T) {
	book, log := logbuffer.Of(slog.New(slog.DiscardHandler))
	if log.Info("Nobody writes this"); book.Last() != 0 {
		t.Error("kept what is not logged")
	}
	var out bytes.Buffer
	book, log = logbuffer.Of(slog.New(slog.NewTextHandler(&out, nil)))
	tests := []struct{ name, secret string }{
		{"key", "sk-ant-api03-abcdefgh"},
		{"header", "Authorization: Bearer abc.def-123456"},
		{"assignment", "ANTHROPIC_AUTH_TOKEN=abcdef0123"},
		{"quoted", `{"apiKey": "abcdef0123"}`},
		{"hidden", "a\u202eb\u200bc\x1b[31m"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			handle(t, log, "It said "+tt.secret, "line", tt.secret)
			found, _ := book.Find(logbuffer.Query{Limit: 1})
			if got := found[0].Message + found[0].Attrs; strings.Contains(got, "abcdef") || strings.Contains(got, "abc.def") || strings.ContainsAny(got, "\u202e\u200b\x1b") {
				t.Errorf("%q", got)
			}
		})
	}
	handle(t, log, strings.Repeat("m", 1<<20), "x", strings.Repeat("x", 1<<20))
	if found, _ := book.Find(logbuffer.Query{Limit: 1}); len(found[0].Message)+len(found[0].Attrs) > 6<<10 {
		t.Error("a record is not bounded")
	}
}

func TestOldOnesGo(t *testing.T) {
	book, log := logbuffer.Of(slog.New(slog.NewTextHandler(&bytes.Buffer{}, nil)))
	var writers sync.WaitGroup
	for range 5 {
		writers.Go(func() {
			for range 500 {
				log.Info("One of many")
			}
		})
	}
	writers.Wait()
	found, dropped := book.Find(logbuffer.Query{Limit: 10_000})
	if len(found) != 2000 || dropped != 500 || book.Last() != 2500 {
		t.Fatalf("%d kept, %d dropped, last %d", len(found), dropped, book.Last())
	}
	for i, r := range found {
		if r.Seq != uint64(501+i) {
			t.Fatalf("record %d has number %d", i, r.Seq)
		}
	}
}

func TestCleaned(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(logbuffer.Cleaned{To: &out}, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("Asked", "header", "Bearer abcdefghij", "key", "sk-ant-abcdefgh", "esc", "\x1b[31m")
	log.Info("Long", "text", strings.Repeat("x", 1<<20))
	lines := strings.SplitAfter(out.String(), "\n")
	if len(lines) != 3 || lines[0] != "level=INFO msg=Asked header=\"[removed]\" key=[removed] esc=\"\\x1b[31m\"\n" {
		t.Errorf("%q", lines[0])
	}
	if len(lines[1]) > 6<<10 {
		t.Errorf("a line of %d bytes", len(lines[1]))
	}
}
