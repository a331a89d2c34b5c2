package update

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/platform/atomicfile"
)

// fetchLimit bounds the time of a download.
const fetchLimit = 30 * time.Minute

// Possible returns why Parley cannot update this program, nil if it can.
func (u *Updater) Possible() error {
	how := u.Managed()
	switch {
	case u.Address == "" || u.Key == "":
		return fault.New(fault.Unavailable, "This Parley was built without an update address. Update it the way it was installed: build it again, or unpack a newer version.")
	case how != "":
		return fault.New(fault.Unavailable, "Update this Parley with: %s. Then choose \"Restart Parley\" to use the new version.", how)
	case runtime.GOOS == "windows":
		return fault.New(fault.Unavailable, "Parley cannot replace itself on Windows. Install the newer version.")
	}
	return nil
}

// previous is the path where the replaced program is kept.
func previous(program string) string { return program + ".previous" }

// Install replaces the program with the newest version, and returns its number. The
// previous one is kept; it is restored if probe finds that the new one does not start, or
// later by [Updater.Back].
func (u *Updater) Install(ctx context.Context, probe func(ctx context.Context) error) (version string, err error) {
	if err := u.Possible(); err != nil {
		return "", err
	}
	if !u.mu.TryLock() {
		return "", fault.New(fault.Conflict, "Parley is already being updated.")
	}
	defer u.mu.Unlock()
	if err := os.MkdirAll(u.Dir, 0o700); err != nil {
		return "", u.unwritten(err)
	}
	hold, err := paths.Take(filepath.Join(u.Dir, "lock"))
	switch {
	case err != nil:
		return "", u.unwritten(err)
	case hold == nil:
		return "", fault.New(fault.Conflict, "Another Parley process is already updating this installation.")
	}
	defer func() { err = errors.Join(err, hold.Release()) }()
	offer, err := u.check(ctx, 0)
	if err != nil {
		return "", err
	}
	if offer == nil {
		return "", fault.New(fault.Conflict, "There is no newer Parley than %s.", u.Version)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	program, err := u.fetch(ctx, offer.file)
	if err != nil {
		return "", err
	}
	if err := u.replace(offer.Version, program); err != nil {
		return "", err
	}
	if err := probe(ctx); err != nil {
		return "", errors.Join(fault.Wrap(err, fault.Unavailable, "Parley %s cannot start on this computer, so Parley %s was restored. %s", offer.Version, u.Version, fault.MessageOf(err)), u.back())
	}
	_ = os.Remove(filepath.Join(u.Dir, offer.file.SHA256+part)) // the next download sweeps it anyway
	u.Log.Info("Update installed", "version", offer.Version, "program", u.Program)
	return offer.Version, nil
}

// replace swaps the program in one step, and keeps the previous one.
func (u *Updater) replace(version string, program []byte) error {
	s, err := u.load()
	if err != nil {
		return u.unwritten(err)
	}
	if err := os.Remove(previous(u.Program)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return u.noAccess(err)
	}
	if err := os.Link(u.Program, previous(u.Program)); err != nil {
		return u.noAccess(err)
	}
	s.Installing = &Installing{Version: version, Before: u.Version, Program: u.Program}
	if err := u.save(s); err != nil {
		return u.unwritten(err)
	}
	if err := atomicfile.File(u.Program, program); err != nil {
		return u.unwritten(err)
	}
	return nil
}

func (u *Updater) noAccess(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fault.Wrap(err, fault.Unavailable, "Parley does not have permission to write in %s. Whoever installed it there can update it.", filepath.Dir(u.Program))
	}
	return u.unwritten(err)
}

// Back restores the program from before an update, because the new one did not start.
func (u *Updater) Back() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.back()
}

func (u *Updater) back() error {
	s, err := u.load()
	if err != nil || s.Installing == nil {
		return err
	}
	err = os.Rename(previous(s.Installing.Program), s.Installing.Program)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The previous version could not be restored (%v). It is in %s.", err, previous(s.Installing.Program))
	}
	u.Log.Warn("Update didn't start; rolled back to the previous version", "version", s.Installing.Version)
	s.Failed, s.Installing = s.Installing.Version, nil
	return u.save(s)
}

// Settle is called by a program that works: a pending update is finished then.
func (u *Updater) Settle() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	s, err := u.load()
	if err != nil || s.Installing == nil || compare(s.Installing.Version, u.Version) != 0 {
		return err
	}
	s.Installing, s.Failed = nil, ""
	return u.save(s)
}
