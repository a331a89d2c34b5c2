// Package schema is Parley's own store: which collections there are, what their
// keys and indexes mean, and how the file came from earlier layouts to this one. It
// knows the store and the records, and nothing of what they are for.
//
// It starts no goroutine.
//
// # Collections
//
//	sessions        <session id>                  record.Session
//	    shelf       shelf, last activity          open, archive and trash, by time
//	    workspace   workspace, shelf, last activity
//	    cli         CLI session id                the present and all previous ones
//	    busy        state                         all that were doing something
//	drafts          <session id>                  record.Draft
//	prompts         <session id> \x01 <order>     record.Prompt, in order
//	workspaces      <workspace id>                record.Workspace
//	    path        path                          unique
//	layouts         <window>                      record.Layout
//	transcripts     <path>                        record.Transcript, can be made again
//	    cli         CLI session id
//	processes       <pid> \x01 <start>            record.Process
package schema

import (
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"parley/backend/record"
	"parley/backend/store"
)

// Config says how to open the store.
type Config struct {
	// Logger is required.
	Logger *slog.Logger
	// Timeout is how long to wait for another process that has the file open; 0 means
	// one second.
	Timeout time.Duration
}

// DB is the open store with its collections.
type DB struct {
	*store.Store

	Sessions    *store.Collection[record.Session]
	Drafts      *store.Collection[record.Draft]
	Prompts     *store.Collection[record.Prompt]
	Workspaces  *store.Collection[record.Workspace]
	Layouts     *store.Collection[record.Layout]
	Transcripts *store.Collection[record.Transcript]
	Processes   *store.Collection[record.Process]
}

// migrations lead from the first layout to the present one. A Parley with fewer of
// them refuses the file, so they are for what an older one would misunderstand; new
// fields and collections need none.
func migrations() []store.Migration { return nil }

// Open opens the store in a file, or makes one; see [store.Open] for its errors.
// When DB.Report says that the file was damaged, sessions may be missing that the
// CLI's transcripts still have.
func Open(path string, cfg Config) (*DB, error) {
	s, err := store.Open(path, store.Config{Migrations: migrations(), Logger: cfg.Logger, Timeout: cfg.Timeout})
	if err != nil {
		return nil, err
	}
	db := &DB{Store: s}
	err = errors.Join(
		define(s, &db.Sessions, "sessions", sessionIndexes()...),
		define(s, &db.Drafts, "drafts"),
		define(s, &db.Prompts, "prompts"),
		define(s, &db.Workspaces, "workspaces", store.Index[record.Workspace]{
			Name: "path", Unique: true, Terms: func(w *record.Workspace) []string { return terms(w.Path) }}),
		define(s, &db.Layouts, "layouts"),
		define(s, &db.Transcripts, "transcripts", store.Index[record.Transcript]{
			Name: "cli", Terms: func(t *record.Transcript) []string { return terms(t.CLISessionID) }}),
		define(s, &db.Processes, "processes"),
	)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return db, nil
}

func define[T any](s *store.Store, to **store.Collection[T], name string, indexes ...store.Index[T]) error {
	c, err := store.Define(s, name, indexes...)
	*to = c
	return err
}

func sessionIndexes() []store.Index[record.Session] {
	return []store.Index[record.Session]{
		{Name: "shelf", Terms: func(s *record.Session) []string {
			if s.Shelf() == record.ShelfNone {
				return nil
			}
			return []string{store.Term(string(s.Shelf()), store.Number(s.LastActivityAt))}
		}},
		{Name: "workspace", Terms: func(s *record.Session) []string {
			if s.Shelf() == record.ShelfNone || s.WorkspaceID == "" {
				return nil
			}
			return []string{store.Term(s.WorkspaceID, string(s.Shelf()), store.Number(s.LastActivityAt))}
		}},
		{Name: "cli", Terms: func(s *record.Session) []string {
			return append(terms(s.CLISessionID), s.PreviousCLISessionIDs...)
		}},
		{Name: "busy", Terms: func(s *record.Session) []string {
			switch s.State {
			case "", "idle", "closed", "failed":
				return nil
			}
			return terms(s.State)
		}},
	}
}

func terms(term string) []string {
	if term == "" {
		return nil
	}
	return []string{term}
}

// OnShelf selects the sessions of a shelf, the most recently active first.
func OnShelf(shelf record.Shelf) store.Query {
	return store.Query{Index: "shelf", Prefix: store.Term(string(shelf), ""), Reverse: true}
}

// InWorkspace selects the sessions of a workspace on a shelf, the most recently
// active first.
func InWorkspace(workspaceID string, shelf record.Shelf) store.Query {
	return store.Query{Index: "workspace", Prefix: store.Term(workspaceID, string(shelf), ""), Reverse: true}
}

// ByCLISession selects the sessions whose conversation has, or once had, an id of
// the CLI.
func ByCLISession(id string) store.Query { return store.Query{Index: "cli", Term: id} }

// Busy selects the sessions that were doing something at their last write: at the
// start of Parley, those whose turn was cut off.
func Busy() store.Query { return store.Query{Index: "busy"} }

// PromptKey is where a waiting prompt is kept.
func PromptKey(sessionID string, order int64) string {
	return store.Term(sessionID, store.Number(order))
}

// QueueOf selects a session's waiting prompts, in order.
func QueueOf(sessionID string) store.Query { return store.Query{Prefix: store.Term(sessionID, "")} }

// ProcessKey is where a child process is noted.
func ProcessKey(pid int, start string) string { return store.Term(strconv.Itoa(pid), start) }

// DeleteSession removes a session with its draft and its prompts, for good.
func (db *DB) DeleteSession(id string) error {
	return db.Update(func(tx *store.Tx) error {
		if err := db.Sessions.In(tx).Delete(id); err != nil {
			return err
		}
		if err := db.Drafts.In(tx).Delete(id); err != nil {
			return err
		}
		var keys []string
		if err := db.Prompts.In(tx).Keys(QueueOf(id), func(_, key string) bool { keys = append(keys, key); return true }); err != nil {
			return err
		}
		for _, key := range keys {
			if err := db.Prompts.In(tx).Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
}

// CountByWorkspace counts the sessions of every workspace that has any.
func (db *DB) CountByWorkspace() (map[string]record.Counts, error) {
	counts := map[string]record.Counts{}
	separator := store.Term("", "")
	err := db.Sessions.Keys(store.Query{Index: "workspace"}, func(term, _ string) bool {
		workspace, rest, _ := strings.Cut(term, separator)
		shelf, _, _ := strings.Cut(rest, separator)
		c := counts[workspace]
		switch record.Shelf(shelf) {
		case record.ShelfOpen:
			c.Open++
		case record.ShelfArchive:
			c.Archived++
		default:
			return true
		}
		counts[workspace] = c
		return true
	})
	if err != nil {
		return nil, err
	}
	return counts, nil
}
