package tmux

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// processes lists those with a terminal by id, and those without by parent.
func processes() (byID map[int]process, children map[int][]process, err error) {
	names, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, nil, fmt.Errorf("list processes: %w", err)
	}
	byID, children = map[int]process{}, map[int][]process{}
	for _, name := range names {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // it ended in the meantime
		}
		if p, ok := parseStat(stat); ok {
			byID[p.pid] = p
			children[p.parent] = append(children[p.parent], p)
		}
	}
	return byID, children, nil
}

// parseStat parses a line of /proc/<pid>/stat. The name is in parentheses and may
// contain anything, so fields are counted after the last one.
func parseStat(stat []byte) (process, bool) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(stat[:open])))
	fields := strings.Fields(string(stat[end+1:])) // the first is the third of the manual page
	if err != nil || len(fields) < 6 || fields[0] == "Z" || fields[0] == "X" {
		return process{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(fields[i-3])
		return n
	}
	return process{
		pid: pid, parent: number(4), group: number(5), foreground: number(8), name: string(stat[open+1 : end]),
		argv: func() []string { return argvOf(pid) },
	}, true
}

func argvOf(pid int) []string {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil || len(raw) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
}
