package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"parley/app/method"
	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testToken = "a-token-that-is-long-enough"

type world struct {
	*Gateway
	bus *bus.Bus
	// hold blocks the calls of test.wait until it is closed, and the call of test.ordered to be
	// held; waiting receives a value when one has started.
	hold    chan struct{}
	waiting chan string
}

type textParams struct {
	Text string `json:"text"`
}

// methods are a feature.
type methods []*method.Method

func (m methods) Methods() []*method.Method { return m }

// start runs a gateway until the end of the test.
func start(t *testing.T, change func(*Config)) *world {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	w := &world{bus: bus.New(log), hold: make(chan struct{}), waiting: make(chan string, 1000)}
	table := method.Config{Logger: log}.New(methods{
		method.New("test.echo", "", func(_ context.Context, p textParams) (textParams, error) { return p, nil }).Was("test.say"),
		method.New("test.ordered", "", func(_ context.Context, p textParams) (textParams, error) {
			w.waiting <- p.Text
			if p.Text == "held" {
				<-w.hold
			}
			return p, nil
		}).InOrder(),
		method.New("test.panic", "", func(context.Context, struct{}) (textParams, error) { panic("oh") }).Was("test.alarm"),
		method.New("test.surface", "", func(ctx context.Context, _ struct{}) (textParams, error) {
			return textParams{method.Surface(ctx)}, nil
		}),
		method.New("test.wait", "", func(ctx context.Context, p textParams) (textParams, error) {
			w.waiting <- p.Text
			select {
			case <-w.hold:
				return p, nil
			case <-ctx.Done():
				return p, ctx.Err()
			}
		}),
	})
	cfg := Config{Methods: table, Bus: w.bus, Page: testPage(), Token: testToken, Version: "1.2.3", Health: testHealth, Log: log, limits: defaultLimits()}
	if change != nil {
		change(&cfg)
	}
	g, err := Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.Gateway = g
	served := make(chan error, 1)
	go func() { served <- g.Serve() }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		if err := g.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return w
}

func testPage() fs.FS {
	return fstest.MapFS{
		"index.html":               {Data: []byte("<!doctype html>the page")},
		"favicon.svg":              {Data: []byte("<svg/>")},
		"assets/main-abc123.js":    {Data: []byte("js")},
		"assets/main-abc123.css":   {Data: []byte("css")},
		"assets/inter-abc.woff2":   {Data: []byte("font")},
		".gitkeep":                 {},
		".secret/file.txt":         {Data: []byte("hidden")},
		"data.bin":                 {Data: []byte{0}},
		"site.webmanifest":         {Data: []byte("{}")},
		"folder/without/index.txt": {Data: []byte("text")},
	}
}

func (w *world) host() string {
	return strings.TrimSuffix(strings.TrimPrefix(w.URL(), "http://"), "/")
}

// do sends a plain request.
func (w *world) do(t *testing.T, verb, path string, header map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), verb, w.URL()+strings.TrimPrefix(path, "/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		if k == "Host" {
			req.Host = v
		} else {
			req.Header[k] = []string{v}
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// client is a socket with a deadline, so that a test that waits in vain fails.
type client struct {
	*websocket.Conn
	t *testing.T
}

func (w *world) dial(t *testing.T) *client {
	t.Helper()
	c, err := w.tryDial(t)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (w *world) tryDial(t *testing.T) (*client, error) {
	header := http.Header{"Authorization": {"Bearer " + testToken}}
	ws, res, err := websocket.DefaultDialer.DialContext(t.Context(), "ws://"+w.host()+"/ws", header)
	if err != nil {
		if res != nil {
			err = fmt.Errorf("%w: %s", err, res.Status)
		}
		return nil, err
	}
	t.Cleanup(func() { _ = ws.Close() })
	return &client{ws, t}, ws.SetReadDeadline(time.Now().Add(10 * time.Minute))
}

func (c *client) send(frame string) {
	c.t.Helper()
	if err := c.WriteMessage(websocket.TextMessage, []byte(frame)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) receive() string {
	c.t.Helper()
	_, data, err := c.ReadMessage()
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

// ask sends a request and returns its answer, which must be the next message.
func (c *client) ask(frame string) string {
	c.t.Helper()
	c.send(frame)
	return c.receive()
}

func (w *world) publish(session string, seq uint64) {
	w.bus.Publish(&event.TextDelta{Head: event.Head{SessionID: session, Seq: seq}, BlockID: "b", Text: "text"})
}

func codeOf(t *testing.T, frame string) fault.Code {
	t.Helper()
	var f struct {
		OK    bool        `json:"ok"`
		Error borderError `json:"error"`
	}
	if err := json.Unmarshal([]byte(frame), &f); err != nil {
		t.Fatal(err)
	}
	return f.Error.Code
}

// testHealth adds values, but can't override the gateway's own.
func testHealth(context.Context) map[string]any { return map[string]any{"held": 2, "status": "other"} }
