package memory

import "parley/app/method"

// Methods are the service's API methods.
func (m *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("memory.list", "Lists the memory files, the workspaces, and problems.",
			m.List),
		method.New("memory.search", "Searches memories, best match first. Without words, returns all, newest first.",
			m.Search),
		method.New("memory.read", "A memory file.",
			m.Read),
		method.New("memory.write", "Replaces a memory file. Fails with a conflict if it was changed in the meantime.",
			m.Write),
		method.New("memory.save", "Saves something to memory.",
			m.Save),
		method.New("memory.change", "Edits a memory.",
			m.Change),
		method.New("memory.forget", "Moves a memory to the trash.",
			m.Forget),
		method.New("memory.forgetFile", "Moves a memory file to the trash.",
			m.ForgetFile),
		method.New("memory.trash", "Lists forgotten memories, newest first.",
			m.Trash),
		method.New("memory.restore", "Restores a memory from the trash.",
			m.Restore),
		method.New("memory.preview", "Previews the memory that a new session would get.",
			m.Preview),
		method.New("memory.included", "The memory that a session's process got when it started.",
			m.Injected).Was("memory.injected"),
		method.New("memory.setEnabled", "Sets whether a workspace's sessions get memory.",
			m.Switch).Was("memory.switch"),
		method.New("memory.previewImport", "Previews importing a memory folder in EARL's format.",
			m.Inspect).Was("memory.inspect"),
		method.New("memory.import", "Imports memories from a folder in EARL's format, except those that already exist.",
			m.Import),
	}
}
