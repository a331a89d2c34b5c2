// Package gateway serves Parley to browsers and programs: the web page, and one WebSocket for method calls and
// events.
//
// # Access
//
// Every request must name this listener in its Host and, if it comes from a page, in its Origin; anything else is
// refused (403) before its token is checked. That blocks pages of other sites, and DNS names made to point here.
// The page, its assets and /health contain no secrets and are public. Everything with data needs the token, or the
// cookie that a page got for it (POST /auth): otherwise 401. A page can also exchange a pairing code for a cookie,
// and is then a device: it may do what its role allows, until it is removed. One path is for the Mattermost
// server, while buttons are configured: its calls must prove themselves.
//
// # A socket
//
// Requests run concurrently, at most 64 at a time and 128 MiB of parameters; more wait unread in the client's own
// socket. Methods marked as ordered start in the order they were sent. Events go through the connection's
// subscription on the bus; nothing is sent before the first subscribe. A client that reads too slowly is closed
// with code [CloseResync]; it reconnects and requests the history. One that does not read at all is cut off when a
// write makes no progress for a while. Neither affects the others.
//
// # Goroutines
//
// [Gateway.Serve] runs on its caller's. Each socket has three (reader, writer, and one for ordered methods) and
// one for every other running request; the socket waits for all of them, and [Gateway.Close] for the sockets.
//
// The package knows the method table and the bus, and no feature behind them.
package gateway

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"parley/app/method"
	"parley/backend/bus"
	"parley/backend/fault"
	"parley/backend/problem"
)

// Config says what to serve and where.
type Config struct {
	// Methods and Bus are required.
	Methods *method.Table
	Bus     *bus.Bus
	// Page is the built front end, with index.html at its root. Without one, a plain page says how to build it.
	Page fs.FS
	// Token is required; [NewToken] creates one. The gateway only keeps its hash.
	Token string
	// Button handles the Mattermost server's call for a pressed button, and fails if the call is not authentic.
	// While such calls are not enabled, the path is like any other. It may be nil.
	Button func(ctx context.Context, body []byte) (asked bool, err error)
	// Devices admits paired devices; nil admits none.
	Devices Devices
	// Version is reported by /health, with the ids of current problems, without details. If one is an error, the
	// status is "degraded". Problems returns immediately; it may be nil.
	Version  string
	Problems func() []problem.Problem
	// Health has additional values for /health. They are public and must not contain secrets. It may be nil.
	Health func(ctx context.Context) map[string]any
	// Log is required.
	Log *slog.Logger
	// Listen is the address, "127.0.0.1:0" by default.
	Listen string
	// Listener is an inherited listening socket, used instead; it stays the caller's. It may be nil.
	Listener *os.File
	// Cert and Key are PEM files with a certificate and its key; with them the connection is encrypted. They are
	// read again for each connection, so that renewed ones take effect.
	Cert, Key string
	// AllowRemote permits an address that other machines can reach although the connection is not encrypted.
	AllowRemote bool
	// Hosts are additional names, with or without port, of a remote listener. One with "https://" is that of an
	// encrypting proxy.
	Hosts []string

	limits limits
}

// limits are the limits in the package comment; tests use smaller ones.
type limits struct {
	// sockets is how many may be open.
	sockets int
	// message is the largest message of a client in bytes.
	message int64
	// ping is the pause between pings; silence is how long a client may send nothing; stall is how long a write
	// may make no progress; goodbye is how long a closing socket waits for the client's own close.
	ping, silence, stall, goodbye time.Duration
	queue                         bus.Limits
}

func defaultLimits() limits {
	return limits{
		sockets: 128, message: 64 << 20,
		ping: 30 * time.Second, silence: 60 * time.Second, stall: 20 * time.Second, goodbye: time.Second,
	}
}

// Gateway is a listening gateway, created by [Listen].
type Gateway struct {
	cfg      Config
	log      *slog.Logger
	guard    *guard
	page     *page
	listener *net.TCPListener
	// encrypt is nil for an unencrypted connection.
	encrypt  *tls.Config
	server   *http.Server
	upgrader websocket.Upgrader

	// ctx ends with Close; requests run under it.
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	closing bool
	sockets map[*socket]struct{}
	// listened counts the sockets that have subscribed to events; changed is closed and replaced with each.
	listened int
	changed  chan struct{}
	// running counts the sockets with running goroutines.
	running sync.WaitGroup
}

// NewToken returns 256 random bits in characters allowed in URLs and WebSocket subprotocols.
func NewToken() string {
	b := make([]byte, 32)
	// Read never fails.
	_, _ = rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Listen opens the address. Connections are answered once [Gateway.Serve] runs. An address that other machines can
// reach is a fault (forbidden) unless the configuration allows it; so is one that is in use or not ours
// (unavailable).
func Listen(cfg Config) (*Gateway, error) {
	if len(cfg.Token) < 16 {
		return nil, errors.New("gateway: the token is too short")
	}
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:0"
	}
	if cfg.limits == (limits{}) {
		cfg.limits = defaultLimits()
	}
	encrypt, err := cfg.encryption()
	if err != nil {
		return nil, err
	}
	listener, err := listen(cfg)
	if err != nil {
		return nil, err
	}
	addr := listener.Addr().(*net.TCPAddr)
	if !addr.IP.IsLoopback() && encrypt == nil {
		if !cfg.AllowRemote {
			_ = listener.Close()
			return nil, fault.New(fault.Forbidden,
				"%s can be reached from other machines, and the connection would not be encrypted. Use 127.0.0.1, encrypt it with --tls-cert and --tls-key, or add --allow-remote.", cfg.Listen)
		}
		cfg.Log.Warn("Other machines can reach this gateway over an unencrypted connection", "address", addr.String())
	}
	guard := newGuard(addr, cfg.Hosts, cfg.Token)
	guard.devices = cfg.Devices
	cfg.Token = "" // its hash is enough
	g := &Gateway{
		cfg: cfg, log: cfg.Log,
		guard:    guard,
		page:     newPage(cfg.Page),
		listener: listener,
		encrypt:  encrypt,
		sockets:  map[*socket]struct{}{},
		changed:  make(chan struct{}),
	}
	g.ctx, g.cancel = context.WithCancel(method.WithSurface(context.Background(), "gateway"))
	g.upgrader = websocket.Upgrader{
		Subprotocols: []string{protocol},
		// The guard has already checked the origin.
		CheckOrigin: func(*http.Request) bool { return true },
	}
	g.server = &http.Server{
		Handler:           g,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	return g, nil
}

// URL is the address of the page: "http://127.0.0.1:PORT/", or with https.
func (g *Gateway) URL() string {
	addr := *g.listener.Addr().(*net.TCPAddr)
	if addr.IP.IsUnspecified() {
		addr.IP = net.IPv4(127, 0, 0, 1)
	}
	if g.encrypt != nil {
		return "https://" + addr.String() + "/"
	}
	return "http://" + addr.String() + "/"
}

// Serve answers connections until Close. It then returns nil.
func (g *Gateway) Serve() error {
	l := &listener{Listener: g.listener, limits: g.cfg.limits, encrypt: g.encrypt}
	if err := g.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("gateway: %w", err)
	}
	return nil
}

// ServeHTTP implements [http.Handler].
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if g.encrypt != nil {
		// The server only sees our wrapped connections, not the TLS inside.
		r.TLS = &tls.ConnectionState{HandshakeComplete: true}
	}
	securityHeaders(w.Header(), r.URL.Path)
	if g.serveButton(w, r) {
		return
	}
	if err := g.guard.admit(r); err != nil {
		g.log.Warn("Rejected a request from a foreign origin", "host", shorten(r.Host), "origin", shorten(r.Header.Get("Origin")))
		writeError(w, http.StatusForbidden, err)
		return
	}
	if r.URL.Path == "/ws" || r.URL.Path == authPath {
		if err := g.guard.fromHere(r); err != nil {
			writeError(w, http.StatusForbidden, err)
			return
		}
	}
	switch r.URL.Path {
	case "/health":
		g.serveHealth(w, r)
	case authPath:
		g.serveAuth(w, r)
	case "/metrics":
		if device, ok := g.guard.authorize(r); !ok || device != nil {
			unauthorized(w)
			return
		}
		g.serveMetrics(w, r)
	case "/ws":
		device, ok := g.guard.authorize(r)
		if !ok {
			unauthorized(w)
			return
		}
		g.serveSocket(w, r, device)
	default:
		g.page.serve(w, r)
	}
}

func (g *Gateway) serveHealth(w http.ResponseWriter, r *http.Request) {
	if !readOnly(w, r) {
		return
	}
	type ailment struct {
		ID       string           `json:"id"`
		Severity problem.Severity `json:"severity"`
		Since    int64            `json:"since"`
	}
	health, status, ailments := map[string]any{}, "ok", []ailment{}
	if g.cfg.Health != nil {
		maps.Copy(health, g.cfg.Health(r.Context()))
	}
	if g.cfg.Problems != nil {
		for _, p := range g.cfg.Problems() {
			ailments = append(ailments, ailment{p.ID, p.Severity, p.Since})
			if p.Severity == problem.Error {
				status = "degraded"
			}
		}
	}
	maps.Copy(health, map[string]any{"status": status, "version": g.cfg.Version, "protocol": protocol, "problems": ailments})
	body, err := json.Marshal(health)
	if err != nil {
		writeError(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(body)
}

// readOnly itself answers everything except GET and HEAD.
func readOnly(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	writeError(w, http.StatusMethodNotAllowed, fault.New(fault.Invalid, "only GET and HEAD are allowed here"))
	return false
}

func writeError(w http.ResponseWriter, status int, err error) {
	body, _ := method.Encode(map[string]any{"error": borderErrorOf(err)})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func shorten(s string) string {
	if len(s) > 100 {
		return s[:100] + "…"
	}
	return s
}
