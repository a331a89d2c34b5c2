package host

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"testing"
)

// The spool contains what was added since the acknowledged offset, wherever it
// is stored.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 1))
		full := false
		s := newSpool(func() (*os.File, error) {
			if random.IntN(3) == 0 {
				return nil, errors.New("the disk is full")
			}
			return nameless(dir)
		})
		s.memoryMost, s.fileMost = 3*blockSize, 10*blockSize
		var all []byte
		buffer := make([]byte, blockSize)
		for range 1000 {
			switch random.IntN(3) {
			case 0, 1:
				b := make([]byte, 1+random.IntN(blockSize))
				for i := range b {
					b[i] = byte(random.Uint32())
				}
				if s.add(b) {
					all = append(all, b...)
				} else {
					full = true
				}
			case 2:
				s.take(s.base + random.Uint64N(s.end-s.base+1))
			}
			if s.end != uint64(len(all)) || s.held > 3*blockSize || s.fileSize > 10*blockSize {
				t.Fatalf("seed %d: %d of %d, %d in memory, %d in the file", seed, s.end, len(all), s.held, s.fileSize)
			}
			from := s.base + random.Uint64N(s.end-s.base+1)
			n, err := s.read(buffer, from)
			if err != nil || n == 0 && from < s.end || !bytes.Equal(buffer[:n], all[from:from+uint64(n)]) {
				t.Fatalf("seed %d: from %d of %d to %d: %d, %v", seed, from, s.base, s.end, n, err)
			}
		}
		if s.take(s.end); !full || !s.add([]byte("x")) || s.fileSize > 0 {
			t.Errorf("seed %d: it never was full, or is for ever", seed)
		}
		s.close()
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files have names: %v %v", left, err)
	}
}
