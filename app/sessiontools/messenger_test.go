package sessiontools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/app/sessions"
	"parley/backend/event"
	"parley/backend/fault"
)

// mailPost receives a messenger's prompts.
type mailPost struct {
	*messenger
	sent []sessions.SessionPromptParams
	fail error
	// turns are the running turns, records the sessions.
	turns   map[string]string
	records map[string]event.Session
	history []event.Message
	// heard are the hops of messages read in rooms.
	heard map[string]int
}

func newMailPost() *mailPost {
	p := &mailPost{turns: map[string]string{}, records: map[string]event.Session{}}
	p.messenger = &messenger{
		prompt: func(_ context.Context, params sessions.SessionPromptParams) (sessions.SessionPromptResult, error) {
			p.sent = append(p.sent, params)
			return sessions.SessionPromptResult{TurnID: "turn of " + params.PromptID}, p.fail
		},
		history: func(context.Context, string, int, string) (event.History, error) {
			return event.History{Messages: p.history}, nil
		},
		session: func(_ context.Context, id string) (event.Session, error) { return p.records[id], nil },
		turn:    func(id string) string { return p.turns[id] },
		heard: func(id string) int {
			if hops, is := p.heard[id]; is {
				return hops
			}
			return -1
		},
		now: time.Now, log: slog.New(slog.DiscardHandler),
	}
	return p
}

// says makes the other session start its turn, send a message and end the turn.
func (p *mailPost) says(t *testing.T, r receipt, reason, text string) {
	head := event.Head{SessionID: r.to, TurnID: r.turn}
	p.hear(t.Context(), &event.Processing{Head: head, PromptID: r.id})
	p.history = append(p.history, event.Message{Role: "assistant", TurnID: r.turn, Blocks: []event.Block{{Type: "text", Text: text}}})
	p.hear(t.Context(), &event.Done{Head: head, PromptID: r.id, Reason: reason})
}

func TestReceipts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMailPost()
		r, err := p.send(t.Context(), "a", "b", "hello")
		if err != nil || r.state != receiptAccepted || p.sent[0].Delivery != "queue" || p.sent[0].PromptID != r.id {
			t.Fatalf("%+v, %v, %+v", r, err, p.sent)
		}
		if _, err := p.get("b", r.id); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("another session's receipt: %v", err)
		}
		// A waiting caller is told about each step, and is woken.
		var steps []string
		done := make(chan receipt)
		go func() {
			got, err := p.wait(t.Context(), "a", r.id, time.Minute, func(r receipt) { steps = append(steps, r.state) })
			if err != nil {
				t.Error(err)
			}
			done <- got
		}()
		synctest.Wait()
		p.hear(t.Context(), &event.Processing{Head: event.Head{TurnID: "other"}, PromptID: "other"})
		p.hear(t.Context(), &event.Processing{Head: event.Head{TurnID: r.turn}, PromptID: r.id})
		synctest.Wait()
		p.says(t, r, "completed", "Hello yourself.")
		if got := <-done; got.state != receiptAnswered || got.answer != "Hello yourself." || fmt.Sprint(steps) != "[accepted delivered]" {
			t.Errorf("%+v after %v", got, steps)
		}
		p.says(t, r, "error", "late") // a finished one does not change
		if got, _ := p.get("a", r.id); got.state != receiptAnswered {
			t.Errorf("%+v", got)
		}

		// The time is up.
		r, _ = p.send(t.Context(), "a", "b", "hello")
		before := time.Now()
		if got, err := p.wait(t.Context(), "a", r.id, time.Minute, func(receipt) {}); err != nil || got.state != receiptAccepted || time.Since(before) != time.Minute {
			t.Errorf("%+v, %v after %v", got, err, time.Since(before))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.wait(ctx, "a", r.id, time.Minute, func(receipt) {}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		for _, reason := range []string{"interrupted", "crashed", "failed", "dropped", "closed", "error", "news"} {
			r, err := p.send(t.Context(), "a", "b", "hello")
			if err != nil {
				t.Fatal(err)
			}
			p.says(t, r, reason, "no")
			if got, _ := p.get("a", r.id); got.state != receiptFailed || !strings.HasSuffix(got.reason, ".") || got.answer != "" {
				t.Errorf("%s: %+v", reason, got)
			}
		}
	})
}

// A rejected prompt leaves nothing behind.
func TestPromptThatIsRefused(t *testing.T) {
	p := newMailPost()
	p.fail = fault.New(fault.Conflict, "Closed.")
	if _, err := p.send(t.Context(), "a", "b", "x"); fault.CodeOf(err) != fault.Conflict || len(p.receipts) != 0 || len(p.order) != 0 {
		t.Errorf("%v; %d receipts", err, len(p.receipts))
	}
}

func TestSessionsCannotContinueForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMailPost()
		from, to := "a", "b"
		for hop := 1; ; hop++ {
			r, err := p.send(t.Context(), from, to, "your turn")
			if err != nil {
				if hop != maxHops+1 || fault.CodeOf(err) != fault.Conflict {
					t.Errorf("hop %d: %v", hop, err)
				}
				break
			}
			p.turns[to] = r.turn
			from, to = to, from
		}
		// A turn started by a user resets the count.
		p.turns = map[string]string{"a": "a person's"}
		for n := 0; ; n++ {
			if _, err := p.send(t.Context(), "c", "d", "x"); err != nil {
				if n != maxSentPerHour || fault.CodeOf(err) != fault.Busy {
					t.Errorf("after %d: %v", n, err)
				}
				break
			}
		}
		time.Sleep(time.Hour)
		if _, err := p.send(t.Context(), "c", "d", "x"); err != nil {
			t.Error(err)
		}
		if len(p.sent) == 0 || len(p.messenger.sent) != 1 {
			t.Errorf("%d senders are remembered", len(p.messenger.sent))
		}
	})
}

// A room between two messages does not reset the count.
func TestHopsOfRoomsCount(t *testing.T) {
	p := newMailPost()
	for heard, want := range map[int]int{-1: 1, 0: 2, 3: 5} {
		p.heard = map[string]int{"a": heard}
		r, err := p.send(t.Context(), "a", "b", "x")
		if err != nil || p.hops(r.id) != want {
			t.Errorf("%d hops after %d in a room, %v", p.hops(r.id), heard, err)
		}
	}
	p.heard = map[string]int{"a": maxHops - 1}
	if _, err := p.send(t.Context(), "a", "b", "x"); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("too far from a person: %v", err)
	}
	if p.hops("a person's prompt") != 0 {
		t.Error("a person's prompt has hops")
	}
}

func TestReceiptsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMailPost()
		var first receipt
		for i := range maxReceipts {
			r, err := p.send(t.Context(), fmt.Sprint("s", i%20), "b", "x")
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = r
			}
			if i%maxSentPerHour == 0 {
				time.Sleep(time.Hour)
			}
		}
		if _, err := p.send(t.Context(), "z", "b", "x"); fault.CodeOf(err) != fault.Busy {
			t.Errorf("all are open: %v", err)
		}
		p.says(t, first, "completed", "yes")
		if _, err := p.send(t.Context(), "z", "b", "x"); err != nil {
			t.Error(err)
		}
		if _, err := p.get("s0", first.id); fault.CodeOf(err) != fault.NotFound || len(p.receipts) != maxReceipts || len(p.order) != maxReceipts {
			t.Errorf("%v; %d receipts", err, len(p.receipts))
		}
	})
}

// After lost events, the state of open receipts is checked.
func TestReceiptsAfterALag(t *testing.T) {
	p := newMailPost()
	var all []receipt
	for _, to := range []string{"waits", "runs", "answered", "silent"} {
		r, err := p.send(t.Context(), "a", to, "x")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	p.records["waits"] = event.Session{Queued: []event.QueuedPrompt{{PromptID: all[0].id}}}
	p.turns["runs"] = all[1].turn
	p.history = []event.Message{{Role: "assistant", TurnID: all[2].turn, Blocks: []event.Block{{Type: "text", Text: "Done."}}}}
	p.look(t.Context())
	for i, want := range []string{receiptAccepted, receiptAccepted, receiptAnswered, receiptFailed} {
		if got, _ := p.get("a", all[i].id); got.state != want {
			t.Errorf("%s: %+v", got.to, got)
		}
	}
}

// A turn without text is reported as such; an answer is framed.
func TestReceiptOfATurnWithoutAWord(t *testing.T) {
	silent := (&receipt{id: "r", to: "b", state: receiptAnswered}).told("Other")
	if silent.State != receiptAnswered || silent.Answer != "" || !strings.Contains(silent.Reason, "without a text answer") {
		t.Errorf("%+v", silent)
	}
	spoken := (&receipt{id: "r", to: "b", state: receiptAnswered, answer: "Hello."}).told("Other")
	if spoken.Reason != "" || !strings.Contains(spoken.Answer, "Hello.") || !strings.Contains(spoken.Answer, "Other") {
		t.Errorf("%+v", spoken)
	}
	if waits := (&receipt{id: "r", to: "b", state: receiptAccepted}).told(""); waits.Reason != "" || waits.Answer != "" {
		t.Errorf("%+v", waits)
	}
}
