package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirect parses one redirection: the files it opens, and the text it feeds
// in.
func (r *reader) redirect(d *syntax.Redirect, p place) (files []Redirect, text string, foreign bool) {
	r.visited[d] = true
	if d.N != nil && !isNumber(d.N.Value) { // {name}> sets a variable
		r.doubt(whyNames)
	}
	switch d.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		var v value
		if d.Hdoc != nil {
			r.document(&v, d, p)
		}
		return nil, v.shape.String(), d.Hdoc != nil && variables(d.Hdoc)
	case syntax.WordHdoc:
		w := r.word(d.Word, p)
		return nil, w.Shape + "\n", variables(d.Word)
	}
	for _, w := range r.words(d.Word, p) {
		duplicate := d.Op == syntax.DplIn || d.Op == syntax.DplOut
		// The shell expands it twice, and reads ">&-x" as ">&- x".
		if duplicate && (strings.Trim(w.Text, plainName) != "" || strings.HasPrefix(w.Text, "-") && w.Text != "-") {
			r.doubt(whyExpands)
		}
		if duplicate && !w.Unknown && strings.Trim(w.Text, "0123456789-") == "" {
			continue // another descriptor
		}
		files = append(files, Redirect{Target: w, Write: d.Op != syntax.RdrIn && d.Op != syntax.DplIn})
	}
	return files, "", false
}

// variables reports whether a text depends on variables that may hold anything,
// including secrets. The output of its commands is assessed with the commands.
func variables(w *syntax.Word) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			return false
		case *syntax.ParamExp:
			found = found || n.Param == nil || n.Exp != nil || n.Repl != nil || n.Excl || !common(n.Param.Value)
		}
		return !found
	})
	return found
}

// common names the variables whose values aren't secret.
func common(name string) bool {
	switch name {
	case "HOME", "USER", "LOGNAME", "PWD", "OLDPWD", "HOSTNAME", "SHELL", "LANG", "TERM", "UID", "EUID", "SHLVL", "RANDOM", "SECONDS", "?", "#", "$", "!":
		return true
	}
	return false
}

// plainName are the file name characters without a meaning to a shell.
const plainName = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./"
