package sessions

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"

	"parley/app/feature"
	"parley/app/files"
	"parley/app/method"
	"parley/app/usage"
	"parley/backend/choice"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/session/workspace"
	"parley/backend/settings"
	"parley/backend/store/model"
)

// maxTextBytes bounds the text of a prompt.
const maxTextBytes = 8 << 20

// Config has the dependencies of sessions. All fields are required.
type Config struct {
	Registry   *session.Registry
	Library    *library.Library
	Workspaces *workspace.Registry
	// Files stores the attachments of prompts.
	Files    *files.Service
	Settings func() settings.Values
	// Profiles reports whether a profile exists.
	Profiles interface{ Known(id string) bool }
	// Folders are notified of the folder of a new session.
	Folders interface{ Use(folder string) }
	// Reading knows the conversations on disk.
	Reading interface {
		// Known is closed once the previously known sessions are listed.
		Known() <-chan struct{}
		// Status returns the progress of reading.
		Status() event.Library
	}
	// ConfigDir is the CLI's configuration folder, for demo sessions or others.
	ConfigDir func(scripted bool) string
	// Permissions, Undo and Rooms forget a session that is deleted, and the first a workspace that is
	// no longer listed. Rooms are made later.
	Permissions interface {
		Forget(sessionID string, left bool)
		ForgetWorkspace(id string)
	}
	Undo  interface{ Forget(sessionID string) error }
	Rooms func() interface{ Purged(sessionID string) }
	// Scripted is true if every session uses the scripted model.
	Scripted bool
	Log      *slog.Logger
}

// Service implements session.*, library.*, draft.*, layout.*, prompt.*, task.*, todo.* and
// workspace.*. Actions on a session that is not live resume it first; reading does not.
type Service struct {
	cfg Config
}

// New returns the service.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

func (s *Service) Create(ctx context.Context, p SessionCreateParams) (event.Session, error) {
	return s.Make(ctx, p, false, library.Source{})
}

// Make creates a session; the folder's workspace and the settings provide missing choices. With
// scripted, the session uses the scripted model even if others don't.
func (s *Service) Make(ctx context.Context, p SessionCreateParams, scripted bool, origin library.Source) (event.Session, error) {
	origin.Aside = scripted && !s.cfg.Scripted // the demo folder is not the user's
	scripted = scripted || s.cfg.Scripted
	if p.Profile != "" && !s.cfg.Profiles.Known(p.Profile) {
		return event.Session{}, fault.New(fault.NotFound, "There is no profile %q (parameter profile).", p.Profile)
	}
	if err := feature.CheckTitle(p.Title); err != nil {
		return event.Session{}, err
	}
	folder, general := s.Defaults(p.CWD), s.cfg.Settings()
	made := session.CreateParams{
		CWD: p.CWD, Title: p.Title, Scripted: scripted,
		Effort:         cmp.Or(p.Effort, folder.Effort),
		PermissionMode: cmp.Or(p.PermissionMode, folder.PermissionMode, general.PermissionMode),
		Guard:          cmp.Or(p.Guard, general.Guard),
		Engine:         cmp.Or(p.Engine, folder.Engine, general.Engine),
		Model:          p.Model,
		Profile:        p.Profile,
	}
	if !scripted {
		made.Model = cmp.Or(p.Model, folder.Model, general.Model)
		made.Profile = cmp.Or(p.Profile, folder.Profile)
	}
	record, err := s.cfg.Library.Create(ctx, made, origin)
	if err != nil {
		return event.Session{}, err
	}
	if !origin.Aside && origin.Heartbeat == "" && origin.Mirror == nil { // no user just chose it
		s.cfg.Folders.Use(record.CWD)
	}
	return record, nil
}

// Begins is the default permission mode and auto-approve setting of a session in a folder.
func (s *Service) Begins(folder string) (mode, guard string) {
	general := s.cfg.Settings()
	return cmp.Or(s.Defaults(folder).PermissionMode, general.PermissionMode, "default"), cmp.Or(general.Guard, choice.GuardOff)
}

func (s *Service) Prompt(ctx context.Context, p SessionPromptParams) (SessionPromptResult, error) {
	all, err := files.DecodeAttachments(p.Attachments)
	if err != nil {
		return SessionPromptResult{}, err
	}
	said := session.Prompt{ID: p.PromptID, Text: p.Text, Delivery: p.Delivery}
	if d, ok := method.DeviceOf(ctx); ok {
		said.Author = &event.Author{Via: event.ViaDevice, Name: d.Name}
	}
	return s.Say(ctx, p.SessionID, said, all)
}

// Say sends a prompt with its author and attachments.
func (s *Service) Say(ctx context.Context, sessionID string, p session.Prompt, all []files.Attached) (SessionPromptResult, error) {
	if len(p.Text) > maxTextBytes {
		return SessionPromptResult{}, fault.New(fault.TooLarge, "The prompt has %d bytes; the limit is %d. Put long material into a file.", len(p.Text), maxTextBytes)
	}
	if len(p.ID) > feature.MaxID {
		return SessionPromptResult{}, fault.New(fault.Invalid, "The parameter promptId has %d bytes; the limit is %d.", len(p.ID), feature.MaxID)
	}
	var err error
	if p.Images, p.Attachments, err = files.ImagesOf(all); err != nil {
		return SessionPromptResult{}, err
	}
	var result SessionPromptResult
	err = s.cfg.Library.WithAwake(ctx, sessionID, func() error {
		if err := s.cfg.Library.CheckQueue(sessionID, ""); err != nil {
			return err // queued ones come first
		}
		mentions, err := s.cfg.Files.Mention(sessionID, all)
		if err != nil {
			return err
		}
		whole := p
		whole.Text = files.WithFiles(p.Text, mentions)
		result.TurnID, err = s.cfg.Registry.Prompt(ctx, sessionID, whole)
		if err == nil {
			s.cfg.Files.Keep(sessionID, result.TurnID, p.Images)
		}
		return err
	})
	return result, err
}

// Interrupt stops the running turn. A session that is not live has none.
func (s *Service) Interrupt(ctx context.Context, p feature.SessionRef) (feature.Empty, error) {
	if s.cfg.Registry.Live(p.SessionID) {
		return feature.Empty{}, s.cfg.Registry.Interrupt(ctx, p.SessionID, method.Surface(ctx))
	}
	_, err := s.cfg.Library.Get(ctx, p.SessionID)
	return feature.Empty{}, err
}

func (s *Service) Close(ctx context.Context, p SessionEndParams) (feature.Empty, error) {
	if err := mayEnd(ctx, s.cfg.Library, p, "close", false); err != nil {
		return feature.Empty{}, err
	}
	return feature.Empty{}, s.cfg.Library.CloseSession(ctx, p.SessionID)
}

func (s *Service) Get(ctx context.Context, p feature.SessionRef) (event.Session, error) {
	return s.cfg.Library.Get(ctx, p.SessionID)
}

func (s *Service) List(ctx context.Context, p SessionListParams) (SessionList, error) {
	if p.Limit < 0 || p.Limit > feature.MaxPage || p.Offset < 0 {
		return SessionList{}, fault.New(fault.Invalid, "limit must be 0 to %d and offset 0 or more.", feature.MaxPage)
	}
	switch p.Origin {
	case "", "parley", "cli":
	default:
		return SessionList{}, fault.New(fault.Invalid, `There is no origin %q. Use "parley" or "cli" (parameter origin).`, p.Origin)
	}
	filter := library.Filter{
		Shelf: model.ShelfOpen, WorkspaceID: p.WorkspaceID, Origin: p.Origin, Limit: p.Limit, Offset: p.Offset,
	}
	switch {
	case p.Trash:
		filter.Shelf = model.ShelfTrash
	case p.Archived != nil && *p.Archived:
		filter.Shelf = model.ShelfArchive
	}
	select {
	case <-s.cfg.Reading.Known():
	case <-ctx.Done():
		return SessionList{}, ctx.Err()
	}
	page, total := s.cfg.Library.List(filter)
	return SessionList{Sessions: page, Total: total}, nil
}

func (s *Service) History(ctx context.Context, p SessionHistoryParams) (event.History, error) {
	limit, err := feature.PageLimit(p.Limit)
	if err != nil {
		return event.History{}, err
	}
	return s.cfg.Library.History(ctx, p.SessionID, limit, p.Before)
}

func (s *Service) SetPermissionMode(ctx context.Context, p SessionModeParams) (feature.Empty, error) {
	return feature.Empty{}, s.cfg.Library.WithAwake(ctx, p.SessionID, func() error {
		if err := s.cfg.Registry.SetPermissionMode(ctx, p.SessionID, p.Mode); err != nil || p.Guard == "" {
			return ExplainMode(err)
		}
		return s.cfg.Registry.SetGuard(ctx, p.SessionID, p.Guard)
	})
}

func (s *Service) SetModel(ctx context.Context, p SessionModelParams) (feature.Empty, error) {
	return feature.Empty{}, s.cfg.Library.WithAwake(ctx, p.SessionID, func() error {
		return s.cfg.Registry.SetModel(ctx, p.SessionID, p.Model)
	})
}

func (s *Service) SetEffort(ctx context.Context, p SessionEffortParams) (feature.Empty, error) {
	return feature.Empty{}, s.cfg.Library.WithAwake(ctx, p.SessionID, func() error {
		return s.cfg.Registry.SetEffort(ctx, p.SessionID, p.Effort)
	})
}

func (s *Service) Context(ctx context.Context, p feature.SessionRef) (SessionContext, error) {
	var raw []byte
	err := s.cfg.Library.WithAwake(ctx, p.SessionID, func() (err error) {
		raw, err = s.cfg.Registry.Control(ctx, p.SessionID, wire.GetContextUsage())
		return err
	})
	if err != nil {
		return SessionContext{}, err
	}
	now, _ := s.cfg.Registry.Snapshot(p.SessionID)
	r, err := usage.ReadContext(raw, now.Context)
	if err != nil {
		return SessionContext{}, err
	}
	out := SessionContext{Categories: []ContextCategory{}, Total: r.Total, Window: r.Window, Model: r.Model}
	for _, c := range r.Categories {
		out.Categories = append(out.Categories, ContextCategory{Name: c.Name, Tokens: c.Tokens})
	}
	return out, nil
}

// ExplainMode says what to do if the CLI only accepts a mode at its start.
func ExplainMode(err error) error {
	var refused *wire.ControlError
	if errors.As(err, &refused) && strings.Contains(refused.Message, "not launched with") {
		return fault.Wrap(err, fault.Conflict,
			"A running process cannot switch to “Bypass permissions”. Suspend the session, then choose the mode again.")
	}
	return err
}

// agent is session.agent.
func (s *Service) agent(ctx context.Context, p SessionAgentParams) (event.History, error) {
	limit, err := feature.PageLimit(p.Limit)
	if err != nil {
		return event.History{}, err
	}
	if p.ToolUseID == "" || len(p.ToolUseID) > feature.MaxID || len(p.AgentID) > feature.MaxID || len(p.Before) > feature.MaxID {
		return event.History{}, fault.New(fault.Invalid, "toolUseId must be the ID of a tool call.")
	}
	return s.cfg.Library.Agent(ctx, p.SessionID, p.ToolUseID, p.AgentID, limit, p.Before)
}
