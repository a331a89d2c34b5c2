package session

import (
	"context"

	"parley/backend/owner"
)

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
	return owner.Ask(ctx, s.inbox, s.done, errClosed(), fn)
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
