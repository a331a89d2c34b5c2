// Package paths defines Parley's folders, as a value that is made once
// from the environment and passed around: nothing else in the program determines a
// folder itself. It also contains the lock that keeps a second Parley out of the
// same data folder.
//
// It is a leaf, starts no goroutine and knows nothing about the folders' contents.
package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"parley/backend/fault"
)

// Dirs are Parley's folders, all absolute.
type Dirs struct {
	// Home is the user's home folder.
	Home string
	// Data is for files that must not be lost: settings and the record of sessions.
	Data string
	// Cache is for files that can be recreated.
	Cache string
	// Runtime is for files that live as long as the process: sockets. Its path is short, because
	// a socket's path is limited to about a hundred bytes.
	Runtime string
}

// Environment is the input for determining the folders.
type Environment struct {
	// OS is a GOOS value.
	OS string
	// Home is the home folder, required.
	Home string
	// Temp is the folder for temporary files, required.
	Temp string
	// Getenv reads an environment variable, required.
	Getenv func(string) string
	// Data overrides the data folder, which then holds the cache too. It may be
	// relative to the working folder.
	Data string
}

// Current is the environment of this process, with an override for the data
// folder or "".
func Current(data string) (Environment, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Environment{}, fault.Wrap(err, fault.Unavailable, "Parley cannot find your home folder. Set the environment variable HOME.")
	}
	return Environment{OS: runtime.GOOS, Home: home, Temp: os.TempDir(), Getenv: os.Getenv, Data: data}, nil
}

// Find returns the folders. It does not touch them.
func Find(env Environment) (Dirs, error) {
	// As in the XDG specification, a relative path is ignored.
	variable := func(name, otherwise string) string {
		if v := env.Getenv(name); filepath.IsAbs(v) {
			return v
		}
		return otherwise
	}
	d := Dirs{Home: env.Home}
	switch env.OS {
	case "darwin":
		d.Data = filepath.Join(env.Home, "Library", "Application Support", "Parley")
		d.Cache = filepath.Join(env.Home, "Library", "Caches", "Parley")
		d.Runtime = filepath.Join(env.Temp, "parley")
	case "windows":
		local := variable("LOCALAPPDATA", filepath.Join(env.Home, "AppData", "Local"))
		d.Data = filepath.Join(local, "Parley")
		d.Cache = filepath.Join(local, "Parley", "Cache")
		d.Runtime = filepath.Join(env.Temp, "Parley")
	default:
		d.Data = filepath.Join(variable("XDG_DATA_HOME", filepath.Join(env.Home, ".local", "share")), "parley")
		d.Cache = filepath.Join(variable("XDG_CACHE_HOME", filepath.Join(env.Home, ".cache")), "parley")
		d.Runtime = variable("XDG_RUNTIME_DIR", env.Temp)
	}
	if env.Data != "" {
		data, err := filepath.Abs(env.Data)
		if err != nil {
			return Dirs{}, fault.Wrap(err, fault.Invalid, "The path of the data folder %q cannot be resolved.", env.Data)
		}
		d.Data, d.Cache = data, filepath.Join(data, "cache")
	}
	return d, nil
}

// Create creates the data folder if it is missing, accessible to the user only, and
// checks that it is writable.
func (d Dirs) Create() error {
	if err := os.MkdirAll(d.Data, 0o700); err != nil {
		return unusable(err, d.Data)
	}
	probe, err := os.CreateTemp(d.Data, ".probe-*")
	if err != nil {
		return unusable(err, d.Data)
	}
	_ = probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return unusable(err, d.Data)
	}
	return nil
}

// Tighten removes other users' permissions on the data folder, and returns what they
// were: 0 for none.
func (d Dirs) Tighten() (others os.FileMode, err error) {
	if runtime.GOOS == "windows" {
		return 0, nil // there is no such thing
	}
	info, err := os.Stat(d.Data)
	if err != nil {
		return 0, unusable(err, d.Data)
	}
	mode := info.Mode().Perm()
	if mode&0o077 == 0 {
		return 0, nil
	}
	if err := os.Chmod(d.Data, mode&0o700); err != nil {
		return 0, unusable(err, d.Data)
	}
	return mode & 0o077, nil
}

func unusable(err error, dir string) error {
	cause := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) {
		cause = path.Err.Error()
	}
	return fault.Wrap(err, fault.Unavailable, "Parley cannot keep its data in %s (%s). Check its permissions, or choose another folder with --data.", dir, cause)
}
