package rule

import (
	"errors"
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"parley/backend/permission/rule/shell"
)

// errLinks is for cyclic links.
var errLinks = errors.New("too many symbolic links")

// errProcess is for links whose target depends on the process that follows them.
var errProcess = errors.New("a link that depends on who follows it")

// resolver follows links during one decision.
type resolver struct {
	engine Engine
	links  map[string]string // path to the target of its link, "" for none
	known  map[*pathPattern]*standing
}

func (e Engine) resolver() *resolver {
	return &resolver{engine: e, links: map[string]string{}, known: map[*pathPattern]*standing{}}
}

// key returns a name's canonical form: names of the same file have the same
// key.
func (e Engine) key(name string) string {
	if e.FoldCase {
		return fold(name)
	}
	return name
}

// file is a path with its real location.
type file struct {
	lexical, real       string
	lexicalKey, realKey string
	unsure              bool // the real location is unknown
	process             bool // because it depends on the process
}

// locate finds a file named in a folder. The name may have holes.
func (v *resolver) locate(dir, name string) file {
	windows := ofWindows(name)
	if name == "~" || strings.HasPrefix(name, "~/") {
		if v.engine.Home == "" {
			return v.unsure(name)
		}
		name = v.engine.Home + name[1:]
	}
	if !path.IsAbs(name) {
		if !path.IsAbs(dir) {
			return v.unsure(name)
		}
		name = dir + "/" + name
	}
	real, err := v.real(name)
	if err != nil {
		real = path.Clean(name)
	}
	f := file{lexical: path.Clean(name), real: real, unsure: err != nil || windows, process: errors.Is(err, errProcess) && !ownStream(path.Clean(name))}
	f.lexicalKey, f.realKey = v.engine.key(f.lexical), v.engine.key(f.real)
	return f
}

// ownStream reports whether a file is one of a command's own streams.
func ownStream(name string) bool {
	switch name {
	case "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	number, ok := strings.CutPrefix(name, "/dev/fd/")
	return ok && strings.Trim(number, "0123456789") == ""
}

func (v *resolver) unsure(name string) file {
	key := v.engine.key(name)
	return file{lexical: name, real: name, lexicalKey: key, realKey: key, unsure: true}
}

// real follows all links in an absolute path. What doesn't exist stays as it is.
func (v *resolver) real(name string) (string, error) {
	todo := strings.Split(name, "/")
	at, hops := "", 0
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = at[:max(strings.LastIndexByte(at, '/'), 0)]
			continue
		}
		next := at + "/" + part
		if at == "/proc" && strings.Trim(part, "0123456789") == "" || next == "/proc/self" || next == "/proc/thread-self" {
			return "", errProcess
		}
		target, err := v.link(next)
		if err != nil {
			return "", err
		}
		if target == "" {
			at = next
			continue
		}
		if hops++; hops > 40 {
			return "", errLinks
		}
		if path.IsAbs(target) {
			at = ""
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	if at == "" {
		return "/", nil
	}
	return at, nil
}

func (v *resolver) link(name string) (string, error) {
	if v.engine.Readlink == nil || strings.ContainsRune(name, shell.Unknown) {
		return "", nil
	}
	if target, ok := v.links[name]; ok {
		return target, nil
	}
	target, err := v.engine.Readlink(name)
	if err != nil {
		return "", err
	}
	v.links[name] = target
	return target, nil
}

// below reports whether a path is dir or inside it.
func below(dir, name string) bool {
	return name == dir || dir == "/" && strings.HasPrefix(name, "/") || strings.HasPrefix(name, dir+"/")
}

// fold unifies names of the same file on file systems that ignore case and Unicode
// form.
func fold(s string) string {
	ascii := true
	for i := range len(s) {
		if s[i] >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(s)
	}
	s = strings.Map(func(c rune) rune {
		if c != shell.Unknown && unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, s)
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}

func splitPath(name string) []string {
	return strings.FieldsFunc(name, func(c rune) bool { return c == '/' })
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c > unicode.MaxASCII }) < 0
}
