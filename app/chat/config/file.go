// Package config stores the Mattermost configuration: a file that users may edit, and the token of
// Parley's account, which is in the system's keyring or comes from the environment. It connects to
// nothing, and starts no goroutine.
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
	"parley/backend/platform/safeopen"
	"parley/backend/problem"
	"parley/backend/session/profile"
)

// unreadRevision is the revision of an unreadable file, so that the previous version counts as a
// change when it is back.
const unreadRevision = "unread"

// maxFile is a size no such file may reach, in bytes.
const maxFile = 1<<20 + 1

// File is the Mattermost configuration, in a file that users may edit. An invalid file changes
// nothing: the last valid version applies until the file is fixed. External changes that grant more
// than before do not apply until a user accepts them. Its methods may be called from any goroutine.
type File struct {
	path string
	keep outside.Keeper
	log  *slog.Logger

	mu sync.Mutex
	// config is the current configuration; revision identifies the file on disk.
	config   port.ChatConfig
	revision string
	// problem is why the file does not apply, nil if it does.
	problem error
	seen    safeopen.Stamp
	// read reports whether the file was usable once since the start.
	read bool
	// says is the file's configuration, held the parts of it that do not apply.
	says port.ChatConfig
	held []outside.Change
}

// Config has the dependencies of the configuration.
type Config struct {
	// Data is the folder of the file, Keep has the accepted versions of it.
	Data string
	Keep outside.Keeper
	// Secrets come from the environment, Keyring has the token that a user entered.
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

// Get returns the current configuration, which must not be modified, with the file's revision and
// its problem.
func (f *File) Get() (c port.ChatConfig, revision string, problem error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.config, f.revision, f.problem
}

// Holds returns the current configuration.
func (f *File) Holds() port.ChatConfig {
	c, _, _ := f.Get()
	return c
}

// Look reads the file if it seems to have changed, and reports whether anything is different.
func (f *File) Look() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if safeopen.StampAt(f.path) == f.seen && f.revision != unreadRevision {
		return false
	}
	before := f.revision
	f.load()
	return f.revision != before
}

// load reads the file. As long as it was never usable, the last accepted version applies: a restart
// is no decision. The caller holds mu, or is the only one.
func (f *File) load() {
	f.take()
	f.read = f.read || f.problem == nil
	if !f.read {
		f.config = f.accepted(nil)
	}
}

// take reads the file and applies it. The caller holds mu, or is the only one.
func (f *File) take() {
	f.seen = safeopen.StampAt(f.path)
	text, err := readFile(f.path)
	if err != nil {
		if f.problem == nil {
			f.log.Warn("Couldn't read the Mattermost settings", "file", f.path, "err", err)
		}
		f.revision = unreadRevision
		f.problem = fault.Wrap(err, fault.Unavailable, "The Mattermost settings in %s cannot be read. Check that this is a file and that you have permission to read it. The settings you accepted last apply.", f.path)
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
		f.log.Warn("Invalid Mattermost settings; keeping the accepted ones", "file", f.path, "err", fault.MessageOf(err))
		f.problem = fault.Wrap(err, fault.Invalid, "%s The settings you accepted last apply. The file is %s.", fault.MessageOf(err), f.path)
		return
	}
	f.problem = nil
	f.weigh(text, c)
}

// Unread reports that the file is unusable, if so.
func (f *File) Unread() (p problem.Problem, wrong bool) {
	_, _, err := f.Get()
	if err == nil {
		return problem.Problem{}, false
	}
	return problem.Problem{ID: problem.ChatUnread, Facts: map[string]string{"file": f.path, "cause": causeOf(err)}}, true
}

// causeOf is why a file can't be used, without the wrapping error.
func causeOf(problem error) string {
	var path *fs.PathError
	if errors.As(problem, &path) {
		return path.Err.Error()
	}
	err := errors.Unwrap(problem) // the wrapping error also says which version applies
	if inner := errors.Unwrap(err); inner != nil {
		return inner.Error()
	}
	return strings.TrimSuffix(fault.MessageOf(err), ".")
}

func revisionOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// readFile returns nil for a missing file.
func readFile(path string) ([]byte, error) {
	r, err := safeopen.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxFile))
}

// Set replaces the configuration, if the file still has this revision. An invalid file is kept as a
// copy beside it.
func (f *File) Set(c port.ChatConfig, revision string) error {
	c = access.Normalise(c)
	if err := access.Validate(c); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.load()
	if f.revision != revision {
		return fault.New(fault.Conflict, "The Mattermost settings changed in the meantime. Review them, then try again.")
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	was, _ := readFile(f.path) // an unreadable file was reported as missing
	if err = f.setAside(); err == nil {
		err = f.keep.Begin(kept.Chat, string(text), was, text)
	}
	if err == nil {
		err = atomicfile.Private(f.path, text)
		f.keep.Done(kept.Chat, err == nil)
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The Mattermost settings cannot be saved in %s. Check the disk and the folder's permissions.", f.path)
	}
	f.config, f.problem, f.revision, f.seen = c, nil, revisionOf(text), safeopen.StampWritten(f.path, text)
	f.says, f.held = c, nil
	return nil
}

// setAside keeps a copy of an invalid file. The caller holds mu.
func (f *File) setAside() error {
	if f.problem == nil {
		return nil
	}
	text, err := readFile(f.path)
	if err != nil || text == nil {
		return err
	}
	aside := f.path + ".broken-" + f.revision
	if kept, err := safeopen.Read(aside, maxFile); err == nil && bytes.Equal(kept, text) {
		return nil
	}
	f.log.Warn("Set the invalid Mattermost settings aside", "file", aside)
	return atomicfile.Private(aside, text)
}
