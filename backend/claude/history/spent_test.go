package history_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"parley/backend/claude/history"
)

func TestSpent(t *testing.T) {
	cost := func(dollars string) string {
		return `{"type":"cost-state","sessionId":"s","totalCostUSD":` + dollars + `}`
	}
	tests := map[string]struct {
		lines []string
		want  float64
	}{
		"the last account":      {[]string{user("u1", "", "one"), cost("0.25"), answer("a1", "u1", "eins"), cost("0.5")}, 0.5},
		"what came after it":    {[]string{cost("0.25"), user("u1", "", "one"), answer("a1", "u1", "eins")}, 0.25},
		"none":                  {[]string{user("u1", "", "one"), answer("a1", "u1", "eins")}, 0},
		"someone speaks of one": {[]string{cost("0.25"), user("u1", "", `what is a \"cost-state\"?`)}, 0.25},
		"damaged":               {[]string{cost("0.25"), `{"type":"cost-state","totalCostUSD":`}, 0.25},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, known, err := history.Open(file(t, tt.lines...)).Spent(t.Context())
			if err != nil || !known || got != tt.want {
				t.Errorf("%v, %v, %v, want %v", got, known, err, tt.want)
			}
		})
	}
	if _, known, err := history.Open(filepath.Join(t.TempDir(), "none.jsonl")).Spent(t.Context()); known || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone: %v, %v", known, err)
	}
}
