package rooms

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"parley/app/feature"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/room"
	"parley/backend/room/hub"
)

// Users' actions in rooms.

const (
	roomPage, MaxRoomPage = 50, 200
	roomPageBytes         = 1 << 20
	// maxExport bounds an export, in bytes of text.
	maxExport = 16 << 20
)

// List is room.list.
func (r *Service) List(context.Context, feature.Empty) (RoomList, error) {
	status := r.Hub.Status()
	list := RoomList{
		Rooms: []Room{}, Nick: r.Nick(), MemberID: r.Hub.Person().ID,
		Connection: RoomConnection{
			Kind: status.Kind, Server: status.Server, Connected: status.Connected, Problem: status.Problem, Waiting: status.Waiting,
		},
	}
	for _, v := range r.Hub.Views() {
		list.Rooms = append(list.Rooms, r.shown(v))
	}
	return list, nil
}

// shown converts a room for the API.
func (r *Service) shown(v hub.View) Room {
	out := Room{
		ID: v.ID, Name: v.Name, Kind: v.Kind, CreatedAt: v.CreatedAt, Pinned: v.Pinned, Rules: RoomRules(v.Rules),
		Members: []RoomMember{}, Barred: []RoomMember{}, LastSeq: v.Last, LastAt: v.LastAt,
		Unread: v.Unread, UnreadMentions: v.Mentions, ReadSeq: v.Read, Turns: v.Turns, LimitedUntil: v.LimitedUntil,
	}
	for _, m := range v.Members {
		out.Members = append(out.Members, r.member(m))
	}
	for _, m := range v.Barred {
		out.Barred = append(out.Barred, r.member(hub.MemberView{Member: m, State: "away"}))
	}
	return out
}

func (r *Service) member(m hub.MemberView) RoomMember {
	title := m.Title
	if m.SessionID != "" && m.Node == r.node {
		title = cmp.Or(r.Title(m.SessionID), title)
	}
	return RoomMember{
		ID: m.ID, Kind: m.Kind, Nick: m.Nick, SessionID: m.SessionID, Title: room.Line(title), Host: room.Line(m.Host), Here: m.Node == r.node,
		JoinedAt: m.JoinedAt, Muted: m.Muted, Wake: m.Wake, State: m.State,
		DeliveredSeq: m.Delivered, ReadSeq: m.Read, Unread: m.Unread,
	}
}

// view is a room after an action on it.
func (r *Service) view(id string, err error) (Room, error) {
	if err != nil {
		return Room{}, RoomFault(err)
	}
	v, err := r.Hub.View(id)
	if err != nil {
		return Room{}, RoomFault(err)
	}
	return r.shown(v), nil
}

// Get is room.get.
func (r *Service) Get(_ context.Context, p RoomRef) (Room, error) { return r.view(p.RoomID, nil) }

// Messages is room.messages.
func (r *Service) Messages(ctx context.Context, p RoomMessagesParams) (RoomMessages, error) {
	q := room.Page{Limit: p.Limit, Bytes: roomPageBytes, Thread: p.Thread}
	switch {
	case p.Limit < 0 || p.Limit > MaxRoomPage:
		return RoomMessages{}, fault.New(fault.Invalid, "limit must be 1 to %d.", MaxRoomPage)
	case p.After != nil && p.Before != nil:
		return RoomMessages{}, fault.New(fault.Invalid, "Pass either after or before, not both.")
	case p.After != nil:
		q.After = *p.After
	default:
		q.Backward = true
		if p.Before != nil {
			q.Before = *p.Before
		}
	}
	if q.Limit == 0 {
		q.Limit = roomPage
	}
	out := RoomMessages{Messages: []event.RoomMessage{}, Waiting: []event.RoomMessage{}}
	if p.Before != nil && *p.Before == 0 {
		return out, nil
	}
	page, err := r.Hub.Messages(ctx, p.RoomID, q)
	if err != nil {
		return RoomMessages{}, RoomFault(err)
	}
	out.More = page.More
	if p.Thread != 0 && !page.More && p.After == nil { // the page starts with the message that started the thread
		first, err := r.Hub.Messages(ctx, p.RoomID, room.Page{After: p.Thread - 1, Limit: 1})
		if err == nil && len(first.Messages) == 1 && first.Messages[0].Seq == p.Thread {
			page.Messages = slices.Insert(page.Messages, 0, first.Messages[0])
		}
	}
	receipts := r.Hub.Receipts(p.RoomID, page.Messages)
	for i, m := range page.Messages {
		out.Messages = append(out.Messages, r.message(m, receipts[i]))
	}
	if p.After == nil && p.Before == nil {
		waiting, err := r.Hub.Waiting(ctx, p.RoomID)
		if err != nil {
			return RoomMessages{}, RoomFault(err)
		}
		for _, m := range waiting[:min(len(waiting), MaxRoomPage)] {
			out.Waiting = append(out.Waiting, r.message(m, nil))
		}
	}
	return out, nil
}

// Say is room.post.
func (r *Service) Say(ctx context.Context, p RoomSayParams) (RoomSaidResult, error) {
	if len(p.MessageID) > feature.MaxID {
		return RoomSaidResult{}, fault.New(fault.Invalid, "The parameter messageId has %d bytes; the limit is %d.", len(p.MessageID), feature.MaxID)
	}
	who := r.Hub.Person()
	v, err := r.Hub.View(p.RoomID)
	if err != nil {
		return RoomSaidResult{}, RoomFault(err)
	}
	if v.Member(who.ID) == nil {
		if err := r.enter(ctx, v.ID); err != nil {
			return RoomSaidResult{}, RoomFault(err)
		}
	}
	said, err := r.Hub.Say(ctx, who, hub.Outgoing{Room: v.ID, Text: p.Text, ReplyTo: p.ReplyTo, ID: p.MessageID})
	if err != nil {
		return RoomSaidResult{}, RoomFault(err)
	}
	m := said.Message
	return RoomSaidResult{Message: r.message(m, r.Hub.Receipts(m.Room, []room.Message{m})[0])}, nil
}

// enter makes the user a member, under a similar name if theirs is taken.
func (r *Service) enter(ctx context.Context, id string) error {
	return r.Named(r.Nick(), func(nick string) error {
		_, err := r.Hub.Join(ctx, r.Hub.Person(), id, nick)
		return err
	})
}

// Named tries a nickname, and similar ones while it is taken.
func (r *Service) Named(nick string, enter func(nick string) error) error {
	const tries = 30
	for n := 1; ; n++ {
		name := nick
		if n > 1 {
			cut := []rune(nick)
			name = fmt.Sprintf("%s-%d", string(cut[:min(len(cut), room.MaxNick-3)]), n)
		}
		err := enter(name)
		if err == nil || room.CodeOf(err) != room.NickTaken || n == tries {
			return err
		}
	}
}

// MarkRead is room.markRead.
func (r *Service) MarkRead(_ context.Context, p RoomReadParams) (feature.Empty, error) {
	return feature.Empty{}, RoomFault(r.Hub.Seen(p.RoomID, p.Seq))
}

// Create is room.create.
func (r *Service) Create(ctx context.Context, p RoomCreateParams) (Room, error) {
	v, err := r.Hub.Create(ctx, p.Name, (*room.Rules)(p.Rules))
	if err != nil {
		return Room{}, RoomFault(err)
	}
	return r.shown(v), nil
}

// Member is a session as a member. Its errors are for its model.
func (r *Service) Member(ctx context.Context, sessionID string) (hub.Actor, error) {
	s, err := r.cfg.Session(ctx, sessionID)
	if err != nil {
		return hub.Actor{}, room.Errorf(room.NoSession, "Parley no longer knows this session.")
	}
	if r.aloof(s) {
		return hub.Actor{}, room.Errorf(room.NoSession, "Sessions with a scripted model can't use rooms, so that they don't start turns of real models.")
	}
	return hub.SessionWho(s.ID, s.Title), nil
}

// aloof reports whether a session is a demo while others are not.
func (r *Service) aloof(s event.Session) bool { return s.Scripted && !r.cfg.Scripted }

// Known finds a session that may be in rooms.
func (r *Service) Known(ctx context.Context, id string) (hub.Actor, string, error) {
	s, err := r.cfg.Session(ctx, id)
	if err != nil {
		return hub.Actor{}, "", err
	}
	if s.DeletedAt != 0 {
		return hub.Actor{}, "", fault.New(fault.Conflict, "The session is in the trash. Restore it first.")
	}
	if r.aloof(s) {
		return hub.Actor{}, "", fault.New(fault.Conflict, "This is a tour session. It cannot join rooms with real sessions.")
	}
	nick := room.MakeNick(s.Title)
	return hub.SessionWho(s.ID, s.Title), cmp.Or(nick, "session"), nil
}

// Direct is room.direct.
func (r *Service) Direct(ctx context.Context, p RoomDirectParams) (Room, error) {
	who, nick, err := r.Known(ctx, p.SessionID)
	if err != nil {
		return Room{}, err
	}
	v, err := r.Hub.Direct(ctx, r.Hub.Member(r.Hub.Person(), r.Nick()), r.Hub.Member(who, nick))
	if err != nil {
		return Room{}, RoomFault(err)
	}
	return r.shown(v), nil
}

// AddMember is room.addMember.
func (r *Service) AddMember(ctx context.Context, p RoomAddParams) (Room, error) {
	who, nick, err := r.Known(ctx, p.SessionID)
	if err != nil {
		return Room{}, err
	}
	v, err := r.Hub.View(p.RoomID)
	if err != nil {
		return Room{}, RoomFault(err)
	}
	join := func(nick string) error {
		_, err := r.Hub.Join(ctx, who, v.ID, nick)
		return err
	}
	if p.Nick != "" {
		return r.view(v.ID, join(p.Nick))
	}
	return r.view(v.ID, r.Named(nick, join))
}

// Mute is room.mute.
func (r *Service) Mute(ctx context.Context, p RoomMuteParams) (Room, error) {
	return r.view(p.RoomID, r.Hub.Mute(ctx, p.RoomID, p.MemberID, p.Muted))
}

// SetWake is room.setWake.
func (r *Service) SetWake(ctx context.Context, p RoomWakeParams) (Room, error) {
	return r.view(p.RoomID, r.Hub.SetWake(ctx, p.RoomID, p.MemberID, p.Wake))
}

// Kick is room.removeMember.
func (r *Service) Kick(ctx context.Context, p RoomMemberRef) (Room, error) {
	return r.view(p.RoomID, r.Hub.Kick(ctx, p.RoomID, p.MemberID))
}

// Admit is room.allowMember.
func (r *Service) Admit(ctx context.Context, p RoomMemberRef) (Room, error) {
	return r.view(p.RoomID, r.Hub.Admit(ctx, p.RoomID, p.MemberID))
}

// Pin is room.pin.
func (r *Service) Pin(ctx context.Context, p RoomPinParams) (Room, error) {
	return r.view(p.RoomID, r.Hub.Pin(ctx, p.RoomID, p.Pinned))
}

// SetRules is room.setRules.
func (r *Service) SetRules(ctx context.Context, p RoomRulesParams) (Room, error) {
	return r.view(p.RoomID, r.Hub.SetRules(ctx, p.RoomID, room.Rules(p.Rules)))
}

// Delete is room.delete.
func (r *Service) Delete(ctx context.Context, p RoomRef) (feature.Empty, error) {
	return feature.Empty{}, RoomFault(r.Hub.Delete(ctx, p.RoomID))
}

// Export is room.export.
func (r *Service) Export(ctx context.Context, p RoomExportParams) (RoomExport, error) {
	v, err := r.Hub.View(p.RoomID)
	if err != nil {
		return RoomExport{}, RoomFault(err)
	}
	var pages [][]room.Message
	out, size, before := RoomExport{}, 0, uint64(0)
	for more := true; more; {
		page, err := r.Hub.Messages(ctx, v.ID, room.Page{Backward: true, Before: before, Limit: 1000, Bytes: roomPageBytes})
		if err != nil {
			return RoomExport{}, RoomFault(err)
		}
		if len(page.Messages) == 0 {
			break
		}
		for _, m := range page.Messages {
			size += len(m.Text)
		}
		if size > maxExport {
			out.Truncated = true
			break
		}
		pages = append(pages, page.Messages)
		before, more = page.Messages[0].Seq, page.More
	}
	slices.Reverse(pages)
	messages := slices.Concat(pages...)
	name := cmp.Or(room.MakeNick(v.Name), "room") + "-" + time.Now().Format("2006-01-02")
	if p.Format == "markdown" {
		out.Name, out.Text = name+".md", room.Export(v.Room, messages, r.node)
		return out, nil
	}
	receipts := r.Hub.Receipts(v.ID, messages)
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for i, m := range messages {
		if err := enc.Encode(r.message(m, receipts[i])); err != nil {
			return RoomExport{}, fmt.Errorf("encode a message: %w", err)
		}
	}
	out.Name, out.Text = name+".jsonl", escapedJSON(b.String())
	return out, nil
}

// escapedJSON escapes characters in JSON that could hide or reorder text in an editor. They only
// occur in strings.
func escapedJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		if !unicode.Is(unicode.Cf, r) && !unicode.In(r, unicode.Zl, unicode.Zp) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
	}
	return b.String()
}
