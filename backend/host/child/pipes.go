package child

import (
	"os"
	"os/exec"
)

// pipes are the CLI's three streams. They aren't exec.Cmd's own: Wait closes those
// with unread data, and other programs could open them, see pair.
type pipes struct {
	stdin, stderr *os.File
	stdout        *source
	child         [3]*os.File
	// spare are passed to the CLI too, see keepOpen.
	spare []*os.File
}

func (p *pipes) open(cmd *exec.Cmd) error {
	var err error
	if p.stdin, p.child[0], err = openStream("stdin", true); err != nil {
		return err
	}
	if p.stdout, p.child[1], err = newSource(); err == nil {
		p.stderr, p.child[2], err = openStream("stderr", false)
	}
	if err != nil {
		p.closeChildEnds()
		p.closeOwnEnds()
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.child[0], p.child[1], p.child[2]
	p.spare = keepOpen(p.stdout, p.stderr)
	cmd.ExtraFiles = p.spare
	return nil
}

func (p *pipes) closeChildEnds() {
	closeAll(p.child[:])
	closeAll(p.spare)
}

func (p *pipes) closeOwnEnds() {
	closeAll([]*os.File{p.stdin, p.stderr})
	if p.stdout != nil {
		p.stdout.close()
	}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
