package session

import "context"

// post hands work to the owner. It waits while the inbox is full and gives up
// when the session has ended.
func (s *Session) post(work func()) bool {
	select {
	case s.inbox <- work:
		return true
	case <-s.done:
		return false
	}
}

// ask runs fn on the owner and returns what it returns.
func ask[T any](ctx context.Context, s *Session, fn func() (T, error)) (T, error) {
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
	case s.inbox <- work:
	case <-ctx.Done():
		return zero, ctx.Err()
	case <-s.done:
		return zero, errClosed()
	}
	select {
	case r := <-replies:
		return r.value, r.err
	case <-ctx.Done():
		return zero, ctx.Err()
	case <-s.done:
		select {
		case r := <-replies:
			return r.value, r.err
		default:
			return zero, errClosed()
		}
	}
}

// look reads something of the owner's: when the owner has done what it is at, or
// at once when it has ended and nobody changes anything any more.
func look[T any](ctx context.Context, s *Session, read func() T) (T, error) {
	if s.ended() {
		return read(), nil
	}
	v, err := ask(ctx, s, func() (T, error) { return read(), nil })
	if err != nil && s.ended() { // in between
		return read(), nil
	}
	return v, err
}
