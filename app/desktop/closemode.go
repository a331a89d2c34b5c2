package desktop

import (
	"context"
	"time"
)

// CloseMode is what happens to a window that the user wants to close.
type CloseMode string

const (
	// LeaveBackground hides it; the program keeps running until its work is done.
	LeaveBackground CloseMode = "background"
	// LeaveStuck is the same without the user's choice: the page could not ask.
	LeaveStuck CloseMode = "stuck"
	// LeaveBroken hides it because the page keeps crashing; the program continues.
	LeaveBroken CloseMode = "broken"
	// LeaveQuit ends the program, LeaveCancel leaves everything as it is.
	LeaveQuit   CloseMode = "quit"
	LeaveCancel CloseMode = "cancel"
	// LeaveKept hides it, because the program continues without a window.
	LeaveKept CloseMode = "tray"
)

// signalTime is how long the end of the context may follow Wails' reaction to the same signal,
// which looks like a user closing the window.
const signalTime = 100 * time.Millisecond

// A closeRequest is a request to close the window.
type closeRequest struct {
	// quit requests the end of the program.
	quit bool
}

// decide returns what happens to the window. A request only counts as long as ctx lasts, whose end
// is never refused. show raises the window, so that the user can be asked.
func (c Config) decide(ctx context.Context, r closeRequest, show func(), again <-chan struct{}) CloseMode {
	keep := !r.quit && c.Keep != nil && c.Keep(ctx)
	if !keep && (c.Busy == nil || !c.Busy(ctx)) {
		return LeaveQuit
	}
	t := time.NewTimer(signalTime)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return LeaveQuit
	case <-t.C:
	}
	if keep {
		return LeaveKept
	}
	if c.Remembered != nil {
		// A user who wants to quit must not be left with a program in the background.
		if leave := c.Remembered(ctx); leave == LeaveQuit || leave == LeaveBackground && !r.quit {
			return leave
		}
	}
	show()
	answer := c.Ask(ctx, again)
	if ctx.Err() != nil {
		return LeaveQuit
	}
	return answer
}
