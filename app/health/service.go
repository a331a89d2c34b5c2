// Package health reports the public part of Parley's state: whatever it says may be read without a
// token, so it has no names, texts or paths. It knows its sources only by what it asks them.
//
// It starts no goroutine.
package health

import "context"

// Config has the dependencies. All fields are required.
type Config struct {
	// Outside counts the files with changes that need a user's decision.
	Outside interface{ Count(ctx context.Context) int }
	// Store is why its own store is in doubt, "" if it is not.
	Store interface{ Doubt() string }
	// Audit counts the records that could not be written.
	Audit interface{ Unwritten() (n uint64, why error) }
	// Processes is how the processes of sessions are contained.
	Processes interface{ Held() string }
}

// Service reports the state.
type Service struct{ cfg Config }

// New returns the service.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// Health is the state, by name.
func (s *Service) Health(ctx context.Context) map[string]any {
	log := "complete"
	if n, _ := s.cfg.Audit.Unwritten(); n > 0 {
		log = "incomplete"
	}
	return map[string]any{"held": s.cfg.Outside.Count(ctx), "doubt": s.cfg.Store.Doubt(), "audit": log, "containment": s.cfg.Processes.Held()}
}
