package rooms

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/room"
	"parley/backend/room/hub"
	"parley/backend/session"
	"parley/backend/toolserver"
	"parley/backend/untrusted"
)

func TestFaultsOfRooms(t *testing.T) {
	for code, want := range map[string]fault.Code{
		room.NoChannel: fault.NotFound, room.NickTaken: fault.Conflict, room.Muted: fault.Forbidden, room.RateLimited: fault.Busy,
		room.Invalid: fault.Invalid, room.Offline: fault.Unavailable, room.Broken: fault.Unavailable,
	} {
		err := RoomFault(room.Errorf(code, "Because."))
		if fault.CodeOf(err) != want || fault.MessageOf(err) != "Because." {
			t.Errorf("%s: %v", code, err)
		}
	}
	if other := errors.New("x"); !errors.Is(RoomFault(other), other) || fault.CodeOf(RoomFault(other)) != fault.Internal || RoomFault(nil) != nil {
		t.Error("other errors are not left as they are")
	}
}

func TestStatesInRooms(t *testing.T) {
	for _, tt := range []struct {
		s    event.Session
		want string
	}{
		{event.Session{State: string(session.Idle)}, hub.Idle}, {event.Session{}, hub.Idle}, {event.Session{State: string(session.Failed)}, hub.Idle},
		{event.Session{State: string(session.Running)}, "working"}, {event.Session{State: string(session.Waiting)}, "asking"}, {event.Session{State: string(session.Closed)}, "closed"},
		{event.Session{State: string(session.Idle), Queued: []event.QueuedPrompt{{}}}, "working"},
		{event.Session{State: string(session.Idle), ListState: event.ListState{ArchivedAt: 1}}, "closed"}, {event.Session{State: string(session.Idle), ListState: event.ListState{DeletedAt: 1}}, "closed"},
	} {
		if got := stateIn(tt.s); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.s, got, tt.want)
		}
	}
}

func TestExportedJSONShowsWhatItHas(t *testing.T) {
	raw, err := json.Marshal("a\u202eb\u2028\U000E0041<ü>")
	if err != nil {
		t.Fatal(err)
	}
	got := escapedJSON(string(raw))
	if got != `"a\u202eb\u2028\udb40\udc41\u003cü\u003e"` {
		t.Errorf("%s", got)
	}
	var back string
	if err := json.Unmarshal([]byte(got), &back); err != nil || back != "a\u202eb\u2028\U000E0041<ü>" {
		t.Errorf("%q, %v", back, err)
	}
}

// Whatever the messages, what a model receives fits a tool result.
func TestWhatIsHeardFits(t *testing.T) {
	r := &Service{node: "n"}
	for _, text := range []string{strings.Repeat("<", room.MaxText), strings.Repeat("\u202e", room.MaxText/3), strings.Repeat("\x01", 900), strings.Repeat(" @", room.MaxText/2), strings.Repeat("\u3164", room.MaxText/3), strings.Repeat("ᐸ", room.MaxText/3), strings.Repeat("語", room.MaxText/3), "short"} {
		m := room.Framed{Message: room.Message{Text: text, From: room.Speaker{
			Nick: strings.Repeat("語", room.MaxNick), Title: strings.Repeat("\u202e", 200), Host: strings.Repeat("<", 200),
		}}}
		out := listenOut{Notice: room.Notice, Channel: strings.Repeat("<", room.MaxName)}
		for size := 0; len(out.Messages) < room.PageMessages; {
			if size += room.Size(m.Message); size > room.PageBytes && len(out.Messages) > 0 {
				break
			}
			out.Messages = append(out.Messages, r.heard(m, 0))
		}
		raw, err := json.Marshal(out)
		if err != nil || len(raw) > toolserver.MaxResult {
			t.Errorf("%d messages with %.10q…: %d bytes, %v", len(out.Messages), text, len(raw), err)
		}
		whole := ""
		for from := 0; ; {
			one := r.heard(m, from)
			whole += one.Text
			if from = one.Rest; from == 0 {
				break
			}
		}
		if strings.ReplaceAll(whole, `\@`, "@") != untrusted.Spelled(text) {
			t.Errorf("%.10q… is not all that is read of it", text)
		}
	}
}

// A scripted model's messages start no turn of a real one.
func TestScriptedSessionsStayOutOfRooms(t *testing.T) {
	for _, tt := range []struct{ parley, session, in bool }{{false, false, true}, {false, true, false}, {true, true, true}} {
		r := &Service{cfg: Config{Scripted: tt.parley, Session: func(_ context.Context, id string) (event.Session, error) {
			return event.Session{ID: id, Scripted: tt.session}, nil
		}}}
		_, asked := r.who(t.Context(), session.Spec{SessionID: "s"})
		_, _, added := r.Known(t.Context(), "s")
		if (asked == nil) != tt.in || (added == nil) != tt.in {
			t.Errorf("%+v: %v, %v", tt, asked, added)
		}
	}
}
