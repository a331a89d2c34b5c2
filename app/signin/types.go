package signin

// SignInParams starts a login.
type SignInParams struct {
	// Console signs in to the Anthropic Console, which bills by use, instead of a Claude subscription.
	Console bool `json:"console,omitempty"`
}

// SignIn is a login in progress.
type SignIn struct {
	ID string `json:"id"`
	// URL is where the user signs in.
	URL string `json:"url"`
	// Opened is true if the CLI opens the address itself, and may need no code.
	Opened bool `json:"opened"`
}

// SignInRef names a login.
type SignInRef struct {
	ID string `json:"id"`
}

// SignInCode is the code that the web page showed after the user signed in there.
type SignInCode struct {
	ID   string `json:"id"`
	Code string `json:"code"`
}

// SignInNews is the state of a login.
type SignInNews struct {
	// State is "waiting" when the CLI wants another code, "signedIn", "failed" or "cancelled".
	State string `json:"state"`
	// Message is the CLI's message, "" for none.
	Message string `json:"message"`
}
