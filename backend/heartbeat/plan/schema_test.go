package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v4"
)

// TestSchema checks that schema and parser agree: on valid files, and on those with
// errors a schema can detect.
func TestSchema(t *testing.T) {
	golden(t, "testdata/schema.golden.json", Schema())
	var schema jsonschema.Schema
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	const whole = `
heartbeats:
  tidy:
    description: Keeps the code clean.
    prompt: "Today is {{date}}."
    schedule: {cron: "30 2 * * mon-fri", zone: Europe/Berlin, once: true}
    folder: ~/code
    model: opus
    effort: high
    permissionMode: acceptEdits
    guard: static
    session: persistent
    timeout: 20m
    enabled: false
    quiet: {from: "22:00", to: "06:30", days: [sat, sun]}
    missed: all
    overlap: queue
    startDeadline: 1h30m
    idlePause: 2w
    budgets:
      run: {tokens: 200000, usd: 1.5, turns: 20}
      day: {usd: 5}
      month: {usd: 40}
`
	tests := []struct {
		name string
		text string
		good bool
	}{
		{"everything", whole, true},
		{"an interval", "heartbeats: {a: {prompt: x, schedule: {every: 15m}, folder: /}}", true},
		{"a moment to a session", "heartbeats: {grün: {prompt: x, schedule: {runAt: '2027-01-01 09:00'}, destination: {session: s}}}", true},
		{"none", "heartbeats:", true},
		{"no heartbeats", "{}", true},
		{"another key", strings.Replace(whole, "heartbeats", "heartbeat", 1), false},
		{"a list", "heartbeats: [a]", false},
		{"an unknown field", strings.Replace(whole, "effort:", "efort:", 1), false},
		{"an unknown field within", strings.Replace(whole, "cron:", "corn:", 1), false},
		{"two schedules", strings.Replace(whole, "cron:", "every: 5m, cron:", 1), false},
		{"no schedule", "heartbeats: {a: {prompt: x, folder: /}}", false},
		{"no prompt", "heartbeats: {a: {schedule: {every: 5m}, folder: /}}", false},
		{"an empty prompt", "heartbeats: {a: {prompt: ' ', schedule: {every: 5m}, folder: /}}", false},
		{"no folder", "heartbeats: {a: {prompt: x, schedule: {every: 5m}}}", false},
		{"no folder, to a channel", "heartbeats: {a: {prompt: x, schedule: {every: 5m}, destination: {channel: c}}}", false},
		{"two destinations", "heartbeats: {a: {prompt: x, schedule: {every: 5m}, destination: {session: s, channel: c}}}", false},
		{"a folder that is not whole", strings.Replace(whole, "~/code", "code", 1), false},
		{"an effort that does not exist", strings.Replace(whole, "effort: high", "effort: most", 1), false},
		{"a mode that does not exist", strings.Replace(whole, "acceptEdits", "yolo", 1), false},
		{"a duration without a unit", strings.Replace(whole, "1h30m", "90 m", 1), false},
		{"an invalid flag", strings.Replace(whole, "enabled: false", "enabled: never", 1), false},
		{"an invalid time", strings.Replace(whole, "22:00", "24:00", 1), false},
		{"an invalid day", strings.Replace(whole, "[sat", "[saturday", 1), false},
		{"a day twice", strings.Replace(whole, "[sat", "[sun", 1), false},
		{"a budget of nothing", strings.Replace(whole, "turns: 20", "turns: 0", 1), false},
		{"a budget that is no number", strings.Replace(whole, "usd: 40", "usd: many", 1), false},
		{"a name with blanks", strings.Replace(whole, "tidy:", "tidy up:", 1), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, problems := Parse([]byte(test.text))
			if (len(problems) == 0) != test.good {
				t.Errorf("the parser says %v", problems)
			}
			var value any
			if err := yaml.Load([]byte(test.text), &value); err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			var plain any
			if err := json.Unmarshal(data, &plain); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(plain); (err == nil) != test.good {
				t.Errorf("the schema says %v", err)
			}
		})
	}
}
