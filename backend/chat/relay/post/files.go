package post

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the image formats that chats show
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/yuin/goldmark/ast"
	_ "golang.org/x/image/webp"

	"parley/backend/event"
)

// Limits of a turn's files.
const (
	maxFiles     = 20
	maxFileBytes = 50 << 20
	// maxPending bounds the bytes waiting to be uploaded, over all turns of a stream.
	maxPending = 24 << 20
)

// pendingFile is a file to upload for a turn: its bytes, or its path.
type pendingFile struct {
	turn, name string
	data       []byte
	// path is in the session's folder.
	path string
}

// images collects the images of a tool's result, and its output if requested.
func (in *intake) images(t *turn, e *event.ToolResult) {
	for _, c := range e.Content {
		if c.Type != "image" {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(c.Data)
		if err != nil {
			continue
		}
		if _, kind, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
			in.pend(t, pendingFile{turn: t.id, name: fmt.Sprintf("image-%d.%s", t.files+1, kind), data: data})
		}
	}
	if in.outputs <= 0 {
		return
	}
	if text := outputOf(e.Content); strings.Count(text, "\n") >= in.outputs {
		name := fmt.Sprintf("%s-%d.txt", fileWord(e.Name), t.files+1)
		in.pend(t, pendingFile{turn: t.id, name: name, data: []byte(clean(text))})
	}
}

// fileWord converts a tool's name to a part of a file name.
func fileWord(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && word(byte(r)) || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	if name == "" {
		return "output"
	}
	return name[:min(len(name), 40)]
}

// pend queues a file for upload if there is room.
func (in *intake) pend(t *turn, f pendingFile) {
	waiting := len(f.data)
	for _, p := range in.files {
		waiting += len(p.data)
	}
	if t.files >= maxFiles || waiting > maxPending {
		t.dropped++
		return
	}
	t.files++
	in.files = append(in.files, f)
}

// named finds the images that a turn's texts name: as images or links, in code, or as
// words.
func (t *turn) named() []string {
	var found []string
	seen := map[string]bool{}
	add := func(s string) {
		s = strings.Trim(s, " \t\n\"'`*_()[]<>,;:!?")
		s = strings.TrimSuffix(strings.TrimPrefix(s, "file://"), ".")
		switch strings.ToLower(filepath.Ext(s)) {
		case ".png", ".jpg", ".jpeg", ".gif", ".webp":
			if !seen[s] && len(s) < 4096 && len(found) < maxFiles && !strings.Contains(s, "://") {
				seen[s] = true
				found = append(found, s)
			}
		}
	}
	for _, i := range t.items {
		if i.kind != ofText || !bytes.ContainsRune(i.said, '.') || heavy(string(i.said)) {
			continue
		}
		src := i.said
		_ = ast.Walk(parse(src), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.Image:
				add(string(n.Destination))
			case *ast.Link:
				add(string(n.Destination))
			case *ast.CodeSpan:
				for c := n.FirstChild(); c != nil; c = c.NextSibling() {
					if text, ok := c.(*ast.Text); ok {
						add(string(text.Value(src)))
					}
				}
			case *ast.Text:
				for _, w := range strings.Fields(string(n.Value(src))) {
					add(w)
				}
			}
			return ast.WalkContinue, nil
		})
	}
	return found
}

var errNoImage = errors.New("it is not an image that may be shown")

// openImage opens an image in a folder, whatever links there are: nothing outside the
// folder, no special files, and only images.
func openImage(folder, path string) (*os.File, error) {
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return nil, err
		}
		path = rel
	}
	if folder == "" || !filepath.IsLocal(path) {
		return nil, errNoImage
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// A pipe would block until it has a writer.
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxFileBytes || info.Size() == 0) {
		err = errNoImage
	}
	if err == nil {
		_, _, err = image.DecodeConfig(f)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
