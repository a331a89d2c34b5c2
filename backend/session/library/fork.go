package library

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/google/uuid"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/store/model"
)

// Fork creates a session that continues from a message of another one, or from its
// end if messageID is "". The other one may be live, suspended or found on disk; it
// is unchanged. A message that isn't in its conversation is a fault (not_found).
func (l *Library) Fork(ctx context.Context, id, messageID, title string) (event.Session, error) {
	source, err := l.Get(ctx, id)
	if err != nil {
		return event.Session{}, err
	}
	v, err := l.keptView(source.ID)
	if err != nil {
		return event.Session{}, err
	}
	from := 0
	line := ""
	if messageID == "" {
		if len(v.links) == 0 || !v.begun {
			return event.Session{}, fault.New(fault.Conflict, "This session has no messages yet. Duplicate it instead.")
		}
	} else if from, line, err = v.lineOf(ctx, messageID); err != nil {
		return event.Session{}, err
	}
	links := []link{v.links[from]}
	links[0].last = messageID
	past, err := l.read(ctx, links, place{}, pastMessages)
	if err != nil {
		return event.Session{}, err
	}
	if past.gone {
		return event.Session{}, fault.New(fault.NotFound, "The conversation's file no longer exists, so it cannot be continued.")
	}
	settle(past.messages)
	fork := &model.Fork{SessionID: source.ID, CLISessionID: v.links[from].cli, MessageID: messageID, LineID: line}
	chosen := title != ""
	if !chosen {
		title = source.Title
	}
	now := l.now()
	saved := session.Snapshot{
		ID: uuid.NewString(), CWD: source.CWD, Title: title, TitleChosen: chosen,
		Engine: source.Engine, Model: source.Model, Effort: source.Effort, PermissionMode: source.PermissionMode, Guard: source.Guard,
		Profile: source.Profile, Scripted: source.Scripted, CLISessionID: uuid.NewString(),
		Fork:  &session.Fork{CLISessionID: fork.CLISessionID, MessageID: line},
		State: session.Idle, CreatedAt: now, LastActivityAt: now,
	}
	if source.Origin == originCLI {
		saved.Model = "" // it is the model of the last answer, not a user's choice
	}
	if err := l.live.Restore(saved, session.ResumeState{Messages: past.messages}); err != nil {
		return event.Session{}, err
	}
	made, err := l.keepNew(ctx, saved.ID, func(r *model.Session) {
		r.ForkedFrom, r.WorkspaceID = fork, source.WorkspaceID
	})
	if err != nil {
		return event.Session{}, err
	}
	a := anchor{more: past.more, next: past.next}
	if len(past.messages) > 0 {
		a.first = past.messages[0].ID
	}
	l.mu.Lock()
	l.anchors[saved.ID] = a
	l.mu.Unlock()
	l.settleDown(ctx, saved.ID)
	return made, nil
}

// lineOf finds the file that has a message, and the CLI's id of the last line
// that belongs to it: results of its tools are copied with it.
func (v *view) lineOf(ctx context.Context, messageID string) (from int, line string, err error) {
	h, ok := v.find(ctx, messageID)
	if !ok {
		return 0, "", fault.New(fault.NotFound, "The message is not in the conversation (parameter messageId).")
	}
	from = slices.IndexFunc(v.links, func(k link) bool { return k.cli == h.cli })
	t := history.Open(v.links[from].path)
	at := int64(-1)
	_, err = t.Texts(ctx, 0, func(text history.Text) error {
		if text.MessageID == messageID {
			at = text.At
		}
		return nil
	})
	if err != nil {
		return 0, "", err
	}
	if at < 0 {
		return 0, "", fault.New(fault.Invalid, "You cannot fork from this message. Choose a prompt or an answer (parameter messageId).")
	}
	raw, err := t.Raw(at, math.MaxInt64-at)
	if err != nil {
		return 0, "", err
	}
	defer raw.Close()
	var said struct {
		UUID string `json:"uuid"`
	}
	if err := json.NewDecoder(raw).Decode(&said); err != nil || said.UUID == "" {
		return 0, "", fault.Wrap(err, fault.Conflict, "The conversation's file was changed by another program. Open the conversation again.")
	}
	return from, said.UUID, nil
}

// Duplicate creates a session in the same folder with the same settings and a copy
// of the draft.
func (l *Library) Duplicate(ctx context.Context, id string) (event.Session, error) {
	source, err := l.Get(ctx, id)
	if err != nil {
		return event.Session{}, err
	}
	p := session.CreateParams{
		CWD: source.CWD, Model: source.Model, Effort: source.Effort, PermissionMode: source.PermissionMode, Guard: source.Guard,
		Engine: source.Engine, Profile: source.Profile, Scripted: source.Scripted,
	}
	if source.Origin == originCLI {
		p.Model = ""
	}
	if source.TitleSource == string(model.TitleByPerson) {
		p.Title = source.Title
	}
	made, err := l.Create(ctx, p, Source{Aside: source.WorkspaceID == ""})
	if err != nil {
		return event.Session{}, err
	}
	l.blobs.RLock()
	defer l.blobs.RUnlock()
	draft, ok, err := l.cfg.Records.Draft(source.ID)
	if err != nil || !ok {
		return made, err
	}
	draft.SessionID, draft.UpdatedAt = made.ID, l.now()
	if err := l.putDraft(draft); err != nil {
		return event.Session{}, err
	}
	return l.Get(ctx, made.ID)
}
