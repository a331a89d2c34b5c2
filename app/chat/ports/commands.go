package ports

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/app/chat/words"
	"parley/app/feature"
	"parley/app/heartbeats"
	appmemory "parley/app/memory"
	"parley/app/rooms"
	"parley/app/sessions"
	"parley/app/tool"
	"parley/app/usage"
	"parley/backend/chat"
	"parley/backend/chat/relay/command"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/memory"
	"parley/backend/room"
	"parley/backend/room/hub"
)

// Adapters of the app's services to the interfaces of package command.

// commandSessions is [command.Sessions].
type commandSessions struct {
	*relaySessions
	sessions *sessions.Service
	models   func(ctx context.Context, p sessions.ModelsParams) (sessions.ModelList, error)
	home     string
}

var _ command.Sessions = (*commandSessions)(nil)

// Suspend implements [command.Sessions].
func (c *commandSessions) Suspend(ctx context.Context, id string) (event.Session, error) {
	return c.library.Suspend(ctx, id)
}

// SetMode implements [command.Sessions].
func (c *commandSessions) SetMode(ctx context.Context, id, mode, guard string) error {
	_, err := c.sessions.SetPermissionMode(ctx, sessions.SessionModeParams{SessionID: id, Mode: mode, Guard: guard})
	return err
}

// SetModel implements [command.Sessions].
func (c *commandSessions) SetModel(ctx context.Context, id, model string) error {
	_, err := c.sessions.SetModel(ctx, sessions.SessionModelParams{SessionID: id, Model: model})
	return err
}

// SetEffort implements [command.Sessions].
func (c *commandSessions) SetEffort(ctx context.Context, id, effort string) error {
	_, err := c.sessions.SetEffort(ctx, sessions.SessionEffortParams{SessionID: id, Effort: effort})
	return err
}

// Models implements [command.Sessions].
func (c *commandSessions) Models(ctx context.Context, cwd string) ([]string, error) {
	profile := c.sessions.Defaults(cwd).Profile
	list, err := c.models(ctx, sessions.ModelsParams{Profile: profile})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range list.Models {
		names = append(names, m.Value)
	}
	return names, nil
}

// Fork implements [command.Sessions].
func (c *commandSessions) Fork(ctx context.Context, id, title string) (event.Session, error) {
	if err := feature.CheckTitle(title); err != nil {
		return event.Session{}, err
	}
	return c.library.Fork(ctx, id, "", title)
}

// Rename implements [command.Sessions].
func (c *commandSessions) Rename(ctx context.Context, id, title string) (event.Session, error) {
	return c.library.Rename(ctx, id, title)
}

// Page implements [command.Sessions].
func (c *commandSessions) Page(ctx context.Context, id, before string, limit int) (event.History, error) {
	return c.library.History(ctx, id, min(max(limit, 1), feature.MaxPage), before)
}

// Folder implements [command.Sessions].
func (c *commandSessions) Folder(_ context.Context, path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		path = c.home + rest
	}
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", fault.New(fault.Invalid, "Enter the folder's full path, such as ~/projects/name.")
	}
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fault.New(fault.NotFound, "There is no folder %s on this machine.", path)
	case err != nil || !info.IsDir():
		return "", fault.New(fault.Invalid, "%s is not a folder Parley can use.", path)
	}
	return path, nil
}

// commandFigures is [command.Figures].
type commandFigures struct{ usage *usage.Service }

// Spent implements [command.Figures].
func (c commandFigures) Spent(ctx context.Context, sessionID string) (command.Totals, error) {
	r, err := c.usage.Query(ctx, usage.UsageQueryParams{SessionID: sessionID, GroupBy: []string{}})
	return spentIn(r), err
}

func spentIn(r usage.UsageReport) command.Totals {
	return command.Totals{Tokens: r.Total.Tokens, CostUSD: r.Total.CostUSD, Answers: r.Total.Answers}
}

// Account implements [command.Figures].
func (c commandFigures) Account(ctx context.Context, sessionID string) (command.Account, error) {
	now := time.Now()
	today := now.Format(time.DateOnly)
	day, err := c.usage.Query(ctx, usage.UsageQueryParams{From: today, To: today, GroupBy: []string{}})
	if err != nil {
		return command.Account{}, err
	}
	month, err := c.usage.Query(ctx, usage.UsageQueryParams{From: now.Format("2006-01") + "-01", To: today, GroupBy: []string{}})
	if err != nil {
		return command.Account{}, err
	}
	budgets, err := c.usage.Budgets(ctx, feature.Empty{})
	a := command.Account{Today: spentIn(day), Month: spentIn(month), Budgets: budgets.Budgets}
	for _, one := range c.usage.Allowances(ctx, sessionID) {
		a.Allowances = append(a.Allowances, command.Allowance{Name: one.Name, Percent: one.Percent, ResetsAt: one.ResetsAt})
	}
	return a, err
}

// Window implements [command.Figures].
func (c commandFigures) Window(ctx context.Context, sessionID string) (command.Window, error) {
	r, err := c.usage.Context(ctx, feature.SessionRef{SessionID: sessionID})
	if err != nil {
		return command.Window{}, err
	}
	w := command.Window{Live: r.Live, Model: r.Model, Used: r.Total, Size: r.Window}
	for _, p := range r.Categories {
		w.Parts = append(w.Parts, command.Part{Name: p.Name, Tokens: p.Tokens})
	}
	return w, nil
}

// commandHeartbeats is [command.Heartbeats].
type commandHeartbeats struct{ *heartbeats.Service }

// List implements [command.Heartbeats].
func (c commandHeartbeats) List(ctx context.Context) (command.Schedule, error) {
	all, err := c.Service.List(ctx, feature.Empty{})
	if err != nil {
		return command.Schedule{}, err
	}
	s := command.Schedule{Paused: all.Paused, PausedUntil: all.PausedUntil}
	for i := range all.Heartbeats {
		h := &all.Heartbeats[i]
		one := command.Heartbeat{Name: h.Name, Next: h.Next, Runs: h.Month.Runs, State: h.State}
		if h.Last != nil {
			one.Last, one.Failed = cmp.Or(h.Last.EndedAt, h.Last.StartedAt, h.Last.DueAt), h.Last.State == "failed"
		}
		s.Heartbeats = append(s.Heartbeats, one)
	}
	return s, nil
}

// Run implements [command.Heartbeats].
func (c commandHeartbeats) Run(ctx context.Context, name string) error {
	_, err := c.Service.Run(ctx, heartbeats.HeartbeatRef{Name: name})
	return err
}

// Enable implements [command.Heartbeats].
func (c commandHeartbeats) Enable(ctx context.Context, name string, on bool) error {
	_, err := c.Service.Enable(ctx, heartbeats.HeartbeatEnableParams{Name: name, Enabled: on})
	return err
}

// Pause implements [command.Heartbeats].
func (c commandHeartbeats) Pause(ctx context.Context, paused bool, until int64) error {
	_, err := c.Service.Pause(ctx, heartbeats.HeartbeatPauseParams{Paused: paused, Until: until})
	return err
}

// commandMemory is [command.Memory]. A memory that a user saves is about that user.
type commandMemory struct {
	memory  *appmemory.Service
	session func(ctx context.Context, id string) (event.Session, error)
}

func (c commandMemory) folder(ctx context.Context, sessionID string) (string, error) {
	if sessionID == "" {
		return "", nil
	}
	s, err := c.session(ctx, sessionID)
	if err != nil {
		return "", err
	}
	return c.memory.Folder(s.CWD), nil
}

// Remember implements [command.Memory].
func (c commandMemory) Remember(ctx context.Context, by chat.Person, sessionID, text string) error {
	folder, err := c.folder(ctx, sessionID)
	if err != nil {
		return err
	}
	_, err = c.memory.Store.Save(ctx, memory.New{
		Text: words.Plain(text), About: by.Username, Workspace: folder, Origin: memory.Origin{By: "chat", Session: sessionID},
	})
	return err
}

// Search implements [command.Memory]. Memories about others are hidden.
func (c commandMemory) Search(ctx context.Context, by chat.Person, sessionID, query string, limit int) ([]command.Remembered, error) {
	folder, err := c.folder(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	in := []string{""}
	if folder != "" {
		in = append(in, memory.Slug(folder))
	}
	found, err := c.memory.Store.Search(memory.Query{Words: tool.Cut(query, appmemory.MaxMemoryWords), In: in, Limit: min(max(limit, 1), appmemory.MaxMemoryPage)})
	if err != nil {
		return nil, err
	}
	var list []command.Remembered
	for _, h := range found.Hits {
		if h.About != "" && !strings.EqualFold(h.About, by.Username) {
			continue
		}
		list = append(list, command.Remembered{File: h.Name(), Day: h.Day, About: h.About, Text: h.Text})
	}
	return list, nil
}

// commandRooms is [command.Rooms].
type commandRooms struct{ rooms *rooms.Service }

// List implements [command.Rooms]. Direct messages are private.
func (c commandRooms) List(_ context.Context, of command.Whose) ([]command.Room, error) {
	var list []command.Room
	for _, v := range c.rooms.Hub.Views() {
		if v.Kind == room.KindDirect || !meant(v, of) {
			continue
		}
		one := command.Room{Name: v.Name, LastAt: v.LastAt}
		for _, m := range v.Members {
			one.Members = append(one.Members, m.Nick)
		}
		list = append(list, one)
	}
	return list, nil
}

// meant reports whether a call may access a room.
func meant(v hub.View, of command.Whose) bool {
	return of.All || of.SessionID != "" && slices.ContainsFunc(v.Members, func(m hub.MemberView) bool { return m.SessionID == of.SessionID })
}

// view finds a room that is not a direct message. A room that is not accessible is reported as
// missing, so that its existence is not revealed.
func (c commandRooms) view(of command.Whose, name string) (hub.View, error) {
	v, err := c.rooms.Hub.View(room.IDOf(name))
	if err != nil && of.All {
		return hub.View{}, rooms.RoomFault(err)
	}
	if err != nil || !meant(v, of) {
		return hub.View{}, fault.New(fault.NotFound, "This thread's session is not in that room. To use other rooms, you need the admin role.")
	}
	return v, nil
}

// Say implements [command.Rooms].
func (c commandRooms) Say(ctx context.Context, of command.Whose, name string, by chat.Person, text string) error {
	v, err := c.view(of, name)
	if err != nil {
		return err
	}
	who := hub.Actor{ID: c.rooms.Hub.Person().ID + "-" + by.ID, Kind: room.KindPerson, Title: words.Name(by)}
	if v.Member(who.ID) == nil {
		err := c.rooms.Named(cmp.Or(room.MakeNick(by.Username), "person"), func(nick string) error {
			_, err := c.rooms.Hub.Join(ctx, who, v.ID, nick)
			return err
		})
		if err != nil {
			return rooms.RoomFault(err)
		}
	}
	_, err = c.rooms.Hub.Say(ctx, who, hub.Outgoing{Room: v.ID, Text: words.Plain(text)})
	return rooms.RoomFault(err)
}

// Recent implements [command.Rooms].
func (c commandRooms) Recent(ctx context.Context, of command.Whose, name string, limit int) ([]event.RoomMessage, error) {
	v, err := c.view(of, name)
	if err != nil {
		return nil, err
	}
	page, err := c.rooms.Messages(ctx, rooms.RoomMessagesParams{RoomID: v.ID, Limit: min(max(limit, 1), rooms.MaxRoomPage)})
	return page.Messages, err
}

// Join implements [command.Rooms].
func (c commandRooms) Join(ctx context.Context, name, sessionID string) error {
	who, nick, err := c.rooms.Known(ctx, sessionID)
	if err != nil {
		return err
	}
	v, err := c.rooms.Hub.Create(ctx, name, nil)
	if err != nil {
		return rooms.RoomFault(err)
	}
	if slices.ContainsFunc(v.Members, func(m hub.MemberView) bool { return m.ID == who.ID }) {
		return nil
	}
	return rooms.RoomFault(c.rooms.Named(nick, func(nick string) error {
		_, err := c.rooms.Hub.Join(ctx, who, v.ID, nick)
		return err
	}))
}
