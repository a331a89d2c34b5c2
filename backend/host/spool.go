package host

import (
	"os"
)

// Limits of what is kept of one program.
const (
	memoryKept = 8 << 20
	fileKept   = 1 << 30
	blockSize  = 64 << 10
)

// spool keeps a stream's unacknowledged part: its start in memory, and the rest in a
// file. The caller guards it.
type spool struct {
	// base is the offset of what is kept, end the offset after it.
	base, end uint64
	// memory are blocks of at most blockSize; skip is the acknowledged part of the
	// first.
	memory [][]byte
	skip   int
	held   int
	// file holds what follows the memory, from fileBase on: fileSize bytes, nil until
	// needed. While it has contents, memory accepts nothing more.
	file     *os.File
	fileBase uint64
	fileSize int64
	// open creates the file.
	open func() (*os.File, error)
	// memoryMost and fileMost are the limits.
	memoryMost int
	fileMost   int64
}

func newSpool(open func() (*os.File, error)) *spool {
	return &spool{open: open, memoryMost: memoryKept, fileMost: fileKept}
}

// add stores output of at most blockSize, or returns false if there is no room or the
// file can't be written: either way, the program blocks.
func (s *spool) add(b []byte) bool {
	if s.fileSize > 0 || s.held+len(b) > s.memoryMost {
		return s.addToFile(b)
	}
	s.held += len(b)
	s.end += uint64(len(b))
	if last := len(s.memory) - 1; last >= 0 {
		n := min(len(b), cap(s.memory[last])-len(s.memory[last]))
		s.memory[last] = append(s.memory[last], b[:n]...)
		b = b[n:]
	}
	if len(b) > 0 {
		s.memory = append(s.memory, append(make([]byte, 0, blockSize), b...))
	}
	return true
}

func (s *spool) addToFile(b []byte) bool {
	if s.fileSize+int64(len(b)) > s.fileMost {
		return false
	}
	if s.file == nil {
		file, err := s.open()
		if err != nil {
			return false
		}
		s.file = file
	}
	if s.fileSize == 0 {
		s.fileBase = s.end
	}
	if _, err := s.file.WriteAt(b, s.fileSize); err != nil {
		return false // what was written of it is overwritten
	}
	s.fileSize += int64(len(b))
	s.end += uint64(len(b))
	return true
}

// read copies what is kept from an offset on into b, which gets something unless the
// offset is the end.
func (s *spool) read(b []byte, from uint64) (int, error) {
	at := int(from-s.base) + s.skip //nolint:gosec // memory is bounded
	for _, block := range s.memory {
		if at < len(block) {
			return copy(b, block[at:]), nil
		}
		at -= len(block)
	}
	if from >= s.end {
		return 0, nil
	}
	rest := s.end - from
	n, err := s.file.ReadAt(b[:min(uint64(len(b)), rest)], int64(from-s.fileBase)) //nolint:gosec // it is bounded
	if n > 0 {
		err = nil
	}
	return n, err
}

// take drops what precedes an offset.
func (s *spool) take(upTo uint64) {
	n := int(min(upTo, s.end) - s.base) //nolint:gosec // it is bounded
	s.base += uint64(n)                 //nolint:gosec // it is not negative
	n += s.skip
	for len(s.memory) > 0 && n >= len(s.memory[0]) {
		// A sole block with room stays, for what comes next.
		n -= len(s.memory[0])
		s.held -= len(s.memory[0])
		s.memory[0] = nil
		s.memory = s.memory[1:]
	}
	s.skip = n
	if len(s.memory) == 0 {
		s.skip = 0
	}
	if s.fileSize > 0 && s.base == s.end {
		s.fileSize = 0
		_ = s.file.Truncate(0) // the space is freed, or reused
	}
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
}
