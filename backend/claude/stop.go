package claude

import (
	"context"
	"fmt"
	"time"

	"parley/backend/claude/wire"
)

// killWait is how long the last step may take, with the descendants' end.
const killWait = time.Second

// interruptWait is how long Stop tries to hand over its interrupt.
const interruptWait = 100 * time.Millisecond

// Stop ends the process: an interrupt, because the end of input alone does not end
// a running turn, end of input, wait, TERM, wait, KILL for it and its descendants.
// It returns when the process is gone, at the latest after the two
// waits of [Config] and one second; sooner when ctx has a nearer deadline, and
// with KILL almost at once when ctx is cancelled. It may be repeated, also from
// several goroutines. The error is not nil only when the process could not be
// ended.
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
	// Once only: a second TERM could cut the first one's cleaning up short.
	p.termed.Do(func() {
		if err := p.program.Terminate(); err != nil {
			p.log.Warn("Could not signal the CLI", "error", err)
		}
	})
	if p.gone(ctx, term) {
		return nil
	}
	p.log.Warn("The CLI does not end; killing it", "pid", p.PID())
	_ = p.program.Kill()
	// supervise ends the descendants when it sees the signal.
	if p.gone(context.Background(), killWait) {
		return nil
	}
	return fmt.Errorf("the CLI (process %d) could not be killed", p.PID())
}

// interrupt asks for the end of the running turn. Nobody waits for the answer, and
// a CLI that does not read is not waited for either.
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
		p.log.Info("Could not interrupt the CLI before its end", "error", err)
	}
}

// gone waits for the process's end. A cancelled context shortens the wait.
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
