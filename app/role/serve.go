package role

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/app/gateway"
	"parley/backend/fault"
)

// The sockets hear how everything ends before they are closed; that takes goodbye
// at most. They wait for the back end no longer than patience, so that everything
// ends within five seconds.
const (
	patience = 3 * time.Second
	goodbye  = 1500 * time.Millisecond
)

// announcement is the server's first line, and what --announce leaves in the data
// folder.
type announcement struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
}

const announceName = "gateway.json"

func (p Program) serve(args []string) int {
	set := p.flags("parley serve", "parley serve [flags]\n\n"+
		"Serves Parley to browsers and programs. The first line on standard output is JSON\n"+
		"with the address and the token; open \"url#token=token\" in a browser.")
	var cfg gateway.Config
	var opts Options
	set.StringVar(&cfg.Listen, "listen", "127.0.0.1:0", "`address` to listen on; port 0 means any")
	set.BoolVar(&cfg.AllowRemote, "allow-remote", false, "permit an address that other machines can reach (not encrypted)")
	set.Func("host", "a further host `name` under which browsers may reach this server (repeatable)", func(name string) error {
		cfg.Hosts = append(cfg.Hosts, name)
		return nil
	})
	data := set.String("data", "", "`folder` for Parley's data, instead of the usual one")
	set.BoolVar(&opts.Rehearsal, "rehearsal", false, "let every session talk to a scripted model: no account, no network")
	announce := set.Bool("announce", false, "leave address and token in the data folder, for \"parley call\"; the commands that a\n"+
		"model runs could read them there and answer their own questions")
	verbose := set.Bool("verbose", false, "log more")
	if code, ok := parse(set, args, 0); !ok {
		return code
	}

	log := p.logger(*verbose)
	ctx, stop := untilSignal(log)
	defer stop()
	dirs, err := p.dirs(*data)
	if err != nil {
		return p.fail(err)
	}
	opts.Dirs, opts.Version, opts.Wait, opts.Log = dirs, p.Version, endWait, log
	backend, err := p.Open(opts)
	if err != nil {
		return p.fail(err)
	}
	cfg.Methods, cfg.Bus, cfg.Page = backend.Methods(), backend.Bus(), p.Page
	cfg.Token, cfg.Version, cfg.Log = gateway.NewToken(), p.Version, log
	file := ""
	if *announce {
		file = filepath.Join(dirs.Data, announceName)
	}
	if err := p.runServer(ctx, backend, cfg, file); err != nil {
		return p.fail(err)
	}
	return exitOK
}

// runServer returns when ctx has ended and everything with it. It closes the back
// end in any case.
func (p Program) runServer(ctx context.Context, backend Backend, cfg gateway.Config, file string) (err error) {
	closed := false
	closeBackend := func() error {
		if closed {
			return nil
		}
		closed = true
		return backend.Close()
	}
	defer func() { err = errors.Join(err, closeBackend()) }()

	if err := backend.Start(ctx); err != nil {
		return err
	}
	cfg.Button = backend.Button
	g, err := gateway.Listen(cfg)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve() }()
	if err = p.announce(g, file); err == nil {
		select {
		case <-ctx.Done():
		case err = <-served:
			served <- nil
		}
	}
	if file != "" {
		if e := os.Remove(file); e != nil && !errors.Is(e, os.ErrNotExist) {
			cfg.Log.Warn("The announcement could not be removed", "file", file, "error", e)
		}
	}
	ended := make(chan struct{})
	var backendErr error
	go func() {
		defer close(ended)
		backendErr = closeBackend()
	}()
	select {
	case <-ended:
	case <-time.After(patience):
	}
	closing, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	if e := g.Close(closing); e != nil {
		cfg.Log.Warn("Some sockets did not close in time", "error", e)
	}
	<-ended
	return errors.Join(err, backendErr, <-served)
}

// announce says where the gateway is.
func (p Program) announce(g *gateway.Gateway, file string) error {
	line, err := json.Marshal(announcement{URL: g.URL(), Token: g.Token(), PID: os.Getpid()})
	if err != nil {
		return err
	}
	if file != "" {
		// The name of a file that is still there may be readable by others.
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fault.Wrap(err, fault.Unavailable, "The old %s cannot be removed.", file)
		}
		if err := os.WriteFile(file, append(line, '\n'), 0o600); err != nil {
			return fault.Wrap(err, fault.Unavailable, "The address cannot be announced in %s.", file)
		}
	}
	if _, err := fmt.Fprintf(p.Stdout, "%s\n", line); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The address cannot be written to standard output.")
	}
	return nil
}

// findServer says where a running server is: by PARLEY_URL and PARLEY_TOKEN, or by
// what one announced in the data folder.
func (p Program) findServer(data string) (announcement, error) {
	if url, token := p.Getenv("PARLEY_URL"), p.Getenv("PARLEY_TOKEN"); url != "" || token != "" {
		if url == "" || token == "" || !strings.HasPrefix(url, "http://") {
			return announcement{}, fault.New(fault.Invalid, "Set both PARLEY_URL (http://…) and PARLEY_TOKEN.")
		}
		return announcement{URL: url, Token: token}, nil
	}
	dirs, err := p.dirs(data)
	if err != nil {
		return announcement{}, err
	}
	file := filepath.Join(dirs.Data, announceName)
	text, err := os.ReadFile(file)
	if err != nil {
		return announcement{}, fault.Wrap(err, fault.Unavailable,
			"No running Parley was found. Start one with \"parley serve --announce\", or set PARLEY_URL and PARLEY_TOKEN.")
	}
	var a announcement
	if err := json.Unmarshal(text, &a); err != nil || a.URL == "" {
		return announcement{}, fault.Wrap(err, fault.Invalid, "%s cannot be understood. Remove it.", file)
	}
	return a, nil
}

// LogValue keeps the token out of logs.
func (a announcement) LogValue() slog.Value {
	return slog.GroupValue(slog.String("url", a.URL), slog.Int("pid", a.PID))
}
