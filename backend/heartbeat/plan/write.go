package plan

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// dump encodes nodes.
func dump(n *yaml.Node) ([]byte, error) {
	return yaml.Dump(n, yaml.WithV4Defaults(), yaml.WithLineWidth(-1))
}

// written returns the lines of an entry, with indentation. Comments above and below it
// are already in the text.
func written(key, value *yaml.Node, indent int) []string {
	k := *key
	k.HeadComment, k.FootComment = "", ""
	text, err := dump(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{&k, value}})
	if err != nil {
		return nil // missing parts are found when the result is parsed
	}
	out := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range out {
		if line != "" {
			out[i] = strings.Repeat(" ", indent) + line
		}
	}
	return out
}

// add appends a new heartbeat.
func (d *document) add(spec Spec) {
	key := scalar(spec.Name, false)
	value := &yaml.Node{Kind: yaml.MappingNode}
	d.merge(value, "", fields(), Spec{Enabled: true}, spec, newMerging(false))
	if d.root == nil {
		if len(d.lines) == 0 {
			d.lines = []string{header}
		}
		end := lines{len(d.lines), len(d.lines)}
		d.edits = append(d.edits, edit{end, append([]string{rootKey + ":"}, written(key, value, 2)...)})
		return
	}
	if d.list == nil || isNull(d.list) || d.list.Kind == yaml.MappingNode && len(d.list.Content) == 0 {
		d.begin(key, value)
		return
	}
	list := follow(d.list)
	if flow(d.list) {
		d.loose = true
	} else {
		last := list.Content[len(list.Content)-2]
		end := d.spans[last].to
		d.edits = append(d.edits, edit{lines{end, end}, append([]string{""}, written(key, value, last.Column-1)...)})
	}
	list.Content = append(list.Content, key, value)
}

// emptyList matches the line of an empty list of heartbeats.
var emptyList = regexp.MustCompile(`^(heartbeats:)(?:[ \t]*(?:\{[ \t]*\}|null|~))?([ \t]+#[^\r\n]*)?\s*$`)

// begin puts the first heartbeat into an empty list.
func (d *document) begin(key, value *yaml.Node) {
	list := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}}
	if d.listKey == nil {
		d.loose, d.root.Style = true, 0
		d.root.Content = append(d.root.Content, scalar(rootKey, false), list)
		return
	}
	at := d.listKey.Line - 1
	if found := emptyList.FindStringSubmatch(d.lines[at]); found != nil && !d.loose {
		d.edits = append(d.edits, edit{lines{at, at + 1}, append([]string{found[1] + found[2]}, written(key, value, 2)...)})
	} else {
		d.loose, d.root.Style = true, 0
	}
	d.root.Content[slices.Index(d.root.Content, d.listKey)+1] = list
}

// remove removes a heartbeat.
func (d *document) remove(key *yaml.Node) {
	list := follow(d.list)
	at := slices.Index(list.Content, key)
	d.loose = d.loose || flow(d.list)
	if !d.loose {
		s := d.spans[key]
		for s.from > 0 && s.from > d.listKey.Line && isCommentAt(d.lines[s.from-1], key.Column-1) {
			s.from--
		}
		blank := func(i int) bool {
			return i < 0 || i >= len(d.lines) || strings.TrimSpace(d.lines[i]) == ""
		}
		if s.from > d.listKey.Line && blank(s.from-1) && blank(s.to) {
			s.from--
		}
		d.edits = append(d.edits, edit{lines: s})
		if len(list.Content) == 2 {
			line := d.listKey.Line - 1
			if found := emptyList.FindStringSubmatch(d.lines[line]); found != nil {
				d.edits = append(d.edits, edit{lines{line, line + 1}, []string{found[1] + " {}" + found[2]}})
			}
		}
	}
	list.Content = slices.Delete(list.Content, at, at+2)
	if len(list.Content) == 0 {
		list.Style = yaml.FlowStyle
	}
}

func isCommentAt(line string, indent int) bool {
	rest := strings.TrimLeft(line, " ")
	return strings.HasPrefix(rest, "#") && len(line)-len(rest) == indent
}

// rename changes the name at its line.
func (d *document) rename(key *yaml.Node, name string) {
	if key.Value == name {
		return
	}
	fresh := scalar(name, false)
	if !d.loose && !flow(d.list) {
		line, at := d.lines[key.Line-1], key.Column-1
		raw := ""
		for _, form := range []string{key.Value, `"` + key.Value + `"`, "'" + key.Value + "'"} {
			if at <= len(line) && strings.HasPrefix(line[at:], form+":") {
				raw = form
			}
		}
		short, err := dump(fresh)
		if d.loose = raw == "" || err != nil; !d.loose {
			d.lines[key.Line-1] = line[:at] + strings.TrimSpace(string(short)) + line[at+len(raw):]
		}
	}
	key.Value, key.Tag, key.Style = fresh.Value, fresh.Tag, fresh.Style
}

// change updates a heartbeat. force rewrites all of it, and removes what doesn't belong
// there.
func (d *document) change(key *yaml.Node, spec Spec, force bool) {
	list := follow(d.list)
	at := slices.Index(list.Content, key) + 1
	value := list.Content[at]
	m := newMerging(force)
	was := Spec{Name: spec.Name, Enabled: true}
	if value.Kind == yaml.MappingNode {
		was = d.read(key)
		was.Name = spec.Name
		m.survey(value, "", was, spec)
	} else {
		value = &yaml.Node{Kind: yaml.MappingNode}
		list.Content[at] = value
		m.touched[key] = true
	}
	inBraces := flow(value)
	d.merge(value, "", fields(), was, spec, m)
	switch {
	case d.loose || flow(d.list):
		d.loose = true
	case m.touched[key] || inBraces && len(m.touched)+len(m.gone) > 0:
		d.edits = append(d.edits, edit{d.spans[key], written(key, value, key.Column-1)})
	default:
		d.splice(value, m)
	}
}

// merging is the state of changing a heartbeat.
type merging struct {
	// present are the fields it has, in either format.
	present map[string]bool
	force   bool
	// touched are the keys to rewrite, gone those removed from a map.
	touched map[*yaml.Node]bool
	gone    map[*yaml.Node][]*yaml.Node
}

func newMerging(force bool) *merging {
	return &merging{present: map[string]bool{}, force: force, touched: map[*yaml.Node]bool{}, gone: map[*yaml.Node][]*yaml.Node{}}
}

// survey records the fields in the older format whose values stay.
func (m *merging) survey(n *yaml.Node, under string, was, spec Spec) {
	for key, value := range pairs(n) {
		if old, ok := olderField(under, key.Value); ok && !m.force && sameAt(old.path, was, spec) {
			m.present[old.path] = true
		} else if under == "" && key.Value == "schedule" && value.Kind == yaml.MappingNode {
			m.survey(value, "schedule.", was, spec)
		}
	}
}

// sameAt reports whether a field, or a group of them, is the same in two
// heartbeats.
func sameAt(path string, a, b Spec) bool {
	same := true
	each(fields(), "", func(p string, f field) {
		if p == path || strings.HasPrefix(p, path+".") {
			same = same && reflect.DeepEqual(valueOf(f, a), valueOf(f, b))
		}
	})
	return same
}

// valueOf returns the value of a field.
func valueOf(f field, s Spec) any {
	s = copyOf(s)
	return reflect.ValueOf(f.at(&s)).Elem().Interface()
}

// merge updates the fields of a map.
func (d *document) merge(n *yaml.Node, under string, list []field, was, spec Spec, m *merging) {
	var kept []*yaml.Node
	for key, value := range pairs(n) {
		path := under + key.Value
		if old, ok := olderField(under, key.Value); ok && m.present[old.path] {
			kept = append(kept, key, value)
			continue
		} else if ok {
			m.gone[n] = append(m.gone[n], key)
			continue
		}
		i := slices.IndexFunc(list, func(f field) bool { return f.name == key.Value })
		fresh := (*yaml.Node)(nil)
		if i >= 0 && !m.present[path] {
			fresh = list[i].node(spec)
		}
		switch {
		case !m.force && (i < 0 || sameAt(path, was, spec)):
		case fresh == nil:
			m.gone[n] = append(m.gone[n], key)
			continue
		case list[i].kind == group && value.Kind == yaml.MappingNode:
			inside := flow(value)
			d.merge(value, path+".", list[i].of, was, spec, m)
			m.touched[key] = inside
		default:
			if list[i].kind == group {
				d.merge(fresh, path+".", list[i].of, was, spec, m)
			}
			fresh.LineComment, fresh.HeadComment, fresh.FootComment = value.LineComment, value.HeadComment, value.FootComment
			value = fresh
			m.touched[key] = true
		}
		m.present[path] = true
		kept = append(kept, key, value)
	}
	n.Content = kept
	for i, f := range list {
		if m.present[under+f.name] || f.kind == boolean && isDefault(f, spec) {
			continue
		}
		fresh := f.node(spec)
		if fresh == nil {
			continue
		}
		if f.kind == group {
			fresh = &yaml.Node{Kind: yaml.MappingNode}
			d.merge(fresh, under+f.name+".", f.of, was, spec, m)
			if len(fresh.Content) == 0 {
				continue
			}
		}
		key := scalar(f.name, false)
		m.touched[key] = true
		n.Content = slices.Insert(n.Content, place(n, list[:i]), key, fresh)
	}
}

// place returns the position of a field: after its predecessors in the table, or last.
func place(n *yaml.Node, before []field) int {
	for _, f := range slices.Backward(before) {
		for i := 0; i < len(n.Content); i += 2 {
			if n.Content[i].Value == f.name {
				return i + 2
			}
		}
	}
	return len(n.Content)
}

// splice turns the changes of a map into edits.
func (d *document) splice(n *yaml.Node, m *merging) {
	indent, end := 0, 0
	for _, key := range m.gone[n] {
		d.edits = append(d.edits, edit{lines: d.spans[key]})
		indent, end = key.Column-1, d.spans[key].to
	}
	for key := range pairs(n) {
		if s, ok := d.spans[key]; ok {
			indent, end = key.Column-1, s.from
			break
		}
	}
	for key, value := range pairs(n) {
		s, old := d.spans[key]
		switch {
		case m.touched[key] && old:
			d.edits = append(d.edits, edit{s, written(key, value, indent)})
		case m.touched[key]:
			d.edits = append(d.edits, edit{lines{end, end}, written(key, value, indent)})
		case !flow(value):
			d.splice(value, m)
		}
		if old {
			end = s.to
		}
	}
}

// node returns the node of a field's value, nil if there is nothing to write.
func (f field) node(spec Spec) *yaml.Node {
	spec = copyOf(spec)
	if f.kind == group {
		for _, in := range f.of {
			if in.node(spec) != nil && (in.kind != boolean || !isDefault(in, spec)) {
				return &yaml.Node{Kind: yaml.MappingNode}
			}
		}
		return nil
	}
	switch v := f.at(&spec).(type) {
	case *string:
		if *v != "" {
			return scalar(*v, f.block)
		}
	case *bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatBool(*v)}
	case *int64:
		if *v != 0 {
			return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatInt(*v, 10)}
		}
	case *float64:
		if *v != 0 {
			return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(*v, 'f', -1, 64)}
		}
	case *[]string:
		if len(*v) > 0 {
			out := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for _, word := range *v {
				out.Content = append(out.Content, scalar(word, false))
			}
			return out
		}
	}
	return nil
}

// isDefault reports whether a flag has its default value.
func isDefault(f field, spec Spec) bool {
	v, _ := valueOf(f, spec).(bool)
	return v == (f.name == "enabled")
}

// scalar encodes a text: as a block if it has several lines and these can be written
// without loss, else on one line.
func scalar(s string, block bool) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
	case block && strings.Contains(s, "\n") && !awkward.MatchString(s):
		n.Style = yaml.LiteralStyle
	case strings.ContainsAny(s, "\n\t"):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// awkward matches what a block doesn't preserve, or not clearly: blanks at its
// start or at the end of a line, and empty lines at its end.
var awkward = regexp.MustCompile(`^\s|[ \t](\n|$)|\n\n$|\t`)
