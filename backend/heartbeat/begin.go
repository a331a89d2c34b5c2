package heartbeat

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
	"parley/backend/heartbeat/plan"
	"parley/backend/store/model"
	"parley/backend/truncate"
)

// begin starts due runs, longest due first, as far as there is room.
func (s *Service) begin(now time.Time) {
	var due []*job
	for _, j := range s.list {
		if len(j.waiting) > 0 && j.run == nil {
			due = append(due, j)
		}
	}
	slices.SortStableFunc(due, func(a, b *job) int { return cmp.Compare(a.waiting[0].DueAt, b.waiting[0].DueAt) })
	for _, j := range due {
		for len(j.waiting) > 0 && j.run == nil {
			b := j.waiting[0]
			if state, code, reason := s.gate(j, &b, now); state != "" {
				if !s.drop(j, settled(b, state, code, reason), now) {
					return
				}
				continue
			}
			if !s.room() {
				return
			}
			j.waiting = j.waiting[1:]
			s.launch(j, b, now)
		}
	}
}

// room reports whether another run may start.
func (s *Service) room() bool {
	if len(s.active) >= MaxRuns {
		return false
	}
	working := 0
	for r := range s.active {
		if !r.meter.view().waiting {
			working++
		}
	}
	return working < MaxWorking
}

// drop records that a due time isn't run.
func (s *Service) drop(j *job, b model.HeartbeatRun, now time.Time) bool {
	b.EndedAt = now.UnixMilli()
	if _, err := s.write(LedgerEntry{Changed: []model.HeartbeatRun{b}}); err != nil {
		s.failing = true
		return false
	}
	j.waiting = j.waiting[1:]
	j.last = &b
	s.changed()
	return true
}

// gate returns what prevents a due run; state is "" for nothing. A manual run is only
// prevented by a budget.
func (s *Service) gate(j *job, b *model.HeartbeatRun, now time.Time) (state, code, reason string) {
	if why := s.broke(j, now); why != "" {
		return "skipped", "budget", why
	}
	if b.Trigger == TriggerPerson {
		return "", "", ""
	}
	if s.pause.Paused {
		return "skipped", "paused", "Heartbeats were paused."
	}
	if b.Trigger == TriggerSession {
		return "", "", ""
	}
	if late := now.Sub(time.UnixMilli(b.DueAt)); j.StartDeadline > 0 && late > j.StartDeadline {
		b.LateMs = late.Milliseconds()
		return "late", "deadline", "It couldn't start before its start deadline."
	}
	if j.Quiet(now) {
		return "skipped", "quiet", "It could only have started during quiet hours."
	}
	if j.IdlePause > 0 {
		if idle := now.Sub(time.UnixMilli(s.used(j))); idle > j.IdlePause {
			return "skipped", "idle", fmt.Sprintf("No one has used %s for %s.", what(j), spoken(idle))
		}
	}
	return "", "", ""
}

func what(j *job) string {
	if j.Spec.Destination.Session != "" {
		return "its session"
	}
	return "its folder"
}

// used returns when a user last used the session or folder that a heartbeat serves.
// Its own runs don't count.
func (s *Service) used(j *job) int64 {
	at := s.cfg.Sessions.Used(s.ctx, j.Spec.Destination.Session, s.folder(j.Spec.Folder))
	if at > j.heart.FedAt {
		j.heart.UsedAt = max(j.heart.UsedAt, at)
	}
	return j.heart.UsedAt
}

// folder returns a heartbeat's folder as an absolute path.
func (s *Service) folder(written string) string {
	if rest, ok := strings.CutPrefix(written, "~"); ok && (rest == "" || rest[0] == filepath.Separator || rest[0] == '/') {
		return filepath.Join(s.cfg.Home, rest)
	}
	return filepath.Clean(written)
}

// launch starts a run.
func (s *Service) launch(j *job, b model.HeartbeatRun, now time.Time) {
	spec := j.Spec
	place := Place{
		Name: spec.Name, Folder: s.folder(spec.Folder), Model: spec.Model, Effort: spec.Effort,
		PermissionMode: spec.PermissionMode, Guard: spec.Guard, Home: HomeFresh,
	}
	title := cmp.Or(spec.Description, spec.Name)
	place.Title = title + " · " + now.In(j.Table.Zone()).Format("2006-01-02 15:04")
	switch {
	case spec.Destination.Session != "":
		place.Home, place.SessionID = HomeSession, spec.Destination.Session
	case spec.Session == "persistent":
		place.Home, place.SessionID, place.Title = HomePersistent, j.heart.SessionID, title
	}
	bounds, rate := s.bounds(j, now), 0.0
	if place.USD = dollars(bounds); place.USD > 0 && place.Home != HomeFresh {
		rate = s.rate(j.heart)
	}
	b.Home, b.StartedAt = place.Home, now.UnixMilli()
	b.LateMs = max(0, now.UnixMilli()-b.DueAt)
	if b.Trigger == TriggerMissed {
		b.Reason = strings.TrimSpace(b.Reason + " It began " + spoken(time.Duration(b.LateMs)*time.Millisecond) + " late.")
	}
	r := &run{
		s: s, job: j.Job, beat: b, place: place, text: s.prompt(j, &b, now),
		meter: newMeter(b.ID, bounds, rate), stops: make(chan halt, 1),
	}
	j.run = r
	s.active[r] = true
	s.changed()
	ctx := s.ctx
	s.runs.Go(func() { r.do(ctx) })
}

// prompt returns the prompt of a run.
func (s *Service) prompt(j *job, b *model.HeartbeatRun, now time.Time) string {
	folder := s.folder(j.Spec.Folder)
	v := plan.Values{
		Now: now, Due: time.UnixMilli(b.DueAt), Zone: j.Table.Zone(), Name: j.Spec.Name,
		Workspace: s.cfg.Workspace(folder), Folder: folder,
		Last: j.heart.LastAnswer, LastState: j.heart.LastState, Count: j.heart.Runs + 1,
	}
	if j.heart.LastAt != 0 {
		v.LastAt = time.UnixMilli(j.heart.LastAt)
	}
	said := plan.Expand(j.Spec.Prompt, v)
	if j.Spec.Schedule.RunAt != "" && j.Spec.Destination.Session != "" {
		return said // a user's own text for their conversation, only sent later
	}
	return said + suffix
}

// interrupt asks a run to stop, once.
func (r *run) interrupt(h halt) {
	select {
	case r.stops <- h:
	default:
	}
}

// started records the start of a run before its prompt is sent.
func (s *Service) started(r *run, sessionID string) error {
	b := r.beat
	b.State, b.SessionID, b.Open = stateStarted, sessionID, true
	heart := *s.hearts[b.Name]
	heart.Runs++
	if r.place.Home == HomePersistent {
		heart.SessionID = sessionID
	}
	if r.job.Spec.Schedule.Once && (b.Trigger == TriggerSchedule || b.Trigger == TriggerMissed) {
		heart.Done = true
	}
	if _, err := s.write(LedgerEntry{Changed: []model.HeartbeatRun{b}, Hearts: []model.HeartbeatState{heart}}); err != nil {
		return err
	}
	r.beat = b
	*s.hearts[b.Name] = heart
	s.changed()
	return nil
}

// ended records the result of a run.
func (s *Service) ended(r *run, out outcome) {
	b := r.beat
	if b.EndedAt != 0 {
		return // Parley is closing and didn't wait for it
	}
	now := s.cfg.Now()
	b.State, b.Code, b.EndedAt = out.state, out.code, now.UnixMilli()
	if out.reason != "" {
		b.Reason = strings.TrimSpace(out.reason + " " + lateness(&b))
	}
	b.TurnID, b.Turns, b.Tokens, b.CostUSD = out.turn, out.turns, out.tokens, out.usd
	b.Usage, b.Quiet, b.Answer = tokensOf(out.usage), out.quiet, truncate.Bytes(out.full, maxAnswer)
	// Without a session there is nothing to clean up.
	b.Open = b.SessionID != ""
	heart := s.hearts[b.Name]
	putOff := s.putOff(r, heart, &b, out, now)
	r.beat = b
	heart.LastAt, heart.LastState = b.EndedAt, b.State
	if b.State == "finished" {
		heart.LastAnswer = truncate.Bytes(out.full, maxLast)
	}
	if b.SessionID != "" {
		s.spend(heart, &b, now)
	}
	// Waiting for a usage limit isn't a failure.
	stopped := !putOff && s.judged(heart, &b)
	if _, err := s.write(LedgerEntry{Changed: []model.HeartbeatRun{b}, Hearts: []model.HeartbeatState{*heart}}); err != nil {
		s.later(b)
	}
	if j := s.jobs[b.Name]; j != nil {
		j.last = &b
		if stopped {
			s.empty(j, "disabled", heart.Why)
		}
	}
	if !putOff {
		s.notify(r, &b, stopped)
	}
	s.changed()
}

// lateness returns a run's delay text again, for a reason that replaces the one that
// contained it.
func lateness(b *model.HeartbeatRun) string {
	if b.Trigger != TriggerMissed {
		return ""
	}
	return "It started " + spoken(time.Duration(b.LateMs)*time.Millisecond) + " late."
}

// notify notifies the user if necessary.
func (s *Service) notify(r *run, b *model.HeartbeatRun, stopped bool) {
	n := Notice{SessionID: b.SessionID, Name: b.Name, Title: cmp.Or(r.job.Spec.Description, b.Name)}
	switch {
	case stopped:
		n.Kind = "stopped"
	case b.State == "failed":
		n.Kind = "failed"
	case b.State == "finished" && !b.Quiet:
		n.Kind = "found"
	default:
		return
	}
	s.cfg.Notify(n)
}

// gone removes a run whose process has ended, or is left to the closing of the
// sessions.
func (s *Service) gone(r *run, left bool) {
	delete(s.active, r)
	b := r.beat
	heart := s.hearts[b.Name]
	if b.SessionID != "" && !left {
		b.Open = false
		heart.FedAt = max(s.cfg.Now().UnixMilli(), b.EndedAt)
		if _, err := s.write(LedgerEntry{Changed: []model.HeartbeatRun{b}, Hearts: []model.HeartbeatState{*heart}}); err != nil {
			s.later(b)
		} else {
			s.known(b.ID)
		}
	}
	j := s.jobs[b.Name]
	if j != nil && j.last != nil && j.last.ID == b.ID {
		j.last = &b
	}
	if j != nil && j.run == r {
		j.run = nil
		if j.gone {
			s.forget(b.Name)
		}
	}
	if heart.Done && j != nil && !j.gone {
		s.finishOnce(b.Name)
	}
	s.changed()
}

// empty drops all due times of a heartbeat.
func (s *Service) empty(j *job, code, reason string) {
	now := s.cfg.Now()
	for len(j.waiting) > 0 {
		if !s.drop(j, settled(j.waiting[0], "cancelled", code, reason), now) {
			return
		}
	}
}

// exists reports whether a folder exists.
func exists(folder string) error {
	info, err := os.Stat(folder)
	if err != nil || !info.IsDir() {
		return fault.New(fault.NotFound, "The folder %s does not exist.", folder)
	}
	return nil
}

// spoken formats a duration in words.
func spoken(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours())/24)
}
