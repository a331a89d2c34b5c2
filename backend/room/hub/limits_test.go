package hub_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/backend/room"
	"parley/backend/room/hub"
	"parley/backend/room/roomtest"
)

func TestTurnsAreLimited(t *testing.T) {
	h := house(t, roomtest.Options{Rules: &room.Rules{Wake: room.WakeOff, TurnsPerHour: 2}})
	join(t, h, "r", "a", "b", "c")
	for i := range 2 {
		say(t, h, "r", "a", fmt.Sprint(i))
		listen(t, h, []string{"b", "c"}[i], hub.Listening{Room: "r"})
	}
	say(t, h, "r", "a", "too much")
	heard, texts := listen(t, h, "b", hub.Listening{Room: "r", Timeout: moment})
	if texts != "" || heard.LimitedUntil == 0 || !heard.TimedOut {
		t.Errorf("%q, limited until %d", texts, heard.LimitedUntil)
	}
	if v, err := h.View("r"); err != nil || v.Turns != 2 || v.LimitedUntil != heard.LimitedUntil {
		t.Errorf("%d turns, limited until %d, %v", v.Turns, v.LimitedUntil, err)
	}
	if _, err := h.Join(t.Context(), h.Person(), "r", "person"); err != nil {
		t.Fatal(err)
	}
	// Leaving and rejoining doesn't help.
	if _, err := h.Leave(t.Context(), who("b"), "r"); err != nil {
		t.Fatal(err)
	}
	join(t, h, "r", "b")
	if heard, _ := listen(t, h, "b", hub.Listening{Room: "r", After: from(0), Timeout: moment}); heard.LimitedUntil == 0 {
		t.Error("not limited after coming back")
	}
	h.Clock.Move(time.Hour)
	_, texts = listen(t, h, "c", hub.Listening{Room: "r"})
	want(t, texts, "too much")
}

func TestHopsAreLimited(t *testing.T) {
	h := house(t, roomtest.Options{Rules: &room.Rules{Wake: room.WakeOff, MaxHops: 3}})
	join(t, h, "r", "a", "b")
	h.OnTurnStart("a", "p", true)
	ids := []string{"a", "b"}
	for i := range 4 {
		if i > 0 {
			listen(t, h, ids[i%2], hub.Listening{Room: "r"})
		}
		if m := say(t, h, "r", ids[i%2], fmt.Sprint(i)); m.Hops != i {
			t.Errorf("message %d has %d hops", i, m.Hops)
		}
	}
	listen(t, h, "a", hub.Listening{Room: "r"})
	_, err := h.Say(t.Context(), who("a"), hub.Outgoing{Room: "r", Text: "on and on"})
	code(t, err, room.LoopLimit)
	// Another room is no way around it.
	join(t, h, "other", "a", "b")
	_, err = h.Say(t.Context(), who("a"), hub.Outgoing{Room: "other", Text: "on and on"})
	code(t, err, room.LoopLimit)
	// Nor is a turn that no user started.
	h.OnTurnStart("a", "room.x.1-2", false)
	_, err = h.Say(t.Context(), who("a"), hub.Outgoing{Room: "r", Text: "on and on"})
	code(t, err, room.LoopLimit)
	person(t, h, "r", "go on")
	listen(t, h, "a", hub.Listening{Room: "r"})
	if m := say(t, h, "r", "a", "as you say"); m.Hops != 1 {
		t.Errorf("%d hops after a person's word", m.Hops)
	}
}

// A user's message lets sessions continue once: not each time it is read.
func TestOldWordsAreNoWayOut(t *testing.T) {
	h := house(t, roomtest.Options{Rules: &room.Rules{Wake: room.WakeOff, MaxHops: 2}})
	join(t, h, "r", "a", "b")
	before := person(t, h, "r", "begin").Seq - 1
	ids := []string{"a", "b"}
	for i := range 3 {
		listen(t, h, ids[i%2], hub.Listening{Room: "r"})
		if i < 2 {
			say(t, h, "r", ids[i%2], fmt.Sprint(i))
		}
	}
	if heard, _ := listen(t, h, "a", hub.Listening{Room: "r", After: &before}); len(heard.Messages) == 0 || heard.Messages[0].Text != "begin" {
		t.Fatalf("heard %+v", heard)
	}
	_, err := h.Say(t.Context(), who("a"), hub.Outgoing{Room: "r", Text: "on and on"})
	code(t, err, room.LoopLimit)
}

// Messages between sessions outside of rooms count, too.
func TestHopsFromOutside(t *testing.T) {
	h := house(t, roomtest.Options{Rules: &room.Rules{Wake: room.WakeOff, MaxHops: 3}})
	join(t, h, "r", "a")
	if n := h.Hops("a"); n != -1 {
		t.Errorf("%d hops before anything was read", n)
	}
	h.OnTurnFromSession("a", 2)
	if m := say(t, h, "r", "a", "x"); m.Hops != 3 || h.Hops("a") != 2 {
		t.Errorf("%d hops", m.Hops)
	}
	h.OnTurnFromSession("a", 3)
	_, err := h.Say(t.Context(), who("a"), hub.Outgoing{Room: "r", Text: "x"})
	code(t, err, room.LoopLimit)
	h.OnTurnStart("a", "p", true)
	say(t, h, "r", "a", "x")
}

// A session can't have the user's nickname.
func TestNickOfUser(t *testing.T) {
	h := house(t, roomtest.Options{})
	_, err := h.Join(t.Context(), who("a"), "r", "PERSON")
	code(t, err, room.NickTaken)
}

func TestRateIsLimited(t *testing.T) {
	h := house(t, roomtest.Options{})
	h.Clock.Hold()
	join(t, h, "r", "a", "b")
	join(t, h, "other", "a")
	said, refused := 0, 0
	for i := range 100 {
		_, err := h.Say(t.Context(), who("a"), hub.Outgoing{Room: []string{"r", "other"}[i%2], Text: "x"})
		if room.CodeOf(err) == room.RateLimited && err != nil {
			refused++
		} else if err == nil {
			said++
		}
		// A message rejected for another reason doesn't count.
		_, err = h.Say(t.Context(), who("b"), hub.Outgoing{Room: "r", Text: ""})
		code(t, err, room.Invalid)
	}
	if said != room.PerSecond || refused != 100-room.PerSecond {
		t.Errorf("%d said, %d refused", said, refused)
	}
	say(t, h, "r", "b", "fine")
	h.Clock.Move(time.Second)
	say(t, h, "r", "a", "fine again")
}

func TestMessagesAreChecked(t *testing.T) {
	h := house(t, roomtest.Options{Rate: -1})
	join(t, h, "r", "a", "b")
	say(t, h, "r", "a", strings.Repeat("x", room.MaxText))
	for name, text := range map[string]string{
		"empty": "", "blank": " \n\t", "long": strings.Repeat("x", room.MaxText+1), "long in bytes": strings.Repeat("€", room.MaxText/3+1), "broken": "\xff",
	} {
		_, err := h.Say(t.Context(), who("a"), hub.Outgoing{Room: "r", Text: text})
		t.Log(name)
		code(t, err, room.Invalid)
	}
	_, err := h.Say(t.Context(), who("a"), hub.Outgoing{Room: "r", Text: "x", ReplyTo: 99})
	code(t, err, room.Invalid)
	_, err = h.Say(t.Context(), who("a"), hub.Outgoing{Room: "no", Text: "x"})
	code(t, err, room.NoChannel)
	first := say(t, h, "r", "a", "root")
	second := sayAs(t, h, who("b"), hub.Outgoing{Room: "r", Text: "answer", ReplyTo: first.Seq})
	third := sayAs(t, h, who("a"), hub.Outgoing{Room: "r", Text: "more", ReplyTo: second.Seq})
	if second.Thread != first.Seq || third.Thread != first.Seq || third.ReplyTo != second.Seq {
		t.Errorf("%+v %+v", second, third)
	}
	once := hub.Outgoing{Room: "r", Text: "once", ID: "id"}
	if a, b := sayAs(t, h, who("a"), once), sayAs(t, h, who("a"), once); a.Seq != b.Seq {
		t.Errorf("said twice: %d, %d", a.Seq, b.Seq)
	}
}

func TestMuteAndApproval(t *testing.T) {
	h := house(t, roomtest.Options{})
	v := join(t, h, "r", "a", "b")
	if err := h.Mute(t.Context(), v.ID, who("a").ID, true); err != nil {
		t.Fatal(err)
	}
	_, err := h.Say(t.Context(), who("a"), hub.Outgoing{Room: "r", Text: "x"})
	code(t, err, room.Muted)
	if err := h.Mute(t.Context(), v.ID, who("a").ID, false); err != nil {
		t.Fatal(err)
	}
	if err := h.SetRules(t.Context(), v.ID, room.Rules{Approval: true, Wake: room.WakeOff}); err != nil {
		t.Fatal(err)
	}
	_, err = h.Say(t.Context(), who("a"), hub.Outgoing{Room: "r", Text: "x"})
	code(t, err, room.Refused)
	no := errors.New("no")
	_, err = h.Say(t.Context(), who("a"), hub.Outgoing{Room: "r", Text: "x", Approve: func(context.Context, room.Room, []room.Member) error { return no }})
	if !errors.Is(err, no) {
		t.Error(err)
	}
	// A member that is muted while the user decides can't write.
	_, err = h.Say(t.Context(), who("a"), hub.Outgoing{Room: "r", Text: "x", Approve: func(ctx context.Context, r room.Room, others []room.Member) error {
		if len(others) != 1 || others[0].Nick != "b" {
			t.Errorf("asked for %+v", others)
		}
		return h.Mute(ctx, r.ID, who("a").ID, true)
	}})
	code(t, err, room.Muted)
	person(t, h, "r", "people need none")
	if page, err := h.Messages(t.Context(), v.ID, room.Page{Limit: 9}); err != nil || len(page.Messages) != 1 {
		t.Errorf("%d messages, %v", len(page.Messages), err)
	}
}
