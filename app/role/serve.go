package role

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/app/gateway"
	"parley/backend/fault"
	"parley/backend/owner"
	"parley/backend/paths"
	"parley/backend/platform/safeopen"
)

// The sockets receive how everything ended before they are closed; that takes at most goodbye. They
// wait for the back end at most patience, so that everything ends within five seconds.
const (
	patience = 3 * time.Second
	goodbye  = 1500 * time.Millisecond
)

// announcement is the server's first line, and what --announce writes to the data folder.
type announcement struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
}

const announceName = "gateway.json"

// demoFlag adds the flag --demo, also by its former name.
func demoFlag(set *flag.FlagSet, on *bool) {
	set.BoolVar(on, "demo", false, "use a scripted model in every session (no account, no network)")
	set.BoolVar(on, "rehearsal", false, "the former name of --demo")
}

func (p Program) serve(args []string) int {
	set := p.flags("parley serve", "parley serve [flags]\n\n"+
		"Serves Parley to browsers and programs. The first line on standard output is JSON\n"+
		"with the address and the token; open \"url#token=token\" in a browser.")
	var cfg gateway.Config
	var opts Options
	set.StringVar(&cfg.Listen, "listen", "127.0.0.1:0", "`address` to listen on; port 0 means any")
	set.BoolVar(&cfg.AllowRemote, "allow-remote", false, "allow an unencrypted address that other computers can reach")
	set.StringVar(&cfg.Cert, "tls-cert", "", "`file` with a certificate in PEM; with --tls-key the connection is encrypted")
	set.StringVar(&cfg.Key, "tls-key", "", "`file` with the certificate's key")
	set.Func("host", "another host `name` that browsers may use for this server, or https://NAME of\na proxy in front of it (repeatable)", func(name string) error {
		cfg.Hosts = append(cfg.Hosts, name)
		return nil
	})
	data := set.String("data", "", "`folder` for Parley's data, instead of the usual one")
	demoFlag(set, &opts.Scripted)
	announce := set.Bool("announce", false, "save the address and token in the data folder for \"parley call\"; commands that\n"+
		"Claude runs could read them there and answer their own requests")
	verbose := set.Bool("verbose", false, "log more")
	start := p.takeOver()
	start.heard = make(chan struct{})
	if code, ok := parse(set, args, 0); !ok {
		if code != exitOK {
			_ = start.back(errMisread) // it is logged
		}
		return code
	}

	dirs, err := p.dirs(*data)
	if err != nil {
		return p.fail(start.back(err))
	}
	log, file := p.logger(*verbose, dirs)
	defer func() { _ = file.Close() }()
	start.logsTo(log)
	s := &server{Program: p, start: start, again: make(chan struct{}, 1), dirs: dirs}
	hangUps := make(chan os.Signal, 1)
	ctx, stop := untilSignal(log, hangUps)
	defer stop()
	s.hangUps = hangUps
	opts.Dirs, opts.Version, opts.Wait, opts.Log = dirs, p.Version, endWait, log
	opts.Again = func() { owner.Wake(s.again) }
	opts.Probe = func(ctx context.Context) error { return s.start.probe(ctx, dirs, false) }
	opts.Handed, opts.Updater = s.start.handed(), p.updater(s.start.path(), dirs, log)
	cfg.Page, cfg.Version, cfg.Log, cfg.Listener = p.Page, p.Version, log, p.Given.File(gatewayFile)
	// Existing clients find it at the same address, with the same token.
	if cfg.Token = s.start.left.Token; cfg.Token == "" {
		cfg.Token = gateway.NewToken()
	}
	if *announce {
		s.file = filepath.Join(dirs.Data, announceName)
	}
	backend, err := p.Open(opts)
	if err == nil {
		cfg.Methods, cfg.Bus = backend.Methods(), backend.Bus()
		err = s.run(ctx, backend, cfg)
	}
	if err != nil {
		return p.fail(s.start.back(err))
	}
	return exitOK
}

// server is a gateway with its back end.
type server struct {
	Program
	start   *takeover
	dirs    paths.Dirs
	again   chan struct{}
	hangUps <-chan os.Signal
	// file is where the address is announced, "" for nowhere.
	file string
}

// run returns when ctx has ended, and everything with it, or when a restart failed. It closes the
// back end in any case.
func (p *server) run(ctx context.Context, backend Backend, cfg gateway.Config) (err error) {
	closed := false
	closeBackend := func() error {
		if closed {
			return nil
		}
		closed = true
		return backend.Close()
	}
	defer func() { err = errors.Join(err, closeBackend()) }()
	defer p.start.hears()

	if err := backend.Start(ctx); err != nil {
		return err
	}
	cfg.Button, cfg.Problems, cfg.Health = backend.Button, backend.Problems, backend.Health
	cfg.Devices = backend.Devices()
	token := cfg.Token
	g, err := gateway.Listen(cfg)
	if err != nil {
		return err
	}
	if cfg.Devices != nil {
		cfg.Devices.Listens(g.URL(), nil)
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve() }()
	said := p.Stdout
	if cfg.Listener != nil {
		said = io.Discard // it was printed before
	}
	err = announce(said, announcement{URL: g.URL(), Token: token, PID: os.Getpid()}, p.file)
	if err == nil {
		watching := watched(g.URL(), backend, cfg.Log)
		p.start.ready()
		p.returned(ctx, g)
		for {
			var anew bool
			if anew, err = p.wait(ctx, backend, served, cfg.Log); !anew {
				break
			}
			leave := func() (*os.File, error) {
				watching.pause()
				return p.leave(g, served, cfg.Log)
			}
			if closed, err = p.replaceProgram(backend, leave, left{Token: token, Listening: g.Listening()}, cfg.Log); closed {
				return err
			}
		}
		watching.end()
	}
	if p.file != "" {
		if e := os.Remove(p.file); e != nil && !errors.Is(e, os.ErrNotExist) {
			cfg.Log.Warn("Couldn't remove the announcement file", "file", p.file, "err", e)
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
		cfg.Log.Warn("Some sockets didn't close in time", "err", e)
	}
	<-ended
	return errors.Join(err, backendErr, <-served)
}

// returning is how long former event subscribers may take to reconnect.
const returning = time.Second

// returned waits for them: they would miss what sessions say before.
func (p *server) returned(ctx context.Context, g *gateway.Gateway) {
	ctx, cancel := context.WithTimeout(ctx, returning)
	defer cancel()
	g.Await(ctx, p.start.left.Listening)
	p.start.hears()
}

// wait returns when it is time to end or to restart.
func (p *server) wait(ctx context.Context, backend Backend, served chan error, log *slog.Logger) (anew bool, err error) {
	ctx, over := context.WithCancel(ctx)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer over()
	asking.Go(func() { restartOnHangUp(ctx, p.hangUps, backend, log) })
	select {
	case <-ctx.Done():
		return false, nil
	case <-p.again:
		return true, nil
	case err = <-served:
		served <- nil
		return false, err
	}
}

// replaceProgram executes the program on disk in place of this one. It only returns on failure: after
// everything was closed, or with nothing done.
func (p *server) replaceProgram(backend Backend, leave func() (*os.File, error), l left, log *slog.Logger) (closed bool, err error) {
	var listener *os.File
	var left error
	handed, err := backend.HandOver(func() { listener, left = leave() })
	if err = errors.Join(err, left); err != nil {
		log.Warn("Restart had a problem", "err", err)
	}
	if handed == nil {
		return false, nil
	}
	return true, p.start.handOver(p.dirs, handed, listener, l)
}

// leave ends the gateway, except for the listener: new connections wait there for the next one.
func (p *server) leave(g *gateway.Gateway, served <-chan error, log *slog.Logger) (*os.File, error) {
	listener, err := g.File()
	leaving, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	if err := g.Leave(leaving); err != nil {
		log.Warn("Some sockets didn't close in time", "err", err)
	}
	return listener, errors.Join(err, <-served)
}

// announce publishes the gateway's address.
func announce(to io.Writer, a announcement, file string) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if file != "" {
		// An existing file may be readable by others.
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fault.Wrap(err, fault.Unavailable, "The old %s cannot be removed.", file)
		}
		if err := os.WriteFile(file, append(line, '\n'), 0o600); err != nil {
			return fault.Wrap(err, fault.Unavailable, "The address file cannot be written in %s.", file)
		}
	}
	if _, err := fmt.Fprintf(to, "%s\n", line); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The address cannot be written to standard output.")
	}
	return nil
}

// findServer locates a running server: by PARLEY_URL and PARLEY_TOKEN, or by an announcement in the
// data folder.
func (p Program) findServer(data string) (announcement, error) {
	if url, token := p.Getenv("PARLEY_URL"), p.Getenv("PARLEY_TOKEN"); url != "" || token != "" {
		if url == "" || token == "" || !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
			return announcement{}, fault.New(fault.Invalid, "Set both PARLEY_URL (http://… or https://…) and PARLEY_TOKEN.")
		}
		return announcement{URL: url, Token: token}, nil
	}
	dirs, err := p.dirs(data)
	if err != nil {
		return announcement{}, err
	}
	file := filepath.Join(dirs.Data, announceName)
	text, err := safeopen.Read(file, 64<<10)
	if err != nil {
		return announcement{}, fault.Wrap(err, fault.Unavailable,
			"No running Parley was found. Start one with \"parley serve --announce\", or set PARLEY_URL and PARLEY_TOKEN.")
	}
	var a announcement
	if err := json.Unmarshal(text, &a); err != nil || a.URL == "" {
		return announcement{}, fault.Wrap(err, fault.Invalid, "%s is damaged. Remove it.", file)
	}
	return a, nil
}

// LogValue keeps the token out of logs.
func (a announcement) LogValue() slog.Value {
	return slog.GroupValue(slog.String("url", a.URL), slog.Int("pid", a.PID))
}
