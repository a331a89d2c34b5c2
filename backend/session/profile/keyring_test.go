package profile_test

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/backend/fault"
	"parley/backend/session/profile"
)

// Without a desktop session nothing is started to get one.
func TestKeyringHeadless(t *testing.T) {
	onBus(t, "")
	k := &profile.Keyring{}
	_, err := k.Get(t.Context(), "id", "A")
	if err == nil || errors.Is(err, profile.ErrNoSecret) {
		t.Skip("this machine has a session bus")
	}
	refused(t, err, fault.Unavailable, "D-Bus")
	refused(t, k.Set(t.Context(), "id", "A", "hush"), fault.Unavailable)
	refused(t, k.Delete(t.Context(), "id", "A"), fault.Unavailable)
	refused(t, k.Check(t.Context()), fault.Unavailable)
}

// An unresponsive keyring delays callers no longer than they want, and gets no
// second call in between.
func TestKeyringSilent(t *testing.T) {
	bus := filepath.Join(t.TempDir(), "bus")
	listener, err := net.Listen("unix", bus)
	if err != nil {
		t.Fatal(err)
	}
	var held []net.Conn
	var mu sync.Mutex
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			held = append(held, conn)
			mu.Unlock()
			accepting.Go(func() { _, _ = io.Copy(io.Discard, conn) })
		}
	})
	onBus(t, "unix:path="+bus)
	k := &profile.Keyring{}
	before := runtime.NumGoroutine()
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err := k.Set(ctx, "id", "A", "hush")
		cancel()
		refused(t, err, fault.Unavailable, "does not answer", "unlocked")
		if strings.Contains(err.Error(), "hush") {
			t.Error("the error repeats the secret")
		}
	}
	if more := runtime.NumGoroutine() - before; more > 4 {
		t.Errorf("%d goroutines more", more)
	}
	ended, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := k.Close(ended); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close: %v", err)
	}
	mu.Lock()
	for end := time.Now().Add(10 * time.Minute); len(held) == 0 && time.Now().Before(end); mu.Lock() {
		mu.Unlock()
		time.Sleep(5 * time.Millisecond) // a busy machine may not have got there
	}
	n := len(held)
	for _, conn := range held {
		_ = conn.Close()
	}
	mu.Unlock()
	if n != 1 {
		t.Errorf("%d connections", n)
	}
	_ = listener.Close()
	accepting.Wait()
	if err := k.Close(t.Context()); err != nil {
		t.Error(err)
	}
	refused(t, k.Check(t.Context()), fault.Unavailable, "cannot be used")
}

// onBus sets the address of the session bus.
func onBus(t *testing.T, address string) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the keyring is not on a bus here")
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
}
