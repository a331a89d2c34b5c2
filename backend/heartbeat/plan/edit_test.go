package plan

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
)

// read returns a heartbeat of a file, which must exist.
func read(t testing.TB, text []byte, name string) Spec {
	t.Helper()
	file, _ := Parse(text)
	for _, e := range file.Heartbeats {
		if e.Spec.Name == name {
			return e.Spec
		}
	}
	t.Fatalf("no %s in\n%s", name, text)
	return Spec{}
}

// TestEditFiles makes the same changes in each file of testdata/edit; the golden file
// beside it has the file after each.
func TestEditFiles(t *testing.T) {
	changes := []struct {
		name string
		edit func(t *testing.T, text []byte) ([]byte, error)
	}{
		{"another prompt and schedule", func(t *testing.T, text []byte) ([]byte, error) {
			s := read(t, text, "tidy")
			s.Prompt, s.Schedule = "Two\n\n# lines", Schedule{Every: "2h"}
			return Upsert(text, "tidy", s)
		}},
		{"more fields", func(t *testing.T, text []byte) ([]byte, error) {
			s := read(t, text, "older")
			s.Quiet = &Quiet{From: "22:00", To: "06:00", Days: []string{"sat", "sun"}}
			s.Budgets.Day = &Limit{USD: 1.5}
			s.Description, s.Schedule.Zone = "Older", "Asia/Kolkata"
			return Upsert(text, "older", s)
		}},
		{"another name", func(t *testing.T, text []byte) ([]byte, error) {
			s := read(t, text, "tidy")
			s.Name = "null"
			return Upsert(text, "tidy", s)
		}},
		{"fewer fields", func(t *testing.T, text []byte) ([]byte, error) {
			s := read(t, text, "older")
			s.Quiet, s.Budgets, s.Description, s.Schedule.Zone = nil, Budgets{}, "", ""
			return Upsert(text, "older", s)
		}},
		{"off", func(_ *testing.T, text []byte) ([]byte, error) { return SetEnabled(text, "older", false) }},
		{"on", func(_ *testing.T, text []byte) ([]byte, error) { return SetEnabled(text, "older", true) }},
		{"one more", func(_ *testing.T, text []byte) ([]byte, error) {
			return Upsert(text, "", Spec{Name: "new", Prompt: "x", Folder: "/", Enabled: true, Schedule: Schedule{Cron: "@daily"}})
		}},
		{"one less", func(_ *testing.T, text []byte) ([]byte, error) { return Remove(text, "older") }},
		{"another less", func(_ *testing.T, text []byte) ([]byte, error) { return Remove(text, "null") }},
		{"the last", func(_ *testing.T, text []byte) ([]byte, error) { return Remove(text, "new") }},
		{"the first", func(_ *testing.T, text []byte) ([]byte, error) {
			return Upsert(text, "", Spec{Name: "new", Prompt: "x", Folder: "/", Enabled: false, Schedule: Schedule{Cron: "@daily"}})
		}},
	}
	paths, err := filepath.Glob("testdata/edit/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			for _, c := range changes {
				if text, err = c.edit(t, text); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				fmt.Fprintf(&out, "----- %s\n%s", c.name, text)
			}
			golden(t, strings.TrimSuffix(path, ".yaml")+".golden", out.Bytes())
		})
	}
}

func TestPutMakesAFile(t *testing.T) {
	spec := Spec{Name: "a", Prompt: "x", Folder: "/", Enabled: true, Schedule: Schedule{Cron: "@daily"}}
	tests := []struct{ before, after string }{
		{"", header + "heartbeats:\n  a:\n    prompt: x\n    schedule:\n      cron: '@daily'\n    folder: /\n"},
		{"# mine", "# mine\nheartbeats:\n  a:\n    prompt: x\n    schedule:\n      cron: '@daily'\n    folder: /\n"},
		{"heartbeats: # mine\n# end", "heartbeats: # mine\n  a:\n    prompt: x\n    schedule:\n      cron: '@daily'\n    folder: /\n# end"},
		{"# mine\r\nheartbeats: {}\r\n", "# mine\r\nheartbeats:\r\n  a:\r\n    prompt: x\r\n    schedule:\r\n      cron: '@daily'\r\n    folder: /\r\n"},
		{"{}", "heartbeats:\n  a:\n    prompt: x\n    schedule:\n      cron: '@daily'\n    folder: /\n"},
	}
	for _, test := range tests {
		got, err := Upsert([]byte(test.before), "", spec)
		if diff := cmp.Diff(test.after, string(got)); err != nil || diff != "" {
			t.Errorf("%q: %v %s", test.before, err, diff)
		}
	}
}

func TestRepair(t *testing.T) {
	text, err := os.ReadFile("testdata/edit/mixed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := Spec{Name: "right", Prompt: "hello", Folder: "/", Enabled: true, Timeout: "5m", Schedule: Schedule{Every: "1h"}}
	got, err := Upsert(text, "wrong", want)
	if err != nil {
		t.Fatal(err)
	}
	file, problems := Parse(got)
	if len(problems) > 0 || len(file.Heartbeats) != 3 {
		t.Fatalf("%v in\n%s", problems, got)
	}
	if diff := cmp.Diff(want, read(t, got, "right")); diff != "" {
		t.Error(diff)
	}
	// A broken heartbeat can be disabled without being parsed.
	if got, err = SetEnabled(text, "wrong", false); err != nil || !strings.Contains(string(got), "        enabled: false\n") {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestEditErrors(t *testing.T) {
	text, err := os.ReadFile("testdata/edit/base.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tidy := read(t, text, "tidy")
	other, wrong := tidy, tidy
	other.Name, wrong.Prompt = "older", ""
	var full bytes.Buffer
	full.WriteString("heartbeats:\n")
	for i := range MaxHeartbeats {
		fmt.Fprintf(&full, "  h%d: {prompt: x, schedule: {every: 1h}, folder: /}\n", i)
	}
	large := append(bytes.Repeat([]byte("#\n"), MaxFile/2-20), "heartbeats:\n"...)
	anchored := []byte("heartbeats:\n  a: &a {prompt: x, schedule: {every: 1h}, folder: /}\n  b: *a\n")
	a := read(t, anchored, "a")
	a.Prompt = "y"
	tests := []struct {
		name string
		edit func() ([]byte, error)
		want fault.Code
	}{
		{"a heartbeat with mistakes", func() ([]byte, error) { return Upsert(text, "tidy", wrong) }, fault.Invalid},
		{"a taken name", func() ([]byte, error) { return Upsert(text, "tidy", other) }, fault.Conflict},
		{"new with a taken name", func() ([]byte, error) { return Upsert(text, "", tidy) }, fault.Conflict},
		{"nobody", func() ([]byte, error) { return Upsert(text, "nobody", tidy) }, fault.Conflict},
		{"nobody to change", func() ([]byte, error) { s := tidy; s.Name = "x"; return Upsert(text, "nobody", s) }, fault.NotFound},
		{"nobody to take out", func() ([]byte, error) { return Remove(text, "nobody") }, fault.NotFound},
		{"nobody in no file", func() ([]byte, error) { return Remove(nil, "nobody") }, fault.NotFound},
		{"nobody to switch", func() ([]byte, error) { return SetEnabled(text, "nobody", true) }, fault.NotFound},
		{"no YAML", func() ([]byte, error) { return Upsert([]byte("a: ]"), "", tidy) }, fault.Conflict},
		{"another file", func() ([]byte, error) { return Upsert([]byte("services: {}\n"), "", tidy) }, fault.Conflict},
		{"twice", func() ([]byte, error) { return Remove([]byte("heartbeats:\n  a: 1\n  a: 2\n"), "a") }, fault.Conflict},
		{"too many", func() ([]byte, error) { return Upsert(full.Bytes(), "", tidy) }, fault.TooLarge},
		{"too large", func() ([]byte, error) { return Upsert(large, "", tidy) }, fault.TooLarge},
		{"another stands on it", func() ([]byte, error) { return Upsert(anchored, "a", a) }, fault.Conflict},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, err := test.edit(); fault.CodeOf(err) != test.want {
				t.Errorf("%v, not %s: %s", err, test.want, got)
			}
		})
	}
}

// nasty are texts that YAML would misread.
func nasty() []string {
	return []string{
		"x", "true", "null", "~", "1", "1e3", "0x10", "2027-01-01", "- a", "a: b", "# no comment", "a # b", "'quoted'", `"quoted"`, `back\slash`, "{a: b}", "[a]", "*a", "&a",
		"!tag", "%a", "@a", "`a`", "|", ">", "? a", " leading", "trailing ", "tab\tinside", "grün 🌱 ﷽", "two\nlines", "two\nlines\n", "two\n\nlines\n\n", "\nfirst is empty", "  in\nout",
		"a\n  # in\n# out\n", "a\n---\nb", "a\n...\n", "{{last}} {{ date }}", "x:\n\ty", "ends with blank \nx", strings.Repeat("long ", 100), "<<", "=", "yes", "12:30", "\u00a0", "a\u200bb",
	}
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func randomSpec(r *rand.Rand, name string) Spec {
	line := func() string {
		for {
			if s := pick(r, nasty()...); !strings.ContainsAny(s, "\n\t") && len(s) < 100 {
				return s
			}
		}
	}
	maybe := func(s string) string { return pick(r, "", s) }
	s := Spec{
		Name: name, Prompt: pick(r, nasty()...), Description: maybe(line()), Folder: pick(r, "/", "~", "~/ a #b", "/x: y"), Model: maybe("claude-opus-4-5[1m]"),
		Effort: maybe("high"), PermissionMode: maybe("plan"), Guard: maybe("off"), Session: maybe("persistent"), Timeout: maybe(pick(r, "5m", "1h30m")),
		Enabled: r.IntN(3) > 0, Missed: maybe("all"), Overlap: maybe("queue"), StartDeadline: maybe("2h"), IdlePause: maybe("1w"),
		Schedule: pick(r, Schedule{Cron: "@daily"}, Schedule{Cron: "*/5 * * * mon"}, Schedule{Every: "5m", Once: true}, Schedule{RunAt: "2027-01-01 09:00", Zone: "Asia/Kolkata"}),
	}
	if strings.TrimSpace(s.Prompt) == "" {
		s.Prompt = "x"
	}
	if r.IntN(3) == 0 {
		s.Quiet = &Quiet{From: "22:00", To: "06:30", Days: pick(r, nil, []string{"mon"}, []string{"sat", "sun"})}
	}
	if r.IntN(3) == 0 {
		s.Destination = pick(r, Destination{Session: line()}, Destination{Channel: "c"})
	}
	if r.IntN(2) == 0 {
		s.Budgets.Day = &Limit{USD: pick(r, 0.1, 5, 1e-3), Tokens: pick(r, int64(0), 1_000_000)}
	}
	if r.IntN(3) == 0 {
		s.Budgets.Run = &Limit{Turns: 3}
	}
	return s
}

// TestEditsKeepTheRest changes one heartbeat in each of many files: it then has the new
// values, every other heartbeat is unchanged byte for byte, and no comment outside of the
// changed one is lost; within it, comments on their own lines are kept.
func TestEditsKeepTheRest(t *testing.T) {
	comments := regexp.MustCompile(`^# (head|end|(inside|gone with|after|out) \d)$`)
	for i := range 1500 {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		blocks, specs := make([]string, 4), make([]Spec, 4)
		text := "# head\n\nheartbeats: # list\n"
		for k := range blocks {
			specs[k] = randomSpec(r, fmt.Sprint("h", k))
			made, err := Upsert(nil, "", specs[k])
			if err != nil {
				t.Fatalf("%+v: %v", specs[k], err)
			}
			blocks[k] = strings.TrimPrefix(string(made), header+"heartbeats:\n")
			// A comment before and within.
			first, rest, _ := strings.Cut(blocks[k], "\n")
			blocks[k] = fmt.Sprintf("%s # line %d\n    # inside %d\n%s", first, k, k, rest)
			text += pick(r, "", "\n", "\n\n", fmt.Sprintf("\n  # gone with %d\n", k)) + blocks[k]
			text += pick(r, "", fmt.Sprintf("\n  # after %d\n\n", k), fmt.Sprintf("# out %d\n", k))
		}
		text += pick(r, "", "# end\n", "\n# end")
		one := r.IntN(4)
		name := fmt.Sprint("h", one)
		what := pick(r, "put", "rename", "remove", "switch", "same")
		var got []byte
		var err error
		want := &specs[one]
		switch what {
		case "put":
			specs[one] = randomSpec(r, name)
			got, err = Upsert([]byte(text), name, specs[one])
		case "rename":
			specs[one] = randomSpec(r, pick(r, "null", "true", "1", "-", "ä-ö"))
			got, err = Upsert([]byte(text), name, specs[one])
		case "remove":
			got, err = Remove([]byte(text), name)
			want = nil
		case "switch":
			specs[one].Enabled = !specs[one].Enabled
			got, err = SetEnabled([]byte(text), name, specs[one].Enabled)
		case "same":
			if got, err = Upsert([]byte(text), name, specs[one]); string(got) != text {
				t.Fatalf("nothing was changed, but the text is: %s", cmp.Diff(text, string(got)))
			}
		}
		if err != nil {
			t.Fatalf("%d %s: %v in\n%s", i, what, err, text)
		}
		if want != nil {
			if diff := cmp.Diff(normal(*want), read(t, got, want.Name)); diff != "" {
				t.Fatalf("%d %s: %s", i, what, diff)
			}
		}
		for k := range blocks {
			if k != one && !strings.Contains(string(got), blocks[k]) {
				t.Fatalf("%d %s of h%d: h%d is not what it was in\n%s\nwas\n%s", i, what, one, k, got, text)
			}
		}
		for line := range strings.Lines(text) {
			comment := strings.TrimSpace(line)
			mine := strings.HasSuffix(comment, fmt.Sprint(" ", one))
			if !strings.HasPrefix(comment, "# ") || what == "remove" && mine {
				continue
			}
			if comments.MatchString(comment) && !strings.Contains(string(got), comment) {
				t.Fatalf("%d %s of h%d: %q is lost in\n%s\nwas\n%s", i, what, one, comment, got, text)
			}
		}
	}
}
