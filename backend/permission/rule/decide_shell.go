package rule

import (
	"slices"
	"strings"

	"parley/backend/permission/rule/shell"
)

// shell decides about a shell command, part by part.
func (d *decision) shell(general found) Verdict {
	source, ok := d.text("command")
	if !ok {
		return d.orDenied(general, "There is no command.")
	}
	if d.call.Tool == "PowerShell" {
		return d.powershell(general, source)
	}
	script := shell.Read(source, shell.Env{Dir: d.call.CWD, Home: d.set.engine.Home})
	v := Verdict{Effect: Allow, Unclear: len(script.Doubts) > 0}
	doubts := script.Doubts
	whole := general
	d.wholeText(&whole, source)
	if len(whole.deny)+len(whole.ask)+len(whole.perhaps) > 0 {
		v.take(whole.part(source))
	}
	for _, c := range script.Commands {
		d.relinked = d.relinked || c.Name() == "ln" || c.Name() == "link" || c.Name() == "mount" || len(d.links.moved(d.call.CWD, c)) > 0
	}
	for i, parts := range d.commands(script.Commands) {
		c := script.Commands[i]
		for _, p := range parts {
			v.Parts = append(v.Parts, p)
			v.take(p)
			v.Wide = v.Wide || p.Wide
		}
		v.Unclear, doubts = v.Unclear || len(c.Doubts) > 0 || len(c.Dirs) == 0, append(doubts, c.Doubts...)
	}
	switch {
	case v.Effect == Allow && len(script.Doubts) > 0:
		v.Effect, v.Matched, v.Why = Ask, nil, unread(doubts[0])
	case v.Effect == Allow && len(v.Matched) == 0:
		v.Effect, v.Why = Ask, whyNone
	case v.Effect == Ask && len(v.Matched) == 0 && len(doubts) > 0:
		v.Why = unread(doubts[0])
	}
	v.Matched, v.Wide = unique(v.Matched), v.Wide && v.Effect == Allow
	if v.Effect == Allow && len(v.Parts) > 1 {
		v.Why = "Rules allow every part of it."
	}
	return v
}

// commands decides about each command, and allows read-only ones beside one that a
// rule allows, such as "| tail -3", because they don't change what was allowed.
func (d *decision) commands(all []shell.Command) [][]Part {
	list, allowed := make([][]Part, len(all)), false
	for i, c := range all {
		list[i] = d.command(c)
		for _, p := range list[i] {
			allowed = allowed || p.Effect == Allow && len(p.Matched) > 0
		}
	}
	if !allowed || d.set.engine.Reads == nil {
		return list
	}
	for i, c := range all {
		if len(list[i]) == 1 && list[i][0].Why == whyNone && d.set.engine.Reads(d.call, c) {
			list[i][0].Effect, list[i][0].Why = Allow, "Only reads, and a rule allows another part."
		}
	}
	return list
}

// unread returns why a command is in doubt.
func unread(why string) string {
	return "Parley could not read the whole command: " + strings.ToLower(why[:1]) + why[1:]
}

// take adds the verdict on a part: the strictest wins.
func (v *Verdict) take(p Part) {
	switch {
	case strength(p.Effect) > strength(v.Effect), v.Effect == Ask && p.Effect == Ask && len(v.Matched) == 0 && len(p.Matched) > 0:
		v.Effect, v.Matched, v.Why = p.Effect, p.Matched, p.Why
	case p.Effect == v.Effect:
		for _, r := range p.Matched {
			if !slices.Contains(v.Matched, r) {
				v.Matched = append(slices.Clip(v.Matched), r)
			}
		}
		if v.Why == "" {
			v.Why = p.Why
		}
	}
}

func strength(e Effect) int {
	switch e {
	case Deny:
		return 2
	case Ask:
		return 1
	}
	return 0
}

// wholeText finds rules that match the command as written.
func (d *decision) wholeText(f *found, source string) {
	d.guarded(f, source)
	text := strings.TrimSpace(source)
	for _, e := range d.set.shell {
		if e.rule.Effect == Allow || !e.rule.about(d.call.Tool) || !e.rule.Holds(d.call, d.now) {
			continue
		}
		switch {
		case e.bad:
			f.perhaps = append(f.perhaps, e.rule)
		case e.command.wild != "" && e.command.wildFits(text), e.command.wild == "" && e.command.exact == text && !e.command.prefix:
			f.add(e.rule)
		}
	}
}

// command decides about one command and the files it writes with >.
func (d *decision) command(c shell.Command) []Part {
	var f found
	d.forbidden(&f, c)
	d.filesOf(&f, c)
	for _, w := range c.Words(0) {
		d.guarded(&f, w.Text)
		d.named(&f, w.Text)
	}
	for _, a := range c.Assigns {
		d.guarded(&f, a.Value.Text)
	}
	d.guarded(&f, c.Stdin)
	d.named(&f, c.Stdin)

	why := ""
	switch {
	case len(c.Doubts) > 0:
		why = c.Doubts[0]
	case len(c.Dirs) == 0:
		why = "It is unclear which folder it runs in."
	}
	moved := c.Moved && !d.stays(c)
	text := c.Text()
	p := f.part(text)
	if p.Effect == Ask && len(p.Matched) == 0 {
		switch {
		case why != "":
			p.Why = why
		case c.Carrier:
			p = Part{Text: text, Effect: Allow, Why: "Only starts the commands listed with it."}
		default:
			d.allowed(&f, c, moved)
			switch p = f.part(text); {
			case p.Effect == Allow:
			case harmless(c):
				p = d.harmless(c, text)
			case moved:
				p.Why = "Changes to another folder first."
			}
		}
	}
	var parts []Part
	if text != "" {
		parts = append(parts, p)
	} else if p.Effect != Allow {
		p.Text = d.assigned(c)
		parts = append(parts, p)
	}
	for _, r := range c.Redirects {
		if q, ok := d.redirect(c, r); ok {
			parts = append(parts, q)
		}
	}
	return parts
}

func (d *decision) assigned(c shell.Command) string {
	var names []string
	for _, a := range c.Assigns {
		names = append(names, a.Name+"="+a.Value.Quoted())
	}
	return strings.Join(names, " ")
}

// harmless decides about a command without effects outside the shell. A cd is
// harmless as long as it stays in the session's folder.
func (d *decision) harmless(c shell.Command, text string) Part {
	if c.Name() != "cd" {
		return Part{Text: text, Effect: Allow, Why: "Does nothing on its own."}
	}
	args := c.Args()
	if len(args) == 2 && !args[1].Unknown && !args[1].Glob {
		for _, dir := range c.Dirs {
			if !d.inSession(dir, args[1].Text) {
				return Part{Text: text, Effect: Ask, Why: "Changes to another folder."}
			}
		}
		return Part{Text: text, Effect: Allow, Why: "Stays in the session's folder."}
	}
	return Part{Text: text, Effect: Ask, Why: "Changes to another folder."}
}

// inSession reports whether a folder is in the session's, after following
// links.
func (d *decision) inSession(dir, name string) bool {
	cwd, at := d.links.locate(d.call.CWD, "."), d.links.locate(dir, name)
	return !cwd.unsure && !at.unsure && below(cwd.real, at.real) && (below(cwd.lexical, at.lexical) || below(cwd.real, at.lexical))
}

func (d *decision) stays(c shell.Command) bool {
	for _, dir := range c.Dirs {
		if !d.inSession(dir, ".") {
			return false
		}
	}
	return true
}

// maxGuessed is how many words are searched for a command that may be among them.
const maxGuessed = 64

// forbidden finds the ask and deny rules for commands.
func (d *decision) forbidden(f *found, c shell.Command) {
	if len(c.Words(0)) == 0 {
		return
	}
	var sure, guesses []form
	vague := false // it may be anything
	for i, layer := range c.Layers {
		words := c.Words(i)
		if len(words) == 0 {
			continue
		}
		sure = append(sure, newForm(words))
		if base := shell.Base(words[0].Text); base != words[0].Text && !words[0].Unknown {
			sure = append(sure, newForm(append([]shell.Word{shell.Plain(base)}, words[1:]...)))
		}
		if j := gitVerb(words); words[0].Text == "git" && j > 1 && j < len(words) {
			sure = append(sure, newForm(append([]shell.Word{words[0]}, words[j:]...)))
		}
		if layer.Guessed && len(words) > maxGuessed {
			vague = true
		} else if layer.Guessed {
			for j := 1; j < len(words); j++ {
				guesses = append(guesses, newForm(words[j:]))
				if base := shell.Base(words[j].Text); base != words[j].Text {
					guesses = append(guesses, newForm(append([]shell.Word{shell.Plain(base)}, words[j+1:]...)))
				}
				if strings.Contains(words[j].Text, " ") {
					for _, inner := range shell.Read(words[j].Text, shell.Env{}).Commands {
						guesses = append(guesses, newForm(inner.Words(0)))
					}
				}
			}
		}
	}
	for _, e := range d.set.shell {
		if e.rule.Effect == Allow || e.bad || !e.rule.about(d.call.Tool) || !e.rule.Holds(d.call, d.now) {
			continue
		}
		if e.rule.Pattern == "" {
			f.add(e.rule)
			continue
		}
		switch fitting := e.command; {
		case anyForm(sure, fitting.loose):
			f.add(e.rule)
		case vague, anyForm(sure, fitting.possible), anyForm(guesses, fitting.loose), anyForm(guesses, fitting.possible):
			f.perhaps = append(f.perhaps, e.rule)
		}
	}
}

func anyForm(forms []form, test func(form) bool) bool {
	for _, f := range forms {
		if test(f) {
			return true
		}
	}
	return false
}

// allowed finds the allow rules for a command. A rule for the command inside a
// wrapper only suffices if the wrapper changes nothing. In a folder other than the
// session's, only a rule for all commands counts.
func (d *decision) allowed(f *found, c shell.Command, moved bool) {
	var forms []form
	for i, layer := range c.Layers {
		if words := c.Words(i); len(words) > 0 {
			forms = append(forms, newForm(words))
		}
		if !layer.Transparent {
			break
		}
	}
	for _, e := range d.set.shell {
		if e.rule.Effect != Allow || e.rule.Tool != d.call.Tool || !e.rule.Holds(d.call, d.now) {
			continue
		}
		if e.rule.Pattern == "" || !moved && anyForm(forms, e.command.strict) {
			f.allows(e.rule, e.command.prefix || e.command.wild != "")
		}
	}
}

// powershell only sees a command's words: rules can deny it but never allow it.
func (d *decision) powershell(f found, source string) Verdict {
	lower := strings.ToLower(source)
	d.guarded(&f, source)
	for _, piece := range append(strings.FieldsFunc(lower, func(c rune) bool { return strings.ContainsRune(";|&\n{}()", c) }), lower) {
		fields := strings.Fields(piece)
		plain := strings.Join(fields, " ")
		words := make([]shell.Word, len(fields))
		for i, text := range fields {
			words[i] = shell.Plain(text)
		}
		for _, e := range d.set.shell {
			if e.rule.Effect == Allow || e.rule.Tool != d.call.Tool || !e.rule.Holds(d.call, d.now) {
				continue
			}
			p := newCommandPattern(strings.ToLower(e.rule.Pattern))
			p.order = newOrdered(p)
			if e.bad || e.rule.Pattern == "" || p.loose(form{words: words, plain: plain, quoted: plain}) {
				f.add(e.rule)
			}
		}
	}
	f.allow = nil
	v := d.one(f)
	v.Unclear = true
	if v.Effect == Ask && len(v.Matched) == 0 {
		v.Why = "Parley cannot check PowerShell commands."
	}
	return v
}
