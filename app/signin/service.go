package signin

import (
	"context"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/google/uuid"

	"parley/app/feature"
	"parley/app/method"
	"parley/backend/claude"
	"parley/backend/fault"
	"parley/backend/platform/process"
)

const (
	// limit is how long a login may take: the user may have to look up a password.
	limit = 15 * time.Minute
	// patience is how long the CLI may take to print the address.
	patience = 30 * time.Second
	maxCode  = 4096
)

// Config has the dependencies of signing in. All fields are required.
type Config struct {
	// Env is the base of the CLI's environment, Home the user's home folder.
	Env  []string
	Home string
	// Desktop is set if this computer's browser is the user's own.
	Desktop bool
	// CLI is the path of the CLI.
	CLI interface {
		Path(ctx context.Context) (string, error)
	}
	Log *slog.Logger
}

// Service implements account.*. There is one login at a time: a new one ends the previous one.
type Service struct {
	cfg Config

	mu      sync.Mutex
	current *login
	closed  bool
	running sync.WaitGroup
}

// New returns the service. It starts nothing.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// Begin starts the CLI's login and returns the address once it is known.
func (s *Service) Begin(ctx context.Context, p SignInParams) (SignIn, error) {
	cli, err := s.cfg.CLI.Path(ctx)
	if err != nil {
		return SignIn{}, err
	}
	l, err := s.start(cli, p.Console)
	if err != nil {
		return SignIn{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	news, url, err := l.wait(ctx, func() bool { return l.url != "" })
	switch {
	case err != nil:
		l.cancel()
		return SignIn{}, fault.Wrap(err, fault.Unavailable, "Claude Code did not provide a sign-in address.")
	case url == "":
		return SignIn{}, fault.New(fault.Unavailable, "Claude Code could not start signing in. %s", news.Message)
	}
	return SignIn{ID: l.id, URL: url, Opened: s.cfg.Desktop}, nil
}

func (s *Service) start(cli string, console bool) (*login, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fault.New(fault.Unavailable, "Parley is shutting down.")
	}
	if s.current != nil {
		s.current.cancel()
	}
	args := []string{"auth", "login"}
	if console {
		args = append(args, "--console")
	}
	env := claude.EnvironConfig{Base: s.cfg.Env, Home: s.cfg.Home, PathDirs: []string{filepath.Dir(cli)}}
	if !s.cfg.Desktop {
		env.Extra = []string{"BROWSER=true"} // the user may be at another computer
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	cmd := exec.CommandContext(ctx, cli, args...)
	cmd.Dir, cmd.Env = s.cfg.Home, claude.Environ(env)
	process.Bind(cmd) // otherwise the CLI would wait for its code forever
	cmd.Cancel = func() error { return terminate(cmd.Process) }
	cmd.WaitDelay = 3 * time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	l := &login{id: uuid.NewString(), cancel: cancel, stdin: stdin, changed: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = lines(l.hearAddress), lines(l.hearMessage)
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fault.Wrap(err, fault.CLIUnusable, "Claude Code could not be started.")
	}
	s.current = l
	s.running.Go(func() {
		defer cancel()
		err := cmd.Wait()
		l.end(err == nil, ctx.Err())
		s.cfg.Log.Info("Sign-in ended", "signedIn", err == nil)
	})
	return l, nil
}

// Await waits for news of a login: it ended, or the CLI wants another code.
func (s *Service) Await(ctx context.Context, p SignInRef) (SignInNews, error) {
	l, err := s.find(p.ID)
	if err != nil {
		return SignInNews{}, err
	}
	news, _, err := l.wait(ctx, func() bool { return l.message != "" && !l.told })
	return news, err
}

// Code passes the web page's code to the CLI.
func (s *Service) Code(_ context.Context, p SignInCode) (feature.Empty, error) {
	l, err := s.find(p.ID)
	if err != nil {
		return feature.Empty{}, err
	}
	code := strings.TrimSpace(p.Code)
	if code == "" || len(code) > maxCode || strings.ContainsFunc(code, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return feature.Empty{}, fault.New(fault.Invalid, "This is not a sign-in code. Copy all of it from the web page.")
	}
	l.mu.Lock()
	l.code, l.message, l.told = code, "", false
	l.mu.Unlock()
	if _, err := io.WriteString(l.stdin, code+"\n"); err != nil {
		return feature.Empty{}, fault.New(fault.Conflict, "This sign-in has ended. Start again.")
	}
	return feature.Empty{}, nil
}

// Cancel cancels a login. It does nothing if the login has ended.
func (s *Service) Cancel(_ context.Context, p SignInRef) (feature.Empty, error) {
	if l, err := s.find(p.ID); err == nil {
		l.cancel()
	}
	return feature.Empty{}, nil
}

func (s *Service) find(id string) (*login, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || s.current.id != id {
		return nil, fault.New(fault.NotFound, "This sign-in has ended. Start again.")
	}
	return s.current, nil
}

// Close ends a running login, and waits for it.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	if s.current != nil {
		s.current.cancel()
	}
	s.mu.Unlock()
	s.running.Wait()
}

// Methods are the service's API methods.
func (s *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("account.signIn", "Starts the CLI's own sign-in, and returns the address where the user signs in. Cancels an earlier sign-in.", s.Begin),
		method.New("account.signInCode", "Hands the CLI the code that the web page showed.", s.Code),
		method.New("account.awaitSignIn", "Waits until a sign-in ends, or needs another code.", s.Await),
		method.New("account.cancelSignIn", "Cancels a sign-in.", s.Cancel),
	}
}
