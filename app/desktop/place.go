package desktop

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"parley/backend/replace"
)

const (
	minWidth, minHeight         = 720, 480
	defaultWidth, defaultHeight = 1180, 820
	// maxSide keeps a damaged file from asking for a window that no system makes.
	maxSide = 16384
)

// A place is where the window was when it was last closed, in the pixels of the
// desktop.
type place struct {
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
	// Positioned tells a corner at 0, 0 from none.
	Positioned bool `json:"positioned"`
	X          int  `json:"x"`
	Y          int  `json:"y"`
	// Kept is true once the window was hidden instead of closed, which the person is
	// told the first time.
	Kept bool `json:"kept"`
}

func placeFile(dataDir string) string { return filepath.Join(dataDir, "window.json") }

// loadPlace reads the window's place. It always returns a usable one; the error
// says why it is not the one that was saved.
func loadPlace(dataDir string) (place, error) {
	p := place{Width: defaultWidth, Height: defaultHeight}
	b, err := os.ReadFile(placeFile(dataDir))
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	var saved place
	if err := json.Unmarshal(b, &saved); err != nil {
		return p, err
	}
	saved.Width = min(max(saved.Width, minWidth), maxSide)
	saved.Height = min(max(saved.Height, minHeight), maxSide)
	return saved, nil
}

// savePlace writes the window's place so that a crash leaves the old file or the
// new one.
func savePlace(dataDir string, p place) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return replace.Private(placeFile(dataDir), b)
}
