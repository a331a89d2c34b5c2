//go:build !linux

package process

import (
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// table lists the processes. Names and usage are read later, only for Parley's
// own.
func table() ([]entry, error) {
	pids, err := process.Pids()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	entries := make([]entry, 0, len(pids))
	for _, pid := range pids {
		p := &process.Process{Pid: pid}
		parent, err := p.Ppid()
		if err != nil {
			continue
		}
		if id, ok := current(int(pid)); ok {
			entries = append(entries, entry{id: id, parent: int(parent), started: time.UnixMilli(int64(id.Start))})
		}
	}
	return entries, nil
}

// detail reads what table omits. What the system doesn't provide stays zero.
func (e *entry) detail() {
	p := &process.Process{Pid: int32(e.id.PID)}
	e.name, _ = p.Name()
	if times, err := p.Times(); err == nil {
		e.cpu = time.Duration((times.User + times.System) * float64(time.Second))
	}
	if memory, err := p.MemoryInfo(); err == nil && memory.RSS <= math.MaxInt64 {
		e.bytes = int64(memory.RSS)
	}
}

func self() (ID, error) {
	id, ok := current(os.Getpid())
	if !ok {
		return ID{}, fmt.Errorf("the system does not say when this process started")
	}
	return id, nil
}

// current returns the id of the process that has a pid now.
func current(pid int) (ID, bool) {
	if pid < 0 || pid > math.MaxInt32 {
		return ID{}, false
	}
	p := &process.Process{Pid: int32(pid)}
	ms, err := p.CreateTime()
	if err != nil || ms < 0 {
		return ID{}, false
	}
	return ID{pid, uint64(ms)}, true
}

// Gone reports whether a process has certainly ended.
func (id ID) Gone() bool {
	there, err := process.PidExists(int32(id.PID))
	if err != nil || !there {
		return err == nil
	}
	now, ok := current(id.PID)
	return ok && now != id
}

// environ reads a process's initial environment: KEY=value, each followed by a
// zero byte, nil if the system doesn't provide it.
func environ(pid int) []byte {
	p := &process.Process{Pid: int32(pid)}
	env, err := p.Environ()
	if err != nil {
		return nil
	}
	return []byte(strings.Join(env, "\x00"))
}
