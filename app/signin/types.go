package signin

// SignInParams begins a login.
type SignInParams struct {
	// Console signs in to the Anthropic Console, which bills by use, and not to a Claude subscription.
	Console bool `json:"console,omitempty"`
}

// SignIn is a login that has begun.
type SignIn struct {
	ID string `json:"id"`
	// URL is where the user signs in.
	URL string `json:"url"`
	// Opened says that the CLI opens it by itself, and may need no code.
	Opened bool `json:"opened"`
}

// SignInRef names a login.
type SignInRef struct {
	ID string `json:"id"`
}

// SignInCode is what the web page showed after the user signed in there.
type SignInCode struct {
	ID   string `json:"id"`
	Code string `json:"code"`
}

// SignInNews says how far a login has come.
type SignInNews struct {
	// State is "waiting" when the CLI wants another code, "signedIn", "failed" or "cancelled".
	State string `json:"state"`
	// Message is what the CLI said, "" for nothing.
	Message string `json:"message"`
}
