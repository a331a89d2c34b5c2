package claude

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The marks in the environment of every process Parley starts. Children inherit
// them, so descendants can be found when nothing else tracks them.
const (
	// MarkOwner holds the process id of the Parley that started it, and MarkStarted
	// what distinguishes that Parley from others with the same pid, see
	// [Config.Started].
	MarkOwner   = "PARLEY_PID"
	MarkStarted = "PARLEY_STARTED"
	// MarkSession holds the session's id.
	MarkSession = "PARLEY_SESSION"
	// markRun identifies one CLI process: a session has many over time.
	markRun = "PARLEY_RUN"
)

// EnvironConfig describes a CLI's environment.
type EnvironConfig struct {
	// Base is the environment to start from, in the form of os.Environ.
	Base []string
	// Home is the user's home folder, for folders that may be missing in PATH.
	Home string
	// Extra overrides Base.
	Extra []string
	// PathDirs are folders to append to PATH, such as the CLI's own.
	PathDirs []string
}

// Environ returns the environment of a CLI. From Base it removes what would tell
// the CLI that it runs inside another CLI or in its own terminal, and every
// PARLEY_ variable: they configure Parley, some are secret, and the model's
// commands can read everything the CLI has. A program started from a desktop
// often gets a PATH without the user's own folders; existing ones are appended,
// and none is removed.
func Environ(cfg EnvironConfig) []string {
	var env environ
	for _, kv := range cfg.Base {
		if key, _, ok := strings.Cut(kv, "="); ok && !dropped(key) {
			env = append(env, kv)
		}
	}
	for _, kv := range cfg.Extra {
		key, value, _ := strings.Cut(kv, "=")
		env = env.set(key, value)
	}
	return env.set("PATH", repairPath(env, cfg.Home, cfg.PathDirs))
}

// dropped reports whether a variable of Parley's own environment is removed.
func dropped(key string) bool {
	switch key {
	case "CLAUDECODE", "TMUX", "TMUX_PANE",
		"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID",
		"CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_EXECPATH", "CLAUDE_CODE_TMUX_SESSION",
		"CLAUDE_PID", "CLAUDE_AGENT_SDK_VERSION":
		return true
	}
	return strings.HasPrefix(key, "PARLEY_")
}

func repairPath(env environ, home string, more []string) string {
	dirs := filepath.SplitList(env.get("PATH"))
	add := func(dir string) {
		if !filepath.IsAbs(dir) || slices.Contains(dirs, dir) {
			return
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range more {
		add(dir)
	}
	for _, dir := range homeDirs(env, home) {
		add(dir)
	}
	for _, dir := range systemDirs() {
		add(dir)
	}
	for _, dir := range baseDirs() {
		add(dir)
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// baseDirs returns the folders that nearly every shell command needs.
func baseDirs() []string {
	if filepath.Separator != '/' {
		return nil
	}
	return []string{"/bin", "/usr/sbin", "/sbin"}
}

// marks returns the variables used to find a CLI's descendants.
func marks(started, sessionID, run string) []string {
	return []string{
		MarkOwner + "=" + strconv.Itoa(os.Getpid()),
		MarkStarted + "=" + started,
		MarkSession + "=" + sessionID,
		markRun + "=" + run,
	}
}

// Marks are the marks of one process.
type Marks struct {
	Owner              int
	Started, SessionID string
	run                string
}

// ReadMarks finds the marks in an environment in the system's format: KEY=value,
// each terminated by a zero byte. It returns false if there are none.
func ReadMarks(env []byte) (Marks, bool) {
	if !bytes.Contains(env, []byte(MarkOwner+"=")) {
		return Marks{}, false
	}
	var m Marks
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		key, value, _ := strings.Cut(string(kv), "=")
		switch key {
		case MarkOwner:
			m.Owner, _ = strconv.Atoi(value)
		case MarkStarted:
			m.Started = value
		case MarkSession:
			m.SessionID = value
		case markRun:
			m.run = value
		}
	}
	return m, m.Owner > 0
}

// environ is a list of KEY=value.
type environ []string

// get returns the last value of key, "" if there is none.
func (e environ) get(key string) string {
	for _, kv := range slices.Backward(e) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == key {
			return v
		}
	}
	return ""
}

// set returns the list with key once, at its end.
func (e environ) set(key, value string) environ {
	e = slices.DeleteFunc(slices.Clone(e), func(kv string) bool {
		k, _, _ := strings.Cut(kv, "=")
		return k == key
	})
	return append(e, key+"="+value)
}

// LookPath finds a program on the PATH of env instead of Parley's own. Its error is
// [exec.ErrNotFound].
func LookPath(name string, env []string) (string, error) {
	for _, dir := range filepath.SplitList(environ(env).get("PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}
