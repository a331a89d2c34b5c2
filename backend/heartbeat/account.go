package heartbeat

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/backend/heartbeat/plan"
	"parley/backend/store/model"
)

// The unfinished states of a record.
const (
	stateDue     = "due"
	stateStarted = "started"
)

// Triggers of a run.
const (
	TriggerSchedule = "schedule"
	TriggerMissed   = "missed"
	TriggerPerson   = "person"
	TriggerSession  = "session"
)

// idOf returns the id of a due time's record. Names have no dots.
func idOf(name string, due int64) string { return name + "." + strconv.FormatInt(due, 10) }

// DueOf parses a record's id.
func DueOf(id string) (name string, due int64, ok bool) {
	name, rest, ok := strings.Cut(id, ".")
	rest, _, _ = strings.Cut(rest, ".")
	due, err := strconv.ParseInt(rest, 10, 64)
	return name, due, ok && err == nil && name != ""
}

// live reports whether a heartbeat's due times count.
func (j *job) live() bool {
	return !j.gone && !j.held && j.Spec.Enabled && !j.heart.Stopped && !j.heart.Done
}

// plan sets when there is something to account for. It is called whenever the schedule
// or the accounted time changes.
func (j *job) plan() { j.wake = j.Wake(time.UnixMilli(j.heart.AccountedAt)) }

// account gives every due time of a heartbeat up to now a record.
func (s *Service) account(j *job, now time.Time) {
	if j.held {
		return
	}
	left := s.unaccounted[j.Spec.Name]
	if !j.live() || s.pause.Paused {
		if len(left) > 0 && !j.live() {
			s.abandon(j, left, "disabled", "It was due when Parley quit, and is turned off now.")
		}
		return
	}
	accounted := time.UnixMilli(j.heart.AccountedAt)
	if len(left) == 0 && (j.wake.IsZero() || now.Before(j.wake)) && accounted.Sub(now) <= plan.MaxAhead {
		return
	}
	s.reckon(j, j.Due(now, accounted), left)
}

// reckon records the decisions about due times, and queues those to run.
func (s *Service) reckon(j *job, r plan.DueTimes, left []model.HeartbeatRun) {
	heart := *j.heart
	heart.AccountedAt = r.Accounted.UnixMilli()
	if len(r.Decisions) == 0 && len(left) == 0 && heart.AccountedAt == j.heart.AccountedAt {
		return
	}
	e := LedgerEntry{Hearts: []model.HeartbeatState{heart}}
	var runs []model.HeartbeatRun
	running, waiting, cancel := j.run != nil, len(j.waiting), false
	for i := range r.Decisions {
		d := &r.Decisions[i]
		b := s.decided(j, d)
		if d.Action == plan.Run && !d.Missed && (running || waiting+len(runs) > 0) {
			switch j.Spec.Overlap {
			case "cancel":
				cancel = running
				b.Reason = "It canceled the previous run."
			case "queue":
				if waiting+len(runs) == 0 {
					break
				}
				fallthrough
			default:
				b = settled(b, "skipped", "overlap", "The previous run hadn't ended.")
			}
		}
		if b.State == stateDue {
			runs = append(runs, b)
		}
		e.New = append(e.New, b)
	}
	runs, e.Changed = s.again(j, left, runs)
	known, err := s.write(e)
	if err != nil {
		s.failing = true
		return
	}
	delete(s.unaccounted, j.Spec.Name)
	*j.heart = heart
	j.plan()
	for i := range e.New {
		if b := &e.New[i]; b.State != stateDue && !known[b.ID] {
			j.last = b
		}
	}
	for _, b := range runs {
		if !known[b.ID] {
			j.waiting = append(j.waiting, b)
		}
	}
	if cancel && j.run != nil {
		j.run.interrupt(halt{"cancelled", "overlap", "The next run was due and replaced it."})
	}
	s.changed()
}

// decided returns the record of a decision.
func (s *Service) decided(j *job, d *plan.Decision) model.HeartbeatRun {
	due := d.Due.UnixMilli()
	b := model.HeartbeatRun{
		ID: idOf(j.Spec.Name, due), Name: j.Spec.Name, DueAt: due, Trigger: TriggerSchedule,
		Code: d.Code, Reason: d.Reason,
	}
	if d.Count > 1 {
		b.Count, b.FirstAt = int64(d.Count), d.First.UnixMilli()
	}
	switch d.Action {
	case plan.Run:
		b.State, b.Open = stateDue, true
		if d.Missed {
			b.Trigger = TriggerMissed
			b.Reason = s.absence(d.Due)
		}
	case plan.TooLate:
		b.State, b.LateMs = "late", d.Late.Milliseconds()
	case plan.Missed:
		b.State = "missed"
	default:
		b.State = "skipped"
	}
	return b
}

// absence returns why a due time was missed.
func (s *Service) absence(due time.Time) string {
	switch {
	case s.first:
		return "Parley wasn't running when it was due."
	case !due.Before(s.asleep.From) && due.Before(s.asleep.To):
		return "The computer was asleep when it was due, or its clock was changed."
	}
	return "Parley couldn't run it when it was due."
}

// settled returns a finished record.
func settled(b model.HeartbeatRun, state, code, reason string) model.HeartbeatRun {
	b.State, b.Code, b.Reason, b.Open = state, code, reason, false
	return b
}

// again decides about due times that an earlier Parley left: they count as missed. runs
// are other due ones.
func (s *Service) again(j *job, left, runs []model.HeartbeatRun) (all, changed []model.HeartbeatRun) {
	for i, b := range left {
		b.Trigger, b.Reason = TriggerMissed, "It was due when Parley quit."
		switch {
		case j.Spec.Missed == "skip":
			b = settled(b, "missed", "", "It was due when Parley quit, and missed runs are skipped.")
		case j.Spec.Missed != "all" && (i < len(left)-1 || len(runs) > 0):
			b = settled(b, "missed", "", "It was due when Parley quit. One later run replaces all missed runs.")
		default:
			all = append(all, b)
		}
		changed = append(changed, b)
	}
	return append(all, runs...), changed
}

// abandon ends due records that won't be run.
func (s *Service) abandon(j *job, left []model.HeartbeatRun, code, reason string) {
	e := LedgerEntry{}
	for _, b := range left {
		e.Changed = append(e.Changed, settled(b, "cancelled", code, reason))
	}
	if _, err := s.write(e); err != nil {
		s.failing = true
		return
	}
	delete(s.unaccounted, j.Spec.Name)
	j.last = &e.Changed[len(e.Changed)-1]
	s.changed()
}

// recover settles what an earlier Parley left, before anything runs.
func (s *Service) recover(open []model.HeartbeatRun) error {
	e := LedgerEntry{}
	for _, b := range open {
		switch b.State {
		case stateStarted:
			b.State, b.Code, b.EndedAt = "failed", "crash", s.cfg.Now().UnixMilli()
			b.Reason = "Parley quit during the run, so it's unclear how far it got. It won't run again."
			if h := s.hearts[b.Name]; h != nil {
				h.LastAt, h.LastState = b.EndedAt, b.State
				// The end of Parley isn't a failure of the heartbeat: it doesn't count toward
				// stopping it.
				e.Hearts = append(e.Hearts, *h)
			}
			e.Changed = append(e.Changed, b)
		case stateDue:
			if b.Trigger == TriggerPerson || b.Trigger == TriggerSession {
				e.Changed = append(e.Changed, settled(b, "cancelled", "", "Parley quit before it started."))
				continue
			}
			s.unaccounted[b.Name] = append(s.unaccounted[b.Name], b)
			continue
		}
		s.left = append(s.left, b)
	}
	if len(e.Changed) == 0 {
		return nil
	}
	_, err := s.cfg.Ledger.Write(e)
	if err != nil {
		return fmt.Errorf("settle what heartbeats left: %w", err)
	}
	return nil
}

// endLeftSessions cleans up after runs of an earlier Parley.
func (s *Service) endLeftSessions(ctx context.Context) {
	left := s.left
	s.left = nil
	if len(left) == 0 {
		return
	}
	s.runs.Go(func() {
		for _, b := range left {
			if b.SessionID != "" && !s.endSession(ctx, b.Name, RunSession{SessionID: b.SessionID, PromptID: b.ID, Home: b.Home, Rested: true}) {
				continue // the next Parley tries again
			}
			b.Open = false
			s.tell(func() {
				if _, err := s.write(LedgerEntry{Changed: []model.HeartbeatRun{b}}); err != nil {
					s.later(b)
				}
			})
		}
	})
}

// endSession ends the process of a session after a run, and reports success.
func (s *Service) endSession(ctx context.Context, name string, stay RunSession) bool {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := s.cfg.Sessions.EndRunSession(limited, stay, false)
	if err != nil && ctx.Err() == nil {
		s.cfg.Logger.Warn("Couldn't suspend the session of a heartbeat", "heartbeat", name, "session", stay.SessionID, "err", err)
	}
	return err == nil
}
