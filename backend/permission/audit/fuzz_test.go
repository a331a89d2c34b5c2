package audit

import (
	"bytes"
	"strings"
	"testing"
)

// Whatever a file contains, reading it neither fails nor panics, and Parley
// continues after it.
func FuzzFile(f *testing.F) {
	dir := f.TempDir()
	written(f, config(dir), 3)
	good := read(f, dir)
	f.Add(good["000000000001.jsonl"], good[headName])
	f.Add(good["000000000001.jsonl"][:700], []byte(`{"seq":1}`))
	f.Add([]byte("{}\n"), []byte(nil))
	f.Add([]byte(`{"seq":1,"hash":"`), []byte(`x`))
	f.Add([]byte{0, 0, 10, 0}, []byte(`{"seq":18446744073709551615,"hash":"`+genesis()+`","first":1,"firstPrev":"`+genesis()+`"}`))
	f.Add([]byte("\x00nn\x00"), []byte(`{"seq":0,"hash":"`+genesis()+`","first":1,"firstPrev":"`+strings.Repeat("1", hashLen)+`"}`))
	f.Fuzz(func(t *testing.T, data, head []byte) {
		dir := lay(t, map[string][]byte{headName: head, "000000000001.jsonl": data})
		before, err := Verify(dir, Point{})
		check(t, err)
		l, err := Open(config(dir))
		check(t, err)
		_ = l.Append(answered(1))
		found, _, err := l.List(t.Context(), Filter{}, 0, 1)
		check(t, err)
		if len(found) != 1 || found[0].RequestID != "q1" {
			t.Fatalf("found %+v", found)
		}
		after, err := l.Verify()
		check(t, err)
		check(t, l.Close())
		if (before.Problem == nil) != (after.Problem == nil) {
			t.Fatalf("before: %v, after: %v", before.Problem, after.Problem)
		}
	})
}

// No byte of a log can be changed, removed or inserted unnoticed.
func FuzzOneByte(f *testing.F) {
	dir := f.TempDir()
	written(f, config(dir), 3)
	good := read(f, dir)
	const name = "000000000001.jsonl"
	f.Add(uint16(0), byte('x'), byte(0))
	f.Add(uint16(300), byte(1), byte(1))
	f.Add(uint16(len(good[name])-1), byte('\n'), byte(2))
	f.Fuzz(func(t *testing.T, at uint16, b, how byte) {
		data := good[name]
		i := int(at) % len(data)
		var changed []byte
		switch how % 3 {
		case 0:
			changed = bytes.Join([][]byte{data[:i], {b}, data[i+1:]}, nil)
		case 1:
			changed = bytes.Join([][]byte{data[:i], {b}, data[i:]}, nil)
		case 2:
			changed = bytes.Join([][]byte{data[:i], data[i+1:]}, nil)
		}
		report, err := Verify(lay(t, map[string][]byte{headName: good[headName], name: changed}), Point{})
		check(t, err)
		if seen := report.Problem != nil; seen == bytes.Equal(changed, data) {
			t.Fatalf("at %d, %d %d: seen %v", i, b, how, seen)
		}
	})
}
