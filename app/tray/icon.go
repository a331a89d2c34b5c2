package tray

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
)

// grid is the side of the drawing; at 22 and 44 pixels its lines are aligned to pixels.
const grid = 22

// iconSize is the size of the picture for the panel, in pixels. The library only sends one; panels
// halve it if they need 22.
const iconSize = 44

// A shape reports whether a point of the grid is inside it.
type shape func(x, y float64) bool

// tint is the color of a mood's bubble. Each has enough contrast on dark and light panels.
func tint(m IconState) color.NRGBA {
	switch m {
	case Waiting:
		return color.NRGBA{0xc4, 0x7a, 0x00, 0xff}
	case Failed:
		return color.NRGBA{0xdd, 0x45, 0x3c, 0xff}
	case Working:
		return color.NRGBA{0x78, 0x75, 0xda, 0xff}
	default:
		return color.NRGBA{0x83, 0x82, 0x8c, 0xff}
	}
}

// sign is the symbol in the bubble, so that nobody has to distinguish colors.
func sign(m IconState) shape {
	switch m {
	case Waiting: // an exclamation mark
		return either(box(10, 5, 12, 11, 0.5), box(10, 12, 12, 14, 0.5))
	case Failed: // a cross
		return either(bar(8, 6.5, 14, 12.5, 1.1), bar(14, 6.5, 8, 12.5, 1.1))
	case Working: // three dots
		return either(disc(6.5, 9.5, 1.5), disc(11, 9.5, 1.5), disc(15.5, 9.5, 1.5))
	default: // two lines of text
		return either(box(6, 6, 16, 8, 0.5), box(6, 10, 12, 12, 0.5))
	}
}

// bubble is the outline of all icons.
func bubble() shape {
	return either(box(1, 2, 21, 17, 5), triangle(5, 16, 12, 16, 5, 21))
}

// Icon draws a mood as a PNG of size by size pixels.
func Icon(m IconState, size int) []byte {
	// Each pixel is the mean of fine × fine points.
	const fine = 8
	body, mark, fill := bubble(), sign(m), tint(m)
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for py := range size {
		for px := range size {
			inside, marked := 0, 0
			for i := range fine * fine {
				x := (float64(px) + (float64(i%fine)+0.5)/fine) * grid / float64(size)
				y := (float64(py) + (float64(i/fine)+0.5)/fine) * grid / float64(size)
				if body(x, y) {
					inside++
					if mark(x, y) {
						marked++
					}
				}
			}
			if inside == 0 {
				continue
			}
			mix := func(c uint8) uint8 { return uint8((int(c)*(inside-marked) + 0xff*marked) / inside) }
			img.SetNRGBA(px, py, color.NRGBA{mix(fill.R), mix(fill.G), mix(fill.B), uint8(0xff * inside / (fine * fine))})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // writing to a buffer never fails
	}
	return b.Bytes()
}

func either(shapes ...shape) shape {
	return func(x, y float64) bool {
		for _, s := range shapes {
			if s(x, y) {
				return true
			}
		}
		return false
	}
}

func disc(cx, cy, r float64) shape {
	return func(x, y float64) bool { return math.Hypot(x-cx, y-cy) <= r }
}

// box is a rectangle with rounded corners.
func box(left, top, right, bottom, r float64) shape {
	return func(x, y float64) bool {
		if x < left || x > right || y < top || y > bottom {
			return false
		}
		dx := max(left+r-x, x-(right-r), 0)
		dy := max(top+r-y, y-(bottom-r), 0)
		return math.Hypot(dx, dy) <= r
	}
}

// bar is a line with rounded ends and half-width r.
func bar(x1, y1, x2, y2, r float64) shape {
	length := (x2-x1)*(x2-x1) + (y2-y1)*(y2-y1)
	return func(x, y float64) bool {
		along := min(max(((x-x1)*(x2-x1)+(y-y1)*(y2-y1))/length, 0), 1)
		return math.Hypot(x-x1-along*(x2-x1), y-y1-along*(y2-y1)) <= r
	}
}

func triangle(x1, y1, x2, y2, x3, y3 float64) shape {
	side := func(ax, ay, bx, by, x, y float64) float64 { return (bx-ax)*(y-ay) - (by-ay)*(x-ax) }
	return func(x, y float64) bool {
		a, b, c := side(x1, y1, x2, y2, x, y), side(x2, y2, x3, y3, x, y), side(x3, y3, x1, y1, x, y)
		return a >= 0 && b >= 0 && c >= 0 || a <= 0 && b <= 0 && c <= 0
	}
}
