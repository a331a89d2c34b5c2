package claude

import (
	"context"
	"fmt"
	"time"

	"parley/backend/claude/wire"
)

// killWait bounds the last step, including the end of the descendants.
const killWait = time.Second

// interruptWait is how long Stop tries to write its interrupt.
const interruptWait = 100 * time.Millisecond

// Stop ends the process: an interrupt, because closing the input alone doesn't end
// a running turn, then closing the input, wait, TERM, wait, KILL for it and its
// descendants. It returns when the process is gone, at the latest after the two
// waits of [Config] and one second; sooner if ctx has a nearer deadline, and with
// KILL almost at once if ctx is canceled. It may be repeated, also concurrently.
// The error is only non-nil if the process couldn't be ended.
func (p *Process) Stop(ctx context.Context) error {
	eof, term := p.cfg.EOFWait, p.cfg.TermWait
	if deadline, ok := ctx.Deadline(); ok {
		// Two fifths for each wait; the rest is for KILL.
		share := max(time.Until(deadline)*2/5, 0)
		eof, term = min(eof, share), min(term, share)
	}
	p.hangUp.Do(p.interrupt)
	p.stdin.close()
	if p.gone(ctx, eof) {
		return nil
	}
	// Once only: a second TERM could cut the cleanup of the first one short.
	p.termed.Do(func() {
		if err := p.program.Terminate(); err != nil {
			p.log.Warn("Couldn't signal the CLI", "err", err)
		}
	})
	if p.gone(ctx, term) {
		return nil
	}
	p.log.Warn("The CLI didn't stop; killing it", "pid", p.PID())
	_ = p.program.Kill()
	// supervise ends the descendants when it sees the signal.
	if p.gone(context.Background(), killWait) {
		return nil
	}
	return fmt.Errorf("the CLI (process %d) could not be killed", p.PID())
}

// interrupt interrupts the running turn. It waits neither for the answer nor for a
// CLI that doesn't read.
func (p *Process) interrupt() {
	id, _, err := p.calls.open()
	if err != nil {
		return
	}
	line, err := wire.EncodeControl(id, wire.Interrupt(true))
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), interruptWait)
	defer cancel()
	if err := p.stdin.write(ctx, line); err != nil {
		p.log.Info("Couldn't interrupt the CLI before stopping it", "err", err)
	}
}

// gone waits for the process's end. A canceled context shortens the wait.
func (p *Process) gone(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}
