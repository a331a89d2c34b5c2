package mattermosttest_test

import "time"

// clock moves the server's time on, a second at a time.
type clock struct {
	w  *world
	by time.Duration
}

func newClock(w *world) *clock { return &clock{w: w} }

func (c *clock) tick() {
	c.by += time.Second
	c.w.Skew(c.by)
}
