// Package schema defines Parley's store: its collections, their keys and indexes,
// and the migrations from earlier layouts. It knows the store and the records, but
// not their purpose.
//
// It starts no goroutine.
//
// # Collections
//
//	sessions        <session id>                  model.Session
//	    shelf       shelf, last activity          open, archive and trash, by time
//	    workspace   workspace, shelf, last activity
//	    cli         CLI session id                the present and all previous ones
//	    busy        state                         all that were doing something
//	drafts          <session id>                  model.Draft
//	prompts         <session id> \x01 <order>     model.Prompt, in order
//	workspaces      <workspace id>                model.Workspace
//	    path        path                          unique
//	layouts         <window>                      model.Layout
//	transcripts     <path>                        model.Transcript, can be made again
//	    cli         CLI session id
//	profiles        <profile id>                  model.Profile
//	usage           <CLI session id>              model.Usage
//	answers         <CLI session id> \x01 <chunk> model.CountedAnswers
//	warned          <budget>                      model.BudgetWarning
//	windows         <environment> \x01 <model>    model.Window
//	rules           <rule id>                     model.Rule
//	trust           <folder>                      model.Trust
//	devices         <device id>                   model.Device
//	ways            <way id>                      model.Way
//	beats           <heartbeat> \x01 <due> \x01 <id>  model.HeartbeatRun, by due time
//	    time        due
//	    open        heartbeat                     those that are not over
//	hearts          <heartbeat>                   model.HeartbeatState
//	pauses          "heartbeats"                  model.Pause
//	authors         <turn id>                     model.Authored
//	    session     session, time
//	deeds           <turn or tool use id>         model.Action
//	    session     session, time
//	outcomes        <message id>                  model.Outcome
//	    session     session, time
//	unsaved         <message id>                  model.Unsaved
//	    session     session, order
//	threads         <thread id>                   model.Thread
//	    used        time
//	cursors         <key>                         model.Cursor
//	kept            <name>                        model.Kept
package schema

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"parley/backend/store"
	"parley/backend/store/model"
)

// Config configures the store.
type Config struct {
	// Logger is required.
	Logger *slog.Logger
	// Timeout is how long to wait for another process that has the file open; 0 means
	// one second.
	Timeout time.Duration
	// Copy returns the path of a sound copy of the store, see [store.Config].
	Copy func() string
	// Failed is called for each failed write. It may be nil.
	Failed func(error)
}

// DB is the open store with its collections.
type DB struct {
	*store.Store

	Sessions    *store.Collection[model.Session]
	Drafts      *store.Collection[model.Draft]
	Prompts     *store.Collection[model.Prompt]
	Workspaces  *store.Collection[model.Workspace]
	Layouts     *store.Collection[model.Layout]
	Transcripts *store.Collection[model.Transcript]
	Profiles    *store.Collection[model.Profile]
	Usage       *store.Collection[model.Usage]
	Answers     *store.Collection[model.CountedAnswers]
	Warned      *store.Collection[model.BudgetWarning]
	Windows     *store.Collection[model.Window]
	Rules       *store.Collection[model.Rule]
	Trust       *store.Collection[model.Trust]
	Devices     *store.Collection[model.Device]
	Ways        *store.Collection[model.Way]
	Beats       *store.Collection[model.HeartbeatRun]
	Hearts      *store.Collection[model.HeartbeatState]
	Pauses      *store.Collection[model.Pause]
	Authors     *store.Collection[model.Authored]
	Deeds       *store.Collection[model.Action]
	Outcomes    *store.Collection[model.Outcome]
	Unsaved     *store.Collection[model.Unsaved]
	Threads     *store.Collection[model.Thread]
	Cursors     *store.Collection[model.Cursor]
	Kept        *store.Collection[model.Kept]
}

// migrations lead from the first layout to the current one. A Parley with fewer of
// them rejects the file, so they are for what an older one would misunderstand; new
// fields and collections need none.
func migrations() []store.Migration {
	return []store.Migration{
		{Name: "Prompts say where they are on their way", Run: phases},
	}
}

// phases gives every prompt a phase: before phases existed, a prompt was sent or not.
func phases(m *store.Migrator) error {
	return m.Transform("prompts", func(_ string, raw json.RawMessage) (json.RawMessage, error) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, err
		}
		if _, has := fields["phase"]; !has {
			fields["phase"] = json.RawMessage(`"accepted"`)
			if string(fields["sent"]) == "true" {
				fields["phase"] = json.RawMessage(`"handed"`)
			}
		}
		delete(fields, "sent")
		return json.Marshal(fields)
	})
}

// Layout returns the number of the current layout.
func Layout() int { return len(migrations()) }

// Open opens or creates the store in a file; see [store.Open] for its errors. If
// DB.Report says that the file was damaged, sessions may be missing that the
// CLI's transcripts still have.
func Open(path string, cfg Config) (*DB, error) {
	s, err := store.Open(path, store.Config{Migrations: migrations(), Logger: cfg.Logger, Timeout: cfg.Timeout, Copy: cfg.Copy, Failed: cfg.Failed})
	if err != nil {
		return nil, err
	}
	db := &DB{Store: s}
	err = errors.Join(
		define(s, &db.Sessions, "sessions", sessionIndexes()...),
		define(s, &db.Drafts, "drafts"),
		define(s, &db.Prompts, "prompts"),
		define(s, &db.Workspaces, "workspaces", store.Index[model.Workspace]{
			Name: "path", Unique: true, Terms: func(w *model.Workspace) []string { return terms(w.Path) }}),
		define(s, &db.Layouts, "layouts"),
		define(s, &db.Transcripts, "transcripts", store.Index[model.Transcript]{
			Name: "cli", Terms: func(t *model.Transcript) []string { return terms(t.CLISessionID) }}),
		define(s, &db.Profiles, "profiles"),
		define(s, &db.Usage, "usage"),
		define(s, &db.Answers, "answers"),
		define(s, &db.Warned, "warned"),
		define(s, &db.Windows, "windows"),
		define(s, &db.Rules, "rules"),
		define(s, &db.Trust, "trust"),
		define(s, &db.Devices, "devices"),
		define(s, &db.Ways, "ways"),
		define(s, &db.Beats, "beats", beatIndexes()...),
		define(s, &db.Hearts, "hearts"),
		define(s, &db.Pauses, "pauses"),
		define(s, &db.Authors, "authors", store.Index[model.Authored]{
			Name: "session", Terms: func(a *model.Authored) []string { return terms(store.Term(a.SessionID, store.Number(a.At))) }}),
		define(s, &db.Deeds, "deeds", store.Index[model.Action]{
			Name: "session", Terms: func(d *model.Action) []string { return terms(store.Term(d.SessionID, store.Number(d.At))) }}),
		define(s, &db.Outcomes, "outcomes", store.Index[model.Outcome]{
			Name: "session", Terms: func(o *model.Outcome) []string { return terms(store.Term(o.SessionID, store.Number(o.At))) }}),
		define(s, &db.Unsaved, "unsaved", store.Index[model.Unsaved]{
			Name: "session", Terms: func(u *model.Unsaved) []string { return terms(store.Term(u.SessionID, store.Number(u.Order))) }}),
		define(s, &db.Threads, "threads", store.Index[model.Thread]{
			Name: "used", Terms: func(t *model.Thread) []string { return terms(store.Number(t.UsedAt)) }}),
		define(s, &db.Cursors, "cursors"),
		define(s, &db.Kept, "kept"),
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

func sessionIndexes() []store.Index[model.Session] {
	return []store.Index[model.Session]{
		{Name: "workspace", Terms: func(s *model.Session) []string {
			if s.Shelf() == model.ShelfNone || s.WorkspaceID == "" {
				return nil
			}
			return []string{store.Term(s.WorkspaceID, string(s.Shelf()), store.Number(s.LastActivityAt))}
		}},
		{Name: "busy", Terms: func(s *model.Session) []string {
			switch s.State {
			case "", "idle", "closed", "failed":
				return nil
			}
			return terms(s.State)
		}},
	}
}

func beatIndexes() []store.Index[model.HeartbeatRun] {
	return []store.Index[model.HeartbeatRun]{
		{Name: "time", Terms: func(b *model.HeartbeatRun) []string { return terms(store.Number(b.DueAt)) }},
		{Name: "open", Terms: func(b *model.HeartbeatRun) []string {
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

// Busy selects the sessions that were busy at their last write: at Parley's
// start, those whose turn was cut off.
func Busy() store.Query { return store.Query{Index: "busy"} }

// PromptKey returns the key of a waiting prompt.
func PromptKey(sessionID string, order int64) string {
	return store.Term(sessionID, store.Number(order))
}

// AnswersKey returns the key of a chunk of a conversation's answers.
func AnswersKey(cliSessionID string, chunk int) string {
	return store.Term(cliSessionID, store.Number(int64(chunk)))
}

// AnswersOf selects a conversation's answers.
func AnswersOf(cliSessionID string) store.Query {
	return store.Query{Prefix: store.Term(cliSessionID, "")}
}

// WindowKey returns the key of a model's window.
func WindowKey(environment, model string) string { return store.Term(environment, model) }

// BeatKey returns the key of a heartbeat's record.
func BeatKey(b *model.HeartbeatRun) string { return store.Term(b.Name, store.Number(b.DueAt), b.ID) }

// BeatName and BeatDue parse the key of a record.
func BeatName(key string) string {
	name, _, _ := strings.Cut(key, store.Term("", ""))
	return name
}

// BeatDue returns the due time in a key, in milliseconds, 0 if it isn't such a
// key.
func BeatDue(key string) int64 {
	_, rest, _ := strings.Cut(key, store.Term("", ""))
	number, _, _ := strings.Cut(rest, store.Term("", ""))
	due, err := strconv.ParseUint(number, 16, 64)
	if err != nil {
		return 0
	}
	return int64(due ^ 1<<63) //nolint:gosec // the way back of store.Number
}

// BeatsOf selects a heartbeat's records, by due time.
func BeatsOf(name string) store.Query { return store.Query{Prefix: store.Term(name, "")} }

// QueueOf selects a session's waiting prompts, in order.
func QueueOf(sessionID string) store.Query { return store.Query{Prefix: store.Term(sessionID, "")} }

// ActsOf selects the authors, the deeds or the outcomes of a session, oldest first.
func ActsOf(sessionID string) store.Query {
	return store.Query{Index: "session", Prefix: store.Term(sessionID, "")}
}

// CountByWorkspace counts the sessions of each workspace, without empty ones.
func (db *DB) CountByWorkspace() (map[string]model.Counts, error) {
	counts := map[string]model.Counts{}
	separator := store.Term("", "")
	err := db.Sessions.Keys(store.Query{Index: "workspace"}, func(term, _ string) bool {
		workspace, rest, _ := strings.Cut(term, separator)
		shelf, _, _ := strings.Cut(rest, separator)
		c := counts[workspace]
		switch model.ListState(shelf) {
		case model.ShelfOpen:
			c.Open++
		case model.ShelfArchive:
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
