package session

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// hearingLog counts logged errors.
type hearingLog struct {
	slog.Handler
	errors int
}

func (h *hearingLog) logger() *slog.Logger                     { return slog.New(h) }
func (h *hearingLog) Enabled(context.Context, slog.Level) bool { return true }
func (h *hearingLog) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h *hearingLog) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		h.errors++
	}
	return nil
}

func TestCreateChecksItsParameters(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		params CreateParams
		code   fault.Code
		names  string
	}{
		{"no folder", CreateParams{}, fault.Invalid, "cwd"},
		{"a relative folder", CreateParams{CWD: "here"}, fault.Invalid, "cwd"},
		{"a folder that is not there", CreateParams{CWD: filepath.Join(dir, "gone")}, fault.NotFound, "cwd"},
		{"a file", CreateParams{CWD: file}, fault.Invalid, "file"},
		{"an unknown mode", CreateParams{CWD: dir, PermissionMode: "yolo"}, fault.Invalid, "yolo"},
		{"an unknown effort", CreateParams{CWD: dir, Effort: "some"}, fault.Invalid, "some"},
		{"all is well", CreateParams{CWD: dir + "/.", Title: "T", Model: "m", Effort: "high", PermissionMode: "plan"}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				record, err := r.reg.Create(tt.params)
				if fault.CodeOf(err) != tt.code {
					t.Fatalf("error %v, want code %q", err, tt.code)
				}
				if err != nil {
					if !strings.Contains(fault.MessageOf(err), tt.names) {
						t.Errorf("the message %q does not name %q", fault.MessageOf(err), tt.names)
					}
					return
				}
				if record.CWD != dir || record.Title != "T" || record.Model != "m" || record.Effort != "high" ||
					record.PermissionMode != "plan" || record.State != "idle" || record.CreatedAt == 0 || record.LastActivityAt == 0 {
					t.Errorf("record: %+v", record)
				}
				if len(r.engine.started()) != 0 {
					t.Error("a process was started")
				}
			})
		})
	}
}

func TestListShowsTheMostRecentFirst(t *testing.T) {
	inBubble(t, func(r *rig) {
		ids := []string{r.id}
		for range 3 {
			time.Sleep(time.Second)
			s, err := r.reg.Create(CreateParams{CWD: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, s.ID)
		}
		time.Sleep(time.Second)
		r.prompt("a") // of the oldest
		var got []string
		for _, s := range r.reg.List() {
			got = append(got, s.ID)
		}
		if diff := cmp.Diff([]string{ids[0], ids[3], ids[2], ids[1]}, got); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

func TestRegistryIsBounded(t *testing.T) {
	inBubble(t, func(r *rig) {
		dir := t.TempDir()
		for range maxSessions - 1 {
			if _, err := r.reg.Create(CreateParams{CWD: dir}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.reg.Create(CreateParams{CWD: dir}); fault.CodeOf(err) != fault.Busy {
			t.Fatalf("session %d: %v", maxSessions+1, err)
		}
		time.Sleep(time.Second)
		r.close()
		s, err := r.reg.Create(CreateParams{CWD: dir})
		if err != nil {
			t.Fatalf("with a closed session to forget: %v", err)
		}
		if _, err := r.reg.Get(context.Background(), r.id); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("the closed session is still there: %v", err)
		}
		if n := len(r.reg.List()); n != maxSessions {
			t.Errorf("%d sessions are listed, want %d", n, maxSessions)
		}
		if _, err := r.reg.Get(context.Background(), s.ID); err != nil {
			t.Error(err)
		}
	})
}

func TestCloseEndsEverything(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.busy()
		p := r.process()
		p.onStop = func() { time.Sleep(2 * time.Second) }
		before := time.Now()
		if err := r.reg.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(before); waited < 2*time.Second {
			t.Errorf("Close waited %v, less than the process took", waited)
		}
		r.wantDone("a", "closed")
		if _, err := r.reg.Create(CreateParams{CWD: t.TempDir()}); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("a new session after Close: %v", err)
		}
		if err := r.reg.Close(context.Background()); err != nil {
			t.Errorf("closing again: %v", err)
		}
	})
}

func TestCloseGivesUpWithItsContext(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		p.onStop = func() { time.Sleep(3 * time.Second) }
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := r.reg.CloseSession(ctx, r.id); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("closing a session: %v", err)
		}
		if err := r.reg.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("closing all: %v", err)
		}
	})
}

func TestUnknownSession(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		_, get := r.reg.Get(context.Background(), "x")
		_, history := r.reg.History(ctx, "x", 1, "")
		_, control := r.reg.Control(ctx, "x", wire.GetContextUsage())
		for name, err := range map[string]error{
			"get": get, "history": history, "control": control,
			"interrupt": r.reg.Interrupt(ctx, "x", "window"), "close": r.reg.CloseSession(ctx, "x"), "model": r.reg.SetModel(ctx, "x", "m"),
		} {
			if fault.CodeOf(err) != fault.NotFound {
				t.Errorf("%s: %v", name, err)
			}
		}
		if turn := r.reg.Turn("x"); turn != "" {
			t.Errorf("turn %q", turn)
		}
		r.reg.QuestionOpened("x", event.Question{})
		r.reg.QuestionResolved("x", &event.PermissionResolved{})
		r.reg.ToolServerLost("x", "gone")
	})
}

// setters are the three settings with their effect on the record and their
// request to the CLI.
var setters = []struct {
	name    string
	set     func(r *rig) error
	record  func(event.Session) string
	spec    func(Spec) string
	value   string
	control string
}{
	{"model", func(r *rig) error { return r.reg.SetModel(context.Background(), r.id, "other") },
		func(s event.Session) string { return s.Model }, func(s Spec) string { return s.Model }, "other", "set_model"},
	{"mode", func(r *rig) error { return r.reg.SetPermissionMode(context.Background(), r.id, "plan") },
		func(s event.Session) string { return s.PermissionMode }, func(s Spec) string { return s.PermissionMode }, "plan", "set_permission_mode"},
	{"effort", func(r *rig) error { return r.reg.SetEffort(context.Background(), r.id, "max") },
		func(s event.Session) string { return s.Effort }, func(s Spec) string { return s.Effort }, "max", "apply_flag_settings"},
}

// A running CLI reports which model a name stands for.
func TestModelStandsFor(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		p.mu.Lock()
		p.reply = json.RawMessage(`{"model":"other-5-5"}`)
		p.mu.Unlock()
		if err := r.reg.SetModel(context.Background(), r.id, "other"); err != nil {
			t.Fatal(err)
		}
		record, err := r.reg.Get(context.Background(), r.id)
		if err != nil || record.Model != "other-5-5" {
			t.Errorf("the record says %q, %v", record.Model, err)
		}
	})
}

func TestSettings(t *testing.T) {
	for _, tt := range setters {
		check := func(t *testing.T, r *rig) {
			t.Helper()
			synctest.Wait()
			record, _ := r.reg.Get(context.Background(), r.id)
			if got := tt.record(record); got != tt.value {
				t.Errorf("the record says %q, want %q", got, tt.value)
			}
			if s := last[*event.State](r); tt.record(s.Session) != tt.value {
				t.Errorf("the state event says %q, want %q", tt.record(s.Session), tt.value)
			}
		}
		t.Run(tt.name+" without a process", func(t *testing.T) {
			inBubble(t, func(r *rig) {
				if err := tt.set(r); err != nil {
					t.Fatal(err)
				}
				check(t, r)
				if len(r.engine.started()) != 0 {
					t.Error("a process was started")
				}
				r.prompt("a")
				if got := tt.spec(r.engine.started()[0]); got != tt.value {
					t.Errorf("the process was started with %q, want %q", got, tt.value)
				}
			})
		})
		t.Run(tt.name+" with a process", func(t *testing.T) {
			inBubble(t, func(r *rig) {
				p := r.warm()
				if err := tt.set(r); err != nil {
					t.Fatal(err)
				}
				check(t, r)
				if diff := cmp.Diff([]string{tt.control}, p.controlled()); diff != "" {
					t.Errorf("control requests (-want +got):\n%s", diff)
				}
				p.die(Exit{Code: 1})
				synctest.Wait()
				r.prompt("a")
				if got := tt.spec(r.engine.started()[1]); got != tt.value {
					t.Errorf("the next process was started with %q, want %q", got, tt.value)
				}
			})
		})
		t.Run(tt.name+" while one starts", func(t *testing.T) {
			inBubble(t, func(r *rig) {
				release := r.blockStarts(nil)
				r.prompt("a")
				result := make(chan error, 1)
				go func() { result <- tt.set(r) }()
				synctest.Wait()
				release()
				if err := <-result; err != nil {
					t.Fatal(err)
				}
				check(t, r)
				if diff := cmp.Diff([]string{tt.control}, r.process().controlled()); diff != "" {
					t.Errorf("control requests (-want +got):\n%s", diff)
				}
			})
		})
		t.Run(tt.name+" refused", func(t *testing.T) {
			inBubble(t, func(r *rig) {
				p := r.warm()
				p.onControl = func(context.Context, wire.ControlBody) error { return &wire.ControlError{Message: "not now"} }
				err := tt.set(r)
				if fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), "not now") {
					t.Errorf("error %v, want the CLI's words", err)
				}
				if record, _ := r.reg.Get(context.Background(), r.id); tt.record(record) == tt.value {
					t.Error("what the CLI refused is recorded")
				}
			})
		})
	}
}

func TestInvalidSettings(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		for _, err := range []error{
			r.reg.SetPermissionMode(ctx, r.id, ""), r.reg.SetPermissionMode(ctx, r.id, "yolo"),
			r.reg.SetEffort(ctx, r.id, ""), r.reg.SetEffort(ctx, r.id, "some"),
		} {
			if fault.CodeOf(err) != fault.Invalid {
				t.Errorf("error %v, want invalid", err)
			}
		}
	})
}

// A model without effort levels gets a thinking budget.
func TestEffortFallsBackToABudget(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		p.onControl = func(_ context.Context, body wire.ControlBody) error {
			if body.ControlSubtype() == "apply_flag_settings" {
				return &wire.ControlError{Message: "unknown setting"}
			}
			return nil
		}
		if err := r.reg.SetEffort(context.Background(), r.id, "medium"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"apply_flag_settings", "set_max_thinking_tokens"}, p.controlled()); diff != "" {
			t.Errorf("control requests (-want +got):\n%s", diff)
		}
		budget := 8000
		if diff := cmp.Diff(wire.SetMaxThinkingTokens(&budget), p.controls[1]); diff != "" {
			t.Errorf("budget (-want +got):\n%s", diff)
		}
		if record, _ := r.reg.Get(context.Background(), r.id); record.Effort != "medium" {
			t.Errorf("effort %q", record.Effort)
		}
	})
}

func TestControlThatIsNotAnswered(t *testing.T) {
	inBubble(t, func(r *rig) {
		if _, err := r.reg.Control(context.Background(), r.id, wire.GetContextUsage()); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("without a process: %v", err)
		}
		p := r.warm()
		p.onControl = func(ctx context.Context, _ wire.ControlBody) error { <-ctx.Done(); return ctx.Err() }
		before := time.Now()
		_, err := r.reg.Control(context.Background(), r.id, wire.GetContextUsage())
		if fault.CodeOf(err) != fault.Conflict || time.Since(before) != controlWait {
			t.Errorf("error %v after %v, want a conflict after %v", err, time.Since(before), controlWait)
		}
	})
}

func TestHistoryIsConversation(t *testing.T) {
	inBubble(t, func(r *rig) {
		turn := r.prompt("hello")
		p := r.process()
		p.takeUp(turn)
		p.say(openText("msg_1")...)
		p.say(textDelta("one "))
		p.say(textDelta("two"))
		synctest.Wait()
		page, err := r.reg.History(context.Background(), r.id, 10, "")
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Messages) != 2 || page.Messages[1].Blocks[0].Text != "one two" || !page.Messages[1].Blocks[0].Open {
			t.Errorf("history in the middle of an answer: %+v", page.Messages)
		}
		events := r.pub.of(r.id)
		if newest := events[len(events)-1].Header().Seq; page.Seq != newest {
			t.Errorf("history is of number %d, the newest event is %d", page.Seq, newest)
		}
		p.conclude(turn)
		r.quiet()
		open, _ := r.reg.History(context.Background(), r.id, 10, "")
		r.close()
		closed, err := r.reg.History(context.Background(), r.id, 10, "")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(open.Messages, closed.Messages); diff != "" {
			t.Errorf("history changed by closing (-open +closed):\n%s", diff)
		}
	})
}

func TestTitleOfTheFirstPrompt(t *testing.T) {
	tests := []struct{ text, want string }{
		{"hello", "hello"},
		{"  two\twords  \nand more", "two words"},
		{"pay \u202eexe.tnuocca\u202c now\u200b", "pay exe.tnuocca now"},
		{strings.Repeat("é", 80), strings.Repeat("é", 80)},
		{strings.Repeat("é", 81), strings.Repeat("é", 79) + "…"},
	}
	for _, tt := range tests {
		if got := title(tt.text); got != tt.want {
			t.Errorf("title(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}
