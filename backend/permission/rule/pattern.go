package rule

import (
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"parley/backend/permission/rule/shell"
)

// pathPattern is the pattern of a Read or Edit rule, with gitignore
// semantics: a folder matches everything in it, a bare name all files of that
// name.
type pathPattern struct {
	anchor anchor
	base   string   // of anchorBase
	segs   []string // "**" for any number of folders
	keys   []string // segs in the form used to compare names
}

type anchor int

const (
	anchorRoot anchor = iota
	anchorHome
	anchorBase
	anchorCWD
)

func (e Engine) newPathPattern(r Rule) *pathPattern {
	text := r.Pattern
	p := &pathPattern{anchor: anchorCWD, base: r.Base}
	switch {
	case strings.HasPrefix(text, "//"):
		p.anchor, text = anchorRoot, text[2:]
	case text == "~" || strings.HasPrefix(text, "~/"):
		p.anchor, text = anchorHome, text[1:]
	case strings.HasPrefix(text, "/"):
		p.anchor, text = anchorBase, text[1:]
	default:
		text = strings.TrimPrefix(text, "./")
		if !strings.Contains(strings.TrimSuffix(text, "/"), "/") && text != "" && text != ".." {
			p.segs = []string{"**"}
		}
	}
	for _, seg := range strings.Split(text, "/") {
		if seg != "" && seg != "." {
			p.segs = append(p.segs, seg)
		}
	}
	for len(p.segs) > 1 && p.segs[len(p.segs)-1] == "**" {
		p.segs = p.segs[:len(p.segs)-1]
	}
	for _, seg := range p.segs {
		p.keys = append(p.keys, e.key(seg))
	}
	return p
}

// root returns the folder the pattern is relative to, "" if unknown.
func (p *pathPattern) root(e Engine, cwd string) string {
	switch p.anchor {
	case anchorRoot:
		return "/"
	case anchorHome:
		return e.Home
	case anchorBase:
		if p.base != "" {
			return p.base
		}
	}
	return cwd
}

// fixed returns the folder or file that the pattern names before its first
// wildcard.
func (p *pathPattern) fixed(root string) string {
	for _, seg := range p.segs {
		plain, ok := literal(seg)
		if !ok {
			break
		}
		root = path.Join(root, plain)
	}
	return root
}

// literal returns a segment without backslashes, and false if it has wildcards.
func literal(seg string) (string, bool) {
	if !strings.ContainsAny(seg, `*?[\`) {
		return seg, true
	}
	var b strings.Builder
	for i := 0; i < len(seg); i++ {
		switch seg[i] {
		case '*', '?', '[':
			return "", false
		case '\\':
			if i++; i == len(seg) {
				return b.String(), true
			}
		}
		b.WriteByte(seg[i])
	}
	return b.String(), true
}

// match reports whether a path below root matches. Both are keys.
func match(keys []string, root, name string) bool {
	if !below(root, name) {
		return false
	}
	return matchSegs(keys, splitPath(name[len(strings.TrimSuffix(root, "/")):]))
}

// matchSegs reports whether a pattern matches a path or one of its parent
// folders.
func matchSegs(segs, parts []string) bool {
	// reach[j] means that the pattern up to here matches parts[:j].
	reach := make([]bool, len(parts)+1)
	reach[0] = true
	for _, seg := range segs {
		next := make([]bool, len(parts)+1)
		if seg == "**" {
			for j := range next {
				next[j] = reach[j] || j > 0 && next[j-1]
			}
		} else {
			for j, part := range parts {
				next[j+1] = reach[j] && matchSeg(seg, part)
			}
		}
		reach = next
	}
	for _, ok := range reach {
		if ok {
			return true
		}
	}
	return false
}

func matchSeg(seg, part string) bool {
	if strings.ContainsRune(part, shell.Unknown) {
		if strings.HasPrefix(part, string(shell.Unknown)) && strings.HasPrefix(seg, ".") {
			return false // shell patterns don't match hidden files
		}
		return could(roughly(seg), part)
	}
	if !strings.ContainsAny(seg, `*?[\`) {
		return seg == part
	}
	ok, err := path.Match(seg, part)
	return ok || err != nil && seg == part
}

// roughly returns a pattern with only * that matches at least the same.
func roughly(seg string) string {
	if i := strings.IndexAny(seg, `[\`); i >= 0 {
		seg = seg[:i] + "*"
	}
	return strings.ReplaceAll(seg, "?", "*")
}

// standing is a pattern's location on the computer, for one decision.
type standing struct {
	root, fixed, real string // keys; real is fixed after following links
	below             []string
	// trusted is root after following links, if only the user can have created
	// them, and trustedKeys the pattern for names below it.
	trusted     string
	trustedKeys []string
	nowhere     bool
}

// stand locates a pattern.
func (v *resolver) stand(p *pathPattern, cwd string) *standing {
	if s, ok := v.known[p]; ok {
		return s
	}
	s := &standing{}
	v.known[p] = s
	root := p.root(v.engine, cwd)
	if root == "" {
		s.nowhere = true
		return s
	}
	fixed := p.fixed(root)
	real, err := v.real(fixed)
	if err != nil {
		real = fixed
	}
	s.root, s.fixed, s.real = v.engine.key(root), v.engine.key(fixed), v.engine.key(real)
	s.below = p.keys[len(splitPath(fixed))-len(splitPath(root)):]
	// Home and the session's folder may be links and are trusted. No other
	// folder in a pattern is followed: whoever replaced it with a link could
	// choose what the rule allows.
	if p.anchor != anchorRoot {
		if real, err := v.real(root); err == nil && real != root {
			s.trusted, s.trustedKeys = v.engine.key(real), p.keys
		}
		return s
	}
	for _, trusted := range []string{cwd, v.engine.Home} {
		if trusted == "" || !below(trusted, fixed) {
			continue
		}
		if real, err := v.real(trusted); err == nil && real != trusted {
			s.trusted, s.trustedKeys = v.engine.key(real), p.keys[len(splitPath(trusted)):]
			break
		}
	}
	return s
}

// strict reports whether the pattern matches a file, for allow rules: both its
// name and its real location must match.
func (p *pathPattern) strict(v *resolver, cwd string, f file) bool {
	s := v.stand(p, cwd)
	if f.unsure || s.nowhere {
		return false
	}
	fitsAny := func(name string) bool {
		return match(p.keys, s.root, name) || s.trusted != "" && match(s.trustedKeys, s.trusted, name)
	}
	return fitsAny(f.lexicalKey) && fitsAny(f.realKey)
}

// loose reports whether the pattern matches a file, for deny and ask rules: by its
// name or by its real location, also through links in the pattern.
func (p *pathPattern) loose(v *resolver, cwd string, f file) bool {
	s := v.stand(p, cwd)
	if s.nowhere {
		return false
	}
	for _, name := range []string{f.lexicalKey, f.realKey} {
		ascii := isASCII(name) // a hole isn't
		if ascii && !below(s.fixed, name) && !below(s.real, name) {
			continue
		}
		if match(p.keys, s.root, name) || s.real != s.fixed && match(s.below, s.real, name) {
			return true
		}
		if !ascii {
			var keys []string
			for _, k := range p.keys {
				keys = append(keys, norm.NFC.String(k))
			}
			if match(keys, norm.NFC.String(s.root), norm.NFC.String(name)) {
				return true
			}
		}
	}
	return false
}

// names reports whether the pattern names the file itself, or a folder of files that
// are run later, rather than just matching it.
func (p *pathPattern) names(e Engine, cwd string, f file) bool {
	if len(p.segs) == 0 {
		return false
	}
	if last, ok := literal(p.segs[len(p.segs)-1]); ok && e.key(last) == path.Base(f.lexicalKey) {
		return true
	}
	root := p.root(e, cwd)
	return root != "" && !IsExecutedLater(e.Home, root) && IsExecutedLater(e.Home, p.fixed(root))
}

// inside reports whether what the pattern names is in a folder.
func (p *pathPattern) inside(v *resolver, cwd string, f file) bool {
	s := v.stand(p, cwd)
	if s.nowhere {
		return false
	}
	for _, dir := range []string{f.lexicalKey, f.realKey} {
		if below(dir, s.fixed) || below(dir, s.real) {
			return true
		}
	}
	return false
}
