package gateway

import (
	"crypto/sha256"
	"crypto/subtle"
	"iter"
	"net"
	"net/http"
	"strconv"
	"strings"

	"parley/backend/fault"
)

// protocol is the WebSocket subprotocol, and the version of the API.
const protocol = "parley.v1"

// tokenProtocol precedes the token in a page's list of subprotocols: a page can't set headers on a
// WebSocket.
const tokenProtocol = "token."

// guard decides who is admitted.
type guard struct {
	// hosts are the allowed values of Host, and of Origin after its scheme.
	hosts map[string]bool
	// proxied are the origins of pages served through an encrypting proxy.
	proxied map[string]bool
	// anyLocalPort is set when any local address is allowed too, because the listener is bound to
	// all of them.
	anyLocalPort string
	token        [sha256.Size]byte
	cookies      cookies
	devices      Devices
}

func newGuard(addr *net.TCPAddr, names []string, token string) *guard {
	g := &guard{hosts: map[string]bool{}, proxied: map[string]bool{}, token: sha256.Sum256([]byte(token)), cookies: newCookies(token, addr.Port)}
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
		if rest, ok := strings.CutPrefix(name, "https://"); ok {
			rest = strings.TrimSuffix(rest, "/")
			g.hosts[rest], g.proxied["https://"+rest] = true, true
		} else if _, _, err := net.SplitHostPort(name); err == nil {
			g.hosts[name] = true
		} else {
			add(name)
		}
	}
	return g
}

// admit checks Host and Origin. A missing Origin is fine: programs send none, and browsers send one
// with everything that another site could misuse.
func (g *guard) admit(r *http.Request) error {
	if !g.isUs(r, r.Host) {
		return fault.New(fault.Forbidden, "this host name is not allowed; to allow it, start Parley with --host")
	}
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return nil
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	if len(origins) == 1 && g.proxied[origins[0]] {
		return nil
	}
	host, ok := strings.CutPrefix(origins[0], scheme)
	if len(origins) > 1 || !ok || !g.isUs(r, host) {
		return fault.New(fault.Forbidden, "requests from other websites are not allowed")
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
	// Bound to every address: this connection's own local address is ours. Unlike a name, an
	// address can't be made to point elsewhere.
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && host == net.JoinHostPort(local.IP.String(), g.anyLocalPort)
}

// fromHere rejects requests that a page of another site, or of another port of this host, caused,
// if the browser says so. Only requests for data need it: links to the page may come from anywhere.
func (g *guard) fromHere(r *http.Request) error {
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" {
			return fault.New(fault.Forbidden, "requests from other websites are not allowed")
		}
	}
	return nil
}

// authorize checks for the token or a page's cookie; device is set for a paired device that does
// not have the token.
func (g *guard) authorize(r *http.Request) (device Device, ok bool) {
	if g.showsToken(r, g.cookies.admits(r)) {
		return nil, true
	}
	device = g.deviceOf(r)
	return device, device != nil && g.showsToken(r, true)
}

// showsToken checks the token: every token in the request must be right, and there must be one,
// unless the request is authorized otherwise.
func (g *guard) showsToken(r *http.Request, otherwise bool) bool {
	shown := otherwise
	for _, header := range r.Header["Authorization"] {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") || !g.isToken(token) {
			return false
		}
		shown = true
	}
	for p := range subprotocols(r) {
		if token, ok := strings.CutPrefix(p, tokenProtocol); ok {
			if !g.isToken(token) {
				return false
			}
			shown = true
		}
	}
	return shown
}

// subprotocols are those offered by a WebSocket's client.
func subprotocols(r *http.Request) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, header := range r.Header["Sec-Websocket-Protocol"] {
			for p := range strings.SplitSeq(header, ",") {
				if !yield(strings.TrimSpace(p)) {
					return
				}
			}
		}
	}
}

func (g *guard) isToken(s string) bool {
	// Hashed first, so that the comparison takes the same time for every length.
	sum := sha256.Sum256([]byte(s))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

func unauthorized(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", "Bearer")
	writeError(w, http.StatusUnauthorized, fault.New(fault.Unauthorized, "the token is missing or wrong; open the link that Parley printed"))
}
