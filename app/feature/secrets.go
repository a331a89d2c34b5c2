package feature

import (
	"strings"

	"parley/backend/session/profile"
)

// The variables of Parley's environment with secrets for Parley alone.
const (
	ChatToken    = "PARLEY_MATTERMOST_TOKEN"
	ChatURL      = "PARLEY_MATTERMOST_URL"
	NATSToken    = "PARLEY_NATS_TOKEN"
	NATSUser     = "PARLEY_NATS_USER"
	NATSPassword = "PARLEY_NATS_PASSWORD"
	NATSCreds    = "PARLEY_NATS_CREDS"
	NATSCA       = "PARLEY_NATS_CA"
)

// Secrets are the secrets removed from Parley's environment.
type Secrets struct {
	values map[string]string
	// Offered are the pairs that replace secrets of profiles in the keyring.
	Offered []string
}

// TakeSecrets removes the secrets from an environment: nothing that Parley starts, least of all a
// model's commands, may have them.
func TakeSecrets(env []string) (rest []string, s Secrets) {
	s.values = map[string]string{}
	rest = make([]string, 0, len(env))
	for _, pair := range env {
		switch name, value, _ := strings.Cut(pair, "="); {
		case name == ChatToken, name == ChatURL, name == NATSToken, name == NATSUser, name == NATSPassword, name == NATSCreds, name == NATSCA:
			s.values[name] = value
		case strings.HasPrefix(pair, profile.Offer):
			s.Offered = append(s.Offered, pair)
		default:
			rest = append(rest, pair)
		}
	}
	return rest, s
}

// Get is the value of a variable, "" for none.
func (s Secrets) Get(name string) string { return s.values[name] }
