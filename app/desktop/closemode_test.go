package desktop

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestDecide(t *testing.T) {
	yes, no := func(context.Context) bool { return true }, func(context.Context) bool { return false }
	for _, one := range []struct {
		name       string
		keep, busy func(context.Context) bool
		request    closeRequest
		answer     CloseMode
		remembered CloseMode
		// ends is the time after which a signal ends the program, 0 for none.
		ends time.Duration
		want CloseMode
		asks bool
		took time.Duration
	}{
		{name: "nothing runs", keep: no, busy: no, want: LeaveQuit},
		{name: "nothing is known", want: LeaveQuit},
		{name: "the icon keeps it", keep: yes, busy: yes, want: LeaveKept, took: signalTime},
		{name: "the icon keeps it, a signal does not", keep: yes, busy: yes, ends: signalTime / 2, want: LeaveQuit, took: signalTime / 2},
		{name: "quit, and nothing runs", keep: yes, busy: no, request: closeRequest{quit: true}, want: LeaveQuit},
		{name: "quit", keep: yes, busy: yes, request: closeRequest{quit: true}, answer: LeaveCancel, want: LeaveCancel, asks: true, took: signalTime},
		{name: "background", keep: no, busy: yes, answer: LeaveBackground, want: LeaveBackground, asks: true, took: signalTime},
		{name: "background, remembered", keep: no, busy: yes, remembered: LeaveBackground, want: LeaveBackground, took: signalTime},
		{name: "quit, remembered", keep: no, busy: yes, remembered: LeaveQuit, want: LeaveQuit, took: signalTime},
		{name: "nothing remembered that leaves the window", keep: no, busy: yes, remembered: "ask", answer: LeaveCancel, want: LeaveCancel, asks: true, took: signalTime},
		{name: "the icon goes before what is remembered", keep: yes, busy: yes, remembered: LeaveQuit, want: LeaveKept, took: signalTime},
		{name: "ending the program is no going on in the background", keep: no, busy: yes, request: closeRequest{quit: true}, remembered: LeaveBackground, answer: LeaveCancel, want: LeaveCancel, asks: true, took: signalTime},
		{name: "ending the program, remembered", keep: no, busy: yes, request: closeRequest{quit: true}, remembered: LeaveQuit, want: LeaveQuit, took: signalTime},
		{name: "nobody answers", keep: no, busy: yes, answer: LeaveStuck, want: LeaveStuck, asks: true, took: signalTime},
		{name: "a signal is not asked about", keep: no, busy: yes, ends: signalTime / 2, want: LeaveQuit, took: signalTime / 2},
		{name: "a signal ends the question", keep: no, busy: yes, ends: time.Hour, answer: LeaveCancel, want: LeaveQuit, asks: true, took: time.Hour},
	} {
		t.Run(one.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if one.ends > 0 {
					defer time.AfterFunc(one.ends, cancel).Stop()
				}
				shown, asked := false, false
				cfg := Config{Remembered: func(context.Context) CloseMode { return one.remembered }, Keep: one.keep, Busy: one.busy, Ask: func(ctx context.Context, _ <-chan struct{}) CloseMode {
					asked = true
					if !shown {
						t.Error("it asks before the window is shown")
					}
					if one.ends > 0 {
						<-ctx.Done()
					}
					return one.answer
				}}
				start := time.Now()
				got := cfg.decide(ctx, one.request, func() { shown = true }, nil)
				if got != one.want || asked != one.asks || time.Since(start) != one.took {
					t.Errorf("%q, asked %t, after %s; want %q, %t, %s", got, asked, time.Since(start), one.want, one.asks, one.took)
				}
			})
		})
	}
}
