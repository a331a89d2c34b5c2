package hub_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/room"
	"parley/backend/room/hub"
	"parley/backend/room/roomtest"
)

func TestJoinAndLeave(t *testing.T) {
	h := house(t, roomtest.Options{})
	if _, err := h.Join(t.Context(), who("a"), "#Lobby", "Ann"); err != nil {
		t.Fatal(err)
	}
	_, err := h.Join(t.Context(), who("b"), "lobby", "ANN")
	code(t, err, room.NickTaken)
	v, err := h.Join(t.Context(), who("b"), "LOBBY", "bob")
	if err != nil {
		t.Fatal(err)
	}
	if v.Name != "Lobby" || len(v.Members) != 2 {
		t.Errorf("%q with %d members", v.Name, len(v.Members))
	}
	if v, err = h.Join(t.Context(), who("b"), "lobby", "Bert"); err != nil || v.Members[1].Nick != "Bert" || len(v.Members) != 2 {
		t.Errorf("after another name: %+v, %v", v.Members, err)
	}
	if v, err = h.Leave(t.Context(), who("b"), "lobby"); err != nil || len(v.Members) != 1 {
		t.Errorf("after leaving: %+v, %v", v.Members, err)
	}
	_, err = h.Leave(t.Context(), who("b"), "lobby")
	code(t, err, room.NotIn)
	_, err = h.Leave(t.Context(), who("b"), "nowhere")
	code(t, err, room.NoChannel)
	_, err = h.Say(t.Context(), who("b"), hub.Outgoing{Room: "lobby", Text: "hi"})
	code(t, err, room.NotIn)
	_, err = h.Listen(t.Context(), who("b"), hub.Listening{Room: "lobby", Timeout: moment})
	code(t, err, room.NotIn)
}

func TestPersonReads(t *testing.T) {
	h := house(t, roomtest.Options{Rules: roomtest.Free()})
	id := join(t, h, "r", "a", "b").ID
	say(t, h, "r", "a", "before")
	person(t, h, "r", "hello")
	m := say(t, h, "r", "a", "for @person")
	if v, _ := h.View("r"); v.Unread != 1 || v.Mentions != 1 {
		t.Errorf("%d unread, %d mentions", v.Unread, v.Mentions)
	}
	want(t, states(h, m), "b accepted, person accepted")
	if err := h.Seen(id, m.Seq); err != nil {
		t.Fatal(err)
	}
	want(t, states(h, m), "b accepted, person read")
	if v, _ := h.View("r"); v.Unread != 0 || v.Read != m.Seq {
		t.Errorf("%d unread, read to %d", v.Unread, v.Read)
	}
	if err := h.Seen(id, 1<<60); err != nil { // no more than there is
		t.Fatal(err)
	}
	say(t, h, "r", "a", "next")
	if v, _ := h.View("r"); v.Unread != 1 {
		t.Errorf("%d unread", v.Unread)
	}
}

func TestOldIsForgotten(t *testing.T) {
	h := house(t, roomtest.Options{})
	for _, name := range []string{"pinned", "empty", "inhabited"} {
		v := join(t, h, name, "a")
		say(t, h, name, "a", "text")
		if name != "inhabited" {
			if _, err := h.Leave(t.Context(), who("a"), name); err != nil {
				t.Fatal(err)
			}
		}
		if name == "pinned" {
			if err := h.Pin(t.Context(), v.ID, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := h.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(h.Views()); n != 3 {
		t.Errorf("%d rooms are left at once", n)
	}
	h.Clock.Move(room.Retention + time.Minute)
	if err := h.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, v := range h.Views() {
		left = append(left, v.Name)
		if page, err := h.Messages(t.Context(), v.ID, room.Page{Limit: 9}); err != nil || len(page.Messages) != 0 || v.Unread != 0 {
			t.Errorf("%s: %d messages, %d unread, %v", v.Name, len(page.Messages), v.Unread, err)
		}
	}
	slices.Sort(left)
	want(t, strings.Join(left, " "), "inhabited pinned")
}

func TestForgottenSessionLeaves(t *testing.T) {
	h := house(t, roomtest.Options{})
	join(t, h, "r", "a", "b")
	join(t, h, "other", "a")
	if err := h.Forget(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	for _, v := range h.Views() {
		if v.Member(who("a").ID) != nil {
			t.Errorf("it is still in %s", v.Name)
		}
	}
	if _, err := h.Join(t.Context(), who("c"), "r", "a"); err != nil {
		t.Errorf("its nickname is not free: %v", err)
	}
}

func TestLongCrowd(t *testing.T) {
	messages := 3_200
	if testing.Short() {
		messages = 1_600
	}
	roomtest.StressTest(t, []*roomtest.Node{house(t, roomtest.Options{Rules: roomtest.Free(), Rate: -1})}, 16, messages, nil)
}

// A join that would be refused is detected before asking for permission.
func TestMayJoin(t *testing.T) {
	h := house(t, roomtest.Options{})
	id := join(t, h, "lobby", "ann").ID
	code(t, h.MayJoin(who("b"), "lobby", "ANN"), room.NickTaken)
	code(t, h.MayJoin(who("b"), "lobby", "person"), room.NickTaken)
	code(t, h.MayJoin(who("b"), "lobby", "a b"), room.Invalid)
	for _, may := range []error{h.MayJoin(who("b"), "lobby", "bob"), h.MayJoin(who("b"), "elsewhere", "ann"), h.MayJoin(who("ann"), "lobby", "anna")} {
		if may != nil {
			t.Error(may)
		}
	}
	if v, err := h.View("lobby"); err != nil || len(v.Members) != 1 || v.Members[0].Nick != "ann" {
		t.Errorf("asking changed it: %+v, %v", v.Members, err)
	}
	if err := h.Kick(t.Context(), id, who("ann").ID); err != nil {
		t.Fatal(err)
	}
	code(t, h.MayJoin(who("ann"), "lobby", "ann"), room.Barred)
}
