package process

import (
	"context"
	"log/slog"
	"time"
)

// Memory is how the machine's memory stands.
type Memory struct {
	// Available is what programs can still get without the machine having to swap, in
	// bytes, of Total.
	Available, Total int64
	// Stalled is the share of the last ten seconds in which something waited for
	// memory, in percent; 0 where the system does not say.
	Stalled float64
}

// ReadMemory reads how the machine's memory stands.
func ReadMemory() (Memory, error) { return readMemory() }

// Memory is short below or above the first of each pair, and enough again only
// beyond the second.
const (
	shortShare, enoughShare     = 0.05, 0.10
	shortStalled, enoughStalled = 10.0, 2.0
)

// Pressure decides whether memory is short. What is little enough to begin with has
// to become noticeably better before it counts as enough, so that it does not go to
// and fro.
type Pressure struct{ short bool }

// Short takes a reading and says whether memory is short.
func (p *Pressure) Short(m Memory) bool {
	share := 1.0
	if m.Total > 0 {
		share = float64(m.Available) / float64(m.Total)
	}
	if p.short {
		p.short = share < enoughShare || m.Stalled > enoughStalled
	} else {
		p.short = share < shortShare || m.Stalled > shortStalled
	}
	return p.short
}

const (
	// every is how often Watch looks.
	every = 10 * time.Second
	// again is how long relief is given to show before it is asked for once more.
	again = time.Minute
)

// Watch looks every ten seconds how memory stands, until the context ends. When it
// becomes short, and every minute while it stays short, relief is called, which may
// take its time. Where memory cannot be read it says so once and returns.
func Watch(ctx context.Context, read func() (Memory, error), relief func(context.Context), log *slog.Logger) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var pressure Pressure
	var last time.Time
	for {
		m, err := read()
		if err != nil {
			log.Warn("Cannot tell how much memory there is", "err", err)
			return
		}
		was := pressure.short
		switch short := pressure.Short(m); {
		case short && (!was || time.Since(last) >= again):
			log.Warn("Memory is short", "availableBytes", m.Available, "totalBytes", m.Total, "stalledPercent", m.Stalled)
			relief(ctx)
			last = time.Now()
		case was && !short:
			log.Info("There is enough memory again", "availableBytes", m.Available)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
