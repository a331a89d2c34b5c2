package heartbeat

import (
	"fmt"
	"time"

	"parley/backend/heartbeat/plan"
	"parley/backend/store/model"
)

// codeLimit is the code of a run that hit a usage limit.
const codeLimit = "limit"

// maxPutOff is the longest wait for a usage limit; monthly ones fit.
const maxPutOff = 32 * 24 * time.Hour

// putOff moves a one-time heartbeat after the reset of the usage limit that its run hit, as
// often as allowed. The file is written before the record: a Parley that ends in between
// still runs it.
func (s *Service) putOff(r *run, heart *model.HeartbeatState, b *model.HeartbeatRun, out outcome, now time.Time) bool {
	j := s.jobs[b.Name]
	if b.State != "failed" || b.Code != codeLimit || out.failure == nil || j == nil || j.gone || !j.Spec.Enabled || heart.Stopped {
		return false
	}
	spec := j.Spec
	if spec.Again <= 0 || spec.Schedule != r.job.Spec.Schedule {
		return false // never, or a user rescheduled it in the meantime
	}
	resets := time.UnixMilli(out.failure.ResetsAt)
	if !resets.After(now) || resets.Sub(now) > maxPutOff {
		return false
	}
	// The first whole minute at which it is certainly reset.
	at := resets.Add(time.Minute - 1).Truncate(time.Minute).Add(time.Minute)
	spec.Again--
	spec.Schedule.RunAt = at.UTC().Format(time.RFC3339)
	was := heart.Done
	heart.Done = false
	if err := s.edit(func(text []byte) ([]byte, error) { return plan.Upsert(text, b.Name, spec) }); err != nil {
		s.cfg.Logger.Warn("Couldn't postpone a heartbeat until the usage limit resets", "heartbeat", b.Name, "err", err)
		heart.Done = was
		return false
	}
	b.Reason += fmt.Sprintf(" It continues on %s.", at.In(j.Table.Zone()).Format("2 January at 15:04"))
	return true
}
