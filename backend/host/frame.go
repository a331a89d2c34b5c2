package host

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Versions of the protocol: the newest that this code supports, and the
// oldest.
const (
	version = 2
	oldest  = 1
	// handsOver is the first that keeps a state for the next side.
	handsOver = 2
)

// kind is the kind of a frame.
type kind byte

// From Parley.
const (
	kindHello  kind = iota + 1 // greeting: it attached
	kindStart                  // child.Command
	kindInput                  // number of the piece, and the piece
	kindHangUp                 // no more input
	kindSignal                 // one of the signals
	kindTaken                  // what is acknowledged, and the window: offsets
	kindForget                 // the program is over, and its end was received
	kindDetach                 // send nothing until the next hello
	kindState                  // a piece of the state for the next side
)

// From the host.
const (
	kindWelcome  kind = iota + 65 // greeting, with the existing programs
	kindStarted                   // startedBody
	kindOutput                    // offset, and the output
	kindWritten                   // number of the piece of input, and whether it was written
	kindEnded                     // child.Exit
	kindOver                      // overBody: its streams have ended too
	kindDetached                  // the answer to detach: the last frame
	kindKept                      // a piece of the previous side's state
)

const (
	signalTerm byte = iota + 1
	signalKill
)

const (
	// headSize is the size of the kind and the program's number; lengthSize precedes
	// it.
	headSize, lengthSize = 1 + 8, 4
	// maxOutput and maxInput bound a piece of output or input, maxText everything
	// else.
	maxOutput, maxInput = 64 << 10, 256 << 10
	maxText             = 4 << 20
	number              = 8
)

// frame is one message. Its body is valid until the next one is read.
type frame struct {
	kind kind
	id   uint64
	body []byte
}

// limits returns the minimum and maximum length of a kind's body. Nothing is valid for
// an unknown kind.
func (k kind) limits() (least, most int, known bool) {
	switch k {
	case kindHello, kindStart, kindWelcome, kindStarted, kindEnded, kindOver:
		return 2, maxText, true
	case kindState, kindKept:
		return 1, maxText, true
	case kindInput:
		return number, number + maxInput, true
	case kindOutput:
		return number + 1, number + maxOutput, true
	case kindWritten:
		return number + 1, number + 1, true
	case kindTaken:
		return 2 * number, 2 * number, true
	case kindSignal:
		return 1, 1, true
	case kindHangUp, kindForget, kindDetach, kindDetached:
		return 0, 0, true
	}
	return 0, 0, false
}

// errProtocol is wrapped by errors of a peer that violates the protocol.
var errProtocol = errors.New("the other side does not keep to the protocol")

func violation(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errProtocol, fmt.Sprintf(format, args...))
}

// decoder decodes frames.
type decoder struct {
	r    io.Reader
	head [lengthSize + headSize]byte
	body []byte
}

// next returns the next frame. The error is io.EOF if the stream ended between frames.
func (d *decoder) next() (frame, error) {
	if _, err := io.ReadFull(d.r, d.head[:]); err != nil {
		return frame{}, err
	}
	size := int64(binary.BigEndian.Uint32(d.head[:]))
	f := frame{kind: kind(d.head[lengthSize]), id: binary.BigEndian.Uint64(d.head[lengthSize+1:])}
	least, most, known := f.kind.limits()
	if !known || size < int64(headSize+least) || size > int64(headSize+most) {
		return frame{}, violation("a frame of kind %d has %d bytes", f.kind, size)
	}
	n := int(size) - headSize
	if cap(d.body) < n || cap(d.body) > 2*maxInput && n <= maxInput {
		d.body = make([]byte, max(n, maxOutput+number))
	}
	f.body = d.body[:n]
	if _, err := io.ReadFull(d.r, f.body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return frame{}, err
	}
	return f, nil
}

// encode appends a frame whose body consists of the parts.
func encode(to []byte, k kind, id uint64, parts ...[]byte) []byte {
	size := headSize
	for _, p := range parts {
		size += len(p)
	}
	to = binary.BigEndian.AppendUint32(to, uint32(size)) //nolint:gosec // a body is bounded
	to = binary.BigEndian.AppendUint64(append(to, byte(k)), id)
	for _, p := range parts {
		to = append(to, p...)
	}
	return to
}

// encodeText appends a frame whose body is JSON.
func encodeText(to []byte, k kind, id uint64, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return to, err
	}
	if len(body) > maxText {
		return to, fmt.Errorf("%d bytes are too many for a host", len(body))
	}
	return encode(to, k, id, body), nil
}

// numbers returns the body of frames that consist of numbers.
func numbers(list ...uint64) (body []byte) {
	for _, n := range list {
		body = binary.BigEndian.AppendUint64(body, n)
	}
	return body
}

// number returns the nth number of a body.
func (f frame) number(nth int) uint64 { return binary.BigEndian.Uint64(f.body[nth*number:]) }

func (f frame) text(v any) error {
	if err := json.Unmarshal(f.body, v); err != nil {
		return violation("a frame of kind %d: %v", f.kind, err)
	}
	return nil
}

// greeting is the body of hello and welcome.
type greeting struct {
	Version int `json:"version"`
	Oldest  int `json:"oldest"`
	// These are only in a welcome: the programs, how many bytes of state follow, and the
	// host's process.
	Programs []programState `json:"programs,omitempty"`
	State    int            `json:"state,omitempty"`
	PID      int            `json:"pid,omitempty"`
}

// programState is what an attaching side must know of a program.
type programState struct {
	ID      uint64 `json:"id"`
	PID     int    `json:"pid"`
	Grouped bool   `json:"grouped,omitempty"`
	// Taken is the offset its output is sent from, Written the number of the last piece
	// of input that was written.
	Taken   uint64 `json:"taken"`
	Written uint64 `json:"written"`
}

// speaks checks whether the peer's version is supported.
func (g greeting) speaks() error {
	if g.Version < oldest || g.Oldest > version {
		return fmt.Errorf("it speaks the versions %d to %d of the protocol, and this is %d to %d", g.Oldest, g.Version, oldest, version)
	}
	return nil
}

// startedBody tells whether a program was started. Errno is the system's error number, if
// there is one.
type startedBody struct {
	PID     int    `json:"pid,omitempty"`
	Grouped bool   `json:"grouped,omitempty"`
	Errno   uint   `json:"errno,omitempty"`
	Err     string `json:"err,omitempty"`
}

// overBody is the end of a program's streams: the size of its output, and the end of
// its stderr.
type overBody struct {
	Printed uint64 `json:"printed"`
	Stderr  []byte `json:"stderr,omitempty"`
}
