//go:build linux

package border

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"parley/app/rooms"
	"parley/app/settings"
	"parley/backend/demo"
	"parley/backend/event"
)

// natsURL starts a NATS server that requires a token.
func natsURL(t *testing.T, token string) (url string, stop func()) {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true, JetStream: true, StoreDir: t.TempDir(), Authorization: token,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	stop = func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
	t.Cleanup(stop)
	if !s.ReadyForConnections(limit) {
		t.Fatal("the NATS server does not start")
	}
	return s.ClientURL(), stop
}

// spanning is a Parley whose rooms are on a NATS server.
func spanning(t *testing.T, url, token string) *parley {
	t.Helper()
	p := start(t, demo.ScriptFunc(talkers))
	p.secrets = append(p.secrets, token)
	call[settings.Settings](p.watcher, "settings.set", m{"natsUrl": url})
	p.terminate()
	p.env = append(p.env, "PARLEY_NATS_TOKEN="+token)
	p.again()
	p.watcher.subscribe("session.*", "room.*")
	p.until("a connection to the NATS server", func() bool {
		return call[rooms.RoomList](p.watcher, "room.list", m{}).Connection.Connected
	})
	return p
}

// until waits for something that no event of this client reports.
func (p *parley) until(what string, done func() bool) {
	p.t.Helper()
	for end := time.Now().Add(limit); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("%s did not come", what)
		}
	}
}

// Sessions of two Parleys talk to each other over one NATS server. Without the server,
// messages wait, and are marked so.
func TestTwoParleysTalk(t *testing.T) {
	t.Parallel()
	const token, count = "s3cret-token-of-nats", 4
	url, stop := natsURL(t, token)
	here, there := spanning(t, url, token), spanning(t, url, token)
	room := call[rooms.Room](here.watcher, "room.create", m{"name": "bridge", "rules": m{"approval": false, "wake": "off", "turnsPerHour": 0, "maxHops": 0}})
	begin := func(p *parley, engine string, told talk) (*conversation, string) {
		s := p.openWith(m{"engine": engine, "title": told.Nick + "'s"})
		raw, err := json.Marshal(told)
		if err != nil {
			t.Fatal(err)
		}
		turn := s.prompt("talk " + string(raw))
		s.allow(s.question())
		return s, turn
	}
	bea, second := begin(there, "sdk", talk{Nick: "bea", Channel: "bridge", Count: count})
	here.until("a member of the other Parley", func() bool {
		return len(call[rooms.Room](here.watcher, "room.get", m{"roomId": room.ID}).Members) == 1
	})
	ann, first := begin(here, "cli", talk{Nick: "ann", Channel: "bridge", Count: count, First: true})
	ann.done(first, "completed")
	bea.done(second, "completed")
	for _, p := range []*parley{here, there} {
		p.until("all receipts", func() bool {
			page := call[rooms.RoomMessages](p.watcher, "room.messages", m{"roomId": room.ID})
			return len(page.Messages) == 2*count && !slices.ContainsFunc(page.Messages, func(one event.RoomMessage) bool {
				return len(one.Receipts) != 1 || one.Receipts[0].State != "answered" || one.From.Here != ((p == here) == (one.From.SessionID == ann.id))
			})
		})
		for i, one := range call[rooms.RoomMessages](p.watcher, "room.messages", m{"roomId": room.ID}).Messages {
			if want := fmt.Sprintf("%s says %d", []string{"ann", "bea"}[i%2], i/2+1); one.Text != want {
				t.Errorf("message %d is %q, want %q", i, one.Text, want)
			}
		}
	}
	stop()
	here.until("the loss of the connection", func() bool {
		c := call[rooms.RoomList](here.watcher, "room.list", m{}).Connection
		return !c.Connected && c.Problem != ""
	})
	if said := ann.calls("say", m{"channel": "bridge", "text": "is anybody there?"}); !mustRead[struct{ Waiting bool }](t, said).Waiting {
		t.Errorf("the model read %q", said)
	}
	if page := call[rooms.RoomMessages](here.watcher, "room.messages", m{"roomId": room.ID}); len(page.Waiting) != 1 || !page.Waiting[0].Waiting {
		t.Errorf("waiting: %+v", page.Waiting)
	}
}
