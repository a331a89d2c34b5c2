package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"parley/backend/fault"
	"parley/backend/relay/access"
	"parley/backend/relay/port"
	"parley/backend/replace"
)

const (
	// chatConfigFile is where it is kept what was decided about the chat, in the data folder.
	chatConfigFile = "chat.json"
	// maxChatFile is more than such a file may have, in bytes.
	maxChatFile = 1<<20 + 1
)

// chatFile is what was decided about the chat, in a file that people may edit. What
// cannot be understood changes nothing: what was understood last holds, until somebody
// puts it right. Its methods may be called from any goroutine.
type chatFile struct {
	path string
	log  *slog.Logger

	mu sync.Mutex
	// config holds; revision names the file as it is on the disk.
	config   port.ChatConfig
	revision string
	// problem is why the file does not hold, nil when it does.
	problem error
	seen    fileStamp
}

func stampOfFile(path string) fileStamp {
	info, err := os.Stat(path)
	if err != nil {
		return fileStamp{}
	}
	return fileStamp{info.ModTime(), info.Size()}
}

func openChatFile(dir string, log *slog.Logger) *chatFile {
	f := &chatFile{path: filepath.Join(dir, chatConfigFile), log: log, config: access.Normalise(port.ChatConfig{})}
	f.load()
	return f
}

// get is what holds, which nobody may change, with the file's revision and what is wrong
// with the file.
func (f *chatFile) get() (c port.ChatConfig, revision string, problem error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.config, f.revision, f.problem
}

// holds is what holds.
func (f *chatFile) holds() port.ChatConfig {
	c, _, _ := f.get()
	return c
}

// look reads the file if it looks different, and says whether anything is another than before.
func (f *chatFile) look() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if stampOfFile(f.path) == f.seen {
		return false
	}
	before := f.revision
	f.load()
	return f.revision != before
}

// load reads the file. The caller holds mu, or is the only one.
func (f *chatFile) load() {
	f.seen = stampOfFile(f.path)
	text, err := readChatFile(f.path)
	if err != nil {
		if f.problem == nil {
			f.log.Warn("The configuration of the chat cannot be read", "file", f.path, "err", err)
		}
		f.problem = fault.Wrap(err, fault.Unavailable, "What was decided about the chat cannot be read from %s. Check that it is a file and that you may read it.", f.path)
		return
	}
	revision := revisionOf(text)
	if revision == f.revision {
		return
	}
	f.revision = revision
	if text == nil {
		f.config, f.problem = access.Normalise(port.ChatConfig{}), nil
		return
	}
	c, err := access.Decode(text)
	if err != nil {
		f.log.Warn("The configuration of the chat is not used as it is", "file", f.path, "err", fault.MessageOf(err))
		f.problem = fault.Wrap(err, fault.Invalid, "%s What held before holds on. The file is %s.", fault.MessageOf(err), f.path)
		return
	}
	f.config, f.problem = c, nil
}

func revisionOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// readChatFile returns nil for a file that is not there.
func readChatFile(path string) ([]byte, error) {
	r, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxChatFile))
}

// set replaces what was decided, if the file is still the one of a revision. A file that
// could not be understood is kept beside it.
func (f *chatFile) set(c port.ChatConfig, revision string) error {
	c = access.Normalise(c)
	if err := access.Validate(c); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.load()
	if f.revision != revision {
		return fault.New(fault.Conflict, "What was decided about the chat was changed meanwhile. Look at what it says now, and try again.")
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if err = f.setAside(); err == nil {
		err = replace.Private(f.path, text)
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "What was decided about the chat cannot be kept in %s. Check the disk and the folder's permissions.", f.path)
	}
	f.config, f.problem, f.revision, f.seen = c, nil, revisionOf(text), stampOfFile(f.path)
	return nil
}

// setAside keeps a file that could not be understood. The caller holds mu.
func (f *chatFile) setAside() error {
	if f.problem == nil {
		return nil
	}
	text, err := readChatFile(f.path)
	if err != nil || text == nil {
		return err
	}
	aside := f.path + ".broken-" + f.revision
	if kept, err := os.ReadFile(aside); err == nil && bytes.Equal(kept, text) {
		return nil
	}
	f.log.Warn("The configuration of the chat that could not be used is kept", "file", aside)
	return replace.Private(aside, text)
}
