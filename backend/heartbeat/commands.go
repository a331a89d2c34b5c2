package heartbeat

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
	"parley/backend/heartbeat/plan"
	"parley/backend/store/model"
)

// The states of a heartbeat.
const (
	StateIdle    = "idle"
	StateRunning = "running"
	StateWaiting = "waiting"
	StateOff     = "off"
	StateStopped = "stopped"
	StateOver    = "over"
)

// View is a heartbeat with its state.
type View struct {
	Spec       plan.Spec
	State, Why string
	// Next is the next due time in milliseconds, 0 for never.
	Next       int64
	Line       int
	Last       *model.HeartbeatRun
	Running    *model.HeartbeatRun
	Day, Month model.Totals
}

// Status is the state of all heartbeats.
type Status struct {
	Heartbeats []View
	File       string
	Revision   string
	Problems   []plan.Problem
	Stale      bool
	Pause      model.Pause
	Day, Month model.Totals
}

// Zone returns the time zone of schedules without one.
func (s *Service) Zone() *time.Location { return s.cfg.Zone }

// Status returns all heartbeats, in file order.
func (s *Service) Status(ctx context.Context) (Status, error) {
	return ask(ctx, s, func() (Status, error) {
		now := s.cfg.Now()
		st := Status{
			File: s.file.path, Revision: s.file.revision, Problems: slices.Clone(s.problems), Stale: s.stale, Pause: s.pause,
		}
		for _, name := range s.order {
			st.Heartbeats = append(st.Heartbeats, s.view(s.jobs[name], now))
		}
		for _, h := range s.hearts {
			day, month := s.spent(h, now)
			st.Day, st.Month = add(st.Day, day), add(st.Month, month)
		}
		return st, nil
	})
}

func add(a, b model.Totals) model.Totals {
	return model.Totals{Runs: a.Runs + b.Runs, Turns: a.Turns + b.Turns, Tokens: a.Tokens + b.Tokens, CostUSD: a.CostUSD + b.CostUSD}
}

// Get returns one heartbeat (fault not_found).
func (s *Service) Get(ctx context.Context, name string) (View, error) {
	return ask(ctx, s, func() (View, error) { return s.get(name) })
}

func (s *Service) get(name string) (View, error) {
	j, err := s.job(name)
	if err != nil {
		return View{}, err
	}
	return s.view(j, s.cfg.Now()), nil
}

func (s *Service) job(name string) (*job, error) {
	j := s.jobs[name]
	if j == nil || j.gone {
		for _, p := range s.problems {
			if p.Name == name && name != "" {
				return nil, fault.New(fault.Conflict, "The heartbeat %q has an error in line %d of %s: %s", name, p.Line, s.file.path, p.Message)
			}
		}
		return nil, fault.New(fault.NotFound, "There is no heartbeat %q.", name)
	}
	return j, nil
}

func (s *Service) view(j *job, now time.Time) View {
	v := View{Spec: j.Spec, State: StateIdle, Next: s.next(j), Line: j.line}
	v.Day, v.Month = s.spent(j.heart, now)
	if j.last != nil {
		last := *j.last
		v.Last = &last
	}
	switch {
	case j.run != nil:
		running := j.run.beat
		seen := j.run.meter.view()
		running.TurnID, running.Turns, running.Tokens, running.CostUSD = seen.turn, seen.turns, seen.tokens, seen.usd
		v.Running = &running
		if v.State = StateRunning; seen.waiting {
			v.State = StateWaiting
		}
	case len(j.waiting) > 0:
		waiting := j.waiting[0]
		v.Running = &waiting
	}
	switch {
	case j.heart.Stopped:
		v.Why = j.heart.Why
		if v.State == StateIdle {
			v.State = StateStopped
		}
	case v.State != StateIdle:
	case j.held:
		v.State, v.Why = StateOff, heldWhy
	case !j.Spec.Enabled || j.heart.Done:
		v.State = StateOff
	case v.Next == 0 && v.Running == nil && !s.pause.Paused:
		v.State = StateOver
	}
	return v
}

// next returns a heartbeat's next due time in milliseconds, 0 for never.
func (s *Service) next(j *job) int64 {
	if !j.live() {
		return 0
	}
	after := s.cfg.Now()
	if s.pause.Paused {
		if s.pause.Until == 0 {
			return 0
		}
		after = time.UnixMilli(s.pause.Until)
	}
	if j.wake.After(after) && !j.Quiet(j.wake) {
		return j.wake.UnixMilli() // already computed
	}
	at := j.Upcoming(after, 1)
	if len(at) == 0 {
		return 0
	}
	return at[0].UnixMilli()
}

// Save writes a heartbeat to the file. name is the one it replaces, "" for a new one; a
// running one keeps its name (fault conflict). The other faults are those of [plan.Upsert].
func (s *Service) Save(ctx context.Context, name string, spec plan.Spec) (View, error) {
	return ask(ctx, s, func() (View, error) {
		if j := s.jobs[name]; j != nil && name != spec.Name && (j.run != nil || len(j.waiting) > 0) {
			// Its usage is recorded under its name.
			return View{}, fault.New(fault.Conflict, "The heartbeat %q is running. Wait until it ends, or cancel it, before you rename it.", name)
		}
		if err := s.edit(func(text []byte) ([]byte, error) { return plan.Upsert(text, name, spec) }); err != nil {
			return View{}, err
		}
		if name != "" && name != spec.Name {
			if err := s.renamed(name, spec.Name); err != nil {
				return View{}, err
			}
		}
		return s.get(spec.Name)
	})
}

// renamed moves a heartbeat's state to another name, including its usage.
func (s *Service) renamed(from, to string) error {
	old, now := s.hearts[from], s.hearts[to]
	if old == nil || now == nil {
		return nil
	}
	heart := *old
	heart.Name, heart.AccountedAt, heart.Schedule, heart.Off = to, now.AccountedAt, now.Schedule, now.Off
	// The old name starts fresh if it is reused.
	if _, err := s.write(LedgerEntry{Hearts: []model.HeartbeatState{heart, {Name: from, Off: true}}}); err != nil {
		return err
	}
	*now, *old = heart, model.HeartbeatState{Name: from, Off: true}
	if j := s.jobs[to]; j != nil {
		j.plan()
	}
	return nil
}

// Delete removes a heartbeat from the file. Its records stay.
func (s *Service) Delete(ctx context.Context, name string) error {
	_, err := ask(ctx, s, func() (struct{}, error) {
		return struct{}{}, s.edit(func(text []byte) ([]byte, error) { return plan.Remove(text, name) })
	})
	return err
}

// Enable enables or disables a heartbeat in the file. Enabling clears an automatic
// stop.
func (s *Service) Enable(ctx context.Context, name string, enabled bool) (View, error) {
	return ask(ctx, s, func() (View, error) {
		j, err := s.job(name)
		if err != nil {
			return View{}, err
		}
		if enabled && (j.heart.Stopped || j.heart.Failures > 0 || j.heart.Done) {
			heart := *j.heart
			heart.Stopped, heart.Why, heart.Failures, heart.Done = false, "", 0, false
			heart.AccountedAt = s.cfg.Now().UnixMilli()
			if _, err := s.write(LedgerEntry{Hearts: []model.HeartbeatState{heart}}); err != nil {
				return View{}, err
			}
			*j.heart = heart
			j.plan()
			s.changed()
		}
		if j.Spec.Enabled != enabled {
			if err := s.edit(func(text []byte) ([]byte, error) { return plan.SetEnabled(text, name, enabled) }); err != nil {
				return View{}, err
			}
		}
		return s.get(name)
	})
}

// Run starts a manual run, and returns the id of its record. trigger is [TriggerPerson]
// or [TriggerSession]. It is a conflict while the heartbeat runs and when its budget is
// used up; pauses and quiet hours don't prevent it.
func (s *Service) Run(ctx context.Context, name, trigger string) (id string, err error) {
	return ask(ctx, s, func() (string, error) {
		j, err := s.job(name)
		if err != nil {
			return "", err
		}
		now := s.cfg.Now()
		switch why := s.broke(j, now); {
		case j.run != nil || len(j.waiting) > 0:
			return "", fault.New(fault.Conflict, "The heartbeat %q is already running or about to start. Wait until it ends, or cancel it.", name)
		case j.held:
			return "", fault.New(fault.Conflict, "%s Create another heartbeat to try it out.", heldWhy)
		case why != "":
			return "", fault.New(fault.Conflict, "%s", why)
		case trigger == TriggerSession && s.pause.Paused:
			return "", fault.New(fault.Conflict, "Heartbeats are paused.")
		case trigger == TriggerSession && j.heart.Stopped:
			return "", fault.New(fault.Conflict, "%s Only the user can turn it on again.", j.heart.Why)
		}
		due := now.UnixMilli()
		b := model.HeartbeatRun{
			// Distinct from a due time's record for the same moment.
			ID: fmt.Sprintf("%s.%d.%s", name, due, trigger), Name: name, State: stateDue, Trigger: trigger, DueAt: due, Open: true,
		}
		known, err := s.write(LedgerEntry{New: []model.HeartbeatRun{b}})
		if err != nil {
			return "", err
		}
		if known[b.ID] {
			return "", fault.New(fault.Conflict, "The heartbeat %q has just started.", name)
		}
		j.waiting = append(j.waiting, b)
		s.changed()
		return b.ID, nil
	})
}

// Cancel ends a running run, or drops a due one (fault not_found, conflict if it is
// over).
func (s *Service) Cancel(ctx context.Context, id string) error {
	_, err := ask(ctx, s, func() (struct{}, error) { return struct{}{}, s.cancelRun(id) })
	return err
}

func (s *Service) cancelRun(id string) error {
	for r := range s.active {
		if r.beat.ID == id && r.beat.EndedAt == 0 {
			r.interrupt(halt{"cancelled", "", "Someone stopped it."})
			return nil
		}
	}
	for _, name := range s.order {
		j := s.jobs[name]
		i := slices.IndexFunc(j.waiting, func(b model.HeartbeatRun) bool { return b.ID == id })
		if i < 0 {
			continue
		}
		b := settled(j.waiting[i], "cancelled", "", "Someone canceled it.")
		b.EndedAt = s.cfg.Now().UnixMilli()
		if _, err := s.write(LedgerEntry{Changed: []model.HeartbeatRun{b}}); err != nil {
			return err
		}
		j.waiting = slices.Delete(j.waiting, i, i+1)
		j.last = &b
		s.changed()
		return nil
	}
	if _, known, err := s.cfg.Ledger.Beat(id); err != nil || known {
		if err != nil {
			return err
		}
		return fault.New(fault.Conflict, "This run has ended.")
	}
	return fault.New(fault.NotFound, "There is no run %q.", id)
}

// SetPause pauses all heartbeats, or resumes them. until is when the pause ends
// automatically, the zero time for never. Current runs continue.
func (s *Service) SetPause(ctx context.Context, paused bool, until time.Time) error {
	_, err := ask(ctx, s, func() (struct{}, error) {
		now := s.cfg.Now()
		p := model.Pause{Paused: paused}
		if paused {
			if p.From = now.UnixMilli(); !until.IsZero() {
				p.Until = until.UnixMilli()
			}
			if s.pause.Paused {
				p.From = s.pause.From
			}
		}
		return struct{}{}, s.setPause(p, now)
	})
	return err
}

// setPause pauses or resumes. Due times within a pause are accounted for at its end.
func (s *Service) setPause(p model.Pause, now time.Time) error {
	if was := s.pause; was.Paused && !p.Paused {
		span := plan.Pause{From: time.UnixMilli(was.From), To: now.Add(1)}
		if was.Until != 0 && was.Until < now.UnixMilli() {
			span.To = time.UnixMilli(was.Until)
		}
		if _, err := s.write(LedgerEntry{Pause: &p}); err != nil {
			return err
		}
		s.pause = p
		for _, name := range s.order {
			if j := s.jobs[name]; j.live() && j.heart.AccountedAt != 0 {
				s.reckon(j, j.Due(now, time.UnixMilli(j.heart.AccountedAt), span), s.unaccounted[name])
			}
		}
		s.changed()
		return nil
	}
	if _, err := s.write(LedgerEntry{Pause: &p}); err != nil {
		return err
	}
	s.pause = p
	s.changed()
	return nil
}

// History selects records, newest first, and reports whether there are more.
func (s *Service) History(_ context.Context, q HistoryQuery) ([]model.HeartbeatRun, bool, error) {
	return s.cfg.Ledger.History(q)
}

// Text returns the file and its revision.
func (s *Service) Text(ctx context.Context) (text, revision string, err error) {
	type file struct{ text, revision string }
	f, err := ask(ctx, s, func() (file, error) {
		if changed, err := s.file.read(); err != nil {
			return file{}, err
		} else if changed {
			s.reload()
		}
		return file{string(s.file.text), s.file.revision}, nil
	})
	return f.text, f.revision, err
}

// SetText replaces the file if it still has the given revision (fault conflict). An
// invalid file is rejected (fault invalid).
func (s *Service) SetText(ctx context.Context, text, revision string) (string, error) {
	return ask(ctx, s, func() (string, error) {
		if _, problems := plan.Parse([]byte(text)); len(problems) > 0 {
			p := problems[0]
			return "", fault.New(fault.Invalid, "Line %d, column %d: %s", p.Line, p.Column, strings.TrimSuffix(p.Message, ".")+".")
		}
		if _, err := s.file.read(); err != nil {
			return "", err
		}
		if s.file.revision != revision {
			return "", errChanged()
		}
		if err := s.writeKept([]byte(text), s.chosen(s.file.text, []byte(text))); err != nil {
			return "", err
		}
		s.file.schema()
		s.reload()
		return s.file.revision, nil
	})
}
