package notices

import (
	"context"
	"reflect"
	"sync"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
)

// What happens to the window that a user wants to close while work is running.
const (
	// LeaveBackground: Parley continues without the window and ends when the work is done.
	LeaveBackground = "background"
	LeaveQuit       = "quit"
	LeaveCancel     = "cancel"
	// LeaveStuck: nobody could be asked, because the page does not respond. Running work is not
	// interrupted for that.
	LeaveStuck = "stuck"
)

// AnswerShown is sent by a page as soon as a user can see the question.
const AnswerShown = "shown"

const (
	// askEvery is how often the work is checked while the question is open, and how often a page
	// that has not shown it is notified: it may be loading.
	askEvery = 250 * time.Millisecond
	// askPatience is how long a page may take to show it. One that is only slow, on a busy machine
	// and just unhidden, must not be mistaken for dead: it would be reloaded.
	askPatience = 10 * time.Second
	// maxWork bounds the work listed in the question.
	maxWork = 20
	// quietTime is how long nothing may be running before Parley ends in the background: one turn
	// often starts where another ends.
	quietTime = 3 * time.Second
)

// Leaving asks what to do with running work when a user closes the window, and ends a Parley in the
// background when its work is done. It starts no goroutine.
type Leaving struct {
	work    func(ctx context.Context) []event.Work
	publish func(event.Event)
	// told notifies the user that Parley ends, because everything is done.
	told func(ctx context.Context)

	mu     sync.Mutex
	serial int
	// answers is nil if there is no question; died and answers belong to the open one.
	answers chan string
	died    chan struct{}
}

// Busy reports whether ending Parley would interrupt running work.
func (l *Leaving) Busy(ctx context.Context) bool { return len(l.work(ctx)) > 0 }

// Leave makes the window's page ask what to do with running work, and returns the answer:
// [LeaveStuck] if no page gives one. It returns when ctx ends, and is for one caller at a time.
// again carries further requests to close the window: the page may have died since. tray reports
// that a tray icon can reopen the window.
func (l *Leaving) Leave(ctx context.Context, tray bool, again <-chan struct{}) string {
	serial, answers, died := l.open()
	defer l.over()
	question := &event.WindowClosing{Serial: serial, Tray: tray}
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	shown, since := false, time.Now()
	for {
		now := l.look(ctx, question)
		if !shown || !reflect.DeepEqual(now, question) {
			question = now
			l.publish(question)
		}
		select {
		case <-ctx.Done():
			return LeaveCancel
		case answer := <-answers:
			if answer != AnswerShown {
				return answer
			}
			shown = true
		case <-again:
			shown, since = false, time.Now()
		case <-died:
			shown, since = false, time.Now()
		case <-tick.C:
			if !shown && time.Since(since) >= askPatience {
				return LeaveStuck
			}
		}
	}
}

// look is the question with the current work.
func (l *Leaving) look(ctx context.Context, was *event.WindowClosing) *event.WindowClosing {
	now := &event.WindowClosing{Serial: was.Serial, Tray: was.Tray, Work: []event.Work{}}
	all := l.work(ctx)
	for _, w := range all {
		if w.State == "waiting" {
			now.Waiting++
		} else {
			now.Working++
		}
	}
	now.Work = append(now.Work, all[:min(len(all), maxWork)]...)
	return now
}

func (l *Leaving) open() (serial int, answers chan string, died chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serial++
	l.answers, l.died = make(chan string, 1), make(chan struct{}, 1)
	return l.serial, l.answers, l.died
}

// over removes the question from the page.
func (l *Leaving) over() {
	l.mu.Lock()
	l.answers, l.died = nil, nil
	l.mu.Unlock()
	l.publish(&event.WindowClosing{Work: []event.Work{}})
}

// Answer handles the page's answer.
func (l *Leaving) Answer(p WindowAnswerParams) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.answers == nil || p.Serial != l.serial {
		return fault.New(fault.Conflict, "This request is no longer open.")
	}
	if p.Answer != AnswerShown {
		// A choice replaces a pending "shown".
		select {
		case <-l.answers:
		default:
		}
	}
	select {
	case l.answers <- p.Answer:
	default:
	}
	return nil
}

// PageDied reports that the page, which may have shown the question, is gone.
func (l *Leaving) PageDied() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.died <- struct{}{}:
	default: // there is no question, or this is known
	}
}

// Finished returns when nothing has been running for a while, and notifies the user. Its error is
// that of ctx.
func (l *Leaving) Finished(ctx context.Context) error {
	if err := quietOf(ctx, l.work); err != nil {
		return err
	}
	l.told(ctx)
	return nil
}

// Quiet returns when no work has been running for a while. Its error is that of ctx.
func (*Service) Quiet(ctx context.Context, work func(context.Context) []event.Work) error {
	return quietOf(ctx, work)
}

func quietOf(ctx context.Context, work func(context.Context) []event.Work) error {
	tick := time.NewTicker(quietTime / 6)
	defer tick.Stop()
	last := time.Now()
	for time.Since(last) < quietTime {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if len(work(ctx)) > 0 {
			last = time.Now()
		}
	}
	return nil
}
