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

// Config configures a client.
type Config struct {
	// URL is the server's address, with the path it is served under, if any. Required.
	URL string
	// AllowInsecure allows http for hosts other than this computer.
	AllowInsecure bool
	// Token returns the access token each time it is needed; it may change. It is
	// only sent to the host of URL. Required; see [Fixed].
	Token func(ctx context.Context) (string, error)
	// Cursors store how far the channels were read. Run needs them.
	Cursors Cursors
	// Hears selects the channels to follow: in others, only posts that mention the account
	// are delivered, live only, without catching up. Nil follows all of the account's
	// channels. It is called often, on several goroutines, and must return at once; call
	// [Client.Refresh] when its results change.
	Hears func(chat.Channel) bool
	// Callback is how the server can call back, nil if it can't: then posts are sent
	// without buttons.
	Callback *Callback
	// Changed is called when the connection has changed, never concurrently. It must
	// return quickly.
	Changed func(chat.Connection)
	// Logger is required.
	Logger *slog.Logger
	// Transport carries the requests, nil for the default. Tests replace it.
	Transport http.RoundTripper
}

// Callback is how the server reaches Parley.
type Callback struct {
	// URL is the address that the server posts to.
	URL string
	// Secret proves that a callback is for one of our buttons: at least 16 random bytes,
	// constant as long as there are posts with buttons.
	Secret []byte
}

// Cursors store how far channels were read. Data is opaque and at most 512 KB,
// usually less than 50 KB.
type Cursors interface {
	// Load returns the data stored under a key, nil for nothing.
	Load(ctx context.Context, key string) ([]byte, error)
	// Save stores data durably before it returns. Keys are at most 80 of [a-z0-9/]; there
	// is one per followed channel, and one for the account.
	Save(ctx context.Context, key string, data []byte) error
}

// Fixed returns a constant token.
func Fixed(token string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return token, nil }
}

// ParseURL validates a server's address and returns it without unnecessary parts. Its
// errors are faults.
func ParseURL(address string, allowInsecure bool) (*url.URL, error) {
	address = strings.TrimSpace(address)
	if address == "" {
		return nil, fault.New(fault.Invalid, "Enter the address of the Mattermost server, such as https://chat.example.org.")
	}
	if len(address) > 2000 {
		return nil, fault.New(fault.Invalid, "The address of the Mattermost server is too long.")
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, fault.New(fault.Invalid, "This is not a server address. Example: https://chat.example.org.")
	}
	switch u.Scheme {
	case "https":
	case "http":
		if !allowInsecure && !loopback(u.Hostname()) {
			return nil, fault.New(fault.Invalid, "The address starts with http, so the token would be sent unencrypted. Use https, or allow http if the network is safe.")
		}
	default:
		return nil, fault.New(fault.Invalid, "The address of the Mattermost server must start with https://, not %s://.", u.Scheme)
	}
	if u.User != nil {
		return nil, fault.New(fault.Invalid, "Remove the user name and password from the address. Parley signs in with a token.")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New(fault.Invalid, "The address of the Mattermost server must not contain \"?\" or \"#\".")
	}
	path := strings.TrimRight(u.Path, "/")
	path = strings.TrimSuffix(path, "/api/v4")
	if strings.Contains(path, "..") || strings.Contains(path, "//") {
		return nil, fault.New(fault.Invalid, "This is not a server address. Example: https://chat.example.org.")
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

// check rejects an unusable configuration.
func (c Config) check() error {
	if c.Token == nil || c.Logger == nil {
		return fmt.Errorf("mattermost: a token and a logger are required")
	}
	if c.Callback == nil {
		return nil
	}
	u, err := url.Parse(c.Callback.URL)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return fault.New(fault.Invalid, "The callback address for buttons is not valid. Example: https://parley.example.org.")
	}
	if len(c.Callback.Secret) < 16 {
		return fmt.Errorf("mattermost: the callback's secret has less than 16 bytes")
	}
	return nil
}
