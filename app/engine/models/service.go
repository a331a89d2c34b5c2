// Package models has the models, effort levels and commands that sessions can choose from, as the CLIs
// themselves report them. It knows the engine only as what starts a CLI for an answer.
//
// It starts no goroutine.
package models

import (
	"context"
	"encoding/json"
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

// Limits on what is remembered, and how long it waits.
const (
	maxOffers = 100
	// modelWait bounds the request to a running CLI, probeWait the whole run of a CLI started only for it.
	modelWait = 5 * time.Second
	probeWait = 15 * time.Second
)

// Config has the dependencies. All fields are required.
type Config struct {
	// Engine starts a CLI only to read what it offers, and returns when it has ended. Its errors are
	// faults.
	Engine interface {
		Probe(ctx context.Context, spec session.Spec) (json.RawMessage, error)
	}
	// CLI is the CLI and its version, "" if unknown.
	CLI interface {
		Find(ctx context.Context) (found claude.Found, version string, err error)
	}
	// Scripted is true if every session uses the scripted model.
	Scripted bool
	// Session returns a session's record, running or not. Its errors are faults.
	Session func(ctx context.Context, id string) (event.Session, error)
	// Control sends a request to a session's CLI (fault unavailable or not_found if none is running).
	Control func(ctx context.Context, id string, body wire.ControlBody) ([]byte, error)
	// Profiles know when one last changed.
	Profiles interface{ Updated(id string) int64 }
	// Dir is a folder for its cache; it may be deleted.
	Dir string
	Log *slog.Logger
}

// Service implements model.list: the choices that the CLIs themselves report. Every CLI reports them at its start, so
// most requests are answered from memory, or from a file left by the last Parley. If there is no answer yet, a CLI is
// started only for that, one at a time, and ended immediately.
type Service struct {
	cfg Config
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

// New returns the service; the engine passes it what CLIs report.
func New(cfg Config) *Service {
	return &Service{
		cfg: cfg, probing: make(chan struct{}, 1),
		offers: map[string]offer{}, commands: map[string][]sessions.Command{},
	}
}

// Models returns what an existing or new session can choose from. If no CLI could be asked, the list is empty and has a
// message.
func (m *Service) Models(ctx context.Context, p sessions.ModelsParams) (sessions.ModelList, error) {
	spec := session.Spec{Profile: p.Profile, Scripted: m.cfg.Scripted}
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
func (m *Service) running(ctx context.Context, id string) (sessions.ModelList, bool) {
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

// Heard records what a session's CLI reported at its start.
func (m *Service) Heard(spec session.Spec, raw json.RawMessage) {
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
func (m *Service) known(ctx context.Context, spec session.Spec) (offer, bool) {
	version, updated := m.basis(ctx, spec)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load()
	o, ok := m.offers[offerKey(spec)]
	return o, ok && o.Version == version && o.Updated == updated
}

// basis is what an answer depends on: it changes with the CLI or the profile.
func (m *Service) basis(ctx context.Context, spec session.Spec) (version string, updated int64) {
	_, version, _ = m.cfg.CLI.Find(ctx)
	if spec.Profile != "" {
		updated = m.cfg.Profiles.Updated(spec.Profile)
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
func (m *Service) probe(ctx context.Context, spec session.Spec, refresh bool) (offer, error) {
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
	raw, err := m.cfg.Engine.Probe(ctx, spec)
	if err != nil && ctx.Err() != nil {
		return offer{}, slow(ctx)
	}
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

// Methods are the service's API methods.
func (m *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("model.list", "The models, effort levels, and commands, as reported by the CLI.",
			m.Models),
	}
}
