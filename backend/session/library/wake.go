package library

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"parley/backend/claude/history"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/store/model"
)

const (
	// pastMessages is how many messages of its conversation a woken session has.
	pastMessages = 50
	// maxBlob bounds how much of an attachment is read.
	maxBlob = 64 << 20
)

// WithAwake wakes a session and calls do. A session that is suspended in between is
// woken once more.
func (l *Library) WithAwake(ctx context.Context, id string, do func() error) error {
	if err := l.Wake(ctx, id); err != nil {
		return err
	}
	err := do()
	if code := fault.CodeOf(err); (code == fault.NotFound || code == fault.Conflict) && !l.live.Live(id) {
		if err := l.Wake(ctx, id); err != nil {
			return err
		}
		err = do()
	}
	return err
}

// Wake makes a session live without starting a process: with the end of its
// conversation and its waiting prompts. A live one is unchanged. A found
// conversation becomes Parley's. Its faults are not_found, and conflict for a
// session that is closed or in the trash. An archived session returns to the list.
func (l *Library) Wake(ctx context.Context, id string) error {
	if l.live.Live(id) {
		return nil
	}
	if err := l.wake(ctx, id); err != nil {
		return err
	}
	l.settleDown(ctx, id)
	return nil
}

func (l *Library) wake(ctx context.Context, id string) error {
	defer l.lock(id).Unlock()
	if l.live.Live(id) {
		return nil
	}
	folder := l.strange(id)
	choices, workspace := l.choices(folder), ""
	if folder != "" {
		// If the folder is gone, the session can still be viewed.
		workspace, _ = l.use(folder)
	}
	err := l.change(id, func(s *model.Session) error {
		switch {
		case s.DeletedAt != 0:
			return fault.New(fault.Conflict, "The session is in the trash. Restore it first.")
		case s.State == stateClosed:
			return fault.New(fault.Conflict, "The session is closed. Open it again first.")
		}
		s.ArchivedAt = 0
		if s.State == "" {
			s.State = stateIdle
			s.Engine, s.PermissionMode = cmp.Or(s.Engine, choices.Engine), cmp.Or(s.PermissionMode, choices.PermissionMode)
			s.WorkspaceID = cmp.Or(s.WorkspaceID, workspace)
			if !s.Scripted {
				s.Profile = cmp.Or(s.Profile, choices.Profile)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return l.restore(ctx, id)
}

// strange returns the folder of a conversation that Parley never ran, "" for a session
// that it did.
func (l *Library) strange(id string) string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	r := l.rows[id]
	if r == nil || r.rec != nil && !shadow(r.rec) {
		return ""
	}
	if e := l.present(r); e != nil {
		return e.CWD
	}
	return ""
}

// choices returns a folder's settings, for a session that Parley never ran.
func (l *Library) choices(folder string) model.Defaults {
	if folder == "" || l.cfg.Defaults == nil {
		return model.Defaults{}
	}
	return l.cfg.Defaults(folder)
}

// restore hands a session with a record to its runner.
func (l *Library) restore(ctx context.Context, id string) error {
	l.mu.RLock()
	r := l.rows[id]
	if r == nil || r.rec == nil {
		l.mu.RUnlock()
		return notFound(id)
	}
	rec := *r.rec
	saved := l.savedOf(&rec)
	if saved.Title == "" {
		// The next prompt doesn't describe the conversation.
		saved.Title, _ = titleOf(r.rec, l.present(r))
	}
	links := l.links(r)
	interrupted := r.rec.InterruptedTurn
	l.mu.RUnlock()
	links = l.locate(links)

	past := session.ResumeState{}
	from, err := l.read(ctx, links, place{}, pastMessages)
	if err != nil {
		// An unreadable file must not prevent the session from continuing.
		l.cfg.Logger.Warn("Couldn't read the end of a conversation", "session", id, "err", err)
	}
	l.complete(ctx, id, &from, true)
	past.Messages = from.messages
	settle(past.Messages)
	saved.Context = l.meter(&rec, from.context)
	if interrupted != "" {
		past.Messages = append(past.Messages, interruptedNotice(interrupted, saved.LastActivityAt))
	}
	if past.Waiting, err = l.waitingOf(ctx, id, links); err != nil {
		return err
	}
	past.Messages = withNotes(past.Messages, l.pendingNotes(id))
	l.mu.RLock()
	if r := l.rows[id]; r != nil && r.rec != nil {
		saved.Seen = l.savedOf(r.rec).Seen // including those just found to be taken up
	}
	l.mu.RUnlock()
	if err := l.live.Restore(saved, past); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := anchor{more: from.more, next: from.next}
	if len(past.Messages) > 0 {
		a.first = past.Messages[0].ID
	}
	l.anchors[id] = a
	if r := l.rows[id]; r != nil {
		r.outside, r.reading = false, nil // the session reports these from now on
	}
	l.teller.note(id)
	return nil
}

// waitingOf returns the waiting prompts with their attachments. Those that the CLI
// has taken up according to its file are released.
func (l *Library) waitingOf(ctx context.Context, id string, links []link) ([]session.AcceptedPrompt, error) {
	l.releaseTaken(ctx, id, links)
	queue, err := l.cfg.Records.Queue(id)
	if err != nil {
		return nil, err
	}
	var list []session.AcceptedPrompt
	missing := make(map[string]string)
	for _, p := range queue {
		l.mu.RLock()
		waits := slices.ContainsFunc(l.queues[id], func(w waiting) bool { return w.id == p.PromptID })
		l.mu.RUnlock()
		if !waits || p.Note != nil && len(p.Note.Messages) == 0 {
			continue
		}
		pending := session.AcceptedPrompt{TurnID: p.TurnID, UUID: p.UUID, Order: p.Order, At: p.At, Note: noteOf(p.Note), Phase: session.Accepted}
		if p.Note == nil {
			pending.Phase, pending.Why = restPhase(&p), whyOf(&p)
		}
		pending.ID, pending.Text = p.PromptID, p.Text
		pending.Author, pending.Lead = authorOf(p.Author), p.Lead
		for _, a := range p.Attachments {
			data, err := l.blob(a.Blob)
			if err != nil {
				l.cfg.Logger.Warn("Attachment of a queued prompt is missing", "session", id, "err", err)
				missing[p.PromptID] = a.Name
				continue
			}
			pending.Images = append(pending.Images, wire.Image{MediaType: a.MediaType, Data: data})
			pending.Attachments = append(pending.Attachments, event.Attachment{Name: a.Name, MediaType: a.MediaType, Bytes: a.Size})
		}
		list = append(list, pending)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.missing, id)
	if len(missing) > 0 {
		l.missing[id] = missing
	}
	return list, nil
}

// CheckQueue checks whether the waiting prompts of a session can be sent: promptID
// alone, or all of them if it is "". A prompt with a lost attachment is a conflict
// that says so, until it is edited or dropped.
func (l *Library) CheckQueue(id, promptID string) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for prompt, name := range l.missing[id] {
		if promptID == "" || promptID == prompt {
			return fault.New(fault.Conflict, "The attachment %q of a queued prompt no longer exists. Edit the prompt to send it without the attachment, or discard it.", name)
		}
	}
	return nil
}

func (l *Library) blob(name string) ([]byte, error) {
	f, err := l.cfg.Blobs.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxBlob))
	return data, errors.Join(err, f.Close())
}

// settleSent releases prompts that the CLI took up before the last Parley ended
// without this being recorded.
func (l *Library) settleSent() {
	l.mu.RLock()
	links := make(map[string][]link)
	for id, queue := range l.queues {
		if r := l.rows[id]; r != nil && r.rec != nil && slices.ContainsFunc(queue, waiting.sent) {
			links[id] = l.links(r)
		}
	}
	l.mu.RUnlock()
	for id, list := range links {
		l.releaseTaken(context.Background(), id, l.locate(list))
	}
}

// settleQueue releases the prompts that the CLI took up before its session ended.
func (l *Library) settleQueue(ctx context.Context, id string) {
	l.mu.RLock()
	var links []link
	if r := l.rows[id]; r != nil && slices.ContainsFunc(l.queues[id], waiting.sent) {
		links = l.links(r)
	}
	l.mu.RUnlock()
	l.releaseTaken(ctx, id, l.locate(links))
}

// releaseTaken releases the prompts of a session that are in its files.
func (l *Library) releaseTaken(ctx context.Context, id string, links []link) {
	l.mu.RLock()
	var sent []waiting
	for _, w := range l.queues[id] {
		if w.sent() {
			sent = append(sent, w)
		}
	}
	l.mu.RUnlock()
	if len(sent) == 0 {
		return
	}
	queue, err := l.cfg.Records.Queue(id)
	if err != nil {
		l.cfg.Logger.Warn("Couldn't read the queued prompts", "session", id, "err", err)
		return
	}
	var handed []history.Handed
	for _, w := range sent {
		h := history.Handed{ID: w.uuid}
		if i := slices.IndexFunc(queue, func(p model.Prompt) bool { return p.PromptID == w.id }); i >= 0 && !w.note {
			h.Text, h.At = (&session.Prompt{Text: queue[i].Text, Lead: queue[i].Lead}).Said(), queue[i].At
		}
		handed = append(handed, h)
	}
	taken := l.takenIn(ctx, id, links, handed)
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.rows[id]
	for _, w := range sent {
		if !taken[w.uuid] {
			continue
		}
		l.release(id, w.id)
		if i := slices.IndexFunc(queue, func(p model.Prompt) bool { return p.PromptID == w.id }); i >= 0 && !w.note && r != nil && r.rec != nil {
			l.look(spoken{sessionID: id, cli: r.rec.CLISessionID, messages: []event.Message{promptMessage(&queue[i])}, cut: true})
		}
		if r != nil && r.rec != nil && !w.note && sawPrompt(r.rec, w.id, w.turn) {
			l.dirty[id] = true // written together with the release
		}
	}
}

// promptMessage returns the conversation message of a stored prompt.
func promptMessage(p *model.Prompt) event.Message {
	m := event.Message{
		ID: uuidOf(p), Role: "user", TurnID: p.TurnID, PromptID: p.PromptID, At: p.At, Author: authorOf(p.Author),
		Blocks: []event.Block{{ID: uuidOf(p) + ":0", Type: "text", Text: p.Text}},
	}
	for _, a := range p.Attachments {
		m.Attachments = append(m.Attachments, event.Attachment{Name: a.Name, MediaType: a.MediaType, Bytes: a.Size})
	}
	return m
}

// takenIn returns which prompts are in the files of a conversation, by turn.
func (l *Library) takenIn(ctx context.Context, id string, links []link, handed []history.Handed) map[string]bool {
	all := make(map[string]bool)
	for _, link := range links {
		if link.path == "" {
			continue
		}
		taken, err := history.Taken(ctx, link.path, handed)
		if err != nil {
			l.cfg.Logger.Warn("Couldn't look for a prompt in a conversation", "session", id, "err", err)
			continue
		}
		maps.Copy(all, taken)
	}
	return all
}

// Has implements [session.Persister].
func (l *Library) Has(ctx context.Context, sessionID string, prompts []session.AcceptedPrompt) []bool {
	l.mu.RLock()
	var links []link
	if r := l.rows[sessionID]; r != nil && r.rec != nil {
		links = l.links(r)
	}
	l.mu.RUnlock()
	var handed []history.Handed
	for _, p := range prompts {
		handed = append(handed, history.Handed{ID: cmp.Or(p.UUID, p.TurnID), Text: p.Said(), At: p.At})
	}
	taken, has := l.takenIn(ctx, sessionID, l.locate(links), handed), make([]bool, len(prompts))
	for i, h := range handed {
		has[i] = taken[h.ID]
	}
	return has
}

// sent reports whether a CLI may have taken a prompt up.
func (w waiting) sent() bool { return w.phase == session.Handed || w.phase == session.Taken }

// phaseOf returns a stored prompt's phase.
func phaseOf(p *model.Prompt) session.Phase {
	switch {
	case p.Phase != "":
		return session.Phase(p.Phase)
	case p.Sent:
		return session.Handed
	}
	return session.Accepted
}

// restPhase returns the phase of a stored prompt that no CLI has and no conversation
// contains: if it was handed to a CLI, it may have run.
func restPhase(p *model.Prompt) session.Phase {
	switch phase := phaseOf(p); phase {
	case session.Handed, session.Taken:
		return session.Unknown
	case session.Accepted, session.Refused, session.Unknown:
		return phase
	}
	return session.Unknown // from a newer version
}

func uuidOf(p *model.Prompt) string { return cmp.Or(p.UUID, p.TurnID) }

func whyOf(p *model.Prompt) *event.SessionError { return (*event.SessionError)(p.Why) }

// sawPrompt records a prompt that must not be sent again: a Parley that crashed may
// have recorded that the prompt waits, and not yet that it was seen. It reports whether
// that is new.
func sawPrompt(r *model.Session, promptID, turnID string) bool {
	if slices.ContainsFunc(r.Seen, func(p model.HandledPrompt) bool { return p.PromptID == promptID }) {
		return false
	}
	r.Seen = append(slices.Clip(r.Seen), model.HandledPrompt{PromptID: promptID, TurnID: turnID})
	return true
}

func interruptedNotice(turn string, at int64) event.Message {
	return event.Message{
		ID: "notice:interrupted:" + strings.TrimPrefix(turn, "notice:"), Role: "notice", At: at,
		Blocks: []event.Block{}, Notice: &event.Notice{Kind: "interrupted"},
	}
}
