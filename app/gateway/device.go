package gateway

import (
	"net/http"
	"time"
)

// Devices knows the paired devices. It is an alias, so that its implementation need not import the
// gateway.
type Devices = interface {
	// Redeem exchanges a code, with a page's proof, for the secret to use from then on. It returns
	// false for an invalid code.
	Redeem(code, proof string) (secret string, ok bool, err error)
	// Admit returns the device with this secret and proof, nil for none.
	Admit(secret, proof string) Device
	// Listens receives the gateway's address, "" for none, and why it is missing if it should
	// exist.
	Listens(url string, why error)
}

// Device is an admitted device.
type Device = interface {
	// May returns a fault (forbidden) for a method it may not call.
	May(method string) error
	// Gone is closed when it is removed.
	Gone() <-chan struct{}
	// Caller identifies it in records.
	Caller() string
	// Name is its display name.
	Name() string
	// Once reports that its answers apply only once.
	Once() bool
}

// deviceAge is how long a browser keeps a device's cookie: the maximum allowed.
const deviceAge = 400 * 24 * time.Hour

// deviceCookie is the name of that cookie.
func (c cookies) deviceCookie(r *http.Request) string { return c.nameFor(r) + "-device" }

// pairs exchanges a pairing code for a device's cookie, and reports whether it responded.
func (g *Gateway) pairs(w http.ResponseWriter, r *http.Request, code, proof string) bool {
	secret, ok, err := g.guard.devices.Redeem(code, proof)
	if err != nil {
		writeError(w, http.StatusInternalServerError, err)
		return true
	}
	if !ok {
		return false
	}
	http.SetCookie(w, &http.Cookie{
		Name: g.guard.cookies.deviceCookie(r), Value: secret, MaxAge: int(deviceAge / time.Second),
		Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// deviceOf is the paired device of a request, nil for none.
func (g *guard) deviceOf(r *http.Request) Device {
	proof, ok := proofOf(r)
	if !ok || g.devices == nil {
		return nil
	}
	for _, cookie := range r.CookiesNamed(g.cookies.deviceCookie(r)) {
		if device := g.devices.Admit(cookie.Value, proof); device != nil {
			return device
		}
	}
	return nil
}
