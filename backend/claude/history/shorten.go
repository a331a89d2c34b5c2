package history

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

const (
	// keepText is how much of a text is kept if a line is too long to be read whole,
	// keepLess if there are too many such texts.
	keepText = 64 << 10
	keepLess = 1 << 10
	// maxShort is the maximum length of a shortened line.
	maxShort = 2 * maxWhole
)

// shorten reads a line of any length with little memory: every long text in it is
// truncated with a remark, and image data is omitted. The result is JSON if the
// line is. left counts the omitted bytes; a line that is long for reasons other
// than its texts returns io.ErrShortBuffer.
func shorten(ctx context.Context, r io.ReaderAt, s span) (line []byte, left int64, err error) {
	c := cutter{keep: keepText}
	block := make([]byte, blockSize)
	for at := s.at; at < s.end(); {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		n, err := r.ReadAt(block[:min(int64(len(block)), s.end()-at)], at)
		if n == 0 {
			return nil, 0, cut(err)
		}
		c.write(block[:n])
		at += int64(n)
		if len(c.out) > maxWhole/2 {
			c.keep = keepLess
		}
		if len(c.out) > maxShort {
			return nil, 0, io.ErrShortBuffer
		}
	}
	return c.out, c.left, nil
}

// cutter copies JSON and truncates its strings.
type cutter struct {
	out  []byte
	left int64
	keep int

	inString bool
	escape   int // remaining bytes of an escape
	start    int // of the string, in out
	dropped  int64
	// last is the most recent complete string, key the one before the value.
	last, key []byte
}

func (c *cutter) write(b []byte) {
	for i := 0; i < len(b); {
		if !c.inString {
			i += c.outside(b[i:])
			continue
		}
		if c.dropped > 0 {
			i += c.drop(b[i:])
			continue
		}
		ch := b[i]
		full := len(c.out)-c.start > c.keep
		switch {
		case c.escape > 0:
			c.escape--
			if c.escape == 0 && ch == 'u' && c.out[len(c.out)-1] == '\\' {
				c.escape = 4
			}
		case ch == '"':
			c.out = append(c.out, ch)
			c.last, c.inString = c.out[c.start:], false
			i++
			continue
		case full && ch&0xC0 != 0x80: // between two characters
			c.drop(nil)
			continue
		case ch == '\\':
			c.escape = 1
		}
		c.out = append(c.out, ch)
		i++
	}
}

// outside copies everything up to the next string.
func (c *cutter) outside(b []byte) int {
	n := bytes.IndexByte(b, '"')
	part := b
	if n >= 0 {
		part = b[:n+1]
	}
	if i := bytes.IndexByte(part, ':'); i >= 0 {
		c.key = append(c.key[:0], c.last...)
	}
	c.out = append(c.out, part...)
	if n >= 0 {
		c.inString, c.start, c.escape = true, len(c.out), 0
	}
	return len(part)
}

// drop skips the rest of a string. It only checks quotes and backslashes.
func (c *cutter) drop(b []byte) int {
	if c.dropped == 0 {
		c.dropped = 1 // in this state; the byte is put back at the end
	}
	for i := 0; i < len(b); i++ {
		if c.escape > 0 {
			c.escape, c.dropped = 0, c.dropped+1
			continue
		}
		n := bytes.IndexAny(b[i:], `"\`)
		if n < 0 {
			c.dropped += int64(len(b) - i)
			return len(b)
		}
		c.dropped += int64(n)
		i += n
		if b[i] == '\\' {
			c.escape = 1
			c.dropped++
			continue
		}
		c.finish()
		return i + 1
	}
	return len(b)
}

func (c *cutter) finish() {
	dropped := c.dropped - 1
	switch string(c.key) {
	case `data"`, `base64"`:
		dropped += int64(len(c.out) - c.start)
		c.out = c.out[:c.start]
	default:
		c.out = fmt.Appendf(c.out, `… [%d more bytes are in the transcript]`, dropped)
	}
	c.left += dropped
	c.out = append(c.out, '"')
	c.last, c.inString, c.dropped, c.escape = c.out[c.start:], false, 0, 0
}
