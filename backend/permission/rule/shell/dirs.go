package shell

import "slices"

// dirs are the folders a command may run in. An empty list means unknown; gone
// means that it is never reached, as after exit.
type dirs struct {
	list  []string
	moved bool
	gone  bool
}

// after is the shell's folder after a statement, depending on its success.
type after struct{ ok, fail dirs }

func same(d dirs) after { return after{d, d} }

// both returns the shell's folder regardless of the statement's success.
func (a after) both() dirs { return a.ok.or(a.fail) }

func (a after) or(b after) after { return after{a.ok.or(b.ok), a.fail.or(b.fail)} }

func (d dirs) or(e dirs) dirs {
	switch {
	case d.gone:
		return e
	case e.gone:
		return d
	case len(d.list) == 0 || len(e.list) == 0:
		return dirs{moved: true}
	}
	out := dirs{list: slices.Clone(d.list), moved: d.moved || e.moved}
	for _, dir := range e.list {
		if !slices.Contains(out.list, dir) {
			out.list = append(out.list, dir)
		}
	}
	if len(out.list) > maxDirs {
		return dirs{moved: true}
	}
	return out
}

func (d dirs) equal(e dirs) bool {
	return d.gone == e.gone && slices.Equal(d.list, e.list)
}
