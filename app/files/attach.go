package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/gif" // the image types that the Messages API accepts
	_ "image/jpeg"
	_ "image/png"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	_ "golang.org/x/image/webp"

	"parley/app/feature"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// Limits for attachments. Those for images are the Messages API's: if it rejects one, it rejects
// every later turn, because the conversation is sent whole.
const (
	maxAttachments = 20
	// maxImageBase64 is for the image as it is sent.
	maxImageBase64 = 5 << 20
	maxImageSide   = 8000
	maxFileBytes   = 20 << 20
	MaxNameBytes   = 200
)

// Attached is a file attached to a prompt or a draft.
type Attached struct {
	Name, MediaType string
	Data            []byte
}

func (a Attached) image() bool { return strings.HasPrefix(a.MediaType, "image/") }

// DecodeAttachments decodes the attachments of a prompt or draft, without checking their content.
func DecodeAttachments(list []feature.PromptAttachment) ([]Attached, error) {
	if len(list) > maxAttachments {
		return nil, fault.New(fault.TooLarge, "%d attachments are too many; the limit is %d (parameter attachments).", len(list), maxAttachments)
	}
	out := make([]Attached, 0, len(list))
	for i, a := range list {
		at := fmt.Sprintf("attachments[%d]", i)
		data, err := base64.StdEncoding.DecodeString(a.Data)
		switch {
		case err != nil:
			return nil, fault.Wrap(err, fault.Invalid, "%s.data is not base64.", at)
		case len(data) == 0:
			return nil, fault.New(fault.Invalid, "%s is empty.", at)
		case len(data) > maxFileBytes:
			return nil, fault.New(fault.TooLarge, "%s has %d bytes; the limit for a file is %d.", at, len(data), maxFileBytes)
		case len(a.Name) > MaxNameBytes || len(a.MediaType) > MaxNameBytes:
			return nil, fault.New(fault.Invalid, "%s has a name or a media type of more than %d bytes.", at, MaxNameBytes)
		}
		out = append(out, Attached{a.Name, a.MediaType, data})
	}
	return out, nil
}

// ImagesOf checks the images among attachments, and describes them.
func ImagesOf(all []Attached) ([]wire.Image, []event.Attachment, error) {
	var images []wire.Image
	var described []event.Attachment
	for i, a := range all {
		if !a.image() {
			continue
		}
		if err := checkImage(a, fmt.Sprintf("attachments[%d]", i)); err != nil {
			return nil, nil, err
		}
		images = append(images, wire.Image{MediaType: a.MediaType, Data: a.Data})
		described = append(described, event.Attachment{Name: a.Name, MediaType: a.MediaType, Bytes: int64(len(a.Data))})
	}
	return images, described, nil
}

// checkImage rejects an image that would make its conversation permanently unusable.
func checkImage(a Attached, at string) error {
	switch a.MediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return fault.New(fault.Invalid, "%s has the media type %q; images may be PNG, JPEG, GIF or WebP.", at, a.MediaType)
	}
	if n := base64.StdEncoding.EncodedLen(len(a.Data)); n > maxImageBase64 {
		return fault.New(fault.TooLarge, "%s has %d bytes as it is sent; the limit for an image is %d.", at, n, maxImageBase64)
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(a.Data))
	switch {
	case err != nil:
		return fault.New(fault.Invalid, "%s is damaged, or not an image that Parley can read.", at)
	case "image/"+format != a.MediaType:
		return fault.New(fault.Invalid, "%s has the media type %s, but its content is image/%s.", at, a.MediaType, format)
	case config.Width > maxImageSide || config.Height > maxImageSide:
		return fault.New(fault.TooLarge, "%s has %d × %d pixels; the limit is %d for each side.", at, config.Width, config.Height, maxImageSide)
	case config.Width == 0 || config.Height == 0:
		return fault.New(fault.Invalid, "%s has no pixels.", at)
	case !whole(a.Data, format, config):
		return fault.New(fault.Invalid, "%s is damaged: only its beginning can be read. Save the image again, then attach the new file.", at)
	}
	return nil
}

// mostDecoded is the maximum number of pixels for decoding: of larger pictures only the end is
// checked, because decoding would need hundreds of megabytes.
const mostDecoded = 24 << 20

// whole reports whether a picture is complete.
func whole(data []byte, format string, config image.Config) bool {
	switch moving := format == "webp" && bytes.Contains(data[:min(len(data), 64)], []byte("ANIM")); {
	case format == "webp" && (moving || config.Width*config.Height > mostDecoded):
		// The decoder does not support animations; their header has the length.
		return len(data) >= 8 && int(binary.LittleEndian.Uint32(data[4:8]))+8 <= len(data)
	case config.Width*config.Height > mostDecoded:
		end := map[string]string{"png": "IEND\xaeB\x60\x82", "jpeg": "\xff\xd9", "gif": ";"}[format]
		return bytes.Contains(data[max(0, len(data)-1024):], []byte(end))
	}
	_, _, err := image.Decode(bytes.NewReader(data))
	return err == nil
}

// attic stores the files of prompts, where the CLI can read them: by session, under their own
// names. They are kept as long as the session.
type attic struct {
	dir string
	log *slog.Logger
}

// Mention stores the files among attachments, and returns the text that makes the CLI read them.
func (a *attic) Mention(sessionID string, all []Attached) (string, error) {
	var b strings.Builder
	for _, f := range all {
		if f.image() {
			continue
		}
		path, err := a.put(sessionID, f)
		if err != nil {
			return "", fault.Wrap(err, fault.Unavailable, "The attached file %q could not be saved: %v.", f.Name, err)
		}
		fmt.Fprintf(&b, "\n@\"%s\"", path)
	}
	if b.Len() == 0 {
		return "", nil
	}
	return "\n" + b.String(), nil
}

// WithFiles adds the mention of files to a prompt. If a prompt begins with a path, the CLI tries it
// as a command and reads no files: then the files come first.
func WithFiles(text, files string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if files != "" && strings.HasPrefix(first, "/") && strings.Count(first, "/") > 1 {
		return strings.TrimLeft(files, "\n") + "\n\n" + text
	}
	return text + files
}

// put stores one file. Identical content is stored once.
func (a *attic) put(sessionID string, f Attached) (string, error) {
	sum := sha256.Sum256(f.Data)
	dir := filepath.Join(a.dir, filepath.Base(sessionID), hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, FileName(f.Name))
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(f.Data)) {
		return path, nil
	}
	fresh, err := os.CreateTemp(dir, ".new-*") // 0600
	if err != nil {
		return "", err
	}
	_, err = fresh.Write(f.Data)
	if failed := fresh.Close(); err == nil {
		err = failed
	}
	if err == nil {
		err = os.Rename(fresh.Name(), path)
	}
	if err != nil {
		os.Remove(fresh.Name())
		return "", err
	}
	return path, nil
}

// sweep deletes the files of sessions that no longer exist.
func (a *attic) sweep(there func(sessionID string) bool) {
	entries, err := os.ReadDir(a.dir)
	if err != nil {
		return // it does not exist yet
	}
	for _, e := range entries {
		if there(e.Name()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(a.dir, e.Name())); err != nil {
			a.log.Warn("Couldn't delete the files of a deleted session", "session", e.Name(), "err", err)
		}
	}
}

// FileName makes a name safe in a folder and in quotation marks: after a space in it, "@" would
// make the CLI read another file.
func FileName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '/' || r == '\\' || r == '"' || r == ':' || r == '#' || r == '@' || r == utf8.RuneError, unicode.IsControl(r), unicode.In(r, unicode.Cf):
			return '_'
		}
		return r
	}, name)
	name = strings.TrimLeft(strings.TrimSpace(name), ".-")
	if len(name) > 120 {
		ext := filepath.Ext(name)
		if len(ext) > 20 {
			ext = ""
		}
		name = strings.ToValidUTF8(name[:120-len(ext)], "") + ext
	}
	if name == "" {
		return "file"
	}
	return name
}
