package process

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestPressure(t *testing.T) {
	const gb = 1 << 30
	var p Pressure
	for i, tt := range []struct {
		m    Memory
		want bool
	}{
		{Memory{}, false}, // nothing is known
		{Memory{Available: 8 * gb, Total: 16 * gb}, false},
		{Memory{Available: gb, Total: 16 * gb}, false}, // 6 %
		{Memory{Available: gb / 2, Total: 16 * gb}, true},
		{Memory{Available: gb, Total: 16 * gb}, true}, // not enough yet
		{Memory{Available: 2 * gb, Total: 16 * gb}, false},
		{Memory{Available: 8 * gb, Total: 16 * gb, Stalled: 9}, false},
		{Memory{Available: 8 * gb, Total: 16 * gb, Stalled: 11}, true},
		{Memory{Available: 8 * gb, Total: 16 * gb, Stalled: 3}, true},
		{Memory{Available: gb, Total: 16 * gb, Stalled: 1}, true},
		{Memory{Available: 8 * gb, Total: 16 * gb, Stalled: 1}, false},
	} {
		if got := p.Short(tt.m); got != tt.want {
			t.Errorf("reading %d, %+v: %v", i, tt.m, got)
		}
	}
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var free atomic.Int64
		free.Store(50)
		reads := 0
		begun := time.Now()
		var relieved []time.Duration
		done := make(chan struct{})
		go func() {
			defer close(done)
			Watch(ctx, func() (Memory, error) {
				reads++
				return Memory{Available: free.Load(), Total: 100}, nil
			}, func(context.Context) { relieved = append(relieved, time.Since(begun)) }, slog.New(slog.DiscardHandler))
		}()
		pass := func(d time.Duration, then int64) {
			time.Sleep(d)
			synctest.Wait()
			free.Store(then)
		}
		pass(25*time.Second, 2)
		pass(2*time.Minute, 7) // at 30, 90
		pass(time.Minute, 50)  // at 150, 210: little improvement
		pass(time.Minute, 1)
		pass(15*time.Second, 50) // at 270
		cancel()
		<-done
		want := []time.Duration{30 * time.Second, 90 * time.Second, 150 * time.Second, 270 * time.Second}
		if !slices.Equal(relieved, want) {
			t.Errorf("relieved at %v, want %v", relieved, want)
		}
		if reads < 28 || reads > 30 {
			t.Errorf("%d readings", reads)
		}
	})
}

func TestWatchWithoutReadings(t *testing.T) {
	var log strings.Builder
	Watch(t.Context(), func() (Memory, error) { return Memory{}, errors.New("no such file") },
		func(context.Context) { t.Error("relieved") }, slog.New(slog.NewTextHandler(&log, nil)))
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("log: %s", &log)
	}
}

func TestReadMemory(t *testing.T) {
	m, err := ReadMemory()
	if err != nil || m.Total < 100<<20 || m.Available <= 0 || m.Available > m.Total || m.Stalled < 0 || m.Stalled > 100 {
		t.Errorf("%+v %v", m, err)
	}
}
