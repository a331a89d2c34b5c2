package history

import (
	"bytes"
	"context"
	"errors"
	"io"
)

const (
	// blockSize is how much is read at once.
	blockSize = 256 << 10
	// maxWhole is the longest line that is read whole. A typical line has a few
	// kilobytes, one with an image a few megabytes.
	maxWhole = 8 << 20
	// maxJoined bounds the missing line ends in one line.
	maxJoined = 16
)

// span is a line's position in its file, without the line end.
type span struct {
	at, size int64
	// joined means that another record follows on the same line.
	joined bool
}

func (s span) end() int64 { return s.at + s.size }

// next returns where the next record starts.
func (s span) next() int64 {
	if s.joined {
		return s.end()
	}
	return s.end() + 1
}

// forward calls fn for every line of r that starts at from or later and ends before
// to, oldest first. A line longer than maxWhole is passed as nil. The bytes are
// valid during the call. It returns the offset after the last complete line: a line
// without an end is still being written.
func forward(ctx context.Context, r io.ReaderAt, from, to int64, fn func(s span, line []byte) error) (int64, error) {
	return forwardIn(ctx, make([]byte, 0, min(blockSize, max(to-from, 1))), r, from, to, fn)
}

// forwardIn is forward with the caller's buffer.
func forwardIn(ctx context.Context, buf []byte, r io.ReaderAt, from, to int64, fn func(s span, line []byte) error) (int64, error) {
	at := from     // of buf[0], the start of a line
	var long int64 // bytes of a long line that were dropped from buf
	for read := from; read < to; {
		if err := ctx.Err(); err != nil {
			return at - long, err
		}
		if len(buf) == cap(buf) {
			if cap(buf) <= maxWhole {
				buf = append(make([]byte, 0, 2*cap(buf)), buf...)
			} else {
				long += int64(len(buf))
				at += int64(len(buf))
				buf = buf[:0]
			}
		}
		n, err := r.ReadAt(buf[len(buf):min(cap(buf), len(buf)+int(min(to-read, int64(cap(buf)))))], read)
		fresh := len(buf)
		buf = buf[:len(buf)+n]
		read += int64(n)
		start := 0
		for {
			i := bytes.IndexByte(buf[max(start, fresh):], '\n')
			if i < 0 {
				break
			}
			i += max(start, fresh)
			s := span{at: at + int64(start) - long, size: int64(i-start) + long}
			line := buf[start:i]
			if s.size > maxWhole {
				line = nil
			}
			long = 0
			start = i + 1
			if err := each(s, line, fn); err != nil {
				return at + int64(start), err
			}
		}
		buf = buf[:copy(buf, buf[start:])]
		at += int64(start)
		if err != nil && !errors.Is(err, io.EOF) {
			return at - long, err
		}
		if n == 0 {
			break // the file shrank
		}
	}
	return at - long, nil
}

// each calls fn for every record of a line: if a line end was lost, there are several.
func each(s span, line []byte, fn func(s span, line []byte) error) error {
	begins := records(line)
	if begins == nil {
		return fn(s, line)
	}
	begin := 0
	for _, next := range append(begins, len(line)) {
		part := span{s.at + int64(begin), int64(next - begin), next < len(line)}
		if err := fn(part, line[begin:next]); err != nil {
			return err
		}
		begin = next
	}
	return nil
}

// records returns where further records start in a line.
func records(line []byte) []int {
	if !joined(line) {
		return nil
	}
	var begins []int
	depth := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			for i++; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
		case '{':
			if depth == 0 && i > 0 {
				begins = append(begins, i)
			}
			depth++
		case '}':
			depth--
		}
	}
	if depth != 0 || len(begins) > maxJoined {
		return nil // a record is incomplete and its end unknown, or this isn't the CLI's
	}
	return begins
}

// joined reports whether one object may start after another in a line. This is rare,
// but checked for every line: one search, from one brace to the next.
func joined(line []byte) bool {
	for {
		i := bytes.IndexByte(line, '}')
		if i < 0 {
			return false
		}
		line = line[i+1:]
		behind := line
		if len(behind) > 0 && behind[0] == ' ' {
			behind = behind[1:]
		}
		if len(behind) > 1 && behind[0] == '{' && behind[1] == '"' {
			return true
		}
	}
}

// backward reads lines from a position towards the start of a file.
type backward struct {
	r io.ReaderAt
	// end is where the returned lines start. The line before ends with the byte
	// before it, a line end, unless it is the unfinished last one.
	end int64
	// buf holds at least the bytes of the file from bufAt up to end.
	buf   []byte
	bufAt int64
	// within means that end is inside a line, where another record starts.
	within bool
}

// newBackward returns a reader of the lines before end, which is the start of a
// line or the end of the file.
func newBackward(r io.ReaderAt, end int64) *backward { return &backward{r: r, end: end, bufAt: end} }

// next returns the previous line, without its line end. A line longer than
// maxWhole is returned as nil. The bytes stay valid. At the start of the file it
// returns io.EOF.
func (b *backward) next() (span, []byte, error) {
	if b.end == 0 {
		return span{}, nil, io.EOF
	}
	stop := b.end // of the line, without its end
	if c, err := b.byteAt(b.end - 1); err != nil {
		return span{}, nil, err
	} else if b.within = c != '\n'; !b.within {
		stop--
	}
	seen := stop // no line end between here and stop
	for {
		if i := bytes.LastIndexByte(b.buf[:seen-b.bufAt], '\n'); i >= 0 {
			return b.found(span{at: b.bufAt + int64(i) + 1, size: stop - b.bufAt - int64(i) - 1})
		}
		seen = b.bufAt
		if b.bufAt == 0 {
			return b.found(span{size: stop})
		}
		if stop-b.bufAt > maxWhole {
			return b.long(stop)
		}
		if err := b.more(stop); err != nil {
			return span{}, nil, err
		}
	}
}

func (b *backward) found(s span) (span, []byte, error) {
	line := b.buf[s.at-b.bufAt : s.end()-b.bufAt]
	if s.size > maxWhole {
		line = nil
	}
	if begins := records(line); len(begins) > 0 { // those before it come next
		last := begins[len(begins)-1]
		s, line = span{at: s.at + int64(last), size: s.size - int64(last)}, line[last:]
	}
	s.joined = b.within
	b.end = s.at
	return s, line, nil
}

// more reads the previous block, and keeps what belongs to the line that ends at
// stop. The blocks double with the line, so that a long one isn't copied repeatedly.
func (b *backward) more(stop int64) error {
	part := b.buf[:stop-b.bufAt]
	n := min(b.bufAt, max(blockSize, int64(len(part))))
	buf := make([]byte, n+int64(len(part)))
	if _, err := io.ReadFull(io.NewSectionReader(b.r, b.bufAt-n, n), buf[:n]); err != nil {
		return cut(err)
	}
	copy(buf[n:], part)
	b.buf, b.bufAt = buf, b.bufAt-n
	return nil
}

// long finds the start of a line that is too long to keep.
func (b *backward) long(stop int64) (span, []byte, error) {
	block := make([]byte, 4*blockSize)
	for at := b.bufAt; at > 0; {
		n := min(at, int64(len(block)))
		if _, err := io.ReadFull(io.NewSectionReader(b.r, at-n, n), block[:n]); err != nil {
			return span{}, nil, cut(err)
		}
		at -= n
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			b.end = at + int64(i) + 1
			b.buf, b.bufAt = nil, b.end
			return span{at: b.end, size: stop - b.end}, nil, nil
		}
	}
	b.end, b.buf, b.bufAt = 0, nil, 0
	return span{size: stop}, nil, nil
}

func (b *backward) byteAt(at int64) (byte, error) {
	if at < b.bufAt {
		b.buf, b.bufAt = nil, b.end
		if err := b.more(b.end); err != nil {
			return 0, err
		}
	}
	return b.buf[at-b.bufAt], nil
}

// cut maps an end of file in the middle of a block to its meaning: the file was
// truncated during the read.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrReplaced
	}
	return err
}
