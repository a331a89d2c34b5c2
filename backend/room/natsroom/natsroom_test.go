package natsroom_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"go.uber.org/goleak"

	"parley/backend/room"
	"parley/backend/room/embedded"
	"parley/backend/room/hub"
	"parley/backend/room/natsroom"
	"parley/backend/room/roomtest"
	"parley/backend/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// nats is a server that can be restarted in place.
type nats struct {
	tb      testing.TB
	options server.Options
	mu      sync.Mutex
	running *server.Server
}

func serve(tb testing.TB) *nats {
	tb.Helper()
	n := &nats{tb: tb, options: server.Options{
		Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true, JetStream: true, StoreDir: tb.TempDir(),
	}}
	n.start()
	tb.Cleanup(n.stop)
	return n
}

func (n *nats) start() {
	n.tb.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	options := n.options
	s, err := server.NewServer(&options)
	if err != nil {
		n.tb.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(patience) {
		n.tb.Fatal("the server does not start")
	}
	n.options.Port = options.Port
	n.running = s
}

func (n *nats) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.running != nil {
		n.running.Shutdown()
		n.running.WaitForShutdown()
		n.running = nil
	}
}

func (n *nats) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", n.options.Port) }

// one is a Parley's store on a server.
type one struct {
	*natsroom.Store
	replica *embedded.Store
}

// Close closes the replica, too.
func (o *one) Close() error {
	if err := o.Store.Close(); err != nil {
		return err
	}
	return o.replica.Close()
}

// open opens a connected store on a server.
func open(tb testing.TB, n *nats, path, node string) *one {
	tb.Helper()
	o := begin(tb, n, path, node)
	connected(tb, o, true)
	return o
}

func begin(tb testing.TB, n *nats, path, node string) *one {
	tb.Helper()
	replica, err := embedded.Open(embedded.Config{Path: path, Logger: storetest.Logger(tb)})
	if err != nil {
		tb.Fatal(err)
	}
	s, err := natsroom.Open(natsroom.Config{URL: n.url(), Node: node, Retention: room.Retention, Replica: replica, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	o := &one{s, replica}
	tb.Cleanup(func() {
		if err := o.Close(); err != nil {
			tb.Error(err)
		}
	})
	s.Start()
	return o
}

func connected(tb testing.TB, o *one, want bool) {
	tb.Helper()
	until(tb, func() bool { return o.Status().Connected == want })
}

// patience is how long the server and the network may take on a busy machine.
const patience = 10 * time.Minute

// until waits for network events.
func until(tb testing.TB, done func() bool) {
	tb.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatal("it did not come to that in time")
		}
	}
}

func path(tb testing.TB) string { return filepath.Join(tb.TempDir(), "rooms.db") }

func TestStore(t *testing.T) {
	roomtest.Suite(t, func(tb testing.TB) roomtest.Open {
		n, file := serve(tb), path(tb)
		return func(tb testing.TB) room.Store { return open(tb, n, file, "n") }
	})
}

// TestEchoUndoesNothing: the server's echo of a member's progress, as of one who has
// just left, is older than the local state.
func TestEchoUndoesNothing(t *testing.T) {
	n := serve(t)
	s := open(t, n, path(t), "n")
	if _, err := s.Change(t.Context(), "a", func(r *room.Room) error { r.Name, r.Members = "a", []room.Member{}; return nil }); err != nil {
		t.Fatal(err)
	}
	for want := range uint64(300) {
		if err := s.SetProgress(t.Context(), []room.Progress{{Room: "a", Member: "s-1", Cursor: want}}); err != nil {
			t.Fatal(err)
		}
		for range 20 { // the previous echo may come at any time
			if got, err := s.Progress(t.Context(), "a"); err != nil || len(got) != 1 || got[0].Cursor != want {
				t.Fatalf("progress %d is %v, %v", want, got, err)
			}
		}
	}
}

// two creates two Parleys on one server.
func two(t *testing.T, n *nats, o roomtest.Options) (stores [2]*one, houses [2]*roomtest.Node) {
	t.Helper()
	for i, node := range []string{"here", "there"} {
		o.Node = node
		stores[i] = open(t, n, path(t), node)
		houses[i] = roomtest.NewHouse(t, stores[i], o)
	}
	return stores, houses
}

func join(t *testing.T, h *roomtest.Node, name, id string) {
	t.Helper()
	if _, err := h.Join(t.Context(), hub.SessionWho(id, ""), name, id); err != nil {
		t.Fatal(err)
	}
}

func say(t *testing.T, h *roomtest.Node, name, id, text string) room.Message {
	t.Helper()
	said, err := h.Say(t.Context(), hub.SessionWho(id, ""), hub.Outgoing{Room: name, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return said.Message
}

func hear(t *testing.T, h *roomtest.Node, name, id string, n int) string {
	t.Helper()
	var texts []string
	for len(texts) < n {
		call := fmt.Sprint("call-", len(texts))
		heard, err := h.Listen(t.Context(), hub.SessionWho(id, ""), hub.Listening{Room: name, Timeout: room.MostListen, Call: call})
		if err != nil || heard.TimedOut {
			t.Fatalf("heard %q, %v", texts, err)
		}
		for _, m := range heard.Messages {
			texts = append(texts, m.Text)
		}
		h.OnToolResultRead(id, call)
	}
	return strings.Join(texts, ", ")
}

func in(t *testing.T, h *roomtest.Node, name string, members int) {
	t.Helper()
	until(t, func() bool {
		v, err := h.View(name)
		return err == nil && len(v.Members) == members
	})
}

// Two Parleys talk to each other, and each sees the other's progress.
func TestTwoTalk(t *testing.T) {
	stores, h := two(t, serve(t), roomtest.Options{Rules: roomtest.Free()})
	join(t, h[0], "r", "ann")
	in(t, h[1], "R", 1)
	_, err := h[1].Join(t.Context(), hub.SessionWho("other", ""), "r", "Ann")
	if room.CodeOf(err) != room.NickTaken {
		t.Errorf("the same nickname on another machine: %v", err)
	}
	join(t, h[1], "r", "bea")
	in(t, h[0], "r", 2)
	m := say(t, h[0], "r", "ann", "hello @bea")
	if got := hear(t, h[1], "r", "bea", 1); got != "hello @bea" {
		t.Errorf("heard %q", got)
	}
	reply := say(t, h[1], "r", "bea", "hi")
	if got := hear(t, h[0], "r", "ann", 1); got != "hi" {
		t.Errorf("heard %q", got)
	}
	until(t, func() bool {
		r := h[0].Receipts(m.Room, []room.Message{m})[0]
		return len(r) == 1 && r[0].State == room.Answered && r[0].Reply == reply.Seq
	})
	if err := h[1].Delete(t.Context(), m.Room); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return len(h[0].Views()) == 0 })
	if page, err := stores[0].Messages(t.Context(), m.Room, room.Page{Limit: 9}); err != nil || len(page.Messages) != 0 {
		t.Errorf("%d messages are left, %v", len(page.Messages), err)
	}
}

// Both create the same room at the same time: it is one.
func TestSameRoomAtOnce(t *testing.T) {
	_, h := two(t, serve(t), roomtest.Options{Rules: roomtest.Free()})
	var both sync.WaitGroup
	for i, house := range h {
		both.Go(func() {
			for n := range 5 {
				if _, err := house.Join(t.Context(), hub.SessionWho(fmt.Sprintf("s%d-%d", i, n), ""), "room", fmt.Sprintf("nick-%d-%d", i, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	both.Wait()
	for _, house := range h {
		in(t, house, "room", 10)
	}
}

// A message without a connection waits, is reported as waiting, survives the program,
// and is delivered once.
func TestConnectionLost(t *testing.T) {
	n := serve(t)
	file := path(t)
	there := open(t, n, path(t), "there")
	far := roomtest.NewHouse(t, there, roomtest.Options{Node: "there", Rules: roomtest.Free()})
	store := open(t, n, file, "here")
	h := roomtest.NewHouse(t, store, roomtest.Options{Node: "here", Rules: roomtest.Free()})
	join(t, h, "r", "ann")
	in(t, far, "r", 1)
	join(t, far, "r", "bea")
	in(t, h, "r", 2)
	say(t, h, "r", "ann", "one")
	n.stop()
	connected(t, store, false)
	if status := store.Status(); status.Problem == "" || status.Server == "" {
		t.Errorf("%+v", status)
	}
	for _, text := range []string{"two", "three"} {
		if m := say(t, h, "r", "ann", text); m.Seq != 0 {
			t.Errorf("%q has the number %d", text, m.Seq)
		}
	}
	_, err := h.Join(t.Context(), hub.SessionWho("x", ""), "r", "x")
	if room.CodeOf(err) != room.Offline {
		t.Errorf("joined without a connection: %v", err)
	}
	if store.Status().Waiting != 2 {
		t.Errorf("%+v", store.Status())
	}
	// The program ends in between.
	h.Close()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	store = begin(t, n, file, "here")
	h = roomtest.NewHouse(t, store, roomtest.Options{Node: "here", Rules: roomtest.Free()})
	v, err := h.View("r")
	if err != nil || len(v.Members) != 2 {
		t.Fatalf("without a connection: %+v, %v", v, err)
	}
	say(t, h, "r", "ann", "four")
	if waiting, err := h.Waiting(t.Context(), v.ID); err != nil || len(waiting) != 3 {
		t.Errorf("%d wait, %v", len(waiting), err)
	}
	n.start()
	connected(t, store, true)
	if got := hear(t, far, "r", "bea", 4); got != "one, two, three, four" {
		t.Errorf("heard %q", got)
	}
	until(t, func() bool { return store.Status().Waiting == 0 })
	five := say(t, h, "r", "ann", "five")
	if five.Seq == 0 {
		t.Error("it waits with a connection")
	}
	if got := hear(t, far, "r", "bea", 1); got != "five" {
		t.Errorf("heard %q", got)
	}
	if page, err := h.Messages(t.Context(), v.ID, room.Page{Limit: 99}); err != nil || len(page.Messages) != 5 {
		t.Errorf("%d messages, %v", len(page.Messages), err)
	}
}

// A server that lost everything, or was replaced, starts over.
func TestAnotherServer(t *testing.T) {
	file := path(t)
	store := open(t, serve(t), file, "here")
	h := roomtest.NewHouse(t, store, roomtest.Options{Node: "here", Rules: roomtest.Free()})
	join(t, h, "r", "ann")
	for i := range 5 {
		say(t, h, "r", "ann", fmt.Sprint(i))
	}
	h.Close()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	store = open(t, serve(t), file, "here")
	h = roomtest.NewHouse(t, store, roomtest.Options{Node: "here", Rules: roomtest.Free()})
	if n := len(h.Views()); n != 0 {
		t.Errorf("%d rooms of another server", n)
	}
	join(t, h, "r", "ann")
	if m := say(t, h, "r", "ann", "new"); m.Seq != 1 {
		t.Errorf("number %d", m.Seq)
	}
}

func TestSecretsAreNeeded(t *testing.T) {
	n := &nats{tb: t, options: server.Options{Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true, JetStream: true, StoreDir: t.TempDir(), Authorization: "s3cret"}}
	n.start()
	t.Cleanup(n.stop)
	var log strings.Builder
	replica, err := embedded.Open(embedded.Config{Path: path(t), Logger: storetest.Logger(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = replica.Close() })
	s, err := natsroom.Open(natsroom.Config{URL: n.url(), Node: "n", Token: "s3cret", Retention: room.Retention, Replica: replica, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	o := &one{s, replica}
	s.Start()
	connected(t, o, true)
	if status := fmt.Sprintf("%+v", s.Status()); strings.Contains(status, "s3cret") {
		t.Errorf("the secret is told: %s", status)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(log.String(), "s3cret") {
		t.Errorf("the secret is logged: %s", log.String())
	}
}

// 16 members on two computers, with a server restart in the middle.
func TestLongCrowd(t *testing.T) {
	n := serve(t)
	_, h := two(t, n, roomtest.Options{Rules: roomtest.Free(), Rate: -1})
	messages := 3_200
	if testing.Short() {
		messages = 800
	}
	roomtest.StressTest(t, h[:], 16, messages, func() {
		n.stop()
		n.start()
	})
}

func TestWakesAreQuick(t *testing.T) {
	_, h := two(t, serve(t), roomtest.Options{Rules: roomtest.Free(), Rate: -1})
	roomtest.Wakes(t, h[0], 100)
}
