package memory

import (
	"log/slog"
	"path/filepath"
	"time"

	"parley/app/feature"
	"parley/app/tool"
	"parley/backend/event"
	"parley/backend/memory"
	"parley/backend/outside"
	"parley/backend/paths"
	"parley/backend/session/workspace"
	"parley/backend/settings"
)

// Config is what the memory needs of the rest. All fields are required.
type Config struct {
	// Data is the data folder, Env the environment that says who the user is.
	Data string
	Env  []string
	// Keep has what was accepted of the files.
	Keep       outside.Keeper
	Own        *tool.Asker
	Prefs      func() settings.Values
	Workspaces *workspace.Registry
	// Tools know what a session's CLI was started with.
	Tools *tool.Host
	// Speaker is who wrote in the chat what a session works on, nil for the user here.
	Speaker func(sessionID string) *event.Author
	Publish func(event.Event)
	Log     *slog.Logger
}

// New opens what is remembered. What is there the first time is accepted.
func New(cfg Config) (*Service, error) {
	store, err := memory.Open(memory.Config{
		Dir: filepath.Join(cfg.Data, paths.MemoryFolder), Person: feature.LoginName(cfg.Env), Keep: cfg.Keep, Logger: cfg.Log,
	})
	if err != nil {
		return nil, err
	}
	if _, err := store.Look(); err != nil {
		cfg.Log.Warn("Cannot look at the memory", "err", err)
	}
	return &Service{
		Store: store, own: cfg.Own, prefs: cfg.Prefs, workspaces: cfg.Workspaces,
		given:   func(id string) (string, bool) { return cfg.Tools.Given(id, setID) },
		speaker: cfg.Speaker, publish: cfg.Publish, log: cfg.Log, pace: newPace(time.Now), told: map[string]toldMemory{},
	}, nil
}
