package tmux

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

// standIn runs in a pane in place of the CLI: it draws what it receives over a
// socket, and reports pressed keys.
func standIn() {
	dir, err := os.Getwd()
	if err != nil {
		os.Exit(2)
	}
	conn, err := net.Dial("unix", filepath.Join(dir, "s"))
	if err != nil {
		os.Exit(3)
	}
	raw := exec.Command("stty", "raw", "-echo")
	raw.Stdin = os.Stdin
	if err := raw.Run(); err != nil {
		os.Exit(4)
	}
	go func() {
		keys := make([]byte, 4096)
		for {
			n, err := os.Stdin.Read(keys)
			if err != nil {
				os.Exit(0)
			}
			line, _ := json.Marshal(string(keys[:n]))
			if _, err := conn.Write(append(line, '\n')); err != nil {
				os.Exit(0)
			}
		}
	}()
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var screen string
		if json.Unmarshal(lines.Bytes(), &screen) != nil {
			os.Exit(5)
		}
		_, _ = os.Stdout.WriteString("\x1b[H\x1b[2J" + strings.ReplaceAll(screen, "\n", "\r\n"))
	}
	os.Exit(0)
}

// actor is the other end of a stand-in's socket.
type actor struct {
	conn net.Conn
	done chan struct{}
	// mu guards keys, all pressed keys, and press, which is called for them.
	mu    sync.Mutex
	keys  string
	press func(keys string)
}

// act starts a stand-in in a session.
func act(t *testing.T, b *bench, name string) *actor {
	t.Helper()
	dir := filepath.Join(b.home, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := b.Spawn(t.Context(), Spawn{Name: name, Folder: dir}); err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	a := &actor{conn: conn, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			var keys string
			if json.Unmarshal(lines.Bytes(), &keys) != nil {
				return
			}
			a.mu.Lock()
			a.keys += keys
			press := a.press
			a.mu.Unlock()
			if press != nil {
				press(keys)
			}
		}
	}()
	t.Cleanup(func() {
		conn.Close()
		<-a.done
	})
	return a
}

func (a *actor) draw(t *testing.T, screen string) {
	line, err := json.Marshal(screen)
	if err != nil {
		t.Error(err)
	}
	if _, err := a.conn.Write(append(line, '\n')); err != nil {
		t.Error(err)
	}
}

func (a *actor) pressed() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.keys
}

func (a *actor) onPress(fn func(keys string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.press = fn
}

// standInCLI returns the program that acts as the CLI.
func standInCLI(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "claude")
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	return name
}

// Screens as the CLI draws them, in 200 columns.

func ruled() string { return strings.Repeat("─", 200) }

// idleScreen has a message, and an unsent draft.
func idleScreen(said, draft, status string) string {
	return "\n❯ do it\n\n● " + said + "\n\n" + ruled() + "\n❯ " + draft + "\n" + ruled() + "\n  " + status
}

func workingScreen(said, spinner string) string {
	return "\n❯ do it\n\n● " + said + "\n\n" + spinner + "\n\n" + ruled() + "\n❯ \n" + ruled() + "\n  ⏸ manual mode on · esc to interrupt"
}

func askScreen(command string) string {
	return "\n❯ do it\n\n● Running a command\n\n" + ruled() + "\n Bash command\n\n " + command + "\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. Yes, and don’t ask again\n   3. No\n\n Esc to cancel · Tab to amend"
}
