package mattermosttest_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/mattermost/mattermost/server/public/model"
	"go.uber.org/goleak"

	"parley/backend/chat/mattermost/mattermosttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a team with a bot, two people and a channel.
type world struct {
	*mattermosttest.Server
	team          *model.Team
	bot, ada, bob mattermosttest.User
	ch            *model.Channel
}

func newWorld(t *testing.T, o mattermosttest.Options) *world {
	t.Helper()
	s := mattermosttest.New(t, o)
	w := &world{Server: s}
	w.team = s.AddTeam("ops")
	w.bot = s.AddBot("parley", w.team.Id)
	w.ada = s.AddUser("ada", w.team.Id)
	w.bob = s.AddUser("bob", w.team.Id)
	w.ch = s.AddChannel(w.team.Id, "general", w.bot.ID, w.ada.ID)
	return w
}

// client returns the official client with a user's token.
func (w *world) client(t *testing.T, u mattermosttest.User) *model.Client4 {
	t.Helper()
	c := model.NewAPIv4Client(w.URL())
	transport := &http.Transport{}
	c.HTTPClient = &http.Client{Transport: transport}
	t.Cleanup(transport.CloseIdleConnections)
	c.SetToken(u.Token)
	return c
}

// refused checks an error of the client.
func refused(t *testing.T, err error, status int, id string) {
	t.Helper()
	var e *model.AppError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want the server to refuse with %d %s", err, status, id)
	}
	if e.StatusCode != status || id != "" && e.Id != id {
		t.Errorf("refused with %d %s, want %d %s", e.StatusCode, e.Id, status, id)
	}
}

// must fails the test if a call of the client failed.
func must[T any](t *testing.T) func(v T, resp *model.Response, err error) T {
	return func(v T, _ *model.Response, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// socket is the official WebSocket client, connected and greeted.
type socket struct {
	*model.WebSocketClient
	t *testing.T
}

func (w *world) socket(t *testing.T, u mattermosttest.User) *socket {
	t.Helper()
	c, err := model.NewWebSocketClient4(w.SocketURL(), u.Token)
	if err != nil {
		t.Fatal(err)
	}
	c.Listen()
	so := &socket{c, t}
	t.Cleanup(func() {
		c.Close()
		for range c.EventChannel { // it ends when the client does
		}
	})
	so.next(model.WebsocketEventHello)
	return so
}

// next waits for an event of a kind, skipping others.
func (so *socket) next(kind model.WebsocketEventType) *model.WebSocketEvent {
	so.t.Helper()
	for {
		select {
		case e, open := <-so.EventChannel:
			if !open {
				so.t.Fatalf("the socket ended, waiting for %s", kind)
			}
			if e.EventType() == kind {
				return e
			}
		case <-so.t.Context().Done():
			so.t.Fatalf("waited in vain for %s", kind)
		}
	}
}
