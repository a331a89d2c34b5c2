package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"parley/backend/claude"
	holder "parley/backend/host"
)

// Processes has the control groups of the CLIs.
type Processes interface {
	// Started marks processes, see [claude.Config].
	Started() string
	// Group creates a control group for a session's CLI, HeldGroup returns that of a CLI being
	// taken over, by its folder; nil for none.
	Group(sessionID string) claude.Group
	HeldGroup(folder string) claude.Group
	HandOver() (state json.RawMessage, life *os.File, err error)
	CancelHandOver()
	TakeOver(state json.RawMessage) error
}

// handWait is how long running work may take to reach a state that can be handed over.
const handWait = 2 * time.Second

// handed is the running work for the program that this process becomes. It contains secrets, and is
// stored only with the host of the CLIs in the meantime.
type handed struct {
	Questions json.RawMessage `json:"questions"`
	Sessions  json.RawMessage `json:"sessions"`
	Tools     json.RawMessage `json:"tools"`
	Groups    json.RawMessage `json:"groups,omitempty"`
}

// HandOver freezes the sessions with their requests and tools, and leaves the host of their CLIs.
// The program that this process becomes must inherit host and the bare files under their numbers.
// If host is nil, no CLI is handed over and all continue. Afterwards the frozen sessions belong to
// the other program: closing them here does nothing. The error says why they can't be handed over.
func (e *Service) HandOver() (host *os.File, bare []*os.File, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), handWait)
	defer cancel()
	host, bare, err = e.handOver(ctx)
	e.left = host != nil
	return host, bare, err
}

// errUnheld is for a Parley without a host for its CLIs.
var errUnheld = errors.New("nothing holds the CLIs but this program")

func (e *Service) handOver(ctx context.Context) (host *os.File, bare []*os.File, err error) {
	var h handed
	if h.Questions, err = e.cfg.Desk.HandOver(ctx); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			e.cfg.Desk.CancelHandOver()
		}
	}()
	registry := e.cfg.Registry()
	if h.Sessions, err = registry.HandOver(ctx); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			registry.CancelHandOver()
		}
	}()
	if h.Tools, err = e.cfg.Tools.HandOver(ctx); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			e.cfg.Tools.CancelHandOver()
		}
	}()
	bare = e.cfg.Tools.Inherit()
	state, life, err := e.cfg.Processes.HandOver()
	if err != nil {
		return nil, nil, err
	}
	if h.Groups = state; life != nil {
		bare = append(bare, life)
	}
	defer func() {
		if err != nil {
			e.cfg.Processes.CancelHandOver()
		}
	}()
	raw, err := json.Marshal(h)
	if err != nil {
		return nil, nil, err
	}
	if e.host == nil || e.host.PID() == 0 {
		return nil, nil, errUnheld
	}
	host, err = e.host.Detach(raw)
	return host, bare, err
}

// TakeOver continues what another program handed over in this process, nil for nothing. The CLIs'
// output is read once heard is closed.
func (e *Service) TakeOver(file *os.File, heard <-chan struct{}) {
	if file == nil {
		return
	}
	if err := e.takeOver(file, heard); err != nil {
		e.cfg.Log.Error("Couldn't resume everything that was handed over", "err", err)
	}
}

func (e *Service) takeOver(file *os.File, heard <-chan struct{}) error {
	host, raw, err := holder.Attach(file, holder.Config{Program: e.cfg.Program.Path, Log: e.cfg.Log})
	if err != nil {
		return fmt.Errorf("take over the CLIs of the previous program: %w", err)
	}
	e.host = host
	defer host.EndUnclaimed()
	var h handed
	if err := json.Unmarshal(raw, &h); err != nil {
		return fmt.Errorf("read what the program before this one left: %w", err)
	}
	return errors.Join(e.cfg.Processes.TakeOver(h.Groups), e.cfg.Tools.TakeOver(h.Tools), e.cfg.Desk.TakeOver(h.Questions), e.cfg.Registry().TakeOver(h.Sessions, heard))
}
