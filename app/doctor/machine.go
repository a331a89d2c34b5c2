package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"parley/app/checkup"
	"parley/backend/claude"
	"parley/backend/paths"
	"parley/backend/platform/disk"
	"parley/backend/platform/safeopen"
	"parley/backend/session/profile"
)

// Machine is the subject of the checks. [Here] is this computer.
type Machine struct {
	Dirs paths.Dirs
	// Env is the environment, as [os.Environ] gives it.
	Env []string
	OS  string
	Now func() time.Time
	// Running is true if the Parley of the data folder runs the checks: repairs that need exclusive
	// access are then skipped.
	Running bool

	// Read reads a small file of the system or of the user.
	Read func(path string) ([]byte, error)
	// Find looks up a program on PATH.
	Find func(name string) (string, error)
	// Output runs a program that only prints information.
	Output func(ctx context.Context, name string, args ...string) (string, error)
	// Version returns a CLI's version.
	Version func(ctx context.Context, path string) (string, error)
	Stat    func(path string) (os.FileInfo, error)
	Room    func(dir string) (disk.Room, error)
	Probe   func(dir string) error
	// Descriptors is the limit of open files per process.
	Descriptors func() (uint64, error)
	Dial        func(ctx context.Context, network, address string) error
	Listen      func() error
	// Bus returns the names on the user's D-Bus, including activatable ones.
	Bus     func(ctx context.Context) ([]string, error)
	Keyring func(ctx context.Context) error
	// Busy reports whether a Parley has the data folder.
	Busy func() bool
	// Checkup checks all stored data, see package checkup.
	Checkup func(repair bool, tell func(level, what, says string)) (bool, error)

	lines *lines // of the checkup, which runs once
	bus   *names
}

type names struct {
	all []string
	err error
}

// Here is this computer.
func Here(dirs paths.Dirs, env []string) *Machine {
	return &Machine{
		Dirs: dirs, Env: env, OS: runtime.GOOS, Now: time.Now,
		Version: func(ctx context.Context, path string) (string, error) { return claude.Version(ctx, path, env) },
		Read:    readSystem, Find: exec.LookPath, Output: output, Stat: os.Lstat,
		Room: disk.RoomOf, Probe: disk.Probe, Descriptors: descriptors,
		Dial: func(ctx context.Context, network, address string) error {
			conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, network, address)
			if err != nil {
				return err
			}
			return conn.Close()
		},
		Listen: func() error {
			l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			return l.Close()
		},
		Bus: func(ctx context.Context) ([]string, error) {
			if err := bus(); err != nil {
				return nil, err
			}
			return busNames(ctx)
		},
		Keyring: func(ctx context.Context) error {
			k := new(profile.Keyring)
			err := k.Check(ctx)
			return errors.Join(err, k.Close(ctx))
		},
		Busy: func() bool {
			if _, err := os.Lstat(dirs.Data); err != nil {
				return false
			}
			lock, err := dirs.Lock(0)
			if err != nil {
				return true
			}
			_ = lock.Release()
			return false
		},
		Checkup: func(repair bool, tell func(level, what, says string)) (bool, error) {
			return checkup.Check(dirs, env, repair, tell)
		},
	}
}

// readSystem also reads files of /proc, which have no size.
func readSystem(path string) ([]byte, error) {
	if strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") {
		return os.ReadFile(path) //nolint:gosec // the paths are constants
	}
	return safeopen.Read(path, 4<<20)
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	text, err := exec.CommandContext(ctx, name, args...).CombinedOutput() //nolint:gosec // a program that the user has
	return strings.TrimSpace(string(text)), err
}

// bus returns why there is no bus. The library would start its own, which would then belong to
// nobody.
func bus() error {
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" && !strings.HasPrefix(address, "autolaunch:") {
		return nil
	}
	if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")); err != nil {
		return errors.New("there is no desktop session")
	}
	return nil
}

// busNames uses a separate connection, so that others don't wait for it.
func busNames(ctx context.Context) (all []string, err error) {
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	var running, startable []string
	bus := conn.BusObject()
	if err := bus.CallWithContext(ctx, "org.freedesktop.DBus.ListNames", 0).Store(&running); err != nil {
		return nil, err
	}
	if err := bus.CallWithContext(ctx, "org.freedesktop.DBus.ListActivatableNames", 0).Store(&startable); err != nil {
		return nil, err
	}
	return append(running, startable...), nil
}

// get is an environment variable.
func (m *Machine) get(name string) string {
	value := ""
	for _, v := range m.Env {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}

// data is a path in the data folder.
func (m *Machine) data(name string) string { return filepath.Join(m.Dirs.Data, name) }

// config is the CLI's configuration folder.
func (m *Machine) config() string { return claude.ConfigDir(m.Env, m.Dirs.Home) }

// number reads a file that contains one number.
func (m *Machine) number(path string) (n int64, err error) {
	text, err := m.Read(path)
	if err == nil {
		_, err = fmt.Sscan(string(text), &n)
	}
	return n, err
}

// onBus reports whether a name is on the bus.
func (m *Machine) onBus(ctx context.Context, name string) (bool, error) {
	if m.bus == nil {
		all, err := m.Bus(ctx)
		m.bus = &names{all, err}
	}
	for _, one := range m.bus.all {
		if one == name {
			return true, nil
		}
	}
	return false, m.bus.err
}

// forget clears the cached results.
func (m *Machine) forget() { m.lines, m.bus = nil, nil }
