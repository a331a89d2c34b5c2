package memory

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	keeping "parley/backend/kept"
	"parley/backend/store/schema"
)

// Parley's own saves during a concurrent read and write are never taken for foreign
// ones.
func TestOwnSavesAreNotHeld(t *testing.T) {
	const writers, each = 6, 30
	quiet := slog.New(slog.DiscardHandler)
	db, err := schema.Open(filepath.Join(t.TempDir(), "parley.db"), schema.Config{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	keep, err := keeping.Open(db, keeping.Key{}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if err := keep.Compare(keeping.Seen{}, func(string) {}); err != nil {
		t.Fatal(err)
	}
	if err := keep.Settled("memory"); err != nil {
		t.Fatal(err)
	}
	s, err := Open(Config{Dir: t.TempDir(), Person: "me", Logger: quiet, Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	user, err := PlaceOf("USER.md")
	if err != nil {
		t.Fatal(err)
	}

	over := make(chan struct{})
	var looking, writing sync.WaitGroup
	for range 3 {
		looking.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				if _, err := s.Held(); err != nil {
					t.Error(err)
				}
				s.Recheck()
			}
		})
	}
	for n := range writers {
		writing.Go(func() {
			for i := range each {
				text := fmt.Sprintf("w%d wrote %d", n, i)
				err := insist(func() error {
					_, err := s.Save(t.Context(), New{Text: text})
					return err
				})
				if err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
	writing.Go(func() {
		for i := range each {
			err := insist(func() error {
				now, err := s.Read(user)
				if err != nil {
					return err
				}
				_, err = s.Write(t.Context(), user, "", fmt.Sprintf("%sLine %d.\n", now.Text, i), now.Revision)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	writing.Wait()
	close(over)
	looking.Wait()
	held, err := s.Held()
	if err != nil || len(held) != 0 {
		t.Errorf("held: %+v %v", held, err)
	}
	found := 0
	for _, e := range look(t, s).Entries {
		if e.Kind == Daily {
			found++
		}
	}
	if found != writers*each {
		t.Errorf("%d memories, not %d", found, writers*each)
	}
}
