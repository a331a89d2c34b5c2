package audit

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Wherever a crash truncates unsynced data, the log is repaired: whole records stay,
// a partial record is reported, and none of it counts as tampering.
func TestCrashAtEveryByte(t *testing.T) {
	source := t.TempDir()
	written(t, config(source), 3)
	safe := read(t, source) // the head knows of three
	l := openLog(t, config(source))
	for i := range 2 {
		_ = l.Append(Record{Type: Ended, RequestID: fmt.Sprint("q", 3+i)})
	}
	check(t, l.Close())
	const name = "000000000001.jsonl"
	full := read(t, source)[name]
	begin := len(safe[name])
	for cut := begin; cut <= len(full); cut++ {
		dir := lay(t, map[string][]byte{headName: safe[headName], name: full[:cut]})
		wholeLines, whole := 0, 0
		for _, line := range splitLines(full[:cut]) {
			if line[len(line)-1] == '\n' {
				wholeLines++
				whole += len(line)
			}
		}
		torn := cut - whole
		if r := verified(t, dir); r.Records != uint64(wholeLines) || r.Torn != int64(torn) {
			t.Fatalf("cut at %d: %+v", cut, r)
		}
		l, err := Open(config(dir))
		check(t, err)
		if l.seq == uint64(wholeLines)+1 && torn > 0 && cut < len(full) && full[cut] == '\n' {
			torn = 0 // only the line end was missing
			wholeLines++
		}
		_ = l.Append(answered(9))
		check(t, l.Close())
		verified(t, dir)
		records := all(t, dir)
		want := wholeLines + 1
		if torn > 0 {
			want++
			if r := records[wholeLines]; r.Type != Torn || r.Lost != uint64(torn) {
				t.Fatalf("cut at %d: %+v", cut, r)
			}
		}
		if len(records) != want || records[len(records)-1].RequestID != "q9" {
			t.Fatalf("cut at %d: %d records, want %d", cut, len(records), want)
		}
	}
}

// A crash may happen between the creation of a file and its first record,
// and between the new head and the removal of old files.
func TestCrashAroundRotation(t *testing.T) {
	source := t.TempDir()
	cfg := small(source)
	written(t, cfg, 12)
	good := read(t, source)
	names := slices.Sorted(maps.Keys(good))
	last := names[len(names)-2]

	t.Run("an empty file", func(t *testing.T) {
		files := maps.Clone(good)
		files["000000000013.jsonl"] = nil
		dir := lay(t, files)
		verified(t, dir)
		written(t, small(dir), 3)
		if n := len(all(t, dir)); n != 15 {
			t.Errorf("%d records", n)
		}
		verified(t, dir)
	})
	t.Run("a head of before", func(t *testing.T) {
		before := t.TempDir()
		written(t, small(before), 1)
		for len(splitLines(good[last])) == 0 {
			t.Fatal("the last file is empty")
		}
		head, err := os.ReadFile(filepath.Join(before, headName))
		check(t, err)
		// Other runs write the same records at the same time, so this head fits.
		files := maps.Clone(good)
		files[headName] = head
		dir := lay(t, files)
		verified(t, dir)
		written(t, small(dir), 1)
		verified(t, dir)
	})
	t.Run("old files are still there", func(t *testing.T) {
		dir := lay(t, good)
		list, err := segments(dir)
		check(t, err)
		head, err := readHead(dir)
		check(t, err)
		head.First, head.FirstPrev = list[1].first, firstPrev(dir, list[1], head)
		check(t, writeHead(dir, head))
		verified(t, dir)
		cfg := small(dir)
		cfg.MaxFiles = len(list) - 1
		written(t, cfg, 0)
		verified(t, dir)
		if left, err := segments(dir); err != nil || len(left) != len(list)-1 {
			t.Errorf("files left: %v %v", left, err)
		}
	})
}

// A question that was open during a crash gets an end.
func TestQuestionsOfACrash(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, config(dir))
	open := func(id string) Record {
		r := answered(0)
		r.Type, r.Outcome, r.By, r.RequestID = Asked, "", "", id
		return r
	}
	for _, id := range []string{"q0", "q1", "q2"} {
		_ = l.Append(open(id))
	}
	end := answered(1)
	_ = l.Append(end)
	check(t, l.Close())
	for range 2 { // once is enough
		written(t, config(dir), 0)
	}
	records := all(t, dir)[4:]
	if len(records) != 2 || records[0].RequestID != "q0" || records[1].RequestID != "q2" {
		t.Fatalf("%+v", records)
	}
	if r := records[0]; r.Type != Ended || r.Outcome != Lost || r.SessionID != "s0" || r.Tool != "Bash" || r.InputHash != end.InputHash && r.InputHash == "" {
		t.Errorf("%+v", r)
	}
	verified(t, dir)
}
