package role

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"parley/app/method"
)

// untilSignal returns a context that ends with the first request to end, and a function that stops
// listening. The second request ends the process immediately. hangUps receives hang-ups that no
// terminal sent, which request a restart; with nil, they are requests to end.
func untilSignal(log *slog.Logger, hangUps chan<- os.Signal) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	// Caught rather than ignored, because children would inherit that: if the reader of our logs
	// goes away, that must not end us.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	attached := hasTerminal()
	over := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for asked := false; ; {
			select {
			case s := <-signals:
				switch {
				case s == syscall.SIGHUP && hangUps != nil && !asked && (!attached || hasTerminal()):
					select {
					case hangUps <- s:
					default: // one is enough
					}
				case asked:
					os.Exit(exitFailed)
				default:
					log.Info("Shutting down", "signal", s.String())
					asked = true
					cancel()
				}
			case <-over:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(over)
		<-ended
		cancel()
	}
}

// hasTerminal reports whether this process has a terminal, whose end is a hang-up, too.
func hasTerminal() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	_ = tty.Close()
	return true
}

// restartOnHangUp requests a restart for each hang-up until ctx ends.
func restartOnHangUp(ctx context.Context, hangUps <-chan os.Signal, backend Backend, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangUps:
		}
		ctx := method.WithSurface(ctx, "signal")
		if _, err := backend.Methods().Call(ctx, "app.restart", json.RawMessage(`{"when":"idle"}`)); err != nil {
			log.Error("Couldn't restart", "err", err)
		}
	}
}
