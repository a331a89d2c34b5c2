package files

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"

	"parley/backend/fault"
)

// A truncated picture is rejected before it is sent: the API would reject its conversation from
// then on.
func TestPicturesAreWhole(t *testing.T) {
	picture := image.NewNRGBA(image.Rect(0, 0, 200, 100))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i * i >> 3)
	}
	small, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	palette := image.NewPaletted(picture.Rect, []color.Color{color.Black, color.White})
	for name, write := range map[string]func(io.Writer) error{
		"png":  func(w io.Writer) error { return png.Encode(w, picture) },
		"jpeg": func(w io.Writer) error { return jpeg.Encode(w, picture, nil) },
		"gif":  func(w io.Writer) error { return gif.Encode(w, palette, nil) },
		"webp": func(w io.Writer) error { _, err := w.Write(small); return err },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		data, kind := out.Bytes(), "image/"+name
		for what, tt := range map[string]struct {
			data []byte
			ok   bool
		}{
			"whole":               {data, true},
			"with something more": {append(bytes.Clone(data), "\n\n"...), true},
			"half":                {data[:len(data)/2+12], false},
			"damaged in between":  {slices.Concat(data[:len(data)/2], make([]byte, len(data)/4), data[len(data)/2:len(data)/2+1]), false},
			"nothing but a head":  {data[:min(len(data)-8, 40)], false},
		} {
			_, _, err := ImagesOf([]Attached{{"x", kind, tt.data}})
			if (err == nil) != tt.ok || err != nil && (fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "damaged")) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
	moving := slices.Concat([]byte("RIFF\x2a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00ANIM\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00"), make([]byte, 6))
	if !whole(moving, "webp", image.Config{}) || whole(moving[:40], "webp", image.Config{}) {
		t.Error("a moving picture is not told by its length")
	}
}
