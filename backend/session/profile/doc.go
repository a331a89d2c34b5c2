// Package profile keeps profiles: environments for CLI processes, each with a
// provider and its credential. It decides what a profile may hold, what of Parley's
// own environment a CLI still gets beside it, and where secrets go: into the
// system's keyring, and from there into the environment of the CLI that needs them.
// They are in no record, error, log or command line.
//
// A profile is the only source of a provider and a credential. Whatever Parley's own
// environment, or a settings file of the CLI, says about either is kept from the
// CLI: a key that is meant for one provider must never be sent to another. Only a
// profile of the kind "anthropic" without a credential uses the login that the CLI
// keeps itself.
//
// The package knows neither sessions nor the CLI's process. It declares what it
// needs of a store ([Records]) and of a keyring ([Secrets]).
//
// Goroutines: [Keyring] runs each call of the system in one, at most one at a time,
// because such a call may wait for a user for ever; Close waits for it as long as
// its context allows.
package profile
