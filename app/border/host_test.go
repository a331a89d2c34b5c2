//go:build linux

package border

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"parley/backend/demo"
)

// mostHeld bounds the host's private memory with two idle CLIs.
const mostHeld = 12 << 20

// All CLIs belong to one process, which does not listen anywhere. When that is killed, sessions
// report that their turns were cut off, no child survives, and they continue with another one.
func TestHost(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			gate := demo.NewGate()
			p := start(t, demo.NewRules().
				When(demo.Contains("remember"), demo.Say("Aubergine it is.")).
				When(demo.Contains("endless"), demo.Answer(demo.Text("On and ").Wait(gate).More("on."))).
				When(demo.Contains("tool"), demo.Answer(bash("sh endless.sh"))).
				When(demo.Any, demo.Say("The aubergine.")))
			talks, works := p.openWith(m{"engine": engine}), p.openWith(m{"engine": engine})
			works.write("endless.sh", endless)
			talks.turn("remember the aubergine")
			works.turn("remember the aubergine")
			host := startedBy(talks.record().PID)
			if got := startedBy(works.record().PID); got != host || startedBy(host) != p.pid {
				t.Fatalf("the CLIs belong to %d and %d", host, got)
			}
			if held := private(t, host); held > mostHeld {
				t.Errorf("the host holds %d KB", held>>10)
			} else {
				t.Logf("the host holds %d KB for itself", held>>10)
			}
			listening(t, host)

			cut, tool := talks.prompt("an endless story"), works.prompt("tool")
			<-gate.Reached()
			talks.hears(cut, "On and ")
			works.allow(works.question())
			pollFile(t, works.dir+"/begun")
			before := []int{talks.record().PID, works.record().PID}
			if err := syscall.Kill(host, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			talks.done(cut, "crashed")
			works.done(tool, "crashed")
			poll(t, "the tool of a dead CLI ends", func() bool { return len(p.running("endless.sh")) == 0 })
			for _, pid := range before {
				poll(t, "a CLI whose host is dead ends", func() bool { return syscall.Kill(pid, 0) != nil })
			}
			for _, s := range []*conversation{talks, works} {
				if got := s.turn("which one?"); got != "The aubergine." {
					t.Errorf("said %q", got)
				}
			}
			if got := startedBy(talks.record().PID); got == host || got != startedBy(works.record().PID) || startedBy(got) != p.pid {
				t.Errorf("they go on in %d", got)
			}
		})
	}
}

// listening reports a process with a socket that others could connect to.
func listening(t *testing.T, pid int) {
	t.Helper()
	own := map[string]bool{}
	folder := "/proc/" + strconv.Itoa(pid) + "/fd/"
	links, err := os.ReadDir(folder)
	if os.IsPermission(err) {
		t.Log("only root may see what the host listens on")
		return
	}
	if err != nil || len(links) == 0 {
		t.Fatalf("descriptors of %d: %v", pid, err)
	}
	for _, link := range links {
		target, _ := os.Readlink(folder + link.Name())
		if number, ok := strings.CutPrefix(target, "socket:["); ok {
			own[strings.TrimSuffix(number, "]")] = true
		}
	}
	for _, table := range []string{"unix", "tcp", "tcp6", "udp", "udp6"} {
		text, err := os.ReadFile("/proc/net/" + table)
		if err != nil {
			continue // the system has none
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			switch {
			case table == "unix" && len(fields) > 6 && own[fields[6]] && (len(fields) > 7 || fields[3] != "00000000"):
				t.Errorf("the host listens, or can be found: %s", line)
			case table != "unix" && len(fields) > 9 && own[fields[9]]:
				t.Errorf("the host is on the network: %s", line)
			}
		}
	}
}
