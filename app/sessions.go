package app

import (
	"cmp"
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/app/method"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/library"
	"parley/backend/record"
	"parley/backend/session"
)

// Limits of one request.
const (
	maxTextBytes = 8 << 20
	maxPage      = 500
	defaultPage  = 50
	// maxTitle is in characters, maxID in bytes.
	maxTitle = 200
	maxID    = 1000
)

// sessions is the service behind session.*. What it is asked to do with a session
// that is not live wakes it first; looking wakes nothing.
type sessions struct {
	registry *session.Registry
	library  *library.Library
	settings func() Settings
	// defaults are the choices of a folder's workspace.
	defaults func(folder string) record.Defaults
	// profileKnown says whether there is a profile with an id.
	profileKnown func(id string) bool
	used         func(folder string)
	// attic keeps the files that go with prompts.
	attic *attic
	sent  *sent
	// known is closed once the sessions that were known before the start are listed.
	known <-chan struct{}
	// rehearsal is true when every session talks to the scripted model.
	rehearsal bool
}

func (s *sessions) Create(ctx context.Context, p SessionCreateParams) (event.Session, error) {
	return s.create(ctx, p, s.rehearsal, library.Origin{})
}

// create makes a session of somebody's; the folder's workspace and the settings fill in what the
// caller left open.
func (s *sessions) create(ctx context.Context, p SessionCreateParams, rehearsal bool, origin library.Origin) (event.Session, error) {
	if p.Profile != "" && !s.profileKnown(p.Profile) {
		return event.Session{}, fault.New(fault.NotFound, "There is no profile %q (parameter profile).", p.Profile)
	}
	if err := checkTitle(p.Title); err != nil {
		return event.Session{}, err
	}
	folder, general := s.defaults(p.CWD), s.settings()
	made := session.CreateParams{
		CWD: p.CWD, Title: p.Title, Rehearsal: rehearsal,
		Effort:         cmp.Or(p.Effort, folder.Effort),
		PermissionMode: cmp.Or(p.PermissionMode, folder.PermissionMode, general.PermissionMode),
		Guard:          cmp.Or(p.Guard, general.Guard),
		Engine:         cmp.Or(p.Engine, folder.Engine, general.Engine),
		Model:          p.Model,
		Profile:        p.Profile,
	}
	if !rehearsal {
		made.Model = cmp.Or(p.Model, folder.Model, general.Model)
		made.Profile = cmp.Or(p.Profile, folder.Profile)
	}
	origin.Aside = rehearsal && !s.rehearsal // the demo folder is none of the person's
	record, err := s.library.Create(ctx, made, origin)
	if err != nil {
		return event.Session{}, err
	}
	if !origin.Aside && origin.Heartbeat == "" && origin.Mirror == nil { // nobody chose it just now
		s.used(record.CWD)
	}
	return record, nil
}

// begins is the permission mode and the guard of a session that is made in a folder, when
// nobody chooses others.
func (s *sessions) begins(folder string) (mode, guard string) {
	general := s.settings()
	return cmp.Or(s.defaults(folder).PermissionMode, general.PermissionMode, "default"), cmp.Or(general.Guard, session.GuardOff)
}

func (s *sessions) Prompt(ctx context.Context, p SessionPromptParams) (SessionPromptResult, error) {
	all, err := decodeAttachments(p.Attachments)
	if err != nil {
		return SessionPromptResult{}, err
	}
	return s.say(ctx, p.SessionID, session.Prompt{ID: p.PromptID, Text: p.Text, Delivery: p.Delivery}, all)
}

// say sends a prompt of somebody's, with what goes with it.
func (s *sessions) say(ctx context.Context, sessionID string, p session.Prompt, all []attached) (SessionPromptResult, error) {
	if len(p.Text) > maxTextBytes {
		return SessionPromptResult{}, fault.New(fault.TooLarge, "The prompt has %d bytes; the limit is %d. Put long material into a file.", len(p.Text), maxTextBytes)
	}
	if len(p.ID) > maxID {
		return SessionPromptResult{}, fault.New(fault.Invalid, "The parameter promptId has %d bytes; the limit is %d.", len(p.ID), maxID)
	}
	var err error
	if p.Images, p.Attachments, err = imagesOf(all); err != nil {
		return SessionPromptResult{}, err
	}
	var result SessionPromptResult
	err = s.library.With(ctx, sessionID, func() error {
		if err := s.library.Sendable(sessionID, ""); err != nil {
			return err // those that wait go first
		}
		files, err := s.attic.mention(sessionID, all)
		if err != nil {
			return err
		}
		whole := p
		whole.Text += files
		result.TurnID, err = s.registry.Prompt(ctx, sessionID, whole)
		if err == nil {
			s.sent.keep(sessionID, result.TurnID, p.Images)
		}
		return err
	})
	return result, err
}

// checkTitle is about a title that a person chose, "" for none: it stands in every
// list, and in every record that goes to the front ends.
func checkTitle(title string) error {
	if !utf8.ValidString(title) || utf8.RuneCountInString(title) > maxTitle || strings.ContainsFunc(title, unicode.IsControl) {
		return fault.New(fault.Invalid, "A session's title has one line of at most %d characters (parameter title).", maxTitle)
	}
	return nil
}

// Interrupt stops the turn under way. A session that is not live has none.
func (s *sessions) Interrupt(ctx context.Context, p SessionRef) (Empty, error) {
	if s.registry.Live(p.SessionID) {
		return Empty{}, s.registry.Interrupt(ctx, p.SessionID, method.Surface(ctx))
	}
	_, err := s.library.Get(ctx, p.SessionID)
	return Empty{}, err
}

func (s *sessions) Close(ctx context.Context, p SessionEndParams) (Empty, error) {
	if err := mayEnd(ctx, s.library, p, "close", false); err != nil {
		return Empty{}, err
	}
	return Empty{}, s.library.CloseSession(ctx, p.SessionID)
}

func (s *sessions) Get(ctx context.Context, p SessionRef) (event.Session, error) {
	return s.library.Get(ctx, p.SessionID)
}

func (s *sessions) List(ctx context.Context, p SessionListParams) (SessionList, error) {
	if p.Limit < 0 || p.Limit > maxPage || p.Offset < 0 {
		return SessionList{}, fault.New(fault.Invalid, "limit must be 0 to %d and offset 0 or more.", maxPage)
	}
	switch p.Origin {
	case "", "parley", "cli":
	default:
		return SessionList{}, fault.New(fault.Invalid, `There is no origin %q. There are "parley" and "cli".`, p.Origin)
	}
	filter := library.Filter{
		Shelf: record.ShelfOpen, WorkspaceID: p.WorkspaceID, Origin: p.Origin, Limit: p.Limit, Offset: p.Offset,
	}
	switch {
	case p.Trash:
		filter.Shelf = record.ShelfTrash
	case p.Archived != nil && *p.Archived:
		filter.Shelf = record.ShelfArchive
	}
	select {
	case <-s.known:
	case <-ctx.Done():
		return SessionList{}, ctx.Err()
	}
	page, total := s.library.List(filter)
	return SessionList{Sessions: page, Total: total}, nil
}

func (s *sessions) History(ctx context.Context, p SessionHistoryParams) (event.History, error) {
	limit, err := pageLimit(p.Limit)
	if err != nil {
		return event.History{}, err
	}
	return s.library.History(ctx, p.SessionID, limit, p.Before)
}

// pageLimit checks the length of a page of messages; 0 leaves it to Parley.
func pageLimit(n int) (int, error) {
	if n < 0 || n > maxPage {
		return 0, fault.New(fault.Invalid, "limit must be 0 to %d.", maxPage)
	}
	return cmp.Or(n, defaultPage), nil
}

func (s *sessions) SetPermissionMode(ctx context.Context, p SessionModeParams) (Empty, error) {
	return Empty{}, s.library.With(ctx, p.SessionID, func() error {
		if err := s.registry.SetPermissionMode(ctx, p.SessionID, p.Mode); err != nil || p.Guard == "" {
			return explainMode(err)
		}
		return s.registry.SetGuard(ctx, p.SessionID, p.Guard)
	})
}

func (s *sessions) SetModel(ctx context.Context, p SessionModelParams) (Empty, error) {
	return Empty{}, s.library.With(ctx, p.SessionID, func() error {
		return s.registry.SetModel(ctx, p.SessionID, p.Model)
	})
}

func (s *sessions) SetEffort(ctx context.Context, p SessionEffortParams) (Empty, error) {
	return Empty{}, s.library.With(ctx, p.SessionID, func() error {
		return s.registry.SetEffort(ctx, p.SessionID, p.Effort)
	})
}

func (s *sessions) Context(ctx context.Context, p SessionRef) (SessionContext, error) {
	var raw []byte
	err := s.library.With(ctx, p.SessionID, func() (err error) {
		raw, err = s.registry.Control(ctx, p.SessionID, wire.GetContextUsage())
		return err
	})
	if err != nil {
		return SessionContext{}, err
	}
	now, _ := s.registry.Snapshot(p.SessionID)
	r, err := readContext(raw, now.Context)
	if err != nil {
		return SessionContext{}, err
	}
	out := SessionContext{Categories: []ContextCategory{}, Total: r.Total, Window: r.Window, Model: r.Model}
	for _, c := range r.Categories {
		out.Categories = append(out.Categories, ContextCategory{Name: c.Name, Tokens: c.Tokens})
	}
	return out, nil
}
