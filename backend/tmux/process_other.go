//go:build !linux

package tmux

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// processes asks ps for the processes: by id, and by parent.
func processes() (byID map[int]process, children map[int][]process, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ps", "-axww", "-o", "pid=,ppid=,pgid=,tpgid=,args=").Output()
	if err != nil {
		return nil, nil, fmt.Errorf("list processes: %w", err)
	}
	byID, children = map[int]process{}, map[int][]process{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(fields[i])
		}
		argv := fields[4:]
		p := process{pid: n[0], parent: n[1], group: n[2], foreground: n[3], name: filepath.Base(argv[0]), argv: func() []string { return argv }}
		byID[p.pid] = p
		children[p.parent] = append(children[p.parent], p)
	}
	return byID, children, nil
}
