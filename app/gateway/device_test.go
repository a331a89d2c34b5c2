package gateway

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/fault"
)

const (
	deviceProof  = "a-proof-that-is-long-enough"
	deviceSecret = "d1.secret"
)

// phone is the only device, which may only call test.echo, test.ordered and test.surface.
type phone struct{ gone chan struct{} }

func (p *phone) Redeem(code, proof string) (string, bool, error) {
	return deviceSecret, code == "pair.GOOD" && proof == deviceProof, nil
}

func (p *phone) Admit(secret, proof string) Device {
	if secret == deviceSecret && proof == deviceProof {
		return p
	}
	return nil
}

func (p *phone) Listens(string, error) {}

func (p *phone) May(name string) error {
	if name == "test.echo" || name == "test.ordered" || name == "test.surface" {
		return nil
	}
	return fault.New(fault.Forbidden, "no")
}

func (p *phone) Gone() <-chan struct{} { return p.gone }
func (p *phone) Caller() string        { return "d1 My phone" }
func (p *phone) Name() string          { return "My phone" }
func (p *phone) Once() bool            { return true }

func TestDevice(t *testing.T) {
	p := &phone{gone: make(chan struct{})}
	w := start(t, func(cfg *Config) { cfg.Devices = p })
	for name, body := range map[string]string{
		"a wrong code": `{"token":"pair.BAD","proof":"` + deviceProof + `"}`, "no proof": `{"token":"pair.GOOD"}`,
	} {
		if res := w.trade(t, body); res.StatusCode != http.StatusUnauthorized || len(res.Cookies()) != 0 {
			t.Errorf("%s: %d %v", name, res.StatusCode, res.Cookies())
		}
	}
	cookies := w.trade(t, `{"token":"pair.GOOD","proof":"`+deviceProof+`"}`).Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].MaxAge < 300*24*3600 ||
		cookies[0].Path != "/" || cookies[0].Domain != "" || cookies[0].Value != deviceSecret {
		t.Fatalf("%+v", cookies)
	}
	dial := func(proof, origin, secret string) (*websocket.Conn, *http.Response) {
		t.Helper()
		dialer := websocket.Dialer{Subprotocols: []string{protocol, proofProtocol + proof}}
		ws, res, err := dialer.DialContext(t.Context(), "ws://"+w.host()+"/ws", http.Header{"Cookie": {cookies[0].Name + "=" + secret}, "Origin": {origin}})
		if err != nil && res == nil {
			t.Fatal(err)
		}
		return ws, res
	}
	here := "http://" + w.host()
	for name, tt := range map[string]struct {
		proof, origin, secret string
		want                  int
	}{
		"another proof":  {deviceProof + "x", here, deviceSecret, http.StatusUnauthorized},
		"another secret": {deviceProof, here, deviceSecret + "x", http.StatusUnauthorized},
		"another site":   {deviceProof, "http://example.com", deviceSecret, http.StatusForbidden},
	} {
		ws, res := dial(tt.proof, tt.origin, tt.secret)
		if ws != nil || res.StatusCode != tt.want {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}

	ws, _ := dial(deviceProof, here, deviceSecret)
	defer func() { _ = ws.Close() }()
	ask := func(frame string) string {
		t.Helper()
		if err := ws.WriteMessage(websocket.TextMessage, []byte(frame)); err != nil {
			t.Fatal(err)
		}
		_, answer, err := ws.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
	if got := ask(`{"type":"req","id":1,"method":"test.echo","params":{"text":"hi"}}`); !strings.Contains(got, "hi") {
		t.Errorf("what it may: %s", got)
	}
	if got := ask(`{"type":"req","id":2,"method":"test.panic"}`); codeOf(t, got) != fault.Forbidden {
		t.Errorf("what it may not: %s", got)
	}
	if got := ask(`{"type":"req","id":4,"method":"test.say","params":{"text":"hi"}}`); !strings.Contains(got, "hi") {
		t.Errorf("what it may, by its former name: %s", got)
	}
	if got := ask(`{"type":"req","id":5,"method":"test.alarm"}`); codeOf(t, got) != fault.Forbidden {
		t.Errorf("what it may not, by its former name: %s", got)
	}
	if got := ask(`{"type":"req","id":3,"method":"test.surface"}`); !strings.Contains(got, `"@My phone (device)"`) {
		t.Errorf("where its calls come from: %s", got)
	}
	close(p.gone)
	_ = ws.SetReadDeadline(time.Now().Add(10 * time.Minute))
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, CloseRemoved) {
		t.Errorf("after it was removed: %v", err)
	}
}
