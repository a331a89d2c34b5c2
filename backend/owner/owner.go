// Package owner has helpers for goroutines that own a state: waking and asking them;
// and for owners of things that have to be closed.
//
// It starts no goroutine and keeps no state.
package owner

import (
	"context"
	"errors"
	"slices"
)

// Opened is a stack of close functions.
type Opened []func() error

func (o *Opened) Add(closer func() error) { *o = append(*o, closer) }

// Close calls them in reverse order.
func (o Opened) Close() (err error) {
	for _, closer := range slices.Backward(o) {
		err = errors.Join(err, closer())
	}
	return err
}

// Wake puts a token into a channel of capacity one, unless it holds one already. It never
// waits: the receiver checks for all pending work.
func Wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Ask has the owner of an inbox run fn, and returns fn's result. It returns closed if
// the owner ends before it ran fn, and ctx's error if ctx ends first; fn may still
// run then.
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
