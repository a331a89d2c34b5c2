package session

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// disk is what survives a kill: stored state and the CLI's transcripts.
type disk struct {
	saved   Snapshot
	waiting []AcceptedPrompt
	// lines are the prompts in the transcripts, by their turn and by their text.
	lines         map[string]bool
	conversations map[string]bool
	// over are the ids of the prompts whose end was shown.
	over map[string]bool
}

// world is what outlives a Parley.
type world struct {
	t   *testing.T
	rnd *rand.Rand

	mu            sync.Mutex
	lines         map[string]bool
	conversations map[string]bool
	// dead is set when this world's Parley was killed; what its CLIs still do is
	// ignored.
	dead bool
}

// TestLongKilledAtAnyMoment runs several Parleys, each of which is killed or ended at
// a random moment, losing its last writes. Invariants: every accepted prompt is in the
// conversation, waiting, or shown as over (a user stopped or dropped it, or its
// process failed); none is taken up twice; every note is in the conversation or
// waiting.
func TestLongKilledAtAnyMoment(t *testing.T) {
	runs := uint64(*modelRuns)
	if testing.Short() {
		runs = 30
	}
	for seed := range runs {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { killAtRandom(t, seed) })
	}
}

func killAtRandom(t *testing.T, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 77))
	folder := t.TempDir()
	left := &disk{saved: Snapshot{ID: "s", CWD: folder}, lines: map[string]bool{}, conversations: map[string]bool{}}
	accepted := make(map[string]bool)
	over, ends := make(map[string]bool), make(map[string]int)
	told := make(map[string]bool)
	for life := range 4 {
		synctest.Test(t, func(t *testing.T) {
			left = liveAndDie(t, rnd, life, left, accepted, told)
		})
		for id := range left.over {
			if ends[id]++; ends[id] > 1 {
				t.Errorf("prompt %s ended in %d lives", id, ends[id])
			}
		}
		maps.Copy(over, left.over)
		waiting := make(map[string]bool)
		for _, p := range left.waiting {
			waiting[p.ID] = true
		}
		for id := range told {
			if !waiting[id] && !left.lines[id] {
				t.Fatalf("life %d: note %s is lost", life, id)
			}
		}
		for id := range accepted {
			if !over[id] && !waiting[id] && !left.lines[id] {
				t.Fatalf("life %d: prompt %s is lost", life, id)
			}
		}
	}
}

// liveAndDie runs one Parley and returns the disk it leaves.
func liveAndDie(t *testing.T, rnd *rand.Rand, life int, from *disk, accepted, told map[string]bool) *disk {
	w := &world{t: t, rnd: rand.New(rand.NewPCG(rnd.Uint64(), 5)), lines: maps.Clone(from.lines), conversations: maps.Clone(from.conversations)}
	r := &rig{t: t, id: "s", engine: &fakeEngine{}, kept: newFakeKeeper(t)}
	r.kept.has = func(p AcceptedPrompt) bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.lines[p.UUID]
	}
	r.pub = &recorder{t: t, base: from.saved.LastSeq, events: make(map[string][]event.Event)}
	r.desk = &fakeQuestions{open: make(map[string][]string)}
	r.engine.start = w.start
	r.reg = r.registry()
	r.desk.reg = r.reg
	defer func() { _ = r.reg.Close(context.Background()) }()

	// A sent prompt that is in a transcript is over; the library finds that out.
	waiting := slices.DeleteFunc(slices.Clone(from.waiting), func(p AcceptedPrompt) bool { return (p.Phase == Handed || p.Phase == Taken) && from.lines[p.UUID] })
	r.kept.saved[r.id] = from.saved
	r.kept.prompts[r.id] = make(map[string]AcceptedPrompt)
	for _, p := range waiting {
		r.kept.prompts[r.id][p.ID] = p
	}
	if err := r.reg.Restore(from.saved, ResumeState{Waiting: waiting}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if n := len(r.engine.started()); n != 0 {
		t.Errorf("%d processes were started by themselves", n)
	}

	ctx := context.Background()
	earlier, _ := r.kept.of(r.id)
	for i := range 5 + rnd.IntN(30) {
		if rnd.IntN(3) == 0 {
			earlier, _ = r.kept.of(r.id) // the last record that reaches the disk
		}
		id := fmt.Sprintf("%d-%d", life, i)
		switch n := rnd.IntN(100); {
		case n < 45:
			delivery := []string{DeliverNow, DeliverQueue, DeliverQueue}[rnd.IntN(3)]
			if _, err := r.reg.Prompt(ctx, r.id, Prompt{ID: id, Text: id, Delivery: delivery}); err != nil {
				t.Fatal(err)
			}
			accepted[id] = true
		case n < 55:
			_ = r.reg.Interrupt(ctx, r.id, "window")
		case n < 65:
			record, _ := r.reg.Get(ctx, r.id)
			if len(record.Queued) > 0 {
				q := record.Queued[rnd.IntN(len(record.Queued))]
				_ = r.reg.DropQueued(ctx, r.id, q.PromptID)
			}
		case n < 75:
			record, _ := r.reg.Get(ctx, r.id)
			if len(record.Queued) > 0 {
				_ = r.reg.SendQueued(ctx, r.id, record.Queued[rnd.IntN(len(record.Queued))].PromptID)
			}
		case n < 77:
			r.reg.Note(r.id, Note{Messages: []NoteMessage{{ID: "note " + id, Text: "note"}}})
			told["note "+id] = true
		case n < 79:
			_ = r.reg.Suspend(ctx, r.id)
		case n < 82:
			_ = r.reg.Fresh(ctx, r.id)
		case n < 85:
			r.engine.mu.Lock()
			if len(r.engine.all) > 0 {
				r.engine.all[len(r.engine.all)-1].die(Exit{Code: 1, Stderr: "chance"})
			}
			r.engine.mu.Unlock()
		}
		time.Sleep(time.Duration(rnd.IntN(100)) * time.Millisecond)
	}
	if rnd.IntN(3) == 0 { // an orderly exit
		if err := r.reg.Close(ctx); err != nil {
			t.Fatal(err)
		}
		earlier, _ = r.kept.of(r.id)
		r.reg = r.registry()
		for id := range accepted {
			began := strings.HasPrefix(id, fmt.Sprint(life, "-")) || slices.ContainsFunc(waiting, func(p AcceptedPrompt) bool { return p.ID == id })
			waits := slices.Contains(r.kept.waiting(r.id), id)
			if n := len(r.dones()[id]); began && n != 1 && !(n == 0 && waits) || n > 1 {
				t.Errorf("%d terminal events of %s, waiting: %v", n, id, waits)
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead = true
	out := &disk{saved: earlier, lines: maps.Clone(w.lines), conversations: maps.Clone(w.conversations), over: make(map[string]bool)}
	for id, reasons := range r.dones() {
		out.over[id] = reasons[0] != "closed"
	}
	_, out.waiting = r.kept.of(r.id)
	// Numbers that were used but not saved don't matter here.
	out.saved.LastSeq += 1000
	return out
}

// start runs a CLI that knows which conversations exist and answers prompts one by
// one.
func (w *world) start(_ context.Context, spec Spec, p *fakeProcess) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch known := w.conversations[spec.CLISessionID]; {
	case spec.Resume && !known:
		p.die(Exit{Code: 1, Stderr: "No conversation found with session ID: " + spec.CLISessionID})
		return nil
	case !spec.Resume && known:
		p.die(Exit{Code: 1, Stderr: "Error: Session ID " + spec.CLISessionID + " is already in use."})
		return nil
	}
	inbox := make(chan wire.UserMessage, 300)
	var mu sync.Mutex
	cancelled := make(map[string]bool)
	stop := make(chan struct{}, 100)
	p.onSend = func(m wire.UserMessage) error { inbox <- m; return nil }
	p.onControl = func(_ context.Context, body wire.ControlBody) error {
		if body.ControlSubtype() == "interrupt" {
			stop <- struct{}{}
		}
		return nil
	}
	seed := w.rnd.Uint64()
	go func() {
		rnd := rand.New(rand.NewPCG(seed, 1))
		for {
			var m wire.UserMessage
			select {
			case m = <-inbox:
			case <-stop:
				continue
			case <-p.gone:
				return
			}
			if m.Quiet {
				p.say(lifecycle(m.UUID, "started"))
				if !w.hear(m.UUID, spec.CLISessionID, p) {
					return
				}
				p.say(&wire.Result{Subtype: "success", UserMessageUUIDs: []string{m.UUID}}, lifecycle(m.UUID, "completed"))
				continue
			}
			p.say(lifecycle(m.UUID, "queued"))
			wait(p, time.Duration(rnd.IntN(30))*time.Millisecond)
			mu.Lock()
			gone := cancelled[m.UUID]
			mu.Unlock()
			if gone {
				continue
			}
			// The CLI reports a start well before it writes the prompt down, and the
			// report is read even if it dies right after.
			if !p.say(lifecycle(m.UUID, "started"), p.report()) || !w.take(m, spec.CLISessionID, p) {
				return
			}
			select {
			case <-stop:
				p.abort(m.UUID)
				continue
			case <-p.gone:
				return
			case <-time.After(time.Duration(rnd.IntN(150)) * time.Millisecond):
			}
			if rnd.IntN(8) == 0 {
				p.say(&wire.Result{Subtype: "success", IsError: true, Text: "no", UserMessageUUIDs: []string{m.UUID}})
			} else {
				p.conclude(m.UUID)
			}
		}
	}()
	return nil
}

func wait(p *fakeProcess, d time.Duration) {
	select {
	case <-p.gone:
	case <-time.After(d):
	}
}

// take writes a prompt to the transcript and reports whether the CLI is alive.
func (w *world) take(m wire.UserMessage, conversation string, p *fakeProcess) bool {
	return w.line(m.UUID, conversation, p, func() {
		if w.lines[m.Text] {
			w.t.Errorf("prompt %s was taken up twice", m.Text)
		}
		w.lines[m.Text] = true
	})
}

// hear writes a note to the transcript, or skips one that is there.
func (w *world) hear(uuid, conversation string, p *fakeProcess) bool {
	return w.line(uuid, conversation, p, func() {})
}

func (w *world) line(uuid, conversation string, p *fakeProcess, check func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-p.gone:
		return false
	default:
	}
	if w.dead {
		return false
	}
	check()
	w.lines[uuid], w.conversations[conversation] = true, true
	return true
}
