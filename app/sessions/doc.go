// Package sessions is the API of sessions: running them, the library of sessions, workspaces, drafts,
// queued prompts, background tasks and task lists. It starts no goroutine.
package sessions
