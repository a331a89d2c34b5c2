package app

import (
	"context"

	"parley/backend/event"
	"parley/backend/fault"
)

// windows is the service behind window.*: what others may ask of this program's window.
type windows struct {
	notices *notices
	session func(ctx context.Context, id string) (event.Session, error)
	leaving *leaving
}

// Show brings the window to the front, and to a session.
func (w *windows) Show(ctx context.Context, p WindowShowParams) (Empty, error) {
	if !w.notices.window || w.notices.attention == nil {
		return Empty{}, fault.New(fault.Unavailable, "This Parley has no window.")
	}
	if p.SessionID != "" {
		if _, err := w.session(ctx, p.SessionID); err != nil {
			return Empty{}, err
		}
	}
	w.notices.opened(p.SessionID)
	return Empty{}, nil
}

// Hidden tells the person that Parley goes on although they closed its window.
func (w *windows) Hidden(ctx context.Context, p WindowHiddenParams) (Empty, error) {
	return Empty{}, w.notices.sayHidden(ctx, p.How)
}

// Answer takes what the page says to the question that closing the window brought up.
func (w *windows) Answer(_ context.Context, p WindowAnswerParams) (Empty, error) {
	return Empty{}, w.leaving.answer(p)
}
