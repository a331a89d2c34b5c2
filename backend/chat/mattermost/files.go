package mattermost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"parley/backend/chat/mattermost/wire"

	"parley/backend/chat"
)

// fileTimeout is for one try with a file.
const fileTimeout = 10 * time.Minute

// Upload uploads a file that a post can reference. A seekable reader is resent if the
// connection breaks; another is sent once.
func (c *Client) Upload(ctx context.Context, channelID, name string, r io.Reader) (chat.File, error) {
	if !wire.IsID(channelID) {
		return chat.File{}, chat.ErrGone
	}
	limit := c.Limits().FileBytes
	size := int64(-1)
	seeker, seeks := r.(io.ReadSeeker)
	if seeks {
		end, err := seeker.Seek(0, io.SeekEnd)
		if err != nil {
			return chat.File{}, fmt.Errorf("measure a file: %w", err)
		}
		if end > limit {
			return chat.File{}, chat.ErrTooLarge
		}
		size = end
	}
	began := false
	stream := func() (io.Reader, error) {
		if seeks {
			if _, err := seeker.Seek(0, io.SeekStart); err != nil {
				return nil, fmt.Errorf("read a file: %w", err)
			}
			return io.LimitReader(seeker, size), nil
		}
		if began {
			return nil, fmt.Errorf("%w: the file could not be sent at once", chat.ErrOffline)
		}
		began = true
		return &capped{r: r, left: limit}, nil
	}
	q := call{
		method: http.MethodPost, path: "/files", query: url.Values{"channel_id": {channelID}, "filename": {fileName(name)}},
		stream: stream, size: size, contentType: "application/octet-stream", timeout: fileTimeout,
	}
	var out wire.Uploaded
	if err := c.do(ctx, q, &out); err != nil {
		return chat.File{}, err
	}
	if len(out.Files) != 1 || out.Files[0] == nil {
		return chat.File{}, fmt.Errorf("%w: the server did not say which file it took", chat.ErrOffline)
	}
	return file(out.Files[0]), nil
}

// fileName keeps the last part of a name, without what a header or a path can't
// contain.
func fileName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '/' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if name == "" || name == "." || name == ".." {
		return "file"
	}
	if runes := []rune(name); len(runes) > 120 {
		name = string(runes[len(runes)-120:]) // the extension matters
	}
	return name
}

// capped fails if more than its limit is read.
type capped struct {
	r    io.Reader
	left int64
}

func (l *capped) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	l.left -= int64(n)
	if l.left < 0 {
		return 0, chat.ErrTooLarge
	}
	return n, err
}

// Download reads a file of at most limit bytes.
func (c *Client) Download(ctx context.Context, fileID string, limit int64) ([]byte, error) {
	if !wire.IsID(fileID) {
		return nil, chat.ErrGone
	}
	var out []byte
	err := c.do(ctx, call{method: http.MethodGet, path: "/files/" + fileID, raw: true, limit: limit, timeout: fileTimeout}, &out)
	if err != nil && !errors.Is(err, chat.ErrTooLarge) {
		return nil, err
	}
	if err != nil {
		return nil, chat.ErrTooLarge
	}
	return out, nil
}
