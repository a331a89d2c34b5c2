package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	is := func(n int64, err error) func() (int64, error) { return func() (int64, error) { return n, err } }
	budgets := []budget{{Name: "a", Unit: "bytes", Most: 10}, {Name: "b", Unit: "bytes", Most: 10, Goal: 5}}
	for _, tt := range []struct {
		name    string
		all     map[string]func() (int64, error)
		partial bool
		want    string
	}{
		{"kept", map[string]func() (int64, error){"a": is(10, nil), "b": is(7, nil)}, false, ""},
		{"over", map[string]func() (int64, error){"a": is(11, nil), "b": is(7, nil)}, false, "a: 11 bytes, more than 10"},
		{"not there", map[string]func() (int64, error){"a": is(0, fs.ErrNotExist), "b": is(7, nil)}, false, "a: file does not exist"},
		{"not built", map[string]func() (int64, error){"a": is(0, fs.ErrNotExist), "b": is(7, nil)}, true, ""},
		{"no budget", map[string]func() (int64, error){"a": is(1, nil), "b": is(7, nil), "c": is(7, nil)}, false, "c has no budget"},
		{"no measure", map[string]func() (int64, error){"a": is(1, nil)}, false, "b cannot be measured"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			err := compare(budgets, tt.all, tt.partial, &out)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestEntry(t *testing.T) {
	dist := t.TempDir()
	for name, text := range map[string]string{
		"index.html": `<script src="/enter.js"></script><script src="/assets/a.js"></script><link href="/assets/a.css"><link href="/icon.svg">`,
		"enter.js":   "x", "assets/a.js": strings.Repeat("y", 9999), "assets/a.css": "z", "assets/lazy.js": strings.Repeat("random", 9),
	} {
		path := filepath.Join(dist, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var want int64
	for _, name := range []string{"index.html", "enter.js", "assets/a.js", "assets/a.css"} {
		n, err := compressed(filepath.Join(dist, name))
		if err != nil || n == 0 {
			t.Fatal(n, err)
		}
		want += n
	}
	if got, err := entry(dist); err != nil || got != want || got > 1000 {
		t.Errorf("%d, want %d: %v", got, want, err)
	}
	if err := os.Remove(filepath.Join(dist, "assets/a.js")); err != nil {
		t.Fatal(err)
	}
	if got, err := entry(dist); err == nil {
		t.Errorf("without a script: %d", got)
	}
}

// The budgets file covers all measurements.
func TestBudgetsFile(t *testing.T) {
	text, err := os.ReadFile("../budgets.json")
	if err != nil {
		t.Fatal(err)
	}
	var budgets []budget
	if err := json.Unmarshal(text, &budgets); err != nil {
		t.Fatal(err)
	}
	all := measures("../..")
	for _, b := range budgets {
		if all[b.Name] == nil || b.Most <= b.Goal || b.Unit == "" {
			t.Errorf("%+v", b)
		}
		delete(all, b.Name)
	}
	if len(all) > 0 {
		t.Errorf("without a budget: %v", all)
	}
}
