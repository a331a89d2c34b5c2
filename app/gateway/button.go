package gateway

import (
	"context"
	"io"
	"net/http"
	"time"

	"parley/backend/fault"
)

const (
	// buttonPath is where the Mattermost server calls for pressed buttons.
	buttonPath = "/chat/button"
	// maxButton bounds such a call in bytes, buttonTime its duration.
	maxButton  = 64 << 10
	buttonTime = 10 * time.Second
)

// serveButton handles a call of the Mattermost server, and reports whether such calls are enabled.
// That server may use a different name for us than browsers do, and has no token: its message
// itself must prove that it is about one of our buttons, which no page can make a browser send.
// Pages are refused anyway.
func (g *Gateway) serveButton(w http.ResponseWriter, r *http.Request) bool {
	if g.cfg.Button == nil || r.URL.Path != buttonPath {
		return false
	}
	switch {
	case len(r.Header["Origin"]) > 0:
		writeError(w, http.StatusForbidden, fault.New(fault.Forbidden, "web pages are not allowed to send this request"))
		return true
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		writeError(w, http.StatusMethodNotAllowed, fault.New(fault.Invalid, "only POST is allowed here"))
		return true
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxButton))
	if err != nil {
		writeError(w, http.StatusRequestEntityTooLarge, fault.New(fault.TooLarge, "the request is too long or incomplete"))
		return true
	}
	ctx, cancel := context.WithTimeout(r.Context(), buttonTime)
	defer cancel()
	switch asked, err := g.cfg.Button(ctx, body); {
	case !asked:
		return false
	case err != nil:
		g.log.Warn("Rejected a button call", "err", fault.MessageOf(err))
		writeError(w, http.StatusForbidden, fault.New(fault.Forbidden, "this is not one of Parley's buttons"))
	default:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = io.WriteString(w, "{}")
	}
	return true
}
