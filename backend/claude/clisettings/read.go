// Package clisettings reads the CLI's settings files, and adds a user's rule to one
// on request. A folder's own settings are in the same files, so everything in them
// counts as written by a stranger: sizes are bounded, nothing is run or followed,
// and what can't be read is reported, never guessed.
//
// It starts no goroutine, and keeps nothing between calls. It doesn't know what the
// settings mean beyond their location.
package clisettings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"parley/backend/platform/safeopen"
)

// Settings sources, in the CLI's terms.
const (
	User    = "userSettings"
	Project = "projectSettings"
	Local   = "localSettings"
	Policy  = "policySettings"
)

// maxFile is the maximum size of a file in bytes; the CLI's own have a few
// hundred.
const maxFile = 1 << 20

// File is one existing settings file.
type File struct {
	// Where is one of the constants, Path the file's path.
	Where, Path string
	// Settings are its keys; nil if it couldn't be read, and then Problem says why.
	Settings map[string]json.RawMessage
	Problem  string
	// Data is the file's raw content, nil if it couldn't be read.
	Data []byte
}

// place is a possible location of a settings file.
type place struct{ where, path string }

// places returns the possible locations of the settings that the CLI reads in a
// folder: it also reads local ones from the top of the folder's checkout, where all
// worktrees of a repository share them.
func places(config, folder string) []place {
	list := []place{{User, filepath.Join(config, "settings.json")}}
	if folder != "" {
		list = append(list, place{Project, filepath.Join(folder, ".claude", "settings.json")})
		own := filepath.Join(folder, ".claude", "settings.local.json")
		for _, top := range RepoRoots(folder) {
			if shared := filepath.Join(top, ".claude", "settings.local.json"); shared != own {
				list = append(list, place{Local, shared})
			}
		}
		list = append(list, place{Local, own})
	}
	return append(list, place{Policy, managed()})
}

// Paths returns the possible paths of the settings that the CLI reads in a
// folder.
func Paths(config, folder string) []string {
	var paths []string
	for _, p := range places(config, folder) {
		paths = append(paths, p.path)
	}
	return paths
}

// Read returns the settings that the CLI reads in a folder ("" for those of no folder),
// the user's first. config is the CLI's own folder.
func Read(config, folder string) []File {
	var files []File
	own := filepath.Join(config, "settings.json")
	for _, p := range places(config, folder) {
		f := File{Where: p.where, Path: p.path}
		if p.where == Project && same(f.Path, own) {
			continue // at home both are the same
		}
		if f.load() {
			files = append(files, f)
		}
	}
	return files
}

// RepoRoots returns the top of a folder's checkout, and the top of its repository if that
// differs; nothing outside of a checkout.
func RepoRoots(folder string) []string {
	for dir := folder; ; dir = filepath.Dir(dir) {
		at := filepath.Join(dir, ".git")
		if info, err := os.Stat(at); err == nil {
			list := []string{dir}
			if info.Mode().IsRegular() {
				if main := mainTop(dir, at); main != "" && main != dir {
					list = append(list, main)
				}
			}
			return list
		}
		if filepath.Dir(dir) == dir {
			return nil
		}
	}
}

// mainTop returns the top of a worktree's repository.
func mainTop(dir, file string) string {
	text := func(path string) string {
		data, err := ReadFile(path)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(data))
	}
	under := func(base, path string) string {
		if filepath.IsAbs(path) {
			return filepath.Clean(path)
		}
		return filepath.Join(base, path)
	}
	own, ok := strings.CutPrefix(text(file), "gitdir:")
	if !ok {
		return ""
	}
	own = under(dir, strings.TrimSpace(own))
	common := text(filepath.Join(own, "commondir"))
	if common == "" {
		return ""
	}
	if common = under(own, common); filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	return ""
}

// managed returns where an organization puts its settings.
func managed() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	}
	return "/etc/claude-code/managed-settings.json"
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// load reads the file and reports whether it exists.
func (f *File) load() bool {
	data, err := ReadFile(f.Path)
	switch {
	case IsNotExist(err):
		return false
	case err != nil:
		f.Problem = err.Error()
		return true
	}
	f.Data = data
	if err := json.Unmarshal(data, &f.Settings); err != nil || f.Settings == nil {
		f.Settings, f.Problem = nil, "it is not a JSON object"
	}
	return true
}

// IsNotExist reports whether an error means that there is no such file.
func IsNotExist(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// ReadFile reads a file of at most 1 MiB, and no pipe or device. Its error is
// fs.ErrNotExist or briefly says why it failed.
func ReadFile(path string) ([]byte, error) {
	data, err := safeopen.Read(path, maxFile)
	switch {
	case err == nil, IsNotExist(err):
		return data, err
	case errors.Is(err, safeopen.ErrKind):
		return nil, errors.New("it is not a file")
	case errors.Is(err, safeopen.ErrTooLarge):
		return nil, fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return nil, errors.New("it cannot be read")
}

// Rule is one of the CLI's rules as written.
type Rule struct{ Effect, Text string }

// Rules returns the rules in a file, without invalid ones.
func (f File) Rules() []Rule {
	var permissions map[string]json.RawMessage
	if json.Unmarshal(f.Settings["permissions"], &permissions) != nil {
		return nil
	}
	var rules []Rule
	for _, effect := range []string{"deny", "ask", "allow"} {
		var entries []json.RawMessage
		if json.Unmarshal(permissions[effect], &entries) != nil {
			continue
		}
		for _, raw := range entries {
			var text string
			if json.Unmarshal(raw, &text) == nil {
				rules = append(rules, Rule{effect, text})
			}
		}
	}
	return rules
}
