package plan

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file, or writes it.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
}

// TestParseFiles parses each file of testdata/parse; the results and problems are in the
// golden file beside it.
func TestParseFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/parse/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, problems := Parse(text)
			var out bytes.Buffer
			for _, p := range problems {
				fmt.Fprintf(&out, "%d:%d [%s] %s: %s\n", p.Line, p.Column, p.Name, p.Field, p.Message)
			}
			fmt.Fprintf(&out, "unreadable %v, broken %q\n", file.Unreadable, file.Broken)
			for _, e := range file.Heartbeats {
				spec, err := json.Marshal(e.Spec)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "%d: %s\n", e.Line, spec)
			}
			golden(t, strings.TrimSuffix(path, ".yaml")+".golden", out.Bytes())
		})
	}
}

func TestParseNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# only words\n", "\ufeff", "---\n", "heartbeats:", "heartbeats: ~", "heartbeats: {}", "{}"} {
		file, problems := Parse([]byte(text))
		if len(problems) > 0 || file.Unreadable || len(file.Heartbeats) > 0 {
			t.Errorf("%q: %+v %v", text, file, problems)
		}
	}
}

func TestParseIsBounded(t *testing.T) {
	if file, problems := Parse(bytes.Repeat([]byte("#"), MaxFile+1)); !file.Unreadable || len(problems) != 1 {
		t.Errorf("a huge file: %v", problems)
	}
	var many strings.Builder
	many.WriteString("heartbeats:\n")
	for i := range MaxHeartbeats + 5 {
		fmt.Fprintf(&many, "  h%d: {prompt: x, schedule: {every: 1h}, folder: /}\n", i)
	}
	file, problems := Parse([]byte(many.String()))
	if len(file.Heartbeats) != MaxHeartbeats || len(problems) != 1 || problems[0].Line != MaxHeartbeats+2 {
		t.Errorf("many: %d, %v", len(file.Heartbeats), problems)
	}
	wrong := strings.ReplaceAll(many.String(), "every: 1h", "every: soon")
	file, problems = Parse([]byte(wrong))
	if len(file.Heartbeats) != 0 || len(problems) != MaxProblems || len(file.Broken) != MaxHeartbeats {
		t.Errorf("many mistakes: %d, %d problems", len(file.Heartbeats), len(problems))
	}
	deep := "heartbeats:\n  a:\n    prompt: " + strings.Repeat("[", 200_000)
	if file, problems := Parse([]byte(deep)); !file.Unreadable || len(problems) != 1 {
		t.Errorf("deep: %+v %v", file, problems)
	}
	long := fmt.Sprintf("heartbeats:\n  a: {prompt: %q, schedule: {every: 1h}, folder: /}\n", strings.Repeat("x", maxPrompt+1))
	if file, problems := Parse([]byte(long)); len(file.Broken) != 1 || len(problems) != 1 {
		t.Errorf("a long prompt: %v", problems)
	}
}

func FuzzParse(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*/*.yaml")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, problems := Parse(text)
		if len(problems) > MaxProblems || (file.Unreadable || len(file.Broken) > 0) && len(problems) == 0 {
			t.Fatalf("%+v with %d problems", file, len(problems))
		}
		for _, p := range problems {
			if p.Message == "" || p.Line < 0 || p.Line > bytes.Count(text, []byte("\n"))+bytes.Count(text, []byte("\r"))+3 {
				t.Fatalf("%+v", p)
			}
		}
		for _, e := range file.Heartbeats {
			job, wrong := Prepare(e.Spec, nil)
			if len(wrong) > 0 {
				t.Fatalf("%+v was read, and is not right: %v", e.Spec, wrong)
			}
			if Describe(e.Spec.Schedule) == "" {
				t.Fatalf("no words for %+v", e.Spec.Schedule)
			}
			from, _ := yearBounds()
			job.Upcoming(from, 2)
			// A valid heartbeat can be written and parsed again, disabled, and removed.
			other, err := Upsert(nil, "", e.Spec)
			if err != nil {
				t.Fatalf("%+v: %v", e.Spec, err)
			}
			again, _ := Parse(other)
			if len(again.Heartbeats) != 1 || cmp.Diff(normal(e.Spec), again.Heartbeats[0].Spec) != "" {
				t.Fatalf("%+v became %+v", e.Spec, again)
			}
		}
	})
}
