package sessions

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"parley/app/feature"
	"parley/app/files"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session/library"
	"parley/backend/store/model"
)

func (s *Service) status(context.Context, feature.Empty) (event.Library, error) {
	return s.cfg.Reading.Status(), nil
}

func (s *Service) Fork(ctx context.Context, p SessionForkParams) (event.Session, error) {
	if err := feature.CheckTitle(p.Title); err != nil {
		return event.Session{}, err
	}
	return s.cfg.Library.Fork(ctx, p.SessionID, p.MessageID, p.Title)
}

func (s *Service) Duplicate(ctx context.Context, p feature.SessionRef) (event.Session, error) {
	return s.cfg.Library.Duplicate(ctx, p.SessionID)
}

func (s *Service) Rename(ctx context.Context, p SessionRenameParams) (event.Session, error) {
	return s.cfg.Library.Rename(ctx, p.SessionID, p.Title)
}

func (s *Service) Pin(ctx context.Context, p SessionPinParams) (event.Session, error) {
	return s.cfg.Library.Pin(ctx, p.SessionID, p.Pinned)
}

func (s *Service) Archive(ctx context.Context, p SessionEndParams) (event.Session, error) {
	if err := mayEnd(ctx, s.cfg.Library, p, "archive", true); err != nil {
		return event.Session{}, err
	}
	return s.cfg.Library.Archive(ctx, p.SessionID)
}

// mayEnd returns an error if a session has background tasks and the caller did not confirm ending
// them. A running turn may have its own message.
func mayEnd(ctx context.Context, l *library.Library, p SessionEndParams, verb string, turnsApart bool) error {
	if p.Force {
		return nil
	}
	record, err := l.Get(ctx, p.SessionID)
	if err != nil || len(record.Tasks) == 0 || turnsApart && feature.Working(record.State) {
		return err
	}
	return fault.New(fault.Conflict,
		"Background work is running in this session and would end. Stop it, wait until it is done, or %s the session anyway (parameter force).", verb)
}

func (s *Service) Unarchive(ctx context.Context, p feature.SessionRef) (event.Session, error) {
	return s.cfg.Library.Unarchive(ctx, p.SessionID)
}

func (s *Service) Delete(ctx context.Context, p SessionEndParams) (event.Session, error) {
	if err := mayEnd(ctx, s.cfg.Library, p, "delete", false); err != nil {
		return event.Session{}, err
	}
	deleted, err := s.cfg.Library.Delete(ctx, p.SessionID)
	if err == nil {
		s.cfg.Rooms().Purged(p.SessionID)
	}
	return deleted, err
}

func (s *Service) Restore(ctx context.Context, p feature.SessionRef) (event.Session, error) {
	return s.cfg.Library.Restore(ctx, p.SessionID)
}

func (s *Service) Purge(_ context.Context, p feature.SessionRef) (feature.Empty, error) {
	err := s.cfg.Library.Purge(p.SessionID)
	if err == nil {
		s.cfg.Permissions.Forget(p.SessionID, false)
		s.cfg.Rooms().Purged(p.SessionID)
		if err := s.cfg.Undo.Forget(p.SessionID); err != nil {
			s.cfg.Log.Warn("Couldn't delete the undo data of a deleted session", "session", p.SessionID, "err", err)
		}
	}
	return feature.Empty{}, err
}

func (s *Service) Reopen(ctx context.Context, p feature.SessionRef) (event.Session, error) {
	return s.cfg.Library.Reopen(ctx, p.SessionID)
}

func (s *Service) Suspend(ctx context.Context, p feature.SessionRef) (event.Session, error) {
	return s.cfg.Library.Suspend(ctx, p.SessionID)
}

func (s *Service) Fresh(ctx context.Context, p feature.SessionRef) (event.Session, error) {
	return s.cfg.Library.Fresh(ctx, p.SessionID)
}

func (s *Service) Seen(_ context.Context, p feature.SessionRef) (feature.Empty, error) {
	return feature.Empty{}, s.cfg.Library.Seen(p.SessionID)
}

func (s *Service) SetTrouble(_ context.Context, p SessionTroubleParams) (feature.Empty, error) {
	return feature.Empty{}, s.cfg.Library.SetTrouble(p.SessionID, model.Trouble(p.Trouble))
}

func (s *Service) Locate(ctx context.Context, p SessionLocateParams) (event.History, error) {
	given := 0
	for _, is := range []bool{p.Target != "", p.MessageID != "", p.First, p.Number != nil} {
		if is {
			given++
		}
	}
	if given != 1 || p.Number != nil && *p.Number < 0 {
		return event.History{}, fault.New(fault.Invalid, "Pass one of the parameters target, messageId, first and number. A number must be 0 or more.")
	}
	limit, err := feature.PageLimit(p.Limit)
	if err != nil {
		return event.History{}, err
	}
	if p.First {
		return s.cfg.Library.First(ctx, p.SessionID, limit)
	}
	if p.Number != nil {
		return s.cfg.Library.Numbered(ctx, p.SessionID, *p.Number, limit)
	}
	return s.cfg.Library.Locate(ctx, p.SessionID, p.Target, p.MessageID, limit)
}

func (s *Service) GetDraft(_ context.Context, p feature.SessionRef) (Draft, error) {
	kept, attachments, err := s.cfg.Library.Draft(p.SessionID)
	if err != nil {
		return Draft{}, err
	}
	d := Draft{SessionID: p.SessionID, Text: kept.Text, UpdatedAt: kept.UpdatedAt, Attachments: []feature.PromptAttachment{}}
	for _, a := range attachments {
		d.Attachments = append(d.Attachments, feature.PromptAttachment{Name: a.Name, MediaType: a.MediaType, Data: base64.StdEncoding.EncodeToString(a.Data)})
	}
	return d, nil
}

func (s *Service) SetDraft(_ context.Context, p DraftSetParams) (feature.Empty, error) {
	var attachments *[]library.Attachment
	if p.Attachments != nil {
		all, err := files.DecodeAttachments(*p.Attachments)
		if err != nil {
			return feature.Empty{}, err
		}
		list := make([]library.Attachment, 0, len(all))
		for _, a := range all {
			list = append(list, library.Attachment{Name: a.Name, MediaType: a.MediaType, Data: a.Data})
		}
		attachments = &list
	}
	return feature.Empty{}, s.cfg.Library.SetDraft(p.SessionID, p.Text, attachments)
}

func (s *Service) GetLayout(_ context.Context, p LayoutRef) (Layout, error) {
	kept, err := s.cfg.Library.Layout(p.Window)
	if err != nil {
		return Layout{}, err
	}
	layout := Layout{Window: p.Window, UpdatedAt: kept.UpdatedAt}
	if json.Unmarshal(kept.Layout, &layout.Layout) != nil || layout.Layout == nil {
		layout.Layout = map[string]any{}
	}
	return layout, nil
}

func (s *Service) SetLayout(_ context.Context, p LayoutSetParams) (feature.Empty, error) {
	if p.Layout == nil {
		p.Layout = map[string]any{}
	}
	raw, err := json.Marshal(p.Layout)
	if err != nil {
		return feature.Empty{}, fault.Wrap(err, fault.Invalid, "The layout is not valid JSON (parameter layout).")
	}
	return feature.Empty{}, s.cfg.Library.SetLayout(p.Window, raw)
}

func (s *Service) EditQueued(ctx context.Context, p QueuedEditParams) (feature.Empty, error) {
	if len(p.Text) > maxTextBytes {
		return feature.Empty{}, fault.New(fault.TooLarge, "The prompt has %d bytes; the limit is %d. Put long material into a file.", len(p.Text), maxTextBytes)
	}
	return feature.Empty{}, s.cfg.Library.WithAwake(ctx, p.SessionID, func() error {
		return s.cfg.Registry.EditQueued(ctx, p.SessionID, p.PromptID, p.Text)
	})
}

func (s *Service) DropQueued(ctx context.Context, p QueuedRef) (feature.Empty, error) {
	return feature.Empty{}, s.cfg.Library.WithAwake(ctx, p.SessionID, func() error {
		return s.cfg.Registry.DropQueued(ctx, p.SessionID, p.PromptID)
	})
}

func (s *Service) SendQueued(ctx context.Context, p QueuedSendParams) (feature.Empty, error) {
	return feature.Empty{}, s.cfg.Library.WithAwake(ctx, p.SessionID, func() error {
		if err := s.cfg.Library.CheckQueue(p.SessionID, p.PromptID); err != nil {
			return err
		}
		return s.cfg.Registry.SendQueued(ctx, p.SessionID, p.PromptID)
	})
}
