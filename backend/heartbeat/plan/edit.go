package plan

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"parley/backend/fault"
)

// header is the start of a file that Parley creates.
const header = `# yaml-language-server: $schema=` + SchemaFile + `
# Prompts on a schedule. Parley reads this file again whenever it changes.

`

// SchemaFile is the name of the schema file, expected beside heartbeats.yaml.
const SchemaFile = "heartbeats.schema.json"

// Upsert writes a heartbeat to the file's text. old is the name of the one it replaces, ""
// for a new one, which is appended; a renamed one keeps its position. Only the lines of
// changed fields are rewritten, including comments at their ends; everything else is
// unchanged, byte for byte. Only if the map of all heartbeats is in flow style is the
// whole file rewritten, with its comments and order.
//
// The errors are faults: invalid (the heartbeat is invalid), not_found, conflict (the
// name is taken, or errors in the file prevent it), too_large.
func Upsert(text []byte, old string, spec Spec) ([]byte, error) {
	if _, problems := Prepare(spec, time.UTC); len(problems) > 0 {
		return nil, fault.New(fault.Invalid, "The heartbeat is not valid. %s: %s", problems[0].Field, problems[0].Message)
	}
	spec = normal(spec)
	e, err := open(text)
	if err != nil {
		return nil, err
	}
	if old != spec.Name && e.find(spec.Name) != nil {
		return nil, fault.New(fault.Conflict, "There is already a heartbeat %q.", spec.Name)
	}
	want := changed(e.file, old, &spec)
	if old == "" {
		if len(e.file.Heartbeats)+len(e.file.Broken) >= MaxHeartbeats {
			return nil, fault.New(fault.TooLarge, "There are %d heartbeats, which is the limit. Delete one first.", MaxHeartbeats)
		}
		e.add(spec)
		return e.result(want)
	}
	key, err := e.only(old)
	if err != nil {
		return nil, err
	}
	e.rename(key, spec.Name)
	e.change(key, spec, known(e.file.Broken, old))
	return e.result(want)
}

// Remove removes a heartbeat from the file's text, and the comment directly above
// it. The rest is unchanged. The errors are those of Put.
func Remove(text []byte, name string) ([]byte, error) {
	e, err := open(text)
	if err != nil {
		return nil, err
	}
	key, err := e.only(name)
	if err != nil {
		return nil, err
	}
	e.remove(key)
	return e.result(changed(e.file, name, nil))
}

// SetEnabled enables or disables a heartbeat in the file's text, and changes nothing
// else. The errors are those of Put.
func SetEnabled(text []byte, name string, enabled bool) ([]byte, error) {
	e, err := open(text)
	if err != nil {
		return nil, err
	}
	key, err := e.only(name)
	if err != nil {
		return nil, err
	}
	spec := e.read(key)
	if spec.Enabled == enabled {
		return text, nil
	}
	spec.Enabled = enabled
	want := e.file
	if !known(e.file.Broken, name) {
		want = changed(e.file, name, &spec)
	}
	e.change(key, spec, false)
	return e.result(want)
}

// changed returns the expected result.
func changed(file File, old string, spec *Spec) File {
	out := File{Heartbeats: slices.Clone(file.Heartbeats), Broken: slices.Clone(file.Broken)}
	out.Broken = slices.DeleteFunc(out.Broken, func(name string) bool { return name == old })
	at := slices.IndexFunc(out.Heartbeats, func(e Entry) bool { return e.Spec.Name == old })
	switch {
	case spec == nil && at >= 0:
		out.Heartbeats = slices.Delete(out.Heartbeats, at, at+1)
	case spec != nil && at >= 0:
		out.Heartbeats[at].Spec = *spec
	case spec != nil:
		out.Heartbeats = append(out.Heartbeats, Entry{Spec: *spec})
	}
	return out
}

// says reports whether two files have the same heartbeats.
func (f File) says(other File) bool {
	in := func(file File) map[string]Spec {
		out := map[string]Spec{}
		for _, e := range file.Heartbeats {
			out[e.Spec.Name] = normal(e.Spec)
		}
		return out
	}
	return f.Unreadable == other.Unreadable && reflect.DeepEqual(in(f), in(other)) &&
		slices.Equal(slices.Sorted(slices.Values(f.Broken)), slices.Sorted(slices.Values(other.Broken)))
}

// document is the text being edited: as lines, and as nodes with their lines. A change
// is made to the nodes first; then the lines of what changed are rewritten.
type document struct {
	lines []string
	eol   string
	file  File
	// whole, root and list are nil if the file has none: the document, its map, and the
	// map of the heartbeats.
	whole, root, list *yaml.Node
	listKey           *yaml.Node
	spans             map[*yaml.Node]lines // by key
	edits             []edit
	// loose is true if editing lines isn't enough: everything must be rewritten.
	loose bool
}

// lines is a half-open range of lines, from 0.
type lines struct{ from, to int }

// edit replaces lines by text.
type edit struct {
	lines
	text []string
}

func open(text []byte) (*document, error) {
	text = mended(text)
	file, problems := Parse(text)
	if file.Unreadable {
		at := problems[0]
		return nil, fault.New(fault.Conflict, "The heartbeats file has an error in line %d that must be fixed first: %s", at.Line, at.Message)
	}
	d := &document{lines: strings.SplitAfter(string(text), "\n"), eol: "\n", file: file, spans: map[*yaml.Node]lines{}}
	if last := len(d.lines) - 1; d.lines[last] == "" {
		d.lines = d.lines[:last]
	}
	if len(d.lines) > 0 && strings.HasSuffix(d.lines[0], "\r\n") {
		d.eol = "\r\n"
	}
	d.whole, _ = load(text)
	if d.whole == nil {
		return d, nil
	}
	d.root = d.whole.Content[0]
	if flow(d.root) {
		d.loose = true
	} else {
		d.measure(d.root, len(d.lines))
	}
	for key, value := range pairs(d.root) {
		if key.Value == rootKey {
			d.listKey, d.list = key, value
			break
		}
	}
	return d, nil
}

// flow reports whether a map is in flow style, or elsewhere.
func flow(n *yaml.Node) bool {
	return n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0
}

// measure finds the lines of a map's entries, and of the maps below it. Comments and empty
// lines after an entry don't belong to it, unless they are indented more than its key.
func (d *document) measure(n *yaml.Node, limit int) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		s := lines{key.Line - 1, limit}
		if i+2 < len(n.Content) {
			s.to = n.Content[i+2].Line - 1
		}
		for s.to > s.from+1 && d.outside(d.lines[s.to-1], key.Column-1) {
			s.to--
		}
		d.spans[key] = s
		if !flow(value) {
			d.measure(value, s.to)
		}
	}
}

func (d *document) outside(line string, indent int) bool {
	rest := strings.TrimLeft(line, " ")
	return strings.TrimSpace(rest) == "" || rest[0] == '#' && len(line)-len(rest) <= indent
}

func (d *document) find(name string) *yaml.Node {
	if d.list == nil {
		return nil
	}
	for key := range pairs(follow(d.list)) {
		if key.Value == name {
			return key
		}
	}
	return nil
}

// only finds a heartbeat that exists once.
func (d *document) only(name string) (*yaml.Node, error) {
	key, count := d.find(name), 0
	if key == nil {
		return nil, fault.New(fault.NotFound, "There is no heartbeat %q.", name)
	}
	for other := range pairs(follow(d.list)) {
		if other.Value == name {
			count++
		}
	}
	if count > 1 {
		return nil, fault.New(fault.Conflict, "The heartbeat %q is in the file twice. Delete one first.", name)
	}
	return key, nil
}

// value returns the value at a key of the list.
func (d *document) value(key *yaml.Node) *yaml.Node {
	list := follow(d.list)
	return list.Content[slices.Index(list.Content, key)+1]
}

// read parses as much of a heartbeat as possible.
func (d *document) read(key *yaml.Node) Spec {
	return (&reader{}).heartbeat(key, d.value(key))
}

// result creates the text, and ensures that it says what it should: by lines first,
// otherwise by rewriting everything.
func (d *document) result(want File) ([]byte, error) {
	var tries [][]byte
	if !d.loose {
		tries = append(tries, d.spliced())
	}
	if d.whole != nil {
		if whole, err := dump(d.whole); err == nil {
			tries = append(tries, whole)
		}
	}
	for _, text := range tries {
		if len(text) > MaxFile {
			return nil, fault.New(fault.TooLarge, "The heartbeats file would be larger than 1 MB.")
		}
		if got, _ := Parse(text); got.says(want) {
			return text, nil
		}
	}
	return nil, fault.New(fault.Conflict, "Parley cannot edit this heartbeats file. Change it in an editor.")
}

// spliced applies the edits to the lines.
func (d *document) spliced() []byte {
	slices.SortStableFunc(d.edits, func(a, b edit) int { return a.from - b.from })
	var out strings.Builder
	at := 0
	put := func(line string) {
		if s := out.String(); s != "" && !strings.HasSuffix(s, "\n") {
			out.WriteString(d.eol)
		}
		out.WriteString(line)
	}
	for _, e := range d.edits {
		for ; at < e.from; at++ {
			put(d.lines[at])
		}
		for _, line := range e.text {
			put(line + d.eol)
		}
		at = max(at, e.to)
	}
	for ; at < len(d.lines); at++ {
		put(d.lines[at])
	}
	return []byte(out.String())
}
