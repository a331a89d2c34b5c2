package heartbeat

import (
	"slices"

	"parley/backend/fault"
	"parley/backend/store/model"
)

// write writes to the ledger.
func (s *Service) write(e Entry) (map[string]bool, error) {
	known, err := s.cfg.Ledger.Write(e)
	if err != nil {
		s.cfg.Logger.Error("Cannot write what becomes of heartbeats", "err", err)
		if fault.CodeOf(err) == fault.Internal {
			err = fault.Wrap(err, fault.Unavailable, "Parley cannot record heartbeat runs, so nothing is run. Check that the disk has free space.")
		}
	}
	return known, err
}

// maxUnwritten bounds what waits to be written.
const maxUnwritten = 1000

// later keeps a record that could not be written, to be written when it can be.
func (s *Service) later(b model.Beat) {
	s.known(b.ID)
	if len(s.unwritten) < maxUnwritten {
		s.unwritten = append(s.unwritten, b)
	}
}

// known forgets what could not be written of a record, since there is something newer.
func (s *Service) known(id string) {
	s.unwritten = slices.DeleteFunc(s.unwritten, func(b model.Beat) bool { return b.ID == id })
}

// rewrite writes what could not be written before.
func (s *Service) rewrite() {
	if len(s.unwritten) == 0 {
		return
	}
	hearts := map[string]bool{}
	for _, b := range s.unwritten {
		hearts[b.Name] = true
	}
	if _, err := s.cfg.Ledger.Write(Entry{Changed: s.unwritten}); err != nil {
		return
	}
	s.unwritten = nil
	for name := range hearts {
		if h := s.hearts[name]; h != nil {
			_, _ = s.write(Entry{Hearts: []model.Heart{*h}})
		}
	}
}
