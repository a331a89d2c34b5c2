package app

import (
	"context"

	"parley/app/method"
)

// MemoryService keeps what is remembered from one session to the next.
type MemoryService interface {
	List(context.Context, Empty) (MemoryOverview, error)
	Search(context.Context, MemorySearchParams) (MemoryFound, error)
	Read(context.Context, MemoryFileRef) (MemoryText, error)
	Write(context.Context, MemoryWriteParams) (MemoryText, error)
	Save(context.Context, MemorySaveParams) (Memory, error)
	Change(context.Context, MemoryChangeParams) (Memory, error)
	Forget(context.Context, MemoryRef) (MemoryForgotten, error)
	ForgetFile(context.Context, MemoryForgetFileParams) (MemoryForgotten, error)
	Trash(context.Context, Empty) (MemoryTrash, error)
	Restore(context.Context, MemoryRef) (MemoryFileRef, error)
	Preview(context.Context, MemoryPreviewParams) (MemoryTold, error)
	Injected(context.Context, SessionRef) (MemoryTold, error)
	Switch(context.Context, MemorySwitchParams) (MemoryOverview, error)
	Inspect(context.Context, MemoryImportParams) (MemoryImport, error)
	Import(context.Context, MemoryImportParams) (MemoryImport, error)
}

func memoryMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("memory.list", "The files of the memory, the workspaces, and what is wrong.",
			bind(s, s.Memory, MemoryService.List)),
		method.New("memory.search", "Looks for memories, the best first. Without words all are found, the newest first.",
			bind(s, s.Memory, MemoryService.Search)),
		method.New("memory.read", "A file of the memory.",
			bind(s, s.Memory, MemoryService.Read)),
		method.New("memory.write", "Replaces a file of the memory. One that was changed meanwhile is a conflict.",
			bind(s, s.Memory, MemoryService.Write)),
		method.New("memory.save", "Remembers something.",
			bind(s, s.Memory, MemoryService.Save)),
		method.New("memory.change", "Gives a memory of a day another text.",
			bind(s, s.Memory, MemoryService.Change)),
		method.New("memory.forget", "Puts a memory into the trash.",
			bind(s, s.Memory, MemoryService.Forget)),
		method.New("memory.forgetFile", "Puts a whole file into the trash.",
			bind(s, s.Memory, MemoryService.ForgetFile)),
		method.New("memory.trash", "What was forgotten, the newest first.",
			bind(s, s.Memory, MemoryService.Trash)),
		method.New("memory.restore", "Puts something from the trash back where it was.",
			bind(s, s.Memory, MemoryService.Restore)),
		method.New("memory.preview", "What a new session would be told.",
			bind(s, s.Memory, MemoryService.Preview)),
		method.New("memory.injected", "What a session's process was told when it started.",
			bind(s, s.Memory, MemoryService.Injected)),
		method.New("memory.switch", "Says whether the sessions of a workspace are told what is remembered.",
			bind(s, s.Memory, MemoryService.Switch)),
		method.New("memory.inspect", "What importing a folder in EARL's form would do.",
			bind(s, s.Memory, MemoryService.Inspect)),
		method.New("memory.import", "Takes over what is in a folder in EARL's form and not here yet.",
			bind(s, s.Memory, MemoryService.Import)),
	}
}
