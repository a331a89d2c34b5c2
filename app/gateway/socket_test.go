package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"parley/backend/bus"
	"parley/backend/fault"
)

func TestRequests(t *testing.T) {
	c := start(t, nil).dial(t)
	tests := []struct{ name, in, want string }{
		{"call", `{"type":"req","id":"1","method":"test.echo","params":{"text":"hi"}}`,
			`{"type":"res","id":"1","ok":true,"payload":{"text":"hi"}}`},
		{"number as id", `{"type":"req","id":7,"method":"test.surface"}`,
			`{"type":"res","id":7,"ok":true,"payload":{"text":"gateway"}}`},
		{"null params", `{"type":"req","id":"1","method":"test.surface","params":null}`,
			`{"type":"res","id":"1","ok":true,"payload":{"text":"gateway"}}`},
		{"unknown method", `{"type":"req","id":"2","method":"test.nope"}`,
			`{"type":"res","id":"2","ok":false,"error":{"code":"not_found","message":"unknown method \"test.nope\"; method.list lists all methods"}}`},
		{"unknown and missing", `{"type":"req","id":"3","method":"test.echo","params":{"txt":"hi"}}`,
			`{"type":"res","id":"3","ok":false,"error":{"code":"invalid","message":"test.echo: unknown parameter \"txt\"; missing parameter \"text\""}}`},
		{"wrong", `{"type":"req","id":"4","method":"test.echo","params":{"text":5}}`,
			`{"type":"res","id":"4","ok":false,"error":{"code":"invalid","message":"test.echo: \"text\" must be a string, not the number 5"}}`},
		{"panic", `{"type":"req","id":"5","method":"test.panic"}`,
			`{"type":"res","id":"5","ok":false,"error":{"code":"internal","message":"test.panic failed because of a bug in Parley. The log has the details."}}`},
		{"no JSON", `{"type":`, `{"type":"res","id":null,"ok":false,"error":{"code":"invalid","message":"the frame is not JSON"}}`},
		{"no object", `[1,2]`, `{"type":"res","id":null,"ok":false,"error":{"code":"invalid","message":"the frame must be an object"}}`},
		{"no id", `{"type":"req","method":"test.echo"}`,
			`{"type":"res","id":null,"ok":false,"error":{"code":"invalid","message":"the frame's \"id\" must be a string or a number of at most 256 bytes"}}`},
		{"object as id", `{"type":"req","id":{},"method":"test.echo"}`,
			`{"type":"res","id":null,"ok":false,"error":{"code":"invalid","message":"the frame's \"id\" must be a string or a number of at most 256 bytes"}}`},
		{"no type", `{"id":"6","method":"test.echo"}`,
			`{"type":"res","id":"6","ok":false,"error":{"code":"invalid","message":"the frame's \"type\" must be \"req\""}}`},
		{"no method", `{"type":"req","id":"7"}`,
			`{"type":"res","id":"7","ok":false,"error":{"code":"invalid","message":"the frame's \"method\" must be the name of a method"}}`},
		{"method of the wrong type", `{"type":"req","id":"8","method":["x"]}`,
			`{"type":"res","id":"8","ok":false,"error":{"code":"invalid","message":"the frame's \"method\" must be the name of a method"}}`},
		{"empty", ``, `{"type":"res","id":null,"ok":false,"error":{"code":"invalid","message":"the frame is not JSON"}}`},
		{"not UTF-8", "{\"type\":\"\xff\"}", `{"type":"res","id":null,"ok":false,"error":{"code":"invalid","message":"the frame is not UTF-8"}}`},
		{"still alive", `{"type":"req","id":"9","method":"test.echo","params":{"text":"<b> é"}}`,
			`{"type":"res","id":"9","ok":true,"payload":{"text":"<b> é"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, c.ask(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("binary", func(t *testing.T) {
		if err := c.WriteMessage(websocket.BinaryMessage, []byte(tests[0].in)); err != nil {
			t.Fatal(err)
		}
		if code := codeOf(t, c.receive()); code != fault.Invalid {
			t.Error(code)
		}
	})
}

func TestSubprotocols(t *testing.T) {
	w := start(t, nil)
	dialer := websocket.Dialer{Subprotocols: []string{"parley.v1", "token." + testToken}}
	ws, _, err := dialer.DialContext(t.Context(), "ws://"+w.host()+"/ws", http.Header{"Origin": {"http://" + w.host()}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.Close() }()
	if got := ws.Subprotocol(); got != "parley.v1" {
		t.Errorf("selected %q", got)
	}
}

func TestEvents(t *testing.T) {
	w := start(t, nil)
	c, other := w.dial(t), w.dial(t)
	subscribe := func(verb, events string) string {
		return c.ask(fmt.Sprintf(`{"type":"req","id":"s","method":"%s","params":{"events":[%s]}}`, verb, events))
	}
	ok := func(events string) string {
		return `{"type":"res","id":"s","ok":true,"payload":{"events":[` + events + `]}}`
	}
	message := func(seq int) string {
		return fmt.Sprintf(`{"type":"event","event":"session.text_delta","payload":{"sessionId":"s","seq":%d,"at":0,"messageId":"","blockId":"b","text":"text"}}`, seq)
	}
	check := func(want, got string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}

	w.publish("s", 1) // before the first subscribe: not sent
	check(ok(`"session.*"`), subscribe("subscribe", `"session.*"`))
	w.publish("s", 2)
	check(message(2), c.receive())
	check(ok(`"session.*","session.done"`), subscribe("subscribe", `"session.done","session.*"`))
	w.publish("s", 3)
	check(message(3), c.receive())
	if code := codeOf(t, subscribe("subscribe", `"ses*"`)); code != fault.Invalid {
		t.Error(code)
	}
	check(ok(`"session.*"`), subscribe("unsubscribe", `"session.done","session.nope"`))
	check(ok(`"session.*","session.ready"`), subscribe("subscribe", `"session.ready"`))
	check(ok(``), subscribe("unsubscribe", `"session.*"`))
	w.publish("s", 4)
	check(ok(`"*"`), subscribe("subscribe", `"*"`))
	w.publish("s", 5)
	check(message(5), c.receive())

	check(`{"type":"res","id":1,"ok":true,"payload":{"text":"only this"}}`,
		other.ask(`{"type":"req","id":1,"method":"test.echo","params":{"text":"only this"}}`))
}

func TestManyEventsInOrder(t *testing.T) {
	w := start(t, nil)
	c := w.dial(t)
	c.ask(`{"type":"req","id":1,"method":"subscribe","params":{"events":["*"]}}`)
	const n = 3000
	go func() {
		for seq := range uint64(n) {
			w.publish("s", seq+1)
		}
	}()
	for seq := 1; seq <= n; seq++ {
		if got := c.receive(); !strings.Contains(got, fmt.Sprintf(`"seq":%d,`, seq)) {
			t.Fatalf("%d: %s", seq, got)
		}
	}
}

func TestConcurrencyIsBounded(t *testing.T) {
	w := start(t, nil)
	c, other := w.dial(t), w.dial(t)
	const extra = 10
	for i := range budget/slot + extra {
		c.send(fmt.Sprintf(`{"type":"req","id":%d,"method":"test.wait","params":{"text":"%d"}}`, i, i))
	}
	for range budget / slot {
		<-w.waiting
	}
	// The rest waits; another client does not.
	if got := other.ask(`{"type":"req","id":1,"method":"test.surface"}`); !strings.Contains(got, "gateway") {
		t.Error(got)
	}
	if n := len(w.waiting); n != 0 {
		t.Errorf("%d requests too many run", n)
	}
	close(w.hold)
	ids := map[string]bool{}
	for range budget/slot + extra {
		ids[c.receive()] = true
	}
	if len(ids) != budget/slot+extra {
		t.Errorf("%d different answers", len(ids))
	}
}

func TestOrderedMethodsKeepTheirOrder(t *testing.T) {
	w := start(t, nil)
	c := w.dial(t)
	var want []string
	for i := range 200 {
		want = append(want, fmt.Sprint(i))
		c.send(fmt.Sprintf(`{"type":"req","id":%d,"method":"test.ordered","params":{"text":"%d"}}`, i, i))
	}
	var got []string
	for range want {
		got = append(got, <-w.waiting)
		c.receive()
	}
	if !slices.Equal(got, want) {
		t.Errorf("order %v", got)
	}
}

func TestClientThatDoesNotReadLosesItsPlace(t *testing.T) {
	w := start(t, func(c *Config) { c.limits.queue = bus.Limits{Events: 100} })
	c, quick := w.dial(t), w.dial(t)
	for _, each := range []*client{c, quick} {
		each.ask(`{"type":"req","id":1,"method":"subscribe","params":{"events":["*"]}}`)
	}
	// The fast client is waited for; the slow one's socket fills up, then its queue.
	var seq uint64
	for w.bus.Stats().Lagged == 0 {
		seq++
		w.publish(strings.Repeat("long ", 2000), seq)
		if got := quick.receive(); !strings.Contains(got, fmt.Sprintf(`"seq":%d,`, seq)) {
			t.Fatalf("the quick client got %.200s", got)
		}
	}
	last := uint64(0)
	for {
		_, data, err := c.ReadMessage()
		if err != nil {
			var closed *websocket.CloseError
			if !errors.As(err, &closed) || closed.Code != CloseResync || !strings.Contains(closed.Text, "resync") {
				t.Errorf("closed with %v", err)
			}
			break
		}
		last++
		if !strings.Contains(string(data), fmt.Sprintf(`"seq":%d,`, last)) {
			t.Fatalf("%d: %.200s", last, data)
		}
	}
	if last >= seq {
		t.Error("nothing was lost")
	}
}

func TestClientThatNeverReadsIsCutOff(t *testing.T) {
	w := start(t, func(c *Config) { c.limits.stall = 200 * time.Millisecond })
	c := w.dial(t)
	c.ask(`{"type":"req","id":1,"method":"subscribe","params":{"events":["*"]}}`)
	big := strings.Repeat("x", 1<<20)
	for seq := uint64(1); w.socketCount() > 0; seq++ {
		w.publish(big, seq)
	}
	// The client finds a dead connection after its buffered data.
	for {
		if _, _, err := c.ReadMessage(); err != nil {
			break
		}
	}
}

func (w *world) socketCount() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.sockets)
}

func TestSilentClientIsDropped(t *testing.T) {
	w := start(t, func(c *Config) {
		c.limits.ping, c.limits.silence = 20*time.Millisecond, time.Second
	})
	c := w.dial(t)
	pinged := make(chan struct{}, 100)
	c.SetPingHandler(func(string) error { // no pong
		pinged <- struct{}{}
		return nil
	})
	if _, _, err := c.ReadMessage(); err == nil {
		t.Error("still there")
	}
	if len(pinged) == 0 {
		t.Error("never asked")
	}
}

func TestTooLargeAMessage(t *testing.T) {
	w := start(t, func(c *Config) { c.limits.message = 1000 })
	c := w.dial(t)
	c.send(`{"type":"req","id":1,"method":"test.echo","params":{"text":"` + strings.Repeat("x", 2000) + `"}}`)
	_, _, err := c.ReadMessage()
	if !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
		t.Error(err)
	}
}

func TestLargeMessageBothWays(t *testing.T) {
	c := start(t, nil).dial(t)
	text := strings.Repeat("x", 20<<20)
	if got := c.ask(`{"type":"req","id":1,"method":"test.echo","params":{"text":"` + text + `"}}`); len(got) < len(text) {
		t.Errorf("%d bytes", len(got))
	}
}

func TestTooManySockets(t *testing.T) {
	w := start(t, func(c *Config) { c.limits.sockets = 1 })
	w.dial(t)
	res := w.do(t, http.MethodGet, "/ws", map[string]string{"Authorization": "Bearer " + testToken})
	if res.StatusCode != http.StatusServiceUnavailable {
		t.Error(res.StatusCode)
	}
}

// Final events are sent before the socket is closed.
func TestCloseSendsWhatWaits(t *testing.T) {
	w := start(t, nil)
	c := w.dial(t)
	c.ask(`{"type":"req","id":1,"method":"subscribe","params":{"events":["*"]}}`)
	const n = 1000
	for seq := range n {
		w.publish("s", uint64(seq+1))
	}
	closed := make(chan error, 1)
	go func() { closed <- w.Close(context.Background()) }()
	for range n {
		c.receive()
	}
	if _, _, err := c.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestClose(t *testing.T) {
	w := start(t, nil)
	c := w.dial(t)
	c.send(`{"type":"req","id":1,"method":"test.wait","params":{"text":"a"}}`)
	<-w.waiting
	closed := make(chan error, 1)
	go func() { closed <- w.Close(context.Background()) }()
	_, _, err := c.ReadMessage()
	if !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("closed with %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if n := w.bus.Stats().Subscriptions; n != 0 {
		t.Errorf("%d subscriptions left", n)
	}
	if err := w.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestCloseWithAClientThatDoesNotAnswer(t *testing.T) {
	w := start(t, func(c *Config) { c.limits.goodbye = 50 * time.Millisecond })
	w.dial(t) // never reads, so never answers the close
	if err := w.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"type":"req","id":"1","method":"session.list","params":{"limit":1}}`))
	f.Add([]byte(`{"type":"req","id":-1.5e3,"method":"x","params":[]}`))
	f.Add([]byte(`{"id":null}`))
	f.Add([]byte("{\"id\":\"\xff\"}"))
	f.Add([]byte(strings.Repeat(`{"params":`, 50)))
	f.Fuzz(func(t *testing.T, data []byte) {
		req, err := decode(data)
		if err == nil && (req.method == "" || len(req.id) == 0) {
			t.Fatalf("half a request: %+v", req)
		}
		// Whatever comes in, the response is one valid frame.
		codeOf(t, string(respond(req.id, []byte(`{}`), err)))
	})
}
