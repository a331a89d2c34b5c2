package gateway

import (
	"net/http"
	"time"
)

// Devices knows the devices that were paired. It is no type of its own, so that who has them
// need not know the gateway.
type Devices = interface {
	// Redeem trades a code for the secret that is shown from then on, with a page's proof. It
	// is false for what is no good code.
	Redeem(code, proof string) (secret string, ok bool, err error)
	// Admit says which device shows that, nil for none.
	Admit(secret, proof string) Device
	// Listens is told where the gateway is, "" for nowhere, and why not if it should be
	// somewhere.
	Listens(url string, why error)
}

// Device is one that got in.
type Device = interface {
	// May is a fault (forbidden) for a method that is not for it.
	May(method string) error
	// Gone is closed when it is removed.
	Gone() <-chan struct{}
	// Caller names it in records.
	Caller() string
	// Name is what people call it.
	Name() string
	// Once says that its answers count once only.
	Once() bool
}

// deviceAge is how long a browser keeps a device's cookie: as long as it may.
const deviceAge = 400 * 24 * time.Hour

// deviceCookie is the name of that cookie.
func (c cookies) deviceCookie(r *http.Request) string { return c.nameFor(r) + "-device" }

// pairs trades a pairing code for a device's cookie, and says whether it answered.
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

// deviceOf is the paired device that a request comes from, nil for none.
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
