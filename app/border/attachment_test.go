//go:build linux

package border

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"testing"

	"parley/app/files"
	"parley/backend/demo"
	"parley/backend/event"
)

// The images of a prompt can be read while the session runs, after a restart of
// Parley, and when the session has continued from there.
func TestAttachment(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().When(demo.Any, demo.Say("Two dots.")))
		encode := func(w int) string {
			var b bytes.Buffer
			if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, 10))); err != nil {
				t.Fatal(err)
			}
			return base64.StdEncoding.EncodeToString(b.Bytes())
		}
		s := p.openWith(m{"engine": engine})
		turn := s.promptWith(m{"text": "what are these?", "attachments": []m{
			{"name": "a.png", "mediaType": "image/png", "data": encode(10)},
			{"name": "b.png", "mediaType": "image/png", "data": encode(20)},
		}})
		id := await(s.c, s.id, "the prompt", func(*event.UserMessage) bool { return true }).MessageID
		check := func(what string) {
			t.Helper()
			for index, width := range []int{10, 20} {
				got := call[files.SessionAttachment](p.watcher, "session.attachment", m{"sessionId": s.id, "messageId": id, "index": index})
				data, err := base64.StdEncoding.DecodeString(got.Data)
				if err != nil {
					t.Fatal(err)
				}
				config, format, err := image.DecodeConfig(bytes.NewReader(data))
				if err != nil || format != "png" || got.MediaType != "image/png" || config.Width != width {
					t.Errorf("%s, picture %d: %s, %s of %d pixels, %v", what, index, got.MediaType, format, config.Width, err)
				}
			}
		}
		check("while it runs")
		s.done(turn, "completed")
		p.watcher.refused("session.attachment", m{"sessionId": "none", "messageId": id, "index": 0}, "not_found")
		p.watcher.refused("session.attachment", m{"sessionId": s.id, "messageId": id, "index": -1}, "invalid", "index")
		p.watcher.refused("session.attachment", m{"sessionId": s.id, "messageId": "", "index": 0}, "invalid", "messageId")
		p.terminate()
		p.again()
		list := p.messages(s.id)
		if list[0].ID != id || len(list[0].Attachments) != 2 {
			t.Fatalf("after a restart the prompt is %+v, and was %s", list[0], id)
		}
		check("after a restart")
		p.watcher.refused("session.attachment", m{"sessionId": s.id, "messageId": id, "index": 2}, "not_found")
		again := p.resume(s)
		again.turn("go on")
		check("when it goes on")
	})
}
