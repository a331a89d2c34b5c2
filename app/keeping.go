package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/blob"
	"parley/backend/fault"
	"parley/backend/history"
	"parley/backend/library"
	"parley/backend/record"
	"parley/backend/store"
	"parley/backend/store/schema"
	"parley/backend/workspace"
)

// keeping is what Parley keeps on the disk: records, and files that belong to them.
// It gives the back end's packages the ports that they declare; the records of
// workspaces are a collection as they are.
type keeping struct {
	db    *schema.DB
	blobs *blob.Store
}

// openKeeping opens what is kept in the data folder. Its errors are faults.
func openKeeping(data string, log *slog.Logger) (*keeping, error) {
	blobs, err := blob.Open(filepath.Join(data, "attachments"))
	if err != nil {
		return nil, err
	}
	db, err := schema.Open(filepath.Join(data, "parley.db"), schema.Config{Logger: log})
	if err != nil {
		return nil, err
	}
	return &keeping{db, blobs}, nil
}

func (k *keeping) close() error { return k.db.Close() }

// warning says what a person should know of the state the store was found in, or "".
func (k *keeping) warning() string {
	report := k.db.Report()
	if !report.Rebuilt {
		return ""
	}
	return fmt.Sprintf("Parley's own notes were damaged. %d of them could be kept; the damaged file is %s. Every conversation is still listed, because the CLI has them; "+
		"titles, drafts and what was archived may be missing.", report.Kept, report.SetAside)
}

// records implements [library.Records].
type records struct{ db *schema.DB }

var _ library.Records = records{}

func (r records) Sessions() ([]record.Session, error) { return r.db.Sessions.All() }

func (r records) Waiting(yield func(record.Prompt)) error {
	return r.db.Prompts.Each(store.Query{}, func(_ string, p record.Prompt) bool { yield(p); return true })
}

func (r records) Queue(sessionID string) ([]record.Prompt, error) {
	return r.db.Prompts.List(schema.QueueOf(sessionID))
}

func (r records) Drafts(yield func(record.Draft)) error {
	return r.db.Drafts.Each(store.Query{}, func(_ string, d record.Draft) bool { yield(d); return true })
}

func (r records) Draft(sessionID string) (record.Draft, bool, error) {
	return maybe(r.db.Drafts.Get(sessionID))
}

func (r records) Authors(turnIDs []string) (map[string]record.Authored, error) {
	return someOf(r.db, r.db.Authors, turnIDs)
}

func (r records) Deeds(ids []string) (map[string]record.Deed, error) {
	return someOf(r.db, r.db.Deeds, ids)
}

func (r records) Outcomes(messageIDs []string) (map[string]record.Outcome, error) {
	return someOf(r.db, r.db.Outcomes, messageIDs)
}

// someOf returns those of a collection's records that there are.
func someOf[T any](db *schema.DB, c *store.Collection[T], ids []string) (map[string]T, error) {
	known := map[string]T{}
	err := db.View(func(tx *store.Tx) error {
		for _, id := range ids {
			one, found, err := maybe(c.In(tx).Get(id))
			if err != nil {
				return err
			}
			if found {
				known[id] = one
			}
		}
		return nil
	})
	return known, err
}

// trim keeps the newest authors, deeds or outcomes of a session.
func trim[T any](tx *store.Tx, c *store.Collection[T], sessionID string, keep int) error {
	var ids []string
	err := c.In(tx).Keys(schema.ActsOf(sessionID), func(_, id string) bool {
		ids = append(ids, id)
		return true
	})
	for _, id := range ids[:max(0, len(ids)-keep)] {
		err = errors.Join(err, c.In(tx).Delete(id))
	}
	return err
}

func (r records) Layout(window string) (record.Layout, bool, error) {
	return maybe(r.db.Layouts.Get(window))
}

func maybe[T any](value T, err error) (T, bool, error) {
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrUnreadable) {
		return value, false, nil
	}
	return value, err == nil, err
}

func (r records) Write(c library.Changes) error {
	return r.db.Update(func(tx *store.Tx) error {
		var err error
		do := func(one error) {
			if err == nil {
				err = one
			}
		}
		for _, s := range c.Sessions {
			do(r.db.Sessions.In(tx).Put(s.ID, s))
		}
		for _, id := range c.Forgotten {
			do(r.db.Sessions.In(tx).Delete(id))
		}
		for _, id := range c.Unsigned {
			do(trim(tx, r.db.Authors, id, 0))
			do(trim(tx, r.db.Deeds, id, 0))
			do(trim(tx, r.db.Outcomes, id, 0))
		}
		for _, a := range c.Authors {
			do(r.db.Authors.In(tx).Put(a.TurnID, a))
			do(trim(tx, r.db.Authors, a.SessionID, record.MaxAuthored))
		}
		for _, d := range c.Deeds {
			do(r.db.Deeds.In(tx).Put(d.ID, d))
			do(trim(tx, r.db.Deeds, d.SessionID, record.MaxAuthored))
		}
		grown := map[string]bool{}
		for _, o := range c.Outcomes {
			do(r.db.Outcomes.In(tx).Put(o.MessageID, o))
			grown[o.SessionID] = true
		}
		for id := range grown {
			do(trim(tx, r.db.Outcomes, id, record.MaxOutcomes))
		}
		for _, key := range c.Released {
			do(r.db.Prompts.In(tx).Delete(schema.PromptKey(key.SessionID, key.Order)))
		}
		for _, p := range c.Prompts {
			do(r.db.Prompts.In(tx).Put(schema.PromptKey(p.SessionID, p.Order), p))
		}
		for _, d := range c.Drafts {
			do(r.db.Drafts.In(tx).Put(d.SessionID, d))
		}
		for _, id := range c.Undrafted {
			do(r.db.Drafts.In(tx).Delete(id))
		}
		for _, w := range c.Layouts {
			do(r.db.Layouts.In(tx).Put(w.Window, w))
		}
		if len(c.Layouts) > 0 {
			do(r.boundLayouts(tx))
		}
		if errors.Is(err, store.ErrInvalid) {
			return fault.Wrap(err, fault.TooLarge, "This is too large to be kept. Put long material into a file.")
		}
		return err
	})
}

// maxLayouts is how many windows' layouts are kept.
const maxLayouts = 32

// boundLayouts forgets the layouts that were kept longest ago when there are too many:
// whoever calls a window something makes one.
func (r records) boundLayouts(tx *store.Tx) error {
	all, err := r.db.Layouts.In(tx).List(store.Query{})
	if err != nil || len(all) <= maxLayouts {
		return err
	}
	slices.SortFunc(all, func(a, b record.Layout) int { return cmp.Compare(b.UpdatedAt, a.UpdatedAt) })
	for _, old := range all[maxLayouts:] {
		if err := r.db.Layouts.In(tx).Delete(old.Window); err != nil {
			return err
		}
	}
	return nil
}

// transcripts implements [history.Cache].
type transcripts struct{ db *schema.DB }

var _ history.Cache = transcripts{}

func (t transcripts) Load(ctx context.Context) (map[string]history.Record, error) {
	all := make(map[string]history.Record)
	err := t.db.Transcripts.Each(store.Query{}, func(path string, kept record.Transcript) bool {
		var r history.Record
		if json.Unmarshal(kept.Found, &r) == nil { // what cannot be read is found out again
			all[path] = r
		}
		return ctx.Err() == nil
	})
	return all, errors.Join(err, ctx.Err())
}

func (t transcripts) Save(_ context.Context, put map[string]history.Record, remove []string) error {
	return t.db.Update(func(tx *store.Tx) error {
		for path, r := range put {
			found, err := json.Marshal(r)
			if err != nil {
				return err
			}
			if err := t.db.Transcripts.In(tx).Put(path, record.Transcript{Path: path, CLISessionID: r.Entry.ID, Found: found}); err != nil {
				return err
			}
		}
		for _, path := range remove {
			if err := t.db.Transcripts.In(tx).Delete(path); err != nil {
				return err
			}
		}
		return nil
	})
}

// sessionCounts implements [workspace.Sessions]. The library is set once, before
// anything is listed: each of the two needs the other.
type sessionCounts struct{ library *library.Library }

var _ workspace.Sessions = (*sessionCounts)(nil)

func (c *sessionCounts) CountByWorkspace() (map[string]record.Counts, error) {
	return c.library.CountByWorkspace()
}

// sessionFolders implements [library.Workspaces].
type sessionFolders struct{ *workspace.Registry }

var _ library.Workspaces = sessionFolders{}

func (f sessionFolders) Use(folder string) (string, error) {
	w, err := f.Registry.Use(folder)
	if code := fault.CodeOf(err); err != nil && code != fault.Internal {
		// It is a session that the folder is for.
		err = fault.Wrap(err, code, "%s (parameter cwd).", strings.TrimSuffix(fault.MessageOf(err), "."))
	}
	return w.ID, err
}
