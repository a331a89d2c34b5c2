package process

import "os"

// terminate ends a process: there is no gentler way for one without a console.
func terminate(p *os.Process) error { return p.Kill() }
