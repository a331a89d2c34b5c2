package sessionstore

import (
	"cmp"
	"errors"
	"slices"

	"parley/backend/fault"
	"parley/backend/session/library"
	"parley/backend/store"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

// records implements [library.Records].
type records struct{ db *schema.DB }

var _ library.Records = records{}

func (r records) Sessions() ([]model.Session, error) { return r.db.Sessions.All() }

func (r records) Waiting(yield func(model.Prompt)) error {
	return r.db.Prompts.Each(store.Query{}, func(_ string, p model.Prompt) bool { yield(p); return true })
}

func (r records) Queue(sessionID string) ([]model.Prompt, error) {
	return r.db.Prompts.List(schema.QueueOf(sessionID))
}

func (r records) Drafts(yield func(model.Draft)) error {
	return r.db.Drafts.Each(store.Query{}, func(_ string, d model.Draft) bool { yield(d); return true })
}

func (r records) Draft(sessionID string) (model.Draft, bool, error) {
	return store.Maybe(r.db.Drafts.Get(sessionID))
}

func (r records) Authors(turnIDs []string) (map[string]model.Authored, error) {
	return someOf(r.db, r.db.Authors, turnIDs)
}

func (r records) Deeds(ids []string) (map[string]model.Action, error) {
	return someOf(r.db, r.db.Deeds, ids)
}

func (r records) Outcomes(messageIDs []string) (map[string]model.Outcome, error) {
	return someOf(r.db, r.db.Outcomes, messageIDs)
}

func (r records) Unsaved(sessionID string) ([]model.Unsaved, error) {
	return r.db.Unsaved.List(schema.ActsOf(sessionID))
}

// someOf returns the existing records of a collection for the ids.
func someOf[T any](db *schema.DB, c *store.Collection[T], ids []string) (map[string]T, error) {
	known := map[string]T{}
	err := db.View(func(tx *store.Tx) error {
		for _, id := range ids {
			one, found, err := store.Maybe(c.In(tx).Get(id))
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

// trim keeps the newest authors, actions or outcomes of a session.
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

func (r records) Layout(window string) (model.Layout, bool, error) {
	return store.Maybe(r.db.Layouts.Get(window))
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
			do(trim(tx, r.db.Unsaved, id, 0))
		}
		for _, a := range c.Authors {
			do(r.db.Authors.In(tx).Put(a.TurnID, a))
			do(trim(tx, r.db.Authors, a.SessionID, model.MaxAuthored))
		}
		for _, d := range c.Deeds {
			do(r.db.Deeds.In(tx).Put(d.ID, d))
			do(trim(tx, r.db.Deeds, d.SessionID, model.MaxAuthored))
		}
		grown := map[string]bool{}
		for _, o := range c.Outcomes {
			do(r.db.Outcomes.In(tx).Put(o.MessageID, o))
			grown[o.SessionID] = true
		}
		for id := range grown {
			do(trim(tx, r.db.Outcomes, id, model.MaxOutcomes))
		}
		for _, u := range c.Unsaved {
			do(r.db.Unsaved.In(tx).Put(u.MessageID, u))
			do(trim(tx, r.db.Unsaved, u.SessionID, model.MaxUnsaved))
		}
		for _, id := range c.Saved {
			do(r.db.Unsaved.In(tx).Delete(id))
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
			return fault.Wrap(err, fault.TooLarge, "This is too large to save. Put long text into a file.")
		}
		return err
	})
}

// maxLayouts is how many windows' layouts are kept.
const maxLayouts = 32

// boundLayouts deletes the oldest layouts if there are too many: every new window name creates one.
func (r records) boundLayouts(tx *store.Tx) error {
	all, err := r.db.Layouts.In(tx).List(store.Query{})
	if err != nil || len(all) <= maxLayouts {
		return err
	}
	slices.SortFunc(all, func(a, b model.Layout) int { return cmp.Compare(b.UpdatedAt, a.UpdatedAt) })
	for _, old := range all[maxLayouts:] {
		if err := r.db.Layouts.In(tx).Delete(old.Window); err != nil {
			return err
		}
	}
	return nil
}
