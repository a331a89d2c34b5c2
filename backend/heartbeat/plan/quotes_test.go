package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// An unquoted cron expression reads as another YAML parser reads it with quotes, however
// the file is written; and where it is valid YAML without them, both agree.
func TestCronWithoutQuotes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	field := func(of ...string) string {
		return append(of, "*", "*", "*/2", "1", "1,5", "2-5")[r.IntN(len(of)+6)]
	}
	styles := []string{
		"heartbeats:\n  look:\n    prompt: Look.\n    folder: /p\n    schedule:\n      cron: %s\n",
		"heartbeats:\n  look:\n    schedule:\n      cron: %s # often\n    prompt: Look.\n    folder: /p\n",
		"heartbeats:\n  look:\n    schedule: {cron: %s}\n    prompt: Look.\n    folder: /p\n",
		"heartbeats:\n  look:\n    schedule: {zone: Europe/Berlin, cron: %s }\n    prompt: Look.\n    folder: /p\n",
		"heartbeats:\n  look:\n    prompt: |\n      cron: of the prompt\n    folder: /p\n    schedule:\n      cron:   %s  \n",
		"heartbeats:\r\n  look:\r\n    prompt: Look.\r\n    folder: /p\r\n    schedule:\r\n      cron: %s\r\n",
		"heartbeats:\n  look:\n    prompt: Look.\n    folder: /p\n    schedule:\n      zone: UTC\n      cron: %s",
	}
	bare := 0
	for range 500 {
		cron := strings.Join([]string{field("*/15", "0"), field("9-17"), field("31"), field("JAN"), field("MON-FRI", "7")}, " ")
		if r.IntN(8) == 0 {
			cron = []string{"@daily", "@hourly", "@weekly", "@monthly", "@yearly"}[r.IntN(5)]
		}
		for i, style := range styles {
			if strings.Contains(style, "{") && strings.Contains(cron, ",") {
				continue // a comma ends it there
			}
			text := fmt.Sprintf(style, cron)
			var value any
			if yaml.Unmarshal([]byte(text), &value) != nil {
				bare++
			}
			theirs := cronOf(t, fmt.Sprintf(style, `"`+cron+`"`))
			file, problems := Parse([]byte(text))
			if len(problems) > 0 || len(file.Heartbeats) != 1 || file.Heartbeats[0].Spec.Schedule.Cron != theirs || theirs != cron {
				t.Fatalf("style %d, %q: ours %+v %v, theirs %q", i, text, file.Heartbeats, problems, theirs)
			}
		}
	}
	if bare < 500 {
		t.Errorf("only %d texts are no YAML as they stand", bare)
	}
}

// cronOf returns the expression of the only heartbeat, as the other parser reads the
// file.
func cronOf(t *testing.T, text string) string {
	t.Helper()
	var file struct{ Heartbeats any }
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var found string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				if s, ok := inner.(string); ok && key == "cron" {
					found = s
				}
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(file.Heartbeats)
	return found
}
