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
	"parley/backend/platform/regular"
	"parley/backend/session/profile"
)

// Machine is what is looked at. [Here] is this one.
type Machine struct {
	Dirs paths.Dirs
	// Env is the environment, as [os.Environ] gives it.
	Env []string
	OS  string
	Now func() time.Time
	// Running says that the Parley of the data folder asks: what wants the folder for itself
	// is not put right then.
	Running bool

	// Read reads a small file of the system or of the user.
	Read func(path string) ([]byte, error)
	// Find looks for a program on PATH.
	Find func(name string) (string, error)
	// Output runs a program that only says something of itself.
	Output func(ctx context.Context, name string, args ...string) (string, error)
	// Version asks a CLI.
	Version func(ctx context.Context, path string) (string, error)
	Stat    func(path string) (os.FileInfo, error)
	Room    func(dir string) (disk.Room, error)
	Probe   func(dir string) error
	// Descriptors is how many files a process may have open.
	Descriptors func() (uint64, error)
	Dial        func(ctx context.Context, network, address string) error
	Listen      func() error
	// Bus returns the names on the user's D-Bus, those too that can be started.
	Bus     func(ctx context.Context) ([]string, error)
	Keyring func(ctx context.Context) error
	// Busy says whether a Parley has the data folder.
	Busy func() bool
	// Checkup reads everything that is kept, see package checkup.
	Checkup func(repair bool, tell func(level, what, says string)) (bool, error)

	lines *lines // of the checkup, which is asked once
	bus   *names
}

type names struct {
	all []string
	err error
}

// Here is the machine that this runs on.
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

// readSystem reads files of /proc too, which have no size.
func readSystem(path string) ([]byte, error) {
	if strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") {
		return os.ReadFile(path) //nolint:gosec // the paths are constants
	}
	return regular.Read(path, 4<<20)
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	text, err := exec.CommandContext(ctx, name, args...).CombinedOutput() //nolint:gosec // a program that the user has
	return strings.TrimSpace(string(text)), err
}

// bus says why there is no bus to ask. The library would start one of its own, which then
// belongs to nobody.
func bus() error {
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" && !strings.HasPrefix(address, "autolaunch:") {
		return nil
	}
	if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")); err != nil {
		return errors.New("there is no desktop session")
	}
	return nil
}

// busNames asks a connection of its own, which others do not wait for.
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

// get is a variable of the environment.
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

// config is the CLI's folder.
func (m *Machine) config() string { return claude.ConfigDir(m.Env, m.Dirs.Home) }

// number reads a file that holds one number.
func (m *Machine) number(path string) (n int64, err error) {
	text, err := m.Read(path)
	if err == nil {
		_, err = fmt.Sscan(string(text), &n)
	}
	return n, err
}

// onBus says whether a name is on the bus.
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

// forget has everything looked at anew.
func (m *Machine) forget() { m.lines, m.bus = nil, nil }
