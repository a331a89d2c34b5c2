package engine

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley/app/method"
	"parley/app/sessions"
	"parley/backend/claude"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
)

// Limits on what models remembers, and how long it waits.
const (
	maxOffers = 100
	// modelWait bounds the request to a running CLI, probeWait the whole run of a CLI started only for it.
	modelWait = 5 * time.Second
	probeWait = 15 * time.Second
)

// modelsConfig has its dependencies. All fields are required.
type modelsConfig struct {
	Engine *Service
	// Session returns a session's record, running or not. Its errors are faults.
	Session func(ctx context.Context, id string) (event.Session, error)
	// Control sends a request to a session's CLI (fault unavailable or not_found if none is running).
	Control func(ctx context.Context, id string, body wire.ControlBody) ([]byte, error)
	// Updated is when a profile last changed.
	Updated func(profile string) int64
	// Dir is a folder for its cache; it may be deleted.
	Dir string
	Log *slog.Logger
}

// models implements model.list: the choices that the CLIs themselves report. Every CLI reports them at its start, so
// most requests are answered from memory, or from a file left by the last Parley. If there is no answer yet, a CLI is
// started only for that, one at a time, and ended immediately.
//
// It starts no goroutine that outlives a call.
type models struct {
	cfg modelsConfig
	// probing is held while a CLI is started for an answer.
	probing chan struct{}

	mu sync.Mutex
	// offers are the last answers, by the CLI's environment.
	offers map[string]offer
	// commands are what a session's CLI last reported: they depend on its folder.
	commands map[string][]sessions.Command
	loaded   bool
}

// offer is a cached answer, with what it depends on.
type offer struct {
	Version  string             `json:"version"`
	Updated  int64              `json:"updated"`
	At       int64              `json:"at"`
	SignedIn bool               `json:"signedIn"`
	Models   []sessions.Model   `json:"models"`
	Commands []sessions.Command `json:"commands"`
}

// newModels returns the service; the engine passes it what CLIs report. It starts nothing; whatever calls start has
// ended when they return.
func newModels(cfg modelsConfig) *models {
	m := &models{
		cfg: cfg, probing: make(chan struct{}, 1),
		offers: map[string]offer{}, commands: map[string][]sessions.Command{},
	}
	return m
}

// list returns what an existing or new session can choose from. If no CLI could be asked, the list is empty and has a
// message.
func (m *models) list(ctx context.Context, p sessions.ModelsParams) (sessions.ModelList, error) {
	spec := session.Spec{Profile: p.Profile, Scripted: m.cfg.Engine.cfg.Scripted}
	if p.SessionID != "" {
		s, err := m.cfg.Session(ctx, p.SessionID)
		if err != nil {
			return sessions.ModelList{}, err
		}
		spec.Profile, spec.Scripted = s.Profile, spec.Scripted || s.Scripted
		if list, ok := m.running(ctx, s.ID); ok {
			return list, nil
		}
	}
	o, known := m.known(ctx, spec)
	var err error
	if !known || p.Refresh {
		o, err = m.probe(ctx, spec, p.Refresh)
	}
	if ctx.Err() != nil {
		return sessions.ModelList{}, ctx.Err()
	}
	if err != nil {
		m.cfg.Log.Info("Couldn't ask the CLI for its models and commands", "err", err)
		o = offer{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if commands, ok := m.commands[p.SessionID]; ok {
		o.Commands = commands // those of its folder
	}
	list := listOf(o)
	if err != nil {
		list.Message = fault.MessageOf(err)
	}
	return list, nil
}

// running asks a session's own CLI, if it is running.
func (m *models) running(ctx context.Context, id string) (sessions.ModelList, bool) {
	ctx, cancel := context.WithTimeout(ctx, modelWait)
	defer cancel()
	raw, err := m.cfg.Control(ctx, id, wire.ListModels())
	if err != nil {
		return sessions.ModelList{}, false
	}
	said, err := wire.DecodeOffer(raw)
	if err != nil || len(said.Models) == 0 {
		return sessions.ModelList{}, false
	}
	o := offer{At: time.Now().UnixMilli(), SignedIn: true, Models: modelsOf(said.Models)}
	m.mu.Lock()
	defer m.mu.Unlock()
	o.Commands = m.commands[id]
	return listOf(o), true
}

// heard records what a session's CLI reported at its start.
func (m *models) heard(spec session.Spec, raw json.RawMessage) {
	said, err := wire.DecodeOffer(raw)
	if err != nil {
		m.cfg.Log.Warn("Couldn't read the CLI's models and commands", "session", spec.SessionID, "err", err)
		return
	}
	commands := commandsOf(said)
	m.mu.Lock()
	if _, ok := m.commands[spec.SessionID]; !ok && len(m.commands) >= maxOffers {
		clear(m.commands)
	}
	m.commands[spec.SessionID] = commands
	m.mu.Unlock()
}

// known returns the last answer, unless what it depends on has changed.
func (m *models) known(ctx context.Context, spec session.Spec) (offer, bool) {
	version, updated := m.basis(ctx, spec)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load()
	o, ok := m.offers[offerKey(spec)]
	return o, ok && o.Version == version && o.Updated == updated
}

// basis is what an answer depends on: it changes with the CLI or the profile.
func (m *models) basis(ctx context.Context, spec session.Spec) (version string, updated int64) {
	_, version, _ = m.cfg.Engine.cfg.CLI.Find(ctx)
	if spec.Profile != "" {
		updated = m.cfg.Updated(spec.Profile)
	}
	return version, updated
}

func offerKey(spec session.Spec) string {
	if spec.Scripted {
		return "rehearsal"
	}
	return "profile:" + spec.Profile
}

// probe starts and asks a CLI, unless another caller has just done so.
func (m *models) probe(ctx context.Context, spec session.Spec, refresh bool) (offer, error) {
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	asked := time.Now().UnixMilli()
	select {
	case m.probing <- struct{}{}:
		defer func() { <-m.probing }()
	case <-ctx.Done():
		return offer{}, slow(ctx)
	}
	if o, ok := m.known(ctx, spec); ok && (!refresh || o.At > asked) {
		return o, nil
	}
	version, updated := m.basis(ctx, spec)
	spec.CWD = filepath.Join(m.cfg.Dir, "probe")
	if err := os.MkdirAll(spec.CWD, 0o700); err != nil {
		return offer{}, fault.Wrap(err, fault.Unavailable, "The folder %s cannot be created.", spec.CWD)
	}
	raw, err := m.cfg.Engine.probe(ctx, spec)
	if err != nil {
		return offer{}, err
	}
	said, err := wire.DecodeOffer(raw)
	if err != nil {
		return offer{}, fault.Wrap(err, fault.Unavailable, "Parley does not understand this CLI's list of models and commands.")
	}
	o := offer{
		Version: version, Updated: updated, At: time.Now().UnixMilli(), SignedIn: said.SignedIn,
		Models: modelsOf(said.Models), Commands: commandsOf(said),
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load()
	if _, ok := m.offers[offerKey(spec)]; !ok && len(m.offers) >= maxOffers {
		clear(m.offers)
	}
	m.offers[offerKey(spec)] = o
	m.save()
	return o, nil
}

func slow(ctx context.Context) error {
	return fault.Wrap(ctx.Err(), fault.Unavailable, "Claude Code did not list its models and commands. Try again.")
}

// probe starts a CLI only to read what it offers, and returns when it has ended. Nothing is sent to a model, nothing of
// the user's runs (hooks, MCP servers), and no conversation is created.
func (e *Service) probe(ctx context.Context, spec session.Spec) (json.RawMessage, error) {
	env, err := e.environment(ctx, spec)
	if err != nil {
		return nil, err
	}
	settings := map[string]any{"disableAllHooks": true}
	for key, value := range env.Settings {
		settings[key] = value
	}
	started, err := claude.NewEngine(claude.Config{
		CLI: e.cfg.CLI.Path, Env: env.Base, Home: e.cfg.Home, Log: e.cfg.Log, Started: e.cfg.Processes.Started(), Launch: e.launch,
		Extra: func(session.Spec) ([]string, []string, error) {
			args, err := settingsArgs(settings)
			return env.Extra, append(append(args, bareArgs()...), "--no-session-persistence"), err
		},
		InitializeTimeout: probeWait,
		Host:              func(session.Spec) claude.Host { return (&host{engine: e, spec: spec}).take },
	}).Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	process, ok := started.(*claude.Process)
	if !ok {
		return nil, errors.New("the CLI's process is not one")
	}
	var ended sync.WaitGroup
	ended.Go(func() {
		for range process.Frames() { //nolint:revive // nothing is to be done with them
		}
	})
	raw, err := process.Initialized(ctx)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeWait)
	defer cancel()
	if stop := process.Stop(stopping); stop != nil {
		e.cfg.Log.Warn("Couldn't stop the CLI started to list its models", "err", stop)
	}
	ended.Wait()
	switch {
	case err == nil:
		return raw, nil
	case ctx.Err() != nil:
		return nil, slow(ctx)
	}
	return nil, fault.Wrap(err, fault.Unavailable, "Claude Code ended before it listed its models and commands.")
}

func (m *models) methods() []*method.Method {
	return []*method.Method{
		method.New("model.list", "The models, effort levels, and commands, as reported by the CLI.",
			m.list),
	}
}
