// Package roomstore opens the store of rooms: a file, or a NATS server with the file as its replica. It
// notices if the file is not the one that was left. It knows nothing of sessions.
//
// It starts no goroutine: those of the server's connection are its own.
package roomstore

import (
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/google/uuid"

	"parley/app/feature"
	"parley/app/storage"
	"parley/backend/kept"
	"parley/backend/paths"
	"parley/backend/room"
	"parley/backend/room/embedded"
	"parley/backend/settings"
)

// Config has the dependencies. All fields are required.
type Config struct {
	// Data is the data folder.
	Data string
	// Choices name the server, if there is one, and Secrets open it.
	Choices settings.Rooms
	Secrets feature.Secrets
	// Lost finds a good copy of a damaged file; Disks are notified of each failed write.
	Lost interface {
		NewestCopy(file string) func() string
	}
	Disks *storage.Disks
	// Keep knows the last state of the file.
	Keep *kept.Keep
	Log  *slog.Logger
}

// Store has the rooms, and what belongs to them.
type Store struct {
	room.Store
	// Node is this Parley's id.
	Node string

	cfg Config
	// local is the local store, and file the name of its file. begin starts a shared one; it is nil
	// for local rooms.
	local *embedded.Store
	file  string
	begin func()
	// older reports that the file is not the one that was left.
	older bool
}

// New opens the store. Its errors are faults.
func New(cfg Config) (*Store, error) {
	file := paths.RoomsFile
	if cfg.Choices.NATSURL != "" {
		file = paths.RoomsNATSFile // rooms on a server and local ones are different
	}
	local, err := embedded.Open(embedded.Config{
		Path: filepath.Join(cfg.Data, file), Logger: cfg.Log, Copy: cfg.Lost.NewestCopy(file), Failed: cfg.Disks.Of(storage.ThingRooms),
	})
	if err != nil {
		return nil, err
	}
	r := &Store{Store: local, cfg: cfg, local: local, file: file}
	if r.Node, err = nodeOf(local); err == nil {
		err = r.compare()
	}
	if err == nil && cfg.Choices.NATSURL != "" {
		err = r.span(cfg.Choices, cfg.Secrets)
	}
	if err != nil {
		return nil, errors.Join(err, local.Close())
	}
	return r, nil
}

// Start connects to the server, if there is one.
func (r *Store) Start() {
	if r.begin != nil {
		r.begin()
	}
}

// Close records the state of the file, and closes everything.
func (r *Store) Close() error {
	if err := r.note(); err != nil {
		r.cfg.Log.Warn("Couldn't record the state of the rooms", "err", err)
	}
	if r.Store == room.Store(r.local) {
		return r.local.Close()
	}
	return errors.Join(r.Store.Close(), r.local.Close())
}

// nodeMark is the key of this Parley's id.
const nodeMark = "node"

// nodeOf is this Parley's id, created on first use.
func nodeOf(local *embedded.Store) (string, error) {
	node, err := local.Mark(nodeMark)
	if err != nil || node != "" {
		return node, err
	}
	node = uuid.NewString()
	return node, local.SetMark(nodeMark, node)
}
