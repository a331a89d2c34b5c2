//go:build linux

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memory watches a process's memory and records its peak.
type memory struct {
	most held
	quit chan struct{}
	wg   sync.WaitGroup
}

// held is a process's memory, in bytes: all resident memory, and the part not backed by files.
type held struct{ resident, anonymous int64 }

// watch polls a process until stop.
func (m *memory) watch(pid int) {
	m.quit = make(chan struct{})
	m.wg.Go(func() {
		tick := time.NewTicker(25 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-m.quit:
				return
			case <-tick.C:
			}
			if now, err := heldBy(pid); err == nil && now.resident > m.most.resident {
				m.most = now
			}
		}
	})
}

func (m *memory) stop() {
	close(m.quit)
	m.wg.Wait()
}

func (m *memory) String() string {
	return fmt.Sprintf("%s, %s of it anonymous", megabytes(m.most.resident), megabytes(m.most.anonymous))
}

// heldBy counts page by page, which is more exact than the system's quick counters.
func heldBy(pid int) (held, error) {
	fields, err := numbers(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if errors.Is(err, fs.ErrPermission) {
		// Parley shows that only to root, see package seal.
		fields, err = numbers(fmt.Sprintf("/proc/%d/status", pid))
		return held{fields["VmRSS"] * 1024, fields["RssAnon"] * 1024}, err
	}
	return held{fields["Rss"] * 1024, fields["Anonymous"] * 1024}, err
}

// relays counts the descendants that are "parley mcp", and their private memory in bytes.
func relays(pid int) (count int, private int64, err error) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return 0, 0, err
	}
	for _, list := range lists {
		children, err := os.ReadFile(list)
		if err != nil {
			continue // the thread ended
		}
		for _, child := range strings.Fields(string(children)) {
			number, err := strconv.Atoi(child)
			if err != nil {
				return 0, 0, err
			}
			args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", number))
			if strings.HasSuffix(string(args), "\x00mcp\x00") {
				held, err := numbers(fmt.Sprintf("/proc/%d/smaps_rollup", number))
				if err != nil {
					return 0, 0, err
				}
				count++
				private += (held["Private_Clean"] + held["Private_Dirty"]) * 1024
			}
			below, more, err := relays(number)
			if err != nil {
				return 0, 0, err
			}
			count, private = count+below, private+more
		}
	}
	return count, private, nil
}

// fromDisk is how many bytes a process has read from disk.
func fromDisk(pid int) (int64, error) {
	fields, err := numbers(fmt.Sprintf("/proc/%d/io", pid))
	return fields["read_bytes"], err
}

// numbers parses the lines of a file that have a name and a number.
func numbers(path string) (map[string]int64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for line := range strings.Lines(string(b)) {
		name, rest, _ := strings.Cut(line, ":")
		var n int64
		if _, err := fmt.Sscan(rest, &n); err == nil {
			out[name] = n
		}
	}
	return out, nil
}
