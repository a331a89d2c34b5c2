//go:build linux

package border

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/backend/demo"
)

// Tokens and keys are where they belong, and nowhere else: not in a command line,
// not on disk, not in the log or in events (which every test checks), and the
// gateway's not in the environment of anything that the model can run.
func TestSecrets(t *testing.T) {
	t.Parallel()
	p := startWith(t, demo.NewQueue(demo.Answer(bash("sh endless.sh")), demo.Say("Done.")),
		setup{args: []string{"--verbose"}})
	s := p.open()
	s.write("endless.sh", endless)
	turn := s.prompt("run it")
	s.allow(s.question())
	pollFile(t, s.dir+"/begun")

	processes := p.processes()
	cli := slices.IndexFunc(processes, func(proc process) bool { return proc.pid == s.record().PID })
	if cli < 0 || len(p.running("endless.sh")) == 0 {
		t.Fatalf("the CLI or its tool is not among %d processes", len(processes))
	}
	toolToken := processes[cli].get("PARLEY_MCP_TOKEN")
	if len(toolToken) < 32 {
		t.Fatalf("the CLI's token has %d bytes", len(toolToken))
	}
	p.mu.Lock()
	p.secrets = append(p.secrets, toolToken)
	p.mu.Unlock()
	relays := 0
	for _, proc := range processes {
		line := strings.Join(proc.args, " ")
		for _, secret := range p.secrets {
			if strings.Contains(line, secret) {
				t.Errorf("a secret in the arguments of %s", proc.args[0])
			}
		}
		if strings.Contains(strings.Join(proc.env, " "), p.token) {
			t.Errorf("the gateway's token in the environment of %s", line)
		}
		if len(proc.args) > 1 && proc.args[1] == "mcp" {
			relays++
		}
	}
	if relays != 1 {
		t.Errorf("%d relays for one session", relays)
	}
	s.interrupt(turn)

	for _, dir := range []string{"data", "tmp", "home", "work"} {
		p.searchFiles(p.path(dir), p.token, toolToken)
	}
}

// searchFiles reports files that contain a secret.
func (p *parley) searchFiles(root string, secrets ...string) {
	p.t.Helper()
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, secret := range secrets {
			if strings.Contains(string(content), secret) {
				p.t.Errorf("a secret in the file %s", path)
			}
		}
		return err
	})
	if err != nil {
		p.t.Error(err)
	}
}

// A command of the model cannot answer its own request: nothing in its
// environment gives access to Parley.
func TestCommandCannotAnswerItself(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Answer(bash("sh forge.sh")), demo.Say("I tried.")))
	s := p.open()
	// The relay, run by a tool: with the tool's environment.
	s.write("forge.sh", `( sleep 1 ) | "`+program+`" mcp > forged.out 2> forged.err; echo $? > forged`)
	turn := s.prompt("forge it")
	s.allow(s.question())
	s.done(turn, "completed")
	if code := strings.TrimSpace(pollFile(t, s.dir+"/forged")); code == "0" {
		said, _ := os.ReadFile(s.dir + "/forged.err")
		t.Errorf("a tool connected to Parley: exit code %s, %s", code, said)
	}
	if log := p.stderr.String(); !strings.Contains(log, "rejected a connection") {
		t.Errorf("nobody was refused; log:\n%s", log)
	}
	if out, err := os.ReadFile(s.dir + "/forged.out"); err != nil || len(out) > 0 {
		t.Errorf("a tool got an answer: %q (%v)", out, err)
	}
}
