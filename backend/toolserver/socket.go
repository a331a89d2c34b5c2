package toolserver

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// dirPrefix starts the name of every socket folder; the process id follows.
	dirPrefix  = "parley-mcp-"
	socketName = "s"
	// maxSocketPath is the shortest limit among the systems (sun_path, with its
	// closing zero).
	maxSocketPath = 104 - 1
)

// socketBase returns the folder that socket folders are made in.
func socketBase(dir string) (string, error) {
	if dir != "" {
		if !fits(dir) {
			return "", fmt.Errorf("the path %s is too long for a socket", dir)
		}
		return dir, nil
	}
	for _, candidate := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		if !filepath.IsAbs(candidate) || !fits(candidate) {
			continue
		}
		if info, err := os.Stat(candidate); err == nil && info.IsDir() {
			return candidate, nil
		}
	}
	return "", errors.New("there is no folder for temporary files with a path short enough for a socket")
}

// fits reports whether the path of a socket in a folder of dir is short enough.
func fits(dir string) bool {
	const longestNumber = 10 // of a process id, and of MkdirTemp's suffix
	return len(dir)+len("/"+dirPrefix+"-/"+socketName)+2*longestNumber <= maxSocketPath
}

// removeStale removes the folders of killed Parley processes. A folder is only
// removed if it is this user's, its process is gone, and nothing listens there
// (a process id means nothing across containers).
func removeStale(base string, log *slog.Logger) {
	dirs, err := filepath.Glob(filepath.Join(base, dirPrefix+"*"))
	if err != nil {
		return // only a bad pattern: base contains one
	}
	for _, dir := range dirs {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), dirPrefix), "-")
		pid, err := strconv.Atoi(number)
		if err != nil || pid <= 0 || processExists(pid) || !isOwnFolder(dir) {
			continue
		}
		conn, err := net.DialTimeout("unix", filepath.Join(dir, socketName), time.Second)
		if err == nil {
			_ = conn.Close()
			continue
		}
		if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			log.Warn("Couldn't remove the folder of an earlier Parley", "folder", dir, "err", err)
		}
	}
}

// isTemporary reports whether accepting may work again later: the process or the
// system has run out of a resource.
func isTemporary(err error) bool {
	for _, e := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED, syscall.ENOBUFS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
