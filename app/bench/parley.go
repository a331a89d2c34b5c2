//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

// parley is a headless Parley and one client of its gateway.
type parley struct {
	cmd    *exec.Cmd
	pid    int
	socket *websocket.Conn
	nextID int
}

func startParley(ctx context.Context, cfg config, dir string, env []string) (*parley, error) {
	data := filepath.Join(dir, "data")
	cmd := exec.CommandContext(ctx, cfg.parley, "serve", "--data", data)
	cmd.Env = append(env, "PARLEY_CLAUDE_BIN="+cfg.claude)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	log, err := os.Create(filepath.Join(dir, "parley.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &parley{cmd: cmd, pid: cmd.Process.Pid}
	var hello struct{ URL, Token string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &hello)
	}
	if err == nil {
		header := http.Header{"Authorization": {"Bearer " + hello.Token}}
		p.socket, _, err = websocket.DefaultDialer.DialContext(ctx, "ws"+strings.TrimPrefix(hello.URL, "http")+"ws", header)
	}
	if err == nil {
		err = p.call("subscribe", map[string]any{"events": []string{"*"}}, nil)
	}
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		p.stop()
		return nil, fmt.Errorf("starting %s: %w\n%s", cfg.parley, err, said)
	}
	return p, nil
}

func (p *parley) stop() {
	if p.socket != nil {
		p.socket.Close()
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// frame is a message from the gateway; Payload is decoded on demand.
type frame struct {
	Type    string
	ID      json.Number
	OK      bool
	Error   struct{ Code, Message string }
	Event   string
	Payload json.RawMessage
}

func (p *parley) send(method string, params any) (id string, err error) {
	p.nextID++
	id = fmt.Sprint(p.nextID)
	return id, p.socket.WriteJSON(map[string]any{"type": "req", "id": p.nextID, "method": method, "params": params})
}

// call sends a request and waits for its answer. Events in between are dropped.
func (p *parley) call(method string, params, result any) error {
	id, err := p.send(method, params)
	if err != nil {
		return err
	}
	for {
		var f frame
		if err := p.socket.ReadJSON(&f); err != nil {
			return err
		}
		if f.Type != "res" || f.ID.String() != id {
			continue
		}
		if !f.OK {
			return fmt.Errorf("%s: %s: %s", method, f.Error.Code, f.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(f.Payload, result)
	}
}

func (p *parley) create(dir string) (session string, err error) {
	var created struct{ ID string }
	err = p.call("session.create", map[string]any{"cwd": dir}, &created)
	return created.ID, err
}

// turn is what a client saw of one.
type turn struct {
	took  time.Duration
	words int
}

// prompt runs a turn and returns the time up to its done event.
func (p *parley) prompt(session, text string) (turn, error) {
	start := time.Now()
	if _, err := p.send("session.prompt", map[string]any{"sessionId": session, "text": text}); err != nil {
		return turn{}, err
	}
	var t turn
	err := p.until("session.done", func(event string, payload []byte) error {
		if event == "session.text_delta" {
			t.words += bytes.Count(payload, []byte("word "))
		}
		return nil
	})
	t.took = time.Since(start)
	return t, err
}

// deny runs a turn whose tool is denied and returns the time from the answer to the event of the
// tool's result.
func (p *parley) deny(session, text string) (time.Duration, error) {
	if _, err := p.send("session.prompt", map[string]any{"sessionId": session, "text": text}); err != nil {
		return 0, err
	}
	var question struct{ RequestID string }
	var start time.Time
	var took time.Duration
	err := p.until("session.done", func(event string, payload []byte) error {
		switch event {
		case "session.permission_request":
			if err := json.Unmarshal(payload, &question); err != nil {
				return err
			}
			start = time.Now()
			_, err := p.send("permission.respond", map[string]any{"requestId": question.RequestID, "behavior": "deny", "message": "no"})
			return err
		case "session.tool_result":
			took = time.Since(start)
		}
		return nil
	})
	if err == nil && start.IsZero() {
		err = fmt.Errorf("there was no question")
	}
	return took, err
}

// until passes events to see up to the first with this name.
func (p *parley) until(last string, see func(event string, payload []byte) error) error {
	for {
		var f frame
		if err := p.socket.ReadJSON(&f); err != nil {
			return err
		}
		switch {
		case f.Type == "res" && !f.OK:
			return fmt.Errorf("%s: %s", f.Error.Code, f.Error.Message)
		case f.Type != "event":
			continue
		case f.Event == "session.error":
			return fmt.Errorf("the session failed: %s", f.Payload)
		}
		if err := see(f.Event, f.Payload); err != nil {
			return err
		}
		if f.Event == last {
			return nil
		}
	}
}
