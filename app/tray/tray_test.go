package tray

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/bus"
	"parley/backend/event"
)

// patience is how long anything may take on a busy machine.
const patience = 10 * time.Minute

// backend is a fake back end behind the API.
type backend struct {
	bus *bus.Bus

	mu      sync.Mutex
	answers map[string]string
	fails   map[string]error
	calls   chan string
	reads   int
}

func newBackend() *backend {
	return &backend{
		bus: bus.New(slog.New(slog.DiscardHandler)), calls: make(chan string, 64), fails: map[string]error{},
		answers: map[string]string{
			"settings.get":    `{"language":"en","showTray":true,"closeToTray":true,"doNotDisturbUntil":0}`,
			"permission.list": `{"requests":[]}`, "session.list": `{"sessions":[],"total":0}`, "app.problems": `{"problems":[]}`, "mattermost.get": `{"connection":{"state":"off"}}`, "heartbeat.list": `{"heartbeats":[],"paused":false,"pausedUntil":0}`,
		},
	}
}

func (b *backend) call(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.fails[method]; err != nil {
		return nil, err
	}
	if answer, ok := b.answers[method]; ok {
		if method == "settings.get" {
			b.reads++
		}
		return json.RawMessage(answer), nil
	}
	b.calls <- method + " " + string(params)
	return json.RawMessage("{}"), nil
}

// says changes a method's answer and publishes an event.
func (b *backend) says(method, answer string) {
	b.mu.Lock()
	b.answers[method] = answer
	b.mu.Unlock()
	b.bus.Publish(&event.HeartbeatsChanged{})
}

// asked counts how often everything was read.
func (b *backend) asked() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reads
}

func (b *backend) fail(method string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fails[method] = err
}

func (b *backend) called(t *testing.T) string {
	t.Helper()
	select {
	case call := <-b.calls:
		return call
	case <-time.After(patience):
		t.Fatal("nothing was called")
		return ""
	}
}

// said keeps the log.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Split(strings.TrimSpace(s.text.String()), "\n")
}

// slate is a panel that only records what it is told.
type slate struct {
	owner chan string
	click chan string

	mu    sync.Mutex
	at    string
	shown []picture
}

func newSlate() *slate { return &slate{owner: make(chan string, 1), click: make(chan string)} }

func (s *slate) raise(owner string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = owner
}

func (s *slate) show(p picture) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = append(s.shown, p)
}

func (s *slate) owners() <-chan string      { return s.owner }
func (s *slate) holds(context.Context) bool { return true }
func (s *slate) close()                     {}

func (s *slate) clicked(ctx context.Context) (string, bool) {
	select {
	case place := <-s.click:
		return place, true
	case <-ctx.Done():
		return "", false
	}
}

func (s *slate) now() (at string, times int, last picture) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at, len(s.shown), s.shown[len(s.shown)-1]
}

// on starts a tray on a slate.
func on(t *testing.T, b *backend) (*slate, *said) {
	s, log := newSlate(), &said{}
	tray := &Tray{
		cfg: Config{
			Call: b.call, Subscribe: b.bus.Subscribe, Quit: func() {}, Getenv: func(string) string { return "" },
			Log: slog.New(slog.NewTextHandler(log, nil)),
		},
		dirty: make(chan struct{}, 1), clicks: make(chan Action, maxClicks),
	}
	tray.start(s)
	t.Cleanup(tray.Close)
	return s, log
}

// Many changes at once cause one menu update.
func TestChangesAreGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBackend()
		s, _ := on(t, b)
		synctest.Wait()
		for range 100 {
			b.bus.Publish(&event.HeartbeatsChanged{})
			time.Sleep(time.Millisecond)
		}
		b.says("permission.list", `{"requests":[{"sessionId":"s","sessionTitle":"Upload"}]}`)
		time.Sleep(time.Second)
		synctest.Wait()
		_, times, last := s.now()
		if times != 2 || b.asked() != 2 {
			t.Errorf("shown %d times, read %d times", times, b.asked())
		}
		if last.mood != Waiting || last.items[1].Title != "Upload" {
			t.Errorf("it shows %+v", last)
		}
	})
}

// A time that has passed is no longer shown.
func TestAutomaticEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBackend()
		until, err := json.Marshal(map[string]any{"language": "en", "showTray": true, "doNotDisturbUntil": time.Now().Add(time.Hour).UnixMilli()})
		if err != nil {
			t.Fatal(err)
		}
		b.says("settings.get", string(until))
		s, _ := on(t, b)
		synctest.Wait()
		if _, _, last := s.now(); last.tip == "Parley: Nothing is running" {
			t.Error("it does not say that nobody is disturbed")
		}
		time.Sleep(time.Hour + 2*time.Second)
		synctest.Wait()
		if _, _, last := s.now(); last.tip != "Parley: Nothing is running" {
			t.Errorf("it says %s", last.tip)
		}
	})
}

// Clicks wait for each other, up to the limit.
func TestClicksWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBackend()
		b.calls = make(chan string) // each call waits to be received
		s, log := on(t, b)
		synctest.Wait()
		for range 3 + maxClicks {
			s.click <- "open"
			synctest.Wait()
		}
		for range 1 + maxClicks {
			if got := <-b.calls; got != "window.show {}" {
				t.Errorf("called %s", got)
			}
			synctest.Wait()
		}
		if n := len(log.lines()); n != 2 {
			t.Errorf("%d clicks were dropped: %s", n, log.lines())
		}
	})
}

func TestTheIconIsWhereThereIsAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBackend()
		s, _ := on(t, b)
		check := func(want string) {
			t.Helper()
			time.Sleep(time.Second)
			synctest.Wait()
			if at, _, _ := s.now(); at != want {
				t.Errorf("it is at %q, want %q", at, want)
			}
		}
		check("")
		s.owner <- ":1.2"
		check(":1.2")
		b.says("settings.get", `{"showTray":false}`)
		check("")
		s.owner <- ":1.3"
		check("")
		b.says("settings.get", `{"showTray":true}`)
		check(":1.3")
		s.owner <- ""
		check("")
	})
}
