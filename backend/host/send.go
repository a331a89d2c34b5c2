package host

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// say queues an encoded frame. The caller holds mu.
func (h *holder) say(encoded []byte) {
	h.waiting = append(h.waiting, encoded...)
	h.frames++
}

func (h *holder) sayText(k kind, id uint64, v any) error {
	encoded, err := encodeText(nil, k, id, v)
	if err != nil {
		return err
	}
	h.say(encoded)
	return nil
}

// sayEnds reports which ends of a program are reached.
func (h *holder) sayEnds(p *held) error {
	if !h.greeted || !p.ended {
		return nil
	}
	err := h.sayText(kindEnded, p.id, p.process.Exit())
	if err == nil && p.drained {
		err = h.sayText(kindOver, p.id, overBody{Printed: p.out.end, Stderr: []byte(p.stderr)})
	}
	return err
}

// send sends queued data until Parley has ended.
func (h *holder) send() error {
	buffer := make([]byte, 0, maxOutput+lengthSize+headSize+number)
	piece := make([]byte, maxOutput)
	for range h.wake {
		for {
			h.mu.Lock()
			if h.over {
				h.mu.Unlock()
				return nil
			}
			buffer = append(buffer[:0], h.waiting...)
			h.waiting, h.frames = h.waiting[:0], 0
			if cap(h.waiting) > maxText/4 {
				h.waiting = nil
			}
			var err error
			buffer, err = h.next(buffer, piece)
			h.mu.Unlock()
			if err != nil {
				return err
			}
			if len(buffer) == 0 {
				break
			}
			if _, err := h.conn.Write(buffer); err != nil {
				if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, net.ErrClosed) {
					err = nil // the receiver sees that, too
				}
				return err
			}
		}
	}
	return nil
}

// next appends a piece of output of the next program that has some, in turn. The caller
// holds mu.
func (h *holder) next(to, piece []byte) ([]byte, error) {
	if !h.greeted {
		return to, nil
	}
	for range h.order {
		h.turn++
		p := h.order[h.turn%len(h.order)]
		most := min(p.window, p.out.end)
		if p.sent >= most {
			continue
		}
		n, err := p.out.read(piece[:min(uint64(len(piece)), most-p.sent)], p.sent)
		if err != nil {
			return to, fmt.Errorf("read what was kept of a program: %w", err)
		}
		to = encode(to, kindOutput, p.id, numbers(p.sent), piece[:n])
		p.sent += uint64(n) //nolint:gosec // it is not negative
		break
	}
	return to, nil
}
