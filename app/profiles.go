package app

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"parley/backend/fault"
	"parley/backend/profile"
)

// profiles is the service behind profile.*.
type profiles struct {
	all     *profile.Profiles
	keyring *profile.Keyring
}

// newProfiles makes the profiles in records, with the secrets in the system's
// keyring, over the environment env. It starts nothing; close waits for what the
// keyring still does. known, of profile ids, is what workspaces ask; environ is what
// the engine asks.
func newProfiles(records profile.Records, env []string, log *slog.Logger) *profiles {
	keyring := &profile.Keyring{}
	return &profiles{
		all:     profile.New(profile.Config{Records: records, Secrets: keyring, Env: env, Log: log}),
		keyring: keyring,
	}
}

func (p *profiles) List(ctx context.Context, _ Empty) (ProfileList, error) {
	all, keyring, err := p.all.List(ctx)
	if err != nil {
		return ProfileList{}, err
	}
	list := ProfileList{Profiles: make([]Profile, 0, len(all)), Keyring: keyring}
	for _, one := range all {
		list.Profiles = append(list.Profiles, profileOf(one))
	}
	return list, nil
}

func (p *profiles) Set(ctx context.Context, c ProfileSetParams) (Profile, error) {
	one, err := p.all.Set(ctx, profile.Change(c))
	if err != nil {
		return Profile{}, err
	}
	return profileOf(one), nil
}

func (p *profiles) Delete(ctx context.Context, r ProfileRef) (Empty, error) {
	if r.ProfileID == "" {
		return Empty{}, fault.New(fault.Invalid, "The parameter profileId is empty.")
	}
	return Empty{}, p.all.Delete(ctx, r.ProfileID)
}

// known says whether there is a profile.
func (p *profiles) known(id string) bool { return p.all.Known(id) }

// environ is the environment for a profile.
func (p *profiles) environ(ctx context.Context, id string) (profile.Environment, error) {
	return p.all.Environ(ctx, id)
}

// updated is when a profile was changed last, 0 for one that there is not.
func (p *profiles) updated(id string) int64 {
	one, err := p.all.Get(id)
	if err != nil {
		return 0
	}
	return one.UpdatedAt
}

// close waits for a call of the keyring, as long as ctx allows.
func (p *profiles) close(ctx context.Context) error { return p.keyring.Close(ctx) }

func profileOf(s profile.Status) Profile {
	out := Profile{
		ID: s.ID, Name: s.Name, Kind: s.Kind, Env: map[string]string{},
		Secrets: append([]string{}, s.Secrets...), Missing: s.Missing,
		Helper: s.Helper, UpdatedAt: s.UpdatedAt,
	}
	maps.Copy(out.Env, s.Env)
	slices.Sort(out.Secrets)
	return out
}
