package mattermost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat"
	"parley/backend/fault"
)

func TestParseURL(t *testing.T) {
	for _, c := range []struct {
		in       string
		insecure bool
		want     string
	}{
		{in: "https://chat.example.org", want: "https://chat.example.org"},
		{in: " chat.Example.org/ ", want: "https://chat.example.org"},
		{in: "https://example.org/chat/", want: "https://example.org/chat"},
		{in: "https://example.org/api/v4", want: "https://example.org"},
		{in: "http://127.0.0.1:8065", want: "http://127.0.0.1:8065"},
		{in: "http://[::1]:8065", want: "http://[::1]:8065"},
		{in: "http://localhost", want: "http://localhost"},
		{in: "http://chat.example.org", insecure: true, want: "http://chat.example.org"},
		{in: "http://chat.example.org"},
		{in: "http://localhost.example.org"},
		{in: "ftp://chat.example.org"},
		{in: "https://ada:secret@chat.example.org"},
		{in: "https://chat.example.org/?a=b"},
		{in: "https://chat.example.org/#a"},
		{in: "https://chat.example.org/../x"},
		{in: "https://"},
		{in: "://"},
		{in: ""},
		{in: strings.Repeat("a", 3000)},
	} {
		u, err := ParseURL(c.in, c.insecure)
		got := ""
		if err == nil {
			got = u.String()
		} else if fault.CodeOf(err) != fault.Invalid || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", c.in, err)
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestPause(t *testing.T) {
	soon := time.Now().Add(30 * time.Second)
	for name, c := range map[string]struct {
		header, value string
		least, most   time.Duration
	}{
		"seconds":         {"Retry-After", "3", 3 * time.Second, 3 * time.Second},
		"a date":          {"Retry-After", soon.UTC().Format(http.TimeFormat), 20 * time.Second, 30 * time.Second},
		"reset":           {"X-RateLimit-Reset", "7", 7 * time.Second, 7 * time.Second},
		"reset as a time": {"X-RateLimit-Reset", fmt.Sprint(soon.Unix()), 20 * time.Second, 30 * time.Second},
		"too long":        {"Retry-After", "999999", longestPause, longestPause},
		"nonsense":        {"Retry-After", "soon", 0, 0},
		"negative":        {"Retry-After", "-4", 0, 0},
		"none":            {"X-Other", "4", 0, 0},
	} {
		if got := pause(http.Header{http.CanonicalHeaderKey(c.header): {c.value}}); got < c.least || got > c.most {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestBackoff(t *testing.T) {
	for n := range 100 {
		d := backoff(n, 500*time.Millisecond, time.Minute)
		if d < 250*time.Millisecond || d > time.Minute {
			t.Fatalf("%d: %v", n, d)
		}
	}
}

// answering returns a client of a server with the given handler.
func answering(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := New(Config{URL: s.URL, Token: Fixed("very-secret-token"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	c.tune = quick()
	c.tune.patience = 50 * time.Millisecond
	t.Cleanup(c.Close)
	return c
}

// No error contains the token, whatever the server answers.
func TestTokenIsHidden(t *testing.T) {
	for _, status := range []int{200, 301, 400, 401, 403, 404, 413, 429, 500, 501} {
		for _, body := range []string{"very-secret-token", `{"id":"very-secret-token","message":"very-secret-token is wrong"}`, `"very-secret-token"`} {
			c := answering(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer very-secret-token" {
					t.Error("no token")
				}
				w.Header().Set("Location", "https://very-secret-token.example.org/very-secret-token")
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			})
			_, err := c.Post(t.Context(), model.NewId())
			if err == nil || strings.Contains(fmt.Sprintf("%+v", err), "very-secret") {
				t.Errorf("%d: %v", status, err)
			}
			_, err = c.Probe(t.Context())
			if err == nil || strings.Contains(fmt.Sprintf("%+v", err), "very-secret") || strings.Contains(fault.MessageOf(err), "very-secret") {
				t.Errorf("%d: %v", status, err)
			}
		}
	}
}

// A redirect isn't followed, so the token isn't sent elsewhere.
func TestRedirect(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
	})
	_, err := c.Probe(t.Context())
	if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), other.URL) || elsewhere.Load() != 0 {
		t.Errorf("%v, %d calls elsewhere", err, elsewhere.Load())
	}
}

func TestErrors(t *testing.T) {
	id := model.NewId()
	for name, c := range map[string]struct {
		status int
		body   string
		want   error
	}{
		"gone":          {404, `{"id":"app.post.get.app_error"}`, chat.ErrGone},
		"a proxy's 404": {404, `<html>`, chat.ErrOffline},
		"forbidden":     {403, `{"id":"api.context.permissions.app_error"}`, chat.ErrForbidden},
		"no token":      {401, `{"id":"api.context.session_expired.app_error"}`, chat.ErrOffline},
		"too large":     {413, ``, chat.ErrTooLarge},
		"too long":      {400, `{"id":"model.post.is_valid.message_length.app_error"}`, chat.ErrTooLarge},
		"no root":       {400, `{"id":"api.post.create_post.root_id.app_error"}`, chat.ErrGone},
		"archived":      {400, `{"id":"api.post.create_post.can_not_post_to_deleted.error"}`, chat.ErrForbidden},
		"busy":          {503, ``, chat.ErrOffline},
		"limited":       {429, ``, chat.ErrOffline},
		"no server":     {200, `<html>`, chat.ErrOffline},
	} {
		cl := answering(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/users/me") {
				_ = json.NewEncoder(w).Encode(map[string]string{"id": id})
				return
			}
			if strings.HasSuffix(r.URL.Path, "/config/client") {
				_, _ = w.Write([]byte(`{}`))
				return
			}
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		})
		if _, err := cl.Post(t.Context(), model.NewId()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An endless answer isn't read to its end.
func TestAnswersAreBounded(t *testing.T) {
	id := model.NewId()
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		for range 1000 {
			if _, err := w.Write(make([]byte, 1000)); err != nil {
				return
			}
		}
	})
	if _, err := c.Download(t.Context(), id, 5000); !errors.Is(err, chat.ErrTooLarge) {
		t.Errorf("a large file: %v", err)
	}
	if got, err := c.Download(t.Context(), id, 1_000_000); err != nil || len(got) != 1_000_000 {
		t.Errorf("a file of the limit's size: %d, %v", len(got), err)
	}
}

// Few calls run concurrently.
func TestGate(t *testing.T) {
	var now, most atomic.Int64
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		for {
			was := most.Load()
			if n <= was || most.CompareAndSwap(was, n) {
				break
			}
		}
		defer now.Add(-1)
		time.Sleep(time.Millisecond)
		_, _ = w.Write([]byte(`{}`))
	})
	done := make(chan error)
	for range 50 {
		go func() { _, err := c.InTeam(context.Background(), model.NewId(), model.NewId()); done <- err }()
	}
	for range 50 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if most.Load() > maxCalls {
		t.Errorf("%d at once", most.Load())
	}
}

func TestCursor(t *testing.T) {
	c := newCursor(1000)
	for i := range int64(usualMarks + 1) {
		c.mark(fmt.Sprint("k", i), 2000+i)
	}
	c.advance(1500) // something older wasn't handled
	if len(c.marks) != usualMarks+1 || c.Floor != 1000 {
		t.Fatalf("%d marks, floor %d", len(c.marks), c.Floor)
	}
	c.advance(5000)
	if len(c.marks) != usualMarks/2 {
		t.Fatalf("%d marks are left", len(c.marks))
	}
	for i := range int64(usualMarks + 1) {
		if !c.has(fmt.Sprint("k", i), 2000+i) {
			t.Fatalf("%d is not known any more", i)
		}
	}
	if c.has("new", 2000+usualMarks+1) || !c.has("old", 2001) {
		t.Error("the floor is wrong")
	}
	c.tell("a")
	c.tell("b")
	c.tell("a")
	data, err := c.data()
	if err != nil {
		t.Fatal(err)
	}
	again, err := readCursor(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, again, cmp.AllowUnexported(cursor{})); diff != "" {
		t.Errorf("another cursor is read (-want +got):\n%s", diff)
	}
	if want := []string{"b", "a"}; !slices.Equal(again.present, want) {
		t.Errorf("present: %q", again.present)
	}
	for _, bad := range []string{"", "{}", `{"v":2,"through":5}`, `{"v":1,"through":-5}`, "[]"} {
		if _, err := readCursor([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// The largest cursor fits the limit promised to a store.
func TestCursorSize(t *testing.T) {
	c := newCursor(1)
	emoji := strings.Repeat("e", model.EmojiNameMaxLength)
	for i := range maxMarks {
		re := chat.Reaction{PostID: model.NewId(), PersonID: model.NewId(), Emoji: "+1", At: 1_800_000_000_000 + int64(i)}
		if i%50 == 0 {
			re.Emoji = emoji
		}
		c.mark(reactedKey(re), re.At)
		c.tell(bond(re))
	}
	if data, err := c.data(); err != nil || len(data) > 512<<10 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// A thread's waiting items are in order of creation, except for the one in the
// handler.
func TestLaneOrder(t *testing.T) {
	l := newLanes()
	posted := func(at int64) *item { return &item{key: fmt.Sprint(at), at: at, lane: "a", in: chat.Posted{}} }
	for _, at := range []int64{5, 3, 4} {
		l.push(posted(at), time.Time{})
	}
	a := l.next(time.Now())
	l.push(posted(1), time.Time{})
	l.push(posted(2), time.Time{})
	var got []int64
	for {
		got = append(got, a.items[0].at)
		l.done(a)
		if a = l.next(time.Now()); a == nil {
			break
		}
	}
	if want := []int64{3, 1, 2, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if l.count != 0 || len(l.byName) != 0 || len(l.line) != 0 {
		t.Errorf("something is left: %+v", l)
	}
	for i := range maxLane {
		if !l.push(posted(int64(i)), time.Time{}) {
			t.Fatal("there is no room")
		}
	}
	if l.push(posted(1), time.Time{}) {
		t.Error("a lane has no bound")
	}
}

func TestLRU(t *testing.T) {
	l := newLRU[int](2, time.Hour)
	var out []int
	l.dropped = func(v int) { out = append(out, v) }
	l.put("a", 1)
	l.put("b", 2)
	l.get("a")
	l.put("c", 3)
	l.put("c", 4)
	if _, ok := l.get("b"); ok || !slices.Equal(out, []int{2}) {
		t.Errorf("dropped %v", out)
	}
	if v, _ := l.get("c"); v != 4 {
		t.Errorf("c is %d", v)
	}
	l.drop("c")
	l.clear()
	if _, ok := l.get("a"); ok {
		t.Error("it is not empty")
	}
	old := newLRU[int](2, time.Nanosecond)
	old.put("a", 1)
	time.Sleep(time.Microsecond)
	if _, ok := old.get("a"); ok {
		t.Error("it is too old")
	}
}

func TestFileName(t *testing.T) {
	for in, want := range map[string]string{
		"a.txt": "a.txt", "/etc/passwd": "passwd", `C:\x\y.png`: "y.png", "": "file", "..": "file", "a\nb": "ab", "\xff": "file",
		strings.Repeat("ä", 200) + ".png": strings.Repeat("ä", 116) + ".png",
	} {
		if got := fileName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
