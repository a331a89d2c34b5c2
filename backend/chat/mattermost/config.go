package mattermost

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"parley/backend/chat"
	"parley/backend/fault"
)

// Config makes a client.
type Config struct {
	// URL is the server's address, with the path that it is served under, if any. Required.
	URL string
	// AllowInsecure allows http for hosts that are not this computer.
	AllowInsecure bool
	// Token gives the access token each time that it is needed; it may be changed
	// meanwhile. It is sent to the host of URL only. Required; see [Fixed].
	Token func(ctx context.Context) (string, error)
	// Cursors keep how far the channels were taken in. Run needs them.
	Cursors Cursors
	// Hears says which channels are taken in: of others, posts that call the account are told
	// as they come, and what was missed is not made good. Nil takes in all that the account
	// is in. It is asked often, on more than one goroutine, and must return at once; call
	// [Client.Refresh] when its answers change.
	Hears func(chat.Channel) bool
	// Callback is where the server can call back, nil where it cannot: then posts are sent
	// without their buttons.
	Callback *Callback
	// Changed is called when the connection has changed, never twice at a time. It must
	// return soon.
	Changed func(chat.Connection)
	// Logger is required.
	Logger *slog.Logger
	// Transport carries the requests, nil for one of its own. Tests replace it.
	Transport http.RoundTripper
}

// Callback is a way from the server to Parley.
type Callback struct {
	// URL is what the server posts to.
	URL string
	// Secret proves that a call is about a button of ours: at least 16 random bytes, which
	// stay the same as long as there are posts with buttons.
	Secret []byte
}

// Cursors keep how far channels were taken in. Data is opaque and at most 512 KB,
// usually less than 50 KB.
type Cursors interface {
	// Load gives what was kept under a key, nil for nothing.
	Load(ctx context.Context, key string) ([]byte, error)
	// Save keeps it durably before it returns. Keys are at most 80 of [a-z0-9/]; there is
	// one for each channel that is taken in, and one for the account.
	Save(ctx context.Context, key string, data []byte) error
}

// Fixed is a token that does not change.
func Fixed(token string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return token, nil }
}

// ParseURL checks the address of a server and gives it without what is not needed. It
// fails with faults.
func ParseURL(address string, allowInsecure bool) (*url.URL, error) {
	address = strings.TrimSpace(address)
	if address == "" {
		return nil, fault.New(fault.Invalid, "Enter the address of the Mattermost server, like https://chat.example.org.")
	}
	if len(address) > 2000 {
		return nil, fault.New(fault.Invalid, "The address of the Mattermost server is too long.")
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, fault.New(fault.Invalid, "This is not the address of a server. It looks like https://chat.example.org.")
	}
	switch u.Scheme {
	case "https":
	case "http":
		if !allowInsecure && !loopback(u.Hostname()) {
			return nil, fault.New(fault.Invalid, "The address starts with http, so the token would be sent unencrypted. Use https, or allow http if the network is safe.")
		}
	default:
		return nil, fault.New(fault.Invalid, "The address of the Mattermost server begins with https://, not with %s://.", u.Scheme)
	}
	if u.User != nil {
		return nil, fault.New(fault.Invalid, "Leave the name and password out of the address: Parley signs in with a token.")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New(fault.Invalid, "Leave what follows the \"?\" or \"#\" out of the address of the Mattermost server.")
	}
	path := strings.TrimRight(u.Path, "/")
	path = strings.TrimSuffix(path, "/api/v4")
	if strings.Contains(path, "..") || strings.Contains(path, "//") {
		return nil, fault.New(fault.Invalid, "This is not the address of a server. It looks like https://chat.example.org.")
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: path}, nil
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// check refuses a configuration that cannot work.
func (c Config) check() error {
	if c.Token == nil || c.Logger == nil {
		return fmt.Errorf("mattermost: a token and a logger are required")
	}
	if c.Callback == nil {
		return nil
	}
	u, err := url.Parse(c.Callback.URL)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return fault.New(fault.Invalid, "The address for buttons is not one that a server can call. It looks like https://parley.example.org.")
	}
	if len(c.Callback.Secret) < 16 {
		return fmt.Errorf("mattermost: the callback's secret has less than 16 bytes")
	}
	return nil
}
