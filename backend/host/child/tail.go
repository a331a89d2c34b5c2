package child

import (
	"strings"
	"sync"
)

// Tail is a writer that keeps the end of what is written. It is safe for
// concurrent use.
type Tail struct {
	// Size is how much is kept; it is set once.
	Size int

	mu  sync.Mutex
	buf []byte
}

// Write implements [io.Writer]; it never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p) >= t.Size {
		t.buf = append(t.buf[:0], p[len(p)-t.Size:]...)
		return len(p), nil
	}
	if over := len(t.buf) + len(p) - t.Size; over > 0 {
		t.buf = t.buf[:copy(t.buf, t.buf[over:])]
	}
	t.buf = append(t.buf, p...)
	return len(p), nil
}

// Bytes returns a copy of what is kept.
func (t *Tail) Bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]byte(nil), t.buf...)
}

// String returns what is kept as text, without a broken character at its start.
func (t *Tail) String() string {
	return strings.ToValidUTF8(string(t.Bytes()), "")
}
