package tmux

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const (
	// callTimeout bounds one call of tmux, which takes milliseconds.
	callTimeout = 10 * time.Second
	// maxOutput bounds the output of one call.
	maxOutput = 4 << 20
	// maxPanes bounds the number of panes.
	maxPanes = 500
)

// server is the program tmux, and the server behind one socket.
type server struct {
	// program is "tmux" or a path; socket a name for -L, "" for the default; config a
	// file for -f, "" for the user's.
	program, socket, config string
	env                     func() []string
}

// errNoServer means that there is no tmux server.
var errNoServer = errors.New("no tmux server runs")

func (s *server) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	argv := []string{"-u"} // otherwise it draws non-ASCII text as underscores
	if s.config != "" {
		argv = append(argv, "-f", s.config)
	}
	if s.socket != "" {
		argv = append(argv, "-L", s.socket)
	}
	var out, problem capped
	cmd := exec.CommandContext(ctx, s.program, append(argv, args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = s.env(), &out, &problem
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch said := strings.TrimSpace(problem.String()); {
	case err == nil:
		return out.String(), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", ErrMissing
	case ctx.Err() != nil:
		return "", fmt.Errorf("tmux %s: %w", args[0], ctx.Err())
	case noServer(said):
		return "", fmt.Errorf("%w: %s", errNoServer, said)
	case strings.HasPrefix(said, "can't find"):
		return "", fmt.Errorf("%w: %s", ErrNoPane, said)
	default:
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, said)
	}
}

// noServer reports whether tmux's error means that there is no server, or that it is
// just ending.
func noServer(said string) bool {
	for _, begin := range []string{"no server running", "error connecting to", "server exited", "lost server", "no current target", "no sessions"} {
		if strings.HasPrefix(said, begin) {
			return true
		}
	}
	return false
}

// capped keeps the start of what is written to it.
type capped struct{ buf bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := maxOutput - c.buf.Len(); room > 0 {
		c.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (c *capped) String() string { return strings.ToValidUTF8(c.buf.String(), "\uFFFD") }

var _ io.Writer = (*capped)(nil)

// rawPane is a pane as tmux reports it.
type rawPane struct {
	id, tty, session string
	pid, width       int
	// window and index are tmux's numbers.
	window, index string
	folder        string
}

func (p *rawPane) target() string { return p.session + ":" + p.window + "." + p.index }

// panes lists all panes whose program hasn't ended.
func (s *server) panes(ctx context.Context) ([]rawPane, error) {
	mark, err := newMark()
	if err != nil {
		return nil, err
	}
	fields := []string{"pane_id", "pane_pid", "pane_width", "pane_tty", "window_index", "pane_index", "pane_dead", "session_name", "pane_current_path"}
	format := ""
	for _, f := range fields {
		format += mark + "#{" + f + "}"
	}
	out, err := s.run(ctx, "list-panes", "-a", "-F", format+mark)
	if errors.Is(err, errNoServer) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parsePanes(out, mark, len(fields)), nil
}

// newMark returns a field separator that can't be guessed by choosing a session's
// or folder's name. tmux replaces unprintable characters, so it is printable.
func newMark() (string, error) {
	var b [12]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("make a separator: %w", err)
	}
	return "|" + hex.EncodeToString(b[:]) + "|", nil
}

func parsePanes(out, mark string, n int) []rawPane {
	var list []rawPane
	parts := strings.Split(out, mark)
	// A record is between n+1 marks; records are separated by line ends.
	for i := 1; i+n < len(parts) && len(list) < maxPanes; i += n + 1 {
		f := parts[i : i+n]
		pid, err1 := strconv.Atoi(f[1])
		width, err2 := strconv.Atoi(f[2])
		if err1 != nil || err2 != nil || f[6] == "1" || !strings.HasPrefix(f[0], "%") {
			continue
		}
		list = append(list, rawPane{id: f[0], pid: pid, width: width, tty: f[3], window: f[4], index: f[5], session: f[7], folder: f[8]})
	}
	return list
}

// capture returns the newest lines of a pane; colours keeps the terminal's
// color codes.
func (s *server) capture(ctx context.Context, id string, lines int, colours bool) (string, error) {
	args := []string{"capture-pane", "-p", "-t", id}
	if lines > 0 {
		args = append(args, "-S", strconv.Itoa(-lines))
	}
	if colours {
		args = append(args, "-e")
	}
	return s.run(ctx, args...)
}

// text types characters literally; key presses a named key.
func (s *server) text(ctx context.Context, id, text string) error {
	_, err := s.run(ctx, "send-keys", "-t", id, "-l", "--", text)
	return err
}

func (s *server) key(ctx context.Context, id, name string) error {
	_, err := s.run(ctx, "send-keys", "-t", id, name)
	return err
}

// spawn starts a program in its own session and returns its pane.
func (s *server) spawn(ctx context.Context, name, folder string, argv []string) (string, error) {
	// tmux treats a folder as a format, and a format can run programs: "#(…)".
	folder = strings.ReplaceAll(folder, "#", "##")
	args := []string{"new-session", "-d", "-P", "-F", "#{pane_id}", "-s", name, "-c", folder, "-x", "200", "-y", "50", "--", "env"}
	// tmux passes a single argument to a shell, and runs several directly: env ensures
	// several, and removes the variables that tell the CLI that it is in tmux.
	for _, v := range []string{"TMUX", "TMUX_PANE", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"} {
		args = append(args, "-u", v)
	}
	for try := 1; ; try++ {
		out, err := s.run(ctx, append(args, argv...)...)
		if try < tries && errors.Is(err, errNoServer) && ctx.Err() == nil {
			continue // the server was just ending; the next call starts another
		}
		return strings.TrimSpace(out), err
	}
}

func (s *server) has(ctx context.Context, name string) (bool, error) {
	_, err := s.run(ctx, "has-session", "-t", "="+name)
	if errors.Is(err, ErrNoPane) || errors.Is(err, errNoServer) {
		return false, nil
	}
	return err == nil, err
}

func (s *server) kill(ctx context.Context, id string) error {
	_, err := s.run(ctx, "kill-pane", "-t", id)
	return err
}
