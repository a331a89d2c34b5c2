package desktop

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"parley/backend/platform/atomicfile"
	"parley/backend/platform/regular"
)

const (
	minWidth, minHeight         = 720, 480
	defaultWidth, defaultHeight = 1180, 820
	// maxSide keeps a damaged file from asking for a window that no system makes.
	maxSide = 16384
)

// A place is where the window was when it was last closed. Its corner is that of the
// frame, its size is without the frame, and both are in the units of the desktop, one of
// which is Scale pixels wide. Maximised or not, they are those of the window as it is
// when it is not.
type place struct {
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
	// Positioned tells a corner at 0, 0 from none.
	Positioned bool `json:"positioned"`
	X          int  `json:"x"`
	Y          int  `json:"y"`
	// Scale is 0 where nobody knows it.
	Scale int `json:"scale,omitempty"`
	// Kept is true once the window was hidden instead of closed, which the user is
	// told the first time.
	Kept bool `json:"kept"`
}

func placeFile(dataDir string) string { return filepath.Join(dataDir, "window.json") }

// loadPlace reads the window's place. It always returns a usable one; the error
// says why it is not the one that was saved.
func loadPlace(dataDir string) (place, error) {
	p := place{Width: defaultWidth, Height: defaultHeight}
	b, err := regular.Read(placeFile(dataDir), 64<<10)
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
	return atomicfile.Private(placeFile(dataDir), b)
}

const (
	// A window can be taken hold of where this much of its upper edge is to be seen.
	gripWidth, gripHeight = 120, 32
	// About what a window manager puts around the page.
	frameWidth, frameHeight = 12, 36
)

// An area is what a monitor has room for, in the units of the desktop.
type area struct{ x, y, width, height int }

// meets says whether two areas have that much in common.
func (a area) meets(b area, width, height int) bool {
	return min(a.x+a.width, b.x+b.width)-max(a.x, b.x) >= width && min(a.y+a.height, b.y+b.height)-max(a.y, b.y) >= height
}

// join is the area around both.
func (a area) join(b area) area {
	x, y := min(a.x, b.x), min(a.y, b.y)
	return area{x, y, max(a.x+a.width, b.x+b.width) - x, max(a.y+a.height, b.y+b.height) - y}
}

// far is about how far it is from one to the other, 0 where they meet.
func (a area) far(b area) int {
	return max(0, a.x-(b.x+b.width), b.x-(a.x+a.width)) + max(0, a.y-(b.y+b.height), b.y-(a.y+a.height))
}

// on is the place on a desktop of these monitors, where a unit is scale pixels wide. It
// stays as it is where a user can take hold of the window and there is room for it;
// otherwise it is moved onto the nearest monitor, and made smaller if it must be.
func (p place) on(monitors []area, scale int) place {
	if scale > 0 {
		if p.Scale > 0 {
			// The corner stays at its pixel, and the size as large as what is in it.
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
			room = room.join(m) // it may lie on two of them
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
