package gateway

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"parley/app/method"
	"parley/backend/bus"
	"parley/backend/event"
)

// BenchmarkEvents measures one event from Publish to the client's kernel, with a client that only
// counts bytes, so that nearly all of the time is ours. Events come in groups, as from a busy
// session.
func BenchmarkEvents(b *testing.B) {
	for _, group := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("group=%d", group), func(b *testing.B) { benchmarkEvents(b, group) })
	}
}

func benchmarkEvents(b *testing.B, group int) {
	log := slog.New(slog.DiscardHandler)
	events := bus.New(log)
	g, err := Listen(Config{Methods: method.Config{Logger: log}.New(), Bus: events, Token: testToken, Log: log})
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve() }()
	defer func() {
		if err := g.Close(context.Background()); err != nil {
			b.Error(err)
		}
		_ = <-served
	}()

	conn, err := net.Dial("tcp", g.listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	r := bufio.NewReaderSize(conn, 1<<20)
	fmt.Fprintf(conn, "GET /ws HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", g.listener.Addr(), testToken)
	if res, err := http.ReadResponse(r, nil); err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		b.Fatal(res, err)
	}
	ask := []byte(`{"type":"req","id":1,"method":"subscribe","params":{"events":["*"]}}`)
	frame := append([]byte{0x81, 0x80 | byte(len(ask)), 0, 0, 0, 0}, ask...)
	if _, err := conn.Write(frame); err != nil {
		b.Fatal(err)
	}
	answer := `{"type":"res","id":1,"ok":true,"payload":{"events":["*"]}}`
	if _, err := r.Discard(2 + len(answer)); err != nil {
		b.Fatal(err)
	}

	e := &event.TextDelta{Head: event.Head{SessionID: "session", Seq: 1, TurnID: "turn"}, BlockID: "block", Text: "a few words of text "}
	probe, err := events.Subscribe([]string{"*"}, bus.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	events.Publish(e)
	size := len(probe.Take(nil).Records[0].Message()) + 4 // plus the frame header
	probe.Close()
	if _, err := r.Discard(size); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		events.Publish(e)
		if i%group == group-1 {
			if _, err := r.Discard(size * group); err != nil {
				b.Fatal(err)
			}
		}
	}
}
