package usage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"parley/backend/claude/history"
	"parley/backend/store"
	"parley/backend/store/model"
	"parley/backend/store/schema"
	"parley/backend/usage"
	"parley/backend/usage/spend"
)

// records implements [spend.Records].
type records struct{ db *schema.DB }

var _ spend.Records = records{}

func (e records) Usage() ([]model.Usage, error) { return e.db.Usage.All() }

func (e records) Warned() ([]model.BudgetWarning, error) { return e.db.Warned.All() }

func (e records) Answers(cliSessionID string, yield func(model.CountedAnswers)) error {
	q := store.Query{}
	if cliSessionID != "" {
		q = schema.AnswersOf(cliSessionID)
	}
	return e.db.Answers.Each(q, func(_ string, a model.CountedAnswers) bool { yield(a); return true })
}

func (e records) Write(c spend.Changes) error {
	return e.db.Update(func(tx *store.Tx) error {
		for _, id := range c.Forget {
			var keys []string
			err := e.db.Answers.In(tx).Keys(schema.AnswersOf(id), func(_, key string) bool { keys = append(keys, key); return true })
			if err != nil {
				return err
			}
			for _, key := range keys {
				if err := e.db.Answers.In(tx).Delete(key); err != nil {
					return err
				}
			}
		}
		for _, a := range c.Answers {
			if err := e.db.Answers.In(tx).Put(schema.AnswersKey(a.CLISessionID, a.Chunk), a); err != nil {
				return err
			}
		}
		for _, u := range c.Usage {
			if err := e.db.Usage.In(tx).Put(u.CLISessionID, u); err != nil {
				return err
			}
		}
		for _, w := range c.Warned {
			if err := e.db.Warned.In(tx).Put(w.Budget, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// transcripts implements [history.Cache].
type transcripts struct{ db *schema.DB }

var _ history.Cache = transcripts{}

func (t transcripts) Load(ctx context.Context) (map[string]history.Record, error) {
	all := make(map[string]history.Record)
	err := t.db.Transcripts.Each(store.Query{}, func(path string, kept model.Transcript) bool {
		var r history.Record
		if json.Unmarshal(kept.Found, &r) == nil { // unreadable entries are determined again
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
			if err := t.db.Transcripts.In(tx).Put(path, model.Transcript{Path: path, CLISessionID: r.Entry.ID, Found: found}); err != nil {
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

var _ history.Cache = (*Service)(nil)

// Load implements [history.Cache].
func (a *Service) Load(ctx context.Context) (map[string]history.Record, error) {
	return transcripts{a.cfg.DB}.Load(ctx)
}

// Save implements [history.Cache]. What is known about files is stored only after the accounts read
// from them: files whose accounts are lost are read again.
func (a *Service) Save(ctx context.Context, put map[string]history.Record, remove []string) error {
	if err := a.ledger.Flush(); err != nil {
		return err
	}
	return transcripts{a.cfg.DB}.Save(ctx, put, remove)
}

// openWindows loads the known sizes of the models' windows, and stores new ones.
func openWindows(db *schema.DB, log *slog.Logger) (*usage.Windows, error) {
	kept, err := db.Windows.All()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(kept, func(a, b model.Window) int { return cmp.Compare(a.LearnedAt, b.LearnedAt) })
	known := make([]usage.Window, 0, len(kept))
	for _, k := range kept {
		known = append(known, usage.Window{Environment: k.Environment, Model: k.Model, Tokens: k.Tokens})
	}
	return usage.NewWindows(known, func(one usage.Window, forgotten []usage.Window) {
		err := db.Update(func(tx *store.Tx) error {
			for _, old := range forgotten {
				if err := db.Windows.In(tx).Delete(schema.WindowKey(old.Environment, old.Model)); err != nil {
					return err
				}
			}
			return db.Windows.In(tx).Put(schema.WindowKey(one.Environment, one.Model), model.Window{
				Environment: one.Environment, Model: one.Model, Tokens: one.Tokens, LearnedAt: time.Now().UnixMilli(),
			})
		})
		if err != nil {
			log.Warn("Couldn't save the size of a context window", "model", one.Model, "err", err)
		}
	}), nil
}
