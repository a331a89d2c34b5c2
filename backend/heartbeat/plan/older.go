package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// older is a field in the format of EARL's heartbeats.yml. It is read if unambiguous;
// Parley writes its own format.
type older struct {
	// under is its group ("" or "schedule."), path the corresponding field.
	under, name, path string
	// read parses the value, and returns what is wrong with it.
	read func(n *yaml.Node, spec *Spec) string
}

func olderField(under, name string) (older, bool) {
	for _, o := range olderFields() {
		if o.under == under && o.name == name {
			return o, true
		}
	}
	return older{}, false
}

func olderFields() []older {
	word := func(to func(*Spec) *string) func(*yaml.Node, *Spec) string {
		return func(n *yaml.Node, s *Spec) string {
			if n.Kind != yaml.ScalarNode {
				return fmt.Sprintf("This must be one value, not %s.", called(n))
			}
			*to(s) = n.Value
			return ""
		}
	}
	flag := func(set func(*Spec, bool)) func(*yaml.Node, *Spec) string {
		return func(n *yaml.Node, s *Spec) string {
			if n.ShortTag() != "!!bool" {
				return "Write true or false."
			}
			set(s, strings.EqualFold(n.Value, "true"))
			return ""
		}
	}
	return []older{
		{"", "working_dir", "folder", word(func(s *Spec) *string { return &s.Folder })},
		{"", "channel_id", "destination.channel", word(func(s *Spec) *string { return &s.Destination.Channel })},
		{"", "once", "schedule.once", flag(func(s *Spec, v bool) { s.Schedule.Once = v })},
		{"", "persistent", "session", flag(func(s *Spec, v bool) {
			if v {
				s.Session = "persistent"
			}
		})},
		{"", "permission_mode", "permissionMode", func(n *yaml.Node, s *Spec) string {
			switch {
			case n.Value == "interactive":
				s.PermissionMode = "default"
			case n.Value == "auto":
				return "This could mean two things. Write permissionMode: auto, or permissionMode: bypassPermissions to never be asked."
			default:
				return word(func(s *Spec) *string { return &s.PermissionMode })(n, s)
			}
			return ""
		}},
		{"schedule.", "interval", "schedule.every", func(n *yaml.Node, s *Spec) string {
			v, err := strconv.ParseInt(n.Value, 10, 32)
			if err != nil || v < 1 {
				return fmt.Sprintf("%q is not a number of seconds. Write every: 15m.", clip(n.Value))
			}
			s.Schedule.Every = n.Value + "s"
			return ""
		}},
		{"schedule.", "run_at", "schedule.runAt", func(n *yaml.Node, s *Spec) string {
			v, err := strconv.ParseInt(n.Value, 10, 64)
			if err != nil || v < 0 || time.Unix(v, 0).UTC().Year() > 9999 {
				return fmt.Sprintf("%q is not a number of seconds since 1970. Write runAt: 2026-11-21 09:00.", clip(n.Value))
			}
			s.Schedule.RunAt = time.Unix(v, 0).UTC().Format(time.RFC3339)
			return ""
		}},
	}
}
