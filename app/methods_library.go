package app

import (
	"context"

	"parley/app/method"
	"parley/backend/event"
)

// LibraryService keeps, finds and arranges sessions.
type LibraryService interface {
	Status(context.Context, Empty) (event.Library, error)
	Fork(context.Context, SessionForkParams) (event.Session, error)
	Duplicate(context.Context, SessionRef) (event.Session, error)
	Rename(context.Context, SessionRenameParams) (event.Session, error)
	Pin(context.Context, SessionPinParams) (event.Session, error)
	Archive(context.Context, SessionEndParams) (event.Session, error)
	Unarchive(context.Context, SessionRef) (event.Session, error)
	Delete(context.Context, SessionEndParams) (event.Session, error)
	Restore(context.Context, SessionRef) (event.Session, error)
	Purge(context.Context, SessionRef) (Empty, error)
	Reopen(context.Context, SessionRef) (event.Session, error)
	Suspend(context.Context, SessionRef) (event.Session, error)
	Fresh(context.Context, SessionRef) (event.Session, error)
	Seen(context.Context, SessionRef) (Empty, error)
	SetTrouble(context.Context, SessionTroubleParams) (Empty, error)
	Locate(context.Context, SessionLocateParams) (event.History, error)
	GetDraft(context.Context, SessionRef) (Draft, error)
	SetDraft(context.Context, DraftSetParams) (Empty, error)
	GetLayout(context.Context, LayoutRef) (Layout, error)
	SetLayout(context.Context, LayoutSetParams) (Empty, error)
}

// QueueService changes what waits in a session.
type QueueService interface {
	Edit(context.Context, QueuedEditParams) (Empty, error)
	Drop(context.Context, QueuedRef) (Empty, error)
	Send(context.Context, QueuedSendParams) (Empty, error)
}

// WorkspaceService arranges the folders that a person works in.
type WorkspaceService interface {
	List(context.Context, Empty) (WorkspaceList, error)
	Open(context.Context, WorkspaceOpenParams) (Workspace, error)
	Rename(context.Context, WorkspaceRenameParams) (Workspace, error)
	Pin(context.Context, WorkspacePinParams) (Workspace, error)
	SetDefaults(context.Context, WorkspaceDefaultsParams) (Workspace, error)
	SetGeneral(context.Context, WorkspaceRef) (Workspace, error)
	Delete(context.Context, WorkspaceRef) (Empty, error)
	Restore(context.Context, WorkspaceRef) (Workspace, error)
}

// SearchService finds words in conversations.
type SearchService interface {
	Query(context.Context, SearchParams) (SearchResult, error)
}

// ProcessService is the ledger of Parley's children.
type ProcessService interface {
	List(context.Context, Empty) (ProcessList, error)
	End(context.Context, ProcessEndParams) (Empty, error)
}

// ModelService says what there is to choose from.
type ModelService interface {
	List(context.Context, ModelsParams) (ModelList, error)
}

// ProfileService keeps environments and providers.
type ProfileService interface {
	List(context.Context, Empty) (ProfileList, error)
	Set(context.Context, ProfileSetParams) (Profile, error)
	Delete(context.Context, ProfileRef) (Empty, error)
}

// libraryMethods are those that keep, find and arrange sessions.
func libraryMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("library.status", "How many conversations are on disk, how many are shown and why not the others, and how far reading them has come.",
			bind(s, s.Library, LibraryService.Status)),
		method.New("session.fork", "Makes a session that goes on from a point of another one, which stays as it is.",
			bind(s, s.Library, LibraryService.Fork)),
		method.New("session.duplicate", "Makes a session in the same folder with the same choices and a copy of the draft.",
			bind(s, s.Library, LibraryService.Duplicate)),
		method.New("session.rename", "Gives a session a title.",
			bind(s, s.Library, LibraryService.Rename)),
		method.New("session.pin", "Keeps a session at the top of the list, or no longer.",
			bind(s, s.Library, LibraryService.Pin)),
		method.New("session.archive", "Puts a session away and ends its process. A running turn is a conflict, and so is background work unless it is forced.",
			bind(s, s.Library, LibraryService.Archive)),
		method.New("session.unarchive", "Puts a session back on the list.",
			bind(s, s.Library, LibraryService.Unarchive)),
		method.New("session.delete", "Puts a session into the trash, ending what it does. Background work is a conflict unless it is forced. The CLI's transcript stays.",
			bind(s, s.Library, LibraryService.Delete)),
		method.New("session.restore", "Takes a session out of the trash.",
			bind(s, s.Library, LibraryService.Restore)),
		method.New("session.purge", "Forgets a session that is in the trash, with its draft and queue. The CLI's transcript stays, and is not listed again.",
			bind(s, s.Library, LibraryService.Purge)),
		method.New("session.reopen", "Opens a closed session again.",
			bind(s, s.Library, LibraryService.Reopen)),
		method.New("session.suspend", "Ends the process of a session that is idle. The next prompt starts it again.",
			bind(s, s.Library, LibraryService.Suspend)),
		method.New("session.fresh", "Begins a new conversation in the same session: the past stays readable, the model does not know it.",
			bind(s, s.Library, LibraryService.Fresh)),
		method.New("session.seen", "Says that a person has looked at the session.",
			bind(s, s.Library, LibraryService.Seen)),
		method.New("session.setTrouble", "Notes, before a page shows a session, that it might not survive that, and after, that it did.",
			bind(s, s.Library, LibraryService.SetTrouble)).Enum("trouble", "", "hung", "crashed"),
		method.New("session.locate", "The page of messages that ends with a place in the conversation, however far back.",
			bind(s, s.Library, LibraryService.Locate)),
		method.New("session.editQueued", "Changes a prompt that waits and was not sent yet.",
			bind(s, s.Queue, QueueService.Edit)).InOrder(),
		method.New("session.dropQueued", "Takes back a prompt that waits. One that the CLI has taken up already is a conflict.",
			bind(s, s.Queue, QueueService.Drop)).InOrder(),
		method.New("session.sendQueued", "Hands waiting prompts to the CLI now, which takes them up within the running turn.",
			bind(s, s.Queue, QueueService.Send)).InOrder(),

		method.New("draft.get", "What was typed in a session and not sent.",
			bind(s, s.Library, LibraryService.GetDraft)),
		method.New("draft.set", "Keeps what was typed in a session and not sent.",
			bind(s, s.Library, LibraryService.SetDraft)).InOrder(),
		method.New("layout.get", "How a window was arranged.",
			bind(s, s.Library, LibraryService.GetLayout)),
		method.New("layout.set", "Keeps how a window is arranged.",
			bind(s, s.Library, LibraryService.SetLayout)).InOrder(),

		method.New("workspace.list", "The folders that a person works in: pinned ones first, then the most recently used.",
			bind(s, s.Workspaces, WorkspaceService.List)),
		method.New("workspace.open", "The workspace of a folder, made when there is none.",
			bind(s, s.Workspaces, WorkspaceService.Open)),
		method.New("workspace.rename", "Gives a workspace a name.",
			bind(s, s.Workspaces, WorkspaceService.Rename)),
		method.New("workspace.pin", "Keeps a workspace at the top of the list, or no longer.",
			bind(s, s.Workspaces, WorkspaceService.Pin)),
		method.New("workspace.setDefaults", "Sets the choices for new sessions in a workspace.",
			bind(s, s.Workspaces, WorkspaceService.SetDefaults)),
		method.New("workspace.setGeneral", "Makes a workspace the one for sessions of no project.",
			bind(s, s.Workspaces, WorkspaceService.SetGeneral)),
		method.New("workspace.delete", "Takes a workspace off the list. Its folder and its sessions stay.",
			bind(s, s.Workspaces, WorkspaceService.Delete)),
		method.New("workspace.restore", "Puts a workspace back on the list.",
			bind(s, s.Workspaces, WorkspaceService.Restore)),

		method.New("search.query", "Finds words in all conversations: titles, prompts, answers, inputs and outputs of tools.",
			bind(s, s.Search, SearchService.Query)),

		method.New("process.list", "The processes that Parley started, and Parley itself.",
			bind(s, s.Processes, ProcessService.List)),
		method.New("process.end", "Ends a process that Parley started, with what descends from it.",
			bind(s, s.Processes, ProcessService.End)),

		method.New("model.list", "The models, levels of effort and commands, as the CLI itself gives them.",
			bind(s, s.Models, ModelService.List)),

		method.New("profile.list", "The environments and providers that sessions can run with. Secrets are not among what it gives.",
			bind(s, s.Profiles, ProfileService.List)),
		method.New("profile.set", "Makes or replaces a profile. Secrets go into the system's keyring and nowhere else.",
			bind(s, s.Profiles, ProfileService.Set)).Enum("kind", "anthropic", "gateway", "bedrock", "vertex", "custom"),
		method.New("profile.delete", "Removes a profile and its secrets.",
			bind(s, s.Profiles, ProfileService.Delete)),
	}
}
