package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/backend/fault"
)

const (
	// authPath is where a page trades the token for a cookie.
	authPath = "/auth"
	// maxAuth bounds what is posted there, in bytes.
	maxAuth = 4 << 10
	// proofProtocol goes before a page's proof in its list of subprotocols.
	proofProtocol = "proof."
	// proofHeader holds it where the page asks without a WebSocket.
	proofHeader = "Parley-Proof"
)

// cookies makes and checks the cookies of pages. A cookie is a MAC under a key that is made
// from the token, so that it is good for exactly as long as that, and nothing is kept.
//
// Browsers send the cookies of a host to each of its ports: whatever listens on another
// one, a program that a model started, gets ours when a page of it is looked at. So a page
// makes up a proof, which its browser keeps for this port alone, and its cookie is good
// with that proof only.
type cookies struct {
	key  []byte
	name string
}

func newCookies(token string, port int) cookies {
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = mac.Write([]byte("parley cookies"))
	// Two Parleys of one host have a cookie each.
	return cookies{mac.Sum(nil), "parley-" + strconv.Itoa(port)}
}

// nameFor is the cookie's name. Over TLS the browser sees to it that nobody else sets it.
func (c cookies) nameFor(r *http.Request) string {
	if r.TLS != nil {
		return "__Host-" + c.name
	}
	return c.name
}

// value is that of the cookie which is good with a proof, or without any for "".
func (c cookies) value(proof string) string {
	mac := hmac.New(sha256.New, c.key)
	_, _ = io.WriteString(mac, proof)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// admits says whether a request carries a good cookie. Wrong ones beside it do not count:
// others on the same host could set them.
func (c cookies) admits(r *http.Request) bool {
	proof, ok := proofOf(r)
	if !ok {
		return false
	}
	want, good := []byte(c.value(proof)), false
	for _, cookie := range r.CookiesNamed(c.nameFor(r)) {
		good = hmac.Equal([]byte(cookie.Value), want) || good
	}
	return good
}

// proofOf is the proof that a request shows, "" for none. It is false when that is no proof.
func proofOf(r *http.Request) (proof string, ok bool) {
	shown := slices.Clone(r.Header[proofHeader])
	for p := range subprotocols(r) {
		if proof, ok := strings.CutPrefix(p, proofProtocol); ok {
			shown = append(shown, proof)
		}
	}
	switch len(shown) {
	case 0:
		return "", true
	case 1:
		return shown[0], shown[0] != ""
	default:
		return "", false
	}
}

// proofs are what a subprotocol may hold, and cannot be guessed.
var proofs = regexp.MustCompile(`^[A-Za-z0-9_-]{22,128}$`)

// serveAuth trades the token, in the header or in the body, for a cookie.
func (g *Gateway) serveAuth(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		writeError(w, http.StatusMethodNotAllowed, fault.New(fault.Invalid, "only POST is possible here"))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAuth))
	if err != nil {
		writeError(w, http.StatusRequestEntityTooLarge, fault.New(fault.TooLarge, "the request is too long, or broke off"))
		return
	}
	var asked struct{ Token, Proof string }
	if len(body) > 0 {
		if err := json.Unmarshal(body, &asked); err != nil || asked.Proof != "" && !proofs.MatchString(asked.Proof) {
			writeError(w, http.StatusBadRequest, fault.New(fault.Invalid, "what was posted cannot be understood"))
			return
		}
	}
	if g.guard.devices != nil && asked.Proof != "" && g.pairs(w, r, asked.Token, asked.Proof) {
		return
	}
	if asked.Token != "" && !g.guard.isToken(asked.Token) || !g.guard.showsToken(r, asked.Token != "") {
		unauthorized(w)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: g.guard.cookies.nameFor(r), Value: g.guard.cookies.value(asked.Proof),
		Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
}
