package ask

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat"
	"parley/backend/chat/mattermost"
	"parley/backend/chat/mattermost/mattermosttest"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
)

type noCursors struct{}

func (noCursors) Load(context.Context, string) ([]byte, error) { return nil, nil }
func (noCursors) Save(context.Context, string, []byte) error   { return nil }

// site is a server with people, and Parley connected to it.
type site struct {
	*mattermosttest.Server
	t                        *testing.T
	bot, ann, bob, eve, crew mattermosttest.User
	channel                  *model.Channel
	root                     *model.Post
	desk                     *fakeDesk
	trail                    *fakeTrail
	asks                     *Manager
	thread                   port.Thread
}

func newSite(t *testing.T, o mattermosttest.Options) *site {
	s := &site{Server: mattermosttest.New(t, o), t: t, desk: &fakeDesk{ends: map[string]port.Outcome{}}, trail: &fakeTrail{}}
	team, board := s.AddTeam("ops"), s.AddTeam("board")
	s.bot = s.AddBot("parley", team.Id, board.Id)
	s.ann, s.bob, s.eve, s.crew = s.AddUser("ann", team.Id), s.AddUser("bob", team.Id), s.AddUser("eve", team.Id), s.AddUser("cru", team.Id, board.Id)
	s.channel = s.AddChannel(team.Id, "work", s.bot.ID, s.ann.ID, s.bob.ID, s.eve.ID, s.crew.ID)
	s.root = s.As(s.ann.ID).Post(s.channel.Id, "Please publish it.")
	s.thread = port.Thread{ID: s.root.Id, ChannelID: s.channel.Id, SessionID: session}

	var client *mattermost.Client
	callback := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = client.Pressed(r.Context(), body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(callback.Close)
	client, err := mattermost.New(mattermost.Config{
		URL: s.URL(), Token: mattermost.Fixed(s.bot.Token), Cursors: noCursors{}, Logger: slog.New(slog.DiscardHandler),
		Callback: &mattermost.Callback{URL: callback.URL, Secret: []byte("sixteen bytes at least")},
	})
	if err != nil {
		t.Fatal(err)
	}
	config := port.ChatConfig{Enabled: true, Access: []port.ChatGrant{
		{Role: port.RoleAdmin, UserID: s.ann.ID, Name: "Ann"}, {Role: port.RoleApprove, UserID: s.bob.ID, Name: "Bob"}, {Role: port.RoleApprove, TeamID: board.Id, Name: "Board"},
	}}
	gate := access.New(access.Config{Config: func() port.ChatConfig { return config }, Chat: client, Trail: s.trail})
	s.asks = New(Config{Chat: client, Desk: s.desk, Gate: gate, Buttons: func() bool { return true }, Logger: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { s.asks.Run(ctx) })
	all.Go(func() {
		if err := client.Run(ctx, func(ctx context.Context, in chat.Incoming) error { return s.take(ctx, client, in) }); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(func() {
		cancel()
		all.Wait()
		client.Close()
	})
	s.WaitFor(t, "the socket", func() bool { return s.Sockets(s.bot.ID) == 1 && client.Connection().State == "connected" })
	return s
}

// take handles events as the relay does.
func (s *site) take(ctx context.Context, client *mattermost.Client, in chat.Incoming) error {
	defer s.Poke()
	person := func(id string) chat.Person {
		p, err := client.Person(ctx, id)
		if err != nil {
			return chat.Person{ID: id}
		}
		return p
	}
	switch in := in.(type) {
	case chat.Posted:
		if in.Post.Thread() == s.root.Id && !in.Post.Mine {
			s.asks.Replied(ctx, s.thread, in.Post, person(in.Post.AuthorID))
		}
	case chat.ReactionAdded:
		s.asks.Reacted(ctx, in, person(in.Reaction.PersonID))
	case chat.ReactionRemoved:
		s.asks.Unreacted(ctx, in, person(in.Reaction.PersonID))
	case chat.ButtonPressed:
		s.asks.Pressed(ctx, in, person(in.PersonID))
	case chat.Deleted:
		s.asks.Deleted(ctx, in)
	}
	return nil
}

// opened asks a question, and returns its post once it has its reactions.
func (s *site) opened(q port.Request, reactions int) string {
	s.t.Helper()
	before := len(s.Thread(s.root.Id))
	s.desk.mu.Lock()
	s.desk.open = append(s.desk.open, q)
	s.desk.mu.Unlock()
	s.asks.Opened(context.Background(), s.thread, q)
	id := ""
	s.WaitFor(s.t, "the post of "+q.RequestID, func() bool {
		all := s.Thread(s.root.Id)
		if len(all) <= before {
			return false
		}
		id = all[len(all)-1].Id
		return len(s.Reactions(id)) >= reactions
	})
	return id
}

// ends waits until a post shows its question's end, and has no reactions of ours.
func (s *site) ends(id, how string) {
	s.t.Helper()
	s.WaitFor(s.t, how, func() bool {
		_, tail, _ := apart(s.Post(id).Message)
		return strings.Contains(tail, how) && !slices.ContainsFunc(s.Reactions(id), func(r string) bool { return strings.HasPrefix(r, "parley ") })
	})
}

func (s *site) answered(id string) (a port.Answer) {
	s.t.Helper()
	s.WaitFor(s.t, "the answer to "+id, func() bool {
		s.desk.mu.Lock()
		defer s.desk.mu.Unlock()
		at := slices.IndexFunc(s.desk.answers, func(a port.Answer) bool { return a.RequestID == id })
		if at >= 0 {
			a = s.desk.answers[at]
		}
		return at >= 0
	})
	return a
}

func TestOverAServer(t *testing.T) {
	s := newSite(t, mattermosttest.Options{})
	ann, bob, eve := s.As(s.ann.ID), s.As(s.bob.ID), s.As(s.eve.ID)

	// A permission by reaction, while a stranger tries.
	id := s.opened(push("once"), 3)
	if got := s.Reactions(id); !slices.Equal(got, []string{"parley +1", "parley white_check_mark", "parley -1"}) {
		t.Errorf("it offers %v", got)
	}
	eve.React(id, "+1")
	s.WaitFor(t, "the refusal", func() bool {
		return slices.ContainsFunc(s.Thread(s.root.Id), func(p *model.Post) bool { return strings.HasPrefix(p.Message, "Sorry, you do not have permission") })
	})
	bob.React(id, "+1")
	if a := s.answered("once"); !a.Allow || a.By.ID != s.bob.ID || len(a.Rules) > 0 {
		t.Errorf("%+v", a)
	}
	s.ends(id, "**Allowed** by Bob")

	// Always, by the server's button; by a user with the right through a team, once.
	id = s.opened(push("always"), 3)
	ann.Press(id, "always")
	if a := s.answered("always"); !slices.Equal(a.Rules, []string{"Bash(git push origin:*)"}) {
		t.Errorf("%+v", a)
	}
	s.ends(id, "`Bash(git push origin:*)`")
	if props := s.Post(id).Attachments(); len(props) > 0 {
		t.Errorf("buttons stay: %+v", props)
	}
	id = s.opened(push("team"), 3)
	s.As(s.crew.ID).React(id, "-1")
	s.ends(id, "**Denied** by Cru")

	// A reason and an edit by reply.
	id = s.opened(push("reason"), 3)
	eve.Reply(s.root.Id, "edit: rm -rf /")
	bob.Reply(s.root.Id, "Not on a Friday.")
	if a := s.answered("reason"); a.Allow || a.Message != "Not on a Friday." {
		t.Errorf("%+v", a)
	}
	s.ends(id, "> Not on a Friday.")
	id = s.opened(push("edit"), 3)
	bob.Reply(s.root.Id, "```\ngit push origin topic\n```")
	if a := s.answered("edit"); !a.Allow || !strings.Contains(string(a.Input), "origin topic") {
		t.Errorf("%+v", a)
	}
	s.ends(id, "git push origin topic")

	// Two questions, one with several answers.
	q := asked("questions", "AskUserQuestion", `{"questions":[`+colours+`,`+parts+`]}`)
	id = s.opened(q, 3)
	bob.React(id, "two")
	s.ends(id, "**Blue, light** by Bob")
	var second string
	s.WaitFor(t, "the second question", func() bool {
		all := s.Thread(s.root.Id)
		second = all[len(all)-1].Id
		return second != id && len(s.Reactions(second)) == 5
	})
	ann.React(second, "three")
	ann.React(second, "two")
	ann.Unreact(second, "two")
	bob.React(second, "one")
	s.WaitFor(t, "the numbers", func() bool { return len(s.Reactions(second)) == 7 })
	bob.React(second, "white_check_mark")
	if diff := cmp.Diff(map[string]any{"Which colour?": "Blue, light", "Which parts?": []string{"Door", "Wall"}}, s.answered("questions").Answers); diff != "" {
		t.Error(diff)
	}
	s.ends(second, "**Door, Wall** by Bob")

	// A plan, while the server restarts; a long command as a file; a deleted post.
	s.Restart()
	id = s.opened(asked("plan", "ExitPlanMode", `{"plan":"# Plan\n\nDo it."}`), 3)
	ann.React(id, "pencil2")
	if a := s.answered("plan"); !a.Allow || a.Mode != "acceptEdits" {
		t.Errorf("%+v", a)
	}
	s.ends(id, "edits are accepted")
	command := strings.Repeat("echo a long line\n", 400)
	id = s.opened(asked("long", "Bash", string(encode(map[string]string{"command": command}))), 2)
	files := s.Post(id).FileIds
	if len(files) != 1 || string(s.File(files[0])) != command {
		t.Errorf("%d files", len(files))
	}
	s.As(s.AddAdmin("root", s.channel.TeamId).ID).Delete(id)
	s.WaitFor(t, "it to be posted again", func() bool {
		all := s.Thread(s.root.Id)
		second = all[len(all)-1].Id
		return second != id && len(s.Post(second).FileIds) == 1 && len(s.Reactions(second)) == 2
	})

	// The window is first.
	s.desk.decide("long", port.Outcome{What: "denied", By: "window"})
	s.asks.Resolved(context.Background(), "long", event.PermissionResolved{RequestID: "long", Outcome: "deny", By: "window", AnsweredAt: time.Now().UnixMilli()})
	s.ends(second, "**Denied** in the window")

	s.trail.mu.Lock()
	defer s.trail.mu.Unlock()
	refused := 0
	for _, d := range s.trail.deeds {
		if d.By.ID == s.eve.ID && d.Refused == "" || d.By.Username == "" {
			t.Errorf("the log has %+v", d)
		}
		if d.Refused != "" {
			refused++
		}
	}
	if refused != 1 { // a stranger's reply is for the session, whose own check refuses it
		t.Errorf("%d refusals in the log", refused)
	}
}

// If posts can't be edited for long, the thread is told.
func TestServerThatLetsNothingBeEdited(t *testing.T) {
	var ahead atomic.Int64
	clock := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	s := newSite(t, mattermosttest.Options{EditLimit: 10 * time.Minute, Clock: clock})
	id := s.opened(push("q"), 3)
	ahead.Store(int64(time.Hour))
	s.As(s.bob.ID).React(id, "+1")
	s.WaitFor(t, "the thread to be told", func() bool {
		all := s.Thread(s.root.Id)
		return strings.Contains(all[len(all)-1].Message, "**Allowed** by Bob") && all[len(all)-1].Id != id
	})
}
