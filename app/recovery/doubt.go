package recovery

import (
	"parley/app/storage"
	"parley/backend/kept"
	"parley/backend/permission/rule"
	"parley/backend/session/library"
	"parley/backend/session/workspace"
	"parley/backend/store/blob"
	"parley/backend/store/model"
)

// Doubted reports whether a user has to confirm before anything counts as accepted.
func (s *Store) Doubted() bool { return s.Kept.Doubt() != "" }

// Rules are the rules that apply: in doubt, none that allows.
func (s *Store) Rules(list []rule.Rule) []rule.Rule {
	if !s.Doubted() {
		return list
	}
	var strict []rule.Rule
	for _, r := range list {
		if r.Effect != rule.Allow {
			strict = append(strict, r)
		}
	}
	return strict
}

// TrustRecords are the trust decisions about folders; in doubt there are none.
type TrustRecords struct {
	*kept.Guarded[model.Trust]

	doubted func() bool
}

// TrustRecords returns the trust decisions about folders.
func (s *Store) TrustRecords() TrustRecords {
	return TrustRecords{kept.Guard(s.Kept, "trust", s.DB.Trust), s.Doubted}
}

// Get returns a decision.
func (t TrustRecords) Get(folder string) (model.Trust, error) {
	one, err := t.Guarded.Get(folder)
	if err == nil && t.doubted() {
		one.Hash = "" // it matches no existing content
	}
	return one, err
}

// attachments are files that are not swept while the records of who needs them are in doubt.
type attachments struct {
	*blob.Store

	doubted func() bool
}

// OpenLibrary opens the sessions and the workspaces; it sets their storage in cfg.
func (s *Store) OpenLibrary(cfg library.Config) (*library.Library, *workspace.Registry, error) {
	cfg.Blobs = attachments{s.Blobs, s.Doubted}
	return storage.OpenLibrary(s.DB, cfg)
}

// Sweep implements [library.Blobs].
func (a attachments) Sweep(keep map[string]bool) error {
	if a.doubted() {
		return nil
	}
	return a.Store.Sweep(keep)
}
