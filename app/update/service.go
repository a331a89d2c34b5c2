package update

import (
	"context"
	"log/slog"
	"time"

	"parley/app/feature"
	"parley/app/method"
	"parley/app/restart"
	"parley/backend/fault"
	"parley/backend/update"
)

// every is the minimum interval between automatic checks.
const every = 24 * time.Hour

// Config has an update's dependencies.
type Config struct {
	// Updater is nil if updates are not possible.
	Updater  *update.Updater
	Restarts interface {
		Restart(ctx context.Context, p restart.RestartParams) (restart.Restarting, error)
	}
	// Probe tests the program on disk.
	Probe func(ctx context.Context) error
	// Handed is what the previous program left, nil for nothing.
	Handed *restart.Handed
	Log    *slog.Logger
}

// Service implements app.updates and app.update.
type Service struct{ cfg Config }

// New returns the service, and concludes a pending update: with this program it has succeeded or
// failed.
func New(cfg Config) *Service {
	if cfg.Updater == nil {
		cfg.Updater = &update.Updater{Log: cfg.Log}
		return &Service{cfg}
	}
	end := cfg.Updater.Settle
	if cfg.Handed != nil && cfg.Handed.Past.Failed != "" {
		end = cfg.Updater.Back
	}
	if err := end(); err != nil {
		cfg.Log.Error("Couldn't finish an update", "err", err)
	}
	return &Service{cfg}
}

// Methods are the service's API methods.
func (s *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("app.updates", "Whether there is a newer Parley, or what else updates this one.",
			s.Updates),
		method.New("app.update", "Installs the newest Parley and continues as that version in the same process; running turns continue. Only for users on a surface with full access.",
			s.Update),
	}
}

// Updates is app.updates.
func (s *Service) Updates(ctx context.Context, p UpdatesParams) (Updates, error) {
	return Look(ctx, s.cfg.Updater, p.Fresh)
}

// Look checks for a newer Parley.
func Look(ctx context.Context, u *update.Updater, fresh bool) (Updates, error) {
	now := Updates{State: "off", Version: u.Version}
	if err := u.Possible(); err != nil {
		now.How = fault.MessageOf(err)
		return now, nil
	}
	old := every
	if fresh {
		old = 0
	}
	offer, err := u.Check(ctx, old)
	if err != nil {
		return Updates{}, err
	}
	now.State = "current"
	if offer != nil {
		now.State, now.Newer, now.Notes, now.Told = "available", offer.Version, offer.Notes, offer.Told
	}
	return now, nil
}

// Update is app.update.
func (s *Service) Update(ctx context.Context, _ feature.Empty) (Updated, error) {
	if d, ok := method.DeviceOf(ctx); method.Surface(ctx) == "" || ok && d.Once {
		return Updated{}, fault.New(fault.Forbidden, "Update Parley in its window, or on a device that may do everything.")
	}
	s.cfg.Log.Info("Updating", "asked", method.Surface(ctx))
	version, err := s.cfg.Updater.Install(ctx, s.cfg.Probe)
	if err != nil {
		return Updated{}, err
	}
	got, err := s.cfg.Restarts.Restart(ctx, restart.RestartParams{When: "idle"})
	if err != nil {
		return Updated{}, err
	}
	return Updated{Version: version, State: got.State}, nil
}
