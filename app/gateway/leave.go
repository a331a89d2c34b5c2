package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/fault"
)

// answering is how long [Gateway.Leave] waits for answers: slower requests are cut off.
const answering = 200 * time.Millisecond

// listen opens the address, or uses an inherited listener.
func listen(cfg Config) (*net.TCPListener, error) {
	var listener net.Listener
	var err error
	if cfg.Listener != nil {
		listener, err = net.FileListener(cfg.Listener)
	} else {
		listener, err = net.Listen("tcp", cfg.Listen)
	}
	if tcp, ok := listener.(*net.TCPListener); ok && err == nil {
		return tcp, nil
	}
	return nil, fault.Wrap(err, fault.Unavailable, "Parley cannot listen on %s. Choose another address with --listen.", cfg.Listen)
}

// File is the listener, for the program it is handed over to: clients that connect in between wait
// there. The caller closes it.
func (g *Gateway) File() (*os.File, error) { return g.listener.File() }

// Close stops listening, sends every socket its pending events, says goodbye (code 1001), cancels
// running requests, and waits until all of it has ended, or until ctx ends; the sockets are cut off
// then. It may be repeated.
func (g *Gateway) Close(ctx context.Context) error {
	return g.close(ctx, closing{websocket.CloseGoingAway, "Parley is closing"})
}

// Leave is Close for a gateway whose [Gateway.File] continues: sockets are told to reconnect
// immediately (code 1012), and first receive the answers that are ready soon.
func (g *Gateway) Leave(ctx context.Context) error {
	g.mu.Lock()
	var answered sync.WaitGroup
	soon, cancel := context.WithTimeout(ctx, answering)
	for s := range g.sockets {
		// The whole budget is free when no request is running; new ones wait behind this.
		answered.Go(func() { _ = s.free.Acquire(soon, budget) })
	}
	g.mu.Unlock()
	answered.Wait()
	cancel()
	return g.close(ctx, closing{websocket.CloseServiceRestart, "Parley restarts"})
}

// listens records that another socket has subscribed to events.
func (g *Gateway) listens() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.listened++
	close(g.changed)
	g.changed = make(chan struct{})
}

// Listening is how many open sockets have subscribed to events.
func (g *Gateway) Listening() (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for s := range g.sockets {
		if s.ws != nil && s.filter.subscribed() {
			n++
		}
	}
	return n
}

// Await returns when this many sockets have subscribed to events, or when ctx ends.
func (g *Gateway) Await(ctx context.Context, n int) {
	for {
		g.mu.Lock()
		enough, changed := g.listened >= n, g.changed
		g.mu.Unlock()
		if enough {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

func (g *Gateway) close(ctx context.Context, why closing) error {
	g.mu.Lock()
	g.closing = true
	g.mu.Unlock()
	// They are notified once nothing listens here: an immediate reconnect would be refused
	// otherwise.
	g.server.RegisterOnShutdown(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		for s := range g.sockets {
			s.end(why.code, why.reason)
		}
		g.cancel()
	})
	err := g.server.Shutdown(ctx)
	// The server does not know the listener of a gateway that never served.
	_ = g.listener.Close()
	ended := make(chan struct{})
	go func() {
		g.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		g.mu.Lock()
		left := len(g.sockets)
		for s := range g.sockets {
			if s.ws != nil {
				_ = s.ws.Close()
			}
		}
		g.mu.Unlock()
		return errors.Join(err, fmt.Errorf("gateway: %d sockets had to be cut off: %w", left, ctx.Err()))
	}
	return err
}
