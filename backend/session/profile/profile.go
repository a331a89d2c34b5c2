package profile

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/fault"
	"parley/backend/store/model"
)

// Records stores profiles by id.
type Records interface {
	All() ([]model.Profile, error)
	Put(id string, p model.Profile) error
	Delete(id string) error
}

// Secrets stores values of variables under a profile's id and a variable's
// name. Its errors are [ErrNoSecret], or faults that say why the keyring can't
// be used.
type Secrets interface {
	Get(ctx context.Context, id, name string) (string, error)
	Set(ctx context.Context, id, name, value string) error
	// Delete is no error if there is nothing to delete.
	Delete(ctx context.Context, id, name string) error
	// Check returns why the keyring can't be used, nil if it can.
	Check(ctx context.Context) error
}

// ErrNoSecret means that the keyring has no such secret.
var ErrNoSecret = errors.New("no such secret in the keyring")

// Config configures Profiles. All fields except Env are required.
type Config struct {
	Records Records
	Secrets Secrets
	// Env is the base environment, in the form of os.Environ.
	Env []string
	Log *slog.Logger
}

// Profiles manages all profiles. Methods may be called from any goroutine.
type Profiles struct {
	cfg Config
	// changing makes the change of a record and its secrets atomic.
	changing sync.Mutex
	// lacking is why the last access to a secret failed, nil if it worked.
	lacking atomic.Pointer[error]
}

// New returns the profiles in the records.
func New(cfg Config) *Profiles { return &Profiles{cfg: cfg} }

// Status is a profile with the state of its secrets.
type Status struct {
	model.Profile
	// Missing are its secrets without a value. It is empty if the keyring can't be
	// accessed.
	Missing []string
}

// Change creates or replaces a profile.
type Change struct {
	// ID is "" for a new one.
	ID, Name, Kind string
	Env            map[string]string
	Helper         string
	// Secrets are values by variable name; "" removes one. Others are kept.
	Secrets map[string]string
}

// listLimit bounds how long List waits for the keyring.
const listLimit = 3 * time.Second

// List returns the profiles by name, and why secrets can't be stored, "" if they
// can.
func (p *Profiles) List(ctx context.Context) ([]Status, string, error) {
	all, err := p.all()
	if err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	keyring := fault.MessageOf(p.cfg.Secrets.Check(ctx))
	if keyring == "" {
		p.lacking.Store(nil)
	}
	list := make([]Status, 0, len(all))
	for _, one := range all {
		s := Status{Profile: one, Missing: []string{}}
		for _, name := range one.Secrets {
			if keyring != "" {
				break
			}
			switch _, err := p.secret(ctx, &one, name); {
			case errors.Is(err, ErrNoSecret):
				s.Missing = append(s.Missing, name)
			case err != nil:
				keyring = fault.MessageOf(err)
			}
		}
		list = append(list, s)
	}
	return list, keyring, nil
}

// all returns the profiles by name.
func (p *Profiles) all() ([]model.Profile, error) {
	all, err := p.cfg.Records.All()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b model.Profile) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// Get returns a profile (fault not_found).
func (p *Profiles) Get(id string) (model.Profile, error) {
	all, err := p.cfg.Records.All()
	if err != nil {
		return model.Profile{}, err
	}
	for _, one := range all {
		if one.ID == id {
			return one, nil
		}
	}
	return model.Profile{}, fault.New(fault.NotFound, "The profile of this session was deleted. Choose another one, or none.")
}

// Known reports whether a profile exists.
func (p *Profiles) Known(id string) bool {
	_, err := p.Get(id)
	return err == nil
}

// Set creates or replaces a profile. Faults: invalid for invalid contents,
// not_found for an unknown id, conflict for a name that is taken, unavailable if
// the keyring rejects a secret; then nothing has changed.
func (p *Profiles) Set(ctx context.Context, c Change) (Status, error) {
	p.changing.Lock()
	defer p.changing.Unlock()
	all, err := p.cfg.Records.All()
	if err != nil {
		return Status{}, err
	}
	next, removed, err := p.change(all, c)
	if err != nil {
		return Status{}, err
	}
	undo, err := p.keep(ctx, next.ID, c.Secrets)
	if err != nil {
		return Status{}, err
	}
	if err := p.cfg.Records.Put(next.ID, next); err != nil {
		undo()
		return Status{}, err
	}
	for _, name := range removed {
		// The profile no longer has it, so what remains is a stray entry.
		if err := p.cfg.Secrets.Delete(ctx, next.ID, name); err != nil {
			p.cfg.Log.Warn("Couldn't remove a secret from the keyring", "profile", next.ID, "name", name, "err", err)
		}
	}
	s := Status{Profile: next, Missing: []string{}}
	for _, name := range next.Secrets {
		if c.Secrets[name] != "" {
			continue
		}
		if _, err := p.secret(ctx, &next, name); errors.Is(err, ErrNoSecret) {
			s.Missing = append(s.Missing, name)
		}
	}
	return s, nil
}

// change computes the new record and the secrets that it no longer has.
func (p *Profiles) change(all []model.Profile, c Change) (next model.Profile, removed []string, err error) {
	at := -1
	if c.ID == "" {
		if len(all) >= maxProfiles {
			return next, nil, fault.New(fault.TooLarge, "There are %d profiles already. Delete one first.", maxProfiles)
		}
		next.ID = strings.ToLower(rand.Text())
	} else {
		at = slices.IndexFunc(all, func(o model.Profile) bool { return o.ID == c.ID })
		if at < 0 {
			return next, nil, fault.New(fault.NotFound, "There is no profile %.100q. It may have been deleted.", c.ID)
		}
		next = all[at]
	}
	next.Name, next.Kind, next.Helper = strings.TrimSpace(c.Name), c.Kind, strings.TrimSpace(c.Helper)
	// It increases with every change, whatever the clock does.
	next.Env, next.UpdatedAt = maps.Clone(c.Env), max(time.Now().UnixMilli(), next.UpdatedAt+1)
	if err := checkSecrets(c.Secrets); err != nil {
		return next, nil, err
	}
	next.Secrets = slices.Clone(next.Secrets)
	for name, value := range c.Secrets {
		next.Secrets = slices.DeleteFunc(next.Secrets, func(n string) bool { return n == name })
		if value != "" {
			next.Secrets = append(next.Secrets, name)
		} else if at >= 0 {
			removed = append(removed, name)
		}
	}
	slices.Sort(next.Secrets)
	if err := check(&next, p.offered(next.Name)); err != nil {
		return next, nil, err
	}
	for i, other := range all {
		if i != at && mark(other.Name) == mark(next.Name) {
			return next, nil, fault.New(fault.Conflict, "A profile named %q already exists.", other.Name)
		}
	}
	return next, removed, nil
}

// keep stores values in the keyring, all or none. undo removes them again.
func (p *Profiles) keep(ctx context.Context, id string, values map[string]string) (undo func(), err error) {
	type old struct{ name, value string }
	var done []old
	undo = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
		defer cancel()
		for _, o := range done {
			err := p.cfg.Secrets.Delete(ctx, id, o.name)
			if o.value != "" {
				err = p.cfg.Secrets.Set(ctx, id, o.name, o.value)
			}
			if err != nil {
				p.cfg.Log.Warn("Couldn't undo a change to the keyring", "profile", id, "name", o.name, "err", err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] == "" {
			continue
		}
		before, err := p.cfg.Secrets.Get(ctx, id, name)
		if err == nil || errors.Is(err, ErrNoSecret) {
			err = p.cfg.Secrets.Set(ctx, id, name, values[name])
		}
		if err != nil {
			undo()
			return nil, err
		}
		done = append(done, old{name, before})
	}
	return undo, nil
}

// Delete removes a profile and its secrets. If the keyring keeps one, the profile
// is gone anyway, and the fault says what remains.
func (p *Profiles) Delete(ctx context.Context, id string) error {
	p.changing.Lock()
	defer p.changing.Unlock()
	one, err := p.Get(id)
	if err != nil {
		return fault.Wrap(err, fault.NotFound, "There is no profile %.100q. It may have been deleted already.", id)
	}
	if err := p.cfg.Records.Delete(id); err != nil {
		return err
	}
	var left []string
	for _, name := range one.Secrets {
		if e := p.cfg.Secrets.Delete(ctx, id, name); e != nil {
			left, err = append(left, account(id, name)), e
		}
	}
	if len(left) > 0 {
		return fault.Wrap(err, fault.Unavailable, "The profile was deleted, but the keyring still has its secrets (%s of %s): %s",
			strings.Join(left, ", "), service, fault.MessageOf(err))
	}
	return nil
}
