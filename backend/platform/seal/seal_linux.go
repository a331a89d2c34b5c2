package seal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// seal is the system-specific part. Its result must be closed, and may be nil.
func seal() (*wiper, error) {
	// Only its owner may open it, which will be root.
	mem, memErr := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	err := errors.Join(
		os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)),
		os.NewSyscallError("setrlimit", unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})),
	)
	if memErr != nil {
		return nil, err // there may be no /proc
	}
	w := &wiper{mem: mem}
	if w.start, w.block, memErr = initial(mem); memErr != nil {
		w.close()
		return nil, errors.Join(err, memErr)
	}
	return w, err
}

// wiper overwrites values in the process's initial environment.
type wiper struct {
	mem *os.File
	// block is the environment at start.
	start int64
	block []byte
}

// maxBlock bounds the environment, in bytes; the system's own limit is lower.
const maxBlock = 16 << 20

// The indexes in stat of the environment's start and end, counted after the
// name.
const statEnvStart, statEnvEnd = 50 - 3, 51 - 3

// initial reads the process's initial environment.
func initial(mem *os.File) (start int64, block []byte, err error) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, nil, err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= statEnvEnd {
		return 0, nil, errors.New("the system does not say where the environment is")
	}
	start, err = strconv.ParseInt(string(fields[statEnvStart]), 10, 64)
	end, endErr := strconv.ParseInt(string(fields[statEnvEnd]), 10, 64)
	if err = errors.Join(err, endErr); err != nil {
		return 0, nil, err
	}
	if end < start || end-start > maxBlock {
		return 0, nil, fmt.Errorf("the environment claims to have %d bytes", end-start)
	}
	block = make([]byte, end-start)
	_, err = mem.ReadAt(block, start)
	return start, block, err
}

// value overwrites every value of a variable.
func (w *wiper) value(name, value string) error {
	pair := []byte("\x00" + name + "=" + value + "\x00")
	whole := behindZero(w.block)
	for at := 0; ; {
		i := bytes.Index(whole[at:], pair)
		if i < 0 {
			return nil
		}
		at += i + 1 // the pair's position in whole, one more than in the block
		from := int64(at - 1 + len(name) + 1)
		if _, err := w.mem.WriteAt(bytes.Repeat([]byte("x"), len(value)), w.start+from); err != nil {
			return fmt.Errorf("overwrite a secret in the environment: %w", err)
		}
	}
}

// behindZero returns the block with a leading zero byte, so that the first variable is
// like all others.
func behindZero(block []byte) []byte { return append([]byte{0}, block...) }

func (w *wiper) close() {
	clear(w.block)
	_ = w.mem.Close()
}
