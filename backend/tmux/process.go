package tmux

import (
	"path/filepath"
	"slices"
	"strings"
)

// process is the relevant part of a system process.
type process struct {
	pid, parent int
	// group is its process group, foreground its terminal's foreground group.
	group, foreground int
	name              string
	// argv is read on demand.
	argv func() []string
}

// inFront reports whether its terminal's input goes to it.
func (p *process) inFront() bool { return p.group == p.foreground }

// findCLI finds the CLI among a process and its descendants, preferring the one in the
// foreground. also is the path of one with another name, "" for none.
func findCLI(all map[int][]process, root process, also string) (found process, ok bool) {
	waiting, seen := []process{root}, map[int]bool{}
	for len(waiting) > 0 {
		p := waiting[0]
		waiting = waiting[1:]
		if seen[p.pid] {
			continue
		}
		seen[p.pid] = true
		if isCLI(p, also) {
			if p.inFront() {
				return p, true
			}
			if !ok {
				found, ok = p, true
			}
		}
		waiting = append(waiting, all[p.pid]...)
	}
	return found, ok
}

// isCLI reports whether a process is the CLI: by its own title, by the program's
// name, or by the script that a JavaScript runtime runs.
func isCLI(p process, also string) bool {
	if p.name == "claude" {
		return true
	}
	argv := p.argv()
	if len(argv) == 0 {
		return false
	}
	if base := filepath.Base(argv[0]); base == "claude" || base == "claude.exe" || also != "" && argv[0] == also {
		return true
	}
	if !slices.Contains([]string{"node", "bun", "deno"}, filepath.Base(argv[0])) {
		return false
	}
	for _, arg := range argv[1:] {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		return filepath.Base(arg) == "claude" || strings.HasSuffix(arg, "/@anthropic-ai/claude-code/cli.js") || also != "" && arg == also
	}
	return false
}
