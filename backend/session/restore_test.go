package session

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// A session continues after a restart of Parley as if nothing had happened.
func TestRestore(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		p := r.warm()
		turn := r.prompt("a")
		p.takeUp(turn)
		p.speak("msg_a", "A")
		p.say(&wire.Result{Subtype: "success", TotalCostUSD: 0.5, UserMessageUUIDs: []string{turn}})
		r.quiet()
		if err := r.reg.Rename(ctx, r.id, " My\ntitle ", true); err != nil {
			t.Fatal(err)
		}
		before, _ := r.reg.Get(ctx, r.id)
		r.restart(event.Message{ID: "old", Role: "user", Blocks: []event.Block{{ID: "old:0", Type: "text", Text: "hi"}}})
		after, err := r.reg.Get(ctx, r.id)
		if err != nil {
			t.Fatal(err)
		}
		events := r.pub.of(r.id)
		before.PID, before.LastSeq, before.LastActivityAt = 0, events[len(events)-1].Header().Seq, after.LastActivityAt
		before.Tasks = []event.Task{}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("the record (-before +after):\n%s", diff)
		}
		if after.Title != "My title" || after.TotalCostUSD != 0.5 || after.Context == nil || after.Model != "model-1" {
			t.Errorf("the record is %+v", after)
		}
		history, err := r.reg.History(ctx, r.id, 10, "")
		if err != nil || len(history.Messages) != 1 || history.Messages[0].ID != "old" || history.Seq != after.LastSeq {
			t.Errorf("the history: %+v, %v", history, err)
		}
		if n := len(r.engine.started()); n != 1 {
			t.Fatalf("%d processes were started, want 1", n)
		}
		if again := r.prompt("a"); again != turn {
			t.Errorf("a prompt from before got turn %s, want %s", again, turn)
		}
		b := r.prompt("b")
		if spec := r.engine.started()[1]; !spec.Resume || spec.CLISessionID != p.spec.CLISessionID || spec.CWD != p.spec.CWD {
			t.Errorf("started with %+v", spec)
		}
		r.process().takeUp(b)
		r.process().say(&wire.Result{Subtype: "success", TotalCostUSD: 0.75, UserMessageUUIDs: []string{b}})
		r.quiet()
		r.wantDone("b", "completed")
		if result := last[*event.Result](r); result.CostUSD != 0.25 || result.TotalCostUSD != 0.75 {
			t.Errorf("the turn cost %v of %v", result.CostUSD, result.TotalCostUSD)
		}
	})
}

// Prompts waiting when Parley ends wait in the next one, and nothing starts
// automatically.
func TestWaitingPromptsAreHeldAfterARestart(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		synctest.Wait()
		_, err := r.reg.Prompt(ctx, r.id, Prompt{ID: "b", Text: "b", Delivery: DeliverQueue,
			Images:      []wire.Image{{MediaType: "image/png", Data: []byte{1}}},
			Attachments: []event.Attachment{{Name: "x.png", MediaType: "image/png", Bytes: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		r.queue("c")
		if err := r.reg.Close(ctx); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.wantDone("a", "closed")
		r.wantHeld("b")
		r.wantHeld("c")
		if slices.Contains(r.names(), "user:b") {
			t.Errorf("what was never said stands in the conversation: %v", r.names())
		}
		saved, waiting := r.kept.of(r.id)
		if saved.State != Running || saved.Turn != a || !saved.Begun {
			t.Errorf("saved: %+v, want the turn that was cut off", saved)
		}
		if got := r.kept.waiting(r.id); !slices.Equal(got, []string{"a", "b", "c"}) || waiting[0].Phase != Taken || waiting[1].Phase != Accepted {
			t.Fatalf("kept: %v", waiting)
		}
		r.kept.Release(r.id, "a") // it is in the transcript
		seen := len(r.pub.of(r.id))
		r.restart()
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := r.pub.of(r.id)[seen:]; len(got) > 0 {
			t.Errorf("something happened by itself: %v", got)
		}
		r.wantState(Idle)
		r.wantQueued("b held", "c held")
		record, _ := r.reg.Get(ctx, r.id)
		if q := record.Queued[0]; q.TurnID != waiting[1].TurnID || len(q.Attachments) != 1 {
			t.Errorf("b waits as %+v", q)
		}
		r.queue("d")
		for i, text := range []string{"b", "c", "d"} {
			next := r.process()
			if sent := next.texts(); len(sent) != i+1 || sent[i] != text {
				t.Fatalf("sent %q, want %q next", sent, text)
			}
			if text == "b" && len(next.sent[0].Images) != 1 {
				t.Error("the image is lost")
			}
			next.answer(next.uuidOf(text), "msg_"+text, "x")
			r.quiet()
		}
		for _, id := range []string{"b", "c", "d"} {
			r.wantDone(id, "completed") // across both runs
		}
		if got := r.kept.waiting(r.id); len(got) > 0 {
			t.Errorf("still kept: %v", got)
		}
		if saved := r.saved(); saved.State != Idle || saved.Turn != "" {
			t.Errorf("saved: %+v", saved)
		}
	})
}

// Closing a session ends its turn; its queued prompts wait until it is opened
// again.
func TestClosingHoldsWhatWaits(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.busy()
		r.queue("b")
		r.close()
		r.wantDone("a", "closed")
		r.wantHeld("b")
		if got := r.kept.waiting(r.id); !slices.Equal(got, []string{"b"}) {
			t.Errorf("kept: %v", got)
		}
		if q := last[*event.State](r).Session.Queued; len(q) != 1 || q[0].State != "held" {
			t.Errorf("the last record says that %+v waits", q)
		}
		if saved := r.saved(); saved.State != Closed || saved.Turn != "" {
			t.Errorf("saved: %+v", saved)
		}
		events := r.pub.of(r.id)
		if got, want := r.saved().LastSeq, events[len(events)-1].Header().Seq; got != want {
			t.Errorf("the last number saved is %d, want %d", got, want)
		}
		if r.reg.Live(r.id) {
			t.Error("a closed session is live")
		}
		// It can be opened again.
		saved, _ := r.kept.of(r.id)
		if err := r.reg.Restore(saved, ResumeState{}); err != nil {
			t.Fatal(err)
		}
		r.wantState(Idle)
		if !r.reg.Live(r.id) {
			t.Error("an opened session is not live")
		}
		r.prompt("c")
		if spec := r.engine.started()[1]; !spec.Resume {
			t.Errorf("started with %+v", spec)
		}
	})
}

// A turn the user had already stopped wasn't cut off by Parley's exit.
func TestParleyEndsDuringAnInterrupt(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.busy()
		r.process().onControl = func(ctx context.Context, _ wire.ControlBody) error { <-ctx.Done(); return ctx.Err() }
		r.interrupt()
		r.restart()
		if saved := r.saved(); saved.State != Idle || saved.Turn != "" {
			t.Errorf("saved: %+v", saved)
		}
	})
}

func TestForget(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		r.busy()
		p := r.process()
		r.queue("b")
		if err := r.reg.Forget(ctx, r.id); err != nil {
			t.Fatal(err)
		}
		if _, err := r.reg.Get(ctx, r.id); fault.CodeOf(err) != fault.NotFound || r.reg.Live(r.id) || p.stopped() == 0 {
			t.Errorf("after Forget: %v, %d stops", err, p.stopped())
		}
		if got := r.kept.waiting(r.id); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("kept: %v", got)
		}
		if err := r.reg.Forget(ctx, r.id); err != nil {
			t.Errorf("forgetting again: %v", err)
		}
		saved, waiting := r.kept.of(r.id)
		if saved.State != Running || saved.Turn == "" {
			t.Errorf("saved: %+v", saved)
		}
		if err := r.reg.Restore(saved, ResumeState{Waiting: waiting}); err != nil {
			t.Fatal(err)
		}
		r.wantQueued("a held", "b held")
	})
}

func TestRestoreWhatIsThere(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.busy()
		if err := r.reg.Restore(Snapshot{ID: r.id, CWD: "/elsewhere"}, ResumeState{}); err != nil {
			t.Errorf("restoring a live session: %v", err)
		}
		r.wantState(Running)
		// A session that is being closed is neither.
		s, _ := r.reg.session(r.id)
		r.process().onStop = func() { time.Sleep(time.Second) }
		s.end(false)
		synctest.Wait()
		wantCode(t, "restoring what is being closed", r.reg.Restore(Snapshot{ID: r.id}, ResumeState{}), fault.Conflict)
		if err := r.reg.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		wantCode(t, "restoring at the end", r.reg.Restore(Snapshot{ID: "x"}, ResumeState{}), fault.Unavailable)
	})
}

func TestRestoredStates(t *testing.T) {
	for _, from := range allStates {
		want := Idle
		if from == Failed {
			want = Failed
		}
		inBubble(t, func(r *rig) {
			r.id = "restored"
			if err := r.reg.Restore(Snapshot{ID: r.id, CWD: t.TempDir(), State: from, Turn: "t"}, ResumeState{}); err != nil {
				t.Fatal(err)
			}
			r.wantState(want)
			r.prompt("a")
			r.wantState(Starting)
		})
	}
}

// A missing folder is reported when a process is started, not before.
func TestRestoreWithoutTheFolder(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.id = "restored"
		gone := filepath.Join(t.TempDir(), "gone")
		err := r.reg.Restore(Snapshot{ID: r.id, CWD: gone, CLISessionID: "c", Begun: true},
			ResumeState{Waiting: []AcceptedPrompt{{Prompt: Prompt{ID: "w", Text: "w"}, TurnID: "tw", Order: 3}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.reg.History(context.Background(), r.id, 10, ""); err != nil {
			t.Errorf("its history: %v", err)
		}
		r.wantState(Idle)
		r.engine.setStart(func(context.Context, Spec, *fakeProcess) error {
			return fault.New(fault.NotFound, "The folder %s no longer exists.", gone)
		})
		r.kept.prompts[r.id] = map[string]AcceptedPrompt{"w": {Prompt: Prompt{ID: "w", Text: "w"}, TurnID: "tw", Order: 3}}
		r.queue("a")
		r.wantState(Failed)
		e := last[*event.Error](r)
		if e.Code != "not_found" || e.Hint == "" || e.Hint == "Restore the folder, or start a session in another one." {
			t.Errorf("the error is %+v", e)
		}
		r.wantAside("w", "failed", "failed")
		r.wantQueued("w failed", "a held")
	})
}

// A context window learned from the CLI is known before the CLI reports it
// again.
func TestRestoredMeter(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.id = "restored"
		err := r.reg.Restore(Snapshot{ID: r.id, CWD: t.TempDir(), Model: "m", Context: &event.Context{Used: 600_000, Window: 1_000_000}}, ResumeState{})
		if err != nil {
			t.Fatal(err)
		}
		record, _ := r.reg.Get(context.Background(), r.id)
		want := &event.Context{Used: 600_000, Window: 1_000_000, WindowSource: "cli", Percent: new(60.0), Level: "warning", InputTokens: 600_000}
		if diff := cmp.Diff(want, record.Context); diff != "" {
			t.Errorf("the meter (-want +got):\n%s", diff)
		}
	})
}

func TestRename(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		rename := func(title string, chosen bool, want string, wantChosen bool) {
			t.Helper()
			if err := r.reg.Rename(ctx, r.id, title, chosen); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			record, _ := r.reg.Get(ctx, r.id)
			saved, err := r.reg.Saved(ctx, r.id)
			if err != nil || record.Title != want || saved.Title != want || saved.TitleChosen != wantChosen {
				t.Errorf("title %q (chosen %v), saved %q, %v; want %q (chosen %v)", record.Title, saved.TitleChosen, saved.Title, err, want, wantChosen)
			}
		}
		rename("the CLI's", false, "the CLI's", false)
		rename("mine", true, "mine", true)
		rename("the CLI's again", false, "mine", true)
		rename("", false, "", false)
		rename("the CLI's again", false, "the CLI's again", false)
		rename("", true, "", false)
		r.prompt("from the prompt")
		rename("mine", true, "mine", true)
		r.close()
		wantCode(t, "renaming a closed session", r.reg.Rename(ctx, r.id, "x", true), fault.Conflict)
	})
}

// The remembered ids of prompts and conversations are bounded, and slices that were
// handed out don't change.
func TestWhatIsRememberedIsBounded(t *testing.T) {
	inBubble(t, func(r *rig) {
		s := newSession("s", CreateParams{}, r.reg.cfg)
		defer s.cancel()
		for range maxSaved + 10 {
			s.remember(s.record.CLISessionID+string(rune(len(s.seenOrder))), "t")
		}
		before := s.saved()
		first := slices.Clone(before.Seen)
		s.remember("one more", "t")
		if len(before.Seen) != maxSaved || !slices.Equal(before.Seen, first) {
			t.Errorf("%d prompts are remembered", len(before.Seen))
		}
		if after := s.saved(); len(after.Seen) != maxSaved || after.Seen[maxSaved-1].PromptID != "one more" {
			t.Errorf("then %d prompts", len(after.Seen))
		}
		for range maxPrevious + 10 {
			s.resumes = true
			s.retire(string(rune(len(s.previous))))
		}
		if n := len(s.saved().Previous); n != maxPrevious {
			t.Errorf("%d conversations are remembered", n)
		}
	})
}
