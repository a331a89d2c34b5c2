package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

type sample struct {
	Title string   `json:"title,omitempty"`
	Rank  int      `json:"rank,omitempty"`
	Inner *sample  `json:"inner,omitempty"`
	List  []sample `json:"list,omitempty"`
	Other struct{ A string }
}

// A record that is read and rewritten keeps unknown members, and known ones have
// the type's values.
func FuzzCarry(f *testing.F) {
	for _, s := range []string{
		`{}`, `null`, `[]`, `{"title":"a","rank":1}`, `{"Title":"a","title":"b","x":1}`, `{"new":{"a":[1]},"inner":{"new":2,"inner":{"x":null}}}`,
		`{"other":{"A":"b","B":1}}`, `{"inner":5}`, `{"list":[{"new":1}]}`, "{\"\u212a\":1}",
	} {
		f.Add([]byte(s), "changed")
	}
	shape := shapeOf(reflect.TypeFor[sample](), 0)
	f.Fuzz(func(t *testing.T, old []byte, title string) {
		var v sample
		if json.Unmarshal(old, &v) != nil {
			return
		}
		v.Title = strings.ToValidUTF8(title, "?")
		next, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := shape.carry(old, next)
		if err != nil {
			t.Fatalf("%s: %v", old, err)
		}
		var got sample
		if err := json.Unmarshal(merged, &got); err != nil {
			t.Fatalf("%s: %v", merged, err)
		}
		again, err := json.Marshal(got)
		if err != nil || !bytes.Equal(again, next) {
			t.Errorf("wrote %s, read %s", next, again)
		}
		twice, err := shape.carry(merged, next)
		if err != nil || !sameJSON(twice, merged) {
			t.Errorf("first %s, then %s, %v", merged, twice, err)
		}
		var before, after map[string]json.RawMessage
		if json.Unmarshal(old, &before) != nil || json.Unmarshal(merged, &after) != nil {
			return
		}
		for name, value := range before {
			if _, known := shape.find(name); !known && !sameJSON(after[name], value) {
				t.Errorf("%s of %s became %s", name, old, after[name])
			}
		}
	})
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func FuzzUnseal(f *testing.F) {
	f.Add("key", sealed{7, "records/a", []byte(`{}`)}.seal("key"))
	f.Add("", []byte{1, 0, 0, 0, 0, 255})
	f.Fuzz(func(t *testing.T, key string, value []byte) {
		v, err := unseal(key, value)
		if err != nil {
			return
		}
		if !bytes.Equal(v.seal(key), value) {
			t.Errorf("%q %+v", key, v)
		}
	})
}

// goodFile returns a store with several levels of pages, multi-page values, and
// free pages in between.
func goodFile(tb testing.TB) []byte {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "store.db")
	s, err := Open(path, Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	c, err := Define(s, "samples", Index[sample]{Name: "rank", Terms: func(s *sample) []string { return []string{Number(int64(s.Rank))} }})
	if err != nil {
		tb.Fatal(err)
	}
	few, err := Define[sample](s, "few")
	if err != nil {
		tb.Fatal(err)
	}
	for range 3 {
		err = s.Update(func(tx *Tx) error {
			for i := range 200 {
				if err := c.In(tx).Put(strconv.Itoa(i), sample{Rank: i, Title: strings.Repeat("t", i*i%9000)}); err != nil {
					return err
				}
			}
			return few.In(tx).Put("a", sample{Rank: 1})
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return good
}

// No bit can change unnoticed, unless the change is irrelevant.
func TestLongEveryBitCounts(t *testing.T) {
	step := 7
	if testing.Short() {
		step = 71
	}
	good := goodFile(t)
	values := func(file []byte) (findings, map[string]string) {
		all := map[string]string{}
		f, err := examine(bytes.NewReader(file), int64(len(file)), func(e entry) { all[e.path+"/"+string(e.key)] = string(e.value) })
		if err != nil {
			t.Fatal(err)
		}
		return f, all
	}
	f, want := values(good)
	if f.damage != nil || len(want) < 400 {
		t.Fatal(len(want), f.damage)
	}
	page := os.Getpagesize()
	var bytesToTry []int
	for p := 2; p < int(f.image.pages); p++ {
		if f.image.free[uint64(p)] || !f.image.seen[uint64(p)] {
			continue
		}
		for i := range 48 {
			bytesToTry = append(bytesToTry, p*page+i)
		}
		for i := 48; i < page; i += 509 {
			bytesToTry = append(bytesToTry, p*page+i)
		}
	}
	noticed := 0
	for n := 0; n < len(bytesToTry); n += step {
		at := bytesToTry[n]
		bad := bytes.Clone(good)
		bad[at] ^= 1 << (n % 8)
		f, got := values(bad)
		if f.damage != nil {
			noticed++
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("byte %d of page %d, bit %d: %d values of %d, not noticed", at%page, at/page, n%8, len(got), len(want))
		}
	}
	if noticed < len(bytesToTry)/step/2 {
		t.Error("too few")
	}
}

// A changed file is either rejected or safe for bbolt, whose own check would
// crash the process (a page outside of the file, a cycle).
func FuzzImage(f *testing.F) {
	good := goodFile(f)
	page := uint32(os.Getpagesize())
	change := func(changes ...[2]uint32) (out []byte) {
		for _, c := range changes {
			out = binary.BigEndian.AppendUint32(out, c[0])
			out = append(out, byte(c[1]))
		}
		return out
	}
	f.Add(change(), uint32(0))
	for p := range uint32(12) {
		f.Add(change([2]uint32{p*page + 8, 1}, [2]uint32{p*page + 24, p}), uint32(0))
		f.Add(change([2]uint32{p*page + 12, 9}), p*page+3)
		f.Add(change([2]uint32{p*page + 10, 255}, [2]uint32{p*page + 20, 255}), uint32(0))
	}
	f.Fuzz(func(t *testing.T, changes []byte, size uint32) {
		bad := bytes.Clone(good)
		for ; len(changes) >= 5; changes = changes[5:] {
			bad[binary.BigEndian.Uint32(changes)%uint32(len(bad))] = changes[4]
		}
		if size != 0 {
			bad = bad[:size%uint32(len(bad))]
		}
		im, err := openImage(bytes.NewReader(bad), int64(len(bad)))
		if err != nil {
			return
		}
		err = im.walk(func(entry) error { return nil })
		if scanErr := im.scan(func(_, _ []byte) error { return nil }); scanErr != nil {
			t.Fatal(scanErr)
		}
		if err != nil || im.metas < 2 { // bbolt's check reads both
			return
		}
		checkWithBolt(t, bad)
	})
}

func checkWithBolt(t *testing.T, file []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bad.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, PreLoadFreelist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	_ = db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			// An unused page only costs space.
			if !strings.Contains(err.Error(), "unreachable unfreed") {
				t.Error(err)
			}
		}
		return nil
	})
}
