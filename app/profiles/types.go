package profiles

// Profile is an environment that sessions run in: which provider, which
// credential.
type Profile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Kind is "anthropic", "gateway" (a base URL), "bedrock", "vertex" or "custom".
	Kind string `json:"kind"`
	// Env are variables that are no secret.
	Env map[string]string `json:"env"`
	// Secrets are the names of variables whose values are in the system's keyring.
	// Values are never given out.
	Secrets []string `json:"secrets"`
	// Missing are those of Secrets that the keyring does not have.
	Missing []string `json:"missing"`
	// Helper is a command that prints a credential, "" for none.
	Helper    string `json:"helper"`
	UpdatedAt int64  `json:"updatedAt"`
}

// ProfileList holds the profiles by name.
type ProfileList struct {
	Profiles []Profile `json:"profiles"`
	// Keyring says why secrets cannot be kept, "" when they can.
	Keyring string `json:"keyring"`
}

// ProfileSetParams makes a profile, or replaces one.
type ProfileSetParams struct {
	// ID is "" for a new one.
	ID     string            `json:"id,omitempty"`
	Name   string            `json:"name"`
	Kind   string            `json:"kind"`
	Env    map[string]string `json:"env,omitempty"`
	Helper string            `json:"helper,omitempty"`
	// Secrets are values to put into the keyring by the variable's name; "" removes
	// one. Those that are not named stay.
	Secrets map[string]string `json:"secrets,omitempty"`
	// GitHub has Parley ask the GitHub CLI (gh) for the token that it keeps, and put that
	// into the keyring as GH_TOKEN.
	GitHub bool `json:"gitHub,omitempty"`
}

// ProfileRef names a profile.
type ProfileRef struct {
	ProfileID string `json:"profileId"`
}
