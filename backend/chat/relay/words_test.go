package relay

import (
	"strings"
	"testing"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
)

func TestCutMention(t *testing.T) {
	for text, want := range map[string]string{
		"@parley fix it":              "fix it",
		"@Parley, fix it":             "fix it",
		"please @parley: fix it":      "please fix it",
		"fix it @parley":              "fix it",
		"fix it, @parley.":            "fix it,.",
		"@parley\nfix it":             "fix it",
		"hey @parley\nfix it":         "hey\nfix it",
		"@parley @parley x":           "x",
		"@parley":                     "",
		"no @parleys, no a@parley.de": "",
		"@parley-bot x":               "",
		"@parley.dev x":               "",
		"@other @parleyx":             "",
		"parley x":                    "",
	} {
		got, found := cutMention(text, "parley")
		if named := want != "" || text == "@parley"; found != named || named && got != want || !named && got != text {
			t.Errorf("%q: %q, %v", text, got, found)
		}
	}
}

func FuzzCutMention(f *testing.F) {
	f.Add("please @parley: fix @parley-bot", "parley")
	f.Add("İ@İ", "i̇")
	f.Fuzz(func(t *testing.T, text, name string) {
		got, found := cutMention(text, name)
		if !found && got != text {
			t.Errorf("%q became %q", text, got)
		}
		if len(got) > len(text)+strings.Count(text, "@") {
			t.Errorf("%q grew to %q", text, got)
		}
	})
}

func TestTogether(t *testing.T) {
	msg := func(by, text string) port.Message {
		return port.Message{Post: chat.Post{Text: text}, By: chat.Person{ID: by}, Command: strings.HasPrefix(text, "/")}
	}
	a, b, alone, long := msg("a", "x"), msg("b", "x"), msg("a", "/x"), msg("a", strings.Repeat("x", maxTogetherBytes))
	cut := a
	cut.PromptID = "chat-1"
	many := make([]port.Message, 30)
	for i := range many {
		many[i] = a
	}
	for _, tc := range []struct {
		name          string
		waiting       []port.Message
		busy, steered bool
		want          int
	}{
		{"nothing", nil, false, false, 0},
		{"one person", []port.Message{a, a, a}, false, false, 3},
		{"another person", []port.Message{a, a, b, a}, false, false, 2},
		{"a command of the CLI comes next", []port.Message{a, alone}, false, false, 1},
		{"a command of the CLI is first", []port.Message{alone, a}, false, false, 1},
		{"long", []port.Message{a, long, a}, false, false, 1},
		{"long alone", []port.Message{long}, false, false, 1},
		{"many", many, false, false, maxTogether},
		{"into the turn", []port.Message{a, a}, true, false, 1},
		{"once only", []port.Message{a, a}, true, true, 0},
		{"not into a turn", []port.Message{alone}, true, false, 0},
		{"settled before", []port.Message{cut, cut, a}, true, true, 2},
	} {
		if got := together(tc.waiting, tc.busy, tc.steered); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

func TestTitleOf(t *testing.T) {
	for text, want := range map[string]string{
		"\n\n# Fix **it**\nnow": "Fix **it", "": "", "***": "", strings.Repeat("é", 100): strings.Repeat("é", 79) + "…",
	} {
		if got := titleOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestBusy(t *testing.T) {
	for state, want := range map[string]bool{"idle": false, "failed": false, "closed": false, "running": true, "waiting": true, "starting": true, "compacting": true, "interrupting": true} {
		if got := busy(&event.Session{State: state}); got != want {
			t.Errorf("%s: %v", state, got)
		}
	}
	if busy(&event.Session{State: "idle", Queued: []event.QueuedPrompt{{State: "held"}}}) || !busy(&event.Session{State: "idle", Queued: []event.QueuedPrompt{{State: "queued"}}}) {
		t.Error("queued prompts")
	}
}

func TestMediaType(t *testing.T) {
	for data, want := range map[string]string{
		"\xff\xd8\xff\xe0": "image/jpeg", "\x89PNG\r\n\x1a\nx": "image/png", "GIF89a": "image/gif", "RIFF0000WEBPx": "image/webp",
		"RIFF0000WAVEx": "", "RIFF": "", "<svg>": "", "": "",
	} {
		if got := mediaType([]byte(data)); got != want {
			t.Errorf("%q: %q", data, got)
		}
	}
}
