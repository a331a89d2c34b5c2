package files

import (
	"context"
	"encoding/base64"
	"path/filepath"

	"parley/app/feature"
	"parley/app/method"
	"parley/backend/fault"
	"parley/backend/platform/atomicfile"
)

// maxSaved bounds a file created by the page, in bytes.
const maxSaved = 64 << 20

// FileSaveParams is a file that the page has made.
type FileSaveParams struct {
	// Name is offered in the dialog.
	Name string `json:"name"`
	// Content is text, or what Encoding says; at most 64 MiB.
	Content string `json:"content"`
	// Encoding is "base64" for what is not text.
	Encoding string `json:"encoding,omitempty"`
}

// FileSaved says where a file was saved, "" when the user cancelled.
type FileSaved struct {
	Path string `json:"path"`
}

// saving implements file.save. Saver is nil if there is no window: a browser saves files itself.
type saving struct{ saver feature.FileSaver }

func (s *saving) methods() []*method.Method {
	return []*method.Method{
		method.New("file.save", "Asks in the window where to save a file, and saves it.", s.Save).Enum("encoding", "base64"),
	}
}

// Save is file.save.
func (s *saving) Save(ctx context.Context, p FileSaveParams) (FileSaved, error) {
	switch {
	case s.saver == nil:
		return FileSaved{}, fault.New(fault.Unavailable, "There is no window to show a dialog in. Save the file in the browser instead.")
	case len(p.Content) > maxSaved:
		return FileSaved{}, fault.New(fault.TooLarge, "The file is too large; the limit is %d MB.", maxSaved>>20)
	}
	data := []byte(p.Content)
	if p.Encoding == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(p.Content); err != nil {
			return FileSaved{}, fault.Wrap(err, fault.Invalid, "This is not base64 (parameter content).")
		}
	}
	path, err := s.saver.SaveFile(ctx, FileName(p.Name))
	if err != nil {
		return FileSaved{}, fault.Wrap(err, fault.Unavailable, "The system's save dialog could not be shown.")
	}
	if path == "" {
		return FileSaved{}, nil
	}
	if err := atomicfile.Private(path, data); err != nil {
		return FileSaved{}, fault.Wrap(err, fault.Unavailable, "The file could not be saved. Check that you have permission to write to %q and that the disk has free space.", filepath.Dir(path))
	}
	return FileSaved{Path: path}, nil
}
