package storage

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strconv"

	"parley/backend/problem"
	"parley/backend/session"
	"parley/backend/snapshot"
	"parley/backend/store"
	"parley/backend/store/blob"
	"parley/backend/store/schema"
)

// Keeping is Parley's data on disk: records, and their files. It implements the interfaces that the
// back end's packages declare; the records of workspaces are a collection used directly.
type Keeping struct {
	DB    *schema.DB
	Blobs *blob.Store
}

// OpenKeeping opens the data in the data folder. sound returns a copy of the store, see
// [store.Config]. Its errors are faults. failed is called with each failed write to the store.
func OpenKeeping(data string, sound func() string, log *slog.Logger, failed func(error)) (*Keeping, error) {
	blobs, err := blob.Open(filepath.Join(data, "attachments"))
	if err != nil {
		return nil, err
	}
	db, err := schema.Open(filepath.Join(data, snapshot.StoreFile), schema.Config{Logger: log, Copy: sound, Failed: failed})
	if err != nil {
		return nil, err
	}
	return &Keeping{db, blobs}, nil
}

func (k *Keeping) Close() error { return k.DB.Close() }

// Rebuilt is the problem to report about the state a store was found in, if any.
func Rebuilt(id string, report store.Report) (p problem.Problem, wrong bool) {
	return problem.Problem{ID: id, Facts: map[string]string{"kept": strconv.Itoa(report.Kept), "filled": strconv.Itoa(report.Filled), "file": report.SetAside}}, report.Rebuilt
}

// Unsure marks all queued prompts as possibly sent: the store may have missed updates about them.
func (k *Keeping) Unsure() error {
	return k.DB.Update(func(tx *store.Tx) error {
		all, err := k.DB.Prompts.In(tx).List(store.Query{})
		for _, p := range all {
			if p.Note != nil || p.Phase != "" && p.Phase != string(session.Accepted) || p.Sent {
				continue
			}
			p.Phase = string(session.Handed)
			err = errors.Join(err, k.DB.Prompts.In(tx).Put(schema.PromptKey(p.SessionID, p.Order), p))
		}
		return err
	})
}
