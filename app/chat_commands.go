package app

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/backend/chat"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/memory"
	"parley/backend/relay/command"
	"parley/backend/room"
	"parley/backend/room/hub"
)

// What the commands of the chat work with: the services of the border, put as package
// command asks for them.

// chatCommands ties the commands to the services.
func (a *App) chatCommands(conversations *sessions, offers *models) command.Ports {
	return command.Ports{
		Sessions: &commandSessions{chatSessions: a.chats.sessions, sessions: conversations, models: offers, home: a.cfg.Dirs.Home},
		Desk:     a.chats.desk, Figures: commandFigures{a.usage}, Heartbeats: commandHeartbeats{a.heartbeats},
		Memory: commandMemory{a.memory, a.library.Get}, Rooms: commandRooms{a.rooms}, Terminals: a.terminals.Supervisor,
		Version: a.cfg.Version, Config: a.chats.file.holds,
	}
}

// commandSessions is [command.Sessions].
type commandSessions struct {
	*chatSessions
	sessions *sessions
	models   *models
	home     string
}

var _ command.Sessions = (*commandSessions)(nil)

// Suspend implements [command.Sessions].
func (c *commandSessions) Suspend(ctx context.Context, id string) (event.Session, error) {
	return c.library.Suspend(ctx, id)
}

// SetMode implements [command.Sessions].
func (c *commandSessions) SetMode(ctx context.Context, id, mode, guard string) error {
	_, err := c.sessions.SetPermissionMode(ctx, SessionModeParams{SessionID: id, Mode: mode, Guard: guard})
	return err
}

// SetModel implements [command.Sessions].
func (c *commandSessions) SetModel(ctx context.Context, id, model string) error {
	_, err := c.sessions.SetModel(ctx, SessionModelParams{SessionID: id, Model: model})
	return err
}

// SetEffort implements [command.Sessions].
func (c *commandSessions) SetEffort(ctx context.Context, id, effort string) error {
	_, err := c.sessions.SetEffort(ctx, SessionEffortParams{SessionID: id, Effort: effort})
	return err
}

// Models implements [command.Sessions].
func (c *commandSessions) Models(ctx context.Context, cwd string) ([]string, error) {
	profile := c.sessions.defaults(cwd).Profile
	list, err := c.models.List(ctx, ModelsParams{Profile: profile})
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
	if err := checkTitle(title); err != nil {
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
	return c.library.History(ctx, id, min(max(limit, 1), maxPage), before)
}

// Folder implements [command.Sessions].
func (c *commandSessions) Folder(_ context.Context, path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		path = c.home + rest
	}
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", fault.New(fault.Invalid, "Name the folder by its whole path, such as ~/projects/name.")
	}
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fault.New(fault.NotFound, "There is no folder %s on this machine.", path)
	case err != nil || !info.IsDir():
		return "", fault.New(fault.Invalid, "%s is not a folder that can be used.", path)
	}
	return path, nil
}

// commandFigures is [command.Figures].
type commandFigures struct{ usage *accounts }

// Spent implements [command.Figures].
func (c commandFigures) Spent(ctx context.Context, sessionID string) (command.Spent, error) {
	r, err := c.usage.Query(ctx, UsageQueryParams{SessionID: sessionID, GroupBy: []string{}})
	return spentIn(r), err
}

func spentIn(r UsageReport) command.Spent {
	return command.Spent{Tokens: r.Total.Tokens, CostUSD: r.Total.CostUSD, Answers: r.Total.Answers}
}

// Account implements [command.Figures].
func (c commandFigures) Account(ctx context.Context) (command.Account, error) {
	now := time.Now()
	today := now.Format(time.DateOnly)
	day, err := c.usage.Query(ctx, UsageQueryParams{From: today, To: today, GroupBy: []string{}})
	if err != nil {
		return command.Account{}, err
	}
	month, err := c.usage.Query(ctx, UsageQueryParams{From: now.Format("2006-01") + "-01", To: today, GroupBy: []string{}})
	if err != nil {
		return command.Account{}, err
	}
	budgets, err := c.usage.Budgets(ctx, Empty{})
	return command.Account{Today: spentIn(day), Month: spentIn(month), Budgets: budgets.Budgets}, err
}

// Window implements [command.Figures].
func (c commandFigures) Window(ctx context.Context, sessionID string) (command.Window, error) {
	r, err := c.usage.Context(ctx, SessionRef{SessionID: sessionID})
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
type commandHeartbeats struct{ *heartbeats }

// List implements [command.Heartbeats].
func (c commandHeartbeats) List(ctx context.Context) (command.Schedule, error) {
	all, err := c.heartbeats.List(ctx, Empty{})
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
	_, err := c.heartbeats.Run(ctx, HeartbeatRef{Name: name})
	return err
}

// Enable implements [command.Heartbeats].
func (c commandHeartbeats) Enable(ctx context.Context, name string, on bool) error {
	_, err := c.heartbeats.Enable(ctx, HeartbeatEnableParams{Name: name, Enabled: on})
	return err
}

// Pause implements [command.Heartbeats].
func (c commandHeartbeats) Pause(ctx context.Context, paused bool, until int64) error {
	_, err := c.heartbeats.Pause(ctx, HeartbeatPauseParams{Paused: paused, Until: until})
	return err
}

// commandMemory is [command.Memory]. What somebody has remembered is about them.
type commandMemory struct {
	memory  *memories
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
	return c.memory.folder(s.CWD), nil
}

// Remember implements [command.Memory].
func (c commandMemory) Remember(ctx context.Context, by chat.Person, sessionID, text string) error {
	folder, err := c.folder(ctx, sessionID)
	if err != nil {
		return err
	}
	_, err = c.memory.store.Save(ctx, memory.New{
		Text: unled(text), About: by.Username, Workspace: folder, Origin: memory.Origin{By: "person", Session: sessionID},
	})
	return err
}

// Search implements [command.Memory]. What is about others is theirs.
func (c commandMemory) Search(ctx context.Context, by chat.Person, sessionID, words string, limit int) ([]command.Remembered, error) {
	folder, err := c.folder(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	in := []string{""}
	if folder != "" {
		in = append(in, memory.Slug(folder))
	}
	found, err := c.memory.store.Search(memory.Query{Words: cutText(words, maxMemoryWords), In: in, Limit: min(max(limit, 1), maxMemoryPage)})
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
type commandRooms struct{ rooms *rooms }

// List implements [command.Rooms]. Rooms between two are nobody else's.
func (c commandRooms) List(context.Context) ([]command.Room, error) {
	var list []command.Room
	for _, v := range c.rooms.hub.Views() {
		if v.Kind == room.KindDirect {
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

// view finds a room that more than two may be in.
func (c commandRooms) view(name string) (hub.View, error) {
	v, err := c.rooms.hub.View(room.IDOf(name))
	if err != nil {
		return hub.View{}, roomFault(err)
	}
	return v, nil
}

// Say implements [command.Rooms].
func (c commandRooms) Say(ctx context.Context, name string, by chat.Person, text string) error {
	v, err := c.view(name)
	if err != nil {
		return err
	}
	who := hub.Who{ID: c.rooms.hub.Person().ID + "-" + by.ID, Kind: room.KindPerson, Title: personName(by)}
	if v.Member(who.ID) == nil {
		err := c.rooms.named(cmp.Or(room.MakeNick(by.Username), "person"), func(nick string) error {
			_, err := c.rooms.hub.Join(ctx, who, v.ID, nick)
			return err
		})
		if err != nil {
			return roomFault(err)
		}
	}
	_, err = c.rooms.hub.Say(ctx, who, hub.Saying{Room: v.ID, Text: unled(text)})
	return roomFault(err)
}

// Recent implements [command.Rooms].
func (c commandRooms) Recent(ctx context.Context, name string, limit int) ([]event.RoomMessage, error) {
	v, err := c.view(name)
	if err != nil {
		return nil, err
	}
	page, err := c.rooms.Messages(ctx, RoomMessagesParams{RoomID: v.ID, Limit: min(max(limit, 1), maxRoomPage)})
	return page.Messages, err
}

// Join implements [command.Rooms].
func (c commandRooms) Join(ctx context.Context, name, sessionID string) error {
	who, nick, err := c.rooms.known(ctx, sessionID)
	if err != nil {
		return err
	}
	v, err := c.rooms.hub.Create(ctx, name, nil)
	if err != nil {
		return roomFault(err)
	}
	if slices.ContainsFunc(v.Members, func(m hub.MemberView) bool { return m.ID == who.ID }) {
		return nil
	}
	return roomFault(c.rooms.named(nick, func(nick string) error {
		_, err := c.rooms.hub.Join(ctx, who, v.ID, nick)
		return err
	}))
}
