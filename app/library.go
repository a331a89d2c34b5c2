package app

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/library"
	"parley/backend/record"
	"parley/backend/session"
)

// shelves is the service behind library.*, draft.*, layout.* and those session.*
// methods that keep, find and arrange sessions.
type shelves struct {
	library *library.Library
	// status says how far reading what is on the disk has come.
	status func() event.Library
	// purged hears of a session that was forgotten for good.
	purged func(sessionID string)
}

var _ LibraryService = (*shelves)(nil)

func (s *shelves) Status(context.Context, Empty) (event.Library, error) { return s.status(), nil }

func (s *shelves) Fork(ctx context.Context, p SessionForkParams) (event.Session, error) {
	if err := checkTitle(p.Title); err != nil {
		return event.Session{}, err
	}
	return s.library.Fork(ctx, p.SessionID, p.MessageID, p.Title)
}

func (s *shelves) Duplicate(ctx context.Context, p SessionRef) (event.Session, error) {
	return s.library.Duplicate(ctx, p.SessionID)
}

func (s *shelves) Rename(ctx context.Context, p SessionRenameParams) (event.Session, error) {
	return s.library.Rename(ctx, p.SessionID, p.Title)
}

func (s *shelves) Pin(ctx context.Context, p SessionPinParams) (event.Session, error) {
	return s.library.Pin(ctx, p.SessionID, p.Pinned)
}

func (s *shelves) Archive(ctx context.Context, p SessionEndParams) (event.Session, error) {
	if err := mayEnd(ctx, s.library, p, "archive", true); err != nil {
		return event.Session{}, err
	}
	return s.library.Archive(ctx, p.SessionID)
}

// mayEnd objects to ending a session whose background work nobody spoke of. A turn that
// runs may have its own words.
func mayEnd(ctx context.Context, l *library.Library, p SessionEndParams, verb string, turnsApart bool) error {
	if p.Force {
		return nil
	}
	record, err := l.Get(ctx, p.SessionID)
	if err != nil || len(record.Tasks) == 0 || turnsApart && working(record.State) {
		return err
	}
	return fault.New(fault.Conflict,
		"Background work goes on in this session, and would be ended. Stop it, wait for its end, or %s the session all the same (parameter force).", verb)
}

func (s *shelves) Unarchive(ctx context.Context, p SessionRef) (event.Session, error) {
	return s.library.Unarchive(ctx, p.SessionID)
}

func (s *shelves) Delete(ctx context.Context, p SessionEndParams) (event.Session, error) {
	if err := mayEnd(ctx, s.library, p, "delete", false); err != nil {
		return event.Session{}, err
	}
	return s.library.Delete(ctx, p.SessionID)
}

func (s *shelves) Restore(ctx context.Context, p SessionRef) (event.Session, error) {
	return s.library.Restore(ctx, p.SessionID)
}

func (s *shelves) Purge(_ context.Context, p SessionRef) (Empty, error) {
	err := s.library.Purge(p.SessionID)
	if err == nil {
		s.purged(p.SessionID)
	}
	return Empty{}, err
}

func (s *shelves) Reopen(ctx context.Context, p SessionRef) (event.Session, error) {
	return s.library.Reopen(ctx, p.SessionID)
}

func (s *shelves) Suspend(ctx context.Context, p SessionRef) (event.Session, error) {
	return s.library.Suspend(ctx, p.SessionID)
}

func (s *shelves) Fresh(ctx context.Context, p SessionRef) (event.Session, error) {
	return s.library.Fresh(ctx, p.SessionID)
}

func (s *shelves) Seen(_ context.Context, p SessionRef) (Empty, error) {
	return Empty{}, s.library.Seen(p.SessionID)
}

func (s *shelves) SetTrouble(_ context.Context, p SessionTroubleParams) (Empty, error) {
	return Empty{}, s.library.SetTrouble(p.SessionID, record.Trouble(p.Trouble))
}

func (s *shelves) Locate(ctx context.Context, p SessionLocateParams) (event.History, error) {
	if (p.Target == "") == (p.MessageID == "") {
		return event.History{}, fault.New(fault.Invalid, "Give either a target or a messageId.")
	}
	limit, err := pageLimit(p.Limit)
	if err != nil {
		return event.History{}, err
	}
	return s.library.Locate(ctx, p.SessionID, p.Target, p.MessageID, limit)
}

func (s *shelves) GetDraft(_ context.Context, p SessionRef) (Draft, error) {
	kept, attachments, err := s.library.Draft(p.SessionID)
	if err != nil {
		return Draft{}, err
	}
	d := Draft{SessionID: p.SessionID, Text: kept.Text, UpdatedAt: kept.UpdatedAt, Attachments: []PromptAttachment{}}
	for _, a := range attachments {
		d.Attachments = append(d.Attachments, PromptAttachment{Name: a.Name, MediaType: a.MediaType, Data: base64.StdEncoding.EncodeToString(a.Data)})
	}
	return d, nil
}

func (s *shelves) SetDraft(_ context.Context, p DraftSetParams) (Empty, error) {
	var attachments *[]library.Attachment
	if p.Attachments != nil {
		all, err := decodeAttachments(*p.Attachments)
		if err != nil {
			return Empty{}, err
		}
		list := make([]library.Attachment, 0, len(all))
		for _, a := range all {
			list = append(list, library.Attachment{Name: a.name, MediaType: a.mediaType, Data: a.data})
		}
		attachments = &list
	}
	return Empty{}, s.library.SetDraft(p.SessionID, p.Text, attachments)
}

func (s *shelves) GetLayout(_ context.Context, p LayoutRef) (Layout, error) {
	kept, err := s.library.Layout(p.Window)
	if err != nil {
		return Layout{}, err
	}
	layout := Layout{Window: p.Window, UpdatedAt: kept.UpdatedAt}
	if json.Unmarshal(kept.Layout, &layout.Layout) != nil || layout.Layout == nil {
		layout.Layout = map[string]any{}
	}
	return layout, nil
}

func (s *shelves) SetLayout(_ context.Context, p LayoutSetParams) (Empty, error) {
	if p.Layout == nil {
		p.Layout = map[string]any{}
	}
	raw, err := json.Marshal(p.Layout)
	if err != nil {
		return Empty{}, fault.Wrap(err, fault.Invalid, "The layout cannot be kept as JSON (parameter layout).")
	}
	return Empty{}, s.library.SetLayout(p.Window, raw)
}

// queues is the service behind session.*Queued.
type queues struct {
	library  *library.Library
	registry *session.Registry
}

var _ QueueService = (*queues)(nil)

func (q *queues) Edit(ctx context.Context, p QueuedEditParams) (Empty, error) {
	if len(p.Text) > maxTextBytes {
		return Empty{}, fault.New(fault.TooLarge, "The prompt has %d bytes; the limit is %d. Put long material into a file.", len(p.Text), maxTextBytes)
	}
	return Empty{}, q.library.With(ctx, p.SessionID, func() error {
		return q.registry.EditQueued(ctx, p.SessionID, p.PromptID, p.Text)
	})
}

func (q *queues) Drop(ctx context.Context, p QueuedRef) (Empty, error) {
	return Empty{}, q.library.With(ctx, p.SessionID, func() error {
		return q.registry.DropQueued(ctx, p.SessionID, p.PromptID)
	})
}

func (q *queues) Send(ctx context.Context, p QueuedSendParams) (Empty, error) {
	return Empty{}, q.library.With(ctx, p.SessionID, func() error {
		if err := q.library.Sendable(p.SessionID, p.PromptID); err != nil {
			return err
		}
		return q.registry.SendQueued(ctx, p.SessionID, p.PromptID)
	})
}
