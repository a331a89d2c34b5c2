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

// The marks that every process Parley starts carries in its environment, and
// passes on to its own children, so that they can be found when nobody else knows
// them any more.
const (
	// MarkOwner holds the process id of the Parley that started it, and MarkStarted
	// what tells that Parley from others with the same number, see [Config.Started].
	MarkOwner   = "PARLEY_PID"
	MarkStarted = "PARLEY_STARTED"
	// MarkSession holds the session's id.
	MarkSession = "PARLEY_SESSION"
	// markRun names one CLI process: a session has many, one after the other.
	markRun = "PARLEY_RUN"
)

// EnvironConfig says what a CLI's environment is made of.
type EnvironConfig struct {
	// Base is the environment to start from, as os.Environ gives it.
	Base []string
	// Home is the user's home folder, for the folders that PATH may lack.
	Home string
	// Extra wins over Base.
	Extra []string
	// PathDirs are folders that PATH must have at its end, such as the CLI's own.
	PathDirs []string
}

// Environ makes the environment of a CLI. From Base it drops what would tell the
// CLI that it runs inside another CLI or in a terminal of its own, and every
// PARLEY_ variable: they configure Parley, some are secret, and the model's
// commands can read all that the CLI has. A program started from a desktop often
// gets a PATH without the user's own folders; those that exist are added at the
// end, and none is removed.
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

// dropped says whether a variable of Parley's own environment stays behind.
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

// baseDirs are the folders without which hardly a shell command works.
func baseDirs() []string {
	if filepath.Separator != '/' {
		return nil
	}
	return []string{"/bin", "/usr/sbin", "/sbin"}
}

// marks are the variables by which a CLI's descendants are found again.
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

// ReadMarks finds the marks in an environment, as the system keeps it: KEY=value,
// each ended by a zero byte. It says false when there are none.
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

// get returns the last value of key, "" when there is none.
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

// LookPath finds a program on the PATH of env rather than on Parley's own. Its error is
// [exec.ErrNotFound].
func LookPath(name string, env []string) (string, error) {
	for _, dir := range filepath.SplitList(environ(env).get("PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}
