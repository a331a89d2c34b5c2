package profiles

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"parley/app/feature"
	"parley/app/method"
	"parley/backend/fault"
	"parley/backend/problem"
	"parley/backend/session/profile"
)

// Service implements profile.*.
type Service struct {
	All     *profile.Profiles
	keyring *profile.Keyring
	// env is the environment of the user's programs.
	env []string
}

// New returns the profiles in records, with secrets in the system's keyring and those offered by
// the environment; env is for running programs. It starts nothing; Close waits for pending keyring
// calls. Workspaces use Known, the engine uses Environ.
func New(records profile.Records, keyring *profile.Keyring, offered, env []string, log *slog.Logger) *Service {
	return &Service{
		All:     profile.New(profile.Config{Records: records, Secrets: keyring, Env: offered, Log: log}),
		keyring: keyring,
		env:     env,
	}
}

func (p *Service) List(ctx context.Context, _ feature.Empty) (ProfileList, error) {
	all, keyring, err := p.All.List(ctx)
	if err != nil {
		return ProfileList{}, err
	}
	list := ProfileList{Profiles: make([]Profile, 0, len(all)), Keyring: keyring}
	for _, one := range all {
		list.Profiles = append(list.Profiles, profileOf(one))
	}
	return list, nil
}

func (p *Service) Set(ctx context.Context, c ProfileSetParams) (Profile, error) {
	if c.GitHub {
		token, err := ghToken(ctx, p.env)
		if err != nil {
			return Profile{}, err
		}
		c.Secrets = maps.Clone(c.Secrets)
		if c.Secrets == nil {
			c.Secrets = make(map[string]string)
		}
		c.Secrets[gitHubToken] = token
	}
	one, err := p.All.Set(ctx, profile.Change{ID: c.ID, Name: c.Name, Kind: c.Kind, Env: c.Env, Helper: c.Helper, Secrets: c.Secrets})
	if err != nil {
		return Profile{}, err
	}
	return profileOf(one), nil
}

func (p *Service) Delete(ctx context.Context, r ProfileRef) (feature.Empty, error) {
	if r.ProfileID == "" {
		return feature.Empty{}, fault.New(fault.Invalid, "The parameter profileId is empty.")
	}
	return feature.Empty{}, p.All.Delete(ctx, r.ProfileID)
}

// Known reports whether a profile exists.
func (p *Service) Known(id string) bool { return p.All.Known(id) }

// Environ is a profile's environment.
func (p *Service) Environ(ctx context.Context, id string) (profile.Environment, error) {
	return p.All.Environ(ctx, id)
}

// Updated is when a profile last changed, 0 for an unknown one.
func (p *Service) Updated(id string) int64 {
	one, err := p.All.Get(id)
	if err != nil {
		return 0
	}
	return one.UpdatedAt
}

// Close waits for a pending keyring call, as long as ctx allows.
func (p *Service) Close(ctx context.Context) error { return p.keyring.Close(ctx) }

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

// Methods are the service's API methods.
func (p *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("profile.list", "Lists the profiles that sessions can run with, without their secrets.",
			p.List),
		method.New("profile.set", "Creates or replaces a profile. Secrets are stored only in the system keyring.",
			p.Set).Enum("kind", "anthropic", "gateway", "bedrock", "vertex", "custom"),
		method.New("profile.delete", "Removes a profile and its secrets.",
			p.Delete),
	}
}

// Problems are the profiles' possible problems.
func (p *Service) Problems() problem.Looks {
	return problem.Looks{problem.KeyringUnusable: p.problem}
}

// problem reports that a profile needed the keyring, and could not use it.
func (p *Service) problem() (problem.Problem, bool) {
	err := p.All.Unusable()
	return problem.Problem{ID: problem.KeyringUnusable, Facts: map[string]string{"cause": fault.MessageOf(err)}}, err != nil
}
