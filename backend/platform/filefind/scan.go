package filefind

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Limits of one scan: by git, and by walking if git takes longer.
const (
	scanLimit = 15 * time.Second
	// maxName is in bytes, of one path.
	maxName = 4096
	// batch is how many entries of a folder are read at a time.
	batch = 512
)

// scan builds the index of a folder.
func scan(ctx context.Context, root string, env []string) (*Index, error) {
	asking, cancel := context.WithTimeout(ctx, scanLimit)
	defer cancel()
	names, more, err := listed(asking, root, env)
	if err == nil {
		return newIndex(names, nil, more, time.Now()), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	walking, cancel := context.WithTimeout(ctx, scanLimit)
	defer cancel()
	names, folders, more, err := walk(walking, root)
	if err != nil {
		return nil, err
	}
	return newIndex(names, folders, more, time.Now()), nil
}

// listed returns the files that git tracks or would add. It fails if there is no
// checkout, no git, or git refuses the folder.
func listed(ctx context.Context, root string, env []string) (names [][]byte, more bool, err error) {
	// A checkout's own settings may name a program to run (fsmonitor): disabled
	// here.
	cmd := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false",
		"ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z")
	cmd.Dir = root
	cmd.Env = gitEnv(env)
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, false, err
	}
	if err := cmd.Start(); err != nil {
		return nil, false, err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 0, 64<<10), maxName*2)
	lines.Split(splitNUL)
	for !more && lines.Scan() {
		names = append(names, bytes.Clone(lines.Bytes()))
		more = len(names) >= maxEntries
	}
	failed := lines.Err()
	if more || failed != nil {
		_ = cmd.Process.Kill()
	}
	err = cmd.Wait()
	if more {
		return names, true, nil
	}
	if failed != nil {
		return nil, false, failed
	}
	return names, false, err
}

func gitEnv(base []string) []string {
	env := slices.DeleteFunc(slices.Clone(base), func(kv string) bool {
		// These may point to another checkout.
		return strings.HasPrefix(kv, "GIT_") || strings.HasPrefix(kv, "PARLEY_")
	})
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
}

func splitNUL(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF {
		return len(data), nil, nil // git terminates every name
	}
	return 0, nil, nil
}

// skipped reports whether a folder is filled by other programs, so that nobody
// mentions its files.
func skipped(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache",
		".pytest_cache", ".gradle", ".terraform", ".next", ".nuxt", ".cache", ".Trash", "DerivedData":
		return true
	}
	return false
}

// walk lists a folder that isn't a checkout, level by level, so that the limit cuts off
// the deepest. It doesn't follow links, and skips what a .gitignore excludes, and
// unreadable folders except the first.
func walk(ctx context.Context, root string) (names, folders [][]byte, more bool, err error) {
	type place struct {
		dir   string
		above *ignores
	}
	level, found := []place{{}}, 0
	for len(level) > 0 {
		var next []place
		for _, at := range level {
			dir := at.dir
			select {
			case <-ctx.Done():
				return names, folders, true, nil // what was found until now
			default:
			}
			folder, ignored := filepath.Join(root, filepath.FromSlash(dir)), at.above
			if found < maxIgnores {
				if ignored = readIgnores(folder, dir, at.above); ignored != at.above {
					found++
				}
			}
			err := readFolder(folder, func(e os.DirEntry) bool {
				name := e.Name()
				if dir != "" {
					name = dir + "/" + name
				}
				switch {
				case len(name) > maxName:
				case ignored.covers(name, e.IsDir()):
				case !e.IsDir():
					names = append(names, []byte(name))
				case !skipped(e.Name()):
					folders = append(folders, []byte(name))
					next = append(next, place{name, ignored})
				}
				more = len(names)+len(folders) >= maxEntries
				return !more
			})
			if err != nil && dir == "" {
				return nil, nil, false, err
			}
			if more {
				return names, folders, true, nil
			}
		}
		level = next
	}
	return names, folders, false, nil
}

// readFolder passes a folder's entries to each until that returns false.
func readFolder(path string, each func(os.DirEntry) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(batch)
		for _, e := range entries {
			if !each(e) {
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
