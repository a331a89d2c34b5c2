package mattermosttest_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat/mattermost/mattermosttest"
)

// postIn returns an event's post, a JSON string.
func postIn(t *testing.T, e *model.WebSocketEvent) *model.Post {
	t.Helper()
	text, _ := e.GetData()["post"].(string)
	var p model.Post
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%s carries %q: %v", e.EventType(), text, err)
	}
	return &p
}

func TestEventsOfAConversation(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	so := w.socket(t, w.bot)
	root := w.As(w.ada.ID).Post(w.ch.Id, "hello @parley, are you there?")
	e := so.next(model.WebsocketEventPosted)
	d := e.GetData()
	if p := postIn(t, e); p.Id != root.Id || p.Message != root.Message {
		t.Errorf("posted %+v", p)
	}
	want := map[string]any{"channel_type": "O", "channel_name": "general", "channel_display_name": "General",
		"sender_name": "@ada", "team_id": w.team.Id, "set_online": true, "mentions": `["` + w.bot.ID + `"]`, "post": d["post"]}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("data (-want +got)\n%s", diff)
	}
	if b := e.GetBroadcast(); b.ChannelId != w.ch.Id {
		t.Errorf("broadcast %+v", b)
	}
	reply := w.As(w.ada.ID).Reply(root.Id, "still?")
	if e := so.next(model.WebsocketEventPosted); postIn(t, e).RootId != root.Id || e.GetData()["mentions"] != nil {
		t.Errorf("reply %v", e.GetData())
	}
	w.As(w.ada.ID).Edit(reply.Id, "hm")
	if p := postIn(t, so.next(model.WebsocketEventPostEdited)); p.Message != "hm" || p.Id != reply.Id {
		t.Errorf("edited %+v", p)
	}
	w.As(w.ada.ID).React(root.Id, "+1")
	for _, kind := range []model.WebsocketEventType{model.WebsocketEventReactionAdded, model.WebsocketEventReactionRemoved} {
		var r model.Reaction
		text, _ := so.next(kind).GetData()["reaction"].(string)
		if err := json.Unmarshal([]byte(text), &r); err != nil || r.PostId != root.Id || r.UserId != w.ada.ID || r.EmojiName != "+1" {
			t.Errorf("%s: %s, %v", kind, text, err)
		}
		if kind == model.WebsocketEventReactionAdded {
			w.As(w.ada.ID).Unreact(root.Id, "+1")
		}
	}
	w.As(w.ada.ID).Typing(w.ch.Id, root.Id)
	if d := so.next(model.WebsocketEventTyping).GetData(); d["user_id"] != w.ada.ID || d["parent_id"] != root.Id {
		t.Errorf("typing %v", d)
	}
	w.As(w.ada.ID).Delete(root.Id)
	if p := postIn(t, so.next(model.WebsocketEventPostDeleted)); p.Id != root.Id {
		t.Errorf("deleted %+v", p)
	}
	w.AddMember(w.ch.Id, w.bob.ID)
	if d := so.next(model.WebsocketEventUserAdded).GetData(); d["user_id"] != w.bob.ID {
		t.Errorf("added %v", d)
	}
	w.RemoveMember(w.ch.Id, w.bot.ID)
	if d := so.next(model.WebsocketEventUserRemoved).GetData(); d["channel_id"] != w.ch.Id {
		t.Errorf("removed %v", d)
	}
	dm := w.As(w.ada.ID).Direct(w.bot.ID)
	if d := so.next(model.WebsocketEventDirectAdded).GetData(); d["teammate_id"] != w.ada.ID {
		t.Errorf("direct %v", d)
	}
	w.As(w.ada.ID).Post(dm.Id, "psst")
	if d := so.next(model.WebsocketEventPosted).GetData(); d["channel_type"] != "D" || d["mentions"] == nil {
		t.Errorf("direct message %v", d)
	}
}

// TestNumbers: events have consecutive numbers, answers have none, and users receive
// nothing of channels they aren't in.
func TestNumbers(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	so := w.socket(t, w.bot)
	other := w.AddChannel(w.team.Id, "other", w.ada.ID)
	so.UserTyping(w.ch.Id, "")
	for range 2 { // the challenge, and typing
		if r := <-so.ResponseChannel; r.Status != model.StatusOk {
			t.Errorf("answer %+v", r)
		}
	}
	if diff := cmp.Diff([]mattermosttest.Typing{{UserID: w.bot.ID, ChannelID: w.ch.Id}}, w.Typings()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for range 3 {
		w.As(w.ada.ID).Post(other.Id, "not for you")
		w.As(w.ada.ID).Post(w.ch.Id, "for you")
	}
	var seq []int64
	for range 3 {
		e := so.next(model.WebsocketEventPosted)
		if e.GetBroadcast().ChannelId != w.ch.Id {
			t.Error("heard of a channel that the bot is not in")
		}
		seq = append(seq, e.GetSequence())
	}
	// 0 is the hello, 1 that the bot is online.
	if diff := cmp.Diff([]int64{2, 3, 4}, seq); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAStrangersSocketIsClosed(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	c, err := model.NewWebSocketClient4(w.SocketURL(), model.NewId())
	if err != nil {
		t.Fatal(err)
	}
	c.Listen()
	if e, open := <-c.EventChannel; open {
		t.Errorf("a stranger is told %v", e)
	}
}

// TestResume: with the id and the number a socket continues where it was cut, as long as the
// server runs.
func TestResume(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	so := w.socket(t, w.bot)
	p := w.As(w.ada.ID).Post(w.ch.Id, "one")
	last := so.next(model.WebsocketEventPosted)
	id := w.connection(t, w.bot)
	w.Cut(w.bot.ID)
	w.As(w.ada.ID).Post(w.ch.Id, "two")
	resume := func() *socket {
		c, err := model.NewReliableWebSocketClientWithDialer(websocket.DefaultDialer, w.SocketURL(), w.bot.Token, id, int(last.GetSequence()), true)
		if err != nil {
			t.Fatal(err)
		}
		c.Listen()
		t.Cleanup(c.Close)
		return &socket{c, t}
	}
	re := resume()
	again := re.next(model.WebsocketEventPosted)
	if again.GetSequence() != last.GetSequence() || postIn(t, again).Id != p.Id {
		t.Errorf("resumed with %d, want %d again", again.GetSequence(), last.GetSequence())
	}
	if two := re.next(model.WebsocketEventPosted); postIn(t, two).Message != "two" {
		t.Errorf("then came %v", two.GetData())
	}
	w.Restart()
	w.WaitFor(t, "the end of the socket", func() bool { return w.Sockets(w.bot.ID) == 0 })
	if e := resume().next(model.WebsocketEventHello); e.GetSequence() != 0 || e.GetData()["connection_id"] == id {
		t.Errorf("after a restart the socket is %v, number %d", e.GetData(), e.GetSequence())
	}
}

// connection opens nothing: it returns the id of a user's only socket.
func (w *world) connection(t *testing.T, u mattermosttest.User) string {
	t.Helper()
	ids := w.Connections(u.ID)
	if len(ids) != 1 {
		t.Fatalf("%d sockets", len(ids))
	}
	return ids[0]
}

// TestASocketThatDoesNotRead is dropped when too much waits for it.
func TestASocketThatDoesNotRead(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	w.socket(t, w.bot)
	w.Freeze(w.bot.ID) // nothing leaves the queue
	for range 300 {
		w.As(w.ada.ID).Post(w.ch.Id, "x")
	}
	if n := w.Sockets(w.bot.ID); n != 0 {
		t.Errorf("%d sockets are open with 300 events waiting", n)
	}
}

func TestStatusesAreOnesOwn(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	so, theirs := w.socket(t, w.bot), w.socket(t, w.ada)
	w.As(w.ada.ID).Post(w.ch.Id, "end")
	var kinds []string
	for {
		e := <-so.EventChannel
		kinds = append(kinds, string(e.EventType()))
		if e.EventType() == model.WebsocketEventPosted {
			break
		}
		if id := e.GetData()["user_id"]; id != w.bot.ID {
			t.Errorf("%s is about %v", e.EventType(), id)
		}
	}
	if !slices.Contains(kinds, "status_change") {
		t.Errorf("heard %v", kinds)
	}
	theirs.next(model.WebsocketEventStatusChange)
}
