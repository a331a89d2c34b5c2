package notices

import (
	"context"
	"os"
	"path/filepath"

	"parley/app/feature"
	"parley/backend/event"
	"parley/backend/fault"
)

// showWindow raises the window, and goes to a session or folder.
func (n *Service) showWindow(ctx context.Context, p WindowShowParams) (feature.Empty, error) {
	if !n.cfg.Window || n.cfg.Attention == nil {
		return feature.Empty{}, fault.New(fault.Unavailable, "This Parley has no window.")
	}
	err := n.shows(ctx, p)
	switch {
	case err == nil && p.Folder != "":
		n.Opened("")
		n.cfg.Bus.Publish(&event.NoticeOpened{Folder: p.Folder})
	case err == nil:
		n.Opened(p.SessionID)
	case p.Linked:
		n.Opened("")
		n.cfg.Bus.Publish(&event.NoticeOpened{Failure: fault.MessageOf(err)})
	}
	return feature.Empty{}, err
}

// shows reports whether the target exists.
func (n *Service) shows(ctx context.Context, p WindowShowParams) error {
	if p.Folder == "" && p.SessionID == "" {
		return nil
	}
	if p.Folder == "" {
		_, err := n.cfg.Session(ctx, p.SessionID)
		return err
	}
	if p.SessionID != "" {
		return fault.New(fault.Invalid, "Choose either a session or a folder (parameters sessionId and folder).")
	}
	if info, err := os.Stat(p.Folder); !filepath.IsAbs(p.Folder) || err != nil || !info.IsDir() {
		return fault.New(fault.NotFound, "There is no folder %q.", p.Folder)
	}
	return nil
}

// windowHidden tells the user that Parley keeps running without its window.
func (n *Service) windowHidden(ctx context.Context, p WindowHiddenParams) (feature.Empty, error) {
	if p.How == hiddenBroken && n.cfg.Window {
		for _, id := range n.onPage() {
			s, err := n.cfg.Session(ctx, id)
			if err != nil {
				continue // it no longer exists, so it was not the one being rendered
			}
			n.cfg.Log.Error("Session shown by the crashing page", "session", id, "messages", s.Messages, "bytes", s.Bytes, "state", s.State)
		}
		n.safe.begin()
		n.cfg.Bus.Publish(&event.SettingsChanged{})
	}
	return feature.Empty{}, n.sayHidden(ctx, p.How)
}

// leaveSafeMode makes the page render normally again.
func (n *Service) leaveSafeMode(context.Context, feature.Empty) (feature.Empty, error) {
	n.safe.leave()
	n.cfg.Bus.Publish(&event.SettingsChanged{})
	return feature.Empty{}, nil
}

// answerWindow handles the page's answer to the question on closing the window.
func (n *Service) answerWindow(_ context.Context, p WindowAnswerParams) (feature.Empty, error) {
	return feature.Empty{}, n.Leaving.Answer(p)
}
