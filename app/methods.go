package app

import (
	"context"
	"log/slog"

	"parley/app/method"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/settings"
)

// Services are the features behind the methods, one interface each. Only the
// calls need them: a table for documentation can be built without.
type Services struct {
	Info        InfoService
	Sessions    SessionService
	Permissions PermissionService
	Folders     FolderService
	CLI         CLIService
	Settings    SettingsService
	Rehearsal   RehearsalService
	Library     LibraryService
	Queue       QueueService
	Workspaces  WorkspaceService
	ToolSets    ToolSetService
	Memory      MemoryService
	Search      SearchService
	Usage       UsageService
	Processes   ProcessService
	Models      ModelService
	Profiles    ProfileService
	Audit       AuditService
	Desk        DeskService
	Files       FileService
	Shell       ShellService
	Rules       RuleService
	Trust       TrustService
	Editor      EditorService
	Agents      AgentService
	Todos       TodoService
	Changes     ChangeService
	Tasks       TaskService
	Find        FindService
	Prompts     PromptService
	Saving      SaveService
	Pictures    PictureService
	Heartbeats  HeartbeatService
	Window      WindowService
	Rooms       RoomService
	Chat        ChatService
	// Closing may be nil. Once it is true, calls are refused instead of reaching what is
	// being taken down.
	Closing func() bool
}

// InfoService says what this Parley is.
type InfoService interface {
	Get(context.Context, Empty) (Info, error)
	Warnings(context.Context, Empty) (Warnings, error)
}

// SessionService runs conversations.
type SessionService interface {
	Create(context.Context, SessionCreateParams) (event.Session, error)
	Prompt(context.Context, SessionPromptParams) (SessionPromptResult, error)
	Interrupt(context.Context, SessionRef) (Empty, error)
	Close(context.Context, SessionEndParams) (Empty, error)
	Get(context.Context, SessionRef) (event.Session, error)
	List(context.Context, SessionListParams) (SessionList, error)
	History(context.Context, SessionHistoryParams) (event.History, error)
	SetPermissionMode(context.Context, SessionModeParams) (Empty, error)
	SetModel(context.Context, SessionModelParams) (Empty, error)
	SetEffort(context.Context, SessionEffortParams) (Empty, error)
	Context(context.Context, SessionRef) (SessionContext, error)
}

// PermissionService answers the questions of sessions.
type PermissionService interface {
	List(context.Context, PermissionListParams) (PermissionList, error)
	Respond(context.Context, PermissionRespondParams) (PermissionRespondResult, error)
}

// FolderService finds the folder of a new session.
type FolderService interface {
	List(context.Context, FolderListParams) (FolderList, error)
	Pick(context.Context, Empty) (FolderPick, error)
}

// CLIService finds and installs the Claude Code CLI.
type CLIService interface {
	Status(context.Context, Empty) (CLIStatus, error)
	Install(context.Context, Empty) (CLIInstall, error)
}

// SettingsService keeps the person's choices.
type SettingsService interface {
	Get(context.Context, Empty) (Settings, error)
	Set(context.Context, SettingsPatch) (Settings, error)
}

// RehearsalService plays the guided tour.
type RehearsalService interface {
	Begin(context.Context, RehearsalBeginParams) (event.Session, error)
	Tour(context.Context, SessionRef) (RehearsalTour, error)
}

// SubscribeParams names events: "*", "session.*" or exact names.
type SubscribeParams struct {
	Events []string `json:"events"`
}

// SubscribeResult holds the patterns now in force on this connection.
type SubscribeResult struct {
	Events []string `json:"events"`
}

// NewTable returns the table of every method of Parley over s.
func NewTable(log *slog.Logger, s Services) *method.Table {
	t := method.NewTable(log)
	t.Register(
		method.New("app.info", "What this Parley is, whether a session could be started, and the settings.",
			bind(s, s.Info, InfoService.Get)),
		method.New("app.warnings", "What Parley knows to be wrong with its own files.",
			bind(s, s.Info, InfoService.Warnings)),

		method.New("session.create", "Makes a session. No process is started before its first prompt.",
			bind(s, s.Sessions, SessionService.Create)).
			Enum("permissionMode", permissionModes()...).Enum("effort", efforts()...).Enum("engine", engines()...).Enum("guard", guards()...),
		method.New("session.prompt", "Sends a prompt and returns the turn it will get, at once. A repeated promptId is not sent twice.",
			bind(s, s.Sessions, SessionService.Prompt)).InOrder().Enum("delivery", "now", "queue"),
		method.New("session.interrupt", "Stops the running turn.",
			bind(s, s.Sessions, SessionService.Interrupt)).InOrder(),
		method.New("session.close", "Ends the session and its process. Its record and history stay readable; prompts that wait are held until it is opened again. Background work is a conflict unless it is forced.",
			bind(s, s.Sessions, SessionService.Close)),
		method.New("session.get", "One session's record.",
			bind(s, s.Sessions, SessionService.Get)),
		method.New("session.list", "The sessions, the most recently active first.",
			bind(s, s.Sessions, SessionService.List)),
		method.New("session.history", "A page of a session's messages; the newest page comes first.",
			bind(s, s.Sessions, SessionService.History)),
		method.New("session.setPermissionMode", "Sets what the session may do without asking.",
			bind(s, s.Sessions, SessionService.SetPermissionMode)).Enum("mode", permissionModes()...).Enum("guard", guards()...),
		method.New("session.setModel", "Sets the session's model.",
			bind(s, s.Sessions, SessionService.SetModel)),
		method.New("session.setEffort", "Sets how much the model may think.",
			bind(s, s.Sessions, SessionService.SetEffort)).Enum("effort", efforts()...),
		method.New("session.context", "The CLI's own account of what fills the context window.",
			bind(s, s.Sessions, SessionService.Context)),

		method.New("permission.list", "The open questions, oldest first.",
			bind(s, s.Permissions, PermissionService.List)),
		method.New("permission.respond", "Answers a question. The first answer wins.",
			bind(s, s.Permissions, PermissionService.Respond)).Enum("behavior", "allow", "deny").Enum("choice", "trusted", "bare"),

		method.New("folder.list", "The folders in a folder.",
			bind(s, s.Folders, FolderService.List)),
		method.New("folder.pick", "Shows the system's folder dialog (in the window only).",
			bind(s, s.Folders, FolderService.Pick)),

		method.New("cli.status", "Which Claude Code CLI would run, or what is wrong with it.",
			bind(s, s.CLI, CLIService.Status)),
		method.New("cli.install", "Installs the Claude Code CLI into Parley's own folder.",
			bind(s, s.CLI, CLIService.Install)),

		method.New("settings.get", "The settings.",
			bind(s, s.Settings, SettingsService.Get)),
		method.New("settings.set", "Changes the settings that it names.",
			bind(s, s.Settings, SettingsService.Set)).Enum("theme", "system", "light", "dark").Enum("engine", engines()...).Enum("whileBusy", "steer", "queue").Enum("guard", guards()...).
			Enum("language", settings.Languages()...).Enum("scheme", settings.Schemes()...).Enum("accent", settings.Accents()...).
			Enum("density", "comfortable", "compact"),

		method.New("rehearsal.begin", "Makes a session that plays the guided tour against a scripted model.",
			bind(s, s.Rehearsal, RehearsalService.Begin)),
		method.New("rehearsal.tour", "The steps of the guided tour, and which one comes next in a session.",
			bind(s, s.Rehearsal, RehearsalService.Tour)),

		method.New("subscribe", "Adds events to those that this connection gets. There are none before.", subscribe),
		method.New("unsubscribe", "Takes events away from those that this connection gets.", unsubscribe),
		method.New("method.list", "Every method with the JSON schemas of its parameters and its result.",
			func(context.Context, Empty) (MethodList, error) { return describe(t) }),
	)
	t.Register(libraryMethods(s)...)
	t.Register(auditMethods(s)...)
	t.Register(deskMethods(s)...)
	t.Register(usageMethods(s)...)
	t.Register(fileMethods(s)...)
	t.Register(shellMethods(s)...)
	t.Register(ruleMethods(s)...)
	t.Register(editorMethods(s)...)
	t.Register(todoMethods(s)...)
	t.Register(changeMethods(s)...)
	t.Register(taskMethods(s)...)
	t.Register(findMethods(s)...)
	t.Register(promptMethods(s)...)
	t.Register(saveMethods(s)...)
	t.Register(heartbeatMethods(s)...)
	t.Register(windowMethods(s)...)
	t.Register(toolsetMethods(s)...)
	t.Register(memoryMethods(s)...)
	t.Register(chatMethods(s)...)
	t.Register(roomMethods(s)...)
	t.Register(attachmentMethods(s)...)
	return t
}

// bind makes the function of a method from one of the services, which may be missing,
// and a method expression.
func bind[S, P, R any](all Services, service S, fn func(S, context.Context, P) (R, error)) func(context.Context, P) (R, error) {
	return func(ctx context.Context, p P) (result R, err error) {
		if all.Closing != nil && all.Closing() {
			return result, fault.New(fault.Unavailable, "Parley is shutting down. Start it again, then try once more.")
		}
		return fn(service, ctx, p)
	}
}

func permissionModes() []string {
	return []string{"default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"}
}

func efforts() []string { return []string{"low", "medium", "high", "xhigh", "max"} }

func guards() []string { return []string{"off", "static", "reviewed"} }

func engines() []string { return []string{"cli", "sdk"} }

func subscribe(ctx context.Context, p SubscribeParams) (SubscribeResult, error) {
	f := method.EventFilterOf(ctx)
	if f == nil {
		return SubscribeResult{}, noFilter()
	}
	events, err := f.Subscribe(p.Events)
	return SubscribeResult{Events: events}, err
}

func unsubscribe(ctx context.Context, p SubscribeParams) (SubscribeResult, error) {
	f := method.EventFilterOf(ctx)
	if f == nil {
		return SubscribeResult{}, noFilter()
	}
	events, err := f.Unsubscribe(p.Events)
	return SubscribeResult{Events: events}, err
}

func noFilter() error {
	return fault.New(fault.Unavailable, "this surface gets every event and has nothing to choose")
}

func describe(t *method.Table) (MethodList, error) {
	list := MethodList{Methods: []MethodInfo{}}
	for _, m := range t.List() {
		params, err := m.ParamsSchema()
		if err != nil {
			return MethodList{}, err
		}
		result, err := m.ResultSchema()
		if err != nil {
			return MethodList{}, err
		}
		info := MethodInfo{Name: m.Name, Doc: m.Doc}
		if info.Params, err = method.Encode(params); err != nil {
			return MethodList{}, err
		}
		if info.Result, err = method.Encode(result); err != nil {
			return MethodList{}, err
		}
		list.Methods = append(list.Methods, info)
	}
	return list, nil
}
