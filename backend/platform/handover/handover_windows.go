package handover

import "os"

// Take returns nil: nothing is handed over here.
func Take() (*Given, error) { return nil, nil } //nolint:nilnil // there is nothing

// Exec starts a program and ends this one: nothing can be handed over. It only returns
// on failure.
func (g *Given) Exec(path string, args, environ []string) error {
	streams := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	if _, err := os.StartProcess(path, args, &os.ProcAttr{Env: environ, Files: streams}); err != nil {
		return err
	}
	os.Exit(0)
	return nil
}
