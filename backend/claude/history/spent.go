package history

import (
	"bytes"
	"context"
	"errors"
	"io"

	"parley/backend/claude/transcript"
)

// maxSpentBack bounds how far back from its end a file is searched for its total.
const maxSpentBack = 64 << 20

// Spent returns the total in dollars that a CLI continues from when it resumes or forks
// the conversation: the file's last reported total, 0 if it reports none. It is unknown
// if there is no report within the search limit.
func (t *Transcript) Spent(ctx context.Context) (dollars float64, known bool, err error) {
	s, err := t.open()
	if err != nil {
		return 0, false, err
	}
	defer s.Close()
	back := newBackward(s, s.size)
	for back.end > s.size-maxSpentBack {
		if err := ctx.Err(); err != nil {
			return 0, false, err
		}
		_, raw, err := back.next()
		if errors.Is(err, io.EOF) {
			return 0, true, nil
		}
		if err != nil {
			return 0, false, err
		}
		if !bytes.Contains(raw, []byte(`"cost-state"`)) {
			continue
		}
		if l, ok := transcript.ReadLine(raw); ok {
			if dollars, ok := l.TotalCost(); ok {
				return dollars, true, nil
			}
		}
	}
	return 0, false, nil
}
