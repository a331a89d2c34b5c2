package rule

import (
	"path"
	"strings"

	"parley/backend/permission/rule/shell"
)

// filesOf finds the ask and deny rules for a command's files.
func (d *decision) filesOf(f *found, c shell.Command) {
	a := accessOf(c)
	a.through = follows(c)
	words := c.Words(0)
	for i, w := range words {
		use := a
		if i == 0 { // the program itself
			if !strings.Contains(w.Text, "/") {
				continue
			}
			use = access{read: true}
		}
		d.names(f, c, w, use)
	}
	if len(words) > 0 && (a.tree && len(words) < 3 || (a.tree || a.through) && unplaced(c.Args())) {
		d.names(f, c, shell.Plain("."), access{read: a.read, guess: a.guess, tree: true, through: a.through})
	}
	for _, w := range backups(c) {
		d.names(f, c, w, access{write: true, tree: true})
	}
	if NamesElsewhere(c.Args()) {
		d.unnamed(f, a)
	}
	for _, v := range c.Assigns {
		d.names(f, c, v.Value, access{guess: true})
	}
	for _, r := range c.Redirects {
		for _, dir := range c.Dirs {
			if !r.Write && !r.Target.Unknown {
				at := d.links.locate(dir, r.Target.Shape)
				d.reach(f, at, access{read: true})
				if at.process {
					d.unnamed(f, access{read: true})
				}
			}
		}
	}
}

// unnamed finds the ask and deny rules for files: a command that doesn't name its files
// may access any.
func (d *decision) unnamed(f *found, a access) {
	for i, list := range [][]entry{d.set.read, d.set.edit} {
		for _, e := range list {
			if e.rule.Effect != Allow && (i == 0 || a.write || a.guess) && e.rule.Holds(d.call, d.now) {
				f.perhaps = append(f.perhaps, e.rule)
			}
		}
	}
}

// names finds the ask and deny rules for the files that a word may name.
func (d *decision) names(f *found, c shell.Command, w shell.Word, a access) {
	if !a.read && !a.write && !a.guess {
		return
	}
	dirs := c.Dirs
	if len(dirs) == 0 {
		dirs = []string{d.call.CWD}
	}
	for _, name := range namesIn(w) {
		for _, dir := range dirs {
			at := d.links.locate(dir, name)
			d.reach(f, at, a)
			if at.process {
				d.unnamed(f, a)
			}
			for _, link := range d.links.reached(w, at, a.through) {
				d.reach(f, link, access{guess: true, tree: a.tree})
				if link.unsure {
					d.unnamed(f, a)
				}
			}
		}
	}
}

// redirect decides about a file that the shell writes. ok is false if there is
// nothing to report.
func (d *decision) redirect(c shell.Command, r shell.Redirect) (Part, bool) {
	if !r.Write {
		return Part{}, false
	}
	w := r.Target
	text := "> " + w.Quoted()
	if w.Unknown || w.Glob || len(c.Dirs) == 0 && !path.IsAbs(w.Text) {
		return Part{Text: text, Effect: Ask, Why: "The file it writes is only known when it runs."}, true
	}
	switch w.Text {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty":
		return Part{}, false
	}
	if w.Process {
		return Part{}, false
	}
	var f found
	dirs := c.Dirs
	if len(dirs) == 0 {
		dirs = []string{"/"}
	}
	all := found{exact: true}
	missing := false
	for _, dir := range dirs {
		at := d.links.locate(dir, w.Text)
		d.reach(&f, at, access{write: true})
		var one found
		for _, e := range d.set.edit {
			if e.rule.Effect == Allow && e.rule.Pattern != "" && e.rule.Tool == "Edit" && e.rule.Holds(d.call, d.now) {
				d.allowsPath(&one, e, at, true)
			}
		}
		missing, f.later = missing || len(one.allow) == 0, f.later || one.later
		all.allow, all.exact = append(all.allow, one.allow...), all.exact && one.exact
	}
	if !missing && d.relinked {
		return Part{Text: text, Effect: Ask, Why: "A link created earlier in the command may redirect this file."}, true
	}
	if !missing {
		f.allow, f.exact = all.allow, all.exact
	}
	p := f.part(text)
	if p.Effect == Ask && len(p.Matched) == 0 && !f.later {
		p.Why = "It writes a file, and no rule matches that."
	}
	return p, true
}

// named finds the ask and deny rules for files named inside text, such as an
// interpreter's program. What it does with them is unknown.
func (d *decision) named(f *found, text string) {
	if !strings.Contains(text, "/") || !strings.ContainsAny(text, " '\"(,;<\n`") {
		return
	}
	for _, list := range [][]entry{d.set.read, d.set.edit} {
		for _, e := range list {
			if e.rule.Effect == Allow || e.bad || e.path.anchor > anchorHome || !e.rule.Holds(d.call, d.now) {
				continue
			}
			root := e.path.root(d.set.engine, d.call.CWD)
			if root == "" {
				continue
			}
			if fixed := e.path.fixed(root); fixed != "/" && fixed != d.set.engine.Home && d.mentions(text, fixed) {
				f.perhaps = append(f.perhaps, e.rule)
			}
		}
	}
}
