package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
)

const (
	// journalName is the journal of a decided restore: what remains to be done.
	journalName = "restore.json"
	// noteName is the name that the journal gets at the end.
	noteName = "restored.json"
	// stagePrefix is the prefix of the folder with the copies.
	stagePrefix = atomicfile.Unfinished + "restore-"
	// AsidePrefix is the prefix of the folders with the replaced files.
	AsidePrefix = "replaced-"
	maxJournal  = 64 << 10
)

// Who started a restore.
const (
	ByCommand = "command"
	ByPage    = "page"
	// ByStart is a Parley that found its store missing.
	ByStart = "start"
)

// Restore is one restore: what it has to do, and afterwards what it did.
type Restore struct {
	Format int `json:"format"`
	// From is the snapshot's name, Made its creation time, At the time of the decision.
	From string `json:"from"`
	Made int64  `json:"made"`
	At   int64  `json:"at"`
	By   string `json:"by"`
	// Aside is the folder with the replaced files, in the data folder.
	Aside string `json:"aside"`
	Stage string `json:"stage"`
	Parts []Part `json:"parts"`
}

// Part is a file or a folder that is replaced.
type Part struct {
	Name string `json:"name"`
	// Has is false if the snapshot lacks the part: then it is missing afterwards, too.
	Has bool `json:"has"`
}

// restorer carries out restores.
type restorer struct {
	data string
	now  func() time.Time
	// step is called before every change to the disk, for tests. It may be nil.
	step func()
}

func (r restorer) tick() {
	if r.step != nil {
		r.step()
	}
}

// Prepare decides that a snapshot is restored: [Finish] does it. Unless it returns without
// an error nothing is decided. Its errors are faults.
func Prepare(data, name, by string) (Restore, error) {
	return restorer{data: data, now: time.Now}.prepare(name, by, nil)
}

// PrepareLost decides to restore the lost parts of a data folder from a snapshot: the store,
// and every other part that is missing.
func PrepareLost(data, name string) (Restore, error) {
	return restorer{data: data, now: time.Now}.prepare(name, ByStart, func(part string) bool {
		_, err := os.Lstat(filepath.Join(data, part))
		return part == StoreFile || part == rebuiltFile || errors.Is(err, fs.ErrNotExist)
	})
}

// rebuiltFile is a store that was rebuilt and not moved into place: it must not replace the restored one.
const rebuiltFile = StoreFile + ".new"

func parts() []string {
	return slices.Concat([]string{rebuiltFile, StoreFile, Memory, Undo}, Files(), Stores())
}

// optional reports whether a snapshot may lack a part that exists.
func optional(part string) bool { return part == Undo || slices.Contains(Stores(), part) }

func (r restorer) prepare(name, by string, wanted func(part string) bool) (restore Restore, err error) {
	m, err := Verify(r.data, name)
	if err != nil {
		return Restore{}, unusable(err, name)
	}
	if _, decided, err := readNote(r.data, journalName); decided || err != nil {
		return Restore{}, errors.Join(err, fault.New(fault.Conflict, "A restore is already pending. Start Parley to finish it first."))
	}
	at := r.now()
	r.tick()
	stage, err := os.MkdirTemp(r.data, stagePrefix+"*")
	if err != nil {
		return Restore{}, unwritable(err, r.data)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(stage)
		}
	}()
	restore = Restore{
		Format: format, From: m.Name, Made: m.At, At: at.UnixMilli(), By: by,
		Aside: AsidePrefix + at.UTC().Format(nameLayout), Stage: filepath.Base(stage),
	}
	for _, part := range parts() {
		// Parts that a snapshot may lack are not removed.
		if (wanted == nil || wanted(part)) && (m.Has(part) || !optional(part)) {
			restore.Parts = append(restore.Parts, Part{part, m.Has(part)})
		}
	}
	for _, f := range m.Files {
		if !slices.ContainsFunc(restore.Parts, func(p Part) bool { return f.Name == p.Name || strings.HasPrefix(f.Name, p.Name+"/") }) {
			continue
		}
		if err := r.stage(f, m.Name, stage); err != nil {
			return Restore{}, unwritable(err, r.data)
		}
	}
	if err := syncTree(stage); err != nil {
		return Restore{}, unwritable(err, r.data)
	}
	raw, err := json.MarshalIndent(restore, "", " ")
	if err != nil {
		return Restore{}, err
	}
	r.tick()
	if err := atomicfile.Private(filepath.Join(r.data, journalName), raw); err != nil {
		return Restore{}, unwritable(err, r.data)
	}
	return restore, nil
}

// stage copies a file of a snapshot, and checks that it is the verified one.
func (r restorer) stage(f File, name, stage string) error {
	from, err := safeopen.Open(filepath.Join(r.data, Folder, name, filepath.FromSlash(f.Name)))
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	path := filepath.Join(stage, filepath.FromSlash(f.Name))
	r.tick()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return err
	}
	if sum, size, err := hashOf(path); err != nil || size != f.Size || sum != f.SHA256 {
		return errors.Join(err, fmt.Errorf("%s was changed meanwhile", f.Name))
	}
	return nil
}

// Finish does the rest of a decided restore, and sweeps the files of one that was never
// decided. ok reports whether there was one.
func Finish(data string) (restore Restore, ok bool, err error) {
	return restorer{data: data, now: time.Now}.finish()
}

func (r restorer) finish() (restore Restore, ok bool, err error) {
	restore, ok, err = readNote(r.data, journalName)
	switch {
	case err != nil:
		return Restore{}, false, err
	case !ok:
		return Restore{}, false, r.sweep()
	}
	stage, aside := filepath.Join(r.data, restore.Stage), filepath.Join(r.data, restore.Aside)
	r.tick()
	if err := os.MkdirAll(aside, 0o700); err != nil {
		return Restore{}, false, unwritable(err, r.data)
	}
	for _, p := range restore.Parts {
		if err := r.move(p, stage, aside); err != nil {
			return Restore{}, false, unwritable(err, r.data)
		}
	}
	syncFolder(aside)
	syncFolder(r.data)
	r.tick()
	if err := os.Rename(filepath.Join(r.data, journalName), filepath.Join(r.data, noteName)); err != nil {
		return Restore{}, false, unwritable(err, r.data)
	}
	syncFolder(r.data)
	r.tick()
	return restore, true, r.sweep()
}

// move sets the current file aside, and moves the copy into its place. A part whose
// copy is gone was moved before.
func (r restorer) move(p Part, stage, aside string) error {
	from, to := filepath.Join(stage, p.Name), filepath.Join(r.data, p.Name)
	if p.Has && !there(from) {
		return nil
	}
	if there(to) {
		r.tick()
		if err := os.Rename(to, free(filepath.Join(aside, p.Name))); err != nil {
			return err
		}
	}
	if !p.Has {
		return nil
	}
	r.tick()
	return os.Rename(from, to)
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// free returns an unused name.
func free(path string) string {
	name := path
	for i := 2; there(name); i++ {
		name = fmt.Sprintf("%s.%d", path, i)
	}
	return name
}

// sweep removes the copies of restores that are finished or were never decided.
func (r restorer) sweep() error {
	entries, err := os.ReadDir(r.data)
	if err != nil {
		return nil //nolint:nilerr // whoever uses the folder says so
	}
	var failed error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), stagePrefix) {
			r.tick()
			failed = errors.Join(failed, os.RemoveAll(filepath.Join(r.data, e.Name())))
		}
	}
	if failed != nil {
		return unwritable(failed, r.data)
	}
	return nil
}

// Restored is the last restore that has not been acknowledged; ok is false for none.
func Restored(data string) (restore Restore, ok bool, err error) { return readNote(data, noteName) }

// Decided reports whether a decided restore waits for [Finish].
func Decided(data string) (bool, error) {
	_, decided, err := readNote(data, journalName)
	return decided, err
}

// Noted acknowledges the last restore.
func Noted(data string) error {
	if err := os.Remove(filepath.Join(data, noteName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(err, data)
	}
	return nil
}

var (
	stageForm = regexp.MustCompile(`^\.parley-restore-[0-9A-Za-z]+$`)
	asideForm = regexp.MustCompile(`^replaced-[0-9]{8}-[0-9]{6}\.[0-9]{3}$`)
)

// readNote reads a journal, or the note it became. The file is not trusted: it can name
// only paths that a restore may touch.
func readNote(data, name string) (Restore, bool, error) {
	path := filepath.Join(data, name)
	raw, err := safeopen.Read(path, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return Restore{}, false, nil
	}
	var restore Restore
	if err == nil {
		err = json.Unmarshal(raw, &restore)
	}
	switch {
	case err != nil:
	case restore.Format > format:
		return Restore{}, false, fault.Wrap(ErrNewer, fault.Conflict, "A newer Parley wrote %s. Update this one. Nothing was changed.", path)
	case !nameForm.MatchString(restore.From) || !stageForm.MatchString(restore.Stage) || !asideForm.MatchString(restore.Aside):
		err = errors.New("it names a file that no restore creates")
	case slices.ContainsFunc(restore.Parts, func(p Part) bool { return !slices.Contains(parts(), p.Name) }):
		err = errors.New("it names a file that no restore creates")
	}
	if err != nil {
		return Restore{}, false, fault.Wrap(err, fault.Unavailable, "A restore cannot be finished: %s is damaged. Remove the file to continue with the current data, or restore again.", path)
	}
	return restore, true, nil
}

func unusable(err error, name string) error {
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		return err
	case errors.Is(err, ErrNewer):
		return fault.Wrap(err, fault.Conflict, "The snapshot %s cannot be restored: %s. Update this Parley, or choose another one.", name, err)
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.NotFound, "The snapshot %s is missing or incomplete.", name)
	}
	return fault.Wrap(err, fault.Unavailable, "The snapshot %s cannot be restored: %s. Choose another one.", name, err)
}

func unwritable(err error, data string) error {
	return fault.Wrap(err, fault.Unavailable, "The restore cannot be written in %s (%s). Check the folder's permissions and that the disk has free space. The current data is unchanged.", data, err)
}
