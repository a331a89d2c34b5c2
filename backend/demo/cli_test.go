//go:build unix

package demo_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/claude/claudetest"
	"parley/backend/demo"
)

// frame is one line of the CLI's output.
type frame struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	RequestID string `json:"request_id"`
	IsError   bool   `json:"is_error"`
	Result    string `json:"result"`
	SessionID string `json:"session_id"`
	Response  struct {
		RequestID string `json:"request_id"`
		Subtype   string `json:"subtype"`
		// Response's type depends on the request.
		Response json.RawMessage `json:"response"`
	} `json:"response"`
	Request struct {
		Subtype  string          `json:"subtype"`
		ToolName string          `json:"tool_name"`
		Input    json.RawMessage `json:"input"`
	} `json:"request"`
	Event struct {
		Type  string `json:"type"`
		Delta struct {
			Text string `json:"text"`
		} `json:"delta"`
	} `json:"event"`
	PermissionMode string `json:"permissionMode"`
	raw            string
}

// cli is a real CLI that talks to a scripted server.
type cli struct {
	t      *testing.T
	stdin  io.WriteCloser
	frames chan frame
	dir    string
	asked  int
}

// run starts the real CLI in dir with its own environment. The test ends it and
// waits for it.
func run(t *testing.T, s *demo.Server, dir string, args ...string) *cli {
	t.Helper()
	bin := claudetest.RealCLI(t)
	home := t.TempDir()
	cmd := exec.Command(bin, append([]string{"-p", "--input-format", "stream-json", "--output-format", "stream-json",
		"--verbose", "--include-partial-messages", "--permission-prompt-tool", "stdio"}, args...)...)
	cmd.Dir = dir
	cmd.Env = s.Env(home, filepath.Join(home, "config"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr := &strings.Builder{}
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &cli{t: t, stdin: stdin, frames: make(chan frame, 4096), dir: dir}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(c.frames)
		br := bufio.NewReader(stdout)
		for {
			line, err := br.ReadString('\n')
			if err != nil {
				return
			}
			f := frame{raw: line}
			if json.Unmarshal([]byte(line), &f) == nil {
				c.frames <- f
			}
		}
	}()
	t.Cleanup(func() {
		_ = stdin.Close()
		stop := time.AfterFunc(5*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		for range c.frames { // lets the reader finish
		}
		<-read
		_ = cmd.Wait()
		stop.Stop()
		if t.Failed() {
			t.Log("stderr of the CLI:", stderr)
		}
	})
	return c
}

func (c *cli) send(v any) {
	c.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.stdin.Write(append(b, '\n')); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cli) prompt(text string) {
	c.t.Helper()
	c.send(m{"type": "user", "message": m{"role": "user", "content": text}})
}

// control sends a control request and returns its id.
func (c *cli) control(request m) string {
	c.t.Helper()
	c.asked++
	id := "t" + strconv.Itoa(c.asked)
	c.send(m{"type": "control_request", "request_id": id, "request": request})
	return id
}

// permit answers a permission request.
func (c *cli) permit(f frame, answer m) {
	c.t.Helper()
	c.send(m{"type": "control_response", "response": m{"subtype": "success", "request_id": f.RequestID, "response": answer}})
}

// until returns the next frame that matches, and everything read up to it.
func (c *cli) until(what string, match func(frame) bool) (frame, []frame) {
	c.t.Helper()
	timer := time.NewTimer(10 * time.Minute)
	defer timer.Stop()
	var seen []frame
	for {
		select {
		case f, ok := <-c.frames:
			if !ok {
				c.t.Fatalf("the CLI ended before %s; last frames: %s", what, tail(seen))
			}
			seen = append(seen, f)
			if match(f) {
				return f, seen
			}
		case <-timer.C:
			c.t.Fatalf("no %s; last frames: %s", what, tail(seen))
		}
	}
}

func tail(frames []frame) string {
	var b strings.Builder
	for _, f := range frames[max(0, len(frames)-8):] {
		b.WriteString("\n  " + f.raw[:min(len(f.raw), 600)])
	}
	return b.String()
}

func isResult(f frame) bool { return f.Type == "result" }

func isQuestion(f frame) bool {
	return f.Type == "control_request" && f.Request.Subtype == "can_use_tool"
}

// said joins the streamed words of frames.
func said(frames []frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(f.Event.Delta.Text)
	}
	return b.String()
}
