package notices

import (
	"context"
	"slices"
	"time"

	"parley/app/feature"
	"parley/app/method"
	"parley/app/push"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/platform/notify"
)

// Looking reports whether the window has the user's attention.
func (n *Service) Looking() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.focused
}

// presence is notification.setPresence.
func (n *Service) presence(ctx context.Context, p PresenceParams) (feature.Empty, error) {
	if len(p.Sessions) > maxOnPage {
		return feature.Empty{}, fault.New(fault.Invalid, "sessions can list at most %d sessions", maxOnPage)
	}
	n.present(ctx, p)
	return feature.Empty{}, nil
}

// present records what a page shows the user.
func (n *Service) present(ctx context.Context, p PresenceParams) {
	if method.Surface(ctx) != "window" {
		n.presentInBrowser(method.Connection(ctx), p.Focused)
		return // it decides itself what it shows
	}
	n.mu.Lock()
	n.focused, n.page = p.Focused, slices.Clone(p.Sessions)
	n.mu.Unlock()
	if n.safe.back() {
		n.withdraw(ctx, hiddenKey)
		n.cfg.Bus.Publish(&event.SettingsChanged{})
	}
	if !p.Focused {
		return
	}
	if n.cfg.Attention != nil {
		n.cfg.Attention.Urgent(false)
	}
	for _, id := range p.Sessions {
		n.withdraw(ctx, id)
	}
}

// maxOnPage is how many visible sessions of a page are considered.
const maxOnPage = 8

// onPage are the last known sessions on the window's page.
func (n *Service) onPage() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.page)
}

// lookFor is how long a silent browser page counts as looked at: it may be gone. maxBrowsers bounds
// their number.
const (
	lookFor     = 90 * time.Second
	maxBrowsers = 64
)

func (n *Service) presentInBrowser(connection string, focused bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.browsers, connection)
	if focused && len(n.browsers) < maxBrowsers {
		n.browsers[connection] = time.Now()
	}
}

// lookingAnywhere reports whether a user is looking at any page of Parley.
func (n *Service) lookingAnywhere() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for connection, at := range n.browsers {
		if time.Since(at) > lookFor {
			delete(n.browsers, connection)
		}
	}
	return n.focused || len(n.browsers) > 0
}

// abroad sends a notification to webhooks and topics.
func (n *Service) abroad(about event.Session, title string, kind notify.Kind) {
	words := NoticeWords(n.cfg.Prefs.Values().Language)
	if title == "" {
		title = words.untitled
	}
	n.cfg.Ways.Tell(push.Event{
		Kind: kind, SessionID: about.ID, Title: title, Text: words.Bodies[kind], Folder: about.CWD, Looking: n.lookingAnywhere(),
	})
}
