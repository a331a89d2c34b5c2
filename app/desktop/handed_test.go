//go:build unix

package desktop

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"parley/backend/fault"
)

func handingHost(t *testing.T, clipboard func(context.Context) (grab, error)) *Host {
	t.Helper()
	h, _ := newHost(t, nil)
	h.handing = newHanding(clipboard)
	return h
}

func textOn(words string) func(context.Context) (grab, error) {
	return func(context.Context) (grab, error) { return grab{kind: grabbedText, data: []byte(words)}, nil }
}

func TestPasteNeedsAPersonsHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handingHost(t, textOn("secret"))
		refused := func(when string) {
			t.Helper()
			if got, err := h.Paste(pagePass); fault.CodeOf(err) != fault.Forbidden || got != "" {
				t.Errorf("%s: %q, %v", when, got, err)
			}
		}
		refused("before the person pasted")
		h.handing.allowPaste()
		if got, err := h.Paste(pagePass); err != nil || got != `{"text":"secret"}` {
			t.Errorf("after the person pasted: %q, %v", got, err)
		}
		refused("a second time")
		h.handing.allowPaste()
		time.Sleep(pasteTime)
		refused("too late")
		h.handing.allowPaste()
		h.handing.clear()
		refused("as another page")
	})
}

func TestPasteGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handingHost(t, func(ctx context.Context) (grab, error) {
			<-ctx.Done()
			return grab{}, fault.Wrap(ctx.Err(), fault.Unavailable, "no answer")
		})
		h.handing.allowPaste()
		if _, err := h.Paste(pagePass); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("a clipboard that does not answer: %v", err)
		}
	})
}

func TestPasteWhereThePageCanDoItself(t *testing.T) {
	h := handingHost(t, nil)
	if got, err := h.Paste(pagePass); err != nil || got != "{}" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestADropIsTakenOnce(t *testing.T) {
	h := handingHost(t, nil)
	first := h.handing.drop(grab{kind: grabbedText, data: []byte("one")})
	second := h.handing.drop(grab{kind: grabbedText, data: []byte("two")})
	for _, tt := range []struct {
		number int
		want   string
		code   fault.Code
	}{{first, "", fault.NotFound}, {0, "", fault.NotFound}, {second, `{"text":"two"}`, ""}, {second, "", fault.NotFound}} {
		got, err := h.Dropped(pagePass, tt.number)
		if got != tt.want || (err != nil && fault.CodeOf(err) != tt.code) || (err == nil) != (tt.code == "") {
			t.Errorf("Dropped(%d) = %q, %v", tt.number, got, err)
		}
	}
	nothing := h.handing.drop(grab{})
	if got, err := h.Dropped(pagePass, nothing); err != nil || got != "{}" {
		t.Errorf("nothing that can be taken: %q, %v", got, err)
	}
}

func fileURL(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

func TestHandedFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	odd, table := write("odd é #1 100%.txt", "words"), write("a.csv", "1,2")
	huge := write("huge.bin", "")
	if err := os.Truncate(huge, maxHandedBytes+1); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	txt, csv := "text/plain", "text/csv"
	tests := []struct {
		name, list string
		want       Handed
	}{
		{"a file", fileURL(odd) + "\r\n", Handed{Files: []HandedFile{{Name: "odd é #1 100%.txt", MediaType: txt, Bytes: 5}}}},
		{"not escaped", "file://" + table, Handed{Files: []HandedFile{{Name: "a.csv", MediaType: csv, Bytes: 3}}}},
		{"one slash", "file:" + table, Handed{Files: []HandedFile{{Name: "a.csv", MediaType: csv, Bytes: 3}}}},
		{"this host", "FILE://" + host + table, Handed{Files: []HandedFile{{Name: "a.csv", MediaType: csv, Bytes: 3}}}},
		{"a file manager's list, with one twice", "copy\n" + fileURL(table) + "\n" + fileURL(table) + "\x00", Handed{Files: []HandedFile{{Name: "a.csv", MediaType: csv, Bytes: 3}}}},
		{"comments", "# nobody\r\n\r\n" + fileURL(table), Handed{Files: []HandedFile{{Name: "a.csv", MediaType: csv, Bytes: 3}}}},
		{"a folder", fileURL(dir), Handed{Files: []HandedFile{{Name: filepath.Base(dir), Refused: "folder"}}}},
		{"a pipe", fileURL(pipe), Handed{Files: []HandedFile{{Name: "pipe", Refused: "kind"}}}},
		{"nothing there", fileURL(dir + "/none"), Handed{Files: []HandedFile{{Name: "none", Refused: "missing"}}}},
		{"too large", fileURL(huge), Handed{Files: []HandedFile{{Name: "huge.bin", Refused: "large"}}}},
		{"another host", "file://elsewhere.example/etc/passwd", Handed{Files: []HandedFile{{Name: "passwd", Refused: "remote"}}}},
		{"another scheme", "sftp://host/far.txt", Handed{Files: []HandedFile{{Name: "far.txt", Refused: "remote"}}}},
		{"a broken escape", "file:///a%zz", Handed{Files: []HandedFile{{Name: "a%zz", Refused: "remote"}}}},
		{"a zero byte", "file:///etc/passwd%00.png", Handed{Files: []HandedFile{{Name: "passwd%00.png", Refused: "remote"}}}},
		{"nothing", "", Handed{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := newHanding(nil).offer(grab{kind: grabbedFiles, data: []byte(tt.list)})
			for _, f := range got.Files {
				if (f.ID == "") != (f.Refused != "") {
					t.Errorf("%+v: what is refused has no id, and nothing else", f)
				}
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(HandedFile{}, "ID")); diff != "" {
				t.Error(diff)
			}
			if b, err := json.Marshal(got); err != nil || strings.Contains(string(b), dir) {
				t.Errorf("the page learns where it is: %s, %v", b, err)
			}
		})
	}
}

func TestManyHandedFiles(t *testing.T) {
	var list strings.Builder
	for i := range maxHandedFiles + 5 {
		fmt.Fprintf(&list, "file:///nowhere/%d\n", i)
	}
	got := newHanding(nil).offer(grab{kind: grabbedFiles, data: []byte(list.String())})
	if len(got.Files) != maxHandedFiles || got.More != 5 {
		t.Errorf("%d files and %d more", len(got.Files), got.More)
	}
}

func TestReadHandedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("words"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := handingHost(t, nil)
	offer := func() string {
		return h.handing.offer(grab{kind: grabbedFiles, data: []byte(fileURL(path))}).Files[0].ID
	}
	id := offer()
	if got, err := h.Read(pagePass, id); err != nil || got != base64.StdEncoding.EncodeToString([]byte("words")) {
		t.Errorf("Read = %q, %v", got, err)
	}
	for _, id := range []string{id, "", "f", "p", path, "f" + path, "\xff"} {
		if got, err := h.Read(pagePass, id); fault.CodeOf(err) != fault.NotFound || got != "" {
			t.Errorf("Read(%q) = %q, %v", id, got, err)
		}
	}
	// It has been replaced by the time it is read.
	id = offer()
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Read(pagePass, id); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a pipe in its place: %v", err)
	}
}

func TestHandedPictures(t *testing.T) {
	drawn := image.NewRGBA(image.Rect(0, 0, 3, 2))
	drawn.Set(1, 1, color.RGBA{200, 60, 90, 255})
	encode := func(write func(*bytes.Buffer) error) []byte {
		t.Helper()
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	asPNG := encode(func(b *bytes.Buffer) error { return png.Encode(b, drawn) })
	asBMP := encode(func(b *bytes.Buffer) error { return bmp.Encode(b, drawn) })
	asTIFF := encode(func(b *bytes.Buffer) error { return tiff.Encode(b, drawn, nil) })
	// A header with a huge claimed size.
	vast := bytes.Clone(asBMP[:54])
	copy(vast[18:], []byte{0, 0, 0, 1, 0, 0, 0, 1})
	jpeg := append([]byte{0xff, 0xd8, 0xff, 0xe0}, make([]byte, 20)...)
	tests := []struct {
		name, mediaType string
		data            []byte
		want            Handed
		redrawn         bool
	}{
		{"PNG as it is", "image/png", asPNG, Handed{Files: []HandedFile{{Name: "image.png", MediaType: "image/png", Bytes: int64(len(asPNG))}}}, false},
		{"by what it is, not by its name", "image/bmp", jpeg, Handed{Files: []HandedFile{{Name: "image.jpg", MediaType: "image/jpeg", Bytes: 24}}}, false},
		{"BMP", "image/bmp", asBMP, Handed{}, true},
		{"TIFF", "image/tiff", asTIFF, Handed{}, true},
		{"more pixels than there is room for", "image/bmp", vast, Handed{Refused: "picture"}, false},
		{"a damaged one", "image/bmp", asBMP[:60], Handed{Refused: "picture"}, false},
		{"none at all", "image/png", []byte("<svg/>"), Handed{Refused: "picture"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := handingHost(t, nil)
			got := h.handing.offer(grab{kind: grabbedPicture, mediaType: tt.mediaType, data: tt.data})
			if !tt.redrawn {
				if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(HandedFile{}, "ID")); diff != "" {
					t.Fatal(diff)
				}
				return
			}
			if len(got.Files) != 1 || got.Files[0].MediaType != "image/png" {
				t.Fatalf("offered %+v", got)
			}
			content, err := h.Read(pagePass, got.Files[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			data, err := base64.StdEncoding.DecodeString(content)
			if err != nil {
				t.Fatal(err)
			}
			shown, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if r, g, b, _ := shown.At(1, 1).RGBA(); shown.Bounds() != drawn.Bounds() || [3]uint32{r >> 8, g >> 8, b >> 8} != [3]uint32{200, 60, 90} {
				t.Errorf("drawn anew it is another picture: %v, %d %d %d", shown.Bounds(), r>>8, g>>8, b>>8)
			}
		})
	}
}

func TestHandedTexts(t *testing.T) {
	for _, tt := range []struct {
		name string
		g    grab
		want Handed
	}{
		{"a text", grab{kind: grabbedText, data: []byte("words")}, Handed{Text: "words"}},
		{"not UTF-8", grab{kind: grabbedText, data: []byte("a\xffb")}, Handed{Text: "a\uFFFDb"}},
		{"too large", grab{kind: grabbedText, data: make([]byte, maxHandedText+1)}, Handed{Refused: "large"}},
		{"more than is taken over", grab{kind: grabbedLarge}, Handed{Refused: "large"}},
		{"nothing", grab{}, Handed{}},
	} {
		if diff := cmp.Diff(tt.want, newHanding(nil).offer(tt.g)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestDragEvent(t *testing.T) {
	if got, want := dragEvent(dragged{Kind: "drop", X: 0.5, Y: 0.25, Number: 3}), `[{"drag":{"kind":"drop","x":0.5,"y":0.25,"number":3}}]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
