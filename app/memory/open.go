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

// Config has the memory's dependencies. All fields are required.
type Config struct {
	// Data is the data folder, Env the environment with the user's name.
	Data string
	Env  []string
	// Keep has the accepted versions of the files.
	Keep       outside.Keeper
	Own        *tool.Asker
	Prefs      func() settings.Values
	Workspaces *workspace.Registry
	// Tools know what a session's CLI was started with.
	Tools *tool.Host
	// Speaker is the Mattermost author of the prompt a session works on, nil for the local user.
	Speaker func(sessionID string) *event.Author
	Publish func(event.Event)
	Log     *slog.Logger
}

// New opens the memory. The files found the first time count as accepted.
func New(cfg Config) (*Service, error) {
	store, err := memory.Open(memory.Config{
		Dir: filepath.Join(cfg.Data, paths.MemoryFolder), Person: feature.LoginName(cfg.Env), Keep: cfg.Keep, Logger: cfg.Log,
	})
	if err != nil {
		return nil, err
	}
	if _, err := store.Look(); err != nil {
		cfg.Log.Warn("Couldn't read the memory", "err", err)
	}
	return &Service{
		Store: store, own: cfg.Own, prefs: cfg.Prefs, workspaces: cfg.Workspaces,
		given:   func(id string) (string, bool) { return cfg.Tools.Given(id, setID) },
		speaker: cfg.Speaker, publish: cfg.Publish, log: cfg.Log, pace: newPace(time.Now), told: map[string]toldMemory{},
	}, nil
}
