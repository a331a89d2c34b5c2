package app

import (
	"context"
	"path/filepath"
	"time"

	"parley/backend/checkout"
	"parley/backend/library"
	"parley/backend/undo"
)

// offer makes the table of methods.
func (a *App) offer(prefs *preferences) {
	cfg := a.cfg
	lately := &sent{}
	places := &workspaces{registry: a.workspaces, profileKnown: a.profiles.known, publish: a.library.Publish, ended: a.rules.forgetWorkspace}
	conversations := &sessions{
		registry: a.registry, library: a.library, settings: prefs.get, defaults: places.defaults,
		profileKnown: a.profiles.known, used: prefs.use, rehearsal: cfg.Rehearsal, attic: a.attic, sent: lately,
		known: a.reading.known,
	}
	a.openTools(conversations)
	a.rooms.prompt, a.rooms.hops = conversations.Prompt, a.courier.hops
	a.scripted.sessions, a.heartbeats.sessions.sessions = conversations, conversations
	a.scripted.cli = a.engine.cli
	warnings := func() []string { return a.warnings(prefs.store) }
	about := &info{cfg: cfg, cli: a.engine.cli, prefs: prefs, warnings: warnings}
	a.notices = newNotices(noticesConfig{
		data: cfg.Dirs.Data, prefs: prefs, book: a.book, bus: a.bus, window: cfg.Desktop, attention: cfg.Attention, log: cfg.Logger,
		ours: a.heartbeats.service.Ours, warnings: warnings,
		title: func(ctx context.Context, id string) string {
			s, err := a.library.Get(ctx, id)
			if err != nil {
				return "" // it is told of all the same
			}
			return s.Title
		},
	})
	a.rooms.notices = a.notices
	a.leaving = &leaving{work: a.work, publish: a.bus.Publish, finished: a.notices.sayFinished}
	answers := &permissions{desk: a.desk, rules: a.rules, title: a.titleOf}
	waiting := &queues{library: a.library, registry: a.registry}
	offers := newModels(modelsConfig{
		Engine: a.engine, Session: a.library.Get, Control: a.registry.Control,
		Updated: a.profiles.updated, Dir: cfg.Dirs.Data, Log: cfg.Logger,
	})
	a.tieChat(conversations, waiting, answers, offers)
	undone := undo.NewStore(filepath.Join(cfg.Dirs.Data, "undo"))
	a.table = NewTable(cfg.Logger, Services{
		Info: about,
		Desk: &surroundings{
			cfg: cfg, info: about, book: a.book, notices: a.notices, sessions: a.registry.List, started: time.Now(),
			listed: func() int {
				_, total := a.library.List(library.Filter{Limit: 1})
				return total
			},
		},
		Sessions:    conversations,
		Permissions: answers,
		Rules:       a.rules,
		Trust:       a.trusts,
		Folders:     &folders{home: cfg.Dirs.Home, picker: cfg.Picker},
		CLI:         a.engine.cli,
		Settings:    prefs,
		Rehearsal:   a.scripted,
		Library: &shelves{library: a.library, status: a.reading.status, purged: func(id string) {
			a.rules.Forget(id, false)
			a.rooms.purged(id)
			if err := undone.Forget(id); err != nil {
				cfg.Logger.Warn("What was undone in a session that is gone stays", "session", id, "err", err)
			}
		}},
		Queue:      waiting,
		Workspaces: places,
		ToolSets:   &toolsets{host: a.toolhost, prefs: prefs, registry: a.workspaces, publish: a.library.Publish},
		Search:     a.searches,
		Usage:      a.usage,
		Processes:  a.processes,
		Models:     offers,
		Heartbeats: a.heartbeats,
		Rooms:      a.rooms,
		Memory:     a.memory,
		Chat:       a.chats,
		Profiles:   a.profiles,
		Files:      &mentions{finder: a.finder, library: a.library},
		Shell:      a.shells,
		Audit:      a.audits,
		Editor:     &editors{launcher: a.editor, folder: a.folderOf, setting: func() string { return prefs.get().Editor }},
		Agents:     &agents{library: a.library},
		Saving:     &saving{saver: cfg.Saver},
		Pictures:   &pictures{sent: lately, read: a.library.Attachment, live: a.registry.Live},
		Find:       &finder{history: a.library.History},
		Prompts:    &prompts{read: a.library.Prompts},
		Todos:      &todos{session: a.library.Get, config: a.config},
		Changes: &changes{
			files: a.library.Files, session: a.library.Get,
			store: undone, git: checkout.Git{Env: cfg.Env}, tell: a.tell,
		},
		Tasks:   &tasks{session: a.library.Get, live: a.registry.Live, list: a.registry.Tasks, control: a.registry.Control},
		Window:  &windows{notices: a.notices, session: a.library.Get, leaving: a.leaving},
		Closing: a.closing.Load,
	})
}
