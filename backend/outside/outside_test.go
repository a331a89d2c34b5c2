package outside_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/backend/chat/relay/port"
	"parley/backend/heartbeat/plan"
	"parley/backend/outside"
	"parley/backend/settings"
)

// names are the JSON names of a type's fields.
func names(t reflect.Type) []string {
	var list []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			list = append(list, names(f.Type)...)
		} else {
			list = append(list, name)
		}
	}
	return list
}

// Every new field needs a row that says whether it widens.
func TestEveryFieldHasARow(t *testing.T) {
	chat := names(reflect.TypeFor[port.ChatConfig]())
	for _, n := range names(reflect.TypeFor[port.ChatMapping]()) {
		chat = append(chat, "channels."+n)
	}
	for _, n := range names(reflect.TypeFor[port.ChatGrant]()) {
		chat = append(chat, "access."+n)
	}
	tests := map[string]struct{ have, want []string }{
		"settings":   {slices.Collect(maps.Keys(outside.SettingsTable())), append(names(reflect.TypeFor[settings.Values]()), "recentFolders")},
		"heartbeats": {slices.Collect(maps.Keys(outside.HeartbeatTable())), names(reflect.TypeFor[plan.Spec]())},
		"chat":       {slices.Collect(maps.Keys(outside.ChatTable())), chat},
	}
	for name, tt := range tests {
		slices.Sort(tt.have)
		slices.Sort(tt.want)
		if diff := cmp.Diff(tt.want, tt.have); diff != "" {
			t.Errorf("%s: a field without a row, or a row without a field: %s", name, diff)
		}
	}
}

func settingsOf(t *testing.T, change string) map[string]json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(settings.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(change), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSettings(t *testing.T) {
	tests := []struct {
		was, is string
		want    []string
	}{
		{`{}`, `{}`, nil},
		{`{}`, `{"theme":"dark","font":"Inter","zoom":150,"language":"de","notifyDone":false,"recentFolders":["/x"]}`, nil},
		{`{}`, `{"permissionMode":"bypassPermissions"}`, []string{"permissionMode"}},
		{`{}`, `{"permissionMode":"acceptEdits"}`, []string{"permissionMode"}},
		{`{}`, `{"permissionMode":"plan"}`, nil},
		{`{"permissionMode":"plan"}`, `{"permissionMode":"default"}`, []string{"permissionMode"}},
		{`{"permissionMode":"plan"}`, `{"permissionMode":""}`, []string{"permissionMode"}},
		{`{"permissionMode":"bypassPermissions"}`, `{"permissionMode":"default"}`, nil},
		{`{}`, `{"guard":"static"}`, []string{"guard"}},
		{`{"guard":"reviewed"}`, `{"guard":"static"}`, nil},
		{`{}`, `{"cliPath":"/tmp/x","editor":"/tmp/y","natsUrl":"nats://x","natsCredentials":"/z","reviewerModel":"x","engine":"sdk","model":"m"}`,
			[]string{"cliPath", "editor", "engine", "model", "natsCredentials", "natsUrl", "reviewerModel"}},
		{`{"cliPath":"/tmp/x"}`, `{"cliPath":""}`, []string{"cliPath"}},
		{`{}`, `{"budgetDayUSD":5}`, nil},
		{`{"budgetDayUSD":5}`, `{"budgetDayUSD":4}`, nil},
		{`{"budgetDayUSD":5}`, `{"budgetDayUSD":6}`, []string{"budgetDayUSD"}},
		{`{"budgetDayUSD":5}`, `{"budgetDayUSD":0}`, []string{"budgetDayUSD"}},
		{`{"toolsOff":["memory","rooms"]}`, `{"toolsOff":["rooms"]}`, []string{"toolsOff"}},
		{`{"toolsOff":["memory"]}`, `{"toolsOff":["rooms","memory"]}`, nil},
		{`{"memoryInject":false}`, `{"memoryInject":true}`, []string{"memoryInject"}},
		{`{}`, `{"memoryInject":false}`, nil},
		{`{}`, `{"roomWake":"any","roomTurnsPerHour":0,"roomMaxHops":9}`, []string{"roomMaxHops", "roomTurnsPerHour", "roomWake"}},
		{`{}`, `{"allowUnrecorded":true,"startAtLogin":true,"suggestions":true}`, []string{"allowUnrecorded", "startAtLogin", "suggestions"}},
		{`{}`, `{"somethingNew":1}`, []string{"somethingNew"}},
		{`{"somethingNew":1}`, `{}`, []string{"somethingNew"}},
		{`{"somethingNew":{"a":1}}`, `{"somethingNew": { "a" : 1 }}`, nil},
	}
	for _, tt := range tests {
		var got []string
		for _, c := range outside.Settings(settingsOf(t, tt.was), settingsOf(t, tt.is)) {
			got = append(got, c.Field)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s to %s: %s", tt.was, tt.is, diff)
		}
	}
}

func TestChat(t *testing.T) {
	base := func() port.ChatConfig {
		return port.ChatConfig{
			Enabled: true, URL: "https://chat.example.org", Channels: []port.ChatMapping{{ChannelID: "c1", Name: "Crew", Folder: "/a", PermissionMode: "default", Mention: true}},
			Access: []port.ChatGrant{{Role: port.RoleApprove, UserID: "ann"}, {Role: port.RoleWatch, UserID: "bob", ChannelID: "c1"}}, MirrorFolders: []string{"/a"}, MirrorChannelID: "c1",
		}
	}
	tests := []struct {
		name   string
		change func(c *port.ChatConfig)
		held   []string
		// holds changes what was accepted into what applies; nil means the file's content.
		holds func(c *port.ChatConfig)
	}{
		{"nothing", func(*port.ChatConfig) {}, nil, nil},
		{"off", func(c *port.ChatConfig) { c.Enabled = false }, nil, nil},
		{"a name", func(c *port.ChatConfig) { c.Channels[0].Name = "Others" }, nil, nil},
		{"a stricter mode", func(c *port.ChatConfig) { c.Channels[0].PermissionMode = "plan" }, nil, nil},
		{"someone less", func(c *port.ChatConfig) { c.Access = c.Access[1:] }, nil, nil},
		{"a lower role", func(c *port.ChatConfig) { c.Access[0].Role = port.RoleWatch }, nil, nil},
		{"a narrower right", func(c *port.ChatConfig) { c.Access[0].ChannelID = "c1" }, nil, nil},
		{"no channel", func(c *port.ChatConfig) { c.Channels = nil }, nil, nil},
		{"another server", func(c *port.ChatConfig) { c.URL = "https://evil.example.org" }, []string{"url"}, func(*port.ChatConfig) {}},
		{"a laxer mode", func(c *port.ChatConfig) { c.Channels[0].PermissionMode = "bypassPermissions" }, []string{"channels.Crew"}, func(*port.ChatConfig) {}},
		{"a mode of the CLI's choice", func(c *port.ChatConfig) { c.Channels[0].PermissionMode = "" }, []string{"channels.Crew"}, func(*port.ChatConfig) {}},
		{"another folder", func(c *port.ChatConfig) { c.Channels[0].Folder = "/" }, []string{"channels.Crew"}, func(*port.ChatConfig) {}},
		{"without a mention", func(c *port.ChatConfig) { c.Channels[0].Mention = false }, []string{"channels.Crew"}, func(*port.ChatConfig) {}},
		{"direct messages", func(c *port.ChatConfig) { c.Direct = &port.ChatMapping{Folder: "/a"} }, []string{"direct"}, func(*port.ChatConfig) {}},
		{"someone new, and one less", func(c *port.ChatConfig) {
			c.Access = []port.ChatGrant{c.Access[0], {Role: port.RoleAdmin, UserID: "eve", Name: "Eve"}}
		}, []string{"access.Eve"}, func(c *port.ChatConfig) { c.Access = c.Access[:1] }},
		{"a higher role", func(c *port.ChatConfig) { c.Access[1].Role = port.RoleApprove }, []string{"access.bob"}, func(c *port.ChatConfig) { c.Access = c.Access[:1] }},
		{"everywhere", func(c *port.ChatConfig) { c.Access[1].ChannelID = "" }, []string{"access.bob"}, func(c *port.ChatConfig) { c.Access = c.Access[:1] }},
		{"everybody", func(c *port.ChatConfig) {
			c.Access = append(c.Access, port.ChatGrant{Role: port.RoleWatch, Everyone: true, ChannelID: "c1"})
		}, []string{"access."}, func(*port.ChatConfig) {}},
		{"a folder to show", func(c *port.ChatConfig) { c.MirrorFolders = append(c.MirrorFolders, "/b") }, []string{"mirrorFolders"}, func(*port.ChatConfig) {}},
		{"nobody is named", func(c *port.ChatConfig) { c.Calls = &port.ChatCalls{Who: "none"} }, []string{"calls"}, func(*port.ChatConfig) {}},
		{"prompts of its own", func(c *port.ChatConfig) { c.SuggestFixes = true }, []string{"suggestFixes"}, func(*port.ChatConfig) {}},
		{"plain http", func(c *port.ChatConfig) { c.AllowInsecure = true }, []string{"allowInsecure"}, func(*port.ChatConfig) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			is := base()
			tt.change(&is)
			want := is
			if tt.holds != nil {
				want = base()
				tt.holds(&want)
			}
			holds, held := outside.Chat(base(), is)
			var fields []string
			for _, h := range held {
				fields = append(fields, h.Field)
			}
			if diff := cmp.Diff(tt.held, fields); diff != "" {
				t.Error("held:", diff)
			}
			if diff := cmp.Diff(want, holds, cmpopts.EquateEmpty()); diff != "" {
				t.Error("holds:", diff)
			}
		})
	}
}

func TestHeartbeats(t *testing.T) {
	night := plan.Spec{Name: "night", Prompt: "look", Schedule: plan.Schedule{Every: "1h"}, Folder: "/a", Enabled: true, PermissionMode: "default",
		Budgets: plan.Budgets{Day: &plan.Limit{USD: 1}}}
	with := func(change func(*plan.Spec)) []plan.Spec {
		s := night
		change(&s)
		return []plan.Spec{s}
	}
	tests := []struct {
		name string
		is   []plan.Spec
		held bool
	}{
		{"the same", with(func(*plan.Spec) {}), false},
		{"gone", nil, false},
		{"off", with(func(s *plan.Spec) { s.Enabled = false }), false},
		{"a description", with(func(s *plan.Spec) { s.Description = "x" }), false},
		{"stricter", with(func(s *plan.Spec) { s.PermissionMode = "plan" }), false},
		{"a lower budget", with(func(s *plan.Spec) { s.Budgets = plan.Budgets{Day: &plan.Limit{USD: 0.5}} }), false},
		{"less often", with(func(s *plan.Spec) { s.Schedule.Every = "2h" }), false},
		{"laxer", with(func(s *plan.Spec) { s.PermissionMode = "bypassPermissions" }), true},
		{"of the settings", with(func(s *plan.Spec) { s.PermissionMode = "" }), true},
		{"another prompt", with(func(s *plan.Spec) { s.Prompt = "do" }), true},
		{"another folder", with(func(s *plan.Spec) { s.Folder = "/b" }), true},
		{"a guard", with(func(s *plan.Spec) { s.Guard = "static" }), true},
		{"more often", with(func(s *plan.Spec) { s.Schedule.Every = "1m" }), true},
		{"no budget", with(func(s *plan.Spec) { s.Budgets = plan.Budgets{} }), true},
		{"a session", with(func(s *plan.Spec) { s.Destination.Session = "x" }), true},
		{"a channel", with(func(s *plan.Spec) { s.Destination.Channel = "x" }), true},
		{"a model", with(func(s *plan.Spec) { s.Model = "opus" }), true},
	}
	for _, tt := range tests {
		holds, held := outside.Heartbeats([]plan.Spec{night}, tt.is)
		want := tt.is
		if tt.held {
			want = []plan.Spec{night}
		}
		if diff := cmp.Diff(want, holds, cmpopts.EquateEmpty()); diff != "" || (len(held) > 0) != tt.held {
			t.Errorf("%s: held %v, %s", tt.name, held, diff)
		}
	}
	other := night
	other.Name = "other"
	if holds, held := outside.Heartbeats([]plan.Spec{night}, []plan.Spec{other, night}); len(holds) != 1 || len(held) != 1 || held[0].Field != "heartbeats.other" {
		t.Errorf("a new one: %v %v", holds, held)
	}
}

// What is shown is whole, however long the padding before it.
func TestShown(t *testing.T) {
	long := outside.Change{Field: "prompt", Is: strings.Repeat("x\n", 5000) + "evil"}
	huge := outside.Change{Field: "theme.css", Was: "a", Is: strings.Repeat("x", outside.MaxShown) + "evil"}
	lines := outside.Change{Field: "lines", Is: strings.Repeat("\n", outside.MaxShown/8)}
	short := outside.Change{Field: "mode", Was: "a", Is: "b", Why: "c"}
	for name, tt := range map[string]struct {
		list, shown []outside.Change
		more        int
	}{
		"none":           {nil, nil, 0},
		"short and long": {[]outside.Change{short, long}, []outside.Change{short, long}, 0},
		"too long":       {[]outside.Change{huge, short}, []outside.Change{short}, 1},
		"too many lines": {[]outside.Change{lines}, nil, 1},
		"together":       {[]outside.Change{long, short, long}, []outside.Change{long, short}, 1},
	} {
		shown, more := outside.Shown(tt.list)
		if diff := cmp.Diff(tt.shown, shown); diff != "" || more != tt.more {
			t.Errorf("%s: %d more, %s", name, more, diff)
		}
	}
}

// A line of a prompt can't pass for a field of the heartbeat, and nothing is cut off.
func TestHeldHeartbeatIsReadable(t *testing.T) {
	_, held := outside.Heartbeats(nil, []plan.Spec{{Name: "n", Prompt: "look\npermissionMode: plan\n" + strings.Repeat("padding ", 2000) + "evil", Folder: "/a", PermissionMode: "default"}})
	if len(held) != 1 || !strings.Contains(held[0].Is, "\nprompt: \n  look\n  permissionMode: plan\n  padding") || !strings.Contains(held[0].Is, "padding evil\n") ||
		!strings.Contains(held[0].Is, "\npermissionMode: \"default\"\n") {
		t.Errorf("%+v", held)
	}
}
