package child

import "os"

// terminate ends the CLI: there is no gentler way for a process without a
// console.
func terminate(p *os.Process) error { return p.Kill() }

func exitStatus(state *os.ProcessState) (int, string) { return state.ExitCode(), "" }
