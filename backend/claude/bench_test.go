//go:build unix

package claude_test

import (
	"syscall"
	"testing"
	"time"

	"parley/backend/claude"
	"parley/backend/claude/claudetest"
	"parley/backend/claude/wire"
)

// BenchmarkReadPath measures 20,000 deltas of a CLI that writes as fast as it
// can, from the pipe to the receiver. cpu-ms/op is this process's user and system
// time.
func BenchmarkReadPath(b *testing.B) {
	const deltas = 20000
	end := claudetest.Step{Print: `{"type":"result","subtype":"success"}` + "\n"}
	cfg, spec := fake(b, claudetest.Scenario{Turns: [][]claudetest.Step{{{Deltas: deltas}, end}}})
	p := begin(b, cfg, spec)
	b.SetBytes(deltas * int64(len(claudetest.Delta("word10000 "))))
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		if n := turn(b, p); n != deltas {
			b.Fatalf("%d deltas", n)
		}
	}
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

func turn(b *testing.B, p *claude.Process) int {
	b.Helper()
	if err := p.Send(wire.UserMessage{Text: "go"}); err != nil {
		b.Fatal(err)
	}
	n := 0
	for batch := range p.Frames() {
		for _, f := range batch {
			switch f := f.(type) {
			case *wire.StreamEvent:
				if _, ok := f.Event.(*wire.BlockDelta); ok {
					n++
				}
			case *wire.Result:
				return n
			}
		}
	}
	b.Fatal("the CLI ended")
	return 0
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
