package rule

import (
	"path"
	"slices"
	"strings"

	"parley/backend/permission/rule/shell"
)

// File is a file or folder that a call accesses or may access.
type File struct {
	// Name is the call's name for it.
	Name string
	// Path is its location by name, Real its location after following links; both
	// absolute. They may contain [shell.Unknown] where a pattern stands for names.
	Path, Real string
	// Read and Write are the possible accesses. Both are set if unknown.
	Read, Write bool
	// Tree is set if the access includes everything in the folder.
	Tree bool
	// Unsure is set if its real location is unknown.
	Unsure bool
}

// Locate finds a file named in a folder, whether it exists or not.
func (e Engine) Locate(dir, name string) File {
	at := e.resolver().locate(dir, name)
	return File{Name: name, Path: at.lexical, Real: at.real, Unsure: at.unsure}
}

// Inside reports whether a file is in a folder, both by name and really.
func (e Engine) Inside(dir string, f File) bool {
	at := e.resolver().locate(dir, ".")
	return !at.unsure && !f.Unsure && below(at.real, f.Real) && (below(at.lexical, f.Path) || below(at.real, f.Path))
}

// Touched lists everything in a command that may be a file it reads or writes,
// including redirections and the program itself. cwd is for commands whose folder is
// unknown.
func (e Engine) Touched(cwd string, c shell.Command) []File {
	v := e.resolver()
	// These act on a link itself, or only show names.
	itself := slices.Contains([]string{"rm", "rmdir", "unlink", "trash", "mv", "ls", "du", "readlink", "basename", "dirname", "echo", "printf"}, c.Name())
	through := follows(c)
	dirs := c.Dirs
	if len(dirs) == 0 {
		dirs = []string{cwd}
	}
	var out []File
	add := func(w shell.Word, a access) {
		if !a.read && !a.write {
			return
		}
		for _, name := range namesIn(w) {
			for _, dir := range dirs {
				at := v.locate(dir, name)
				out = append(out, File{name, at.lexical, at.real, a.read, a.write, a.tree, at.unsure})
				if itself && !through {
					continue
				}
				for _, link := range v.reached(w, at, through) {
					out = append(out, File{link.lexical, link.lexical, link.real, a.read, a.write, a.tree, link.unsure})
				}
			}
		}
	}
	a := accessOf(c)
	a.write = a.write || a.guess
	words := c.Words(0)
	for i, w := range words {
		if i > 0 {
			add(w, a)
		}
	}
	for _, w := range backups(c) {
		add(w, access{write: true, tree: true})
	}
	if (through || c.Name() == "find") && unplaced(c.Args()) {
		add(shell.Plain("."), a)
	}
	if c.Name() == "ln" { // without a second name, it links into the current folder
		for _, w := range words[1:] {
			if !w.Unknown {
				add(shell.Plain("./"+path.Base(w.Shape)), access{write: true})
			}
		}
	}
	if len(words) > 2 && (c.Name() == "cp" || c.Name() == "install") { // into a folder, which may contain a link of that name
		last := words[len(words)-1]
		for _, w := range words[1 : len(words)-1] {
			if !last.Unknown && !w.Unknown && !strings.HasPrefix(w.Text, "-") {
				add(shell.Plain(last.Shape+"/"+path.Base(w.Shape)), access{write: true})
			}
		}
	}
	for _, r := range c.Redirects {
		for _, dir := range dirs {
			at := v.locate(dir, r.Target.Shape)
			out = append(out, File{r.Target.Shape, at.lexical, at.real, !r.Write, r.Write, false, at.unsure})
		}
	}
	return out
}
