package tray

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// luminance is the relative luminance of WCAG.
func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

func panels() []color.NRGBA {
	return []color.NRGBA{{0x20, 0x20, 0x22, 0xff}, {0xf4, 0xf4, 0xf4, 0xff}}
}

// Meaningful parts have a contrast of at least three to one, as WCAG requires for icons.
func TestIconsStandOut(t *testing.T) {
	for _, m := range Moods() {
		for _, panel := range panels() {
			if got := contrast(tint(m), panel); got < 3 {
				t.Errorf("%s on %v: %.1f", m, panel, got)
			}
		}
		if got := contrast(tint(m), color.NRGBA{0xff, 0xff, 0xff, 0xff}); got < 3 {
			t.Errorf("the sign of %s: %.1f", m, got)
		}
	}
}

func decoded(t *testing.T, m IconState, size int) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(Icon(m, size)))
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds() != image.Rect(0, 0, size, size) {
		t.Fatalf("%s is %v", m, img.Bounds())
	}
	return img
}

func TestIconsDiffer(t *testing.T) {
	seen := map[string]IconState{}
	for _, m := range Moods() {
		for _, size := range []int{22, 44} {
			icon := string(Icon(m, size))
			if other, ok := seen[icon]; ok {
				t.Errorf("%s looks like %s", m, other)
			}
			seen[icon] = m
			img := decoded(t, m, size)
			_, _, _, corner := img.At(0, 0).RGBA()
			_, _, _, middle := img.At(size/2, size/4).RGBA()
			if corner != 0 || middle != 0xffff {
				t.Errorf("%s at %d: the corner has %x, the middle %x", m, size, corner, middle)
			}
		}
	}
}

// The straight edges of the bubble are aligned to pixels: no pixel is half covered.
func TestIconsAreCrisp(t *testing.T) {
	for _, size := range []int{22, 44} {
		img := decoded(t, Idle, size)
		for y := range size {
			_, _, _, a := img.At(size/2, y).RGBA()
			if a != 0 && a != 0xffff && y < size*3/4 {
				t.Errorf("at %d, row %d is %x", size, y, a)
			}
		}
	}
}

// A sheet for manual review: every mood in both sizes, and enlarged, on both panels.
func TestContactSheet(t *testing.T) {
	dir := os.Getenv("PARLEY_ARTEFACTS")
	if dir == "" {
		t.Skip("PARLEY_ARTEFACTS does not say where to put it")
	}
	const cell, zoom = 120, 4
	sheet := image.NewNRGBA(image.Rect(0, 0, cell*2*len(Moods()), cell*2))
	for row, panel := range panels() {
		draw.Draw(sheet, image.Rect(0, row*cell, sheet.Rect.Dx(), (row+1)*cell), image.NewUniform(panel), image.Point{}, draw.Src)
		for i, m := range Moods() {
			at := image.Pt(i*2*cell, row*cell)
			for _, put := range []struct{ size, times, x, y int }{{22, 1, 10, 20}, {44, 1, 40, 10}, {22, zoom, 100, 16}} {
				img := decoded(t, m, put.size)
				for y := range put.size * put.times {
					for x := range put.size * put.times {
						p := at.Add(image.Pt(put.x+x, put.y+y))
						draw.Draw(sheet, image.Rectangle{p, p.Add(image.Pt(1, 1))}, img, image.Pt(x/put.times, y/put.times), draw.Over)
					}
				}
			}
		}
	}
	f, err := os.Create(filepath.Join(dir, "tray-icons.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, sheet); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
