package role

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// watch tells the system's service manager that Parley is ready, its status, and, as often as the
// manager requires, that it works. It only does the latter after the main loops have answered: a
// timer would continue even if they hang. Without a service manager, it does nothing.
type watch struct {
	log     *slog.Logger
	url     string // the gateway's
	backend Backend

	stop    context.CancelFunc
	running sync.WaitGroup
	said    string
	// asking is closed when the sessions have answered the last request.
	asking chan struct{}
}

// proofTime bounds how long the loops may take to answer, unless the manager sets a time.
const proofTime = 10 * time.Second

// statusEvery is how often the manager receives the status, if it has no watchdog.
const statusEvery = 30 * time.Second

// watched starts it. The caller must call end.
func watched(url string, backend Backend, log *slog.Logger) *watch {
	ctx, stop := context.WithCancel(context.Background())
	w := &watch{log: log, url: url, backend: backend, stop: stop, asking: make(chan struct{})}
	close(w.asking)
	heard, err := daemon.SdNotify(false, daemon.SdNotifyReady)
	if err != nil {
		log.Warn("Couldn't notify the service manager that Parley is ready", "err", err)
	}
	if !heard {
		return w
	}
	every, within := statusEvery, proofTime
	limit, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("Couldn't parse the service manager's watchdog setting", "err", err)
	}
	if limit > 0 {
		// Twice per interval, each with an answer within a quarter of it.
		every, within = limit/2, limit/4
	}
	w.running.Go(func() {
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for {
			w.prove(ctx, within)
			select {
			case <-ticks.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return w
}

// pause reports that another program replaces this one.
func (w *watch) pause() {
	w.stop()
	w.running.Wait()
	_, _ = daemon.SdNotify(false, reloading()+"\nSTATUS=Restarting")
}

// end reports that Parley ends. It does not wait long for hung sessions: their own end is bounded.
func (w *watch) end() {
	w.stop()
	w.running.Wait()
	select {
	case <-w.asking:
	case <-time.After(goodbye):
	}
	_, _ = daemon.SdNotify(false, daemon.SdNotifyStopping+"\nSTATUS=Ending")
}

// prove reports that Parley works, if it does.
func (w *watch) prove(ctx context.Context, within time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	status, err := w.ask(ctx)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return // it is ending
	case err != nil:
		w.log.Error("Parley isn't responding; skipping the watchdog notification", "err", err)
		return
	}
	state := daemon.SdNotifyWatchdog
	if status != w.said {
		w.said = status
		state += "\nSTATUS=" + status
	}
	if _, err := daemon.SdNotify(false, state); err != nil {
		w.log.Warn("Couldn't notify the service manager's watchdog", "err", err)
	}
}

// ask takes the same path as a page: through the gateway's listener and the table of methods to the
// owner of the sessions. Only the fact of an answer matters.
func (w *watch) ask(ctx context.Context) (status string, err error) {
	select {
	case <-w.asking:
	default:
		return "", errors.New("the sessions have not answered since they were asked last")
	}
	answers, asked := make(chan string, 1), make(chan struct{})
	w.asking = asked
	go func() {
		defer close(asked)
		if _, err := w.backend.Methods().Call(ctx, "session.list", json.RawMessage(`{"limit":1}`)); ctx.Err() != nil {
			w.log.Debug("Sessions didn't respond in time", "err", err)
			return
		}
		work := "idle"
		if w.backend.Busy(ctx) {
			work = "sessions are working"
		}
		problems := w.backend.Problems()
		if len(problems) > 0 {
			work += fmt.Sprintf("; problems: %d, such as: %s", len(problems), problems[0].Title)
		}
		if ctx.Err() == nil {
			answers <- "At " + w.url + ": " + oneLine(work)
		}
	}()
	if err := w.health(ctx); err != nil {
		return "", fmt.Errorf("the gateway: %w", err)
	}
	select {
	case status = <-answers:
		return status, nil
	case <-ctx.Done():
		return "", fmt.Errorf("the sessions: %w", ctx.Err())
	}
}

// health queries the gateway over a separate connection.
func (w *watch) health(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"health", nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: trusting(w.url)}}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20))
	return errors.Join(err, answer.Body.Close())
}
