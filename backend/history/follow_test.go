package history_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
	"parley/backend/history"
)

// following is a follower whose updates are taken one by one.
type following struct {
	t       *testing.T
	updates <-chan history.Update
	wake    chan struct{}
	stop    context.CancelFunc
}

func follow(t *testing.T, path string) *following {
	t.Helper()
	after := newest(t, path, 10).End
	ctx, cancel := context.WithCancel(t.Context())
	f := &following{t: t, wake: make(chan struct{}, 1), stop: cancel}
	f.updates = history.Open(path).Follow(ctx, after, f.wake)
	t.Cleanup(func() {
		cancel()
		for range f.updates {
		}
	})
	return f
}

// next makes the follower look and returns what it says.
func (f *following) next() history.Update {
	f.t.Helper()
	select {
	case f.wake <- struct{}{}:
	default:
	}
	select {
	case u, ok := <-f.updates:
		if !ok {
			f.t.Fatal("the follower ended")
		}
		return u
	case <-time.After(20 * time.Second):
		f.t.Fatal("no update")
	}
	panic("not reached")
}

func (f *following) want(messages ...string) {
	f.t.Helper()
	u := f.next()
	if diff := cmp.Diff(messages, say(u.Messages)); diff != "" || u.Page != nil || u.Gone || u.Err != nil {
		f.t.Fatalf("update %+v (-want +got):\n%s", u, diff)
	}
}

func (f *following) wantPage(messages ...string) {
	f.t.Helper()
	u := f.next()
	if u.Page == nil || len(u.Messages) > 0 {
		f.t.Fatalf("no new page but %+v", u)
	}
	if diff := cmp.Diff(messages, say(u.Page.Messages)); diff != "" {
		f.t.Fatalf("page (-want +got):\n%s", diff)
	}
}

func TestFollow(t *testing.T) {
	path := file(t, user("u1", "", "one"), answer("a1", "u1", "eins"))
	f := follow(t, path)
	write(t, path, user("u2", "a1", "two"))
	f.want("user: two")
	write(t, path, answer("a2", "u2", "zwei é"))
	f.want("assistant: zwei é")
	// What changes a message gives it again, whole.
	write(t, path, tool("t1", "a2", "m3", 0))
	f.want("assistant: Bash pending")
	write(t, path, tool("t2", "t1", "m3", 1))
	f.want("assistant: Bash pending Bash pending")
	write(t, path, result("r1", "t1", "t1", "x"), result("r2", "t2", "t2", "y"))
	f.want("assistant: Bash done x Bash done y")
	write(t, path, answer("a4", "r1", "vier"), `{"type":"last-prompt","lastPrompt":"two"}`)
	f.want("assistant: vier")
	f.stop()
	for u := range f.updates {
		t.Errorf("after its end: %+v", u)
	}
}

// A line that is being written is waited for, whatever it is cut in.
func TestFollowWaitsForTheEnd(t *testing.T) {
	path := file(t, user("u1", "", "one"))
	f := follow(t, path)
	line := answer("a1", "u1", "eins é") + "\n"
	at := 0
	for _, cut := range []int{1, 40, strings.Index(line, "é") + 1, len(line) - 1} {
		appendTo(t, path, line[at:cut])
		at = cut
		for range 3 { // when the third is taken, the follower has looked
			f.wake <- struct{}{}
		}
		select {
		case u := <-f.updates:
			t.Fatalf("an update from a part of a line: %+v", u)
		default:
		}
	}
	appendTo(t, path, line[at:])
	f.want("assistant: eins é")
}

func TestFollowAnotherTurn(t *testing.T) {
	path := file(t, user("u1", "", "one"), answer("a1", "u1", "eins"), user("u2", "a1", "wrong"), answer("a2", "u2", "falsch"))
	f := follow(t, path)
	write(t, path, user("u3", "a1", "right"))
	f.wantPage("user: one", "assistant: eins", "user: right")
	write(t, path, answer("a3", "u3", "recht"))
	f.want("assistant: recht")
}

func TestFollowAnotherFile(t *testing.T) {
	path := file(t, user("u1", "", "one"), answer("a1", "u1", "eins"))
	f := follow(t, path)
	other := file(t, user("v1", "", "other"))
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	f.wantPage("user: other")
	write(t, path, answer("w1", "v1", "anders"))
	f.want("assistant: anders")
	if err := os.Truncate(path, int64(len(user("v1", "", "other"))+1)); err != nil {
		t.Fatal(err)
	}
	f.wantPage("user: other")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if u := f.next(); !u.Gone {
		t.Errorf("gone: %+v", u)
	}
	if u, ok := <-f.updates; ok {
		t.Errorf("after the last update: %+v", u)
	}
}

// A file that is there but empty is followed from its beginning.
func TestFollowFromNothing(t *testing.T) {
	path := file(t)
	f := follow(t, path)
	write(t, path, user("u1", "", "one"))
	f.want("user: one")
}

// Whoever does not receive gets everything later.
func TestFollowSlowReceiver(t *testing.T) {
	path := file(t, user("u0", "", "zero"))
	f := follow(t, path)
	parent := "u0"
	for _, id := range []string{"u1", "u2", "u3", "u4", "u5"} {
		write(t, path, user(id, parent, id))
		parent = id
		select {
		case f.wake <- struct{}{}:
		default:
		}
	}
	var got []string
	for len(got) < 5 {
		got = append(got, say(f.next().Messages)...)
	}
	if diff := cmp.Diff([]string{"user: u1", "user: u2", "user: u3", "user: u4", "user: u5"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFollowMissing(t *testing.T) {
	tr := history.Open(filepath.Join(t.TempDir(), "none.jsonl"))
	u := <-tr.Follow(t.Context(), history.Position{}, nil)
	if !u.Gone {
		t.Errorf("%+v", u)
	}
	if _, err := tr.Page(t.Context(), 1, ""); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}
