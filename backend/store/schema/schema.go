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
//	profiles        <profile id>                  record.Profile
//	usage           <CLI session id>              record.Usage
//	answers         <CLI session id> \x01 <chunk> record.Answers
//	warned          <budget>                      record.Warned
//	windows         <environment> \x01 <model>    record.Window
//	rules           <rule id>                     record.Rule
//	trust           <folder>                      record.Trust
//	beats           <heartbeat> \x01 <due> \x01 <id>  record.Beat, by due time
//	    time        due
//	    open        heartbeat                     those that are not over
//	hearts          <heartbeat>                   record.Heart
//	pauses          "heartbeats"                  record.Pause
//	authors         <turn id>                     record.Authored
//	    session     session, time
//	deeds           <turn or tool use id>         record.Deed
//	    session     session, time
//	outcomes        <message id>                  record.Outcome
//	    session     session, time
//	threads         <thread id>                   record.Thread
//	    used        time
//	cursors         <key>                         record.Cursor
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
	Profiles    *store.Collection[record.Profile]
	Usage       *store.Collection[record.Usage]
	Answers     *store.Collection[record.Answers]
	Warned      *store.Collection[record.Warned]
	Windows     *store.Collection[record.Window]
	Rules       *store.Collection[record.Rule]
	Trust       *store.Collection[record.Trust]
	Beats       *store.Collection[record.Beat]
	Hearts      *store.Collection[record.Heart]
	Pauses      *store.Collection[record.Pause]
	Authors     *store.Collection[record.Authored]
	Deeds       *store.Collection[record.Deed]
	Outcomes    *store.Collection[record.Outcome]
	Threads     *store.Collection[record.Thread]
	Cursors     *store.Collection[record.Cursor]
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
		define(s, &db.Profiles, "profiles"),
		define(s, &db.Usage, "usage"),
		define(s, &db.Answers, "answers"),
		define(s, &db.Warned, "warned"),
		define(s, &db.Windows, "windows"),
		define(s, &db.Rules, "rules"),
		define(s, &db.Trust, "trust"),
		define(s, &db.Beats, "beats", beatIndexes()...),
		define(s, &db.Hearts, "hearts"),
		define(s, &db.Pauses, "pauses"),
		define(s, &db.Authors, "authors", store.Index[record.Authored]{
			Name: "session", Terms: func(a *record.Authored) []string { return terms(store.Term(a.SessionID, store.Number(a.At))) }}),
		define(s, &db.Deeds, "deeds", store.Index[record.Deed]{
			Name: "session", Terms: func(d *record.Deed) []string { return terms(store.Term(d.SessionID, store.Number(d.At))) }}),
		define(s, &db.Outcomes, "outcomes", store.Index[record.Outcome]{
			Name: "session", Terms: func(o *record.Outcome) []string { return terms(store.Term(o.SessionID, store.Number(o.At))) }}),
		define(s, &db.Threads, "threads", store.Index[record.Thread]{
			Name: "used", Terms: func(t *record.Thread) []string { return terms(store.Number(t.UsedAt)) }}),
		define(s, &db.Cursors, "cursors"),
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
		{Name: "workspace", Terms: func(s *record.Session) []string {
			if s.Shelf() == record.ShelfNone || s.WorkspaceID == "" {
				return nil
			}
			return []string{store.Term(s.WorkspaceID, string(s.Shelf()), store.Number(s.LastActivityAt))}
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

func beatIndexes() []store.Index[record.Beat] {
	return []store.Index[record.Beat]{
		{Name: "time", Terms: func(b *record.Beat) []string { return terms(store.Number(b.DueAt)) }},
		{Name: "open", Terms: func(b *record.Beat) []string {
			if !b.Open {
				return nil
			}
			return terms(b.Name)
		}},
	}
}

func terms(term string) []string {
	if term == "" {
		return nil
	}
	return []string{term}
}

// Busy selects the sessions that were doing something at their last write: at the
// start of Parley, those whose turn was cut off.
func Busy() store.Query { return store.Query{Index: "busy"} }

// PromptKey is where a waiting prompt is kept.
func PromptKey(sessionID string, order int64) string {
	return store.Term(sessionID, store.Number(order))
}

// AnswersKey is where some of a conversation's answers are kept.
func AnswersKey(cliSessionID string, chunk int) string {
	return store.Term(cliSessionID, store.Number(int64(chunk)))
}

// AnswersOf selects a conversation's answers.
func AnswersOf(cliSessionID string) store.Query {
	return store.Query{Prefix: store.Term(cliSessionID, "")}
}

// WindowKey is where a model's window is kept.
func WindowKey(environment, model string) string { return store.Term(environment, model) }

// BeatKey is where a record of a heartbeat is kept.
func BeatKey(b *record.Beat) string { return store.Term(b.Name, store.Number(b.DueAt), b.ID) }

// BeatName and BeatDue are what the key of a record says.
func BeatName(key string) string {
	name, _, _ := strings.Cut(key, store.Term("", ""))
	return name
}

// BeatDue is the due time in a key, in milliseconds, 0 when it is no such key.
func BeatDue(key string) int64 {
	_, rest, _ := strings.Cut(key, store.Term("", ""))
	number, _, _ := strings.Cut(rest, store.Term("", ""))
	due, err := strconv.ParseUint(number, 16, 64)
	if err != nil {
		return 0
	}
	return int64(due ^ 1<<63) //nolint:gosec // the way back of store.Number
}

// BeatsOf selects a heartbeat's records, in the order of their due times.
func BeatsOf(name string) store.Query { return store.Query{Prefix: store.Term(name, "")} }

// QueueOf selects a session's waiting prompts, in order.
func QueueOf(sessionID string) store.Query { return store.Query{Prefix: store.Term(sessionID, "")} }

// ActsOf selects the authors, the deeds or the outcomes of a session, oldest first.
func ActsOf(sessionID string) store.Query {
	return store.Query{Index: "session", Prefix: store.Term(sessionID, "")}
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
