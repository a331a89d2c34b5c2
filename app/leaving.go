package app

import (
	"context"
	"reflect"
	"sync"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
)

// What becomes of the window that a person wants to close while work goes on.
const (
	// leaveBackground: Parley goes on without the window and ends when the work is done.
	leaveBackground = "background"
	leaveQuit       = "quit"
	leaveCancel     = "cancel"
	// leaveStuck: nobody could be asked, because the page does not answer. What goes on is
	// not cut for that.
	leaveStuck = "stuck"
)

// answerShown is what a page says as soon as a person can see the question.
const answerShown = "shown"

const (
	// askEvery is how often the work is looked at while the question is open, and how often
	// a page that has not shown it is told of it: it may be loading.
	askEvery = 250 * time.Millisecond
	// askPatience is how long a page may take to show it.
	askPatience = 4 * time.Second
	// maxWork bounds the work that is named in the question.
	maxWork = 20
	// quietTime is how long nothing may go on before Parley ends in the background: one
	// turn often begins where another ends.
	quietTime = 3 * time.Second
)

// leaving asks what becomes of the work that goes on when a person closes the window, and
// sees to it that a Parley in the background ends with its work. It starts no goroutine.
type leaving struct {
	work    func(ctx context.Context) []event.Work
	publish func(event.Event)
	// finished tells the person that Parley ends, because everything is done.
	finished func(ctx context.Context)

	mu     sync.Mutex
	serial int
	// answers is nil while there is no question; died and answers belong to the open one.
	answers chan string
	died    chan struct{}
}

// PageDied is told when the process that showed the page is gone: what it was drawing
// then is not opened by itself again.
func (a *App) PageDied() {
	a.library.PageDied()
	a.leaving.pageDied()
}

// Busy says whether work goes on that Close would cut.
func (a *App) Busy(ctx context.Context) bool { return len(a.work(ctx)) > 0 }

// Leave has the window's page ask what becomes of that work, and returns "background",
// "quit", "cancel", or "stuck" when no page answers. It returns when ctx ends. again are
// further requests to close the window meanwhile; tray says that an icon in the panel opens
// it again.
func (a *App) Leave(ctx context.Context, tray bool, again <-chan struct{}) string {
	return a.leaving.ask(ctx, tray, again)
}

// Finished returns when no such work goes on any more, and tells the person. Its error is
// that of ctx.
func (a *App) Finished(ctx context.Context) error { return a.leaving.wait(ctx) }

// ask asks and waits for the answer, for as long as ctx lasts. It is for one caller at a
// time. again carries further requests to close the window: whoever has them may face a
// page that died since. tray says that an icon in the panel opens the window again.
func (l *leaving) ask(ctx context.Context, tray bool, again <-chan struct{}) string {
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
			return leaveCancel
		case answer := <-answers:
			if answer != answerShown {
				return answer
			}
			shown = true
		case <-again:
			shown, since = false, time.Now()
		case <-died:
			shown, since = false, time.Now()
		case <-tick.C:
			if !shown && time.Since(since) >= askPatience {
				return leaveStuck
			}
		}
	}
}

// look is the question with the work of this moment.
func (l *leaving) look(ctx context.Context, was *event.WindowClosing) *event.WindowClosing {
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

func (l *leaving) open() (serial int, answers chan string, died chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serial++
	l.answers, l.died = make(chan string, 1), make(chan struct{}, 1)
	return l.serial, l.answers, l.died
}

// over takes the question off the page.
func (l *leaving) over() {
	l.mu.Lock()
	l.answers, l.died = nil, nil
	l.mu.Unlock()
	l.publish(&event.WindowClosing{Work: []event.Work{}})
}

// answer takes what the page says.
func (l *leaving) answer(p WindowAnswerParams) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.answers == nil || p.Serial != l.serial {
		return fault.New(fault.Conflict, "Nobody asks that any more.")
	}
	if p.Answer != answerShown {
		// A choice takes the place of what only says that there is somebody.
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

// pageDied is told when the page is gone that may have shown the question.
func (l *leaving) pageDied() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.died <- struct{}{}:
	default: // there is no question, or this is known
	}
}

// wait returns when nothing has gone on for a while, and tells the person so. Its error
// is that of ctx.
func (l *leaving) wait(ctx context.Context) error {
	tick := time.NewTicker(quietTime / 6)
	defer tick.Stop()
	last := time.Now()
	for time.Since(last) < quietTime {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if len(l.work(ctx)) > 0 {
			last = time.Now()
		}
	}
	l.finished(ctx)
	return nil
}
