package embedded_test

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"parley/backend/room"
	"parley/backend/room/embedded"
	"parley/backend/room/roomtest"
	"parley/backend/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func fresh(tb testing.TB) roomtest.Open {
	path := filepath.Join(tb.TempDir(), "rooms.db")
	tb.Cleanup(func() { storetest.Check(tb, path) })
	return func(tb testing.TB) room.Store { return open(tb, path) }
}

func open(tb testing.TB, path string) *embedded.Store {
	tb.Helper()
	s, err := embedded.Open(embedded.Config{Path: path, Logger: storetest.Logger(tb)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) { roomtest.Suite(t, fresh) }
