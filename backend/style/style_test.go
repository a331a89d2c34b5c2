package style_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/fault"
	"parley/backend/outside/outsidetest"
	"parley/backend/style"
)

type place struct {
	t    *testing.T
	dir  string
	keep *outsidetest.Keeper
}

func newPlace(t *testing.T) *place { return &place{t, t.TempDir(), &outsidetest.Keeper{}} }

func (p *place) open() *style.File {
	return style.New(p.dir, p.keep, slog.New(slog.DiscardHandler))
}

func (p *place) write(text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, "theme.css"), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) is(f *style.File, css string, held bool) {
	p.t.Helper()
	got, err := f.Sheet()
	if err != nil || got.CSS != css || got.Held != held {
		p.t.Errorf("%+v %v, want %q, held %v", got, err, css, held)
	}
	if changes, _ := f.Held(); len(changes) > 0 != held {
		p.t.Errorf("held: %+v", changes)
	}
}

const mine, evil = ":root { --accent: red }", ":root { --text: transparent }"

// A style sheet by another program doesn't apply before a user accepts it, and not after a restart.
func TestHeld(t *testing.T) {
	p := newPlace(t)
	p.write(mine)
	f := p.open()
	p.is(f, mine, false) // the first one
	before := f.State()
	p.write(evil)
	if f.State() == before {
		t.Error("a change is not noticed")
	}
	p.is(f, mine, true)
	p.is(p.open(), mine, true)

	changes, revision := f.Held()
	if c := changes[0]; c.Field != "theme.css" || c.Was != mine || c.Is != evil || c.Why == "" {
		t.Errorf("%+v", c)
	}
	if err := f.Accept("another"); fault.CodeOf(err) != fault.Conflict {
		t.Error(err)
	}
	before = f.State()
	if err := f.Accept(revision); err != nil || f.State() == before {
		t.Error(err)
	}
	p.is(f, evil, false)
	p.is(p.open(), evil, false)
	if err := f.Accept(revision); fault.CodeOf(err) != fault.Conflict {
		t.Error("accepted twice:", err)
	}
}

func TestUndo(t *testing.T) {
	for _, was := range []string{"", mine} {
		p := newPlace(t)
		p.keep.Later = was == ""
		if was != "" {
			p.write(was)
		}
		f := p.open()
		p.write(evil)
		_, revision := f.Held()
		if err := f.Undo(revision); err != nil {
			t.Fatal(err)
		}
		p.is(f, was, false)
		if text, err := os.ReadFile(filepath.Join(p.dir, "theme.css")); string(text) != was || (err != nil) != (was == "") {
			t.Errorf("the file has %q, %v", text, err)
		}
		copies, err := filepath.Glob(filepath.Join(p.dir, "theme.outside-*.css"))
		if err != nil || len(copies) != 1 {
			t.Fatal(copies, err)
		}
		if text, err := os.ReadFile(copies[0]); err != nil || string(text) != evil {
			t.Error(string(text), err)
		}
	}
}

func TestWhatWidensNothing(t *testing.T) {
	p := newPlace(t)
	p.write(mine)
	f := p.open()
	p.write(" \n")
	p.is(f, " \n", false)
	p.write(mine)
	p.is(f, " \n", true)
	if err := os.Remove(filepath.Join(p.dir, "theme.css")); err != nil {
		t.Fatal(err)
	}
	p.is(f, "", false)
	p.write(strings.Repeat("x", style.MaxSize+1))
	if got, err := f.Sheet(); err != nil || !got.Found || !got.TooLarge || got.Held || got.CSS != "" {
		t.Errorf("%+v %v", got, err)
	}
}

// What is shown to a user is all of it; bytes that are not UTF-8 don't make it another one.
func TestShownInFull(t *testing.T) {
	p := newPlace(t)
	p.write(mine)
	f := p.open()
	text := "/*" + strings.Repeat(" ", style.MaxSize-100) + "*/" + evil
	p.write(text + "\xff\xfe")
	changes, revision := f.Held()
	if len(changes) != 1 || changes[0].Is != text+"\uFFFD" {
		t.Fatalf("%d changes", len(changes))
	}
	if err := f.Accept(revision); err != nil {
		t.Fatal(err)
	}
	p.is(f, text+"\uFFFD", false)
	p.is(p.open(), text+"\uFFFD", false)
}

func TestProblems(t *testing.T) {
	p := newPlace(t)
	if err := os.Mkdir(filepath.Join(p.dir, "theme.css"), 0o700); err != nil {
		t.Fatal(err)
	}
	f := p.open()
	if _, err := f.Sheet(); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	if err := f.Accept(""); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(p.dir, "theme.css")); err != nil {
		t.Fatal(err)
	}
	p.is(f, "", false)
	p.keep.Later = true
	p.write(evil)
	_, revision := f.Held()
	p.keep.Fail = errors.New("disk full")
	for _, decide := range []func(string) error{f.Accept, f.Undo} {
		if err := decide(revision); fault.CodeOf(err) != fault.Unavailable {
			t.Error(err)
		}
		p.is(f, "", true)
	}
	// A doubt about what was accepted has ended.
	p.keep.Fail = nil
	if err := p.keep.Adopt(style.Kept, evil); err != nil {
		t.Fatal(err)
	}
	f.Recheck()
	p.is(f, evil, false)
}
