package history_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history"
)

var update = flag.Bool("update", false, "write what the odd records say anew")

// The folder odd has a small, invented conversation for every odd record that users
// report: from a crash, a full disk, an editor, a copy or another version of the CLI.
// The file want.txt has the expected output. To add one, put it beside them, run with
// -update, and review the diff.
func TestOddRecords(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "odd", "*.jsonl"))
	if err != nil || len(files) < 40 {
		t.Fatal(files, err)
	}
	slices.Sort(files)
	var out strings.Builder
	for _, name := range files {
		tr := history.Open(name)
		page, err := tr.Page(t.Context(), 100, "")
		if err != nil {
			t.Fatal(name, err)
		}
		totals, err := tr.Count(t.Context(), history.Totals{}, nil, nil)
		if strings.Contains(name, "no-last-line-end") {
			totals.Messages++ // it counts once it has its line end
		}
		if err != nil || totals.Messages != len(page.Messages) || totals.Damaged != page.Damaged {
			t.Errorf("%s: %d messages and %d damaged lines shown, %d and %d counted, %v", name, len(page.Messages), page.Damaged, totals.Messages, totals.Damaged, err)
		}
		whole := settled(page.Messages)
		for _, limit := range []int{1, 2, 3} {
			if diff := cmp.Diff(say(whole), say(settled(pages(t, tr, limit)))); diff != "" {
				t.Errorf("%s, by %d: %s", name, limit, diff)
			}
		}
		fmt.Fprintf(&out, "== %s\n", strings.TrimSuffix(filepath.Base(name), ".jsonl"))
		for _, title := range []struct{ kind, text string }{{"chosen", totals.Chosen}, {"made", totals.Made}, {"summary", totals.Summary}} {
			if title.text != "" {
				fmt.Fprintf(&out, "title %s: %s\n", title.kind, title.text)
			}
		}
		if totals.Damaged > 0 {
			fmt.Fprintf(&out, "damaged: %d\n", totals.Damaged)
		}
		if c := page.Context; c != nil {
			fmt.Fprintf(&out, "meter: %d%s\n", c.Used, map[bool]string{true: ", of an earlier call"}[c.Old])
		}
		for i, line := range say(whole) {
			for _, a := range whole[i].Attachments {
				line += fmt.Sprintf(" [%s %s]", a.Name, a.MediaType)
			}
			if whole[i].Synthetic {
				line += " [synthetic]"
			}
			fmt.Fprintf(&out, "%s\n", strings.ReplaceAll(line, "\n", `\n`))
		}
	}
	golden := filepath.Join("testdata", "odd", "want.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("what is shown (run with -update, and read the difference): %s", diff)
	}
}
