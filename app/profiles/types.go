package profiles

// Profile is an environment for sessions: a provider and a credential.
type Profile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Kind is "anthropic", "gateway" (a base URL), "bedrock", "vertex" or "custom".
	Kind string `json:"kind"`
	// Env are non-secret variables.
	Env map[string]string `json:"env"`
	// Secrets are the names of variables whose values are in the system's keyring. Values are never
	// returned.
	Secrets []string `json:"secrets"`
	// Missing are those of Secrets that are not in the keyring.
	Missing []string `json:"missing"`
	// Helper is a command that prints a credential, "" for none.
	Helper    string `json:"helper"`
	UpdatedAt int64  `json:"updatedAt"`
}

// ProfileList has the profiles by name.
type ProfileList struct {
	Profiles []Profile `json:"profiles"`
	// Keyring is why secrets can't be stored, "" if they can.
	Keyring string `json:"keyring"`
}

// ProfileSetParams creates or replaces a profile.
type ProfileSetParams struct {
	// ID is "" for a new one.
	ID     string            `json:"id,omitempty"`
	Name   string            `json:"name"`
	Kind   string            `json:"kind"`
	Env    map[string]string `json:"env,omitempty"`
	Helper string            `json:"helper,omitempty"`
	// Secrets are values to store in the keyring by variable name; "" removes one. Others are kept.
	Secrets map[string]string `json:"secrets,omitempty"`
	// GitHub makes Parley store the GitHub CLI's (gh) token in the keyring as GH_TOKEN.
	GitHub bool `json:"gitHub,omitempty"`
}

// ProfileRef names a profile.
type ProfileRef struct {
	ProfileID string `json:"profileId"`
}
