// Package clisettings reads the settings files of the CLI, and adds a user's rule to
// one when they ask for it. What a folder brings with it is in the same files, so
// everything in them counts as written by a stranger: sizes are bounded, nothing is
// run or followed, and what cannot be read is said, never guessed.
//
// It starts no goroutine, and keeps nothing between calls. It does not know what the
// settings mean beyond their place.
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

	"parley/backend/platform/regular"
)

// Where settings come from, in the CLI's words.
const (
	User    = "userSettings"
	Project = "projectSettings"
	Local   = "localSettings"
	Policy  = "policySettings"
)

// maxFile bounds a file in bytes; the CLI's own are a few hundred.
const maxFile = 1 << 20

// File is one file of settings that is there.
type File struct {
	// Where is one of the constants, Path where the file is.
	Where, Path string
	// Settings are its keys; nil when it could not be read, and then Problem says why.
	Settings map[string]json.RawMessage
	Problem  string
	// Data is the file as it was read, nil when it could not be.
	Data []byte
}

// place is where a file of settings may be.
type place struct{ where, path string }

// places are where the settings may be that the CLI reads in a folder: its own local
// ones it also takes from the top of the checkout that the folder is in, where all
// working trees of a repository have them together.
func places(config, folder string) []place {
	list := []place{{User, filepath.Join(config, "settings.json")}}
	if folder != "" {
		list = append(list, place{Project, filepath.Join(folder, ".claude", "settings.json")})
		own := filepath.Join(folder, ".claude", "settings.local.json")
		for _, top := range Tops(folder) {
			if shared := filepath.Join(top, ".claude", "settings.local.json"); shared != own {
				list = append(list, place{Local, shared})
			}
		}
		list = append(list, place{Local, own})
	}
	return append(list, place{Policy, managed()})
}

// Paths are where the settings may be that the CLI reads in a folder.
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
			continue // at home the two are one
		}
		if f.load() {
			files = append(files, f)
		}
	}
	return files
}

// Tops are the top of the checkout that a folder is in, and the top of the repository
// that it belongs to when that is another: none outside of a checkout.
func Tops(folder string) []string {
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

// mainTop is the top of the repository that a working tree belongs to.
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

// managed is where an organisation puts its settings.
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

// load reads the file, and says whether it is there.
func (f *File) load() bool {
	data, err := ReadFile(f.Path)
	switch {
	case Absent(err):
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

// Absent says whether an error means that there is no such file.
func Absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// ReadFile reads a file of at most 1 MiB, and no pipe or device. Its errors are
// fs.ErrNotExist or say in a few words why not.
func ReadFile(path string) ([]byte, error) {
	data, err := regular.Read(path, maxFile)
	switch {
	case err == nil, Absent(err):
		return data, err
	case errors.Is(err, regular.ErrKind):
		return nil, errors.New("it is not a file")
	case errors.Is(err, regular.ErrTooLarge):
		return nil, fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return nil, errors.New("it cannot be read")
}

// Rule is one of the CLI's rules as it is written.
type Rule struct{ Effect, Text string }

// Rules returns the rules in a file. What is no rule is left out.
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
