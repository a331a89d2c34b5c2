package sessions

import "parley/app/method"

// Methods is what a front end may ask of it.
func (s *Shelves) Methods() []*method.Method {
	return []*method.Method{
		method.New("library.status", "How many conversations are on disk and how many are shown, why the others aren't, and the progress of indexing.",
			s.Status),
		method.New("session.fork", "Creates a session that continues from a point in another one. The original doesn't change.",
			s.Fork),
		method.New("session.duplicate", "Creates a session with the same folder, options, and draft.",
			s.Duplicate),
		method.New("session.rename", "Gives a session a title.",
			s.Rename),
		method.New("session.pin", "Pins or unpins a session.",
			s.Pin),
		method.New("session.archive", "Archives a session and ends its process. Fails with a conflict while a turn runs, and while background tasks run unless forced.",
			s.Archive),
		method.New("session.unarchive", "Unarchives a session.",
			s.Unarchive),
		method.New("session.delete", "Moves a session to the trash and ends its process. Fails with a conflict while background tasks run, unless forced. The CLI's transcript is kept.",
			s.Delete),
		method.New("session.restore", "Restores a session from the trash.",
			s.Restore),
		method.New("session.purge", "Permanently deletes a session in the trash with its draft and queued prompts. The CLI's transcript is kept, and isn't listed again.",
			s.Purge),
		method.New("session.reopen", "Opens a closed session again.",
			s.Reopen),
		method.New("session.suspend", "Ends the process of a session that is idle. The next prompt starts it again.",
			s.Suspend),
		method.New("session.fresh", "Starts a new conversation in the same session. The earlier one stays readable, but the model doesn't know it.",
			s.Fresh),
		method.New("session.seen", "Marks a session as seen.",
			s.Seen),
		method.New("session.setTrouble", "Marks a session before a page shows it, in case the page crashes, and clears the mark afterward.",
			s.SetTrouble).Enum("trouble", "", "hung", "crashed").InOrder(),
		method.New("session.locate", "The page of messages that ends at a place in the conversation, the first page, or the page with a given number of messages before it.",
			s.Locate),
	}
}

// Methods is what a front end may ask of it.
func (q *Queues) Methods() []*method.Method {
	return []*method.Method{
		method.New("session.editQueued", "Edits a queued prompt that wasn't sent yet.",
			q.Edit).InOrder(),
		method.New("session.dropQueued", "Removes a queued prompt. Fails with a conflict if the CLI has already read it.",
			q.Drop).InOrder(),
		method.New("session.sendQueued", "Sends queued prompts now, into the running turn.",
			q.Send).InOrder(),
	}
}

// Methods is what a front end may ask of it.
func (s *Drafts) Methods() []*method.Method {
	return []*method.Method{
		method.New("draft.get", "A session's draft.",
			s.GetDraft),
		method.New("draft.set", "Saves a session's draft.",
			s.SetDraft).InOrder(),
		method.New("layout.get", "A window's layout.",
			s.GetLayout),
		method.New("layout.set", "Saves a window's layout.",
			s.SetLayout).InOrder(),
	}
}

// Methods is what a front end may ask of it.
func (w *Workspaces) Methods() []*method.Method {
	return []*method.Method{
		method.New("workspace.list", "Lists the workspaces: pinned ones first, then the most recently used.",
			w.List),
		method.New("workspace.open", "The workspace of a folder. Created if it doesn't exist.",
			w.Open),
		method.New("workspace.rename", "Gives a workspace a name.",
			w.Rename),
		method.New("workspace.pin", "Pins or unpins a workspace.",
			w.Pin),
		method.New("workspace.setDefaults", "Sets the defaults for new sessions in a workspace.",
			w.SetDefaults),
		method.New("workspace.setGeneral", "Makes a workspace the general one, for sessions that don't belong to a project.",
			w.SetGeneral),
		method.New("workspace.delete", "Removes a workspace from the list. Its folder and sessions are kept.",
			w.Delete),
		method.New("workspace.restore", "Restores a removed workspace.",
			w.Restore),
	}
}
