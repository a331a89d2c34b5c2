package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
)

// The world of the tests: channels by id, teams by members.
const (
	home, other, direct, group, lost = "home", "other", "direct", "group", "lost"
	me                               = "parley"
)

type fakeChat struct {
	port.Chat
	teams map[string][]string
	fails error
}

func (f *fakeChat) Me() chat.Person {
	return chat.Person{ID: me, Username: me, Name: "Parley", Bot: true}
}

func (f *fakeChat) Channel(_ context.Context, id string) (chat.Channel, error) {
	kinds := map[string]string{home: chat.Private, other: chat.Open, direct: chat.Direct, group: chat.Group}
	if kinds[id] == "" {
		return chat.Channel{}, chat.ErrOffline
	}
	return chat.Channel{ID: id, Kind: kinds[id]}, nil
}

func (f *fakeChat) InTeam(_ context.Context, person, team string) (bool, error) {
	return slices.Contains(f.teams[team], person), f.fails
}

type fakeTrail struct{ deeds []port.Action }

func (f *fakeTrail) Chat(_ context.Context, d port.Action) { f.deeds = append(f.deeds, d) }

func person(id string) chat.Person {
	return chat.Person{ID: id, Username: id, Name: strings.ToUpper(id[:1]) + id[1:]}
}

func newGate(grants ...port.ChatGrant) (*Gate, *fakeChat, *fakeTrail) {
	c, trail := &fakeChat{teams: map[string][]string{"crew": {"ann"}}}, &fakeTrail{}
	config := port.ChatConfig{Enabled: true, Access: grants}
	return New(Config{Config: func() port.ChatConfig { return config }, Chat: c, Trail: trail}), c, trail
}

// attempt is a path with the role that the caller requires.
type attempt struct {
	path string
	need port.ChatRole
}

func (a attempt) String() string {
	if a.need == "" {
		return a.path
	}
	return a.path + ":" + string(a.need)
}

// attempts returns all paths with everything that a caller can require.
func attempts() []attempt {
	var all []attempt
	for _, path := range []string{"post", "reply", "reaction", "command", "edit", "file", "button", "delete"} {
		for _, need := range []port.ChatRole{"", "watch", "prompt", "approve", "admin"} {
			all = append(all, attempt{path, need})
		}
	}
	return all
}

// allowed is the intended matrix: what each role may do, and no more.
func allowed(role port.ChatRole) []string {
	watch := []string{"command:watch"}
	prompt := slices.Concat(watch, []string{
		"post", "post:watch", "post:prompt", "reply", "reply:watch", "reply:prompt", "file", "file:watch", "file:prompt",
		"edit", "edit:watch", "edit:prompt", "delete", "delete:watch", "delete:prompt", "reaction:watch", "reaction:prompt", "command:prompt",
	})
	approve := slices.Concat(prompt, []string{
		"reaction", "reaction:approve", "button", "button:watch", "button:prompt", "button:approve", "command:approve",
		"post:approve", "reply:approve", "file:approve", "edit:approve", "delete:approve",
	})
	admin := slices.Concat(approve, []string{
		"command", "command:admin", "reaction:admin", "button:admin", "post:admin", "reply:admin", "file:admin", "edit:admin", "delete:admin",
	})
	return map[port.ChatRole][]string{"": nil, "watch": watch, "prompt": prompt, "approve": approve, "admin": admin}[role]
}

// matrix checks every role × every path × every place × every way to be granted a role,
// and returns deviations from the intended result.
func matrix(check func(g *Gate, t Attempt) Verdict) (wrong []string, tried int) {
	ways := []struct {
		name   string
		grant  port.ChatGrant
		places []string
	}{
		{"user", port.ChatGrant{UserID: "ann"}, []string{home, other, direct, group, lost}},
		{"team", port.ChatGrant{TeamID: "crew"}, []string{home, other, direct, group, lost}},
		{"user and team", port.ChatGrant{UserID: "ann", TeamID: "crew"}, []string{home, other, direct, group, lost}},
		{"user in a channel", port.ChatGrant{UserID: "ann", ChannelID: home}, []string{home}},
		{"team in a channel", port.ChatGrant{TeamID: "crew", ChannelID: home}, []string{home}},
		{"everyone in a channel", port.ChatGrant{Everyone: true, ChannelID: home}, []string{home}},
		{"someone else", port.ChatGrant{UserID: "bob"}, nil},
		{"another team", port.ChatGrant{TeamID: "board"}, nil},
		{"user in a direct channel", port.ChatGrant{UserID: "ann", ChannelID: direct}, nil},
		{"everyone in a direct channel", port.ChatGrant{Everyone: true, ChannelID: direct}, nil},
		{"everyone in a group", port.ChatGrant{Everyone: true, ChannelID: group}, nil},
		{"everyone in a channel that cannot be looked up", port.ChatGrant{Everyone: true, ChannelID: lost}, nil},
		{"everyone nowhere", port.ChatGrant{Everyone: true}, nil},
		{"nobody in a channel", port.ChatGrant{ChannelID: home}, nil},
		{"nobody", port.ChatGrant{}, nil},
	}
	all := attempts()
	for _, way := range ways {
		for _, role := range []port.ChatRole{"", "watch", "prompt", "approve", "admin"} {
			way.grant.Role = role
			for _, place := range []string{home, other, direct, group, lost} {
				g, _, trail := newGate(way.grant)
				may := map[string]bool{}
				if slices.Contains(way.places, place) {
					for _, a := range allowed(role) {
						may[a] = true
					}
				}
				for _, a := range all {
					tried++
					v := check(g, Attempt{By: person("ann"), ChannelID: place, Path: a.path, Need: a.need, What: "x"})
					if v.OK != may[a.String()] {
						wrong = append(wrong, fmt.Sprintf("%s as %q in %s: %s is %v", way.name, role, place, a, v.OK))
					}
				}
				if len(trail.deeds) != len(all) {
					wrong = append(wrong, fmt.Sprintf("%s as %q in %s: %d of %d are in the log", way.name, role, place, len(trail.deeds), len(all)))
				}
			}
		}
	}
	return wrong, tried
}

func TestMatrix(t *testing.T) {
	wrong, tried := matrix(func(g *Gate, try Attempt) Verdict { return g.Check(context.Background(), try) })
	for _, w := range wrong {
		t.Error(w)
	}
	t.Logf("%d cases", tried)
}

// The matrix must detect a gate with a hole.
func TestMatrixSeesHoles(t *testing.T) {
	ctx := context.Background()
	holes := map[string]func(g *Gate, try Attempt) Verdict{
		"it lets everybody in": func(g *Gate, try Attempt) Verdict {
			v := g.Check(ctx, try)
			v.OK = true
			return v
		},
		"it lets nobody in": func(g *Gate, try Attempt) Verdict {
			v := g.Check(ctx, try)
			v.OK = false
			return v
		},
		"it trusts the caller's need": func(g *Gate, try Attempt) Verdict {
			v := g.Check(ctx, try)
			v.OK = Covers(v.Role, try.Need)
			return v
		},
		"it forgets reactions": func(g *Gate, try Attempt) Verdict {
			v := g.Check(ctx, try)
			v.OK = v.OK || try.Path == PathReaction
			return v
		},
		"it forgets edits of those who look on": func(g *Gate, try Attempt) Verdict {
			v := g.Check(ctx, try)
			v.OK = v.OK || try.Path == PathEdit && try.Need == "" && v.Role == port.RoleWatch
			return v
		},
		"it takes direct messages for the channel": func(g *Gate, try Attempt) Verdict {
			if try.ChannelID == direct {
				try.ChannelID = home
			}
			return g.Check(ctx, try)
		},
		"it takes other channels for the channel": func(g *Gate, try Attempt) Verdict {
			if try.ChannelID == other {
				try.ChannelID = home
			}
			return g.Check(ctx, try)
		},
		"it takes approve for admin": func(g *Gate, try Attempt) Verdict {
			if try.Need == port.RoleAdmin {
				try.Need = port.RoleApprove
			}
			return g.Check(ctx, try)
		},
		"it takes everybody for a member": func(g *Gate, try Attempt) Verdict {
			g.config.Chat.(*fakeChat).teams["board"] = []string{"ann"}
			return g.Check(ctx, try)
		},
		"it does not log": func(g *Gate, try Attempt) Verdict {
			quiet := New(Config{Config: g.config.Config, Chat: g.config.Chat, Trail: &fakeTrail{}})
			return quiet.Check(ctx, try)
		},
	}
	for name, hole := range holes {
		wrong, _ := matrix(hole)
		if len(wrong) == 0 {
			t.Errorf("nobody notices when %s", name)
		}
	}
}

func TestSpecialPeople(t *testing.T) {
	byName := port.ChatGrant{Role: port.RoleAdmin, UserID: "ann"}
	byTeam := port.ChatGrant{Role: port.RoleAdmin, TeamID: "crew"}
	everybody := port.ChatGrant{Role: port.RoleApprove, Everyone: true, ChannelID: home}
	cases := []struct {
		name      string
		who       func(p *chat.Person)
		automated bool
		// The roles by name, by team and as everyone.
		want [3]port.ChatRole
	}{
		{"a person", func(*chat.Person) {}, false, [3]port.ChatRole{"admin", "admin", "approve"}},
		{"a guest", func(p *chat.Person) { p.Guest = true }, false, [3]port.ChatRole{"admin", "", ""}},
		{"a bot", func(p *chat.Person) { p.Bot = true }, false, [3]port.ChatRole{"admin", "", ""}},
		{"a bot's post", func(p *chat.Person) { p.Bot = true }, true, [3]port.ChatRole{"admin", "", ""}},
		{"a webhook of a person", func(*chat.Person) {}, true, [3]port.ChatRole{"", "", ""}},
		{"a deactivated account", func(p *chat.Person) { p.Deactivated = true }, false, [3]port.ChatRole{"", "", ""}},
		{"someone who cannot be looked up", func(p *chat.Person) { p.Username, p.Name = "", "" }, false, [3]port.ChatRole{"admin", "", ""}},
		{"Parley itself", func(p *chat.Person) { p.ID = me }, false, [3]port.ChatRole{"", "", ""}},
		{"nobody", func(p *chat.Person) { p.ID = "" }, false, [3]port.ChatRole{"", "", ""}},
		{"someone with ann's name", func(p *chat.Person) { p.ID = "eve" }, false, [3]port.ChatRole{"", "", "approve"}},
		{"someone who says that they are in the team", func(p *chat.Person) { p.ID, p.TeamIDs = "eve", []string{"crew"} }, false, [3]port.ChatRole{"", "", "approve"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := person("ann")
			tc.who(&p)
			var got [3]port.ChatRole
			for i, grant := range []port.ChatGrant{byName, byTeam, everybody} {
				g, _, _ := newGate(grant)
				got[i] = g.Role(context.Background(), p, tc.automated, home)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNobodyWithoutACurrentGrant(t *testing.T) {
	ctx := context.Background()
	grants := []port.ChatGrant{{Role: port.RolePrompt, UserID: "bob"}, {Role: port.RoleAdmin, TeamID: "crew"}, {Role: port.RoleWatch, UserID: "ann"}}
	g, c, _ := newGate(grants...)
	role := func() port.ChatRole { return g.Role(ctx, person("ann"), false, home) }
	if got := role(); got != port.RoleAdmin {
		t.Fatalf("the highest of two grants is %q", got)
	}
	c.fails = errors.New("no connection")
	if got := role(); got != port.RoleWatch {
		t.Errorf("with a lookup that fails: %q", got)
	}
	c.fails, c.teams = nil, nil
	if got := role(); got != port.RoleWatch {
		t.Errorf("after leaving the team: %q", got)
	}
	config := port.ChatConfig{Enabled: true, Access: grants}
	g = New(Config{Config: func() port.ChatConfig { return config }, Chat: c, Trail: &fakeTrail{}})
	config.Enabled = false
	if got := role(); got != port.RoleNone {
		t.Errorf("while the chat is off: %q", got)
	}
	config.Enabled, config.Access = true, nil
	if got := role(); got != port.RoleNone {
		t.Errorf("with an empty list: %q", got)
	}
	config.Access = []port.ChatGrant{{Role: "owner", UserID: "ann"}}
	if got := role(); got != port.RoleNone {
		t.Errorf("with a role that does not exist: %q", got)
	}
	g, _, trail := newGate(port.ChatGrant{Role: port.RoleAdmin, UserID: "ann"})
	for _, try := range []Attempt{
		{By: person("ann"), ChannelID: home, Path: "telepathy"}, {By: person("ann"), ChannelID: home},
		{By: person("ann"), ChannelID: home, Path: PathPost, Need: "owner"}, {By: person("ann"), Path: PathPost},
	} {
		if v := g.Check(ctx, try); v.OK {
			t.Errorf("%+v passes", try)
		}
	}
	if len(trail.deeds) != 4 {
		t.Errorf("%d deeds", len(trail.deeds))
	}
}

func TestHolders(t *testing.T) {
	g, _, _ := newGate(
		port.ChatGrant{Role: port.RoleWatch, Everyone: true, ChannelID: home}, port.ChatGrant{Role: port.RoleApprove, TeamID: "crew", Name: "Crew"},
		port.ChatGrant{Role: port.RoleAdmin, UserID: "ann", Name: "Ann"}, port.ChatGrant{Role: port.RoleApprove, UserID: "ann", Name: "Ann", ChannelID: home},
		port.ChatGrant{Role: port.RoleApprove, UserID: "bob", ChannelID: home}, port.ChatGrant{Role: port.RoleApprove, UserID: "cy", ChannelID: other},
		port.ChatGrant{Role: port.RoleApprove, Everyone: true, ChannelID: direct}, port.ChatGrant{Role: port.RoleAdmin},
	)
	for _, tc := range []struct {
		channel string
		private bool
		least   port.ChatRole
		limit   int
		want    []string
		more    int
	}{
		{home, false, port.RoleApprove, 9, []string{"Ann", "bob", "the team Crew"}, 0},
		{home, false, port.RoleApprove, 1, []string{"Ann"}, 2},
		{home, false, port.RoleWatch, 9, []string{"Ann", "bob", "the team Crew", "everybody here"}, 0},
		{home, false, port.RoleAdmin, 9, []string{"Ann"}, 0},
		{direct, true, port.RoleApprove, 9, []string{"Ann", "the team Crew"}, 0},
	} {
		names, more := g.Holders(tc.channel, tc.private, tc.least, tc.limit)
		if diff := cmp.Diff(tc.want, names); diff != "" || more != tc.more {
			t.Errorf("%+v: %s, %d more", tc, diff, more)
		}
	}
}

func TestEverythingIsInTheLog(t *testing.T) {
	g, _, trail := newGate(port.ChatGrant{Role: port.RolePrompt, UserID: "ann"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // a caller that gives up is logged anyway
	g.Check(ctx, Attempt{By: person("ann"), ChannelID: home, Path: PathPost, What: strings.Repeat("ä", 300), SessionID: "s"})
	g.Check(ctx, Attempt{By: person("ann"), ChannelID: home, Path: PathButton, What: "allow", RequestID: "r"})
	g.Check(ctx, Attempt{By: person("eve"), ChannelID: home, Path: PathFile, What: "x.png"})
	want := []port.Action{
		{By: person("ann"), ChannelID: home, Path: "post", What: strings.Repeat("ä", 199) + "…", SessionID: "s"},
		{By: person("ann"), ChannelID: home, Path: "button", What: "allow", RequestID: "r", Refused: "this needs the role approve; the person has prompt here"},
		{By: person("eve"), ChannelID: home, Path: "file", What: "x.png", Refused: "this needs the role prompt; the person has none here"},
	}
	if diff := cmp.Diff(want, trail.deeds); diff != "" {
		t.Error(diff)
	}
}

func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		g, _, _ := newGate(port.ChatGrant{Role: port.RolePrompt, UserID: "ann"})
		hears := func(who chat.Person, thread, path string) bool {
			t.Helper()
			return g.Check(ctx, Attempt{By: who, ChannelID: home, ThreadID: thread, Path: path}).Refusal != ""
		}
		step := func(what string, got, want bool) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %v", what, got)
			}
		}
		eve := person("eve")
		step("a stranger's first post", hears(eve, "t1", PathPost), true)
		step("their second", hears(eve, "t1", PathReply), false)
		step("a command in the same thread", hears(eve, "t1", PathCommand), false)
		step("an edit", hears(eve, "t2", PathEdit), false)
		step("a deletion", hears(eve, "t2", PathDelete), false)
		step("another thread", hears(eve, "t2", PathReaction), true)
		step("a third", hears(eve, "t3", PathFile), true)
		step("a fourth within the hour", hears(eve, "t4", PathPost), false)
		step("another stranger", hears(person("mal"), "t1", PathPost), true)
		step("someone who may less", hears(person("ann"), "t1", PathButton), true)
		step("again", hears(person("ann"), "t1", PathReaction), false)
		step("something that takes more", hears(person("ann"), "t1", PathCommand), true)
		step("what they may", hears(person("ann"), "t1", PathPost), false)
		bot := person("robot")
		bot.Bot = true
		step("a bot", hears(bot, "t1", PathPost), false)
		step("nobody", hears(chat.Person{}, "t1", PathPost), false)
		step("Parley", hears(chat.Person{ID: me}, "t1", PathPost), false)
		time.Sleep(time.Hour)
		step("an hour later", hears(eve, "t4", PathPost), true)
		step("the same thread", hears(eve, "t1", PathPost), false)
		time.Sleep(silence)
		step("a day later", hears(eve, "t1", PathPost), true)
	})
}

func TestRefusalsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _, _ := newGate()
		spoke := 0
		for i := range maxSaid + 100 {
			if g.Check(context.Background(), Attempt{By: person(fmt.Sprintf("s%d", i)), ChannelID: home, Path: PathPost}).Refusal != "" {
				spoke++
			}
		}
		if spoke != maxSaid || len(g.said.at) != maxSaid {
			t.Errorf("spoke %d times and remembers %d", spoke, len(g.said.at))
		}
		time.Sleep(silence)
		if g.Check(context.Background(), Attempt{By: person("late"), ChannelID: home, Path: PathPost}).Refusal == "" || len(g.said.at) != 1 {
			t.Errorf("remembers %d after a day", len(g.said.at))
		}
	})
}
