package usage

import (
	"cmp"
	"context"
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

// Records implements [spend.Records].
type Records struct{ DB *schema.DB }

var _ spend.Records = Records{}

func (e Records) Usage() ([]model.Usage, error) { return e.DB.Usage.All() }

func (e Records) Warned() ([]model.Warned, error) { return e.DB.Warned.All() }

func (e Records) Answers(cliSessionID string, yield func(model.Answers)) error {
	q := store.Query{}
	if cliSessionID != "" {
		q = schema.AnswersOf(cliSessionID)
	}
	return e.DB.Answers.Each(q, func(_ string, a model.Answers) bool { yield(a); return true })
}

func (e Records) Write(c spend.Changes) error {
	return e.DB.Update(func(tx *store.Tx) error {
		for _, id := range c.Forget {
			var keys []string
			err := e.DB.Answers.In(tx).Keys(schema.AnswersOf(id), func(_, key string) bool { keys = append(keys, key); return true })
			if err != nil {
				return err
			}
			for _, key := range keys {
				if err := e.DB.Answers.In(tx).Delete(key); err != nil {
					return err
				}
			}
		}
		for _, a := range c.Answers {
			if err := e.DB.Answers.In(tx).Put(schema.AnswersKey(a.CLISessionID, a.Chunk), a); err != nil {
				return err
			}
		}
		for _, u := range c.Usage {
			if err := e.DB.Usage.In(tx).Put(u.CLISessionID, u); err != nil {
				return err
			}
		}
		for _, w := range c.Warned {
			if err := e.DB.Warned.In(tx).Put(w.Budget, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// accountedCache keeps what was found out about files only after the accounts that
// were read with it: what is lost of the latter is read again.
type accountedCache struct {
	history.Cache
	ledger *spend.Ledger
}

var _ history.Cache = accountedCache{}

// NewCache keeps in a cache what a ledger was told.
func NewCache(cache history.Cache, ledger *spend.Ledger) history.Cache {
	return accountedCache{cache, ledger}
}

func (c accountedCache) Save(ctx context.Context, put map[string]history.Record, remove []string) error {
	if err := c.ledger.Flush(); err != nil {
		return err
	}
	return c.Cache.Save(ctx, put, remove)
}

// OpenWindows makes what all sessions know of the models' windows, and keeps it.
func OpenWindows(db *schema.DB, log *slog.Logger) (*usage.Windows, error) {
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
			log.Warn("Cannot keep the size of a context window", "model", one.Model, "err", err)
		}
	}), nil
}
