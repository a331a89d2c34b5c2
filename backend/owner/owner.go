// Package owner has what goroutines that own a state need: to be woken, and to be asked;
// and what owns things that have to be closed.
//
// It starts no goroutine and keeps nothing.
package owner

import (
	"context"
	"errors"
	"slices"
)

// Opened is a stack of what was opened.
type Opened []func() error

func (o *Opened) Add(closer func() error) { *o = append(*o, closer) }

// Close closes what was opened last first.
func (o Opened) Close() (err error) {
	for _, closer := range slices.Backward(o) {
		err = errors.Join(err, closer())
	}
	return err
}

// Wake leaves a token in a channel that holds one, unless there is one already. It never
// waits: who takes the token looks at everything there is to do.
func Wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Ask has the owner of an inbox run fn, and returns what fn returns. It returns closed when
// the owner ends before it ran fn, and ctx's error when ctx ends first; fn may run
// anyway then.
func Ask[T any](ctx context.Context, inbox chan<- func(), done <-chan struct{}, closed error, fn func() (T, error)) (T, error) {
	type reply struct {
		value T
		err   error
	}
	var zero T
	replies := make(chan reply, 1)
	work := func() {
		v, err := fn()
		replies <- reply{v, err}
	}
	select {
	case inbox <- work:
	case <-ctx.Done():
		return zero, ctx.Err()
	case <-done:
		return zero, closed
	}
	select {
	case r := <-replies:
		return r.value, r.err
	case <-ctx.Done():
		return zero, ctx.Err()
	case <-done:
		select {
		case r := <-replies:
			return r.value, r.err
		default:
			return zero, closed
		}
	}
}
