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

// Looking says whether a user has the window in front of them.
func (n *Service) Looking() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.focused
}

// presence is notice.presence.
func (n *Service) presence(ctx context.Context, p PresenceParams) (feature.Empty, error) {
	if len(p.Sessions) > maxOnPage {
		return feature.Empty{}, fault.New(fault.Invalid, "sessions must be at most %d", maxOnPage)
	}
	n.present(ctx, p)
	return feature.Empty{}, nil
}

// present is told what a page has in front of a user.
func (n *Service) present(ctx context.Context, p PresenceParams) {
	if method.Surface(ctx) != "window" {
		n.presentInBrowser(method.Connection(ctx), p.Focused)
		return // what it shows, it decides for itself
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

// maxOnPage is how many sessions of a page are heard of.
const maxOnPage = 8

// onPage are the sessions that were on the window's page last.
func (n *Service) onPage() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.page)
}

// lookFor is how long a page in a browser counts as looked at that says nothing more: it may
// have gone. maxBrowsers bounds how many there are.
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

// lookingAnywhere says whether a user has any page of Parley in front of them.
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

// abroad tells those who are told elsewhere.
func (n *Service) abroad(about event.Session, title string, kind notify.Kind) {
	words := NoticeWords(n.cfg.Prefs.Values().Language)
	if title == "" {
		title = words.untitled
	}
	n.cfg.Ways.Tell(push.Event{
		Kind: kind, SessionID: about.ID, Title: title, Text: words.Bodies[kind], Folder: about.CWD, Looking: n.lookingAnywhere(),
	})
}
