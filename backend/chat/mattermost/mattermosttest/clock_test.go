package mattermosttest_test

import "time"

// clock advances the server's time by one second per step.
type clock struct {
	w  *world
	by time.Duration
}

func newClock(w *world) *clock { return &clock{w: w} }

func (c *clock) tick() {
	c.by += time.Second
	c.w.Skew(c.by)
}
