package history

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"

	"parley/backend/claude/transcript"
	"parley/backend/fault"
)

// maxPictures is the longest line that is searched for images.
const maxPictures = 64 << 20

// Attachment returns the contents of a prompt's attachment; index counts from 0 as in
// the prompt's message. It has at most limit bytes. Its errors are faults: not_found,
// too_large.
func (t *Transcript) Attachment(ctx context.Context, messageID string, index, limit int) ([]byte, error) {
	s, err := t.open()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	id := []byte(messageID)
	for lines := newBackward(s, s.size); ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		place, raw, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil, fault.New(fault.NotFound, "This attachment is not in the conversation.")
		}
		if err != nil {
			return nil, unreadable(err)
		}
		if raw == nil && place.size > 0 && place.size <= maxPictures {
			raw = make([]byte, place.size)
			if _, err := s.ReadAt(raw, place.at); err != nil {
				return nil, unreadable(cut(err))
			}
		}
		// Parsing a line takes longer than searching it for an id.
		if !bytes.Contains(raw, id) {
			continue
		}
		line, whole := transcript.ReadLine(raw)
		if !whole {
			continue
		}
		data, ok := line.Attachment(messageID, index)
		switch {
		case !ok:
			continue
		case base64.StdEncoding.DecodedLen(len(data)) > limit+2:
			return nil, fault.New(fault.TooLarge, "The attachment is larger than %d MB.", limit>>20)
		}
		out := make([]byte, base64.StdEncoding.DecodedLen(len(data)))
		n, err := base64.StdEncoding.Decode(out, data)
		if err != nil || n == 0 {
			return nil, fault.New(fault.NotFound, "The attachment is damaged in the conversation's file.")
		}
		return out[:n], nil
	}
}
