package rule

import (
	"path"
	"slices"
	"strings"

	"parley/backend/permission/rule/shell"
)

// maxFollowed is how many folders are searched for links that a command would follow.
const maxFollowed = 1000

// maxLooked is how many folders one decision searches for links in total.
const maxLooked = 2 * maxFollowed

// Bounded returns the engine for one decision: it searches no more folders than a
// user would wait for. Anything beyond counts as unknown.
func (e Engine) Bounded() Engine {
	if look := e.Folder; look != nil {
		left := maxLooked
		e.Folder = func(dir string) (links, folders []string, all bool) {
			if left--; left < 0 {
				return nil, nil, false
			}
			return look(dir)
		}
	}
	return e
}

// follows reports whether a command follows the links in its folders.
func follows(c shell.Command) bool {
	has := func(options ...string) bool { return hasOption(c.Args(), options...) }
	switch c.Name() {
	case "grep", "egrep", "fgrep", "zgrep", "rgrep":
		return has("-R", "--dereference-recursive")
	case "diff": // it recurses even without -r
		return !has("--no-dereference")
	case "find", "gfind":
		return has("-L", "-follow")
	case "rg", "fd", "fdfind":
		return has("-L", "--follow")
	case "ag", "ack":
		return has("-f", "--follow")
	case "tree":
		return has("-l")
	case "ls":
		return has("-L", "--dereference") && has("-R", "--recursive")
	case "du", "rsync", "chmod", "chown", "chgrp":
		return has("-L", "-H", "-D", "-k", "--dereference", "--copy-links", "--copy-unsafe-links", "--copy-dirlinks", "--keep-dirlinks")
	case "tar", "bsdtar", "gtar":
		return has("-h", "-L", "--dereference") || len(c.Args()) > 1 && c.Args()[1].Text != "" && c.Args()[1].Text[0] != '-' && strings.ContainsAny(c.Args()[1].Text, "hL")
	case "scp":
		return has("-r")
	case "zip":
		return !has("-y", "--symlinks")
	case "7z":
		return true
	case "cp":
		return has("-L", "-H", "--dereference")
	}
	return false
}

// operands lists, for programs that work in the current folder unless a word names
// another, how many words it takes to name one, and which option letters take no value.
var operands = []struct {
	programs string
	count    int
	letters  string
}{
	{"grep egrep fgrep zgrep rgrep", 2, "RrnilEFGPwxcosqHhvIaz"},
	{"rg", 2, "LnilwxcosqvFPaINSu"}, {"fd fdfind", 2, "LHIsiglapu0"}, {"ag ack", 2, "filvwcns"},
	{"tree", 1, "adfilpsuDFh"}, {"ls", 1, "LRlahtrS1dFi"}, {"du", 1, "LHDshackm0xl"},
}

// unplaced reports whether a command may work in its current folder because no word
// certainly names another.
func unplaced(words []shell.Word) bool {
	if len(words) == 0 {
		return false
	}
	name := shell.Base(words[0].Text)
	if name == "find" || name == "gfind" {
		i := 1
		for i < len(words) && slices.Contains([]string{"-H", "-L", "-P"}, words[i].Text) {
			i++
		}
		return i == len(words) || strings.HasPrefix(words[i].Text, "-") || words[i].Text == "(" || words[i].Text == "!"
	}
	for _, line := range operands {
		if !slices.Contains(strings.Fields(line.programs), name) {
			continue
		}
		found := 0
		for i, w := range words[1:] {
			before := words[i]
			if !strings.HasPrefix(w.Text, "-") && (i == 0 || !strings.HasPrefix(before.Text, "-") || before.Text == "--" || strings.Trim(before.Text, line.letters) == "-") {
				found++
			}
		}
		return found < line.count
	}
	return false
}

// movesLinks reports whether a command may move or copy the links of a folder to
// another place.
func movesLinks(c shell.Command) bool {
	switch c.Name() {
	case "cp":
		return hasOption(c.Args(), "-r", "-R", "-a", "-d", "-P", "--recursive", "--archive", "--no-dereference")
	case "mv", "rsync":
		return true
	}
	return false
}

// linksBelow returns the links in a folder, and those in their targets. A folder that
// can't be searched completely is unsure.
func (v *resolver) linksBelow(top file) []file {
	if v.engine.Folder == nil || top.unsure || strings.ContainsRune(top.real, shell.Unknown) {
		return nil
	}
	var out []file
	todo, seen := []string{top.real}, map[string]bool{top.real: true}
	for len(todo) > 0 {
		dir := todo[0]
		todo = todo[1:]
		links, folders, all := v.engine.Folder(dir)
		if !all || len(seen) > maxFollowed {
			top.unsure = true
			return append(out, top)
		}
		for i, name := range append(slices.Clip(links), folders...) {
			at := path.Join(dir, name)
			if i < len(links) {
				link := v.locate("/", at)
				out = append(out, link)
				at = link.real
			}
			if !seen[at] {
				seen[at] = true
				todo = append(todo, at)
			}
		}
	}
	return out
}

// reached returns the files that a command accesses in addition to the one a word
// names.
func (v *resolver) reached(w shell.Word, at file, through bool) []file {
	var out []file
	if w.Glob && v.engine.Folder != nil {
		out = v.linksOf(at)
	}
	if through {
		for _, start := range append(slices.Clip(out), at) {
			out = append(out, v.linksBelow(start)...)
		}
	}
	return out
}

// elsewhere lists, per program, the options whose file names are in a file or come from
// another program instead of being words of the command. "@" is a word that starts with it,
// "." the program as such. A verb follows a dot.
var elsewhere = []struct{ programs, options string }{
	{"md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum shasum sum", "-c --check"},
	{"wc sort du", "--files0-from"}, {"find gfind", "-files0-from"}, {"file", "-f --files-from"}, {"date", "-f --file"},
	{"tar bsdtar gtar", "-T --files-from"}, {"rsync", "--files-from --filter --include-from --exclude-from"}, {"zip", "-@"}, {"7z 7za 7zr", "@"}, {"cpio pax", "."},
	{"xargs gxargs parallel", "."},
	{"git", "--pathspec-from-file --stdin --stdin-paths --from-file"}, {"git.cat-file", "--batch --batch-check --batch-command"},
	{"wget aria2c", "-i --input-file"}, {"ctags etags", "-L -"}, {"cscope", "-i"}, {"cloc", "--list-file"}, {"clang-format", "--files"},
	{"convert magick mogrify identify montage gs", "@"}, {"patch", "."},
}

// NamesElsewhere reports whether a command accesses files whose names aren't words of
// it.
func NamesElsewhere(words []shell.Word) bool {
	if len(words) == 0 {
		return false
	}
	name, verb := shell.Base(words[0].Text), ""
	if i := gitVerb(words); i < len(words) {
		verb = words[i].Text
	}
	for _, line := range elsewhere {
		for program := range strings.FieldsSeq(line.programs) {
			program, of, _ := strings.Cut(program, ".")
			if program != name || of != "" && of != verb {
				continue
			}
			for option := range strings.FieldsSeq(line.options) {
				if option == "." || option == "@" && slices.ContainsFunc(words[1:], func(w shell.Word) bool { return strings.HasPrefix(w.Text, "@") }) ||
					option != "@" && hasOption(words[1:], option) {
					return true
				}
			}
		}
	}
	return false
}

// ofWindows reports whether a name has a Windows form: with a drive letter or the name of
// another computer. Only Windows knows where it leads.
func ofWindows(name string) bool {
	if strings.HasPrefix(name, `\\`) {
		host, rest, ok := strings.Cut(name[2:], `\`)
		return ok && host != "" && rest != ""
	}
	if len(name) < 3 || name[1] != ':' || name[0]|0x20 < 'a' || name[0]|0x20 > 'z' {
		return false
	}
	return name[2] == '\\' || name[2] == '/' && !strings.Contains(name[2:], ":")
}

// Moved lists the targets of the links that a command moves or copies: whoever reads them
// at their new place accesses the targets.
func (e Engine) Moved(cwd string, c shell.Command) []File {
	var out []File
	for _, at := range e.resolver().moved(cwd, c) {
		out = append(out, File{Name: at.lexical, Path: at.lexical, Real: at.real, Read: true, Unsure: at.unsure})
	}
	return out
}

func (v *resolver) moved(cwd string, c shell.Command) []file {
	if !movesLinks(c) {
		return nil
	}
	dirs := c.Dirs
	if len(dirs) == 0 {
		dirs = []string{cwd}
	}
	var out []file
	for _, w := range c.Args()[1:] {
		for _, name := range namesIn(w) {
			for _, dir := range dirs {
				at := v.locate(dir, name)
				if over := v.locate("/", path.Dir(at.lexical)); at.real != path.Join(over.real, path.Base(at.lexical)) {
					out = append(out, at) // a link itself
				}
				out = append(out, v.reached(w, at, true)...)
			}
		}
	}
	return out
}
