package doctor

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net"
	"net/url"
	"path/filepath"
)

// networkChecks are the connections to the model, to Mattermost and to rooms.
func networkChecks() []check {
	return []check{
		{"network.proxy", "An invalid proxy address is ignored or blocks all connections.", func(_ context.Context, m *Machine) finding {
			for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
				if value := m.get(name); value != "" && !address(value, "http", "https", "socks5", "socks5h") {
					return found(Wrong, "Write it as http://host:port.", "%s isn't a valid proxy address", name)
				}
			}
			return fine("valid")
		}, nil},
		{"network.model", "The address at which the CLI reaches the model.", func(_ context.Context, m *Machine) finding {
			value := m.get("ANTHROPIC_BASE_URL")
			switch {
			case value == "":
				return fine("default")
			case !address(value, "http", "https"):
				return found(Wrong, "Write it as https://host/path.", "ANTHROPIC_BASE_URL isn't a valid address")
			}
			return fine("ANTHROPIC_BASE_URL is set")
		}, nil},
		{"network.certificates", "If a company proxy's certificates are missing or invalid, no connection is trusted.", func(_ context.Context, m *Machine) finding {
			for _, name := range []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"} {
				path := m.get(name)
				if path == "" {
					continue
				}
				certs, err := m.certificates(path)
				if err != nil || len(certs) == 0 {
					return found(Wrong, "Fix the variable or the file.", "%s doesn't point to a certificate file", name)
				}
			}
			return fine("readable")
		}, nil},
		{"network.expired", "Expired certificates aren't accepted.", func(_ context.Context, m *Machine) finding {
			certs, err := m.certificates(m.get("NODE_EXTRA_CA_CERTS"))
			if err != nil {
				return left("no custom certificates")
			}
			for _, cert := range certs {
				if m.Now().After(cert.NotAfter) {
					return found(Warning, "Get a new one.", "the certificate of %.100q expired on %s", cert.Subject.CommonName, cert.NotAfter.Format("2006-01-02"))
				}
			}
			return fine("none has expired")
		}, nil},
		{"network.loopback", "The page, programs, and the CLI connect to Parley over the loopback network.", func(_ context.Context, m *Machine) finding {
			if err := m.Listen(); err != nil {
				return found(Wrong, "Check whether something blocks programs from listening on 127.0.0.1.", "%v", err)
			}
			return fine("127.0.0.1 is available")
		}, nil},
		{"chat.server", "Mattermost threads need a connection to the server.", func(ctx context.Context, m *Machine) finding {
			text, err := m.Read(m.data("chat.json"))
			var chat struct {
				URL string `json:"url"`
			}
			if err != nil || json.Unmarshal(text, &chat) != nil || chat.URL == "" {
				return left("not connected")
			}
			return m.reach(ctx, chat.URL)
		}, nil},
		{"rooms.server", "Rooms across machines need a connection to the NATS server.", func(ctx context.Context, m *Machine) finding {
			server := m.setting("natsUrl")
			if server == "" {
				return left("rooms are on this machine only")
			}
			return m.reach(ctx, server)
		}, nil},
		{"servers.local", "MCP servers that run as programs must be installed.", func(_ context.Context, m *Machine) finding {
			path := filepath.Join(m.Dirs.Home, ".claude.json")
			if dir := m.get("CLAUDE_CONFIG_DIR"); dir != "" {
				path = filepath.Join(dir, ".claude.json")
			}
			text, err := m.Read(path)
			if err != nil {
				return left("none")
			}
			var own struct {
				Servers map[string]struct{ Command string } `json:"mcpServers"`
			}
			if err := json.Unmarshal(text, &own); err != nil {
				return found(Wrong, "Correct "+path, "can't read %s: %v", path, err)
			}
			for name, s := range own.Servers {
				if s.Command == "" {
					continue
				}
				if _, err := m.Find(s.Command); err != nil {
					return found(Warning, "Install its program, or remove the server.", "the program of the server %.100q is missing", name)
				}
			}
			return fine("all installed")
		}, nil},
	}
}

// address reports whether a text is a URL with one of the schemes and a host.
func address(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return false
	}
	for _, s := range schemes {
		if u.Scheme == s {
			return true
		}
	}
	return false
}

// certificates are the certificates in a file.
func (m *Machine) certificates(path string) ([]*x509.Certificate, error) {
	text, err := m.Read(path)
	if err != nil {
		return nil, err
	}
	var certs []*x509.Certificate
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		certs = append(certs, cert)
	}
	return certs, nil
}

// reach connects to a server, without sending anything.
func (m *Machine) reach(ctx context.Context, server string) finding {
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" {
		return found(Wrong, "Fix it in Settings.", "its address isn't valid")
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "ws": "80", "https": "443", "wss": "443", "nats": "4222", "tls": "4222"}[u.Scheme]
	}
	if err := m.Dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), port)); err != nil {
		return found(Warning, "Check the network and whether the server is running. Parley retries automatically.", "can't reach %s: %v", u.Hostname(), err)
	}
	return fine("%s is reachable", u.Hostname())
}
