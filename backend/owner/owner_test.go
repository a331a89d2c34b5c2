package owner_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"parley/backend/owner"
)

func TestWake(t *testing.T) {
	c := make(chan struct{}, 1)
	for range 3 {
		owner.Wake(c)
	}
	if len(c) != 1 {
		t.Errorf("%d tokens, want 1", len(c))
	}
	owner.Wake(nil) // nobody receives there
}

var errClosed = errors.New("closed")

func TestAsk(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		name string
		// serve is what the owner does; stop cancels the caller's context.
		serve func(inbox <-chan func(), done chan struct{}, stop context.CancelFunc)
		fails error
		want  int
		err   error
	}{
		{name: "answered", want: 7, serve: func(inbox <-chan func(), _ chan struct{}, _ context.CancelFunc) { (<-inbox)() }},
		{name: "fails", fails: failed, want: 7, err: failed, serve: func(inbox <-chan func(), _ chan struct{}, _ context.CancelFunc) { (<-inbox)() }},
		{name: "ended before it was taken", err: errClosed, serve: func(_ <-chan func(), done chan struct{}, _ context.CancelFunc) { close(done) }},
		{name: "ended after it was taken", err: errClosed, serve: func(inbox <-chan func(), done chan struct{}, _ context.CancelFunc) {
			<-inbox
			close(done)
		}},
		{name: "answered with its last breath", want: 7, serve: func(inbox <-chan func(), done chan struct{}, _ context.CancelFunc) {
			work := <-inbox
			work()
			close(done)
		}},
		{name: "given up before it was taken", err: context.Canceled, serve: func(_ <-chan func(), _ chan struct{}, stop context.CancelFunc) { stop() }},
		{name: "given up after it was taken", err: context.Canceled, serve: func(inbox <-chan func(), _ chan struct{}, stop context.CancelFunc) {
			<-inbox
			stop()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				inbox, done := make(chan func()), make(chan struct{})
				go c.serve(inbox, done, cancel)
				got, err := owner.Ask(ctx, inbox, done, errClosed, func() (int, error) { return 7, c.fails })
				if got != c.want || !errors.Is(err, c.err) {
					t.Errorf("got %d, %v, want %d, %v", got, err, c.want, c.err)
				}
			})
		})
	}
}
