package heartbeat

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/fault"
	"parley/backend/heartbeat/plan"
	"parley/backend/store/model"
)

// reload reads and applies the file. An unreadable file leaves everything as it was,
// including what an earlier Parley left.
func (s *Service) reload() {
	defer s.changed()
	defer func() {
		if s.stale && !s.read {
			s.standIn()
		}
		s.read = s.read || !s.stale
	}()
	if _, err := s.file.read(); err != nil {
		s.cfg.Logger.Warn("Couldn't read the heartbeats", "err", err)
		s.stale, s.cause = true, causeOf(err)
		s.problems = []plan.Problem{{Message: fault.MessageOf(err)}}
		return
	}
	parsed, problems := plan.Parse(s.file.text)
	s.problems, s.stale = problems, parsed.Unreadable
	if !s.stale && parsed.Empty && s.emptied() {
		s.stale, s.cause = true, "it is empty, but there were heartbeats"
		s.problems = append(s.problems, plan.Problem{Message: "The file is empty, but there were heartbeats. Restore it, or remove it if you want none."})
	}
	if s.stale {
		return
	}
	before := s.theirs
	s.share()
	s.apply(s.weigh(parsed))
	if before && !s.theirs {
		s.restart()
	}
}

// Wrong returns what is wrong with the file, "" for nothing. unread is true if none of it
// could be applied, and false if only parts couldn't.
func (s *Service) Wrong(ctx context.Context) (cause string, unread bool, err error) {
	type wrong struct {
		cause  string
		unread bool
	}
	w, err := ask(ctx, s, func() (wrong, error) {
		for _, p := range s.problems {
			switch {
			case p.Line > 0:
				return wrong{fmt.Sprintf("line %d: %s", p.Line, strings.TrimSuffix(p.Message, ".")), s.stale}, nil
			case s.stale:
				return wrong{s.cause, true}, nil
			}
		}
		return wrong{}, nil // another Parley running them isn't an error in the file
	})
	return w.cause, w.unread, err
}

// share ensures that of several Parleys that read the same linked file, only the one
// with the lock beside it runs it.
func (s *Service) share() {
	if len(s.file.text) == 0 && !s.stale || s.cfg.Take == nil {
		s.giveBack()
		s.theirs = false
		return
	}
	real := s.file.real()
	path := filepath.Join(filepath.Dir(real), "."+filepath.Base(real)+".lock")
	if s.taken == path {
		return
	}
	s.giveBack()
	release, err := s.cfg.Take(path)
	switch {
	case err != nil:
		s.cfg.Logger.Warn("Couldn't check whether another Parley runs the heartbeats of this file", "file", real, "err", err)
		s.theirs = false
	case release == nil:
		s.theirs = true
		s.problems = append(s.problems, plan.Problem{Message: "Another Parley runs these heartbeats, because it uses the same file: " + real + "."})
	default:
		s.taken, s.release, s.theirs = path, release, false
	}
}

// giveBack lets others run the file.
func (s *Service) giveBack() {
	if s.release == nil {
		return
	}
	if err := s.release(); err != nil {
		s.cfg.Logger.Warn("Couldn't release the heartbeats file", "err", err)
	}
	s.taken, s.release = "", nil
}

// restart starts accounting for heartbeats from now on.
func (s *Service) restart() {
	for _, name := range s.order {
		heart := *s.jobs[name].heart
		heart.AccountedAt = s.cfg.Now().UnixMilli()
		if _, err := s.write(LedgerEntry{Hearts: []model.HeartbeatState{heart}}); err != nil {
			s.failing = true
			continue
		}
		*s.jobs[name].heart = heart
		s.jobs[name].plan()
	}
}

// apply applies the file.
func (s *Service) apply(parsed plan.File) {
	var order []string
	for _, entry := range parsed.Heartbeats {
		ready, wrong := plan.Prepare(entry.Spec, s.cfg.Zone)
		if len(wrong) > 0 {
			for _, p := range wrong {
				p.Line = entry.Line
				s.problems = append(s.problems, p)
			}
			continue
		}
		if s.take(ready, entry.Line) {
			order = append(order, entry.Spec.Name)
		}
	}
	for _, name := range s.order {
		if !slices.Contains(order, name) {
			s.retire(name)
		}
	}
	s.order, s.list = order, nil
	for _, name := range order {
		s.list = append(s.list, s.jobs[name])
	}
	for name, left := range s.unaccounted {
		if s.jobs[name] == nil {
			s.abandon(&job{}, left, "disabled", "It was due when Parley quit, and its heartbeat is no longer in the file.")
			delete(s.unaccounted, name)
		}
	}
	for _, name := range order {
		if j := s.jobs[name]; j.heart.Done && j.Spec.Enabled && j.run == nil {
			s.finishOnce(name)
		}
	}
}

// take applies one heartbeat, and reports whether its state could be stored.
func (s *Service) take(ready plan.Job, line int) bool {
	name, now := ready.Spec.Name, s.cfg.Now()
	known := s.hearts[name]
	heart := model.HeartbeatState{Name: name, AccountedAt: now.UnixMilli(), UsedAt: now.UnixMilli(), Scripted: s.cfg.Scripted}
	if known != nil {
		heart = *known
	}
	if heart.Scripted && !s.cfg.Scripted {
		// Runs of a scripted model aren't continued.
		heart.Scripted, heart.AccountedAt, heart.SessionID = false, now.UnixMilli(), ""
	}
	schedule := scheduleOf(ready.Spec.Schedule)
	if heart.Schedule != schedule || heart.Off && ready.Spec.Enabled {
		// Earlier due times don't count: it wasn't enabled then.
		heart.AccountedAt = now.UnixMilli()
	}
	heart.Schedule, heart.Off = schedule, !ready.Spec.Enabled
	if heart.Off {
		heart.Done = false // the file says so by now
	}
	if known == nil || *known != heart {
		if _, err := s.write(LedgerEntry{Hearts: []model.HeartbeatState{heart}}); err != nil {
			s.failing = true
			return s.jobs[name] != nil // unchanged until it can be written
		}
	}
	if known == nil {
		known = &model.HeartbeatState{}
		s.hearts[name] = known
	}
	*known = heart
	j := s.jobs[name]
	if j == nil {
		j = &job{}
		s.jobs[name] = j
		s.lastOf(j, name)
	}
	j.Job, j.line, j.heart, j.gone, j.held = ready, line, known, false, s.cfg.Scripted && !known.Scripted
	j.plan()
	if heart.Off && len(j.waiting) > 0 {
		s.empty(j, "disabled", "The heartbeat was turned off.")
	}
	return true
}

// lastOf finds a heartbeat's newest finished record.
func (s *Service) lastOf(j *job, name string) {
	records, _, err := s.cfg.Ledger.History(HistoryQuery{Name: name, Limit: 20})
	if err != nil {
		s.cfg.Logger.Warn("Couldn't read the runs of a heartbeat", "heartbeat", name, "err", err)
		return
	}
	for _, b := range records {
		if b.State != stateDue && b.State != stateStarted {
			j.last = &b
			return
		}
	}
}

// scheduleOf returns what due times depend on, as text.
func scheduleOf(s plan.Schedule) string {
	s.Once = false
	raw, err := json.Marshal(s)
	if err != nil {
		return "" // four strings always encode
	}
	return string(raw)
}

// retire ends a heartbeat that was removed from the file. Its current run
// continues.
func (s *Service) retire(name string) {
	j := s.jobs[name]
	s.empty(j, "disabled", "The heartbeat was removed from the file.")
	j.gone = true
	heart := *j.heart
	heart.Off, heart.Done = true, false
	if _, err := s.write(LedgerEntry{Hearts: []model.HeartbeatState{heart}}); err == nil {
		*j.heart = heart
	}
	if j.run == nil {
		s.forget(name)
	}
}

func (s *Service) forget(name string) { delete(s.jobs, name) }

// finishOnce disables a one-time heartbeat in the file. If the file can't be changed,
// the ledger still remembers that it ran.
func (s *Service) finishOnce(name string) {
	err := s.edit(func(text []byte) ([]byte, error) { return plan.SetEnabled(text, name, false) })
	if err != nil {
		s.cfg.Logger.Warn("Couldn't turn off a heartbeat in the file", "heartbeat", name, "err", err)
	}
}

// edit changes the current file on disk, and applies it.
func (s *Service) edit(change func([]byte) ([]byte, error)) error {
	if _, err := s.file.read(); err != nil {
		return err
	}
	text, err := s.refilled()
	if err == nil {
		text, err = change(text)
	}
	if err != nil {
		return err
	}
	if err := s.writeKept(text, s.chosen(s.file.text, text)); err != nil {
		return err
	}
	s.file.schema()
	s.reload()
	return nil
}
