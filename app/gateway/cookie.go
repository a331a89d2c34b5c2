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
	// authPath is where a page exchanges the token for a cookie.
	authPath = "/auth"
	// maxAuth bounds the request body, in bytes.
	maxAuth = 4 << 10
	// proofProtocol precedes a page's proof in its list of subprotocols.
	proofProtocol = "proof."
	// proofHeader has the proof in requests without a WebSocket.
	proofHeader = "Parley-Proof"
)

// cookies creates and checks the pages' cookies. A cookie is a MAC under a key derived from the
// token, so that it is valid exactly as long as the token, and nothing is stored.
//
// Browsers send the cookies of a host to each of its ports: another server on this host, such as a
// program started by a model, receives ours when one of its pages is opened. So a page generates a
// proof, which its browser keeps for this port alone, and its cookie is only valid with that proof.
type cookies struct {
	key  []byte
	name string
}

func newCookies(token string, port int) cookies {
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = mac.Write([]byte("parley cookies"))
	// Two Parleys on one host have separate cookies.
	return cookies{mac.Sum(nil), "parley-" + strconv.Itoa(port)}
}

// nameFor is the cookie's name. Over TLS, the prefix makes the browser prevent others from setting
// it.
func (c cookies) nameFor(r *http.Request) string {
	if r.TLS != nil {
		return "__Host-" + c.name
	}
	return c.name
}

// value is the value of the cookie that is valid with a proof, or without any for "".
func (c cookies) value(proof string) string {
	mac := hmac.New(sha256.New, c.key)
	_, _ = io.WriteString(mac, proof)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// admits reports whether a request carries a valid cookie. Invalid ones beside it are ignored:
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

// proofOf is a request's proof, "" for none. It returns false for an invalid proof.
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

// proofs match what fits in a subprotocol and can't be guessed.
var proofs = regexp.MustCompile(`^[A-Za-z0-9_-]{22,128}$`)

// serveAuth exchanges the token, in the header or the body, for a cookie.
func (g *Gateway) serveAuth(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		writeError(w, http.StatusMethodNotAllowed, fault.New(fault.Invalid, "only POST is allowed here"))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAuth))
	if err != nil {
		writeError(w, http.StatusRequestEntityTooLarge, fault.New(fault.TooLarge, "the request is too long or incomplete"))
		return
	}
	var asked struct{ Token, Proof string }
	if len(body) > 0 {
		if err := json.Unmarshal(body, &asked); err != nil || asked.Proof != "" && !proofs.MatchString(asked.Proof) {
			writeError(w, http.StatusBadRequest, fault.New(fault.Invalid, "the request body is not valid"))
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
