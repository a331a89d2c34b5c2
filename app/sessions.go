package app

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
)

// Limits of one request.
const (
	maxTextBytes   = 8 << 20
	maxAttachments = 20
	// maxImageBytes is the Messages API's limit for one image.
	maxImageBytes = 5 << 20
	maxPage       = 500
	defaultPage   = 50
)

// sessions is the service behind session.*.
type sessions struct {
	registry *session.Registry
	settings func() Settings
	used     func(folder string)
	// rehearsal is true when every session talks to the scripted model.
	rehearsal bool
}

func (s *sessions) Create(_ context.Context, p SessionCreateParams) (event.Session, error) {
	return s.create(p, s.rehearsal)
}

// create makes a session; the settings fill in what the caller left open.
func (s *sessions) create(p SessionCreateParams, rehearsal bool) (event.Session, error) {
	defaults := s.settings()
	if p.PermissionMode == "" {
		p.PermissionMode = defaults.PermissionMode
	}
	p.Engine = cmp.Or(p.Engine, defaults.Engine)
	if p.Model == "" && !rehearsal {
		p.Model = defaults.Model
	}
	record, err := s.registry.Create(session.CreateParams{
		CWD: p.CWD, Title: p.Title, Model: p.Model, Effort: p.Effort,
		PermissionMode: p.PermissionMode, Engine: p.Engine, Rehearsal: rehearsal,
	})
	if err != nil {
		return event.Session{}, err
	}
	if !rehearsal || s.rehearsal {
		s.used(record.CWD)
	}
	return record, nil
}

func (s *sessions) Prompt(ctx context.Context, p SessionPromptParams) (SessionPromptResult, error) {
	if len(p.Text) > maxTextBytes {
		return SessionPromptResult{}, fault.New(fault.TooLarge, "The prompt has %d bytes; the limit is %d. Put long material into a file.", len(p.Text), maxTextBytes)
	}
	images, attachments, err := decodeImages(p.Attachments)
	if err != nil {
		return SessionPromptResult{}, err
	}
	turnID, err := s.registry.Prompt(ctx, p.SessionID, session.Prompt{
		ID: p.PromptID, Text: p.Text, Images: images, Attachments: attachments,
	})
	return SessionPromptResult{TurnID: turnID}, err
}

// decodeImages checks what goes with a prompt. A bad image makes a conversation
// unusable for good, because it is sent again with every later turn.
func decodeImages(list []PromptAttachment) ([]wire.Image, []event.Attachment, error) {
	if len(list) > maxAttachments {
		return nil, nil, fault.New(fault.TooLarge, "%d attachments are too many; the limit is %d (parameter attachments).", len(list), maxAttachments)
	}
	var images []wire.Image
	var described []event.Attachment
	for i, a := range list {
		name := fmt.Sprintf("attachments[%d]", i)
		switch a.MediaType {
		case "image/png", "image/jpeg", "image/gif", "image/webp":
		default:
			return nil, nil, fault.New(fault.Invalid, "%s has the media type %q; images may be PNG, JPEG, GIF or WebP.", name, a.MediaType)
		}
		data, err := base64.StdEncoding.DecodeString(a.Data)
		if err != nil {
			return nil, nil, fault.Wrap(err, fault.Invalid, "%s.data is not base64.", name)
		}
		if len(data) == 0 {
			return nil, nil, fault.New(fault.Invalid, "%s is empty.", name)
		}
		if len(data) > maxImageBytes {
			return nil, nil, fault.New(fault.TooLarge, "%s has %d bytes; the limit for an image is %d.", name, len(data), maxImageBytes)
		}
		images = append(images, wire.Image{MediaType: a.MediaType, Data: data})
		described = append(described, event.Attachment{Name: a.Name, MediaType: a.MediaType, Bytes: int64(len(data))})
	}
	return images, described, nil
}

func (s *sessions) Interrupt(ctx context.Context, p SessionRef) (Empty, error) {
	return Empty{}, s.registry.Interrupt(ctx, p.SessionID)
}

func (s *sessions) Close(ctx context.Context, p SessionRef) (Empty, error) {
	return Empty{}, s.registry.CloseSession(ctx, p.SessionID)
}

func (s *sessions) Get(ctx context.Context, p SessionRef) (event.Session, error) {
	return s.registry.Get(ctx, p.SessionID)
}

func (s *sessions) List(_ context.Context, p SessionListParams) (SessionList, error) {
	if p.Limit < 0 || p.Limit > maxPage || p.Offset < 0 {
		return SessionList{}, fault.New(fault.Invalid, "limit must be 0 to %d and offset 0 or more.", maxPage)
	}
	all := s.registry.List()
	if p.Archived != nil && *p.Archived || p.WorkspaceID != "" {
		all = nil // nothing is archived and there are no workspaces
	}
	list := SessionList{Sessions: []event.Session{}, Total: len(all)}
	if p.Offset < len(all) {
		all = all[p.Offset:]
		if p.Limit > 0 && p.Limit < len(all) {
			all = all[:p.Limit]
		}
		list.Sessions = append(list.Sessions, all...)
	}
	return list, nil
}

func (s *sessions) History(ctx context.Context, p SessionHistoryParams) (event.History, error) {
	if p.Limit < 0 || p.Limit > maxPage {
		return event.History{}, fault.New(fault.Invalid, "limit must be 0 to %d.", maxPage)
	}
	if p.Limit == 0 {
		p.Limit = defaultPage
	}
	return s.registry.History(ctx, p.SessionID, p.Limit, p.Before)
}

func (s *sessions) SetPermissionMode(ctx context.Context, p SessionModeParams) (Empty, error) {
	return Empty{}, s.registry.SetPermissionMode(ctx, p.SessionID, p.Mode)
}

func (s *sessions) SetModel(ctx context.Context, p SessionModelParams) (Empty, error) {
	return Empty{}, s.registry.SetModel(ctx, p.SessionID, p.Model)
}

func (s *sessions) SetEffort(ctx context.Context, p SessionEffortParams) (Empty, error) {
	return Empty{}, s.registry.SetEffort(ctx, p.SessionID, p.Effort)
}

func (s *sessions) Context(ctx context.Context, p SessionRef) (SessionContext, error) {
	raw, err := s.registry.Control(ctx, p.SessionID, wire.GetContextUsage())
	if err != nil {
		return SessionContext{}, err
	}
	var usage struct {
		Categories []ContextCategory `json:"categories"`
		Total      int64             `json:"totalTokens"`
		Window     int64             `json:"maxTokens"`
		Model      string            `json:"model"`
	}
	if err := json.Unmarshal(raw, &usage); err != nil {
		return SessionContext{}, fault.Wrap(err, fault.Unavailable, "This CLI describes its context in a way that Parley does not know.")
	}
	if usage.Categories == nil {
		usage.Categories = []ContextCategory{}
	}
	return SessionContext{Categories: usage.Categories, Total: usage.Total, Window: usage.Window, Model: usage.Model}, nil
}
