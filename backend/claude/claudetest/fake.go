//go:build unix

package claudetest

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scenarioVar carries the scenario to the fake.
const scenarioVar = "CLAUDETEST_SCENARIO"

// Scenario describes what the fake CLI does. The zero value answers initialize
// and every prompt with a short turn, and exits at the end of its input.
type Scenario struct {
	// Version is what --version prints; "" means "2.1.329 (Claude Code)".
	Version string
	// Start runs immediately.
	Start []Step
	// Turns run for the prompts, in order, repeating the last one. None means a
	// short answer.
	Turns [][]Step
	// Silent leaves control requests unanswered.
	Silent bool
	// Deaf stops reading input after this many lines, unless it is 0.
	Deaf int
	// IgnoreTerm and IgnoreEOF make it hard to stop.
	IgnoreTerm bool
	IgnoreEOF  bool
}

// Step is one action of the fake. Fields that are set are executed in this
// order.
type Step struct {
	// Print writes text to stdout unchanged, with one write.
	Print Bytes `json:",omitempty"`
	// File prints a file's contents with one write, for what doesn't fit an
	// environment.
	File string `json:",omitempty"`
	// Deltas prints this many text deltas, one write each as the real CLI does.
	Deltas int `json:",omitempty"`
	// Line prints a user frame that is exactly this many bytes long.
	Line int `json:",omitempty"`
	// Stderr writes this many bytes to stderr.
	Stderr int `json:",omitempty"`
	// Child starts a process that outlives the fake: a sleep in its own process
	// group, like the real CLI's tools. With 2 it holds stdout open.
	Child int `json:",omitempty"`
	// Pause waits.
	Pause time.Duration `json:",omitempty"`
	// Hang waits forever.
	Hang bool `json:",omitempty"`
	// Kill ends the fake with this signal; Exit ends it with code Exit-1.
	Kill syscall.Signal `json:",omitempty"`
	Exit int            `json:",omitempty"`
}

// Bytes is text that need not be valid UTF-8.
type Bytes string

// MarshalText implements [encoding.TextMarshaler]: JSON would replace invalid
// bytes.
func (b Bytes) MarshalText() ([]byte, error) {
	return []byte(base64.StdEncoding.EncodeToString([]byte(b))), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *Bytes) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.DecodeString(string(text))
	*b = Bytes(raw)
	return err
}

// Env returns the variable that makes the test binary play s.
func (s Scenario) Env() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // plain data always encodes
	}
	return scenarioVar + "=" + string(b)
}

// Path returns the fake's program: the test binary.
func Path(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Main runs the fake if this process is one, and doesn't return in that case.
// TestMain calls it first.
func Main() {
	text, ok := os.LookupEnv(scenarioVar)
	if !ok {
		return
	}
	var s Scenario
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		fmt.Fprintln(os.Stderr, "claudetest:", err)
		os.Exit(2)
	}
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		if s.Version == "" {
			s.Version = "2.1.329 (Claude Code)"
		}
		fmt.Println(s.Version)
		os.Exit(0)
	}
	os.Exit(s.play(os.Stdin, os.Stdout))
}

func (s Scenario) play(in io.Reader, out io.Writer) int {
	if s.IgnoreTerm {
		signal.Ignore(syscall.SIGTERM)
	}
	do(out, s.Start)
	prompts := 0
	r := bufio.NewReaderSize(in, 1<<20)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if err != nil {
			break
		}
		var f struct {
			Type      string
			UUID      string
			RequestID string `json:"request_id"`
			Request   struct{ Subtype string }
		}
		if json.Unmarshal(line, &f) != nil {
			fmt.Fprintln(os.Stderr, "Error parsing streaming input line")
			return 1
		}
		switch f.Type {
		case "control_request":
			if !s.Silent {
				fmt.Fprintln(out, controlAnswer(f.RequestID, f.Request.Subtype))
			}
		case "control_response":
			fmt.Fprintf(out, `{"type":"fake","subtype":"got_reply","line":%s}`+"\n", line[:len(line)-1])
		case "user":
			turn := shortTurn(f.UUID)
			if len(s.Turns) > 0 {
				turn = s.Turns[min(prompts, len(s.Turns)-1)]
			}
			prompts++
			do(out, turn)
		}
		if s.Deaf == n {
			do(out, []Step{{Hang: true}})
		}
	}
	if s.IgnoreEOF {
		do(out, []Step{{Hang: true}})
	}
	return 0
}

func controlAnswer(id, subtype string) string {
	switch subtype {
	case "initialize":
		return `{"type":"control_response","response":{"subtype":"success","request_id":"` + id + `","response":{"commands":[],"models":[{"value":"fake"}]}}}`
	case "interrupt", "set_model", "set_permission_mode":
		return `{"type":"control_response","response":{"subtype":"success","request_id":"` + id + `"}}`
	}
	return `{"type":"control_response","response":{"subtype":"error","request_id":"` + id + `","error":"Unsupported control request subtype: ` + subtype + `"}}`
}

func shortTurn(promptID string) []Step {
	return []Step{
		{Print: `{"type":"system","subtype":"init","session_id":"fake","model":"fake"}` + "\n"},
		{Print: `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"Hello"}]}}` + "\n"},
		{Print: `{"type":"result","subtype":"success","result":"Hello","user_message_uuids":["` + Bytes(promptID) + `"]}` + "\n"},
	}
}

// Delta returns a text delta as the real CLI prints it.
func Delta(text string) string {
	b, _ := json.Marshal(text) // a string always encodes
	return `{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + string(b) +
		`}},"session_id":"849c9af1-557a-485d-9e01-24215c1a2f74","parent_tool_use_id":null,"uuid":"61898385-123b-46b1-a98e-a1dece91adc5","api_message_id":"msg_01"}` + "\n"
}

// The frame that Step.Line prints.
const (
	LineHead = `{"type":"user","message":{"role":"user","content":"`
	LineTail = `"}}`
)

func do(out io.Writer, steps []Step) {
	for _, s := range steps {
		if s.Print != "" {
			io.WriteString(out, string(s.Print))
		}
		if s.File != "" {
			text, err := os.ReadFile(s.File)
			if err != nil {
				panic(err) // the test created it
			}
			out.Write(text)
		}
		for i := range s.Deltas {
			io.WriteString(out, Delta(fmt.Sprintf("word%d ", i)))
		}
		if s.Line > 0 {
			w := bufio.NewWriterSize(out, 1<<16)
			w.WriteString(LineHead)
			w.WriteString(strings.Repeat("x", s.Line-len(LineHead)-len(LineTail)))
			w.WriteString(LineTail + "\n")
			w.Flush()
		}
		if s.Stderr > 0 {
			io.WriteString(os.Stderr, strings.Repeat("noise ", s.Stderr/6)+"the last words")
		}
		if s.Child > 0 {
			startChild(s.Child == 2)
		}
		time.Sleep(s.Pause)
		if s.Hang {
			<-time.After(time.Hour) // nobody waits that long
		}
		if s.Kill != 0 {
			_ = syscall.Kill(os.Getpid(), s.Kill)
			time.Sleep(time.Minute)
		}
		if s.Exit > 0 {
			os.Exit(s.Exit - 1)
		}
	}
}

// startChild starts a process as the CLI starts its tools: in its own process
// group, with the same environment.
func startChild(holdStdout bool) {
	cmd := exec.Command("sleep", "300")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if holdStdout {
		cmd.Stdout = os.Stdout
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}
