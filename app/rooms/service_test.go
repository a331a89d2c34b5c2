package rooms

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/room"
	"parley/backend/room/hub"
	"parley/backend/session"
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

// A scripted model's messages start no turn of a real one.
func TestScriptedSessionsStayOutOfRooms(t *testing.T) {
	for _, tt := range []struct{ parley, session, in bool }{{false, false, true}, {false, true, false}, {true, true, true}} {
		r := &Service{cfg: Config{Scripted: tt.parley, Session: func(_ context.Context, id string) (event.Session, error) {
			return event.Session{ID: id, Scripted: tt.session}, nil
		}}}
		_, asked := r.Member(t.Context(), "s")
		_, _, added := r.Known(t.Context(), "s")
		if (asked == nil) != tt.in || (added == nil) != tt.in {
			t.Errorf("%+v: %v, %v", tt, asked, added)
		}
	}
}
