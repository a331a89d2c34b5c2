package history_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history"
)

// Lines that are in a file more than once, as after a copy or a crash of the CLI, are
// shown and found once.
func TestDoubledLines(t *testing.T) {
	lines := []string{
		user("u1", "", "Look for the heron"),
		answer("a1", "u1", "Found."),
		user("u2", "a1", "Thanks"),
		answer("a2", "u2", "Gladly."),
	}
	boundary := `{"parentUuid":null,"logicalParentUuid":"a2","type":"system","subtype":"compact_boundary","isSidechain":false,"compactMetadata":{"trigger":"auto","preTokens":9,"postTokens":2},"uuid":"c1"}`
	// More than a count keeps as marks.
	var long, longOnes []string
	for i, before := 0, ""; i < 40; i++ {
		id := fmt.Sprintf("u%d", 100+i)
		long, longOnes, before = append(long, user(id, before, "Word "+id)), append(longOnes, id), id
	}
	longEnd := strings.Replace(boundary, `"a2"`, `"u139"`, 1)
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
		"many, kept by a compaction": {slices.Concat(long, []string{longEnd, user("u102", "c1", "Word u102")}, long[3:]), longOnes},
		"many, copied":               {slices.Concat(long, long), longOnes},
		"copied, and gone on with":   {slices.Concat(lines, lines, more), onward},
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
			counted := history.Totals{} // counted as they arrive
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
			if !strings.Contains(name, "kept") {
				return
			}
			found = nil // found as they arrive, with state kept
			path, from := file(t), int64(0)
			for i, line := range doubled {
				appendTo(t, path, line+"\n")
				if i%2 == 0 && i < len(doubled)-1 {
					continue
				}
				var err error
				if from, err = history.Open(path).Texts(t.Context(), from, func(x history.Text) error {
					found = append(found, fmt.Sprint(x.MessageID))
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("found as they come: %s", diff)
			}
		})
	}
}

// A conversation with a compaction is counted from its start once, and then as it grows.
func TestDoubledLinesAreCountedAsTheyCome(t *testing.T) {
	lines := []string{
		user("u1", "", "Look for the heron"),
		answer("a1", "u1", strings.Repeat("Found. ", 1000)),
		`{"parentUuid":null,"logicalParentUuid":"a1","type":"system","subtype":"compact_boundary","isSidechain":false,"compactMetadata":{"trigger":"auto","preTokens":9,"postTokens":2},"uuid":"c1"}`,
		user("u1", "c1", "Look for the heron"),
	}
	path := file(t, lines...)
	tr := history.Open(path)
	var totals history.Totals
	before := "u1"
	for i := range 5 {
		var read int64
		var err error
		if totals, err = tr.Count(t.Context(), totals, func(n int64) { read += n }, nil); err != nil {
			t.Fatal(err)
		}
		whole, err := tr.Count(t.Context(), history.Totals{}, nil, nil)
		if err != nil || totals.Messages != whole.Messages {
			t.Errorf("%d: %d counted on, %d at once, %v", i, totals.Messages, whole.Messages, err)
		}
		if first := i < 2; first != (read > 5000) {
			t.Errorf("%d: %d bytes were read", i, read)
		}
		id := fmt.Sprintf("n%d", i)
		appendTo(t, path, user(id, before, "More")+"\n")
		before = id
	}
}

// However a conversation grows, with repeated lines, going back and compactions,
// incremental counting equals a full count.
func TestCountingOnIsCounting(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 0))
		path := file(t)
		tr := history.Open(path)
		var lines, ids []string
		var totals history.Totals
		for n := range 60 {
			var line, before string
			id := fmt.Sprintf("n%d", n)
			if len(ids) > 0 {
				before = ids[len(ids)-1]
				if r.IntN(12) == 0 {
					before = ids[r.IntN(len(ids))]
				}
			}
			switch k := r.IntN(20); {
			case k == 0 && len(lines) > 0:
				line = lines[max(0, len(lines)-1-r.IntN(40))] // a repeat
			case k == 1 && before != "":
				line = fmt.Sprintf(`{"parentUuid":null,"logicalParentUuid":%q,"type":"system","subtype":"compact_boundary","uuid":%q}`, before, id)
			case k < 10:
				line = user(id, before, "Word "+id)
			default:
				line = answer(id, before, "Word "+id)
			}
			lines, ids = append(lines, line), append(ids, id)
			if line == "" || !strings.Contains(line, `"`+id+`"`) {
				ids = ids[:len(ids)-1]
			}
			appendTo(t, path, line+"\n")
			if r.IntN(3) == 0 {
				continue // more at once
			}
			var err error
			if totals, err = tr.Count(t.Context(), totals, nil, nil); err != nil {
				t.Fatal(err)
			}
			if at, err := tr.Count(t.Context(), history.Totals{}, nil, nil); err != nil || at.Messages != totals.Messages {
				t.Fatalf("seed %d, after %d lines: %d counted on, %d at once, %v", seed, len(lines), totals.Messages, at.Messages, err)
			}
		}
	}
}
