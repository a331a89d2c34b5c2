package settings

import (
	"fmt"
	"slices"
	"strings"
)

// Tools defines which of Parley's tools sessions have.
type Tools struct {
	// ToolsOff are the ids of the sets that are off unless a workspace overrides it.
	ToolsOff []string `json:"toolsOff"`
}

func toolFields() []field {
	return []field{{"toolsOff", func(v *Values) any { return &v.ToolsOff },
		func(v Values) string { return problemOfSets(v.ToolsOff) }}}
}

// problemOfSets checks the form of sets' ids. Which sets exist is known where they
// are defined.
func problemOfSets(ids []string) string {
	const most, longest = 50, 40
	if len(ids) > most {
		return fmt.Sprintf("must name at most %d sets", most)
	}
	for i, id := range ids {
		if id == "" || len(id) > longest || slices.Contains(ids[:i], id) || strings.ContainsFunc(id, func(r rune) bool { return r < 'a' || r > 'z' }) {
			return "must be ids of sets of tools such as \"memory\", each once"
		}
	}
	return ""
}
