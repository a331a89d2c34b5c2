package mattermost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat"
	"parley/backend/chat/mattermost/mattermosttest"
	"parley/backend/fault"
)

// One key creates one post: when it is sent again, by another run, after a server
// restart, concurrently, and when the result of the first try is unknown.
func TestSendOnce(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	root := g.As(g.ada.ID).Post(g.ch.Id, "root")
	c := g.client()
	for _, p := range []chat.NewPost{
		{Key: "reply", ChannelID: g.ch.Id, RootID: root.Id, Text: "reply"},
		{Key: "begin", ChannelID: g.ch.Id, Text: "begin"},
	} {
		first, err := c.Send(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if !first.Mine || first.Key != p.Key || first.Text != p.Text {
			t.Errorf("sent %+v", first)
		}
		g.Restart() // it forgets which it has seen
		for _, again := range []*Client{c, g.client()} {
			got, err := again.Send(t.Context(), p)
			if err != nil || got.ID != first.ID {
				t.Errorf("sent again: %+v, %v", got, err)
			}
		}
	}
	for i, what := range []mattermosttest.FaultKind{mattermosttest.DropAfter, mattermosttest.StatusAfter, mattermosttest.DropBefore, mattermosttest.Status, mattermosttest.TooMany} {
		g.Faults(mattermosttest.Fault{What: what, Route: "POST /posts", User: g.bot.ID, Times: 1})
		key := "fault-" + string(rune('a'+i))
		results := make(chan string, 5)
		for range 5 {
			go func() {
				p, err := c.Send(context.Background(), chat.NewPost{Key: key, ChannelID: g.ch.Id, RootID: root.Id, Text: key})
				if err != nil {
					t.Error(err)
				}
				results <- p.ID
			}()
		}
		id := <-results
		for range 4 {
			if other := <-results; other != id {
				t.Errorf("%s: two posts", key)
			}
		}
	}
	count := map[string]int{}
	for _, p := range g.Posts(g.ch.Id) {
		count[p.Message]++
	}
	if len(count) != 8 {
		t.Errorf("posts: %v", count)
	}
	for text, n := range count {
		if n != 1 {
			t.Errorf("%q is there %d times", text, n)
		}
	}
}

// A try that hangs after it succeeded, and a server restart in between.
func TestSendHangs(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	c := g.client()
	c.tune.callTimeout = 300 * time.Millisecond
	g.Faults(mattermosttest.Fault{What: mattermosttest.HangAfter, Route: "POST /posts", Times: 1})
	p := chat.NewPost{Key: "k", ChannelID: g.ch.Id, Text: "once"}
	done := make(chan error, 1)
	go func() { _, err := c.Send(context.Background(), p); done <- err }()
	g.WaitFor(t, "the effect", func() bool { return len(g.Posts(g.ch.Id)) == 1 })
	g.Restart()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := len(g.Posts(g.ch.Id)); n != 1 {
		t.Errorf("%d posts", n)
	}
}

// A thread costs one read, not one per post.
func TestSendIsCheap(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	root := g.As(g.ada.ID).Post(g.ch.Id, "root")
	c := g.client()
	for i := range 20 {
		if _, err := c.Send(t.Context(), chat.NewPost{Key: "k" + string(rune('a'+i)), ChannelID: g.ch.Id, RootID: root.Id, Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	calls := 0
	for _, n := range g.Calls(g.bot.ID) {
		calls += n
	}
	if calls > 20+3 {
		t.Errorf("%d calls: %v", calls, g.Calls(g.bot.ID))
	}
}

func TestSendRefuses(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	c := g.client()
	ctx := t.Context()
	ok := chat.NewPost{Key: "k", ChannelID: g.ch.Id, Text: "x"}
	for name, c2 := range map[string]struct {
		change func(*chat.NewPost)
		want   error
	}{
		"no key":     {func(p *chat.NewPost) { p.Key = "" }, nil},
		"a bad key":  {func(p *chat.NewPost) { p.Key = "a b" }, nil},
		"long":       {func(p *chat.NewPost) { p.Text = strings.Repeat("ä", 16384) }, chat.ErrTooLarge},
		"no channel": {func(p *chat.NewPost) { p.ChannelID = "../users" }, chat.ErrGone},
		"no root":    {func(p *chat.NewPost) { p.RootID = model.NewId() }, chat.ErrGone},
		"files":      {func(p *chat.NewPost) { p.FileIDs = make([]string, 11) }, chat.ErrTooLarge},
	} {
		p := ok
		c2.change(&p)
		if _, err := c.Send(ctx, p); err == nil || c2.want != nil && !errors.Is(err, c2.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ok.Text = strings.Repeat("ä", 16383)
	if _, err := c.Send(ctx, ok); err != nil {
		t.Errorf("the longest text: %v", err)
	}
}

func TestPosts(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	c, ctx := g.client(), t.Context()
	ada := g.As(g.ada.ID)
	root := ada.Post(g.ch.Id, "root")
	p, err := c.Send(ctx, chat.NewPost{Key: "k", ChannelID: g.ch.Id, RootID: root.Id, Text: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Edit(ctx, p.ID, "two", nil); err != nil || g.Post(p.ID).Message != "two" {
		t.Errorf("edit: %v", err)
	}
	if err := errors.Join(c.React(ctx, root.Id, "+1"), c.React(ctx, root.Id, "+1")); err != nil || !slices.Equal(g.Reactions(root.Id), []string{"parley +1"}) {
		t.Errorf("react: %v, %v", err, g.Reactions(root.Id))
	}
	ada.React(root.Id, "two")
	if got, err := c.Reactions(ctx, root.Id); err != nil || len(got) != 2 || got[0].PersonID != c.Me().ID || got[1].PersonID != g.ada.ID || got[1].Emoji != "two" || got[1].At == 0 {
		t.Errorf("reactions: %+v, %v", got, err)
	}
	ada.Unreact(root.Id, "two")
	if err := c.Unreact(ctx, root.Id, "+1"); err != nil || len(g.Reactions(root.Id)) != 0 {
		t.Errorf("unreact: %v", err)
	}
	for i := range 250 {
		ada.Reply(root.Id, "reply "+string(rune('a'+i%26)))
	}
	for _, limit := range []int{1, 20, 230, 1000} {
		got, err := c.Thread(ctx, root.Id, limit)
		all := g.Thread(root.Id)
		if err != nil || len(got) != min(limit, len(all)) {
			t.Fatalf("%d posts of %d, %v", len(got), limit, err)
		}
		for i, p := range got {
			if want := all[len(all)-len(got)+i]; p.ID != want.Id {
				t.Fatalf("the thread's newest %d are in another order: %d is %q, want %q", limit, i, p.Text, want.Message)
			}
		}
	}
	got, err := c.Post(ctx, p.ID)
	if err != nil || got.Text != "two" || got.Key != "k" || !got.Mine || !got.Automated || got.Thread() != root.Id {
		t.Errorf("post: %+v, %v", got, err)
	}
	g.As(c.Me().ID).Delete(p.ID)
	gone := map[string]error{
		"edit": c.Edit(ctx, p.ID, "x", nil), "react": c.React(ctx, p.ID, "+1"),
		"edit none": c.Edit(ctx, model.NewId(), "x", nil), "nonsense": c.Edit(ctx, "../../users", "x", nil),
	}
	_, gone["post"] = c.Post(ctx, p.ID)
	_, gone["thread"] = c.Thread(ctx, model.NewId(), 3)
	for name, err := range gone {
		if !errors.Is(err, chat.ErrGone) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.Edit(ctx, root.Id, "mine now", nil); !errors.Is(err, chat.ErrForbidden) {
		t.Errorf("another's post: %v", err)
	}
	if !strings.HasPrefix(c.Link(root.Id), g.URL()+"/") {
		t.Errorf("link: %s", c.Link(root.Id))
	}
}

func TestFiles(t *testing.T) {
	g := newRig(t, mattermosttest.Options{MaxFile: 1 << 20})
	c, ctx := g.client(), t.Context()
	data := bytes.Repeat([]byte("data"), 50_000)
	g.Faults(mattermosttest.Fault{What: mattermosttest.DropBefore, Route: "POST /files", Times: 1})
	f, err := c.Upload(ctx, g.ch.Id, "dir/a ä.txt", bytes.NewReader(data))
	if err != nil || f.Name != "a ä.txt" || f.Bytes != int64(len(data)) {
		t.Fatalf("%+v, %v", f, err)
	}
	streamed, err := c.Upload(ctx, g.ch.Id, "b.bin", io.MultiReader(bytes.NewReader(data), strings.NewReader("!")))
	if err != nil || streamed.Bytes != int64(len(data))+1 {
		t.Fatalf("%+v, %v", streamed, err)
	}
	p, err := c.Send(ctx, chat.NewPost{Key: "f", ChannelID: g.ch.Id, FileIDs: []string{f.ID, streamed.ID}})
	if err != nil || len(p.Files) != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	if got, err := c.Download(ctx, f.ID, 1<<20); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := c.Download(ctx, f.ID, 100); !errors.Is(err, chat.ErrTooLarge) {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := c.Download(ctx, model.NewId(), 100); !errors.Is(err, chat.ErrGone) {
		t.Errorf("no file: %v", err)
	}
	large := make([]byte, 2<<20)
	if _, err := c.Upload(ctx, g.ch.Id, "l", bytes.NewReader(large)); !errors.Is(err, chat.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	if _, err := c.Upload(ctx, g.ch.Id, "l", io.MultiReader(bytes.NewReader(large))); !errors.Is(err, chat.ErrTooLarge) {
		t.Errorf("too large, streamed: %v", err)
	}
}

func TestPeople(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	c, ctx := g.client(), t.Context()
	g.Rename(g.ada.ID, "Ada", "Lovelace", "")
	guest := g.AddGuest("gwen", g.team.Id)
	p, err := c.Person(ctx, g.ada.ID)
	if err != nil || p.Name != "Ada Lovelace" || p.Username != "ada" || p.Bot || p.Guest {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := c.Person(ctx, guest.ID); err != nil || !p.Guest {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := c.Person(ctx, g.bot.ID); err != nil || !p.Bot {
		t.Errorf("%+v, %v", p, err)
	}
	if in, err := c.InTeam(ctx, g.ada.ID, g.team.Id); err != nil || !in {
		t.Errorf("in the team: %v, %v", in, err)
	}
	other := g.AddTeam("other")
	if in, err := c.InTeam(ctx, g.ada.ID, other.Id); in || err != nil && !errors.Is(err, chat.ErrForbidden) {
		t.Errorf("in another team: %v, %v", in, err)
	}
	d := g.As(g.ada.ID).Direct(g.bot.ID)
	if ch, err := c.Channel(ctx, d.Id); err != nil || ch.Kind != chat.Direct || ch.Title != "@ada" {
		t.Errorf("%+v, %v", ch, err)
	}
	if ch, err := c.Channel(ctx, g.ch.Id); err != nil || ch.Kind != chat.Open || ch.TeamID != g.team.Id {
		t.Errorf("%+v, %v", ch, err)
	}
	found, err := c.People(ctx, "@ad", g.team.Id)
	if err != nil || len(found) != 1 || found[0].ID != g.ada.ID {
		t.Errorf("%+v, %v", found, err)
	}
	g.AddChannel(g.team.Id, "gardening")
	for query, want := range map[string]string{"": "general", "gard": "gardening"} {
		chs, more, err := c.Channels(ctx, g.team.Id, query)
		if err != nil || more || !slices.ContainsFunc(chs, func(ch chat.Channel) bool { return ch.Name == want }) {
			t.Errorf("%q: %+v, %v", query, chs, err)
		}
	}
}

func TestProbe(t *testing.T) {
	g := newRig(t, mattermosttest.Options{Version: "6.3.0"})
	got, err := g.client().Probe(t.Context())
	if err != nil || got.Version != "6.3.0" || got.Me.ID != g.bot.ID || len(got.Teams) != 1 || len(got.Warnings) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	admin := g.AddAdmin("root")
	g.Faults(mattermosttest.Fault{What: mattermosttest.Status, Route: "GET /websocket"})
	got, err = g.client(func(c *Config) { c.Token = Fixed(admin.Token) }).Probe(t.Context())
	if err != nil || len(got.Warnings) != 5 {
		t.Errorf("%q, %v", got.Warnings, err)
	}
	for token, want := range map[string]fault.Code{"wrong": fault.Unauthorized, "": fault.Unauthorized} {
		_, err := g.client(func(c *Config) { c.Token = Fixed(token) }).Probe(t.Context())
		if fault.CodeOf(err) != want {
			t.Errorf("%q: %v", token, err)
		}
	}
}

// A revoked token is refused until a retry is requested.
func TestRefused(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	token := make(chan string, 1)
	token <- g.bot.Token
	var states []string
	c := g.client(func(c *Config) {
		c.Token = func(context.Context) (string, error) {
			v := <-token
			token <- v
			return v, nil
		}
		c.Changed = func(now chat.Connection) {
			states = append(states, now.State) // reported one at a time
			g.Poke()
		}
	})
	stop := g.run(c)
	g.hello()
	if got := c.Connection(); got.State != "connected" || got.Me.ID != g.bot.ID || got.Version == "" || got.Reason != "" {
		t.Errorf("%+v", got)
	}
	<-token
	token <- "wrong"
	g.Cut(g.bot.ID)
	g.WaitFor(t, "the refusal", func() bool { return c.Connection().State == "refused" })
	if got := c.Connection(); got.Reason == "" || got.RetryAt == 0 || len(c.Events()) < 2 {
		t.Errorf("%+v, %+v", got, c.Events())
	}
	<-token
	token <- g.bot.Token
	c.Retry()
	g.WaitFor(t, "the connection", func() bool { return c.Connection().State == "connected" })
	g.settled()
	stop()
	if got := c.Connection(); got.State != "off" {
		t.Errorf("%+v", got)
	}
	for _, want := range []string{"connecting", "connected", "refused", "off"} {
		if !slices.Contains(states, want) {
			t.Errorf("%q was not told: %q", want, states)
		}
	}
}

func TestTyping(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	c := g.client()
	if err := c.Typing(t.Context(), g.ch.Id, ""); !errors.Is(err, chat.ErrOffline) {
		t.Errorf("without a socket: %v", err)
	}
	g.run(c)
	g.hello()
	if err := c.Typing(t.Context(), g.ch.Id, ""); err != nil {
		t.Fatal(err)
	}
	g.WaitFor(t, "the typing", func() bool { return len(g.Typings()) == 1 })
}

func TestButtons(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	var c *Client
	bodies := make(chan []byte, 10)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- body
		if err := c.Pressed(r.Context(), body); err != nil {
			http.Error(w, fault.MessageOf(err), http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte("{}"))
	}))
	defer gateway.Close()
	secret := []byte("sixteen bytes or more")
	c = g.client(func(c *Config) { c.Callback = &Callback{URL: gateway.URL, Secret: secret} })
	g.run(c)
	g.hello()
	p, err := c.Send(t.Context(), chat.NewPost{Key: "ask", ChannelID: g.ch.Id, Text: "May I?", Buttons: []chat.Button{{ID: "yes", Label: "Yes", Style: "primary"}, {ID: "no", Label: "No"}}})
	if err != nil {
		t.Fatal(err)
	}
	g.expect("post May I?")
	g.As(g.ada.ID).Press(p.ID, "yes")
	g.expect("post May I?", "press yes")
	body := <-bodies
	if _, err := Verify(secret, body, 1); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(map[string]any){
		"another button":  func(m map[string]any) { m["context"].(map[string]any)["button"] = "no" },
		"another key":     func(m map[string]any) { m["context"].(map[string]any)["key"] = "other" },
		"another channel": func(m map[string]any) { m["channel_id"] = model.NewId() },
		"another post":    func(m map[string]any) { m["post_id"] = model.NewId() },
		"nobody":          func(m map[string]any) { m["user_id"] = "" },
		"no proof":        func(m map[string]any) { delete(m["context"].(map[string]any), "proof") },
	} {
		var m map[string]any
		if err := json.Unmarshal(body, &m); err != nil {
			t.Fatal(err)
		}
		change(m)
		raw, _ := json.Marshal(m)
		if err := c.Pressed(t.Context(), raw); fault.CodeOf(err) != fault.Forbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.Edit(t.Context(), p.ID, "It was allowed.", []chat.Button{}); err != nil {
		t.Fatal(err)
	}
	if got := g.Post(p.ID); len(got.Attachments()) != 0 || got.GetProp(keyProp) != "ask" || got.Message != "It was allowed." {
		t.Errorf("after the edit: %+v", got)
	}
}

func FuzzVerify(f *testing.F) {
	secret := []byte("sixteen bytes or more")
	const ch, id = "cccccccccccccccccccccccccc", "yyyyyyyyyyyyyyyyyyyyyyyyyy"
	good, _ := json.Marshal(map[string]any{
		"user_id": id, "post_id": id, "channel_id": ch,
		"context": map[string]any{"button": "yes", "key": "k", "proof": proof(secret, "k", ch, "yes")},
	})
	f.Add(good)
	f.Add([]byte(`{"context":{}}`))
	f.Add([]byte(`{"context":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if p, err := Verify([]byte("another secret of ours"), body, 1); err == nil {
			t.Fatalf("trusted: %+v", p)
		}
		if p, err := Verify(secret, body, 1); err == nil && (p.ChannelID != ch || p.Key != "k" || p.ButtonID != "yes") {
			t.Fatalf("trusted: %+v", p)
		}
	})
}
