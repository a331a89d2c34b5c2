package permission

// report queues a change and ensures that a goroutine delivers it. The caller
// holds mu.
func (d *Queue) report(c Change) {
	d.queue = append(d.queue, c)
	d.reported++
	if !d.draining {
		d.draining = true
		d.observer.Go(d.drain)
	}
}

// drain delivers queued changes to the observer until none are left.
func (d *Queue) drain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.queue) > 0 {
		batch := d.queue
		d.queue = nil
		d.mu.Unlock()
		for _, c := range batch {
			d.observe(c)
		}
		d.mu.Lock()
	}
	d.draining = false
}

// observe delivers one change and frees the slot of an ended question.
func (d *Queue) observe(c Change) {
	if d.cfg.Observe != nil {
		d.cfg.Observe(c)
	}
	if c.seen != nil {
		close(c.seen)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen++
	d.looked.Broadcast()
	if c.Resolution == nil {
		return
	}
	d.held--
	if d.sessions[c.Question.SessionID]--; d.sessions[c.Question.SessionID] == 0 {
		delete(d.sessions, c.Question.SessionID)
	}
}
