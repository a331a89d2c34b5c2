package heartbeat

import (
	"slices"

	"parley/backend/fault"
	"parley/backend/store/model"
)

// write writes to the ledger.
func (s *Service) write(e LedgerEntry) (map[string]bool, error) {
	known, err := s.cfg.Ledger.Write(e)
	if err != nil {
		s.cfg.Logger.Error("Couldn't save a heartbeat's record", "err", err)
		if fault.CodeOf(err) == fault.Internal {
			err = fault.Wrap(err, fault.Unavailable, "Parley cannot record heartbeat runs, so nothing is run. Check that the disk has free space.")
		}
	}
	return known, err
}

// maxUnwritten bounds what waits to be written.
const maxUnwritten = 1000

// later queues a record that couldn't be written.
func (s *Service) later(b model.HeartbeatRun) {
	s.known(b.ID)
	if len(s.unwritten) < maxUnwritten {
		s.unwritten = append(s.unwritten, b)
	}
}

// known drops the queued write of a record, because there is a newer one.
func (s *Service) known(id string) {
	s.unwritten = slices.DeleteFunc(s.unwritten, func(b model.HeartbeatRun) bool { return b.ID == id })
}

// rewrite retries failed writes.
func (s *Service) rewrite() {
	if len(s.unwritten) == 0 {
		return
	}
	hearts := map[string]bool{}
	for _, b := range s.unwritten {
		hearts[b.Name] = true
	}
	if _, err := s.cfg.Ledger.Write(LedgerEntry{Changed: s.unwritten}); err != nil {
		return
	}
	s.unwritten = nil
	for name := range hearts {
		if h := s.hearts[name]; h != nil {
			_, _ = s.write(LedgerEntry{Hearts: []model.HeartbeatState{*h}})
		}
	}
}
