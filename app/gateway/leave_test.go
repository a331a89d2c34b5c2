package gateway

import (
	"errors"
	"testing"

	"github.com/gorilla/websocket"
)

// A client that is told that the gateway leaves, and reconnects immediately, waits for the next one
// instead of being refused.
func TestLeave(t *testing.T) {
	w := start(t, nil)
	for range 20 {
		file, err := w.File()
		if err != nil {
			t.Fatal(err)
		}
		const many = 40
		back := make(chan *client, many)
		for range many {
			c := w.dial(t)
			go func() {
				var closed *websocket.CloseError
				if _, _, err := c.ReadMessage(); !errors.As(err, &closed) || closed.Code != websocket.CloseServiceRestart {
					t.Errorf("it hears %v", err)
				}
				_ = c.Close()
				again, err := w.tryDial(t)
				if err != nil {
					t.Error(err)
				}
				back <- again
			}()
		}
		if err := w.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		next := start(t, func(c *Config) { c.Listener = file })
		_ = file.Close()
		for range many {
			c := <-back
			if c == nil {
				t.FailNow()
			}
			_ = c.Close()
		}
		w = next
	}
}
