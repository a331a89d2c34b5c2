package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"slices"
	"sync"
	"time"

	"parley/app/feature"
	"parley/backend/claude/wire"
	"parley/backend/fault"
)

const (
	// maxPicture bounds a picture read from a conversation, in bytes.
	maxPicture = 8 << 20
	// maxSent bounds the pictures of recently sent prompts, in bytes.
	maxSent = 32 << 20
	// The CLI writes a prompt to disk some time after it was sent. A picture not among the recent
	// ones is waited for this long, checked at this interval.
	pictureTime = 15 * time.Second
	pictureLook = 300 * time.Millisecond
)

// sentPrompts keeps the pictures of recently sent prompts: users look at them before the CLI, which
// has to start first, has written them to disk.
type sentPrompts struct {
	mu    sync.Mutex
	list  []sentPictures // oldest first
	bytes int
}

type sentPictures struct {
	session, message string
	images           []wire.Image
	bytes            int
}

func (s *sentPrompts) Keep(session, message string, images []wire.Image) {
	if len(images) == 0 {
		return
	}
	p := sentPictures{session: session, message: message, images: images}
	for _, one := range images {
		p.bytes += len(one.Data)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list, s.bytes = append(s.list, p), s.bytes+p.bytes
	for len(s.list) > 0 && s.bytes > maxSent {
		s.bytes -= s.list[0].bytes
		s.list = slices.Delete(s.list, 0, 1)
	}
}

func (s *sentPrompts) find(session, message string, index int) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.list {
		if p.session == session && p.message == message && index < len(p.images) {
			return p.images[index].Data, true
		}
	}
	return nil, false
}

// pictures implements session.attachment.
type pictures struct {
	sent *sentPrompts
	read func(ctx context.Context, id, messageID string, index, limit int) ([]byte, error)
	live func(id string) bool
}

// Picture is session.attachment.
func (s *pictures) Picture(ctx context.Context, p SessionAttachmentParams) (SessionAttachment, error) {
	switch {
	case p.MessageID == "" || len(p.MessageID) > feature.MaxID:
		return SessionAttachment{}, fault.New(fault.Invalid, "messageId must be the ID of a message.")
	case p.Index < 0 || p.Index >= 100*maxAttachments:
		return SessionAttachment{}, fault.New(fault.Invalid, "There is no attachment %d (parameter index).", p.Index)
	}
	if data, ok := s.sent.find(p.SessionID, p.MessageID, p.Index); ok {
		return picture(data)
	}
	data, err := s.read(ctx, p.SessionID, p.MessageID, p.Index, maxPicture)
	for end := time.Now().Add(pictureTime); fault.CodeOf(err) == fault.NotFound && s.live(p.SessionID) && time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return SessionAttachment{}, ctx.Err()
		case <-time.After(pictureLook):
		}
		data, err = s.read(ctx, p.SessionID, p.MessageID, p.Index, maxPicture)
	}
	if err != nil {
		return SessionAttachment{}, err
	}
	return picture(data)
}

// picture returns data that is a picture by its content. SVG, which may contain scripts, is not.
func picture(data []byte) (SessionAttachment, error) {
	_, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return SessionAttachment{}, fault.New(fault.Invalid, "The attachment is not an image that can be shown.")
	}
	return SessionAttachment{MediaType: "image/" + format, Data: base64.StdEncoding.EncodeToString(data)}, nil
}
