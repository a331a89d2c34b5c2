package gateway

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/gorilla/websocket"
)

const ordered = `{"type":"req","id":%d,"method":"test.ordered","params":{"text":"%s"}}`

// A closing page sends its last calls right before it is gone: they run, in order, even if earlier
// ones take long.
func TestLastWords(t *testing.T) {
	w := start(t, nil)
	c := w.dial(t)
	want := []string{"held", "a", "b", "c"}
	for i, text := range want {
		c.send(fmt.Sprintf(ordered, i, text))
	}
	<-w.waiting // the others have arrived when the close is answered
	if err := c.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, "")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Fatal(err)
	}
	close(w.hold)
	w.running.Wait()
	close(w.waiting)
	for _, text := range want[1:] {
		if got := <-w.waiting; got != text {
			t.Errorf("done: %q instead of %q", got, text)
		}
	}
}

// Pending calls of a device that was removed in the meantime do not run.
func TestNoLastWordsOfARemovedDevice(t *testing.T) {
	p := &phone{gone: make(chan struct{})}
	w := start(t, func(cfg *Config) { cfg.Devices = p })
	cookie := w.trade(t, `{"token":"pair.GOOD","proof":"`+deviceProof+`"}`).Cookies()[0]
	dialer := websocket.Dialer{Subprotocols: []string{protocol, proofProtocol + deviceProof}}
	ws, _, err := dialer.DialContext(t.Context(), "ws://"+w.host()+"/ws", http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}, "Origin": {"http://" + w.host()}})
	if err != nil {
		t.Fatal(err)
	}
	c := &client{ws, t}
	defer func() { _ = ws.Close() }()
	for i, text := range []string{"held", "later"} {
		c.send(fmt.Sprintf(ordered, i, text))
	}
	<-w.waiting
	close(p.gone)
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, CloseRemoved) {
		t.Fatal(err)
	}
	_ = ws.Close()
	close(w.hold)
	w.running.Wait()
	if len(w.waiting) > 0 {
		t.Errorf("done after it was removed: %q", <-w.waiting)
	}
}
