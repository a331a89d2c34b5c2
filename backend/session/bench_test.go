package session

import (
	"context"
	"log/slog"
	"runtime"
	"testing"

	"parley/backend/event"
)

// quiet is a publisher and keeper without listeners.
type quiet struct{}

func (quiet) Publish(event.Event)               {}
func (quiet) Save(Snapshot)                     {}
func (quiet) Keep(string, AcceptedPrompt) error { return nil }
func (quiet) Has(_ context.Context, _ string, list []AcceptedPrompt) []bool {
	return make([]bool, len(list))
}
func (quiet) Release(string, string)                                       {}
func (quiet) RecordAction(_, _, _ string, _ bool)                          {}
func (quiet) Ended(string, string, event.TurnResult)                       {}
func (quiet) Said(string, string, string, []event.Message)                 {}
func (quiet) Cut(context.Context, string, string, string, []event.Message) {}
func (quiet) Withdraw(string, string)                                      {}
func (quiet) Forget(string, bool)                                          {}
func (quiet) Open(string) bool                                             { return false }

// BenchmarkIdleSession measures the memory of one suspended session with 50
// messages in memory.
func BenchmarkIdleSession(b *testing.B) {
	const sessions = 200
	var messages []event.Message
	for i := range 50 {
		id := string(rune('A' + i))
		messages = append(messages, event.Message{
			ID: id, Role: "assistant", Blocks: []event.Block{{ID: id + ":0", Type: "text", Text: string(make([]byte, 500))}},
		})
	}
	for b.Loop() {
		r := NewRegistry(Config{
			Engine: &fakeEngine{}, Publisher: quiet{}, Questions: quiet{}, Keeper: quiet{}, Logger: slog.New(slog.DiscardHandler),
		})
		before := inUse()
		for i := range sessions {
			if err := r.Restore(Snapshot{ID: string(rune('0' + i)), CWD: "/"}, ResumeState{Messages: messages}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(inUse()-before)/sessions, "bytes/session")
		if err := r.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// inUse returns the size of heap and stacks.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
