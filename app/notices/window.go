package notices

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"

	"parley/app/feature"
	"parley/backend/event"
	"parley/backend/fault"
)

// Window is the service behind window.*: what others may ask of this program's window.
type Window struct {
	Notices *Service
	Session func(ctx context.Context, id string) (event.Session, error)
	Leaving *Leaving
	// Log has what the page showed that died.
	Log *slog.Logger
}

// Show brings the window to the front, and to a session or a folder.
func (w *Window) Show(ctx context.Context, p WindowShowParams) (feature.Empty, error) {
	if !w.Notices.Window || w.Notices.Attention == nil {
		return feature.Empty{}, fault.New(fault.Unavailable, "This Parley has no window.")
	}
	err := w.shows(ctx, p)
	switch {
	case err == nil && p.Folder != "":
		w.Notices.Opened("")
		w.Notices.Bus.Publish(&event.NoticeOpened{Folder: p.Folder})
	case err == nil:
		w.Notices.Opened(p.SessionID)
	case p.Linked:
		w.Notices.Opened("")
		w.Notices.Bus.Publish(&event.NoticeOpened{Failure: fault.MessageOf(err)})
	}
	return feature.Empty{}, err
}

// shows says whether there is what is to be shown.
func (w *Window) shows(ctx context.Context, p WindowShowParams) error {
	if p.Folder == "" && p.SessionID == "" {
		return nil
	}
	if p.Folder == "" {
		_, err := w.Session(ctx, p.SessionID)
		return err
	}
	if p.SessionID != "" {
		return fault.New(fault.Invalid, "Name a session or a folder, and not both.")
	}
	if info, err := os.Stat(p.Folder); !filepath.IsAbs(p.Folder) || err != nil || !info.IsDir() {
		return fault.New(fault.NotFound, "There is no folder %q.", p.Folder)
	}
	return nil
}

// Hidden tells the user that Parley goes on although its window is gone.
func (w *Window) Hidden(ctx context.Context, p WindowHiddenParams) (feature.Empty, error) {
	if p.How == hiddenBroken && w.Notices.Window {
		for _, id := range w.Notices.onPage() {
			s, err := w.Session(ctx, id)
			if err != nil {
				continue // it is gone, so it was not what was drawn
			}
			w.Log.Error("The page that keeps dying showed a session", "session", id, "messages", s.Messages, "bytes", s.Bytes, "state", s.State)
		}
		w.Notices.Safe.begin()
		w.Notices.Bus.Publish(&event.SettingsChanged{})
	}
	return feature.Empty{}, w.Notices.sayHidden(ctx, p.How)
}

// LeaveSafeMode has the page draw as usual again.
func (w *Window) LeaveSafeMode(context.Context, feature.Empty) (feature.Empty, error) {
	w.Notices.Safe.leave()
	w.Notices.Bus.Publish(&event.SettingsChanged{})
	return feature.Empty{}, nil
}

// Answer takes what the page says to the question that closing the window brought up.
func (w *Window) Answer(_ context.Context, p WindowAnswerParams) (feature.Empty, error) {
	return feature.Empty{}, w.Leaving.Answer(p)
}
