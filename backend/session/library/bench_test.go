package library_test

import (
	"fmt"
	"log/slog"
	"testing"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/store/model"
)

// still is a catalog that never changes.
type still []history.Entry

func (s still) Entries() []history.Entry       { return s }
func (s still) Hidden() []history.Entry        { return nil }
func (s still) Changes() <-chan history.Change { return nil }

func many(b *testing.B, found, kept int) *library.Library {
	records := newFakeRecords()
	for i := range kept {
		id := fmt.Sprintf("7c9e6679-7425-40de-944b-%012d", i)
		records.sessions[id] = model.Session{
			ID: id, WorkspaceID: fmt.Sprint("w", i%40), CWD: fmt.Sprint("/home/person/project-", i%40), Title: "Why does the build fail when the cache is cold",
			TitleSource: model.TitleByPrompt, CLISessionID: "c" + id, Begun: true, State: "idle", LastActivityAt: int64(i * 7919 % kept), Window: 200_000,
			PreviousCLISessionIDs: []string{"d" + id}, Pinned: i%500 == 0,
		}
	}
	var catalog still
	for i := range found {
		catalog = append(catalog, history.Entry{
			ID: fmt.Sprintf("9a6d1a52-0000-4000-8000-%012d", i), Path: fmt.Sprint("/x/", i), CWD: fmt.Sprint("/home/person/project-", i%40),
			Title: "found", ModifiedAt: int64(i), Messages: 12, Bytes: 1 << 20,
		})
	}
	l, err := library.New(library.Config{
		Records: records, Blobs: &fakeBlobs{files: map[string][]byte{}}, Catalog: catalog, Workspaces: &fakeSpaces{ids: map[string]string{}},
		Root: func(bool) string { return "" }, Publish: func(event.Event) {}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	live := newFakeLive(l)
	l.Start(live)
	for i := range 50 {
		if err := l.Wake(b.Context(), fmt.Sprintf("7c9e6679-7425-40de-944b-%012d", i)); err != nil {
			b.Fatal(err)
		}
	}
	b.Cleanup(func() {
		if err := l.Close(); err != nil {
			b.Error(err)
		}
	})
	return l
}

func BenchmarkList(b *testing.B) {
	l := many(b, 2_000, 10_000)
	for name, f := range map[string]library.Filter{
		"first page":  {Shelf: model.ShelfOpen, Limit: 100},
		"last page":   {Shelf: model.ShelfOpen, Limit: 100, Offset: 11_900},
		"a workspace": {Shelf: model.ShelfOpen, WorkspaceID: "w7", Limit: 100},
		"found":       {Shelf: model.ShelfOpen, Origin: "cli", Limit: 100},
		"archive":     {Shelf: model.ShelfArchive, Limit: 100},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				l.List(f)
			}
		})
	}
	b.Run("owner", func(b *testing.B) {
		for b.Loop() {
			if _, ok := l.Owner("d7c9e6679-7425-40de-944b-000000000777"); !ok {
				b.Fatal("nobody's")
			}
		}
	})
	b.Run("save", func(b *testing.B) {
		s := session.Snapshot{ID: "7c9e6679-7425-40de-944b-000000000777", State: session.Idle}
		for b.Loop() {
			s.LastActivityAt++
			l.Save(s)
		}
	})
	b.Run("counts", func(b *testing.B) {
		for b.Loop() {
			if _, err := l.CountByWorkspace(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		b.StartTimer()
		many(b, 2_000, 10_000)
	}
}
