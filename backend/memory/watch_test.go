package memory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWatch(t *testing.T) {
	s, _ := open(t)
	changes := make(chan *Snapshot, 100)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Watch(ctx, func(snap *Snapshot) { changes <- snap })
	}()
	until := func(what string, ok func(*Snapshot) bool) {
		t.Helper()
		for {
			select {
			case snap := <-changes:
				if ok(snap) {
					return
				}
			case <-t.Context().Done():
				t.Fatalf("nobody told of %s", what)
			}
		}
	}
	save(t, s, New{Text: "x"})
	until("what was saved", func(s *Snapshot) bool { return len(s.Entries) == 1 })
	if err := os.WriteFile(filepath.Join(s.Dir(), "SOUL.md"), []byte("By hand.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	until("what was written by hand", func(s *Snapshot) bool { return len(s.Entries) == 2 })
	sub := filepath.Join(s.Dir(), "workspaces", "by-hand")
	if err := errors.Join(os.MkdirAll(sub, 0o700), os.WriteFile(filepath.Join(sub, "NOTES.md"), []byte("Tabs.\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	until("a new folder", func(s *Snapshot) bool { return len(s.Entries) == 3 })
	if err := os.WriteFile(filepath.Join(sub, "NOTES.md"), []byte("Tabs.\n\nNo spaces.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	until("a change in it", func(s *Snapshot) bool { return len(s.Entries) == 4 })
	if err := s.SetOff(t.Context(), "/w/a", true); err != nil {
		t.Fatal(err)
	}
	until("a switch", func(s *Snapshot) bool {
		return len(s.Folders) == 2 && s.Folders[1].Off || len(s.Folders) == 2 && s.Folders[0].Off
	})
	stop()
	<-done
}
