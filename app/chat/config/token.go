package config

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"parley/app/feature"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/port"
	"parley/backend/fault"
	"parley/backend/session/profile"
)

// The token's place in the keyring.
const keyringID, keyringName = "chat", "mattermost"

// maxToken bounds a token, in bytes.
const maxToken = 1000

// given has the environment's settings for Mattermost.
type given struct{ url, token string }

// plainAddress normalizes an address for comparison.
func plainAddress(s string) string { return access.Normalise(port.ChatConfig{URL: s}).URL }

// Tokens returns the token for an address: that of the environment, or the one in the keyring. Each is for
// one address only, and is never returned for another.
type Tokens struct {
	secret  given
	keyring profile.Secrets

	// mu guards the keyring's last answer: it is queried once, and again some time after a failure.
	mu    sync.Mutex
	known bool
	last  keptToken
	err   error
	at    time.Time
}

// newTokens returns the tokens of the environment and a keyring. A token without an address is for the server
// configured when Parley started, and for no other.
func newTokens(secrets feature.Secrets, file *File, keyring profile.Secrets) *Tokens {
	secret := given{plainAddress(secrets.Get(feature.ChatURL)), strings.TrimSpace(secrets.Get(feature.ChatToken))}
	if secret.token != "" && secret.url == "" {
		secret.url = plainAddress(file.Holds().URL)
	}
	return &Tokens{secret: secret, keyring: keyring}
}

// Address is the environment's address, "" for none.
func (t *Tokens) Address() string { return t.secret.url }

// KeyringAgain is how long after a failure the keyring is queried again.
const KeyringAgain = 20 * time.Second

// keptToken is a token in the keyring, with its address.
type keptToken struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// The sources of a token.
const (
	tokenKeyring     = "keyring"
	tokenEnvironment = "environment"
)

// Of returns the token for an address and its source, "" for none. Its errors are faults: the keyring can't
// be used, or the token is for another address.
func (t *Tokens) Of(ctx context.Context, url string) (token, from string, err error) {
	url = plainAddress(url)
	if url == "" {
		return "", "", nil
	}
	if t.secret.token != "" && t.secret.url == url {
		return t.secret.token, tokenEnvironment, nil
	}
	kept, err := t.kept(ctx)
	switch {
	case err != nil:
		return "", "", err
	case kept.Token == "":
		return "", "", nil
	case kept.URL != url:
		return "", "", fault.New(fault.Unauthorized, "The saved token belongs to %s and is not sent anywhere else. Enter a token for %s.", kept.URL, url)
	}
	return kept.Token, tokenKeyring, nil
}

func (t *Tokens) kept(ctx context.Context) (keptToken, error) {
	t.mu.Lock()
	if t.known || t.err != nil && time.Since(t.at) < KeyringAgain {
		defer t.mu.Unlock()
		return t.last, t.err
	}
	t.mu.Unlock()
	kept, err := t.ask(ctx)
	if ctx.Err() == nil {
		t.note(kept, err)
	}
	return kept, err
}

// note caches the keyring's answer.
func (t *Tokens) note(kept keptToken, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.last, t.err, t.at = err == nil, kept, err, time.Now()
}

func (t *Tokens) ask(ctx context.Context) (keptToken, error) {
	raw, err := t.keyring.Get(ctx, keyringID, keyringName)
	if errors.Is(err, profile.ErrNoSecret) {
		return keptToken{}, nil
	}
	var kept keptToken
	if err != nil {
		return kept, err
	}
	if json.Unmarshal([]byte(raw), &kept) != nil {
		kept = keptToken{} // another program's entry is no token
	}
	return kept, nil
}

// Keep stores a token for an address; "" deletes the stored one.
func (t *Tokens) Keep(ctx context.Context, url, token string) error {
	if token == "" {
		err := t.keyring.Delete(ctx, keyringID, keyringName)
		if err == nil {
			t.note(keptToken{}, nil)
		}
		return err
	}
	url = plainAddress(url)
	if url == "" {
		return fault.New(fault.Invalid, "A token needs a server address. Enter the address, too.")
	}
	raw, err := json.Marshal(keptToken{url, token})
	if err != nil {
		return err
	}
	err = t.keyring.Set(ctx, keyringID, keyringName, string(raw))
	if err == nil {
		t.note(keptToken{url, token}, nil)
	}
	return err
}

// CheckToken rejects an invalid token, without repeating it.
func CheckToken(token string) error {
	if len(token) > maxToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fault.New(fault.Invalid, "This is not an access token. A token is one word of letters and digits (parameter token).")
	}
	return nil
}
