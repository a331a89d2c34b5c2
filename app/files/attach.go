package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/gif" // the kinds of images that the Messages API takes
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

// Limits of what goes with a prompt. Those for images are the Messages API's: what it
// refuses it refuses again with every later turn, because the conversation is sent
// whole.
const (
	maxAttachments = 20
	// maxImageBase64 is of the image as it is sent.
	maxImageBase64 = 5 << 20
	maxImageSide   = 8000
	maxFileBytes   = 20 << 20
	MaxNameBytes   = 200
)

// Attached is a file that goes with a prompt or a draft.
type Attached struct {
	Name, MediaType string
	Data            []byte
}

func (a Attached) image() bool { return strings.HasPrefix(a.MediaType, "image/") }

// DecodeAttachments reads what came with a prompt or a draft. What is in it is not
// looked at.
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

// ImagesOf checks the images among what goes with a prompt, and describes them.
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

// checkImage refuses an image that would make its conversation unusable for good.
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
		return fault.New(fault.Invalid, "%s is not an image that can be read, or it is damaged.", at)
	case "image/"+format != a.MediaType:
		return fault.New(fault.Invalid, "%s is called %s and is image/%s.", at, a.MediaType, format)
	case config.Width > maxImageSide || config.Height > maxImageSide:
		return fault.New(fault.TooLarge, "%s has %d × %d pixels; the limit is %d for each side.", at, config.Width, config.Height, maxImageSide)
	case config.Width == 0 || config.Height == 0:
		return fault.New(fault.Invalid, "%s has no pixels.", at)
	case !whole(a.Data, format, config):
		return fault.New(fault.Invalid, "%s is damaged: only its beginning can be read. Save it again, and attach that.", at)
	}
	return nil
}

// mostDecoded is how many pixels a picture may have to be decoded: of larger ones only the
// end is looked for, because decoding would need hundreds of megabytes.
const mostDecoded = 24 << 20

// whole says whether a picture can be decoded to its end.
func whole(data []byte, format string, config image.Config) bool {
	switch moving := format == "webp" && bytes.Contains(data[:min(len(data), 64)], []byte("ANIM")); {
	case format == "webp" && (moving || config.Width*config.Height > mostDecoded):
		// Moving ones are more than the decoder knows; their head says how long they are.
		return len(data) >= 8 && int(binary.LittleEndian.Uint32(data[4:8]))+8 <= len(data)
	case config.Width*config.Height > mostDecoded:
		end := map[string]string{"png": "IEND\xaeB\x60\x82", "jpeg": "\xff\xd9", "gif": ";"}[format]
		return bytes.Contains(data[max(0, len(data)-1024):], []byte(end))
	}
	_, _, err := image.Decode(bytes.NewReader(data))
	return err == nil
}

// attic keeps the files that went with prompts, where the CLI can read them: by
// session, under their own names. A session's are kept as long as the session.
type attic struct {
	dir string
	log *slog.Logger
}

// Mention keeps the files among what goes with a prompt, and says what is written
// into it for the CLI to read them.
func (a *attic) Mention(sessionID string, all []Attached) (string, error) {
	var b strings.Builder
	for _, f := range all {
		if f.image() {
			continue
		}
		path, err := a.put(sessionID, f)
		if err != nil {
			return "", fault.Wrap(err, fault.Unavailable, "The attached file %q could not be kept: %v.", f.Name, err)
		}
		fmt.Fprintf(&b, "\n@\"%s\"", path)
	}
	if b.Len() == 0 {
		return "", nil
	}
	return "\n" + b.String(), nil
}

// WithFiles is a prompt with what names its files. The CLI reads no file for a prompt that
// begins with a path, which it first takes for one of its commands: there the files come
// first.
func WithFiles(text, files string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if files != "" && strings.HasPrefix(first, "/") && strings.Count(first, "/") > 1 {
		return strings.TrimLeft(files, "\n") + "\n\n" + text
	}
	return text + files
}

// put keeps one file. The same contents are kept once.
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

// sweep removes the files of sessions that are not there any more.
func (a *attic) sweep(there func(sessionID string) bool) {
	entries, err := os.ReadDir(a.dir)
	if err != nil {
		return // there is none yet
	}
	for _, e := range entries {
		if there(e.Name()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(a.dir, e.Name())); err != nil {
			a.log.Warn("Files of a session that is gone stay", "session", e.Name(), "err", err)
		}
	}
}

// FileName makes a name that is safe in a folder and between quotation marks: the CLI
// would read another file for an "@" behind a blank there.
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
