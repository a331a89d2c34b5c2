package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// Parse parses the file. An error in one heartbeat only affects that one. An empty
// file, or one with only comments, has no heartbeats.
func Parse(text []byte) (File, []Problem) {
	r := reader{}
	file := r.file(mended(text))
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return file, r.problems
}

// reader collects the problems.
type reader struct {
	problems []Problem
	// name is the heartbeat being parsed.
	name string
}

func (r *reader) say(n *yaml.Node, field, format string, args ...any) {
	p := Problem{Name: r.name, Field: field, Message: fmt.Sprintf(format, args...)}
	if n != nil {
		p.Line, p.Column = n.Line, n.Column
	}
	r.add(p)
}

func (r *reader) add(p Problem) {
	if len(r.problems) < MaxProblems {
		r.problems = append(r.problems, p)
	}
}

func (r *reader) file(text []byte) File {
	doc, problem := load(text)
	if problem != nil {
		r.add(*problem)
		return File{Unreadable: true}
	}
	if doc == nil {
		return File{Empty: true}
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		r.say(root, "", "The file must start with heartbeats:, with the heartbeats below it.")
		return File{Unreadable: true}
	}
	var file File
	seen := map[string]int{}
	for key, value := range pairs(root) {
		switch {
		case key.Value != rootKey:
			r.unknown(key, "", []string{rootKey})
		case seen[rootKey] > 0:
			r.say(key, "", "There are heartbeats at line %d already. These are ignored.", seen[rootKey])
		default:
			seen[rootKey] = key.Line
			file = r.heartbeats(value)
		}
	}
	if seen[rootKey] == 0 && len(root.Content) > 0 {
		file.Unreadable = true
	}
	return file
}

// rootKey is the file's only key.
const rootKey = "heartbeats"

func (r *reader) heartbeats(list *yaml.Node) File {
	var file File
	if list = follow(list); isNull(list) {
		return file
	}
	if list.Kind != yaml.MappingNode {
		r.say(list, "", "Heartbeats must be listed by name; this is %s.", called(list))
		return File{Unreadable: true}
	}
	defer func() { r.name = "" }()
	seen := map[string]int{}
	for key, value := range pairs(list) {
		r.name = ""
		name := key.Value
		switch line := seen[name]; {
		case key.Kind != yaml.ScalarNode:
			r.say(key, "", "A name must be a word, not %s.", called(key))
			continue
		case line > 0:
			r.name = name
			r.say(key, "", "There is already a heartbeat %s at line %d. Neither of them runs.", clip(name), line)
			file.Heartbeats = slices.DeleteFunc(file.Heartbeats, func(e Entry) bool { return e.Spec.Name == name })
			file.broken(name)
			continue
		case len(seen) >= MaxHeartbeats:
			r.say(key, "", "There are more than %d heartbeats. Those from here on are ignored.", MaxHeartbeats)
			return file
		}
		seen[name] = key.Line
		r.name = name
		before := len(r.problems)
		spec := r.heartbeat(key, value)
		if len(r.problems) > before || before == MaxProblems {
			file.broken(name)
			continue
		}
		file.Heartbeats = append(file.Heartbeats, Entry{Spec: spec, Line: key.Line})
	}
	return file
}

func (f *File) broken(name string) {
	if !known(f.Broken, name) {
		f.Broken = append(f.Broken, name)
	}
}

// heartbeat parses and validates one.
func (r *reader) heartbeat(key, value *yaml.Node) Spec {
	spec := Spec{Name: key.Value, Enabled: true}
	value = follow(value)
	if value.Kind != yaml.MappingNode {
		if isNull(value) {
			value = key
		}
		r.say(value, "", "Put the heartbeat's fields, such as prompt and schedule, below its name.")
		return spec
	}
	places := map[string]*yaml.Node{"": key}
	before := len(r.problems)
	r.group(value, "", fields(), &spec, places)
	said := map[string]bool{}
	for _, p := range r.problems[before:] {
		said[p.Field] = true
	}
	spec = normal(spec)
	problems := checkValues(spec)
	_, wrong := compile(spec.Schedule, time.UTC)
	for _, p := range append(problems, wrong...) {
		if p.Name = spec.Name; said[p.Field] || p.Field == "schedule" && saidUnder(said, "schedule.") {
			continue
		}
		at := places[p.Field]
		for field := p.Field; at == nil; at = places[field] {
			field = field[:max(0, strings.LastIndexByte(field, '.'))]
		}
		p.Line, p.Column = at.Line, at.Column
		r.add(p)
	}
	return spec
}

func saidUnder(said map[string]bool, prefix string) bool {
	for field := range said {
		if strings.HasPrefix(field, prefix) {
			return true
		}
	}
	return false
}

// group parses the fields of a map into the heartbeat, and records their
// positions.
func (r *reader) group(n *yaml.Node, under string, list []field, spec *Spec, places map[string]*yaml.Node) {
	for key, value := range pairs(n) {
		path := under + key.Value
		if key.Kind != yaml.ScalarNode {
			r.say(key, under, "A field's name must be a word, not %s.", called(key))
			continue
		}
		if old, ok := olderField(under, key.Value); ok {
			if first := places[old.path]; first != nil {
				r.say(key, path, "%s and line %d set the same thing.", key.Value, first.Line)
				continue
			}
			places[old.path] = value
			if message := old.read(follow(value), spec); message != "" {
				r.say(value, path, "%s", message)
			}
			continue
		}
		i := slices.IndexFunc(list, func(f field) bool { return f.name == key.Value })
		if i < 0 {
			r.unknown(key, under, names(list))
			continue
		}
		if first := places[path]; first != nil {
			r.say(key, path, "%s is already at line %d.", path, first.Line)
			continue
		}
		places[path] = value
		if isNull(follow(value)) {
			places[path] = key
		}
		r.value(follow(value), path, list[i], spec, places)
	}
}

// value parses one field.
func (r *reader) value(n *yaml.Node, path string, f field, spec *Spec, places map[string]*yaml.Node) {
	if isNull(n) {
		return // as if it were missing; required fields are reported later
	}
	switch f.kind {
	case group:
		if n.Kind != yaml.MappingNode {
			r.say(n, path, "%s must contain fields (%s), not %s.", path, strings.Join(names(f.of), ", "), called(n))
			return
		}
		r.group(n, path+".", f.of, spec, places)
		return
	case words:
		items := []*yaml.Node{n}
		if n.Kind == yaml.SequenceNode {
			items = n.Content
		}
		if len(items) > 10 {
			r.say(n, path, "This list is too long.")
			return
		}
		to, _ := f.at(spec).(*[]string)
		for _, item := range items {
			if item = follow(item); item.Kind != yaml.ScalarNode {
				r.say(item, path, "Days must be words such as mon, not %s.", called(item))
				return
			}
			*to = append(*to, strings.ToLower(item.Value))
		}
		return
	}
	if n.Kind != yaml.ScalarNode {
		r.say(n, path, "%s must be one value, not %s.", path, called(n))
		return
	}
	if message := readScalar(n, f, spec); message != "" {
		r.say(n, path, "%s", message)
	}
}

// readScalar parses one value. The result is what is wrong.
func readScalar(n *yaml.Node, f field, spec *Spec) string {
	plain := strings.ReplaceAll(n.Value, "_", "")
	switch to := f.at(spec).(type) {
	case *string:
		*to = n.Value
		if f.name == "timeout" && n.ShortTag() == "!!int" {
			*to = plain + "s" // EARL counts in seconds
		}
	case *bool:
		if n.ShortTag() != "!!bool" {
			return "Write true or false."
		}
		*to = strings.EqualFold(n.Value, "true")
	case *int64:
		v, err := strconv.ParseInt(plain, 10, 64)
		if err != nil || v < 1 {
			return fmt.Sprintf("%q is not a whole number of at least 1.", clip(n.Value))
		}
		*to = v
	case *float64:
		v, err := strconv.ParseFloat(plain, 64)
		if err != nil || !(v > 0 && v <= maxUSD) {
			return fmt.Sprintf("%q is not an amount in dollars up to 1,000,000.", clip(n.Value))
		}
		*to = v
	}
	return ""
}

func (r *reader) unknown(key *yaml.Node, under string, list []string) {
	switch near := nearest(key.Value, list); {
	case key.Value == "<<":
		r.say(key, under+key.Value, "Fields cannot be merged with <<. Write them here.")
	case near != "":
		r.say(key, under+key.Value, "There is no field %q. Do you mean %s?", clip(key.Value), near)
	default:
		r.say(key, under+key.Value, "There is no field %q here. The fields are %s.", clip(key.Value), strings.Join(list, ", "))
	}
}

func names(list []field) []string {
	out := make([]string, len(list))
	for i, f := range list {
		out[i] = f.name
	}
	return out
}

// normal removes empty groups, so that parsed and written heartbeats can be compared.
func normal(s Spec) Spec {
	s = copyOf(s)
	if s.Quiet != nil && s.Quiet.From == "" && s.Quiet.To == "" && len(s.Quiet.Days) == 0 {
		s.Quiet = nil
	}
	if s.Quiet != nil && len(s.Quiet.Days) == 0 {
		s.Quiet.Days = nil
	}
	for _, l := range []**Limit{&s.Budgets.Run, &s.Budgets.Day, &s.Budgets.Month} {
		if *l != nil && **l == (Limit{}) {
			*l = nil
		}
	}
	return s
}

// load parses the text into a document with one node, nil for a file without
// content.
func load(text []byte) (*yaml.Node, *Problem) {
	if len(text) > MaxFile {
		return nil, &Problem{Message: "The file is larger than 1 MB."}
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text), yaml.WithV4Defaults())
	if err != nil {
		return nil, &Problem{Message: "The file cannot be read."}
	}
	var doc, second yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, syntax(text, err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, &Problem{Line: max(1, second.Line), Column: max(1, second.Column), Message: "The file has more than one YAML document. Put all heartbeats into one, without ---."}
	case !errors.Is(err, io.EOF):
		return nil, syntax(text, err)
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return nil, nil
	}
	return &doc, nil
}

// syntax is the problem of a text that isn't YAML.
func syntax(text []byte, err error) *Problem {
	p, why := &Problem{Line: 1, Column: 1}, clip(err.Error())
	var at *yaml.LoadError
	if errors.As(err, &at) {
		p.Line, p.Column = max(1, at.Mark.Line), max(1, at.Mark.Column)
		why = strings.TrimSuffix(at.Message, ".")
	}
	p.Message = fmt.Sprintf("This is not valid YAML: %s.", why)
	n := 0
	for line := range bytes.Lines(text) {
		if n++; n == p.Line && bytes.Contains(line, []byte("cron:")) && !bytes.ContainsAny(line, `"'`) {
			p.Message = fmt.Sprintf("This is not valid YAML: %s. Put the cron expression in quotes.", why)
		}
	}
	return p
}

// pairs iterates over the keys and values of a map.
func pairs(n *yaml.Node) func(func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// follow resolves an alias.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// called names a node in a sentence.
func called(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", clip(n.Value))
}
