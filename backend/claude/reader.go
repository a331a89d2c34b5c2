package claude

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"parley/backend/claude/wire"
	"parley/backend/host/child"
)

const (
	readBuffer = 64 << 10
	// keepBuffer is the largest buffer that is kept after a long line.
	keepBuffer = 1 << 20
	// shownBytes is how much of a non-JSON line is logged.
	shownBytes = 200
	// batchRoom is the maximum initial capacity of a batch.
	batchRoom = 1024
)

// lines splits a stream into lines without a fixed limit on their length.
type lines struct {
	max int
	// buf[from:] is undelivered; buf[from:seen] holds no line end.
	buf        []byte
	from, seen int
	// skipped is how much of an overlong line was discarded.
	skipped int
}

// space returns the buffer for the next read.
func (l *lines) space() []byte {
	if l.from > 0 {
		n := copy(l.buf, l.buf[l.from:])
		l.buf, l.seen, l.from = l.buf[:n], l.seen-l.from, 0
	}
	switch {
	case len(l.buf) == 0 && cap(l.buf) > keepBuffer:
		l.buf = nil
	case len(l.buf) > l.max:
		l.skipped += len(l.buf)
		l.buf, l.seen = l.buf[:0], 0
	}
	if cap(l.buf)-len(l.buf) < readBuffer/2 {
		l.buf = append(make([]byte, 0, max(readBuffer, 2*cap(l.buf))), l.buf...)
	}
	return l.buf[len(l.buf):cap(l.buf)]
}

// add records how much of the space was filled.
func (l *lines) add(n int) { l.buf = l.buf[:len(l.buf)+n] }

// next returns the next whole line without its line end, valid until space is
// called. For an overlong line it only returns the length.
func (l *lines) next() (line []byte, overlong int, ok bool) {
	i := bytes.IndexByte(l.buf[l.seen:], '\n')
	if i < 0 {
		l.seen = len(l.buf)
		return nil, 0, false
	}
	line = l.buf[l.from : l.seen+i]
	l.from = l.seen + i + 1
	l.seen = l.from
	if total := l.skipped + len(line); l.skipped > 0 || len(line) > l.max {
		l.skipped = 0
		return nil, total, true
	}
	return line, 0, true
}

// rest returns what came after the last line end.
func (l *lines) rest() []byte { return l.buf[l.from:] }

// read turns stdout into batches of frames and answers. It ends with the stream.
func (p *Process) read(capture io.WriteCloser) {
	if capture != nil {
		defer capture.Close()
	}
	defer p.calls.fail()
	defer p.lot.leave()
	l := lines{max: p.cfg.MaxLine, skipped: p.skipped}
	var batch []wire.Frame
	deliver := func() {
		if len(batch) > 0 {
			p.frames <- batch
			batch = make([]wire.Frame, 0, min(len(batch), batchRoom))
		}
	}
	take := func(line []byte) {
		if capture != nil {
			// A debugging aid: a full disk must not end the session.
			_, _ = fmt.Fprintf(capture, "%s\n", line)
		}
		switch f := p.decode(line).(type) {
		case nil:
		case *wire.ControlRequest, *wire.ControlCancelRequest:
			if p.host == nil {
				batch = append(batch, f)
				return
			}
			deliver()
			p.host.handle(f)
		default:
			batch = append(batch, f)
		}
	}
	for _, f := range p.again {
		if p.host != nil {
			p.host.take(f)
		} else {
			batch = append(batch, f)
		}
	}
	p.again = nil
	for {
		n, err := p.program.Read(l.space())
		if errors.Is(err, child.ErrParked) {
			deliver()
			p.lot.wait(l.skipped)
			continue
		}
		l.add(n)
		for {
			line, overlong, ok := l.next()
			switch {
			case overlong > 0:
				p.log.Warn("Skipped an overlong line from the CLI", "bytes", overlong, "limit", l.max)
			case ok:
				take(line)
			}
			if !ok {
				break
			}
		}
		if last := l.rest(); err != nil && len(last) > 0 {
			// A CLI that was killed leaves a partial line; one that ended in order may
			// omit the last line end.
			take(last)
		}
		deliver()
		p.program.Taken(len(l.rest()))
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.readErr = fmt.Errorf("read from the CLI: %w", err)
			}
			return
		}
	}
}

// decode returns the line's frame, nil if the receiver gets none. Answers to control
// requests go to their callers. The CLI also echoes the answers it got. The receiver
// only gets what Parley neither asked nor answered.
func (p *Process) decode(line []byte) wire.Frame {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	f, err := wire.Decode(line)
	if err != nil {
		p.log.Warn("Skipped a line from the CLI that is not JSON", "bytes", len(line), "start", shown(line))
		return nil
	}
	switch f := f.(type) {
	case *wire.ControlResponse:
		if p.calls.said(f.RequestID) {
			return nil
		}
		awaited, asked := p.calls.answer(f)
		if !awaited {
			p.log.Info("The CLI answered an unknown request", "request", f.RequestID)
		}
		if asked {
			return nil
		}
	case *wire.Unknown:
		if f.Reason != "" {
			p.log.Warn("Unexpected frame from the CLI", "type", f.Type, "subtype", f.Subtype, "reason", f.Reason)
		}
	}
	return f
}

func shown(line []byte) string {
	return string(bytes.ToValidUTF8(line[:min(len(line), shownBytes)], []byte("?")))
}
