package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// mixed creates a log of several files with questions, answers and a gap.
func mixed(t *testing.T) *Log {
	t.Helper()
	l := openLog(t, small(t.TempDir()))
	for i := range 40 {
		r := answered(i)
		ask := r
		ask.Type, ask.Outcome, ask.By = Asked, "", ""
		_ = l.Append(ask)
		if i%5 == 0 {
			r.Outcome = "deny"
		}
		if i%8 == 0 {
			r.Tool = "Write"
		}
		_ = l.Append(r)
	}
	_ = l.Append(Record{Type: Gap, Lost: 3, At: 5000})
	return l
}

func TestList(t *testing.T) {
	l := mixed(t)
	tests := []struct {
		name   string
		filter Filter
		want   int
	}{
		{"all", Filter{}, 41},
		{"asked", Filter{Outcome: Asked}, 40},
		{"outcome", Filter{Outcome: "deny"}, 8},
		{"session", Filter{SessionID: "s1"}, 13},
		{"tool", Filter{Tool: "Write"}, 5},
		{"tool and outcome", Filter{Tool: "Write", Outcome: "deny"}, 1},
		{"time", Filter{Since: 1010, Until: 1019}, 10},
		{"since", Filter{Since: 1040}, 1},
		{"nothing", Filter{SessionID: "none"}, 0},
	}
	for _, tt := range tests {
		for _, limit := range []int{1, 3, 100} {
			var found []Record
			before := uint64(0)
			for pages := 0; ; pages++ {
				page, next, err := l.List(t.Context(), tt.filter, before, limit)
				check(t, err)
				if len(page) > limit || next != 0 && len(page) != limit || pages > 100 {
					t.Fatalf("%s: page of %d, next %d", tt.name, len(page), next)
				}
				found = append(found, page...)
				if before = next; next == 0 {
					break
				}
			}
			if len(found) != tt.want || !slices.IsSortedFunc(found, func(a, b Record) int { return int(b.Seq) - int(a.Seq) }) {
				t.Errorf("%s by %d: %d records, want %d", tt.name, limit, len(found), tt.want)
			}
			for _, r := range found {
				if !tt.filter.fits(r) || (r.Type == Asked) != (tt.filter.Outcome == Asked) {
					t.Errorf("%s: %+v", tt.name, r)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.List(ctx, Filter{}, 0, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The exported parts add up to the files.
func TestExport(t *testing.T) {
	l := mixed(t)
	files := read(t, l.cfg.Dir)
	delete(files, headName)
	want := ""
	for _, name := range slices.Sorted(maps.Keys(files)) {
		want += string(files[name])
	}
	for _, size := range []int{1, 1000, 5000, 1 << 20} {
		got, after := "", uint64(0)
		for {
			text, next, err := l.Export(t.Context(), Filter{}, after, size)
			check(t, err)
			if strings.Count(text, "\n") > 1 && len(text) > size {
				t.Fatalf("%d bytes, not %d", len(text), size)
			}
			got += text
			if after = next; next == 0 {
				break
			}
		}
		if got != want {
			t.Errorf("by %d: %d bytes, want %d", size, len(got), len(want))
		}
	}
	text, next, err := l.Export(t.Context(), Filter{Outcome: "deny"}, 0, 1<<20)
	check(t, err)
	if n := strings.Count(text, "\n"); n != 8 || next != 0 {
		t.Errorf("%d lines, next %d", n, next)
	}
	if dir := lay(t, map[string][]byte{"000000000001.jsonl": []byte(want)}); !strings.Contains(fmt.Sprint(verifiedWithoutHead(t, dir)), "head.json is missing") {
		t.Error("the export cannot be verified")
	}
}

func verifiedWithoutHead(t *testing.T, dir string) *Problem {
	t.Helper()
	report, err := Verify(dir, Point{})
	check(t, err)
	return report.Problem
}
