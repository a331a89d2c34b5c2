package transcript

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
)

// A transcript's lines, as short as possible.

func userLine(body string) string {
	return `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":` + body + `},"uuid":"u","timestamp":"2026-01-01T00:00:00.500Z"}`
}

func said(text string) string {
	b, _ := json.Marshal(text) // a string always encodes
	return userLine(string(b))
}

func filed(t testing.TB, lines ...string) *File {
	t.Helper()
	f := NewFile("", 1000, 1<<20)
	for _, raw := range lines {
		l, ok := ReadLine([]byte(raw))
		if !ok {
			t.Fatalf("not read: %s", raw)
		}
		f.Add(l)
	}
	return f
}

func worded(messages []event.Message) []string {
	got := []string{}
	for _, m := range messages {
		s := m.Role
		if m.Synthetic || m.Model == "<synthetic>" {
			s += " (made)"
		}
		if m.Notice != nil {
			s += " " + strings.TrimSpace(m.Notice.Kind+" "+m.Notice.Text)
		}
		if m.Shell != nil {
			s += fmt.Sprintf(" %s %s %d", m.Shell.Command, m.Shell.State, m.Shell.ExitCode)
		}
		for _, a := range m.Attachments {
			s += fmt.Sprintf(" [%s %s %d]", a.Name, a.MediaType, a.Bytes)
		}
		for _, b := range m.Blocks {
			s += " " + b.Type + " " + b.Text
			if b.Tool != nil {
				s += fmt.Sprintf("%s %s %s", b.Tool.Name, b.Tool.State, b.Tool.Input)
			}
		}
		got = append(got, strings.TrimSpace(s))
	}
	return got
}

// User-side lines are shown in readable form, or not at all.
func TestConversationText(t *testing.T) {
	with := func(field string) string {
		return strings.Replace(said("x"), `"type"`, field+`,"type"`, 1)
	}
	system := func(fields string) string {
		return `{"type":"system","uuid":"s","isSidechain":false,` + fields + `}`
	}
	queued := func(fields string) string {
		return `{"type":"attachment","uuid":"q","isSidechain":false,"attachment":{"type":"queued_command",` + fields + `}}`
	}
	for name, tt := range map[string]struct {
		line string
		want []string
	}{
		"a prompt":               {said("Hello\n there "), []string{"user text Hello\n there "}},
		"blocks":                 {userLine(`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`), []string{"user text a\nb"}},
		"a picture":              {userLine(`[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJDRA=="}},{"type":"text","text":"a"}]`), []string{"user [image 1 image/png 4] text a"}},
		"only a document":        {userLine(`[{"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"QUJD"}}]`), []string{"user [a.pdf application/pdf 3] text"}},
		"a command":              {said("<command-message>greet</command-message>\n<command-name>/greet</command-name>\n<command-args>the world</command-args>"), []string{"user text /greet the world"}},
		"a command without args": {said("<command-name>/compact</command-name>\n            <command-message>compact</command-message>\n            <command-args></command-args>"), []string{"user text /compact"}},
		"an old command":         {said("<command-message>init is running…</command-message>"), []string{"user text /init is running…"}},
		"a command's output":     {said("<local-command-stdout>Set model to \x1b[1mOpus\x1b[22m</local-command-stdout>"), []string{"assistant (made) text Set model to Opus"}},
		"no output":              {said("<local-command-stdout></local-command-stdout>"), []string{}},
		"a compaction's output":  {said("<local-command-stdout>\x1b[2mCompacted (ctrl+o)\x1b[22m</local-command-stdout>"), []string{}},
		"a caveat":               {said("<local-command-caveat>Caveat</local-command-caveat>"), []string{}},
		"a shell command":        {said("<bash-input>ls</bash-input>"), []string{"shell ls done 0 text"}},
		"a note to remember":     {said("<user-memory-input>be kind</user-memory-input>"), []string{"user text # be kind"}},
		"a reminder":             {said("<system-reminder>\nx\n</system-reminder>"), []string{}},
		"a reminder beside text": {said("<system-reminder>\nx\n</system-reminder>\nDo it"), []string{"user text Do it"}},
		"a notification":         {said("<task-notification>\n<task-id>x</task-id></task-notification>"), []string{}},
		"a tag in the middle":    {said("What does <command-name> mean?"), []string{"user text What does <command-name> mean?"}},
		"a tag of one's own":     {said("<b>bold</b>"), []string{"user text <b>bold</b>"}},
		"an interrupt":           {said("[Request interrupted by user for tool use]"), []string{"notice interrupted"}},
		"a summary":              {with(`"isCompactSummary":true,"isVisibleInTranscriptOnly":true`), []string{"user (made) text x"}},
		"meta":                   {with(`"isMeta":true`), []string{}},
		"synthetic":              {with(`"isSynthetic":true`), []string{}},
		"a sidechain":            {strings.Replace(said("x"), "false", "true", 1), []string{}},
		"from a task":            {with(`"origin":{"kind":"task-notification"}`), []string{}},
		"from a person":          {with(`"origin":{"kind":"human"}`), []string{"user text x"}},
		"nothing":                {said(" \n"), []string{}},
		"a compaction":           {system(`"subtype":"compact_boundary","compactMetadata":{"trigger":"auto","preTokens":9,"postTokens":2}`), []string{"notice compaction"}},
		"a compaction, old":      {system(`"subtype":"compact_boundary","compact_metadata":{"trigger":"auto","pre_tokens":9}`), []string{"notice compaction"}},
		"a command's answer":     {system(`"subtype":"local_command","content":"<local-command-stdout>All is well</local-command-stdout>"`), []string{"assistant (made) text All is well"}},
		"a failed compaction":    {system(`"subtype":"local_command","content":"<local-command-stdout>Too short</local-command-stdout>","commandRun":{"command":"compact"}`), []string{"notice compaction Too short", "assistant (made) text Too short"}},
		"clear":                  {system(`"subtype":"local_command","content":"<local-command-stdout></local-command-stdout>","commandRun":{"command":"clear"}`), []string{"notice cleared"}},
		"a retry":                {system(`"subtype":"api_error","error":{}`), []string{}},
		"said in a turn":         {queued(`"prompt":"hurry","source_uuid":"p"`), []string{"user text hurry"}},
		"said in a turn, blocks": {queued(`"prompt":[{"type":"text","text":"hurry"}],"commandMode":"prompt"`), []string{"user text hurry"}},
		"told in a turn":         {queued(`"prompt":"x","commandMode":"task-notification"`), []string{}},
		"another attachment":     {`{"type":"attachment","uuid":"q","isSidechain":false,"attachment":{"type":"date"}}`, []string{}},
		"an unknown type":        {`{"type":"hologram","uuid":"h","isSidechain":false,"message":{"content":"x"}}`, []string{}},
		"no type":                {`{}`, []string{}},
		"an answer nobody gave":  {`{"type":"assistant","uuid":"a","isSidechain":false,"message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}`, []string{}},
		"an answer as a string":  {`{"type":"assistant","uuid":"a","isSidechain":false,"message":{"id":"m","content":"Hi"}}`, []string{"assistant text Hi"}},
		"an odd tool":            {`{"type":"assistant","uuid":"a","isSidechain":false,"message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"a":}}]}}`, []string{"assistant tool Bash pending {}"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := filed(t, tt.line)
			got := worded(f.Messages())
			for i := range tt.want {
				tt.want[i] = strings.TrimSpace(tt.want[i])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if l, _ := ReadLine([]byte(tt.line)); l.Adds() != len(got) && !l.Sidechain {
				t.Errorf("announces %d messages", l.Adds())
			}
		})
	}
}

func TestChanged(t *testing.T) {
	f := filed(t, said("one"))
	add := func(line string) []string {
		l, _ := ReadLine([]byte(line))
		f.Add(l)
		return worded(f.Changed())
	}
	f.Changed()
	piece := `{"type":"assistant","uuid":"a%d","isSidechain":false,"apiBlockIndex":%d,"message":{"id":"m","content":[%s]}}`
	steps := []struct {
		line string
		want []string
	}{
		{fmt.Sprintf(piece, 1, 0, `{"type":"text","text":"Look:"}`), []string{"assistant text Look:"}},
		{fmt.Sprintf(piece, 2, 2, `{"type":"tool_use","id":"t","name":"Bash","input":{}}`), []string{"assistant text Look: tool Bash pending {}"}},
		{`{"type":"last-prompt","lastPrompt":"one"}`, []string{}},
		{userLine(`[{"type":"tool_result","tool_use_id":"t","content":"x"}]`), []string{"assistant text Look: tool Bash done {}"}},
		{userLine(`[{"type":"tool_result","tool_use_id":"t","content":"again"}]`), []string{}},
		{userLine(`[{"type":"tool_result","tool_use_id":"other","content":"x"}]`), []string{}},
	}
	for _, s := range steps {
		if diff := cmp.Diff(s.want, add(s.line)); diff != "" {
			t.Errorf("%s\n%s", s.line, diff)
		}
	}
	if id := f.Messages()[1].Blocks[1].ID; id != "m:2" {
		t.Errorf("the place of the block in its message was lost: %s", id)
	}
}

func TestSettle(t *testing.T) {
	f := filed(t, `{"type":"assistant","uuid":"a","isSidechain":false,"message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}`)
	if diff := cmp.Diff([]string{"t"}, f.Waiting()); diff != "" {
		t.Error(diff)
	}
	f.Settle()
	if diff := cmp.Diff([]string{"assistant tool Bash cutOff {}"}, worded(f.Messages())); diff != "" {
		t.Error(diff)
	}
}

// FuzzFile: any file can be turned into messages and encoded, and each line
// announces its messages correctly.
func FuzzFile(f *testing.F) {
	paths, err := filepath.Glob(filepath.FromSlash("../history/testdata/pairs/*/projects/*/*.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		file := NewFile("", 100, 1<<20)
		for raw := range strings.Lines(string(body)) {
			l, ok := ReadLine([]byte(raw))
			if !ok {
				continue
			}
			l.Prompt()
			l.Title()
			l.Node()
			l.CWD()
			before := make(map[string]bool)
			for _, m := range file.Messages() {
				before[m.ID] = true
			}
			file.Add(l)
			news := 0
			for _, m := range file.Messages() {
				if !before[m.ID] {
					news++
				}
			}
			if news > l.Adds() && !l.Belongs() {
				t.Errorf("announces %d and adds %d: %s", l.Adds(), news, raw)
			}
		}
		file.Settle()
		for _, m := range file.Changed() {
			if _, err := json.Marshal(m); err != nil {
				t.Fatal(err)
			}
			for _, b := range m.Blocks {
				if b.Tool != nil && b.Tool.State == "pending" {
					t.Error("not settled")
				}
			}
		}
	})
}

// FuzzMembers compares the scanner with the decoder.
func FuzzMembers(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":"x\"y\\","c":{"d":[1,"]",{}]},"e":null,"f":"\u00e9\ud83d\ude42 é"}`))
	f.Add([]byte(` { "a" : [ ] , "b" : -1.5e3 } `))
	f.Fuzz(func(t *testing.T, body []byte) {
		got := make(map[string]string)
		whole := members(body, func(key, value []byte) bool {
			got[string(key)] = string(value)
			str(value)
			return true
		})
		var want map[string]json.RawMessage
		if json.Unmarshal(body, &want) != nil || want == nil {
			return // any result is fine, as long as it returns
		}
		if !whole {
			t.Fatalf("not whole: %s", body)
		}
		for key, value := range want {
			var s string
			if strings.ContainsRune(string(body), '\\') && got[key] == "" || strings.Contains(string(body), "\ufffd") || strings.ToValidUTF8(string(body), "") != string(body) {
				continue // keys are not unescaped
			}
			if got[key] != string(value) {
				t.Errorf("%s is %s, not %s", key, got[key], value)
			}
			if json.Unmarshal(value, &s) == nil && value[0] == '"' && str([]byte(got[key])) != s {
				t.Errorf("%s is read as %q, not %q", value, str([]byte(got[key])), s)
			}
		}
	})
}
