package transcript

import "parley/backend/event"

// Resume makes a new projector continue where an earlier one ended: with the last
// meter reading (nil for none) and the running total, which the CLI continues too.
func (p *Projector) Resume(model string, last *event.Context, totalCostUSD float64) {
	p.cost.Turn(totalCostUSD)
	if last == nil {
		last = &event.Context{}
	}
	p.meter.Resume(model, last.Window)
	if last.Used == 0 {
		return
	}
	u := event.Usage{
		InputTokens: last.InputTokens, CacheReadTokens: last.CacheReadTokens,
		CacheCreationTokens: last.CacheCreationTokens, OutputTokens: last.OutputTokens,
	}
	if u.InputTokens+u.CacheReadTokens+u.CacheCreationTokens+u.OutputTokens != last.Used {
		u = event.Usage{InputTokens: last.Used} // only the sum is known
	}
	p.meter.Call("", u)
	p.told, _ = p.meter.Reading()
}

// Spent sets the running total that the CLI continues from.
func (p *Projector) Spent(totalCostUSD float64) {
	p.cost.Reset()
	p.cost.Turn(totalCostUSD)
}
