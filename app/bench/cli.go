//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"

	"parley/backend/claude"
	"parley/backend/session"
)

// bareCLI is the CLI without anything around it: its output is read line by line and discarded,
// except for the few control lines.
type bareCLI struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startCLI(ctx context.Context, path, dir string, env []string) (*bareCLI, error) {
	args := append(claude.Args(session.Spec{}), "--permission-prompt-tool=stdio")
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &bareCLI{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}, nil
}

func (c *bareCLI) stop() {
	c.in.Close()
	_, _ = io.Copy(io.Discard, c.out)
	_ = c.cmd.Wait()
}

func (c *bareCLI) send(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(b, '\n'))
	return err
}

// until reads lines up to the first that contains mark. Searching a few bytes costs almost nothing,
// so this empties the pipe as fast as possible.
func (c *bareCLI) until(mark string) ([]byte, error) {
	for {
		line, err := c.out.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("a line is longer than %d bytes", c.out.Size())
		}
		if err != nil {
			return nil, fmt.Errorf("the CLI ended before %s: %w", mark, err)
		}
		if bytes.Contains(line, []byte(mark)) {
			return line, nil
		}
	}
}

func userMessage(text string) any {
	return map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": text}}
}

// prompt runs a turn and returns the time up to its result.
func (c *bareCLI) prompt(text string) (time.Duration, error) {
	start := time.Now()
	if err := c.send(userMessage(text)); err != nil {
		return 0, err
	}
	_, err := c.until(`"type":"result"`)
	return time.Since(start), err
}

// deny runs a turn whose tool is denied and returns the time from the answer to the tool's result.
func (c *bareCLI) deny(text string) (time.Duration, error) {
	if err := c.send(userMessage(text)); err != nil {
		return 0, err
	}
	line, err := c.until(`"can_use_tool"`)
	if err != nil {
		return 0, err
	}
	var ask struct {
		RequestID string `json:"request_id"`
	}
	if err := json.Unmarshal(line, &ask); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := c.send(map[string]any{"type": "control_response", "response": map[string]any{
		"subtype": "success", "request_id": ask.RequestID,
		"response": map[string]any{"behavior": "deny", "message": "no"},
	}}); err != nil {
		return 0, err
	}
	if _, err := c.until(`"tool_result"`); err != nil {
		return 0, err
	}
	took := time.Since(start)
	_, err = c.until(`"type":"result"`)
	return took, err
}
