package toolserver

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
)

// Program is what CLI processes spawn: the small program of package relay,
// or if that was not built in or cannot be used, the whole program in its role "mcp".
// Its fields are set once; its method may be called from any goroutine.
type Program struct {
	// Whole is the path of this program.
	Whole string
	// Small holds the small program by its name, "parley-mcp", or nothing. It may be nil.
	Small fs.FS
	// Dir is a folder, created on demand, to which no command can write.
	Dir string
	Log *slog.Logger

	once sync.Once
	sum  []byte // of the small program, nil for none
	size int64

	writing sync.Mutex
}

// small is the name of the small program.
const small = "parley-mcp"

// Path returns the program's path. The program that the CLI spawns answers for the user, so
// each call verifies every byte of it: the file beside this program is used if it matches
// the built-in one, and otherwise one in Dir, which is rewritten if it doesn't match.
// The copy in Dir survives when this program's own file is replaced or removed while it runs,
// and unlike a file without a name it can be opened by processes that may not inspect this
// one.
func (p *Program) Path() string {
	p.once.Do(p.look)
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.sum == nil {
		return p.whole()
	}
	name := small
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	beside, own := filepath.Join(filepath.Dir(p.Whole), name), filepath.Join(p.Dir, name)
	switch {
	case p.intact(beside):
		return beside
	case p.intact(own):
		return own
	}
	err := p.write(own)
	if err != nil || !p.intact(own) {
		p.Log.Warn("Couldn't use the small MCP program; using the full one", "path", own, "err", err)
		return p.whole()
	}
	return own
}

// running is this process's executable, even when its file is gone.
const running = "/proc/self/exe"

// whole is the path of the whole program. If its file was removed, as by an update while
// it runs, it is a copy of the running program.
func (p *Program) whole() string {
	if _, err := os.Stat(p.Whole); !errors.Is(err, fs.ErrNotExist) {
		return p.Whole
	}
	own := filepath.Join(p.Dir, "parley")
	data, err := os.ReadFile(running)
	if err == nil {
		if err = os.MkdirAll(p.Dir, 0o700); err == nil {
			err = atomicfile.Program(own, data)
		}
	}
	if err != nil {
		p.Log.Warn("Program file is gone and couldn't be copied for the CLI; restart Parley", "path", p.Whole, "err", err)
		return p.Whole
	}
	p.Log.Warn("Program file is gone; using a copy for the CLI until Parley restarts", "path", p.Whole, "copy", own)
	return own
}

// look reads the built-in program.
func (p *Program) look() {
	if p.Small == nil {
		return
	}
	f, err := p.Small.Open(small)
	if err != nil {
		return // not built in
	}
	defer f.Close()
	hash := sha256.New()
	if p.size, err = io.Copy(hash, f); err != nil {
		p.Log.Warn("Couldn't read the small MCP program", "err", err)
		return
	}
	p.sum = hash.Sum(nil)
}

func (p *Program) write(path string) error {
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return err
	}
	data, err := fs.ReadFile(p.Small, small)
	if err != nil {
		return err
	}
	return atomicfile.Program(path, data)
}

// intact reports whether a file is the small program, executable by this user and not
// writable by others. A symlink is rejected: its target may change before it is run.
func (p *Program) intact(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != p.size || othersWrite(info) {
		return false
	}
	f, err := safeopen.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return err == nil && bytes.Equal(hash.Sum(nil), p.sum) && runnable(path)
}
