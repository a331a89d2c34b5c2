package rule

import (
	"encoding/json"
	"strings"
	"time"

	"parley/backend/permission/rule/shell"
)

// decision is the state of deciding one call.
type decision struct {
	set   *Set
	call  Call
	now   time.Time
	kind  kind
	input map[string]json.RawMessage
	links *resolver
	// relinked is set if the command creates links itself, so that file locations
	// aren't known before it runs.
	relinked bool
}

// Decide returns the rules' verdict on a call at a time.
func (s *Set) Decide(call Call, now time.Time) Verdict {
	d := &decision{set: s, call: call, now: now, links: s.engine.Bounded().resolver()}
	var field string
	d.kind, field = kindOf(call.Tool)
	if json.Unmarshal(call.Input, &d.input) != nil {
		return d.unread("Parley could not read the input.")
	}
	general := d.general()
	switch d.kind {
	case kindShell:
		return d.shell(general)
	case kindRead, kindEdit:
		name, ok := d.text(field)
		if !ok && (call.Tool == "Grep" || call.Tool == "Glob") {
			name, ok = ".", true
		}
		if !ok {
			return d.orDenied(general, "It has no file path.")
		}
		return d.file(general, name)
	case kindWeb:
		if address, ok := d.text(field); ok {
			return d.web(general, address)
		}
		return d.orDenied(general, "It has no address.")
	default:
		return d.one(general)
	}
}

// text returns a text field of the input.
func (d *decision) text(field string) (string, bool) {
	var s string
	raw, ok := d.input[field]
	if !ok || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// unread is the verdict on a call that can't be parsed.
func (d *decision) unread(why string) Verdict {
	return Verdict{Effect: Ask, Why: why, Unclear: true}
}

func (d *decision) orDenied(general found, why string) Verdict {
	for _, list := range [][]entry{d.set.shell, d.set.read, d.set.edit, d.set.web} {
		for _, e := range list {
			if e.rule.Effect == Deny && e.rule.Pattern == "" && e.rule.about(d.call.Tool) && e.rule.Holds(d.call, d.now) {
				general.add(e.rule)
			}
		}
	}
	if p := general.part(""); len(general.deny) > 0 {
		return verdictOf(p)
	}
	return d.unread(why)
}

func (d *decision) one(general found) Verdict { return verdictOf(general.part("")) }

func verdictOf(p Part) Verdict {
	return Verdict{Effect: p.Effect, Matched: p.Matched, Why: p.Why, Wide: p.Wide}
}

// general finds the rules that only check the tool and the plain fields of its
// input.
func (d *decision) general() found {
	var f found
	check := func(e entry) {
		switch {
		case !e.rule.Holds(d.call, d.now):
		case e.bad:
			f.perhaps = append(f.perhaps, e.rule)
		case e.rule.Pattern == "":
			f.add(e.rule)
		default:
			d.param(&f, e.rule)
		}
	}
	tool := d.call.Tool
	for _, e := range d.set.byTool[tool] {
		check(e)
	}
	if d.kind == kindMCP {
		if server, _, ok := strings.Cut(strings.TrimPrefix(tool, "mcp__"), "__"); ok {
			for _, e := range d.set.byTool["mcp__"+server] {
				check(e)
			}
		}
		for _, text := range texts(d.call.Input) {
			d.guarded(&f, text)
		}
	}
	if tool == "Task" || tool == "Agent" { // one tool with two names
		for _, e := range d.set.byTool[map[string]string{"Task": "Agent", "Agent": "Task"}[tool]] {
			check(e)
		}
	}
	for _, e := range d.set.wild {
		if fits(e.rule.Tool, tool) {
			check(e)
		}
	}
	for _, list := range [][]entry{d.set.shell, d.set.read, d.set.edit, d.set.web} {
		for _, e := range list {
			if e.rule.Effect != Allow && e.rule.Tool == tool && strings.Contains(e.rule.Pattern, ":") && e.rule.Holds(d.call, d.now) {
				d.param(&f, e.rule)
			}
		}
	}
	return f
}

// param checks rules of the form Tool(field:value), and those that name an
// agent or a skill.
func (d *decision) param(f *found, r Rule) {
	_, own := kindOf(d.call.Tool)
	if value, ok := d.text(own); ok && d.kind == kindOther && value == r.Pattern {
		f.add(r)
		return
	}
	if r.Effect == Allow {
		return
	}
	name, want, ok := strings.Cut(r.Pattern, ":")
	name, want = strings.TrimSpace(name), strings.TrimSpace(want)
	raw, given := d.input[name]
	if !ok || !given || name == own && d.kind != kindOther {
		return
	}
	value := string(raw)
	var s string
	if json.Unmarshal(raw, &s) == nil {
		value = s
	}
	if fits(want, value) {
		f.add(r)
	}
}

// guarded finds text that names paths denied by built-in rules.
func (d *decision) guarded(f *found, text string) {
	for _, root := range d.set.guard {
		if d.mentions(text, root) {
			for _, e := range d.set.edit {
				if e.rule.Source == Builtin && e.rule.Effect == Deny && e.path.fixed("/") == root {
					f.deny = append(f.deny, e.rule)
				}
			}
		}
	}
}

// mentions reports whether text contains a path, in any spelling of home.
func (d *decision) mentions(text, root string) bool {
	fold2 := func(s string) string {
		if d.set.engine.FoldCase {
			return fold(s)
		}
		return s
	}
	has := func(s string) bool {
		t, s := fold2(text), fold2(s)
		for i := strings.Index(t, s); i >= 0; {
			end := i + len(s)
			if end == len(t) || !isNameByte(t[end]) {
				return true
			}
			next := strings.Index(t[end:], s)
			if next < 0 {
				return false
			}
			i = end + next
		}
		return false
	}
	if has(root) {
		return true
	}
	home := d.set.engine.Home
	if rest, ok := strings.CutPrefix(root, home+"/"); ok && home != "" {
		return has("~/"+rest) || has("$HOME/"+rest) || has("${HOME}/"+rest)
	}
	return false
}

func isNameByte(c byte) bool {
	return c >= 0x80 || c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// texts returns all texts in a JSON value.
func texts(raw json.RawMessage) []string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return out
}

// file decides about a tool that reads or changes one file or folder.
func (d *decision) file(f found, name string) Verdict {
	at := d.links.locate(d.call.CWD, name)
	a := access{read: true}
	list := d.set.read
	if d.kind == kindEdit {
		a, list = access{write: true}, d.set.edit
	}
	switch d.call.Tool {
	case "Grep", "Glob":
		a.tree = true
		if pattern, ok := d.text("pattern"); ok && d.call.Tool == "Glob" && (strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~") || strings.Contains(pattern, "..")) {
			d.reach(&f, d.links.locate(at.lexical, globRoot(pattern)), a)
			at.unsure = true
		}
	}
	d.reach(&f, at, a)
	for _, e := range list {
		if e.rule.Effect == Allow && e.rule.Holds(d.call, d.now) {
			d.allowsFile(&f, e, at)
		}
	}
	v := d.one(f)
	if at.unsure && v.Effect == Ask {
		v.Unclear = true
	}
	return v
}

// globRoot returns a file pattern up to its first wildcard.
func globRoot(pattern string) string {
	i := strings.IndexAny(pattern, "*?[{")
	if i < 0 {
		return pattern
	}
	return pattern[:strings.LastIndexByte(pattern[:i], '/')+1]
}

// allowsFile adds an allow rule that covers this tool and file.
func (d *decision) allowsFile(f *found, e entry, at file) {
	switch {
	case e.rule.Pattern == "":
		if e.rule.Tool == d.call.Tool && !at.unsure {
			f.allows(e.rule, false)
		}
	case e.rule.Tool == "Read" || e.rule.Tool == "Edit" || e.rule.Tool == d.call.Tool:
		d.allowsPath(f, e, at, d.kind == kindEdit)
	}
}

// allowsPath adds an allow rule whose pattern matches a file. Only a rule that
// names it may allow changing a file that other programs run later.
func (d *decision) allowsPath(f *found, e entry, at file, write bool) {
	if !e.path.strict(d.links, d.call.CWD, at) {
		return
	}
	wide := !e.path.names(d.set.engine, d.call.CWD, at)
	if wide && write && (IsExecutedLater(d.set.engine.Home, at.lexical) || IsExecutedLater(d.set.engine.Home, at.real)) {
		f.later = true
		return
	}
	f.allows(e.rule, wide)
}

// reach finds the ask and deny rules for accessed files.
func (d *decision) reach(f *found, at file, a access) {
	look := func(list []entry, does, guess bool) {
		for _, e := range list {
			if e.rule.Effect == Allow || !does && !guess || !e.rule.Holds(d.call, d.now) {
				continue
			}
			switch {
			case e.bad:
				f.perhaps = append(f.perhaps, e.rule)
			case e.rule.Pattern == "":
				d.bare(f, e.rule, does && a.write)
			case e.path.loose(d.links, d.call.CWD, at):
				if (does || e.rule.Source == Builtin) && !strings.ContainsRune(at.lexical, shell.Unknown) {
					f.add(e.rule)
				} else {
					f.perhaps = append(f.perhaps, e.rule)
				}
			case a.tree && e.path.inside(d.links, d.call.CWD, at):
				if does && a.write {
					f.add(e.rule)
				} else {
					f.perhaps = append(f.perhaps, e.rule)
				}
			}
		}
	}
	look(d.set.read, a.read, a.guess)
	look(d.set.edit, a.write, a.guess)
}

// bare checks a rule for all uses of a file tool. A rule for Read or Edit covers all
// tools of its kind, and may cover a shell command that changes files.
func (d *decision) bare(f *found, r Rule, writes bool) {
	k, _ := kindOf(r.Tool)
	switch {
	case r.Tool == d.call.Tool, k == d.kind && (r.Tool == "Read" || r.Tool == "Edit"):
		f.add(r)
	case d.kind == kindShell && k == kindEdit && writes:
		f.perhaps = append(f.perhaps, r)
	}
}

// web decides about an address.
func (d *decision) web(f found, address string) Verdict {
	host, sure := hostOf(address)
	for _, e := range d.set.web {
		if e.rule.Tool != d.call.Tool || !e.rule.Holds(d.call, d.now) {
			continue
		}
		switch {
		case e.bad:
			f.perhaps = append(f.perhaps, e.rule)
		case e.rule.Pattern == "":
			if sure || e.rule.Effect != Allow {
				f.add(e.rule)
			}
		case e.host == "":
		case host != "" && fitsHost(e.host, host) && e.rule.Effect != Allow:
			f.add(e.rule)
		case host != "" && fitsHost(e.host, host) && sure:
			f.allows(e.rule, strings.Contains(e.host, "*"))
		case !sure && e.rule.Effect != Allow:
			f.perhaps = append(f.perhaps, e.rule)
		}
	}
	v := d.one(f)
	if !sure && v.Effect == Ask {
		v.Unclear, v.Why = true, "It is unclear where this address leads."
	}
	return v
}
