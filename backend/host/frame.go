package host

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Versions of the protocol: the newest that this code speaks, and the oldest.
const (
	version = 2
	oldest  = 1
	// handsOver is the first that keeps a state for whoever attaches.
	handsOver = 2
)

// kind is what a frame is.
type kind byte

// From Parley.
const (
	kindHello  kind = iota + 1 // greeting: it is there, or there again
	kindStart                  // child.Command
	kindInput                  // number of the piece, and the piece
	kindHangUp                 // no more input
	kindSignal                 // one of the signals
	kindTaken                  // what is acknowledged, how far may be sent: offsets
	kindForget                 // the program is over, and that was heard
	kindDetach                 // nothing is to be sent until the next hello
	kindState                  // a piece of what the next one is to get
)

// From the host.
const (
	kindWelcome  kind = iota + 65 // greeting, with the programs that there are
	kindStarted                   // startedBody
	kindOutput                    // offset, and what was printed
	kindWritten                   // number of the piece of input, and whether it was written
	kindEnded                     // child.Exit
	kindOver                      // overBody: its streams have ended, too
	kindDetached                  // the answer to detach: the last frame
	kindKept                      // a piece of what the one before left
)

const (
	signalTerm byte = iota + 1
	signalKill
)

const (
	// headSize is that of the kind and the program's number, lengthSize goes before it.
	headSize, lengthSize = 1 + 8, 4
	// maxOutput and maxInput bound a piece of what is said, maxText everything else.
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

// limits are how short and how long the body of a kind may be. Of a kind that there is
// not, nothing may come.
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

// errProtocol is among the errors of a peer that does not keep to the protocol.
var errProtocol = errors.New("the other side does not keep to the protocol")

func violation(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errProtocol, fmt.Sprintf(format, args...))
}

// decoder reads frames.
type decoder struct {
	r    io.Reader
	head [lengthSize + headSize]byte
	body []byte
}

// next returns the next frame. The error is io.EOF when the stream ended between frames.
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

// encode appends a frame whose body is the parts, one after the other.
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

// numbers are the bodies of frames that are made of such.
func numbers(list ...uint64) (body []byte) {
	for _, n := range list {
		body = binary.BigEndian.AppendUint64(body, n)
	}
	return body
}

// number is the nth number of a body.
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
	// The others are in a welcome: the programs, how many bytes of state follow, and the
	// host's process.
	Programs []programState `json:"programs,omitempty"`
	State    int            `json:"state,omitempty"`
	PID      int            `json:"pid,omitempty"`
}

// programState is what somebody who attaches has to know of a program.
type programState struct {
	ID      uint64 `json:"id"`
	PID     int    `json:"pid"`
	Grouped bool   `json:"grouped,omitempty"`
	// Taken is the offset from which on its output comes, Written the number of the last
	// piece of input that was written.
	Taken   uint64 `json:"taken"`
	Written uint64 `json:"written"`
}

// speaks says whether one that greets so is understood.
func (g greeting) speaks() error {
	if g.Version < oldest || g.Oldest > version {
		return fmt.Errorf("it speaks the versions %d to %d of the protocol, and this is %d to %d", g.Oldest, g.Version, oldest, version)
	}
	return nil
}

// startedBody is whether a program was started. Errno is the system's number for why not,
// where it has one.
type startedBody struct {
	PID     int    `json:"pid,omitempty"`
	Grouped bool   `json:"grouped,omitempty"`
	Errno   uint   `json:"errno,omitempty"`
	Err     string `json:"err,omitempty"`
}

// overBody is the end of a program's streams: how much it printed, and the end of its
// stderr.
type overBody struct {
	Printed uint64 `json:"printed"`
	Stderr  []byte `json:"stderr,omitempty"`
}
