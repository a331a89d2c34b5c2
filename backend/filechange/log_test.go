package filechange

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// load reads the lines of a conversation about invented files, in the CLI's format.
func load(t testing.TB) *Log {
	t.Helper()
	l := New("/work")
	for _, name := range []string{"main", "agent"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		l.Begin("c1")
		for line := range strings.Lines(string(data)) {
			if name == "agent" {
				l.AddAgent([]byte(line))
			} else {
				l.Add([]byte(line))
			}
		}
	}
	return l
}

func text(s string) *string { return &s }

func TestLog(t *testing.T) {
	l := load(t)
	var turns []string
	for _, turn := range l.Turns() {
		turns = append(turns, fmt.Sprint(turn.ID, " ", turn.Title, " ", turn.Commands, " ", turn.Noted))
	}
	if diff := cmp.Diff([]string{"u1 first 0 true", "u2 second 2 true", "u3 third 0 false"}, turns); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	type file struct {
		Path           string
		Created, Agent bool
		Added, Removed int
		Edits          int
	}
	var files []file
	for _, f := range l.Files(0) {
		files = append(files, file{f.Path, f.Created, f.Agent, f.Added, f.Removed, len(f.Edits)})
	}
	want := []file{
		{"/work/n.ipynb", false, false, 1, 1, 1},
		{"/work/by-agent.txt", true, true, 1, 0, 1},
		{"/work/a.txt", false, false, 2, 2, 2},
		{"/work/sub/new.txt", true, false, 2, 0, 1},
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if len(l.Files(1)) != 3 || len(l.Files(2)) != 1 {
		t.Errorf("later files: %v, %v", l.Files(1), l.Files(2))
	}
}

func TestStates(t *testing.T) {
	l := load(t)
	for _, c := range []struct {
		what      string
		got, want State
	}{
		{"a checkpoint", l.Before("/work/a.txt", 0), State{Known: true, Backup: Backup{"3ca7094d855e2545@v1", "c1"}, Text: text("one\ntwo\n")}},
		{"the next one", l.Before("/work/a.txt", 1), State{Known: true, Backup: Backup{"3ca7094d855e2545@v2", "c1"}, Text: text("one\nTWO\n")}},
		{"there was no file", l.Before("/work/sub/new.txt", 0), State{Known: true, Absent: true, Backup: Backup{"", "c1"}}},
		{"only later", l.Before("/work/by-agent.txt", 0), State{Known: true, Absent: true}},
		{"only what the tool saw", l.Before("/work/n.ipynb", 0), State{Known: true, Text: text("{\n1\n}")}},
		{"nothing", l.Before("/work/other", 0), State{}},
		{"after a turn", l.AfterTurn("/work/a.txt", 0), State{Known: true, Text: text("one\nTWO\n")}},
		{"after all", l.After("/work/a.txt"), State{Known: true, Text: text("one\n\tTHREE\n")}},
		{"after nothing", l.After("/work/other"), State{}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}

// A checkpoint made after the first change says nothing about the time before.
func TestLateCheckpoint(t *testing.T) {
	l := New("/work")
	for _, line := range []string{
		`{"type":"user","uuid":"u1","promptId":"p1","timestamp":"2026-11-21T15:00:01Z","message":{"content":"one"}}`,
		`{"type":"user","promptId":"p1","timestamp":"2026-11-21T15:00:02Z","toolUseResult":{"filePath":"/work/a","originalFile":"0","content":"1","type":"update","structuredPatch":[]}}`,
		`{"type":"user","uuid":"u2","promptId":"p2","timestamp":"2026-11-21T15:00:03Z","message":{"content":"two"}}`,
		`{"type":"file-history-delta","snapshotMessageId":"u2","trackingPath":"a","backup":{"backupFileName":"0123456789abcdef@v1"}}`,
		`{"type":"user","promptId":"p2","timestamp":"2026-11-21T15:00:04Z","toolUseResult":{"filePath":"/work/a","originalFile":"1","content":"2","type":"update","structuredPatch":[]}}`,
	} {
		l.Add([]byte(line))
	}
	if diff := cmp.Diff(State{Known: true, Text: text("0")}, l.Before("/work/a", 0)); diff != "" {
		t.Error(diff)
	}
	if got := l.Before("/work/a", 1).Backup.File; got != "0123456789abcdef@v1" {
		t.Errorf("the copy %q", got)
	}
}

// Hostile lines in the file lead nowhere.
func TestHostileLines(t *testing.T) {
	l := New("/work")
	for _, line := range []string{
		`{"type":"file-history-delta","snapshotMessageId":"u","trackingPath":"a","backup":{"backupFileName":"../../etc/passwd"}}`,
		`{"type":"file-history-delta","snapshotMessageId":"u","trackingPath":"b","backup":{"backupFileName":"/etc/passwd"}}`,
		`{"type":"file-history-delta","snapshotMessageId":"u","trackingPath":"c\u0000d","backup":{"backupFileName":null}}`,
		`{"type":"file-history-snapshot","snapshot":null}`,
		`{"type":"user","toolUseResult":{"structuredPatch":[]}}`,
		`{"type":"user","toolUseResult":"structuredPatch"}`,
		`{"type":"user"`, ``, `[]`, `null`,
	} {
		l.Add([]byte(line))
		l.AddAgent([]byte(line))
	}
	if len(l.Edits()) > 0 || len(l.Turns()) != 1 || len(l.Turns()[0].backups) > 0 {
		t.Errorf("%+v %+v", l.Turns(), l.Edits())
	}
}

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name, before, want string
		patch              []hunk
		refused            bool
	}{
		{name: "replace", before: "a\nb\nc\n", patch: []hunk{{2, 1, []string{"-b", "+B"}}}, want: "a\nB\nc\n"},
		{name: "insert into nothing", before: "", patch: []hunk{{0, 0, []string{"+x"}}}, want: "x\n"},
		{name: "two parts", before: "a\nb\nc\nd\n", patch: []hunk{{1, 1, []string{"-a"}}, {4, 1, []string{" d", "+e"}}}, want: "b\nc\nd\ne\n"},
		{name: "another text", before: "x\n", patch: []hunk{{1, 1, []string{"-a", "+b"}}}, refused: true},
		{name: "beyond the end", before: "x\n", patch: []hunk{{9, 1, []string{" x"}}}, refused: true},
		{name: "backwards", before: "a\nb\n", patch: []hunk{{2, 1, []string{" b"}}, {1, 1, []string{" a"}}}, refused: true},
		{name: "no line end", before: "a", patch: []hunk{{1, 1, []string{"-a", "\\ No newline at end of file", "+b"}}}, refused: true},
		{name: "an empty line", before: "a", patch: []hunk{{1, 1, []string{""}}}, refused: true},
	} {
		got, ok := apply(c.before, c.patch)
		if ok == c.refused || !c.refused && got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, ok)
		}
	}
}

func FuzzAdd(f *testing.F) {
	for _, name := range []string{"main", "agent"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			f.Add([]byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		l := New("/work")
		for range 2 {
			l.Add(line)
			l.AddAgent(line)
		}
		for _, file := range l.Files(0) {
			if !filepath.IsAbs(file.Path) || filepath.Clean(file.Path) != file.Path || file.Added < 0 || file.Removed < 0 {
				t.Errorf("%+v", file)
			}
			if b := l.Before(file.Path, 0).Backup.File; strings.ContainsAny(b, `/\`) {
				t.Errorf("the copy %q", b)
			}
			l.After(file.Path)
		}
	})
}
