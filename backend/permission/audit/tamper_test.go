package audit

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// small configures several files of a few records each.
func small(dir string) Config {
	cfg := config(dir)
	cfg.MaxFileBytes = 2000
	return cfg
}

func splitLines(data []byte) [][]byte { return slices.Collect(bytes.Lines(data)) }

func join(lines [][]byte) []byte { return bytes.Join(lines, nil) }

// rehash makes a line match its own hash again.
func rehash(t *testing.T, line []byte, change func(*Record)) []byte {
	t.Helper()
	r, err := decode(bytes.TrimSuffix(line, []byte("\n")))
	check(t, err)
	change(&r)
	out, _, err := r.encode(r.Seq, r.Prev)
	check(t, err)
	return out
}

// Every manual change of the log is detected and located.
func TestTampering(t *testing.T) {
	source := t.TempDir()
	const n = 30
	written(t, small(source), n)
	good := read(t, source)
	names := slices.Sorted(maps.Keys(good))
	names = names[:len(names)-1] // the head is the last one
	if len(names) < 5 {
		t.Fatalf("only the files %q", names)
	}
	first, middle, last := names[0], names[2], names[len(names)-1]

	edit := func(name string, change func(lines [][]byte) [][]byte) func(map[string][]byte) {
		return func(files map[string][]byte) { files[name] = join(change(splitLines(files[name]))) }
	}
	replace := func(name, from, to string) func(map[string][]byte) {
		return func(files map[string][]byte) {
			files[name] = bytes.Replace(files[name], []byte(from), []byte(to), 1)
		}
	}
	tests := []struct {
		name   string
		change func(files map[string][]byte)
		// file and what are substrings of the problem.
		file, what string
	}{
		{"an outcome", replace(middle, `"outcome":"allow"`, `"outcome":"deny"`), middle, "fit its own hash"},
		{"a byte in the hash of the input", func(files map[string][]byte) {
			at := bytes.Index(files[middle], []byte(`"inputSha256":"`)) + 20
			files[middle][at] ^= 1
		}, middle, "line 1"},
		{"white space", replace(middle, `{"seq":`, `{ "seq":`), middle, "fit its own hash"},
		{"a field more", replace(middle, `,"prev"`, `,"lost":1,"prev"`), middle, "fit its own hash"},
		{"no JSON", replace(middle, `{"seq":`, `{"seq`), middle, "not a record"},
		{"an edit with its hash", edit(middle, func(l [][]byte) [][]byte {
			l[1] = rehash(t, l[1], func(r *Record) { r.Outcome = "deny" })
			return l
		}), middle, "does not follow from the one before"},
		{"an edit of the last one with its hash", edit(last, func(l [][]byte) [][]byte {
			l[len(l)-1] = rehash(t, l[len(l)-1], func(r *Record) { r.Outcome = "deny" })
			return l
		}), last, "not the record that was written here"},
		{"an edit of the first one with its hash", edit(first, func(l [][]byte) [][]byte {
			l[0] = rehash(t, l[0], func(r *Record) { r.Prev = strings.Repeat("1", hashLen) })
			return l
		}), first, "does not follow"},
		{"a line less", edit(middle, func(l [][]byte) [][]byte { return slices.Delete(l, 1, 2) }), middle, "line 2: this is record"},
		{"the first line less", edit(first, func(l [][]byte) [][]byte { return l[1:] }), first, "line 1: this is record 2"},
		{"the last line of a file less", edit(middle, func(l [][]byte) [][]byte { return l[:len(l)-1] }), names[3], "the file before it ends with"},
		{"a line twice", edit(middle, func(l [][]byte) [][]byte { return slices.Insert(l, 1, l[0]) }), middle, "line 2: this is record"},
		{"a line from elsewhere", func(files map[string][]byte) {
			lines := splitLines(files[middle])
			files[middle] = join(slices.Insert(lines, 1, splitLines(files[first])[0]))
		}, middle, "line 2: this is record 1"},
		{"an empty line", edit(middle, func(l [][]byte) [][]byte { return slices.Insert(l, 1, []byte("\n")) }), middle, "line 2: this line is not a record"},
		{"two lines changed places", edit(middle, func(l [][]byte) [][]byte { l[0], l[1] = l[1], l[0]; return l }), middle, "line 1: this is record"},
		{"two files changed places", func(files map[string][]byte) { files[names[1]], files[names[2]] = files[names[2]], files[names[1]] }, names[1], "line 1: this is record"},
		{"other line ends", func(files map[string][]byte) {
			files[middle] = bytes.ReplaceAll(files[middle], []byte("\n"), []byte("\r\n"))
		}, middle, "not a record"},
		{"the last lines cut off", edit(last, func(l [][]byte) [][]byte { return l[:1] }), "", "the end is missing"},
		{"the last file cut off within a line", func(files map[string][]byte) { files[last] = files[last][:len(files[last])-40] }, last, "ends within this line"},
		{"a file in the middle cut off within a line", func(files map[string][]byte) { files[middle] = files[middle][:len(files[middle])-40] }, middle, "ends within this line"},
		{"the last file emptied", func(files map[string][]byte) { files[last] = nil }, "", "the end is missing"},
		{"a file in the middle emptied", func(files map[string][]byte) { files[middle] = nil }, names[3], "the file before it ends with"},
		{"the first file removed", func(files map[string][]byte) { delete(files, first) }, names[1], "before this one are missing"},
		{"a file in the middle removed", func(files map[string][]byte) { delete(files, middle) }, names[3], "the file before it ends with"},
		{"the last file removed", func(files map[string][]byte) { delete(files, last) }, "", "the end is missing"},
		{"all files removed", func(files map[string][]byte) {
			maps.DeleteFunc(files, func(name string, _ []byte) bool { return name != headName })
		}, "", "the end is missing"},
		{"a file renamed", func(files map[string][]byte) {
			files["000000000002.jsonl"] = files[first]
			delete(files, first)
		}, "000000000002", "missing"},
		{"a file put in", func(files map[string][]byte) { files["000000000003.jsonl"] = files[first] }, "000000000003", "the file before it ends with"},
		{"a file put at the end", func(files map[string][]byte) { files["000000000099.jsonl"] = []byte("x\n") }, "000000000099", "the file before it ends with"},
		{"rubbish at the end", func(files map[string][]byte) { files[last] = append(files[last], "rubbish\n"...) }, last, "not a record"},
		{"a line without end", func(files map[string][]byte) {
			files[last] = append(files[last], bytes.Repeat([]byte("x"), maxLine+1)...)
		}, last, "not a record"},
		{"the head removed", func(files map[string][]byte) { delete(files, headName) }, "", "head.json is missing"},
		{"the head emptied", func(files map[string][]byte) { files[headName] = nil }, "", "head.json is missing"},
		{"the head spoilt", func(files map[string][]byte) { files[headName] = []byte("{}") }, "", "head.json cannot be read"},
		{"another head", replace(headName, `"hash":"`, `"hash":"0`), "", "head"},
		{"a head that is ahead", replace(headName, `"seq":30`, `"seq":31`), "", "the end is missing"},
		{"another hash in the head", func(files map[string][]byte) {
			at := bytes.Index(files[headName], []byte(`"hash":"`)) + 10
			files[headName][at] ^= 1
		}, last, "not the record that was written here"},
		{"another beginning in the head", func(files map[string][]byte) {
			files[headName] = bytes.Replace(files[headName], []byte(`"firstPrev":"0`), []byte(`"firstPrev":"1`), 1)
		}, "", "head.json cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string][]byte{}
			for name, data := range good {
				files[name] = slices.Clone(data)
			}
			tt.change(files)
			dir := lay(t, files)
			report, err := Verify(dir, Point{})
			check(t, err)
			if report.Problem == nil {
				t.Fatal("nothing was seen")
			}
			if got := report.Problem.String(); !strings.Contains(got, tt.file) || !strings.Contains(got, tt.what) {
				t.Errorf("problem: %s", got)
			}

			// Parley continues with it, without covering it up: also afterwards, and after
			// one more start, it is seen.
			for round := range 2 {
				l, err := Open(small(dir))
				check(t, err)
				_ = l.Append(answered(100 + round))
				found, _, err := l.List(t.Context(), Filter{}, 0, 1)
				check(t, err)
				if len(found) != 1 || found[0].RequestID != answered(100+round).RequestID {
					t.Fatalf("round %d: the newest record is %+v", round, found)
				}
				if r, err := l.Verify(); err != nil || r.Problem == nil {
					t.Errorf("round %d: nothing is seen after going on: %v", round, err)
				}
				if n, w := l.Missing(); n != 0 {
					t.Errorf("round %d: %s", round, w)
				}
				check(t, l.Close())
				if r, err := Verify(dir, Point{}); err != nil || r.Problem == nil {
					t.Errorf("round %d: nothing is seen after the end: %v", round, err)
				}
			}
		})
	}
}

// What happens to the log while it is written is seen too, and the log continues.
func TestTamperingMeanwhile(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"removed":  func(t *testing.T, path string) { check(t, os.Remove(path)) },
		"cut":      func(t *testing.T, path string) { check(t, os.Truncate(path, 100)) },
		"emptied":  func(t *testing.T, path string) { check(t, os.Truncate(path, 0)) },
		"longer":   func(t *testing.T, path string) { check(t, os.Truncate(path, 1<<20)) },
		"replaced": replaceFile,
		"as a whole": func(t *testing.T, path string) {
			// At once: the log writes its head there concurrently, so that a folder that is
			// emptied need not stay empty.
			dir := filepath.Dir(path)
			check(t, os.Rename(dir, dir+".gone"))
			check(t, os.Mkdir(dir, 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "audit")
			l := openLog(t, config(dir))
			for i := range 5 {
				_ = l.Append(answered(i))
			}
			change(t, filepath.Join(dir, "000000000001.jsonl"))
			_ = l.Append(answered(5))
			_ = l.Append(answered(6))
			report, err := l.Verify()
			check(t, err)
			if report.Problem == nil {
				t.Fatal("nothing was seen")
			}
			found, _, err := l.List(t.Context(), Filter{}, 0, 3)
			check(t, err)
			if len(found) != 3 || found[0].RequestID != "q6" || found[1].RequestID != "q5" || found[2].Type != Broken {
				t.Errorf("found %+v", found)
			}
			if n, w := l.Missing(); n != 0 {
				t.Error(w)
			}
		})
	}
}

func replaceFile(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	check(t, err)
	check(t, os.WriteFile(path+".new", data, 0o600))
	check(t, os.Rename(path+".new", path))
}
