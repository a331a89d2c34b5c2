//go:build unix

package toolserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// reportTimes reports the median and the 95th percentile of durations.
func reportTimes(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	b.ReportMetric(ms(times[len(times)/2]), "p50-ms")
	b.ReportMetric(ms(times[len(times)*95/100]), "p95-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCLIAnswer measures the time from an answer to the CLI's next frame, through
// the tool server and its relay, and through the control protocol for comparison.
// A deny leaves out the run time of the tool itself.
func BenchmarkCLIAnswer(b *testing.B) {
	const deny = `{"behavior":"deny","message":"no"}`
	b.Run("mcp", func(b *testing.B) {
		c, _, _, asked, _ := grantCLI(b, "touch made.txt")
		var times []time.Duration
		for b.Loop() {
			c.prompt("go")
			p := next(b, asked)
			c.drain()
			start := time.Now()
			p.answer <- deny
			times = append(times, c.await("frame", func(frame) bool { return true }).at.Sub(start))
			c.await("result", isResult)
		}
		reportTimes(b, times)
	})
	b.Run("control", func(b *testing.B) {
		c := startCLI(b, newModel(b, "touch made.txt"), nil, "--permission-prompt-tool", "stdio")
		var times []time.Duration
		for b.Loop() {
			c.prompt("go")
			q := c.await("question", func(f frame) bool { return f.Type == "control_request" })
			c.drain()
			start := time.Now()
			c.send(object{"type": "control_response", "response": object{
				"subtype": "success", "request_id": q.RequestID, "response": json.RawMessage(deny)}})
			times = append(times, c.await("frame", func(frame) bool { return true }).at.Sub(start))
			c.await("result", isResult)
		}
		reportTimes(b, times)
	})
}

// drain discards the frames received so far.
func (c *cli) drain() {
	for len(c.frames) > 0 {
		<-c.frames
	}
}

// BenchmarkRelayCall measures Parley's own overhead for a permission call: a round trip
// through a relay process, the socket and the MCP server, with a handler that
// answers at once.
func BenchmarkRelayCall(b *testing.B) {
	s, _ := startServer(b, nil)
	g, err := s.Register(Session{ID: "s", Tools: testTools(b, func(context.Context) {})})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(g.Revoke)
	g.SetPID(os.Getpid())
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(exe, "mcp")
	cmd.Env = g.Env()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	r := bufio.NewReader(out)
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"raw","arguments":{"tool_name":"Bash","input":{"command":"ls"}}}}`+"\n", len(times))
		if _, err := io.WriteString(in, line); err != nil {
			b.Fatal(err)
		}
		if _, err := r.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	reportTimes(b, times)
}
