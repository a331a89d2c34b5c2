package history_test

import (
	"fmt"
	"slices"
	"strings"
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
	boundary := `{"parentUuid":null,"logicalParentUuid":"a2","type":"system","subtype":"compact_boundary","isSidechain":false,"compactMetadata":{"trigger":"auto","preTokens":9,"postTokens":2},"uuid":"c1"}`
	more := []string{user("u3", "a2", "And the owl?"), answer("a3", "u3", "There.")}
	want := []string{"u1", "msg-a1", "u2", "msg-a2"}
	onward := []string{"u1", "msg-a1", "u2", "msg-a2", "u3", "msg-a3"}
	compacted := []string{"u1", "msg-a1", "u2", "msg-a2", "u3", "msg-a3"}
	for name, tt := range map[string]struct{ doubled, want []string }{
		"each at once":         {[]string{lines[0], lines[0], lines[1], lines[1], lines[2], lines[2], lines[3], lines[3]}, want},
		"the last one":         {append(append([]string{}, lines...), lines[3]), want},
		"the whole, once more": {append(append([]string{}, lines...), lines...), want},
		"one of the middle":    {[]string{lines[0], lines[1], lines[2], lines[1], lines[3]}, want},
		"the last two":         {[]string{lines[0], lines[1], lines[2], lines[3], lines[2], lines[3]}, want},
		"four times":           {slices.Repeat(lines, 4), want},
		"kept by a compaction": {slices.Concat(lines, []string{boundary, user("u2", "c1", "Thanks"), lines[3]}, more), compacted},
		"kept word by word":    {slices.Concat(lines, []string{boundary, lines[2], lines[3]}, more), onward},
		"kept, twice": {slices.Concat(lines, []string{boundary, user("u2", "c1", "Thanks"), lines[3]}, more,
			[]string{strings.Replace(boundary, `"c1"`, `"c2"`, 1), user("u3", "c2", "And the owl?"), more[1], user("u4", "a3", "Good")}),
			[]string{"u1", "msg-a1", "u2", "msg-a2", "u3", "msg-a3", "u4"}},
		"copied, and gone on with": {slices.Concat(lines, lines, more), onward},
		"given up where it is once more": {slices.Concat(lines, []string{boundary, user("u2", "c1", "Thanks"), lines[3], user("u5", "c1", "No, the owl"), answer("a5", "u5", "There.")}),
			[]string{"u1", "msg-a1", "u2", "msg-a2", "u5", "msg-a5"}},
	} {
		t.Run(name, func(t *testing.T) {
			doubled, want := tt.doubled, tt.want
			tr := history.Open(file(t, doubled...))
			whole := pages(t, tr, 100)
			for _, limit := range []int{1, 2, 3, 4, 100} {
				var got []string
				for _, m := range pages(t, tr, limit) {
					if m.Role != "notice" { // a compaction
						got = append(got, m.ID)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("shown, by %d: %s", limit, diff)
				}
			}
			if totals, err := tr.Count(t.Context(), history.Totals{}, nil, nil); err != nil || totals.Messages != len(whole) {
				t.Errorf("counted: %+v, %v", totals, err)
			}
			counted := history.Totals{} // as they come
			path := file(t)
			for i, line := range doubled {
				appendTo(t, path, line+"\n")
				tr := history.Open(path)
				var err error
				if counted, err = tr.Count(t.Context(), counted, nil, nil); err != nil {
					t.Fatal(err)
				}
				if at, err := tr.Count(t.Context(), history.Totals{}, nil, nil); err != nil || at.Messages != counted.Messages {
					t.Errorf("after %d lines: %d counted on, %d at once, %v", i+1, counted.Messages, at.Messages, err)
				}
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
