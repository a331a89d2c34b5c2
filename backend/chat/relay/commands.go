package relay

import (
	"context"
	"strings"

	"parley/backend/chat"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
	"parley/backend/fault"
)

// command runs a command typed after "!", or the one that a reaction stands
// for.
func (t *thread) command(ctx context.Context, item port.Item, call command.Call, try access.Attempt) error {
	v := t.r.gate.Check(ctx, try)
	if !v.OK {
		return t.refuse(ctx, item, try, v)
	}
	if err := t.amend(ctx, item.ID, func(i *port.Item, _ *port.Thread) { i.Begun = true }); err != nil {
		return err
	}
	item.Begun = true
	t.r.happened("command", "The command !"+post.Truncate(call.Name, 40)+" was used.", try.By, try.SessionID)
	rec := t.record()
	in := command.In{ChannelID: t.channel, ThreadID: t.id, PostID: item.Post.ID, By: try.By, Role: v.Role}
	switch {
	case rec.SessionID == "":
	case rec.Paused:
		in.Hidden = true // it was switched off for these people, too
	default:
		in.Thread = &rec
	}
	t.setQuiet(true)
	defer t.setQuiet(false)
	limited, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	reply, err := t.r.cfg.Commands.Run(limited, call, in)
	if ctx.Err() != nil {
		return ctx.Err() // the next relay reports that it was cut off
	}
	if err != nil {
		if fault.CodeOf(err) == fault.Internal {
			t.r.cfg.Logger.Error("Mattermost command failed", "command", call.Name, "thread", t.id, "err", err)
		}
		reply = command.Reply{Text: post.Sanitize(fault.MessageOf(err))}
	}
	if in.Hidden && reply.Prompt != "" {
		reply = command.Reply{Text: pausedSaid}
	}
	if reply.Show != "" {
		reply.Text += t.shown(ctx, reply.Show)
	}
	return t.replied(ctx, item, try, reply)
}

// shown mirrors a session in its own thread and returns where that is.
func (t *thread) shown(ctx context.Context, sessionID string) string {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	m, err := t.r.MirrorOn(limited, sessionID, t.channel)
	switch {
	case fault.CodeOf(err) == fault.Internal:
		t.r.cfg.Logger.Error("Couldn't mirror a session in a new thread", "session", sessionID, "err", err)
		fallthrough
	case err != nil:
		return " It is in Parley's session list and has no thread: " + post.Sanitize(fault.MessageOf(err))
	}
	return " It has [a thread of its own](" + m.Link + ")."
}

// replied performs a command's reply.
func (t *thread) replied(ctx context.Context, item port.Item, try access.Attempt, reply command.Reply) error {
	var dropped []port.Message
	effects := func(rec *port.Thread) {
		if reply.Folder != "" {
			rec.Folder = reply.Folder
		}
		if reply.Ended || reply.Dropped {
			dropped, rec.Waiting = rec.Waiting, nil
		}
		if reply.Ended {
			rec.Sent = nil
			if !rec.Mirror {
				rec.SessionID = ""
			}
		}
		if reply.Prompt != "" && len(rec.Waiting) < maxWaiting {
			rec.Waiting = append(rec.Waiting, port.Message{
				Post: chat.Post{ID: item.ID, ChannelID: t.channel, RootID: t.id, AuthorID: try.By.ID, Text: reply.Prompt, At: item.Post.At},
				By:   try.By, Command: strings.HasPrefix(reply.Prompt, "/"),
			})
		}
	}
	files, err := t.upload(ctx, reply.Files)
	if err != nil {
		reply.Text += "\n\n" + notUploadedSaid
	}
	if reply.Text == "" && len(files) == 0 {
		err := t.finish(ctx, item, effects)
		return t.after(ctx, reply, dropped, err)
	}
	err = t.amend(ctx, item.ID, func(i *port.Item, rec *port.Thread) {
		effects(rec)
		i.Reply = reply.Text
		if len(dropped) > 0 {
			i.Reply += "\n" + droppedSaid(len(dropped))
		}
		reply.Text = i.Reply
	})
	if err = t.after(ctx, reply, dropped, err); err != nil {
		return err
	}
	id, err := t.post(ctx, replyKey+item.ID, reply.Text, files)
	if err != nil {
		return err
	}
	if reply.Screen != nil && id != "" {
		t.r.cfg.Commands.Shown(id, *reply.Screen)
	}
	return t.finish(ctx, item, nil)
}

// after publishes what a reply changed, once that is written.
func (t *thread) after(ctx context.Context, reply command.Reply, dropped []port.Message, err error) error {
	if err != nil {
		return err
	}
	var posts []string
	for _, m := range dropped {
		posts = append(posts, m.Post.ID)
	}
	t.unmark(ctx, posts)
	if reply.Ended {
		t.putStreamAway()
		t.r.show(t)
	}
	if reply.Prompt != "" {
		t.posts.stir() // a reaction's reply comes from another lane
	}
	return nil
}

// upload uploads a reply's files, as many as a post can have.
func (t *thread) upload(ctx context.Context, files []command.File) ([]string, error) {
	var ids []string
	for _, f := range files[:min(len(files), max(t.r.cfg.Chat.Limits().Files, 1))] {
		made, err := t.r.cfg.Chat.Upload(ctx, t.channel, f.Name, strings.NewReader(string(f.Data)))
		if err != nil {
			t.r.cfg.Logger.Warn("Couldn't upload a file to Mattermost", "thread", t.id, "err", err)
			return ids, err
		}
		ids = append(ids, made.ID)
	}
	return ids, nil
}
