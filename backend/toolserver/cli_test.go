//go:build unix

package toolserver

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/backend/claude/claudetest"
	"parley/backend/demo"
)

// frame is one line of the CLI's output, with the fields these tests check.
type frame struct {
	Type       string `json:"type"`
	Subtype    string `json:"subtype"`
	RequestID  string `json:"request_id"`
	Result     string `json:"result"`
	IsError    bool   `json:"is_error"`
	MCPServers []struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"mcp_servers"`
	Tools   []string `json:"tools"`
	Request struct {
		Subtype string          `json:"subtype"`
		Input   json.RawMessage `json:"input"`
	} `json:"request"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	raw string
	at  time.Time
}

// toolResult returns the text of a frame's first tool result, "" without one.
func (f frame) toolResult() string {
	if f.Type != "user" {
		return ""
	}
	var blocks []struct {
		Type    string          `json:"type"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(f.Message.Content, &blocks) != nil || len(blocks) == 0 || blocks[0].Type != "tool_result" {
		return ""
	}
	var text string
	if json.Unmarshal(blocks[0].Content, &text) == nil {
		return text
	}
	return string(blocks[0].Content)
}

// cli is a real CLI that talks to a scripted model.
type cli struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	frames chan frame
	stderr *strings.Builder
	ended  chan struct{}
	// requests handles the CLI's requests over its pipes; unset, they are frames like any other.
	requests atomic.Pointer[func(id string, request json.RawMessage)]
}

// startCLI starts the real CLI with its own environment and stops it when the
// test ends.
func startCLI(t testing.TB, model *demo.Server, env []string, args ...string) *cli {
	t.Helper()
	home := t.TempDir()
	work := filepath.Join(home, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(claudetest.RealCLI(t), append([]string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"}, args...)...)
	cmd.Dir = work
	cmd.Env = append(model.Env(home, filepath.Join(home, "config")), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c := &cli{t: t, cmd: cmd, frames: make(chan frame, 4096), stderr: &strings.Builder{}, ended: make(chan struct{})}
	cmd.Stderr = c.stderr
	var err error
	if c.stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.ended)
		defer close(c.frames)
		r := bufio.NewReader(stdout)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			f := frame{raw: line, at: time.Now()}
			if json.Unmarshal([]byte(line), &f) != nil {
				continue
			}
			if take := c.requests.Load(); take != nil && f.Type == "control_request" {
				var whole struct {
					Request json.RawMessage `json:"request"`
				}
				_ = json.Unmarshal([]byte(line), &whole) // parsed before
				(*take)(f.RequestID, whole.Request)
				continue
			}
			c.frames <- f
		}
	}()
	t.Cleanup(c.stop)
	return c
}

// stop closes the CLI's input, then kills it.
func (c *cli) stop() {
	_ = c.stdin.Close()
	kill := time.AfterFunc(5*time.Second, func() { _ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) })
	defer kill.Stop()
	for range c.frames { // lets the reader finish
	}
	<-c.ended
	_ = c.cmd.Wait()
	if c.t.Failed() {
		c.t.Log("the CLI's stderr:", c.stderr)
	}
}

func (c *cli) send(v any) {
	c.t.Helper()
	line, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.stdin.Write(append(line, '\n')); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cli) prompt(text string) {
	c.t.Helper()
	c.send(object{"type": "user", "message": object{"role": "user", "content": text}})
}

func (c *cli) control(id, subtype string) {
	c.t.Helper()
	c.send(object{"type": "control_request", "request_id": id, "request": object{"subtype": subtype}})
}

// await returns the next frame that matches.
func (c *cli) await(what string, match func(frame) bool) frame {
	c.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case f, ok := <-c.frames:
			if !ok {
				c.t.Fatalf("the CLI ended before %s; stderr: %s", what, c.stderr)
			}
			if testing.Verbose() {
				c.t.Log(strings.TrimSpace(f.raw[:min(len(f.raw), 400)]))
			}
			if match(f) {
				return f
			}
		case <-timeout:
			c.t.Fatalf("no %s within %v", what, patience)
		}
	}
}

func isInit(f frame) bool       { return f.Type == "system" && f.Subtype == "init" }
func isResult(f frame) bool     { return f.Type == "result" }
func isToolResult(f frame) bool { return f.toolResult() != "" }

// newModel starts a scripted model that runs one command for each prompt and then
// reports its result.
func newModel(t testing.TB, command string) *demo.Server {
	t.Helper()
	script := demo.NewRules().When(demo.Any,
		demo.Use("Bash", object{"command": command, "description": "test"}), demo.Say("Finished."))
	model, err := demo.Start(demo.Config{Script: script, Logger: slog.New(slog.DiscardHandler), Instant: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return model
}
