package tmux

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Defaults of a [Config]: a user is alerted about a question while still nearby, and about
// a turn without progress after four minutes.
const (
	DefaultPoll  = 4 * time.Second
	DefaultStall = 60
)

const (
	// MaxText bounds what is typed at once, in bytes: tmux accepts at most 16 KB.
	MaxText = 8000
	// maxLines bounds how many lines of a screen are read.
	maxLines = 2000
	// settle is how long the effect of keys may take.
	settle = 2 * time.Second
	// glance is the interval at which the screen is checked during that time.
	glance = 50 * time.Millisecond
)

// Config configures a [Supervisor].
type Config struct {
	// Program is tmux, "" for the one on the PATH. Socket is the name of its socket, ""
	// for the default; File its configuration, "" for the user's.
	Program, Socket, File string
	// Env returns the environment for tmux and, if it starts its server, for what runs in
	// it. Required.
	Env func() []string
	// CLI returns the CLI's program. Required.
	CLI func(ctx context.Context) (string, error)
	// Store stores what is watched. Required.
	Store Store
	// Alert is called for transitions, from one goroutine at a time. Required.
	Alert func(ctx context.Context, a Alert)
	// Poll is the interval for checking watched panes, Stall the number of unchanged
	// checks after which a turn counts as stalled; 0 is the default.
	Poll   time.Duration
	Stall  int
	Logger *slog.Logger
}

// Store stores the list of watched panes. Package app implements it.
type Store interface {
	Load(ctx context.Context) ([]Watch, error)
	Save(ctx context.Context, all []Watch) error
}

// Supervisor manages terminal sessions. Its methods may be called from any
// goroutine.
type Supervisor struct {
	cfg  Config
	tmux server

	// typing serializes answers and texts, from the check of a pane's screen to the last
	// key.
	typing sync.Mutex

	mu sync.Mutex
	// answered counts how often a pane's question was answered from here.
	answered map[string]int
	// epoch counts how often answered was cleared.
	epoch   int
	watched []*watching
	stop    context.CancelFunc
	done    chan struct{}
}

// New returns a supervisor that watches nothing until [Supervisor.Start].
func New(cfg Config) *Supervisor {
	if cfg.Program == "" {
		cfg.Program = "tmux"
	}
	if cfg.Poll == 0 {
		cfg.Poll = DefaultPoll
	}
	if cfg.Stall == 0 {
		cfg.Stall = DefaultStall
	}
	return &Supervisor{
		cfg: cfg, tmux: server{program: cfg.Program, socket: cfg.Socket, config: cfg.File, env: cfg.Env},
		answered: map[string]int{},
	}
}

// found is a pane with the CLI in it.
type found struct {
	rawPane
	cli process
}

// look lists the panes with the CLI, in the foreground or not.
func (s *Supervisor) look(ctx context.Context) ([]found, error) {
	panes, err := s.tmux.panes(ctx)
	if err != nil || len(panes) == 0 {
		return nil, err
	}
	byID, children, err := processes()
	if err != nil {
		return nil, err
	}
	also, err := s.cfg.CLI(ctx)
	if err != nil {
		also = "" // it may be running anyway
	}
	var list []found
	for _, p := range panes {
		root, ok := byID[p.pid]
		if !ok {
			continue
		}
		if cli, ok := findCLI(children, root, also); ok {
			list = append(list, found{p, cli})
		}
	}
	return list, nil
}

func (s *Supervisor) pane(f *found) Pane {
	return Pane{ID: f.id, Target: f.target(), Session: f.session, Folder: f.folder, PID: f.cli.pid, State: Unknown, Watched: s.isWatched(f.id, f.cli.pid)}
}

// List returns the panes with the CLI in the foreground, in tmux's order.
func (s *Supervisor) List(ctx context.Context) ([]Pane, error) {
	all, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	list := []Pane{}
	for i := range all {
		if !all[i].cli.inFront() {
			continue
		}
		screen, err := s.read(ctx, &all[i], 0)
		if errors.Is(err, ErrNoPane) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, screen.Pane)
	}
	return list, nil
}

// find finds a pane by its id, "session:1.0", "session:1", or "session" if that
// has one with the CLI.
func (s *Supervisor) find(ctx context.Context, target string) (found, error) {
	all, err := s.look(ctx)
	if err != nil {
		return found{}, err
	}
	var hits []found
	for _, f := range all {
		if !f.cli.inFront() {
			continue
		}
		if target == f.id || target == f.target() {
			return f, nil
		}
		if target == f.session || target == f.session+":"+f.window {
			hits = append(hits, f)
		}
	}
	switch len(hits) {
	case 0:
		return found{}, fmt.Errorf("%w: %.100q", ErrNoPane, target)
	case 1:
		return hits[0], nil
	}
	names := make([]string, 0, len(hits))
	for _, f := range hits {
		names = append(names, f.target())
	}
	return found{}, fmt.Errorf("%w: %s", ErrAmbiguous, strings.Join(names, ", "))
}

// read reads the screen of a pane, with that many lines of scrollback.
func (s *Supervisor) read(ctx context.Context, f *found, lines int) (Screen, error) {
	text, err := s.tmux.capture(ctx, f.id, 0, false)
	if err != nil {
		return Screen{}, err
	}
	screen := lookAt(text, f.width)
	screen.Pane = s.pane(f)
	screen.Pane.State = screen.State
	if screen.Fingerprint != "" {
		s.mu.Lock()
		screen.Fingerprint = fmt.Sprintf("%s-%d.%d", screen.Fingerprint, s.epoch, s.answered[f.id+" "+screen.Fingerprint])
		s.mu.Unlock()
	}
	if lines > 0 {
		if text, err = s.tmux.capture(ctx, f.id, min(lines, maxLines), false); err != nil {
			return Screen{}, err
		}
		all := trimmed(text)
		screen.Text = strings.Join(all[max(0, len(all)-lines):], "\n")
	}
	return screen, nil
}

// Screen returns the newest lines of a pane: at least 1, at most 2,000.
func (s *Supervisor) Screen(ctx context.Context, target string, lines int) (Screen, error) {
	f, err := s.find(ctx, target)
	if err != nil {
		return Screen{}, err
	}
	return s.read(ctx, &f, max(lines, 1))
}

// Answer approves a pane's question once, or denies it, if the question still has the
// fingerprint shown. It returns the screen: with the other question and [ErrOther], or
// with the result.
func (s *Supervisor) Answer(ctx context.Context, target, shown string, allow bool) (Screen, error) {
	return s.answer(ctx, target, shown, func(now *Screen) (string, error) {
		if n := now.no(); !allow && n != 0 {
			return strconv.Itoa(n), nil
		}
		if !allow {
			return "Escape", nil
		}
		if !now.Whole {
			return "", ErrCut
		}
		n := now.Yes()
		if n == 0 {
			return "", ErrChoice
		}
		return strconv.Itoa(n), nil
	})
}

// Choose chooses an option of a pane's question, see [Supervisor.Answer].
func (s *Supervisor) Choose(ctx context.Context, target, shown string, option int) (Screen, error) {
	return s.answer(ctx, target, shown, func(now *Screen) (string, error) {
		if !now.Whole {
			return "", ErrCut
		}
		for _, o := range now.Options {
			if o.Number == option {
				return strconv.Itoa(option), nil
			}
		}
		return "", ErrChoice
	})
}

func (s *Supervisor) answer(ctx context.Context, target, shown string, key func(*Screen) (string, error)) (Screen, error) {
	s.typing.Lock()
	defer s.typing.Unlock()
	f, err := s.find(ctx, target)
	if err != nil {
		return Screen{}, err
	}
	now, err := s.read(ctx, &f, 0)
	switch {
	case err != nil:
		return Screen{}, err
	case now.Fingerprint == "":
		return now, ErrNotAsking
	case now.Fingerprint != shown:
		return now, ErrOther
	}
	press, err := key(&now)
	if err != nil {
		return now, err
	}
	bare, _, _ := strings.Cut(now.Fingerprint, "-")
	s.mu.Lock()
	if len(s.answered) >= maxAnswered {
		clear(s.answered)
		s.epoch++ // no fingerprint shown before matches anymore
	}
	s.answered[f.id+" "+bare]++
	s.mu.Unlock()
	for try := 1; ; try++ {
		// A digit chooses immediately, and if the question has just gone it is only a
		// character in an unsent prompt.
		if err := s.tmux.key(ctx, f.id, press); err != nil {
			return Screen{}, err
		}
		after, err := s.settled(ctx, &f, func(after *Screen) bool {
			return !strings.HasPrefix(after.Fingerprint, bare+"-")
		})
		// The CLI ignores keys in the first moments of a question as accidental.
		if !errors.Is(err, ErrUnsure) || try == tries {
			return after, err
		}
	}
}

// tries is how often a key without effect is pressed.
const tries = 3

// maxAnswered bounds the remembered answered questions.
const maxAnswered = 1000

// settled waits until the screen shows the expected result.
func (s *Supervisor) settled(ctx context.Context, f *found, ok func(*Screen) bool) (Screen, error) {
	tick := time.NewTicker(glance)
	defer tick.Stop()
	end := time.NewTimer(settle)
	defer end.Stop()
	for {
		screen, err := s.read(ctx, f, 0)
		if err != nil || ok(&screen) {
			return screen, err
		}
		select {
		case <-ctx.Done():
			return screen, ctx.Err()
		case <-end.C:
			return screen, ErrUnsure
		case <-tick.C:
		}
	}
}
