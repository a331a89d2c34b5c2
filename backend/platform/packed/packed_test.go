package packed_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"parley/backend/platform/packed"
)

func TestFS(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	text := strings.Repeat("the page ", 1000)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files := packed.FS(fstest.MapFS{
		"as-it-is.txt":   {Data: []byte("as it is")},
		"both.js":        {Data: []byte("unpacked")},
		"both.js.gz":     {Data: z.Bytes()},
		"a/main.js.gz":   {Data: z.Bytes()},
		"damaged.js.gz":  {Data: []byte("no gzip")},
		"cut.js.gz":      {Data: z.Bytes()[:z.Len()/2]},
		"folder.gz/file": {Data: []byte("in a folder")},
	})
	for name, want := range map[string]string{
		"as-it-is.txt": "as it is", "both.js": "unpacked", "a/main.js": text, "a/main.js.gz": z.String(),
	} {
		if data, err := fs.ReadFile(files, name); err != nil || string(data) != want {
			t.Errorf("%s: %.20q, %v", name, data, err)
		}
	}
	for _, name := range []string{"nothing", "../outside", "damaged.js", "cut.js", "folder"} {
		if data, err := fs.ReadFile(files, name); err == nil {
			t.Errorf("%s: %.20q", name, data)
		}
	}
	if _, err := files.Open("nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("what is not there:", err)
	}
	info, err := fs.Stat(files, "a/main.js")
	if err != nil || info.Name() != "main.js" || info.Size() != int64(len(text)) || !info.Mode().IsRegular() {
		t.Errorf("%v %v", info, err)
	}
}
