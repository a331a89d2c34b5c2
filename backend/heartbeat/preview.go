package heartbeat

import (
	"context"
	"slices"
	"time"

	"parley/backend/fault"
	"parley/backend/store/model"
)

const (
	// basis is how many recent runs an estimate uses.
	basis = 20
	// maxRuns bounds how many runs of a month are counted.
	maxRuns = 100_000
	// ahead is how many upcoming due times are returned.
	ahead = 10
)

// Preview describes a run.
type Preview struct {
	View
	Prompt, Folder string
	Next           []int64
	// Basis is the number of runs whose median Tokens and CostUSD are.
	Basis        int
	Tokens       int64
	CostUSD      float64
	RunsPerMonth int
	// Blocked is why it wouldn't run now, "" if it would.
	Blocked string
}

// Preview returns what a run would send now, and its estimated cost. Nothing is
// run.
func (s *Service) Preview(ctx context.Context, name string) (Preview, error) {
	p, err := ask(ctx, s, func() (Preview, error) {
		j, err := s.job(name)
		if err != nil {
			return Preview{}, err
		}
		now := s.cfg.Now()
		b := model.HeartbeatRun{Name: name, Trigger: TriggerSchedule, DueAt: now.UnixMilli()}
		p := Preview{View: s.view(j, now), Folder: s.folder(j.Spec.Folder), Prompt: s.prompt(j, &b, now), Next: []int64{}}
		for _, at := range j.Upcoming(now, ahead) {
			p.Next = append(p.Next, at.UnixMilli())
		}
		p.RunsPerMonth = j.Count(now, now.AddDate(0, 0, 30), maxRuns)
		p.Blocked = s.blocked(j, &b, now)
		return p, nil
	})
	if err != nil {
		return Preview{}, err
	}
	return p, s.estimate(&p)
}

func (s *Service) blocked(j *job, b *model.HeartbeatRun, now time.Time) string {
	if _, _, why := s.gate(j, b, now); why != "" {
		return why
	}
	switch err := exists(s.folder(j.Spec.Folder)); {
	case j.heart.Stopped:
		return j.heart.Why
	case j.held:
		return heldWhy
	case !j.Spec.Enabled || j.heart.Done:
		return "It is turned off."
	case j.run != nil:
		return "It is already running."
	case j.Spec.Destination.Channel != "" && !s.cfg.channels():
		return noChannel
	case err != nil:
		return fault.MessageOf(err)
	}
	return ""
}

// heldWhy is why a real heartbeat doesn't run in demo mode.
const heldWhy = "This Parley uses a scripted model, and the heartbeat has run with a real one."

// noChannel is why a heartbeat with a channel fails without a connection.
const noChannel = "There is no Mattermost connection, so its answer can't be sent to a channel."

// estimate computes the median of the last runs.
func (s *Service) estimate(p *Preview) error {
	records, _, err := s.cfg.Ledger.History(HistoryQuery{Name: p.Spec.Name, Limit: 10 * basis})
	if err != nil {
		return err
	}
	var tokens []int64
	var costs []float64
	for i := range records {
		if b := &records[i]; b.State == "finished" && len(tokens) < basis {
			tokens, costs = append(tokens, b.Tokens), append(costs, b.CostUSD)
		}
	}
	if p.Basis = len(tokens); p.Basis == 0 {
		return nil
	}
	slices.Sort(tokens)
	slices.Sort(costs)
	p.Tokens, p.CostUSD = tokens[len(tokens)/2], costs[len(costs)/2]
	return nil
}
