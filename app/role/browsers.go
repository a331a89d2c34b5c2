package role

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"strconv"
	"sync"

	"parley/app/gateway"
	"parley/backend/bus"
)

// browsers is the gateway of a Parley with a window: for paired devices and browsers on this
// computer, if enabled in the settings.
type browsers struct {
	cfg  gateway.Config
	call caller
	port int
	// gateway is nil if there is none; served is closed when it has ended.
	gateway *gateway.Gateway
	served  chan struct{}
}

// letBrowsersIn follows the setting until ctx ends. Wait for the returned group.
func (p Program) letBrowsersIn(ctx context.Context, backend Backend, log *slog.Logger) *sync.WaitGroup {
	var all sync.WaitGroup
	devices := backend.Devices()
	changes, err := backend.Bus().Subscribe([]string{"settings.changed"}, bus.Limits{Events: 16})
	if devices == nil || err != nil {
		return &all
	}
	b := &browsers{call: backend.Methods().Call, cfg: gateway.Config{
		Methods: backend.Methods(), Bus: backend.Bus(), Page: p.Page, Devices: devices, Version: p.Version,
		Problems: backend.Problems, Health: backend.Health, Log: log,
	}}
	all.Go(func() {
		defer changes.Close()
		defer func() { b.close() }()
		for {
			b.follow(ctx)
			select {
			case <-ctx.Done():
				return
			case <-changes.Ready():
				changes.Take(nil)
			}
		}
	})
	return &all
}

// follow adapts the gateway to the settings.
func (b *browsers) follow(ctx context.Context) {
	raw, err := b.call(ctx, "settings.get", nil)
	var asked struct {
		BrowserPort int `json:"browserPort"`
	}
	if err != nil || json.Unmarshal(raw, &asked) != nil || asked.BrowserPort == b.port {
		return
	}
	b.close()
	if b.port = asked.BrowserPort; b.port == 0 {
		b.cfg.Devices.Listens("", nil)
		return
	}
	cfg := b.cfg
	// Nobody learns this token: only paired devices are admitted.
	cfg.Listen, cfg.Token = net.JoinHostPort("127.0.0.1", strconv.Itoa(b.port)), gateway.NewToken()
	g, err := gateway.Listen(cfg)
	if err != nil {
		b.cfg.Log.Warn("Couldn't start browser access", "err", err)
		b.cfg.Devices.Listens("", err)
		return
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := g.Serve(); err != nil {
			b.cfg.Log.Warn("Browser access stopped", "err", err)
			b.cfg.Devices.Listens("", err)
		}
	}()
	b.gateway, b.served = g, served
	b.cfg.Devices.Listens(g.URL(), nil)
}

// close ends the gateway, if there is one.
func (b *browsers) close() {
	if b.gateway == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	if err := b.gateway.Close(ctx); err != nil {
		b.cfg.Log.Warn("Some browsers didn't disconnect in time", "err", err)
	}
	<-b.served
	b.gateway = nil
}
