package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// tick is the unit of times in /proc, the same on every architecture that Go
// supports.
const tick = 10 * time.Millisecond

// statSize exceeds a line of /proc/<pid>/stat.
const statSize = 4 << 10

// table lists the processes that have not ended.
func table() ([]entry, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	boot, err := bootTime()
	if err != nil {
		return nil, err
	}
	buf := make([]byte, statSize)
	entries := make([]entry, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		e, err := look(pid, boot, buf)
		switch {
		case err == nil:
			entries = append(entries, e)
		case errors.Is(err, errEnded) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM): // another user's
		default:
			return nil, fmt.Errorf("list processes: %w", err) // without it, what it owns would look abandoned
		}
	}
	return entries, nil
}

// bootTime returns when the computer started, by the current clock.
func bootTime() (time.Time, error) {
	var up unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &up); err != nil {
		return time.Time{}, fmt.Errorf("read the time since the start of the machine: %w", err)
	}
	return time.Now().Add(-time.Duration(up.Nano())), nil
}

// errEnded means that a process has ended; other read errors don't.
var errEnded = errors.New("the process has ended")

// look reads one process.
func look(pid int, boot time.Time, buf []byte) (e entry, err error) {
	// During an exec a process looks ended while its first thread goes, and briefly like one
	// without other threads. The second look is reliable.
	for range 2 {
		var stat []byte
		stat, err = readInto("/proc/"+strconv.Itoa(pid)+"/stat", buf)
		switch {
		case errors.Is(err, unix.ENOENT):
			return entry{}, errEnded
		case errors.Is(err, unix.ESRCH):
			err = errEnded
		case err != nil:
			return entry{}, err
		default:
			if e, err = parseStat(pid, boot, stat); err == nil {
				return e, nil
			}
		}
	}
	return entry{}, err
}

// Gone reports whether a process has certainly ended.
func (id ID) Gone() bool {
	e, err := look(id.PID, time.Time{}, make([]byte, statSize))
	return errors.Is(err, errEnded) || err == nil && e.id != id
}

// readInto reads the start of a small file. It uses raw system calls, because
// os.File costs more than the read.
func readInto(path string, buf []byte) ([]byte, error) {
	fd, err := retry(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n, err := retry(func() (int, error) { return unix.Read(fd, buf) })
	return buf[:max(n, 0)], err
}

func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

var errStat = errors.New("the system describes a process in a form that is not known")

// parseStat parses a line of /proc/<pid>/stat. The name is in parentheses and may
// contain anything, so fields are counted after the last one.
func parseStat(pid int, boot time.Time, stat []byte) (entry, error) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open || len(stat) < end+2 {
		return entry{}, errStat
	}
	// fields[0] is the third field of the manual page.
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 22 {
		return entry{}, errStat
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(string(fields[i-3]), 10, 64)
		return n
	}
	// Its first thread may have ended without the others.
	if state := fields[0][0]; (state == 'Z' || state == 'X') && number(20) < 2 {
		return entry{}, errEnded
	}
	ticks := number(22)
	return entry{
		id: ID{pid, uint64(ticks)}, parent: int(number(4)), name: string(stat[open+1 : end]),
		started: boot.Add(time.Duration(ticks) * tick),
		cpu:     time.Duration(number(14)+number(15)) * tick,
	}, nil
}

func self() (ID, error) {
	id, ok := current(os.Getpid())
	if !ok {
		return ID{}, errors.New("the system does not say when this process started")
	}
	return id, nil
}

// current returns the id of the process that has a pid now.
func current(pid int) (ID, bool) {
	e, err := look(pid, time.Time{}, make([]byte, statSize))
	return e.id, err == nil
}

// environ reads a process's initial environment: KEY=value, each followed by a
// zero byte. It is nil for another user's process, and for one in another pid
// namespace, such as a container, where pids have another meaning.
func environ(pid int) []byte {
	dir := "/proc/" + strconv.Itoa(pid)
	space, err := os.Readlink(dir + "/ns/pid")
	if err != nil {
		return nil
	}
	if own, err := os.Readlink("/proc/self/ns/pid"); err != nil || own != space {
		return nil
	}
	env, err := os.ReadFile(dir + "/environ")
	if err != nil {
		return nil
	}
	return env
}

// detail reads the resident memory, which the table doesn't have: the value in
// stat lags behind, and is 0 for a small process.
func (e *entry) detail() {
	statm, err := readInto("/proc/"+strconv.Itoa(e.id.PID)+"/statm", make([]byte, 128))
	if fields := bytes.Fields(statm); err == nil && len(fields) > 1 {
		pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
		e.bytes = pages * int64(os.Getpagesize())
	}
}
