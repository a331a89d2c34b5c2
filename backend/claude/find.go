package claude

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/fault"
	"parley/backend/platform/safeopen"
)

// Where a CLI was found.
const (
	SourceSetting     = "setting"
	SourceEnvironment = "environment"
	SourcePath        = "path"
	SourceWellKnown   = "well-known"
	SourceParley      = "parley"
)

// FindConfig configures where to look for the CLI.
type FindConfig struct {
	// Setting is the path that the user chose; "" for none.
	Setting string
	// Env is the environment to look in, in the form of os.Environ.
	Env []string
	// Home is the user's home folder.
	Home string
	// DataDir is Parley's own folder, where it installs its own CLI.
	DataDir string
	// SystemDirs replaces the well-known folders outside the home folder; nil means
	// the usual ones of this system.
	SystemDirs []string
}

// Found is a CLI that can be run.
type Found struct {
	Path string
	// Source is one of the Source constants.
	Source string
}

// Find looks for the CLI: the setting, PARLEY_CLAUDE_BIN, PATH, the well-known
// places, Parley's own folder. A path that the user named is used or rejected,
// never skipped. It only reads folders and runs nothing. Its errors are faults:
// cli_missing, or cli_unusable for an existing file that can't be run.
func Find(cfg FindConfig) (Found, error) {
	env := environ(cfg.Env)
	for _, named := range []Found{
		{cfg.Setting, SourceSetting},
		{env.get("PARLEY_CLAUDE_BIN"), SourceEnvironment},
	} {
		if named.Path == "" {
			continue
		}
		return named, checkNamed(named)
	}
	var broken string
	look := func(source string, dirs []string) (Found, bool) {
		for _, dir := range dirs {
			if !filepath.IsAbs(dir) {
				continue
			}
			for _, name := range cliNames {
				path := filepath.Join(dir, name)
				switch err := checkExecutable(path); {
				case err == nil:
					return Found{path, source}, true
				case !errors.Is(err, fs.ErrNotExist) && broken == "":
					broken = path
				}
			}
		}
		return Found{}, false
	}
	system := cfg.SystemDirs
	if system == nil {
		system = systemDirs()
	}
	for _, place := range []struct {
		source string
		dirs   []string
	}{
		{SourcePath, filepath.SplitList(env.get("PATH"))},
		{SourceWellKnown, append(homeDirs(env, cfg.Home), system...)},
		{SourceParley, ownDirs(cfg.DataDir)},
	} {
		if f, ok := look(place.source, place.dirs); ok {
			return f, nil
		}
	}
	if broken != "" {
		return Found{}, fault.New(fault.CLIUnusable, "The Claude Code CLI at %s cannot be run: it is not an executable file. Reinstall it with: %s", broken, InstallCommand)
	}
	return Found{}, fault.New(fault.CLIMissing, "The Claude Code CLI was not found. Install it with: %s", InstallCommand)
}

func checkNamed(f Found) error {
	what := "the settings"
	if f.Source == SourceEnvironment {
		what = "PARLEY_CLAUDE_BIN"
	}
	err := checkExecutable(f.Path)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.CLIMissing, "There is no Claude Code CLI at %s, the path from %s. Install it with: %s", f.Path, what, InstallCommand)
	default:
		return fault.Wrap(err, fault.CLIUnusable, "The file at %s, the path of the Claude Code CLI from %s, cannot be run: %s.", f.Path, what, plainReason(err))
	}
}

// homeDirs lists the folders in the user's home where installers put the CLI,
// most likely first.
func homeDirs(env environ, home string) []string {
	var dirs []string
	add := func(parts ...string) {
		if parts[0] != "" {
			dirs = append(dirs, filepath.Join(parts...))
		}
	}
	add(home, ".local", "bin")
	add(home, ".claude", "local")
	add(home, ".claude", "local", "node_modules", ".bin")
	add(home, ".npm-global", "bin")
	for _, prefix := range []string{env.get("NPM_CONFIG_PREFIX"), env.get("npm_config_prefix"), npmrcPrefix(home)} {
		if prefix != "" {
			dirs = append(dirs, npmBin(prefix))
		}
	}
	nvm := env.get("NVM_DIR")
	if nvm == "" && home != "" {
		nvm = filepath.Join(home, ".nvm")
	}
	if nvm != "" {
		dirs = append(dirs, versionDirs(filepath.Join(nvm, "versions", "node"), "bin")...)
	}
	volta := env.get("VOLTA_HOME")
	if volta == "" && home != "" {
		volta = filepath.Join(home, ".volta")
	}
	add(volta, "bin")
	fnm := []string{env.get("FNM_DIR")}
	if home != "" {
		fnm = append(fnm, filepath.Join(home, ".local", "share", "fnm"), filepath.Join(home, ".fnm"),
			filepath.Join(home, "Library", "Application Support", "fnm"))
	}
	for _, root := range fnm {
		if root != "" {
			dirs = append(dirs, versionDirs(filepath.Join(root, "node-versions"), "installation", "bin")...)
		}
	}
	add(home, ".bun", "bin")
	return dirs
}

// ownDirs returns where Parley installs its own CLI with npm.
func ownDirs(dataDir string) []string {
	if dataDir == "" {
		return nil
	}
	return []string{filepath.Join(dataDir, "cli", "node_modules", ".bin")}
}

// versionDirs lists root/<version>/rest, newest version first: v10 is newer
// than v9.
func versionDirs(root string, rest ...string) []string {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if len(versionNumbers(e.Name())) > 0 {
			names = append(names, e.Name())
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return compareVersions(b, a) })
	dirs := make([]string, 0, len(names))
	for _, name := range names {
		dirs = append(dirs, filepath.Join(append([]string{root, name}, rest...)...))
	}
	return dirs
}

// npmrcPrefix reads npm's global folder from the user's own configuration,
// without running npm.
func npmrcPrefix(home string) string {
	if home == "" {
		return ""
	}
	f, err := safeopen.Open(filepath.Join(home, ".npmrc"))
	if err != nil {
		return ""
	}
	defer f.Close()
	prefix := ""
	for s := bufio.NewScanner(f); s.Scan(); {
		key, value, ok := strings.Cut(s.Text(), "=")
		if !ok || strings.TrimSpace(key) != "prefix" {
			continue
		}
		prefix = strings.Trim(strings.TrimSpace(value), `"'`)
	}
	prefix = strings.NewReplacer("${HOME}", home, "$HOME", home).Replace(prefix)
	if rest, ok := strings.CutPrefix(prefix, "~/"); ok {
		prefix = filepath.Join(home, rest)
	}
	return prefix
}
