package desktop

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"parley/backend/fault"
	"parley/backend/platform/safeopen"
)

const (
	// maxHandedFiles is how many files of one paste or drop are considered.
	maxHandedFiles = 20
	// maxHandedBytes bounds one file. The page scales pictures down.
	maxHandedBytes = 60 << 20
	// maxHandedText bounds a text.
	maxHandedText = 8 << 20
	// maxPixels bounds a picture that is re-encoded here, which takes four bytes per pixel.
	maxPixels = 50_000_000
	// maxNamed bounds the names of files waiting to be read by the page, in bytes.
	maxNamed = 1 << 20
	// How long after the paste keys the page may ask for the content.
	pasteTime = 5 * time.Second
	// How long another program may take to provide its clipboard content.
	grabTime = 20 * time.Second
)

// Handed is content from another program.
type Handed struct {
	Files []HandedFile `json:"files,omitempty"`
	// More counts the files beyond the limit.
	More int    `json:"more,omitempty"`
	Text string `json:"text,omitempty"`
	// Refused says why there is neither: "large", or "picture" for an unsupported format.
	Refused string `json:"refused,omitempty"`
}

// HandedFile is a file that the page may read once, or a rejected one.
type HandedFile struct {
	// ID is the id to read it with, "" for a rejected file.
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	// MediaType is derived from its name, or from a picture's content.
	MediaType string `json:"mediaType,omitempty"`
	Bytes     int64  `json:"bytes"`
	// Refused is "folder", "kind" (a pipe, a device), "remote" (on another computer), "missing",
	// "unreadable" or "large".
	Refused string `json:"refused,omitempty"`
}

// A grab is content from the system: files, a picture or a text; the zero value for nothing.
type grab struct {
	kind byte
	// mediaType is a picture's.
	mediaType string
	data      []byte
}

const (
	grabbedFiles   byte = 'f'
	grabbedPicture byte = 'p'
	grabbedText    byte = 't'
	// grabbedLarge marks content beyond the limit.
	grabbedLarge byte = 'l'
)

// handing passes content from other programs to the page on the user's action. The page can request
// nothing else: the clipboard only after the user pasted, and a drop only once. Files are read one
// by one when the page wants them, and the page never learns their paths. The zero value passes
// nothing.
type handing struct {
	// grab reads the clipboard; nil if the page can do that itself.
	grab func(ctx context.Context) (grab, error)

	mu       sync.Mutex
	pasted   time.Time
	dropped  grab
	waiting  bool // dropped has not been requested yet
	drops    int
	files    *park // paths
	pictures *park
}

func newHanding(clipboard func(context.Context) (grab, error)) *handing {
	return &handing{grab: clipboard, files: newPark(maxNamed), pictures: newPark(maxHandedBytes)}
}

// allowPaste records that the user pastes: the page may request the content once.
func (h *handing) allowPaste() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pasted = time.Now()
}

func (h *handing) mayPaste() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	may := time.Since(h.pasted) < pasteTime
	h.pasted = time.Time{}
	return may
}

// drop stores a drop and returns the number to request it with.
func (h *handing) drop(g grab) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drops++
	h.dropped, h.waiting = g, true
	return h.drops
}

// clear drops everything: the page has changed.
func (h *handing) clear() {
	h.mu.Lock()
	h.pasted, h.dropped, h.waiting = time.Time{}, grab{}, false
	h.mu.Unlock()
	h.files.clear()
	h.pictures.clear()
}

func (h *handing) takeDrop(number int) (grab, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.dropped
	if number != h.drops || !h.waiting {
		return grab{}, fault.New(fault.NotFound, "The dropped files are no longer available.")
	}
	h.dropped, h.waiting = grab{}, false
	return g, nil
}

// offer converts a grab to what the page may have.
func (h *handing) offer(g grab) Handed {
	switch g.kind {
	case grabbedLarge:
		return Handed{Refused: "large"}
	case grabbedText:
		if len(g.data) > maxHandedText {
			return Handed{Refused: "large"}
		}
		return Handed{Text: strings.ToValidUTF8(string(g.data), "\uFFFD")}
	case grabbedFiles:
		return h.offerFiles(g.data)
	case grabbedPicture:
		mediaType, data, err := sendable(g.mediaType, g.data)
		switch {
		case err != nil:
			return Handed{Refused: "picture"}
		case len(data) > maxHandedBytes:
			return Handed{Refused: "large"}
		}
		_, ending, _ := strings.Cut(mediaType, "/")
		return Handed{Files: []HandedFile{{
			ID: "p" + h.pictures.put(data), Name: "image." + strings.Replace(ending, "jpeg", "jpg", 1), MediaType: mediaType, Bytes: int64(len(data)),
		}}}
	}
	return Handed{}
}

func (h *handing) offerFiles(list []byte) Handed {
	var out Handed
	var seen []string
	for line := range strings.Lines(string(list)) {
		line = strings.TrimRight(line, "\r\n\x00")
		// File managers put the operation before the files.
		if line == "" || line[0] == '#' || line == "copy" || line == "cut" || slices.Contains(seen, line) {
			continue
		}
		if len(out.Files) == maxHandedFiles {
			out.More++
			continue
		}
		seen = append(seen, line)
		out.Files = append(out.Files, h.offerFile(line))
	}
	return out
}

func (h *handing) offerFile(link string) HandedFile {
	path, ok := localPath(link)
	if !ok {
		return HandedFile{Name: lastPart(link), Refused: "remote"}
	}
	f := HandedFile{Name: lastPart(path)}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Refused = "missing"
	case err != nil:
		f.Refused = "unreadable"
	case info.IsDir():
		f.Refused = "folder"
	case !info.Mode().IsRegular():
		f.Refused = "kind"
	case info.Size() > maxHandedBytes:
		f.Refused = "large"
	default:
		f.ID, f.Bytes = "f"+h.files.put([]byte(path)), info.Size()
		f.MediaType, _, _ = strings.Cut(mime.TypeByExtension(filepath.Ext(path)), ";")
	}
	return f
}

// read returns the bytes of an offered file.
func (h *handing) read(id string) ([]byte, error) {
	gone := fault.New(fault.NotFound, "The file is no longer available.")
	if id == "" {
		return nil, gone
	}
	if id[0] == 'p' {
		data, ok := h.pictures.take(id[1:])
		if !ok {
			return nil, gone
		}
		return data, nil
	}
	path, ok := h.files.take(strings.TrimPrefix(id, "f"))
	if !ok {
		return nil, gone
	}
	data, err := safeopen.Read(string(path), maxHandedBytes)
	switch {
	case errors.Is(err, safeopen.ErrTooLarge):
		return nil, fault.Wrap(err, fault.TooLarge, "The file is too large.")
	case err != nil:
		return nil, fault.Wrap(err, fault.Unavailable, "The file could not be read.")
	}
	return data, nil
}

// localPath is the path of a file on this computer.
func localPath(link string) (string, bool) {
	rest, ok := cutScheme(link, "file:")
	if !ok {
		return "", false
	}
	if after, found := strings.CutPrefix(rest, "//"); found {
		host, path, _ := strings.Cut(after, "/")
		if own, _ := os.Hostname(); host != "" && !strings.EqualFold(host, "localhost") && !strings.EqualFold(host, own) {
			return "", false
		}
		rest = "/" + path
	}
	path, err := url.PathUnescape(rest)
	if err != nil || strings.ContainsRune(path, 0) || !filepath.IsAbs(path) {
		return "", false
	}
	return filepath.Clean(path), true
}

func cutScheme(link, scheme string) (string, bool) {
	if len(link) < len(scheme) || !strings.EqualFold(link[:len(scheme)], scheme) {
		return "", false
	}
	return link[len(scheme):], true
}

func lastPart(path string) string {
	name := strings.ToValidUTF8(filepath.Base(path), "\uFFFD")
	if len(name) > 200 {
		name = strings.ToValidUTF8(name[:200], "")
	}
	return name
}

// sendable returns a picture in a format the model accepts. Others are converted to PNG.
func sendable(mediaType string, data []byte) (string, []byte, error) {
	// Ignore what the other program calls it.
	switch is := http.DetectContentType(data); is {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return is, data, nil
	case "image/bmp":
		return redraw(data, bmp.DecodeConfig, bmp.Decode)
	}
	if bytes.HasPrefix(data, []byte("II*\x00")) || bytes.HasPrefix(data, []byte("MM\x00*")) {
		return redraw(data, tiff.DecodeConfig, tiff.Decode)
	}
	return "", nil, fault.New(fault.Invalid, "Images of type %q are not supported.", mediaType)
}

func redraw(data []byte, config func(io.Reader) (image.Config, error), decode func(io.Reader) (image.Image, error)) (string, []byte, error) {
	size, err := config(bytes.NewReader(data))
	if err != nil {
		return "", nil, err
	}
	if size.Width <= 0 || size.Height <= 0 || size.Width > maxPixels/size.Height {
		return "", nil, fault.New(fault.TooLarge, "The image has too many pixels.")
	}
	drawn, err := decode(bytes.NewReader(data))
	if err != nil {
		return "", nil, err
	}
	var out bytes.Buffer
	err = png.Encode(&out, drawn)
	return "image/png", out.Bytes(), err
}

// Paste returns the clipboard's content as the JSON of [Handed] if the user has just pasted, and
// otherwise a fault with code forbidden. Each paste can be requested once.
func (h *Host) Paste(secret string) (handed string, err error) {
	h.calls.Add(1)
	defer h.calls.Done()
	defer h.settle("paste", &err)
	if err := h.admit(secret, "paste"); err != nil {
		return "", err
	}
	if h.handing.grab == nil {
		return "{}", nil
	}
	if !h.handing.mayPaste() {
		return "", fault.New(fault.Forbidden, "Nothing was pasted.")
	}
	ctx, cancel := context.WithTimeout(h.ctx, grabTime)
	defer cancel()
	g, err := h.handing.grab(ctx)
	if err != nil {
		return "", err
	}
	return encode(h.handing.offer(g))
}

// Dropped returns a drop, once, by the number the page received.
func (h *Host) Dropped(secret string, number int) (handed string, err error) {
	h.calls.Add(1)
	defer h.calls.Done()
	defer h.settle("dropped", &err)
	if err := h.admit(secret, "dropped"); err != nil {
		return "", err
	}
	g, err := h.handing.takeDrop(number)
	if err != nil {
		return "", err
	}
	return encode(h.handing.offer(g))
}

// Read returns a pasted or dropped file in base64, once.
func (h *Host) Read(secret, id string) (content string, err error) {
	h.calls.Add(1)
	defer h.calls.Done()
	defer h.settle("read", &err)
	if err := h.admit(secret, "read"); err != nil {
		return "", err
	}
	data, err := h.handing.read(id)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(data), nil
}

// Accept reports whether the current drag may be dropped here.
func (h *Host) Accept(secret string, may bool) (err error) {
	defer h.settle("accept", &err)
	if err := h.admit(secret, "accept"); err != nil {
		return err
	}
	h.accept(may)
	return nil
}

func encode(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// dragged is a drag event for the page.
type dragged struct {
	// Kind is "over", "left" or "drop".
	Kind string `json:"kind"`
	// X and Y are the position, as fractions of the page's width and height.
	X float64 `json:"x"`
	Y float64 `json:"y"`
	// Number is for requesting the drop.
	Number int `json:"number,omitempty"`
}

// dragEvent is the event's JSON.
func dragEvent(d dragged) string {
	b, err := json.Marshal([]any{map[string]dragged{"drag": d}})
	if err != nil {
		// NaN and infinity have no JSON form, and are not fractions.
		return "[]"
	}
	return string(b)
}
