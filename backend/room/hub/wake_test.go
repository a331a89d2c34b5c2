package hub_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley/backend/room"
	"parley/backend/room/hub"
	"parley/backend/room/roomtest"
)

func TestWake(t *testing.T) {
	h := house(t, roomtest.Options{})
	join(t, h, "r", "a", "b", "c")
	h.Sessions.Be("b", "working")
	say(t, h, "r", "a", "nobody is named")
	m := say(t, h, "r", "a", "hello @b and @c")
	got := h.Sessions.Wait(t, 1)
	if got[0].Session != "c" || !strings.Contains(got[0].Text, "| hello \\@b and \\@c") || !strings.Contains(got[0].Text, "| nobody is named") || !hub.IsRoomPrompt(got[0].ID) {
		t.Errorf("%+v", got[0])
	}
	await(t, h, m, "b accepted, c delivered")
	h.OnTurnStart("c", got[0].ID, false)
	await(t, h, m, "b accepted, c read")
	// Messages during a turn wait, and then form one prompt.
	say(t, h, "r", "a", "more @c")
	say(t, h, "r", "a", "and more @c")
	h.Sessions.Be("b", hub.Idle)
	h.OnStateChange("b")
	got = h.Sessions.Wait(t, 2)
	want(t, got[1].Session, "b")
	h.Ended("c", got[0].ID, "completed")
	await(t, h, m, "b delivered, c answered")
	h.Sessions.Be("c", hub.Idle)
	h.OnStateChange("c")
	got = h.Sessions.Wait(t, 3)
	if got[2].Session != "c" || strings.Contains(got[2].Text, "hello") || strings.Count(got[2].Text, "more \\@c") != 2 {
		t.Errorf("%+v", got[2])
	}
	h.Ended("c", got[2].ID, "dropped")
	if last := h.Sessions.Prompts(); len(last) != 3 {
		t.Errorf("woken again with what a person took back: %+v", last[3:])
	}
}

// await waits for receipts from another goroutine.
func await(t *testing.T, h *roomtest.Node, m room.Message, want string) {
	t.Helper()
	for {
		got := states(h, m)
		if got == want {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatalf("%q, want %q", got, want)
		case <-time.After(moment):
		}
	}
}

func TestWakeRules(t *testing.T) {
	h := house(t, roomtest.Options{})
	v := join(t, h, "r", "a", "off", "any", "usual")
	for id, rule := range map[string]string{"off": room.WakeOff, "any": room.WakeAny} {
		if err := h.SetWake(t.Context(), v.ID, who(id).ID, rule); err != nil {
			t.Fatal(err)
		}
	}
	say(t, h, "r", "a", "hello @off")
	if got := h.Sessions.Wait(t, 1); got[0].Session != "any" {
		t.Errorf("woken: %+v", got)
	}
	say(t, h, "r", "a", "hello @all")
	if got := h.Sessions.Wait(t, 2); got[1].Session != "usual" {
		t.Errorf("woken: %+v", got)
	}
	// A direct message room needs no mention.
	two, err := h.Direct(t.Context(), h.Member(who("x"), "x"), h.Member(who("y"), "y"))
	if err != nil {
		t.Fatal(err)
	}
	say(t, h, two.ID, "x", "psst")
	if got := h.Sessions.Wait(t, 3); got[2].Session != "y" {
		t.Errorf("woken: %+v", got)
	}
	_, err = h.Join(t.Context(), who("z"), two.ID, "z")
	code(t, err, room.NoChannel)
	long := strings.Repeat("n", room.MaxNick)
	if two, err = h.Direct(t.Context(), h.Member(who("x"), long), h.Member(who("z"), long)); err != nil || len(two.Members) != 2 || len(two.Members[1].Nick) != room.MaxNick {
		t.Errorf("two of one name: %+v, %v", two.Members, err)
	}
}

func TestSessionThatRefusesIsLeftAlone(t *testing.T) {
	h := house(t, roomtest.Options{})
	join(t, h, "r", "a", "b")
	h.Sessions.Refuse(errors.New("closed"))
	m := say(t, h, "r", "a", "hello @b")
	h.Sessions.Refuse(nil)
	h.OnStateChange("b") // it was reopened
	h.Sessions.Wait(t, 1)
	await(t, h, m, "b delivered")
}

// Messages that started no turn have failed.
func TestWakeThatCannotBegin(t *testing.T) {
	h := house(t, roomtest.Options{Rules: &room.Rules{Wake: room.WakeAny}})
	join(t, h, "r", "a", "b")
	m := say(t, h, "r", "a", "wake up")
	await(t, h, m, "b delivered")
	h.Ended("b", h.Sessions.Prompts()[0].ID, "failed")
	want(t, states(h, m), "b failed: The turn failed.")
}

func TestWakesAreQuick(t *testing.T) {
	roomtest.Wakes(t, house(t, roomtest.Options{Rules: roomtest.Free(), Rate: -1}), 200)
}
