package session

import (
	"context"

	"parley/backend/owner"
)

// post hands work to the owner. It blocks while the inbox is full and gives
// up when the session has ended.
func (s *Session) post(work func()) bool {
	select {
	case s.inbox <- work:
		return true
	case <-s.done:
		return false
	}
}

// ask runs fn on the owner and returns its result.
func ask[T any](ctx context.Context, s *Session, fn func() (T, error)) (T, error) {
	return owner.Ask(ctx, s.inbox, s.done, errClosed(), fn)
}

// look reads the owner's state: on the owner, or directly once the owner has
// ended and nothing changes the state.
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
