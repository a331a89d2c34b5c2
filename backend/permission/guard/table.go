package guard

import (
	"slices"

	"parley/backend/permission/rule/shell"
)

// line is one line of the table: what a command must match, and the finding.
type line struct {
	level Level
	kind  Kind
	why   string
	when  func(v view) bool
}

// one assesses one command through all of its wrappers.
func (n *note) one(c shell.Command) {
	known := false
	for i := range c.Layers {
		v := viewOf(c.Words(i))
		if v.name == "" {
			known = known || c.Carrier || len(c.Assigns) > 0 || len(c.Redirects) > 0
			continue
		}
		for _, table := range [][]line{destroying(), privileged(), sending(), secret(), staying(), coding()} {
			for _, l := range table {
				if c.Carrier && l.kind == Code {
					continue // everything it runs is listed separately
				}
				if l.when(v) {
					n.add(l.level, l.kind, v.text, l.why)
					known = true
				}
			}
		}
		known = known || i == len(c.Layers)-1 && (c.Carrier || ordinary(v)) || c.Layers[i].Transparent
	}
	if v := viewOf(c.Args()); !known || v.name != "" && len(c.Layers) > 1 && !c.Carrier && !ordinary(v) && !n.mentioned(v.text) {
		n.add(Medium, Unclear, v.text, "Parley does not know what this program does.")
	}
}

func (n *note) mentioned(text string) bool {
	return slices.ContainsFunc(n.list, func(f Finding) bool { return f.Words == text && f.Kind != Unclear })
}
