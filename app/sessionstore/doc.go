// Package sessionstore keeps sessions, their prompts and drafts, and workspaces in the store, and
// opens the library and the workspaces on it. It knows nothing of what sessions do.
//
// It starts no goroutine.
package sessionstore
