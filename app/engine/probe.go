package engine

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"parley/backend/claude"
	"parley/backend/fault"
	"parley/backend/session"
)

// probeWait bounds the whole run of a CLI started only to read what it offers.
const probeWait = 15 * time.Second

// Probe starts a CLI only to read what it offers, and returns when it has ended. Nothing is sent to a model, nothing of
// the user's runs (hooks, MCP servers), and no conversation is created.
func (e *Service) Probe(ctx context.Context, spec session.Spec) (json.RawMessage, error) {
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
	if err == nil {
		return raw, nil
	}
	return nil, fault.Wrap(err, fault.Unavailable, "Claude Code ended before it listed its models and commands.")
}
