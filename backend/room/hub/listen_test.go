package hub_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/room"
	"parley/backend/room/hub"
	"parley/backend/room/roomtest"
)

func TestListen(t *testing.T) {
	h := house(t, roomtest.Options{Rules: roomtest.Free()})
	join(t, h, "r", "a")
	before := say(t, h, "r", "a", "before")
	join(t, h, "r", "b")
	if heard, texts := listen(t, h, "b", hub.Listening{Room: "r", Timeout: moment}); texts != "" || !heard.TimedOut {
		t.Errorf("who has just joined hears %q", texts)
	}
	_, texts := listen(t, h, "b", hub.Listening{Room: "r", After: from(0)})
	want(t, texts, "before")
	one := say(t, h, "r", "a", "one")
	say(t, h, "r", "b", "own")
	say(t, h, "r", "a", "two @B")
	_, texts = listen(t, h, "b", hub.Listening{Room: "r"})
	want(t, texts, "one, two @B")
	if heard, texts := listen(t, h, "b", hub.Listening{Room: "r", Timeout: moment}); texts != "" || !heard.TimedOut {
		t.Errorf("heard twice: %q", texts)
	}
	_, texts = listen(t, h, "b", hub.Listening{Room: "r", After: &before.Seq})
	want(t, texts, "one, two @B")
	_, texts = listen(t, h, "b", hub.Listening{Room: "r", After: &one.Seq, MentionsOnly: true})
	want(t, texts, "two @B")
	say(t, h, "r", "a", "three")
	say(t, h, "r", "a", "four @all")
	_, texts = listen(t, h, "b", hub.Listening{Room: "r", MentionsOnly: true})
	want(t, texts, "four @all")
	say(t, h, "r", "a", "five")
	if heard, texts := listen(t, h, "b", hub.Listening{Room: "r", MentionsOnly: true, Timeout: moment}); texts != "" || heard.Last == 0 {
		t.Errorf("%q, cursor %d", texts, heard.Last)
	}
	if heard, texts := listen(t, h, "b", hub.Listening{Room: "r", Timeout: moment}); texts != "" || !heard.TimedOut {
		t.Errorf("what was passed over came: %q", texts)
	}
}

func TestPagesOfListening(t *testing.T) {
	h := house(t, roomtest.Options{Rules: roomtest.Free(), Rate: -1})
	join(t, h, "r", "a", "b")
	for i := range room.PageMessages + 10 {
		say(t, h, "r", "a", fmt.Sprint(i))
		say(t, h, "r", "b", "own")
	}
	heard, _ := listen(t, h, "b", hub.Listening{Room: "r"})
	total := len(heard.Messages)
	for heard.More {
		heard, _ = listen(t, h, "b", hub.Listening{Room: "r", Timeout: moment})
		total += len(heard.Messages)
	}
	if total != room.PageMessages+10 {
		t.Errorf("%d messages heard", total)
	}
	say(t, h, "r", "a", strings.Repeat("<", room.MaxText))
	say(t, h, "r", "a", strings.Repeat("x", room.ShownBytes))
	heard, _ = listen(t, h, "b", hub.Listening{Room: "r"})
	if len(heard.Messages) != 1 || !heard.More || len(heard.Messages[0].Text) != room.MaxText {
		t.Errorf("%d messages, more %v", len(heard.Messages), heard.More)
	}
}

func TestListenWakesAndEnds(t *testing.T) {
	h := house(t, roomtest.Options{})
	v := join(t, h, "r", "a", "b")
	heard := make(chan string, 1)
	go func() {
		_, texts := listen(t, h, "b", hub.Listening{Room: "r"})
		heard <- texts
	}()
	listening(t, h, "r", "b")
	say(t, h, "r", "a", "wake up")
	want(t, <-heard, "wake up")

	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := h.Listen(ctx, who("b"), hub.Listening{Room: "r", Timeout: time.Minute})
		failed <- err
	}()
	listening(t, h, "r", "b")
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("after the call was cancelled: %v", err)
	}
	go func() {
		_, err := h.Listen(t.Context(), who("b"), hub.Listening{Room: "r", Timeout: time.Minute})
		failed <- err
	}()
	listening(t, h, "r", "b")
	if err := h.Kick(t.Context(), v.ID, who("b").ID); err != nil {
		t.Fatal(err)
	}
	code(t, <-failed, room.NotIn)
	_, err := h.Join(t.Context(), who("b"), "r", "other")
	code(t, err, room.Barred)
	if err := h.Admit(t.Context(), v.ID, who("b").ID); err != nil {
		t.Fatal(err)
	}
	join(t, h, "r", "b")
	go func() {
		_, err := h.Listen(t.Context(), who("b"), hub.Listening{Room: "r", Timeout: time.Minute})
		failed <- err
	}()
	listening(t, h, "r", "b")
	h.Close()
	code(t, <-failed, room.Broken)
}

// listening waits until a member listens.
func listening(t *testing.T, h *roomtest.Node, name, nick string) {
	t.Helper()
	for {
		v, err := h.View(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range v.Members {
			if m.Nick == nick && m.State == "listening" {
				return
			}
		}
		select {
		case <-t.Context().Done():
			t.Fatal("nobody listens")
		case <-time.After(moment):
		}
	}
}

func TestReceipts(t *testing.T) {
	h := house(t, roomtest.Options{Rules: roomtest.Free()})
	join(t, h, "r", "a", "b", "c")
	m := say(t, h, "r", "a", "hello")
	want(t, states(h, m), "b accepted, c accepted")
	listen(t, h, "b", hub.Listening{Room: "r", Call: "t1"})
	want(t, states(h, m), "b delivered, c accepted")
	h.OnToolResultRead("b", "other")
	want(t, states(h, m), "b delivered, c accepted")
	h.OnToolResultRead("b", "t1")
	want(t, states(h, m), "b read, c accepted")
	reply := say(t, h, "r", "b", "hi")
	want(t, states(h, m), fmt.Sprintf("b answered (%d), c accepted", reply.Seq))
	listen(t, h, "c", hub.Listening{Room: "r", Call: "t2"})
	h.OnToolResultRead("c", "t2")
	h.Ended("c", "p", "completed")
	want(t, states(h, m), fmt.Sprintf("b answered (%d), c answered", reply.Seq))

	next := say(t, h, "r", "a", "again")
	listen(t, h, "b", hub.Listening{Room: "r", Call: "t3"})
	h.OnToolResultRead("b", "t3")
	h.Ended("b", "p", "interrupted")
	want(t, states(h, next), "b failed: The turn was stopped., c accepted")
	listen(t, h, "c", hub.Listening{Room: "r", Call: "t4"})
	want(t, states(h, next), "b failed: The turn was stopped., c delivered")
	h.Ended("c", "p", "completed") // it read all results of its turn
	want(t, states(h, next), "b failed: The turn was stopped., c answered")

	if diff := cmp.Diff([]string{"b delivered", "b read", "b answered"}, h.News.All()[:3]); diff != "" {
		t.Error(diff)
	}
}

func TestCrashedProcessHearsAgain(t *testing.T) {
	h := house(t, roomtest.Options{Rules: roomtest.Free()})
	join(t, h, "r", "a", "b")
	say(t, h, "r", "a", "one")
	_, texts := listen(t, h, "b", hub.Listening{Room: "r", Call: "t1"})
	want(t, texts, "one")
	h.OnToolResultRead("b", "t1")
	two := say(t, h, "r", "a", "two")
	_, texts = listen(t, h, "b", hub.Listening{Room: "r", Call: "t2"})
	want(t, texts, "two")
	h.Ended("b", "p", "crashed") // nobody took t2
	want(t, states(h, two), "b accepted")
	say(t, h, "r", "a", "three")
	_, texts = listen(t, h, "b", hub.Listening{Room: "r", Call: "t3"})
	want(t, texts, "two (again), three")
	h.OnToolResultRead("b", "t3")
	h.Ended("b", "p", "completed")
	want(t, states(h, two), "b answered")
}

func TestAllSurvivesTheHub(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rooms.db")
	s := storeAt(t, path)
	h := roomtest.NewHouse(t, s, roomtest.Options{Rules: roomtest.Free()})
	join(t, h, "r", "a", "b")
	one := say(t, h, "r", "a", "one")
	listen(t, h, "b", hub.Listening{Room: "r", Call: "t1"})
	h.OnToolResultRead("b", "t1")
	say(t, h, "r", "a", "two")
	listen(t, h, "b", hub.Listening{Room: "r", Call: "t2"}) // nobody takes it
	say(t, h, "r", "a", "three")
	h.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	h = roomtest.NewHouse(t, storeAt(t, path), roomtest.Options{Rules: roomtest.Free()})
	want(t, states(h, one), "b read")
	v, err := h.View("r")
	if err != nil || len(v.Members) != 2 || v.Members[1].Unread != 2 || v.Unread != 3 {
		t.Errorf("%+v, %v", v, err)
	}
	_, texts := listen(t, h, "b", hub.Listening{Room: "r", Call: "t3"})
	want(t, texts, "two (again), three")
}
