//go:build linux

package border

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"parley/backend/demo"
)

type found struct {
	Files []struct {
		Path   string
		Folder bool
	}
	Scanning, Truncated bool
}

// Files of the session's folder are found, and the CLI accepts a mention of one.
func TestFindFiles(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Say("Read.")))
	s := p.open()
	s.write("plain.txt", "the plain words")
	s.write("with space.txt", "the spaced words")
	var f found
	for f.Scanning = true; f.Scanning; {
		f = call[found](s.c, "file.find", m{"sessionId": s.id, "query": "txt"})
	}
	if len(f.Files) != 2 || f.Files[0].Path != "plain.txt" || f.Files[1].Path != "with space.txt" {
		t.Errorf("found %+v", f.Files)
	}
	s.turn(`look at @plain.txt and @"with space.txt"`)
	heard := wholeText(p.lastRequest())
	for _, want := range []string{"the plain words", "the spaced words"} {
		if !strings.Contains(heard, want) {
			t.Errorf("the model did not get %q in:\n%s", want, heard)
		}
	}
	s.c.refused("file.find", m{"sessionId": "nobody"}, "not_found")
	s.c.refused("file.find", m{"sessionId": s.id, "limit": 1000}, "invalid")
}

// The CLI reads a prompt's attached file, wherever Parley stores it and however
// the prompt starts: for text that looks like its commands the CLI reads no file.
func TestAttachedFile(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Read.")))
	for i, text := range []string{"what does it say?", "/tmp/some/where.txt is like it, isn't it?", "/etc/hosts", "/no-such-command of mine", "", "!ls"} {
		s := p.open()
		words := fmt.Sprintf("the attached words %d", i)
		turn := s.promptWith(m{"text": text, "attachments": []m{{
			"name": `../odd "name".txt`, "mediaType": "text/plain", "data": base64.StdEncoding.EncodeToString([]byte(words)),
		}}})
		s.done(turn, "completed")
		if heard := wholeText(p.lastRequest()); !strings.Contains(heard, words) || !strings.Contains(heard, text) {
			t.Errorf("%q: the model did not get it and the file in:\n%s", text, heard)
		}
	}
}

// Images that would break a conversation are rejected before the CLI sees them.
func TestImagesAreChecked(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Say("Nice.")))
	s := p.open()
	encode := func(w, h int) string {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(b.Bytes())
	}
	good := encode(20, 10)
	for name, tt := range map[string]struct{ kind, data, code, word string }{
		"no image":     {"image/png", base64.StdEncoding.EncodeToString([]byte("hello")), "invalid", "not an image"},
		"another kind": {"image/jpeg", good, "invalid", "image/png"},
		"too large":    {"image/png", encode(8001, 2), "too_large", "8001"},
		"SVG":          {"image/svg+xml", good, "invalid", "PNG"},
		"empty":        {"image/png", "", "invalid", "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			s.c.refused("session.prompt", m{"sessionId": s.id, "text": "look", "attachments": []m{{"name": "x", "mediaType": tt.kind, "data": tt.data}}}, tt.code, tt.word)
		})
	}
	turn := s.promptWith(m{"text": "look", "attachments": []m{{"name": "x.png", "mediaType": "image/png", "data": good}}})
	s.done(turn, "completed")
	if n := len(p.mainRequests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}
