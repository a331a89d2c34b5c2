package relay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
)

// Kinds of items.
const (
	kindPost   = "post"
	kindEdit   = "edit"
	kindDelete = "delete"
	kindReact  = "react"
	// kindElsewhere is a post that mentions Parley where it doesn't listen.
	kindElsewhere = "elsewhere"
)

// reactPrefix is the id prefix of reaction items.
const reactPrefix = "r-"

// Handle accepts a chat event. When it returns nil, the event will be handled even if
// Parley ends right after: it needn't be delivered again, and a duplicate does no harm.
// After an error it must be delivered again.
func (r *Relay) Handle(ctx context.Context, in chat.Incoming) error {
	err := r.handle(ctx, in)
	if errors.Is(err, errGone) { // just dropped: treat it as new
		err = r.handle(ctx, in)
	}
	return err
}

func (r *Relay) handle(ctx context.Context, in chat.Incoming) error {
	switch in := in.(type) {
	case chat.Posted:
		return r.posted(ctx, in.Post)
	case chat.Edited:
		if t := r.home(in.Post); t != nil && ofPerson(in.Post) {
			return t.enter(ctx, port.Item{ID: "e-" + in.Post.ID + "-" + strconv.FormatInt(in.Post.EditedAt, 10), Kind: kindEdit, Post: in.Post})
		}
	case chat.Deleted:
		if r.asks.Deleted(ctx, in) {
			return nil
		}
		if t := r.home(in.Post); t != nil {
			return t.enter(ctx, port.Item{ID: "d-" + in.Post.ID, Kind: kindDelete, Post: in.Post})
		}
	case chat.ReactionAdded:
		return r.reacted(ctx, in)
	case chat.ReactionRemoved:
		by, err := r.bearer(ctx, in.Reaction.PersonID, in.Post.ChannelID)
		if err != nil || by.ID == "" {
			return err
		}
		r.asks.Unreacted(ctx, in, by)
	case chat.ButtonPressed:
		by, err := r.person(ctx, in.PersonID)
		if err != nil || by.ID == "" {
			return err
		}
		r.asks.Pressed(ctx, in, by)
	}
	return nil
}

// ofPerson reports whether a post may be for Parley at all: answering bots could make
// two of them talk forever.
func ofPerson(p chat.Post) bool { return !p.Mine && !p.System && !p.Automated }

// person looks up another person; the zero value is Parley itself, or a deleted account.
func (r *Relay) person(ctx context.Context, id string) (chat.Person, error) {
	if id == "" || id == r.cfg.Chat.Me().ID {
		return chat.Person{}, nil
	}
	by, err := r.cfg.Chat.Person(ctx, id)
	switch {
	case errors.Is(err, chat.ErrGone), errors.Is(err, chat.ErrForbidden):
		return chat.Person{}, nil
	case err != nil:
		return chat.Person{}, err
	case by.Bot:
		return chat.Person{}, nil
	}
	return by, nil
}

// bearer looks up a user for the gate.
func (r *Relay) bearer(ctx context.Context, id, channelID string) (chat.Person, error) {
	by, err := r.person(ctx, id)
	if err == nil && by.ID != "" {
		err = r.findOut(ctx, by, channelID)
	}
	return by, err
}

// findOut loads from the chat what the gate needs to know about a user: the gate refuses
// what it can't find out, and a short outage is no reason for that.
func (r *Relay) findOut(ctx context.Context, by chat.Person, channelID string) error {
	for _, grant := range r.cfg.Config().Access {
		var err error
		switch {
		case grant.UserID != "" && grant.UserID != by.ID, grant.ChannelID != "" && grant.ChannelID != channelID:
			continue
		case grant.ChannelID != "":
			_, err = r.cfg.Chat.Channel(ctx, channelID)
		}
		if err == nil && grant.TeamID != "" {
			_, err = r.cfg.Chat.InTeam(ctx, by.ID, grant.TeamID)
		}
		if temporary(err) {
			return err
		}
	}
	return nil
}

func (r *Relay) posted(ctx context.Context, p chat.Post) error {
	if !ofPerson(p) {
		return nil
	}
	t, me := r.home(p), r.cfg.Chat.Me().Username
	mapping, kind, listens, err := r.mapping(ctx, p.ChannelID)
	if err != nil {
		return err
	}
	item := port.Item{ID: p.ID, Kind: kindPost, Post: p}
	switch {
	case meant(p, t, mapping, listens, me):
	case listens || kind != chat.Direct && !mentions(p.Text, me):
		return nil
	default:
		if says, err := r.pointsOut(ctx, p); err != nil || !says {
			return err
		}
		item.Kind = kindElsewhere
	}
	folder := ""
	if t != nil && listens && t.id != p.ID && begins(p, me) {
		left, err := t.leave(ctx)
		if err != nil {
			return err
		}
		if left {
			folder, t = t.record().Folder, nil
		}
	}
	if t == nil {
		r.makeRoom(ctx)
		t = r.obtain(p.Thread(), p.ChannelID, kind == chat.Direct && listens && p.RootID == "", folder)
	}
	return t.enter(ctx, item)
}

// meant reports whether a user's post is for Parley.
func meant(p chat.Post, t *thread, mapping port.ChatMapping, listens bool, me string) bool {
	if t != nil {
		rec := t.record()
		switch {
		case rec.Mirror || rec.Run:
			return true // such a thread may be anywhere
		case rec.SessionID != "" || len(rec.Inbox)+len(rec.Waiting)+len(rec.Sent) > 0:
			return listens
		}
	}
	return listens && (!mapping.Mention || mentions(p.Text, me))
}

// mapping returns a channel's configuration, its kind ("" for a configured channel), and
// whether Parley listens there. Where several people talk, it must be mentioned.
func (r *Relay) mapping(ctx context.Context, channelID string) (m port.ChatMapping, kind string, listens bool, err error) {
	cfg := r.cfg.Config()
	if i := slices.IndexFunc(cfg.Channels, func(m port.ChatMapping) bool { return m.ChannelID == channelID }); i >= 0 {
		return cfg.Channels[i], "", true, nil
	}
	c, err := r.cfg.Chat.Channel(ctx, channelID)
	switch {
	case errors.Is(err, chat.ErrGone), errors.Is(err, chat.ErrForbidden):
		return m, "", false, nil
	case err != nil:
		return m, "", false, err
	case cfg.Direct == nil || c.Kind != chat.Direct && c.Kind != chat.Group:
		return m, c.Kind, false, nil
	}
	m = *cfg.Direct
	m.Mention = m.Mention || c.Kind == chat.Group
	return m, c.Kind, true, nil
}

func (r *Relay) reacted(ctx context.Context, in chat.ReactionAdded) error {
	by, err := r.bearer(ctx, in.Reaction.PersonID, in.Post.ChannelID)
	if err != nil || by.ID == "" {
		return err
	}
	if r.asks.Reacted(ctx, in, by) {
		return nil
	}
	if !in.Post.Mine {
		return nil
	}
	t := r.home(in.Post)
	if t == nil {
		if _, does := r.reaction(in.Post.ID, in.Reaction.Emoji); !does {
			return nil
		}
		r.makeRoom(ctx)
		t = r.obtain(in.Post.Thread(), in.Post.ChannelID, false, "")
	}
	return t.enter(ctx, port.Item{
		ID:   short(reactPrefix, in.Post.ID, by.ID, in.Reaction.Emoji, strconv.FormatInt(in.Reaction.At, 10)),
		Kind: kindReact, Post: in.Post, PersonID: by.ID, Emoji: in.Reaction.Emoji, At: in.Reaction.At,
	})
}

// short derives an id from several parts that can be used in post keys.
func short(prefix string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return strings.TrimSuffix(prefix, "-") + "-" + hex.EncodeToString(sum[:12])
}

// mentions reports whether a text mentions an account.
func mentions(text, username string) bool {
	_, found := cutMention(text, username)
	return found
}

// cutMention removes the mentions of an account from a text.
func cutMention(text, username string) (string, bool) {
	if username == "" {
		return text, false
	}
	var b strings.Builder
	found, lower, name := false, strings.ToLower(text), "@"+strings.ToLower(username)
	if len(lower) != len(text) { // letters with a longer lower-case form can't be in a name
		lower = text
	}
	for {
		i := strings.Index(lower, name)
		if i < 0 {
			break
		}
		end := i + len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if (i > 0 && nameRune(before)) || !ends(lower[end:]) {
			b.WriteString(text[:end])
			text, lower = text[end:], lower[end:]
			continue
		}
		found = true
		b.WriteString(strings.TrimRight(text[:i], " "))
		text = strings.TrimLeft(text[end:], " ,:")
		if b.Len() > 0 && text != "" && !strings.ContainsRune("\n.!?;)", rune(text[0])) {
			b.WriteByte(' ')
		}
		lower = lower[len(lower)-len(text):]
	}
	b.WriteString(text)
	if !found {
		return b.String(), false
	}
	return strings.TrimSpace(b.String()), true
}

// ends reports whether a name ends where a text starts: "@parley." mentions "parley",
// and "@parley.dev" another account.
func ends(rest string) bool {
	next, size := utf8.DecodeRuneInString(strings.TrimLeft(rest, ".-_"))
	return size == 0 || !nameRune(next)
}

func nameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}
