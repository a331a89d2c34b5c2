// Package sessions is the border of sessions: what runs them, the library of them, workspaces, drafts,
// waiting prompts, background tasks and things to do. It starts no goroutine.
package sessions
