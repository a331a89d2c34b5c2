package memory

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/backend/fault"
)

// TestMain lets the test binary act as another program that writes to the same
// memory.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PARLEY_TEST_MEMORY"); dir != "" {
		if err := saveMany(dir, os.Getenv("PARLEY_TEST_NAME"), os.Getenv("PARLEY_TEST_COUNT")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// saveMany saves memories once a line comes in.
func saveMany(dir, name, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	s, err := Open(Config{Dir: dir, Person: "anna", Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return testTime }})
	if err != nil {
		return err
	}
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	for i := range n {
		err := insist(func() error {
			_, err := s.Save(context.Background(), New{Text: fmt.Sprintf("%s wrote %d", name, i), Origin: Origin{By: "session", Session: name}})
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.Close()
}

// insist retries a change if others had the memory for longer than it waits, as on a
// slow disk.
func insist(change func() error) error {
	for {
		if err := change(); fault.CodeOf(err) != fault.Busy {
			return err
		}
	}
}

var testTime = time.Date(2026, 11, 21, 14, 3, 20, 0, time.UTC)

// clock is a time that tests set.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }

func open(t testing.TB) (*Store, *clock) {
	t.Helper()
	return openAt(t, t.TempDir())
}

func openAt(t testing.TB, dir string) (*Store, *clock) {
	t.Helper()
	c := &clock{now: testTime}
	s, err := Open(Config{Dir: dir, Person: "anna", Logger: slog.New(slog.DiscardHandler), Now: c.time})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, c
}

func save(t testing.TB, s *Store, n New) Entry {
	t.Helper()
	e, err := s.Save(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func look(t testing.TB, s *Store) *Snapshot {
	t.Helper()
	snap, err := s.Look()
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func put(t testing.TB, s *Store, name, text string) {
	t.Helper()
	place, err := PlaceOf(name)
	if err != nil {
		t.Fatal(err)
	}
	was, err := s.Read(place)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(t.Context(), place, "", text, was.Revision); err != nil {
		t.Fatal(err)
	}
}

func texts(entries []Entry) []string {
	var list []string
	for _, e := range entries {
		list = append(list, e.Text)
	}
	return list
}
