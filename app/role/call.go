package role

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/fault"
)

// maxAnswer bounds what a method may answer, in bytes.
const maxAnswer = 256 << 20

func (p Program) call(args []string) int {
	set := p.flags("parley call", "parley call [flags] METHOD [JSON]\n\n"+
		"Calls a method of a running Parley and prints its result as JSON. JSON is the\n"+
		"parameters; \"-\" reads them from standard input. \"parley call method.list\" lists\n"+
		"the methods. The server is found by PARLEY_URL and PARLEY_TOKEN, or by what\n"+
		"\"parley serve --announce\" left in the data folder.")
	data := set.String("data", "", "the server's data `folder`")
	timeout := set.Duration("timeout", 30*time.Second, "how long to wait for the answer")
	if code, ok := parse(set, args, 2); !ok {
		return code
	}
	if set.NArg() == 0 {
		set.Usage()
		return exitUsage
	}
	params, err := p.params(set.Arg(1))
	if err != nil {
		return p.fail(err)
	}
	server, err := p.findServer(*data)
	if err != nil {
		return p.fail(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	result, err := ask(ctx, server, set.Arg(0), params)
	if err != nil {
		return p.fail(err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, result, "", "  "); err != nil {
		return p.fail(err)
	}
	out.WriteByte('\n')
	if _, err := p.Stdout.Write(out.Bytes()); err != nil {
		return p.fail(err)
	}
	return exitOK
}

func (p Program) params(text string) (json.RawMessage, error) {
	if text == "-" {
		all, err := io.ReadAll(p.Stdin)
		if err != nil {
			return nil, fmt.Errorf("read the parameters: %w", err)
		}
		text = string(all)
	}
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}"), nil
	}
	if !json.Valid([]byte(text)) {
		return nil, fault.New(fault.Invalid, "The parameters are not JSON.")
	}
	return json.RawMessage(text), nil
}

// ask calls one method over a socket of its own.
func ask(ctx context.Context, server announcement, method string, params json.RawMessage) (json.RawMessage, error) {
	address := "ws" + strings.TrimPrefix(strings.TrimSuffix(server.URL, "/"), "http") + "/ws"
	ws, res, err := websocket.DefaultDialer.DialContext(ctx, address, http.Header{"Authorization": {"Bearer " + server.Token}})
	switch {
	case res != nil && res.StatusCode == http.StatusUnauthorized:
		return nil, fault.Wrap(err, fault.Unauthorized, "Parley at %s does not accept this token.", server.URL)
	case res != nil && err != nil:
		return nil, fault.Wrap(err, fault.Unavailable, "Parley at %s refused the connection: %s.", server.URL, res.Status)
	case err != nil && late(ctx, err):
		return nil, lost(ctx, err)
	case err != nil:
		return nil, fault.Wrap(err, fault.Unavailable, "No Parley answers at %s.", server.URL)
	}
	defer func() { _ = ws.Close() }()
	// The end of ctx ends a read that waits.
	defer context.AfterFunc(ctx, func() { _ = ws.Close() })()

	ws.SetReadLimit(maxAnswer)
	request, err := json.Marshal(map[string]any{"type": "req", "id": "call", "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if err := ws.WriteMessage(websocket.TextMessage, request); err != nil {
		return nil, lost(ctx, err)
	}
	// Without a subscription, the answer is all that comes.
	_, data, err := ws.ReadMessage()
	if err != nil {
		return nil, lost(ctx, err)
	}
	var answer struct {
		OK      bool            `json:"ok"`
		Payload json.RawMessage `json:"payload"`
		Error   struct {
			Code    fault.Code `json:"code"`
			Message string     `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if !answer.OK {
		return nil, fault.New(answer.Error.Code, "%s (%s)", answer.Error.Message, answer.Error.Code)
	}
	return answer.Payload, nil
}

// late says whether time was up. A connection may notice that a moment before ctx does.
func late(ctx context.Context, err error) bool {
	return errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}

func lost(ctx context.Context, err error) error {
	if late(ctx, err) {
		return fault.Wrap(err, fault.Unavailable, "Parley did not answer in time. Allow more with --timeout.")
	}
	return fault.Wrap(err, fault.Unavailable, "Parley closed the connection.")
}
