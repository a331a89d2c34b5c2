package library

import (
	"context"

	"parley/backend/claude/history"
	"parley/backend/fault"
)

// Attachment returns the contents of a prompt's attachment from the CLI's files;
// index counts from 0 as in the prompt's message. It returns at most limit bytes.
// Its faults are not_found and too_large.
func (l *Library) Attachment(ctx context.Context, id, messageID string, index, limit int) ([]byte, error) {
	v, err := l.view(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, k := range v.links {
		if k.path == "" {
			continue
		}
		data, err := history.Open(k.path).Attachment(ctx, messageID, index, limit)
		if fault.CodeOf(err) == fault.NotFound {
			continue
		}
		return data, err
	}
	return nil, fault.New(fault.NotFound, "This attachment is not in the conversation.")
}
