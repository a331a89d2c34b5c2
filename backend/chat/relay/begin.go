package relay

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/fault"
)

// session returns the session for the thread's messages and creates it if necessary.
// It returns nil if the session no longer exists, after posting that.
func (t *thread) session(ctx context.Context, rec port.Thread) (*event.Session, error) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if rec.SessionID == "" {
		return t.create(limited, rec)
	}
	s, err := t.r.cfg.Sessions.Get(limited, rec.SessionID)
	switch {
	case err == nil && s.DeletedAt == 0:
		t.in(s.CWD)
		return &s, nil
	case err != nil && fault.CodeOf(err) != fault.NotFound:
		return nil, err
	case rec.Mirror:
		return nil, t.drop(ctx, rec.Waiting, mirrorGoneSaid, short("gone", t.id, rec.SessionID))
	}
	t.putStreamAway()
	err = t.change(ctx, func(rec *port.Thread) error {
		rec.SessionID, rec.Run, rec.Sent, rec.Seq = "", false, nil, 0
		return nil
	})
	if err == nil {
		t.r.show(t)
	}
	return nil, err
}

// create creates the thread's session. It records that first, so that a session created
// right before a crash is found again.
func (t *thread) create(ctx context.Context, rec port.Thread) (*event.Session, error) {
	made, err := t.madeBefore(ctx, rec)
	if err != nil {
		return nil, err
	}
	if made == nil {
		if made, err = t.make(ctx, rec); err != nil {
			return nil, err
		}
	}
	now := time.Now().UnixMilli()
	err = t.change(ctx, func(rec *port.Thread) error {
		rec.SessionID, rec.Since, rec.Seq = made.ID, now, 0
		rec.Mirror, rec.Run, rec.Paused = false, false, false
		setPost(rec, creating, "")
		setPost(rec, untold, "1")
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.in(made.CWD)
	t.r.show(t)
	return made, nil
}

// in records the session's folder.
func (t *thread) in(folder string) {
	t.mu.Lock()
	t.folder = folder
	t.mu.Unlock()
}

// creating is in a record's Posts from before a session is created until it is
// known.
const creating = ownPrefix + "creating"

func (t *thread) madeBefore(ctx context.Context, rec port.Thread) (*event.Session, error) {
	if rec.Posts[creating] == "" {
		return nil, nil
	}
	list, err := t.r.cfg.Sessions.List(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(s event.Session) bool {
		return s.Mirror != nil && s.Mirror.Began && s.Mirror.ThreadID == t.id && s.DeletedAt == 0 && s.State != "closed"
	})
	if i < 0 {
		return nil, nil
	}
	return &list[i], nil
}

func (t *thread) make(ctx context.Context, rec port.Thread) (*event.Session, error) {
	mapping, _, _, err := t.r.mapping(ctx, t.channel)
	if err != nil {
		return nil, err
	}
	folder := mapping.Folder
	if rec.Folder != "" {
		folder = rec.Folder
	}
	if folder == "" {
		return nil, fault.New(fault.Invalid, "No folder was chosen for this channel. Choose one in Parley, or with !cd.")
	}
	if err := t.change(ctx, func(rec *port.Thread) error { setPost(rec, creating, "1"); return nil }); err != nil {
		return nil, err
	}
	first := rec.Waiting[0]
	s, err := t.r.cfg.Sessions.Create(ctx, port.NewSession{
		CWD: folder, Title: titleOf(first.Post.Text), Model: mapping.Model, Effort: mapping.Effort, PermissionMode: mapping.PermissionMode,
		By: first.By, Mirror: t.mirror(ctx, true, false, ""),
	})
	if fault.CodeOf(err) == fault.NotFound || fault.CodeOf(err) == fault.Invalid {
		return nil, fault.Wrap(err, fault.CodeOf(err), "%s Choose another folder with !cd, or for the channel in Parley.", fault.MessageOf(err))
	}
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// mirror returns the thread's mirror entry for a session's record. began is true for a
// session that the thread started.
func (t *thread) mirror(ctx context.Context, began, paused bool, problem string) *event.Mirror {
	m := &event.Mirror{On: !paused, ThreadID: t.id, ChannelID: t.channel, Link: t.r.cfg.Chat.Link(t.id), Began: began, Problem: problem}
	c, err := t.r.cfg.Chat.Channel(ctx, t.channel)
	switch {
	case err == nil:
		m.Channel = c.Title
	case !errors.Is(err, chat.ErrOffline) && ctx.Err() == nil:
		t.r.cfg.Logger.Debug("Couldn't get a channel's title", "channel", t.channel, "err", err)
	}
	return m
}
