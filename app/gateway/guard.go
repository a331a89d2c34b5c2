package gateway

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strconv"
	"strings"

	"parley/backend/fault"
)

// protocol is the WebSocket subprotocol, and the version of the border.
const protocol = "parley.v1"

// tokenProtocol goes before the token in a page's list of subprotocols: a page
// cannot set headers on a WebSocket.
const tokenProtocol = "token."

// guard decides who gets in.
type guard struct {
	// hosts are the allowed values of Host, and of Origin after "http://".
	hosts map[string]bool
	// anyLocalPort is set when any local address is allowed too, because the
	// listener is bound to all of them.
	anyLocalPort string
	token        [sha256.Size]byte
}

func newGuard(addr *net.TCPAddr, names []string, token string) *guard {
	g := &guard{hosts: map[string]bool{}, token: sha256.Sum256([]byte(token))}
	port := strconv.Itoa(addr.Port)
	add := func(host string) {
		g.hosts[net.JoinHostPort(host, port)] = true
		if addr.Port == 80 {
			// Browsers leave the default port out.
			if strings.Contains(host, ":") {
				host = "[" + host + "]"
			}
			g.hosts[host] = true
		}
	}
	if addr.IP.IsLoopback() || addr.IP.IsUnspecified() {
		add("localhost")
		add("127.0.0.1")
		add("::1")
	}
	if addr.IP.IsUnspecified() {
		g.anyLocalPort = port
	} else {
		add(addr.IP.String())
	}
	for _, name := range names {
		if _, _, err := net.SplitHostPort(name); err == nil {
			g.hosts[name] = true
		} else {
			add(name)
		}
	}
	return g
}

// admit checks Host and Origin. A missing Origin is fine: programs send none, and
// browsers send one with everything that another site could misuse.
func (g *guard) admit(r *http.Request) error {
	if !g.isUs(r, r.Host) {
		return fault.New(fault.Forbidden, "this address is not the one that Parley listens on")
	}
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return nil
	}
	host, ok := strings.CutPrefix(origins[0], "http://")
	if len(origins) > 1 || !ok || !g.isUs(r, host) {
		return fault.New(fault.Forbidden, "pages from elsewhere may not talk to Parley")
	}
	return nil
}

func (g *guard) isUs(r *http.Request, host string) bool {
	if g.hosts[host] {
		return true
	}
	if g.anyLocalPort == "" {
		return false
	}
	// Bound to every address: the one that this connection came in on is ours. An
	// address cannot be made to point elsewhere, as a name can.
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && host == net.JoinHostPort(local.IP.String(), g.anyLocalPort)
}

// authorize checks the token: every one that is shown must be right, and one
// must be.
func (g *guard) authorize(r *http.Request) error {
	shown := 0
	for _, header := range r.Header["Authorization"] {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") || !g.isToken(token) {
			return unauthorized()
		}
		shown++
	}
	for _, header := range r.Header["Sec-Websocket-Protocol"] {
		for p := range strings.SplitSeq(header, ",") {
			token, ok := strings.CutPrefix(strings.TrimSpace(p), tokenProtocol)
			if !ok {
				continue
			}
			if !g.isToken(token) {
				return unauthorized()
			}
			shown++
		}
	}
	if shown == 0 {
		return unauthorized()
	}
	return nil
}

func (g *guard) isToken(s string) bool {
	// Hashed first, so that the comparison takes the same time for every length.
	sum := sha256.Sum256([]byte(s))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

func unauthorized() error {
	return fault.New(fault.Unauthorized, "the token is missing or wrong; open the link that Parley printed")
}
