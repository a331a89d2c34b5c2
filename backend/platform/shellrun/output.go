package shellrun

import (
	"strings"
	"unicode/utf8"
)

// The kept parts of an output: its start and its end.
const (
	headBytes = 64 << 10
	tailBytes = 32 << 10
)

// output collects a command's output, in pieces that may split characters.
type output struct {
	// cut is the start of an incomplete character.
	cut  []byte
	head int
	// tail is the newest text after the head, and past the total length after the
	// head.
	tail []byte
	past int64
}

// add returns what belongs to the head, to be passed on at once.
func (o *output) add(p []byte) (head string) {
	p = append(o.cut, p...)
	n := whole(p)
	o.cut = append([]byte(nil), p[n:]...)
	return o.take(strings.ToValidUTF8(string(p[:n]), "\uFFFD"))
}

// end returns what is left of an incomplete character.
func (o *output) end() (head string) {
	if len(o.cut) == 0 {
		return ""
	}
	o.cut = nil
	return o.take("\uFFFD")
}

func (o *output) take(s string) (head string) {
	s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	if room := headBytes - o.head; room > 0 && o.past == 0 {
		head = s
		if len(s) > room {
			for room > 0 && !utf8.RuneStart(s[room]) {
				room--
			}
			head = s[:room]
			o.head = headBytes // the rest is the tail's
		} else {
			o.head += len(s)
		}
		s = s[len(head):]
	}
	o.past += int64(len(s))
	o.tail = append(o.tail, s...)
	if len(o.tail) > 2*tailBytes {
		o.tail = append([]byte(nil), o.shown()...)
	}
	return head
}

// shown returns the visible part of the tail; it starts with a whole character.
func (o *output) shown() []byte {
	t := o.tail[max(0, len(o.tail)-tailBytes):]
	for len(t) > 0 && !utf8.RuneStart(t[0]) {
		t = t[1:]
	}
	return t
}

// rest returns how much is omitted, and the kept end.
func (o *output) rest() (skipped int64, tail string) {
	t := o.shown()
	return o.past - int64(len(t)), string(t)
}

// whole returns the length of p without an incomplete character at its end.
func whole(p []byte) int {
	for i := len(p) - 1; i >= max(0, len(p)-utf8.UTFMax); i-- {
		if utf8.RuneStart(p[i]) {
			if !utf8.FullRune(p[i:]) {
				return i
			}
			break
		}
	}
	return len(p)
}
