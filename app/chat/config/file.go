// Package config keeps what was decided about the team chat: a file that people may edit, and
// the token of Parley's account, which is in the system's keyring or comes from the environment.
// It connects to nothing, and starts no goroutine.
package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"parley/app/feature"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/port"
	"parley/backend/fault"
	"parley/backend/kept"
	"parley/backend/outside"
	"parley/backend/paths"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/regular"
	"parley/backend/problem"
	"parley/backend/session/profile"
)

// unreadRevision is that of a file that cannot be read, so that the one that was read before
// is another when it is back.
const unreadRevision = "unread"

// maxFile is more than such a file may have, in bytes.
const maxFile = 1<<20 + 1

// File is what was decided about the chat, in a file that people may edit. What
// cannot be understood changes nothing: what was understood last holds, until somebody
// puts it right. What somebody else wrote that gives more than before does not hold until
// a user accepts it. Its methods may be called from any goroutine.
type File struct {
	path string
	keep outside.Keeper
	log  *slog.Logger

	mu sync.Mutex
	// config holds; revision names the file as it is on the disk.
	config   port.ChatConfig
	revision string
	// problem is why the file does not hold, nil when it does.
	problem error
	seen    regular.Stamp
	// read says that the file could be used once since the start.
	read bool
	// says is what the file says, held what of it does not hold.
	says port.ChatConfig
	held []outside.Change
}

// Config is what is needed to know what was decided.
type Config struct {
	// Data is the folder that the file is in, Keep has what was accepted of it.
	Data string
	Keep outside.Keeper
	// Secrets are what the environment said, Keyring keeps the token that a user gave.
	Secrets feature.Secrets
	Keyring profile.Secrets
	Log     *slog.Logger
}

// New reads the file.
func New(cfg Config) (*File, *Tokens) {
	file := open(cfg.Data, cfg.Keep, cfg.Log)
	return file, newTokens(cfg.Secrets, file, cfg.Keyring)
}

func open(dir string, keep outside.Keeper, log *slog.Logger) *File {
	f := &File{path: filepath.Join(dir, paths.ChatFile), keep: keep, log: log, config: access.Normalise(port.ChatConfig{})}
	f.load()
	return f
}

// Get is what holds, which nobody may change, with the file's revision and what is wrong
// with the file.
func (f *File) Get() (c port.ChatConfig, revision string, problem error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.config, f.revision, f.problem
}

// Holds is what holds.
func (f *File) Holds() port.ChatConfig {
	c, _, _ := f.Get()
	return c
}

// Look reads the file if it looks different, and says whether anything is another than before.
func (f *File) Look() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if regular.StampAt(f.path) == f.seen && f.revision != unreadRevision {
		return false
	}
	before := f.revision
	f.load()
	return f.revision != before
}

// load reads the file. While it could never be used, what was accepted last holds: a
// restart is no decision. The caller holds mu, or is the only one.
func (f *File) load() {
	f.take()
	f.read = f.read || f.problem == nil
	if !f.read {
		f.config = f.accepted(nil)
	}
}

// take reads the file and takes over what it says. The caller holds mu, or is the only one.
func (f *File) take() {
	f.seen = regular.StampAt(f.path)
	text, err := readFile(f.path)
	if err != nil {
		if f.problem == nil {
			f.log.Warn("The configuration of the chat cannot be read", "file", f.path, "err", err)
		}
		f.revision = unreadRevision
		f.problem = fault.Wrap(err, fault.Unavailable, "The chat settings in %s cannot be read. Check that this is a file you may read. The settings you accepted last apply.", f.path)
		return
	}
	revision := revisionOf(text)
	if revision == f.revision {
		return
	}
	f.revision = revision
	if text == nil {
		f.problem = nil
		f.weigh(nil, access.Normalise(port.ChatConfig{}))
		return
	}
	c, err := access.Decode(text)
	if err != nil {
		f.log.Warn("The configuration of the chat is not used as it is", "file", f.path, "err", fault.MessageOf(err))
		f.problem = fault.Wrap(err, fault.Invalid, "%s The settings you accepted last apply. The file is %s.", fault.MessageOf(err), f.path)
		return
	}
	f.problem = nil
	f.weigh(text, c)
}

// Unread says that the file cannot be used, if that is so.
func (f *File) Unread() (p problem.Problem, wrong bool) {
	_, _, err := f.Get()
	if err == nil {
		return problem.Problem{}, false
	}
	return problem.Problem{ID: problem.ChatUnread, Facts: map[string]string{"file": f.path, "cause": causeOf(err)}}, true
}

// causeOf is why a file cannot be used, without what is around it.
func causeOf(problem error) string {
	var path *fs.PathError
	if errors.As(problem, &path) {
		return path.Err.Error()
	}
	err := errors.Unwrap(problem) // which says what is in force, too
	if inner := errors.Unwrap(err); inner != nil {
		return inner.Error()
	}
	return strings.TrimSuffix(fault.MessageOf(err), ".")
}

func revisionOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// readFile returns nil for a file that is not there.
func readFile(path string) ([]byte, error) {
	r, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxFile))
}

// Set replaces what was decided, if the file is still the one of a revision. A file that
// could not be understood is kept beside it.
func (f *File) Set(c port.ChatConfig, revision string) error {
	c = access.Normalise(c)
	if err := access.Validate(c); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.load()
	if f.revision != revision {
		return fault.New(fault.Conflict, "The chat settings changed in the meantime. Review them and try again.")
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	was, _ := readFile(f.path) // one that cannot be read was said to be none
	if err = f.setAside(); err == nil {
		err = f.keep.Begin(kept.Chat, string(text), was, text)
	}
	if err == nil {
		err = atomicfile.Private(f.path, text)
		f.keep.Done(kept.Chat, err == nil)
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The chat settings cannot be saved in %s. Check the disk and the folder's permissions.", f.path)
	}
	f.config, f.problem, f.revision, f.seen = c, nil, revisionOf(text), regular.StampWritten(f.path, text)
	f.says, f.held = c, nil
	return nil
}

// setAside keeps a file that could not be understood. The caller holds mu.
func (f *File) setAside() error {
	if f.problem == nil {
		return nil
	}
	text, err := readFile(f.path)
	if err != nil || text == nil {
		return err
	}
	aside := f.path + ".broken-" + f.revision
	if kept, err := regular.Read(aside, maxFile); err == nil && bytes.Equal(kept, text) {
		return nil
	}
	f.log.Warn("The configuration of the chat that could not be used is kept", "file", aside)
	return atomicfile.Private(aside, text)
}
