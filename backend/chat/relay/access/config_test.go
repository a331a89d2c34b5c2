package access

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat/relay/port"
	"parley/backend/fault"
)

// good is a configuration that uses every field.
func good() port.ChatConfig {
	return port.ChatConfig{
		Enabled: true, URL: "https://chat.example.org/team", TeamID: "t1", MirrorChannelID: "c2", MirrorFolders: []string{"/home/ann/x"},
		CallbackURL: "https://parley.example.org", DisplayTools: "none",
		Channels: []port.ChatMapping{
			{ChannelID: "c1", Name: "Workshop", Folder: "/home/ann/my work", PermissionMode: "plan", Model: "opus", Effort: "high", Mention: true},
			{ChannelID: "c2", Name: "Mirror", Folder: "/home/ann"},
		},
		Direct: &port.ChatMapping{Folder: "/home/ann"},
		Access: []port.ChatGrant{
			{Role: port.RoleAdmin, UserID: "u1", Name: "Ann"},
			{Role: port.RolePrompt, TeamID: "t1", ChannelID: "c1", Name: "Crew"},
			{Role: port.RoleWatch, Everyone: true, ChannelID: "c1", Name: "everybody"},
		},
	}
}

func TestValidate(t *testing.T) {
	if err := Validate(Normalise(good())); err != nil {
		t.Fatal(err)
	}
	if err := Validate(Normalise(port.ChatConfig{})); err != nil {
		t.Errorf("an empty one: %v", err)
	}
	many := func(n int) []port.ChatGrant {
		var all []port.ChatGrant
		for i := range n {
			all = append(all, port.ChatGrant{Role: port.RoleWatch, UserID: fmt.Sprintf("u%d", i)})
		}
		return all
	}
	cases := []struct {
		name   string
		change func(c *port.ChatConfig)
		// want is part of the error, "" if valid.
		want string
	}{
		{"no address", func(c *port.ChatConfig) { c.URL = "" }, "Enter the address"},
		{"no address while off", func(c *port.ChatConfig) { c.URL, c.Enabled = "", false }, ""},
		{"no scheme", func(c *port.ChatConfig) { c.URL = "chat.example.org" }, "is not a valid address"},
		{"another scheme", func(c *port.ChatConfig) { c.URL = "ftp://chat.example.org" }, "begin with https"},
		{"a password", func(c *port.ChatConfig) { c.URL = "https://a:b@chat.example.org" }, "password"},
		{"a query", func(c *port.ChatConfig) { c.URL = "https://chat.example.org/?a=b" }, "must not contain"},
		{"plain http", func(c *port.ChatConfig) { c.URL = "http://chat.example.org" }, "could read everything"},
		{"plain http where it is allowed", func(c *port.ChatConfig) { c.URL, c.AllowInsecure = "http://chat.example.org", true }, ""},
		{"plain http here", func(c *port.ChatConfig) { c.URL = "http://127.0.0.1:8065" }, ""},
		{"plain http that looks like here", func(c *port.ChatConfig) { c.URL = "http://127.0.0.1.example.org" }, "could read everything"},
		{"plain http for buttons", func(c *port.ChatConfig) { c.CallbackURL = "http://parley.example.org" }, "for buttons"},
		{"a long address", func(c *port.ChatConfig) { c.URL = "https://" + strings.Repeat("x", maxURL) }, "too long"},
		{"an invalid team", func(c *port.ChatConfig) { c.TeamID = "a/b" }, "Choose the team"},
		{"a way to show tools", func(c *port.ChatConfig) { c.DisplayTools = "all" }, "displayTools"},
		{"people named", func(c *port.ChatConfig) {
			c.Calls = &port.ChatCalls{Who: " all ", RemindMinutes: 30, HandOverMinutes: 1440, QuietFrom: "22:00", QuietTo: "07:30"}
		}, ""},
		{"nothing about people named", func(c *port.ChatConfig) { c.Calls = &port.ChatCalls{} }, ""},
		{"others named", func(c *port.ChatConfig) { c.Calls = &port.ChatCalls{Who: "channel"} }, "calls.who"},
		{"reminded at once", func(c *port.ChatConfig) { c.Calls = &port.ChatCalls{RemindMinutes: -1} }, "Enter 1 to 1440 minutes"},
		{"others after a week", func(c *port.ChatConfig) { c.Calls = &port.ChatCalls{HandOverMinutes: 10080} }, "Enter 1 to 1440 minutes"},
		{"quiet hours without an end", func(c *port.ChatConfig) { c.Calls = &port.ChatCalls{QuietFrom: "22:00"} }, "a start and an end"},
		{"invalid quiet hours", func(c *port.ChatConfig) { c.Calls = &port.ChatCalls{QuietFrom: "22:00", QuietTo: "24:30"} }, "a start and an end"},
		{"quiet hours without length", func(c *port.ChatConfig) { c.Calls = &port.ChatCalls{QuietFrom: "22:00", QuietTo: "22:00"} }, "start and end at the same time"},
		{"a channel twice", func(c *port.ChatConfig) { c.Channels[1].ChannelID = " c1 " }, "Mirror is listed twice"},
		{"a channel without id", func(c *port.ChatConfig) { c.Channels[0].ChannelID = "" }, "has no ID"},
		{"a channel whose id is a path", func(c *port.ChatConfig) { c.Channels[0].ChannelID = "../x" }, "an ID that is not valid"},
		{"a relative folder", func(c *port.ChatConfig) { c.Channels[0].Folder = "work/x" }, "not an absolute path"},
		{"a home folder", func(c *port.ChatConfig) { c.Channels[0].Folder = "~/x" }, "not an absolute path"},
		{"a folder with a zero byte", func(c *port.ChatConfig) { c.Channels[0].Folder = "/a\x00b" }, "not an absolute path"},
		{"a long folder", func(c *port.ChatConfig) { c.Channels[0].Folder = "/" + strings.Repeat("x", maxFolder) }, "not an absolute path"},
		{"no folder", func(c *port.ChatConfig) { c.Direct.Folder = " " }, "direct messages has no folder"},
		{"a mode", func(c *port.ChatConfig) { c.Direct.PermissionMode = "yolo" }, "permission mode"},
		{"a model", func(c *port.ChatConfig) { c.Direct.Model = "a\nb" }, "a model that is not valid"},
		{"a channel for direct messages", func(c *port.ChatConfig) { c.Direct.ChannelID = "c9" }, "cannot name a channel"},
		{"a long name", func(c *port.ChatConfig) { c.Channels[0].Name = strings.Repeat("x", maxName+1) }, "Shorten"},
		{"many channels", func(c *port.ChatConfig) { c.Channels = make([]port.ChatMapping, maxChannels+1) }, "the limit is 200"},
		{"a right for nobody", func(c *port.ChatConfig) { c.Access[0] = port.ChatGrant{Role: port.RoleAdmin} }, "Choose who gets the permission"},
		{"a right for nobody in a channel", func(c *port.ChatConfig) { c.Access[0] = port.ChatGrant{Role: port.RoleAdmin, ChannelID: "c1"} }, "Choose who gets the permission"},
		{"no role", func(c *port.ChatConfig) { c.Access[0].Role = " " }, "Ann has no permission set"},
		{"a role that does not exist", func(c *port.ChatConfig) { c.Access[0].Role = "owner" }, "watch, prompt, approve or admin"},
		{"everybody nowhere", func(c *port.ChatConfig) { c.Access[2].ChannelID = "" }, "has no effect"},
		{"everybody as admin", func(c *port.ChatConfig) { c.Access[2].Role = port.RoleAdmin }, "could change everything"},
		{"everybody and a person", func(c *port.ChatConfig) { c.Access[2].UserID = "u1" }, "one of the two"},
		{"an invalid user", func(c *port.ChatConfig) { c.Access[0].UserID = "@ann" }, "has an ID that is not valid"},
		{"many rights", func(c *port.ChatConfig) { c.Access = many(maxGrants + 1) }, "the limit is 500"},
		{"as many rights as can be", func(c *port.ChatConfig) { c.Access = many(maxGrants) }, ""},
		{"a long name of a right", func(c *port.ChatConfig) { c.Access[0].Name = strings.Repeat("x", maxName+1) }, "Shorten"},
		{"folders to show and no channel", func(c *port.ChatConfig) { c.MirrorChannelID = "" }, "no channel is set for them"},
		{"an invalid channel for mirrors", func(c *port.ChatConfig) { c.MirrorChannelID = "?" }, "mirrored sessions"},
		{"a relative folder to show", func(c *port.ChatConfig) { c.MirrorFolders = []string{"x"} }, "mirrored folder"},
		{"many folders to show", func(c *port.ChatConfig) {
			for i := range maxFolders {
				c.MirrorFolders = append(c.MirrorFolders, fmt.Sprintf("/%d", i))
			}
		}, "the limit is 100"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c := good()
			tc.change(&c)
			err := Validate(Normalise(c))
			switch {
			case tc.want == "" && err != nil:
				t.Error(err)
			case tc.want == "":
			case err == nil || !strings.Contains(fault.MessageOf(err), tc.want) || fault.CodeOf(err) == fault.Internal:
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

func TestNormalise(t *testing.T) {
	in := good()
	in.URL, in.CallbackURL, in.TeamID = " HTTPS://Chat.Example.org/Team// ", "", " t1\n"
	in.Channels[0].Name, in.Channels[0].Folder = " Work\tshop\x00 ", "/home/ann/../ann/my work/"
	in.Access = append(in.Access, port.ChatGrant{Role: " admin ", UserID: "u1 ", Name: "Ann again"}, port.ChatGrant{Role: "watch", UserID: "u1"})
	in.MirrorFolders = []string{"/home/ann/x/", "", "/home/ann/x"}
	before, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	got := Normalise(in)
	want := good()
	want.URL, want.CallbackURL, want.Channels[0].Name = "https://chat.example.org/Team", "", "Work shop"
	want.Access = append(want.Access, port.ChatGrant{Role: "watch", UserID: "u1"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if after, err := json.Marshal(in); err != nil || string(after) != string(before) {
		t.Errorf("it changed what it was given (%v)", err)
	}
	if empty := Normalise(port.ChatConfig{}); empty.Channels == nil || empty.Access == nil {
		t.Error("absent lists are not empty ones")
	}
}

func TestNotes(t *testing.T) {
	c := good()
	if notes := append(IneffectiveGrants(c), BroadGrants(c)...); len(notes) != 0 {
		t.Errorf("of a good one: %q", notes)
	}
	c.Access = []port.ChatGrant{
		{Role: port.RoleAdmin, TeamID: "t1", Name: "Crew", ChannelID: "c1"}, {Role: port.RoleApprove, Everyone: true, ChannelID: "c2"},
		{Role: port.RoleWatch, UserID: "u2", Name: "Bob", ChannelID: "c9"},
	}
	want := []string{"Bob has a permission for a channel Parley does not listen in.", "Nobody may send direct messages: permissions for a channel do not apply there."}
	if diff := cmp.Diff(want, IneffectiveGrants(c)); diff != "" {
		t.Error(diff)
	}
	want = []string{"Everyone who joins the team Crew can change everything.", "Everyone who joins Mirror can approve what runs on this computer."}
	if diff := cmp.Diff(want, BroadGrants(c)); diff != "" {
		t.Error(diff)
	}
	c.Access = nil
	if notes := IneffectiveGrants(c); len(notes) != 1 || !strings.HasPrefix(notes[0], "Nobody may use Parley") {
		t.Errorf("of one that gives nothing: %q", notes)
	}
}

func TestDecode(t *testing.T) {
	data, err := json.Marshal(good())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(good(), got); diff != "" {
		t.Error(diff)
	}
	for name, text := range map[string]string{
		"nothing": "", "no object": "[]", "more behind": "{} {}", "an unknown field": `{"acces":[]}`, "a wrong type": `{"access":"all"}`,
		"what is not valid": `{"enabled":true}`, "too much": `{"teamId":"` + strings.Repeat("x", maxFile) + `"}`,
	} {
		c, err := Decode([]byte(text))
		if err == nil || fault.CodeOf(err) == fault.Internal {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(port.ChatConfig{}, c); diff != "" {
			t.Errorf("%s leaves something: %s", name, diff)
		}
	}
}

// A decoded configuration is in its stored form: it round-trips unchanged, and grants
// nothing to people who aren't named.
func FuzzDecode(f *testing.F) {
	data, err := json.Marshal(good())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"enabled":true,"url":"http://[::1]:8065/","access":[{"role":"admin","everyone":true}]}`))
	f.Add([]byte(`{"url":"https://a//%2F//","direct":{"folder":"/a/../b "},"access":[{"role":"watch","userId":"u"},{"role":"watch","userId":" u","name":"x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Decode(data)
		if err != nil {
			if fault.CodeOf(err) == fault.Internal {
				t.Fatal(err)
			}
			return
		}
		again, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		same, err := Decode(again)
		if err != nil {
			t.Fatalf("%s cannot be read again: %v", again, err)
		}
		if diff := cmp.Diff(c, same); diff != "" {
			t.Fatal(diff)
		}
		for _, g := range c.Access {
			if g.UserID == "" && g.TeamID == "" && (!g.Everyone || g.ChannelID == "" || g.Role == port.RoleAdmin) {
				t.Fatalf("%+v was accepted", g)
			}
		}
	})
}
