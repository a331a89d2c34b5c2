package library

import (
	"os"
	"slices"
)

// File is a transcript of one of a session's conversations.
type File struct {
	// CLISessionID is the CLI's id of the conversation.
	CLISessionID string
	Path         string
}

// Files returns the existing transcripts of a session, oldest first: those from
// before each /clear, then the current one. Its fault is not_found.
func (l *Library) Files(id string) ([]File, error) {
	l.mu.RLock()
	r := l.rows[id]
	if r == nil || !r.listed {
		l.mu.RUnlock()
		return nil, notFound(id)
	}
	links := l.links(r)
	l.mu.RUnlock()
	files := []File{}
	for _, k := range slices.Backward(l.locate(links)) {
		// What a fork shares with its origin belongs to the origin.
		if k.path == "" || k.last != "" {
			continue
		}
		if _, err := os.Stat(k.path); err == nil {
			files = append(files, File{CLISessionID: k.cli, Path: k.path})
		}
	}
	return files, nil
}
