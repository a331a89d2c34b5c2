package profile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"parley/backend/fault"
	"parley/backend/store/model"
)

// Environment is what a CLI process gets from a profile. It hides itself from logs.
type Environment struct {
	// Base is Parley's own environment without what contradicts the profile.
	Base []string
	// Extra are the profile's variables ("KEY=value"), including secrets. They
	// override Base.
	Extra []string
	// Settings are CLI settings for this process, nil for none. They contain no
	// secret.
	Settings map[string]any
}

// String hides the contents.
func (Environment) String() string { return "a profile's environment" }

// GoString hides the contents.
func (e Environment) GoString() string { return e.String() }

// LogValue hides the contents.
func (e Environment) LogValue() slog.Value { return slog.StringValue(e.String()) }

const (
	// managed makes the CLI take provider and credential only from its environment,
	// not from its settings files or login.
	managed = "CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST"
	// helperVariable holds the helper's command, to keep it out of the command
	// line, which everyone can read.
	helperVariable = "PARLEY_HELPER"
)

// Offer is the prefix of variables in Parley's own environment that replace secrets
// of the keyring.
const Offer = "PARLEY_SECRET_"

// Environ returns the environment for a profile. Faults: not_found if the profile
// was deleted, unavailable if a secret is missing or the keyring can't be used.
func (p *Profiles) Environ(ctx context.Context, id string) (Environment, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	one, err := p.Get(id)
	if err != nil {
		return Environment{}, err
	}
	values := p.offered(one.Name)
	for _, name := range one.Secrets {
		value, err := p.secret(ctx, &one, name)
		if err != nil {
			return Environment{}, p.unusable(&one, name, err)
		}
		values[name] = value
	}
	for name, value := range one.Env {
		values[name] = value
	}
	if s := kinds()[one.Kind].turnsOn; s != "" {
		values[s] = "1"
	}
	return environment(&one, p.cfg.Env, values), nil
}

// environment assembles an environment.
func environment(one *model.Profile, base []string, values map[string]string) Environment {
	var out Environment
	isolated := connects(one, values)
	hidden := func(name string) bool {
		return isolated && (connection(name) || signsAWS(name) && anyOf(values, signsAWS))
	}
	for _, kv := range base {
		if name, _, _ := strings.Cut(kv, "="); !hidden(name) {
			out.Base = append(out.Base, kv)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out.Extra = append(out.Extra, name+"="+values[name])
	}
	if !isolated {
		return out
	}
	if one.Helper == "" && (one.Kind != "anthropic" || anyOf(values, credential)) {
		out.Extra = append(out.Extra, managed+"=1")
		return out
	}
	// The CLI only looks for its helper, or its login, if it also trusts its
	// settings files; what they say about everything else is overridden.
	env, helper := map[string]string{}, ""
	for _, name := range connectionNames() {
		if _, own := values[name]; own && one.Env[name] == "" && !credential(name) {
			continue // a secret, which settings must not contain
		}
		env[name] = one.Env[name]
	}
	if one.Helper != "" {
		helper = helperCommand()
		out.Extra = append(out.Extra, helperVariable+"="+one.Helper)
	}
	out.Settings = map[string]any{"apiKeyHelper": helper, "env": env}
	return out
}

// helperCommand runs the command from the environment.
func helperCommand() string {
	if runtime.GOOS == "windows" {
		return "%" + helperVariable + "%"
	}
	return `eval "$` + helperVariable + `"`
}

// connects reports whether a profile determines provider and credential: all do,
// except a custom one that names neither.
func connects(one *model.Profile, values map[string]string) bool {
	return one.Kind != "custom" || one.Helper != "" || anyOf(values, connection)
}

func anyOf(values map[string]string, is func(name string) bool) bool {
	for name := range values {
		if is(name) {
			return true
		}
	}
	return false
}

// secret returns the value of a profile's secret: from the keyring, or the one
// Parley was started with.
func (p *Profiles) secret(ctx context.Context, one *model.Profile, name string) (string, error) {
	if value, ok := p.offered(one.Name)[name]; ok {
		return value, nil
	}
	value, err := p.cfg.Secrets.Get(ctx, one.ID, name)
	switch {
	case fault.CodeOf(err) == fault.Unavailable:
		p.lacking.Store(&err)
	case err == nil || errors.Is(err, ErrNoSecret):
		p.lacking.Store(nil)
	}
	return value, err
}

// Unusable returns why a profile's last access to the keyring failed, nil if it worked. It
// doesn't access the keyring.
func (p *Profiles) Unusable() error {
	if err := p.lacking.Load(); err != nil {
		return *err
	}
	return nil
}

// offered returns the values that Parley was started with for a profile, by
// variable name.
func (p *Profiles) offered(profile string) map[string]string {
	values := map[string]string{}
	for _, kv := range p.cfg.Env {
		rest, ok := strings.CutPrefix(kv, Offer+mark(profile)+"_")
		name, value, _ := strings.Cut(rest, "=")
		if ok && value != "" && checkName(name) == nil && checkValue(name, value, maxSecret) == nil {
			values[name] = value
		}
	}
	return values
}

// mark returns a profile's name as part of a variable's.
func mark(profile string) string {
	var b strings.Builder
	for _, r := range strings.ToUpper(profile) {
		switch {
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.IsLetter(r), unicode.IsDigit(r):
			fmt.Fprintf(&b, "U%04X", r)
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

// unusable describes why a secret isn't available and what to do.
func (p *Profiles) unusable(one *model.Profile, name string, err error) error {
	variable := Offer + mark(one.Name) + "_" + name
	if errors.Is(err, ErrNoSecret) {
		return fault.Wrap(err, fault.Unavailable,
			"The keyring has no %s for the profile %q. Set it again in the profile, or start Parley with the environment variable %s.", name, one.Name, variable)
	}
	return fault.Wrap(err, fault.Unavailable,
		"Parley could not get %s of the profile %q: %s You can also start Parley with the environment variable %s.", name, one.Name, fault.MessageOf(err), variable)
}
