package desktop

import (
	"context"
	"time"
)

// Leave is what becomes of a window that a user wants to close.
type Leave string

const (
	// LeaveBackground hides it; the program keeps running and ends with its work.
	LeaveBackground Leave = "background"
	// LeaveStuck is the same without the user's word: the page could not ask.
	LeaveStuck Leave = "stuck"
	// LeaveBroken hides it because the page's process dies again and again; the program
	// continues.
	LeaveBroken Leave = "broken"
	// LeaveQuit ends the program, LeaveCancel leaves everything as it is.
	LeaveQuit   Leave = "quit"
	LeaveCancel Leave = "cancel"
	// LeaveKept hides it, because the program is to continue without it.
	LeaveKept Leave = "tray"
)

// signalTime is how long the end of the context may come after Wails has heard the
// signal that ends both: it asks to close then, like a user does.
const signalTime = 100 * time.Millisecond

// A closeRequest is one to close the window.
type closeRequest struct {
	// quit is one to end the program.
	quit bool
}

// decide says what becomes of the window. A request counts only as long as ctx lasts, whose
// end is never refused. show brings the window to the front, for the user to be asked.
func (c Config) decide(ctx context.Context, r closeRequest, show func(), again <-chan struct{}) Leave {
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
		// Whoever wants to end the program is not left with one in the background.
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
