// Package profile keeps profiles: environments for CLI processes, each with a
// provider and its credential. It decides what a profile may contain, which of
// Parley's own environment a CLI still gets, and where secrets go: into the
// system's keyring, and from there into the environment of the CLI that needs them.
// They are never in a record, error, log or command line.
//
// A profile is the only source of a provider and a credential. Whatever Parley's own
// environment or the CLI's settings files say about either is kept from the CLI: a
// key for one provider must never be sent to another. Only a profile of the kind
// "anthropic" without a credential uses the CLI's own login.
//
// The package knows neither sessions nor the CLI's process. It declares what it
// needs from a store ([Records]) and a keyring ([Secrets]).
//
// Goroutines: [Keyring] runs each call of the system in one, at most one at a time,
// because such a call may wait for a user for ever; Close waits for it as long as
// its context allows.
package profile
