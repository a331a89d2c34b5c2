// Package gitdiff asks git how the files of a folder differ from the last commit.
// It only reads: nothing is written, no lock is taken, and no hook or pager runs,
// nor any program that the checkout's own settings name to watch, show or filter
// files, or to fetch missing ones. Filters from the user's own settings (for
// files stored elsewhere) do run, as nothing can be compared without them. What git itself
// rejects (a folder of another user) is rejected here too.
//
// It starts no goroutine besides those that wait for git, which has ended when a
// call returns; git's time and output are bounded. When Parley is killed, git
// dies of its closed pipe.
//
// It knows nothing of sessions and their changes.
package gitdiff

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
)

// Bounds of one query.
const (
	timeLimit = 10 * time.Second
	maxOutput = 8 << 20
	// MaxFiles is the maximum number of listed files.
	MaxFiles = 2000
	// MaxFile is the largest file that is returned, in bytes.
	MaxFile = 2 << 20
)

// File is a file that differs from the last commit.
type File struct {
	// Path is absolute.
	Path string
	// Kind is "modified", "added", "deleted", "renamed", "untracked" or "conflict".
	Kind string
	// Folder is true for a completely new folder.
	Folder bool
}

// Status are the files of a folder that differ from the last commit.
type Status struct {
	// Root is the top folder of the checkout.
	Root  string
	Files []File
	// More is true if there are others.
	More bool
}

// Git runs git.
type Git struct {
	// Env is the base of git's environment, in the form of os.Environ.
	Env []string
}

// Status returns what differs in a folder and below. Without a checkout there, without
// git, or if git refuses, it is a fault not_found or unavailable.
func (g Git) Status(ctx context.Context, folder string) (Status, error) {
	top, _, err := g.run(ctx, folder, "rev-parse", "--show-toplevel")
	if err != nil {
		return Status{}, err
	}
	s := Status{Root: filepath.FromSlash(strings.TrimRight(string(top), "\r\n"))}
	without, err := g.withoutFilters(ctx, folder)
	if err != nil {
		return Status{}, err
	}
	out, cut, err := g.run(ctx, folder, append(without, "status", "--porcelain=v1", "-z", "--untracked-files=normal", "--no-renames", "--ignore-submodules=all", "--", ".")...)
	if err != nil {
		return Status{}, err
	}
	s.More = cut
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if len(entry) < 4 || entry[2] != ' ' {
			continue // the rest of a cut entry
		}
		if len(s.Files) >= MaxFiles {
			s.More = true
			break
		}
		s.Files = append(s.Files, File{
			Path: filepath.Join(s.Root, filepath.FromSlash(entry[3:])), Kind: kind(entry[:2]), Folder: strings.HasSuffix(entry, "/"),
		})
	}
	return s, nil
}

func kind(code string) string {
	switch {
	case code == "??":
		return "untracked"
	case strings.Contains(code, "U") || code == "AA" || code == "DD":
		return "conflict"
	case strings.Contains(code, "D"):
		return "deleted"
	case strings.Contains(code, "A"):
		return "added"
	case strings.Contains(code, "R"):
		return "renamed"
	}
	return "modified"
}

// Committed is a file in the last commit, and false if it is not in it.
func (g Git) Committed(ctx context.Context, root, path string) (text []byte, found bool, err error) {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, false, fault.New(fault.Invalid, "The file is not in this repository (parameter path).")
	}
	out, cut, err := g.run(ctx, root, "cat-file", "blob", "HEAD:"+filepath.ToSlash(rel))
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case cut || len(out) > MaxFile:
		return nil, false, fault.New(fault.TooLarge, "The file is larger than %d MB.", MaxFile>>20)
	}
	return out, true, nil
}

// maxFilters bounds the filters that a checkout may name.
const maxFilters = 100

// withoutFilters are the arguments that keep git from running filters which the checkout's own
// settings name: otherwise the folder's author could run code when it is merely viewed.
func (g Git) withoutFilters(ctx context.Context, folder string) ([]string, error) {
	out, cut, err := g.run(ctx, folder, "config", "--includes", "--show-scope", "--name-only", "-z", "--get-regexp", `^filter\.`)
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.ExitCode() == 1:
		return nil, nil // there are none
	case err != nil:
		return nil, err
	}
	var words []string
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if scope := fields[i]; scope == "system" || scope == "global" {
			continue
		}
		if len(words) >= 2*maxFilters || cut || strings.ContainsAny(fields[i+1], "=\n") {
			return nil, fault.New(fault.Unavailable, "This repository uses too many or unusual Git filters, so Parley does not run git in it.")
		}
		value := ""
		if strings.HasSuffix(fields[i+1], ".required") {
			value = "false"
		}
		words = append(words, "-c", fields[i+1]+"="+value)
	}
	return words, nil
}

// run runs one git command, and reports whether its output was cut.
func (g Git) run(ctx context.Context, folder string, args ...string) (out []byte, cut bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	// The settings of a checkout may name programs: none of them runs here.
	args = append([]string{
		"--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false",
		"-c", "core.quotePath=false", "-c", "status.relativePaths=false",
	}, args...)
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = folder, environ(g.Env), time.Second
	var said bytes.Buffer
	cmd.Stderr = &limited{w: &said, left: 4 << 10}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, false, err
	}
	if err := cmd.Start(); err != nil {
		return nil, false, fault.Wrap(err, fault.Unavailable, "git cannot be started.")
	}
	out, failed := io.ReadAll(io.LimitReader(pipe, maxOutput+1))
	if cut = len(out) > maxOutput; cut || failed != nil {
		_ = cmd.Process.Kill()
	}
	err = cmd.Wait()
	switch {
	case cut:
		return out[:maxOutput], true, nil
	case ctx.Err() != nil:
		return nil, false, fault.Wrap(ctx.Err(), fault.Unavailable, "git took too long.")
	case failed != nil:
		return nil, false, failed
	case err != nil && bytes.Contains(said.Bytes(), []byte("dubious ownership")):
		return nil, false, fault.Wrap(err, fault.Unavailable, "git does not read this folder because it belongs to another user.")
	case err != nil:
		return nil, false, fault.Wrap(err, fault.NotFound, "This folder is not in a git repository.")
	}
	return out, false, nil
}

// environ is the user's environment without variables that would redirect git.
func environ(base []string) []string {
	env := slices.DeleteFunc(slices.Clone(base), func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_") || strings.HasPrefix(kv, "PARLEY_") || strings.HasPrefix(kv, "LC_ALL=")
	})
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C")
}

// limited keeps the start of what is written, and discards the rest silently.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	if _, err := l.w.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}
