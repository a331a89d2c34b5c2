package process

import (
	"context"
	"log/slog"
	"time"
)

// Memory is the state of the computer's memory.
type Memory struct {
	// Available is what programs can get without swapping, in bytes, of Total.
	Available, Total int64
	// Stalled is the share of the last ten seconds in which something waited for
	// memory, in percent; 0 if unknown.
	Stalled float64
}

// ReadMemory returns the state of the computer's memory.
func ReadMemory() (Memory, error) { return readMemory() }

// Memory is low beyond the first value of each pair, and sufficient again only
// beyond the second.
const (
	shortShare, enoughShare     = 0.05, 0.10
	shortStalled, enoughStalled = 10.0, 2.0
)

// Pressure decides whether memory is low. Once low, it must improve noticeably to
// count as sufficient, so that it doesn't flip back and forth.
type Pressure struct{ short bool }

// Short processes a reading and reports whether memory is low.
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
	// every is the interval of Watch.
	every = 10 * time.Second
	// again is how long to wait for the effect of relief before calling it again.
	again = time.Minute
)

// Watch checks memory every ten seconds until the context ends. When it gets low,
// and every minute while it stays low, it calls relief, which may block. If memory
// can't be read it logs that once and returns.
func Watch(ctx context.Context, read func() (Memory, error), relief func(context.Context), log *slog.Logger) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var pressure Pressure
	var last time.Time
	for {
		m, err := read()
		if err != nil {
			log.Warn("Couldn't read the available memory", "err", err)
			return
		}
		was := pressure.short
		switch short := pressure.Short(m); {
		case short && (!was || time.Since(last) >= again):
			log.Warn("Memory is low", "availableBytes", m.Available, "totalBytes", m.Total, "stalledPercent", m.Stalled)
			relief(ctx)
			last = time.Now()
		case was && !short:
			log.Info("Memory is back to normal", "availableBytes", m.Available)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
