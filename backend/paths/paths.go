// Package paths says where Parley keeps its things, as a value that is made once
// from the environment and handed around: nothing else in the program looks for a
// folder by itself. It also holds the lock that keeps a second Parley out of the
// same data folder.
//
// It is a leaf, starts no goroutine and knows nothing about what the folders hold.
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
	// Data holds what must not be lost: settings and the record of sessions.
	Data string
	// Cache holds what can be made again.
	Cache string
	// Runtime holds what ends with the process: sockets. Its path is short, because
	// a socket's path may have about a hundred bytes.
	Runtime string
}

// Environment is what the folders depend on.
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
		return Environment{}, fault.Wrap(err, fault.Unavailable, "Parley cannot tell which folder is your home. Set HOME.")
	}
	return Environment{OS: runtime.GOOS, Home: home, Temp: os.TempDir(), Getenv: os.Getenv, Data: data}, nil
}

// Find returns the folders. It does not touch them.
func Find(env Environment) (Dirs, error) {
	// The rule of the XDG specification: a relative path counts as none.
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
			return Dirs{}, fault.Wrap(err, fault.Invalid, "The data folder %q cannot be found from here.", env.Data)
		}
		d.Data, d.Cache = data, filepath.Join(data, "cache")
	}
	return d, nil
}

// Create makes the data folder if it is missing, for the user's eyes only, and
// checks that it can be written.
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

// Tighten takes from others what they may do in the data folder, and returns what that
// was: 0 for nothing.
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
