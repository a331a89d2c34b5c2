package history_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history"
)

// Lines that stand in a file more than once, as after a copy or a crash of the CLI, are
// shown and found once.
func TestDoubledLines(t *testing.T) {
	lines := []string{
		user("u1", "", "Look for the heron"),
		answer("a1", "u1", "Found."),
		user("u2", "a1", "Thanks"),
		answer("a2", "u2", "Gladly."),
	}
	for name, doubled := range map[string][]string{
		"each at once":         {lines[0], lines[0], lines[1], lines[1], lines[2], lines[2], lines[3], lines[3]},
		"the last one":         append(append([]string{}, lines...), lines[3]),
		"the whole, once more": append(append([]string{}, lines...), lines...),
		"one of the middle":    {lines[0], lines[1], lines[2], lines[1], lines[3]},
		"the last two":         {lines[0], lines[1], lines[2], lines[3], lines[2], lines[3]},
	} {
		t.Run(name, func(t *testing.T) {
			tr := history.Open(file(t, doubled...))
			want := []string{"u1", "msg-a1", "u2", "msg-a2"}
			limits := []int{1, 2, 100}
			if len(doubled) == 2*len(lines) && doubled[0] != doubled[1] {
				limits = limits[2:] // a page knows nothing of what newer ones had
			}
			for _, limit := range limits {
				var got []string
				for _, m := range pages(t, tr, limit) {
					got = append(got, m.ID)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("shown, by %d: %s", limit, diff)
				}
			}
			if totals, err := tr.Count(t.Context(), history.Totals{}, nil, nil); err != nil || totals.Messages != len(want) {
				t.Errorf("counted: %+v, %v", totals, err)
			}
			var found []string
			if _, err := tr.Texts(t.Context(), 0, func(x history.Text) error {
				found = append(found, fmt.Sprint(x.MessageID))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("found: %s", diff)
			}
		})
	}
}
