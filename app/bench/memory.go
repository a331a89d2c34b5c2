//go:build linux

package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// memory watches what a process holds, and keeps the most it ever was.
type memory struct {
	most held
	quit chan struct{}
	wg   sync.WaitGroup
}

// held is what a process holds, in bytes: all that is resident, and what of it is
// not a file's.
type held struct{ resident, anonymous int64 }

// watch looks at a process until stop.
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

// heldBy counts page by page, which the quick figures of the system do not.
func heldBy(pid int) (held, error) {
	fields, err := numbers(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	return held{fields["Rss"] * 1024, fields["Anonymous"] * 1024}, err
}

// fromDisk is how many bytes a process has had read from the disk.
func fromDisk(pid int) (int64, error) {
	fields, err := numbers(fmt.Sprintf("/proc/%d/io", pid))
	return fields["read_bytes"], err
}

// numbers reads the lines of a file that have a name and a number.
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
