package desktop

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
)

const (
	minWidth, minHeight         = 720, 480
	defaultWidth, defaultHeight = 1180, 820
	// maxSide protects against a damaged file with an impossible window size.
	maxSide = 16384
)

// A place is the window's position when it was last closed. Its corner is that of the frame, its
// size excludes the frame, and both are in desktop units of Scale pixels. For a maximized window,
// they are those of its normal state.
type place struct {
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
	// Positioned distinguishes a corner at 0, 0 from none.
	Positioned bool `json:"positioned"`
	X          int  `json:"x"`
	Y          int  `json:"y"`
	// Scale is 0 if unknown.
	Scale int `json:"scale,omitempty"`
	// Kept is true once the window was hidden instead of closed, which the user is told the first
	// time.
	Kept bool `json:"kept"`
}

func placeFile(dataDir string) string { return filepath.Join(dataDir, "window.json") }

// loadPlace reads the window's position. It always returns a usable one; the error says why it is
// not the saved one.
func loadPlace(dataDir string) (place, error) {
	p := place{Width: defaultWidth, Height: defaultHeight}
	b, err := safeopen.Read(placeFile(dataDir), 64<<10)
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

// savePlace writes the window's position atomically.
func savePlace(dataDir string, p place) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return atomicfile.Private(placeFile(dataDir), b)
}

const (
	// A window can be grabbed if this much of its upper edge is visible.
	gripWidth, gripHeight = 120, 32
	// The approximate size of a window manager's frame.
	frameWidth, frameHeight = 12, 36
)

// An area is a monitor's work area, in desktop units.
type area struct{ x, y, width, height int }

// meets reports whether two areas overlap by at least this much.
func (a area) meets(b area, width, height int) bool {
	return min(a.x+a.width, b.x+b.width)-max(a.x, b.x) >= width && min(a.y+a.height, b.y+b.height)-max(a.y, b.y) >= height
}

// join is the bounding box of both.
func (a area) join(b area) area {
	x, y := min(a.x, b.x), min(a.y, b.y)
	return area{x, y, max(a.x+a.width, b.x+b.width) - x, max(a.y+a.height, b.y+b.height) - y}
}

// far is the approximate distance between two areas, 0 if they meet.
func (a area) far(b area) int {
	return max(0, a.x-(b.x+b.width), b.x-(a.x+a.width)) + max(0, a.y-(b.y+b.height), b.y-(a.y+a.height))
}

// on adapts the place to a desktop with these monitors and scale. It stays as it is if the user can
// grab the window and it fits; otherwise it is moved onto the nearest monitor, and shrunk if
// necessary.
func (p place) on(monitors []area, scale int) place {
	if scale > 0 {
		if p.Scale > 0 {
			// Keep the corner at its pixel, and the size in units.
			p.X, p.Y = p.X*p.Scale/scale, p.Y*p.Scale/scale
		}
		p.Scale = scale
	}
	if len(monitors) == 0 {
		return p
	}
	window := area{p.X, p.Y, p.Width, p.Height}
	if !p.Positioned {
		window.x, window.y = monitors[0].x, monitors[0].y
	}
	edge := area{window.x, window.y, window.width, gripHeight}
	var room, nearest area
	held := false
	for i, m := range monitors {
		if m.meets(window, 1, 1) {
			if room == (area{}) {
				room = m
			}
			room = room.join(m) // it may span two of them
		}
		held = held || m.meets(edge, min(gripWidth, window.width), gripHeight)
		if i == 0 || m.far(window) < nearest.far(window) {
			nearest = m
		}
	}
	if held && p.Width <= room.width && p.Height <= room.height {
		return p
	}
	if !held {
		room = nearest
	}
	room.width, room.height = room.width-frameWidth, room.height-frameHeight
	p.Width = max(min(p.Width, room.width), minWidth)
	p.Height = max(min(p.Height, room.height), minHeight)
	p.X = max(min(p.X, room.x+room.width-p.Width), room.x)
	p.Y = max(min(p.Y, room.y+room.height-p.Height), room.y)
	return p
}
