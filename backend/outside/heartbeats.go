package outside

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/backend/heartbeat/plan"
)

// HeartbeatTable has a row for each field of a heartbeat: "words" is judged by
// [plan.NewPermissions], which describes its effect, "any" widens with every other value, "free"
// with none.
func HeartbeatTable() map[string]string {
	return map[string]string{
		"name": "key", "description": "free", "prompt": "words", "schedule": "words", "folder": "words", "model": "words", "effort": "words",
		"permissionMode": "words", "guard": "words", "session": "words", "destination": "any", "timeout": "words", "enabled": "words",
		"quiet": "words", "missed": "words", "overlap": "words", "again": "words", "startDeadline": "words", "idlePause": "words", "budgets": "words",
	}
}

// Heartbeats returns the heartbeats of a file that apply, in its order, compared with the
// accepted ones, and what is held. A new heartbeat is always held, a removed
// one is gone.
func Heartbeats(was, is []plan.Spec) (holds []plan.Spec, held []Change) {
	table := HeartbeatTable()
	for _, now := range is {
		at := slices.IndexFunc(was, func(o plan.Spec) bool { return o.Name == now.Name })
		if at < 0 {
			held = append(held, Change{Field: "heartbeats." + now.Name, Is: specText(now), Why: "It is new."})
			continue
		}
		old := was[at]
		wide := plan.NewPermissions(old, now)
		a, b := fieldsOf(old), fieldsOf(now)
		for _, name := range keysOf(a, b) {
			if how := table[name]; (how == "" || how == "any") && !same(a[name], b[name]) {
				wide = append(wide, fmt.Sprintf("Its %s is different.", name))
			}
		}
		if len(wide) == 0 {
			holds = append(holds, now)
			continue
		}
		holds = append(holds, old)
		held = append(held, Change{Field: "heartbeats." + now.Name, Was: specText(old), Is: specText(now), Why: strings.Join(wide, "\n")})
	}
	return holds, held
}

func fieldsOf(s plan.Spec) map[string]json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil // plain fields
	}
	var m map[string]json.RawMessage
	_ = json.Unmarshal(raw, &m) // it was just encoded
	return m
}

// specText is a heartbeat as a user reads it: a line for each field that is set. A text of several
// lines follows its field, indented, so that none of its lines looks like a field.
func specText(s plan.Spec) string {
	fields := fieldsOf(s)
	var b strings.Builder
	for _, name := range keysOf(fields) {
		value := string(fields[name])
		if name == "name" || value == `""` || value == "{}" || value == "null" {
			continue
		}
		if text := wordOf(fields[name]); strings.Contains(text, "\n") {
			value = "\n  " + strings.ReplaceAll(text, "\n", "\n  ")
		}
		b.WriteString(name + ": " + value + "\n")
	}
	return b.String()
}
