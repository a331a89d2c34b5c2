package claude

import (
	"os"
	"os/exec"
)

// pipes are the CLI's three, with Parley's ends as files that know deadlines. They
// are not exec.Cmd's own, because those are closed by Wait with data still inside.
type pipes struct {
	stdin, stdout, stderr *os.File
	child                 [3]*os.File
}

func (p *pipes) open(cmd *exec.Cmd) error {
	var err error
	if p.child[0], p.stdin, err = os.Pipe(); err != nil {
		return err
	}
	if p.stdout, p.child[1], err = os.Pipe(); err == nil {
		p.stderr, p.child[2], err = os.Pipe()
	}
	if err != nil {
		p.closeChildEnds()
		p.closeOwnEnds()
		return err
	}
	widen(p.stdout)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.child[0], p.child[1], p.child[2]
	return nil
}

func (p *pipes) closeChildEnds() { closeAll(p.child[:]) }

func (p *pipes) closeOwnEnds() { closeAll([]*os.File{p.stdin, p.stdout, p.stderr}) }

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
