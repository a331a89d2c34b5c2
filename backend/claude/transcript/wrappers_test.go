package transcript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Machine-written user-side text isn't shown as the user's; what a user may have typed
// isn't removed.
func TestWrappers(t *testing.T) {
	const opened = "<ide_opened_file>The user opened the file /home/u/p/main.go in the IDE. This may or may not be related to the current task.</ide_opened_file>"
	for name, tt := range map[string]struct {
		said, kind, text string
		context          []string
	}{
		"opened":                 {opened + " fix this", "prompt", "fix this", []string{"main.go"}},
		"opened, a line apart":   {opened + "\n\nfix\n  this", "prompt", "fix\n  this", []string{"main.go"}},
		"selected lines":         {"<ide_selection>The user selected the lines 3 to 7 from C:\\p\\a.ts:\nfoo()\n\nThis may or may not be related.</ide_selection>\nwhy?", "prompt", "why?", []string{"a.ts:3-7"}},
		"one line":               {"<ide_selection>The user selected the line 3 from /p/a.ts:\nfoo()</ide_selection>why?", "prompt", "why?", []string{"a.ts:3"}},
		"two at once":            {opened + "\n<ide_selection>odd</ide_selection>\nwhy?", "prompt", "why?", []string{"main.go", "editor"}},
		"behind the words":       {"why?\n" + opened, "prompt", "why?", []string{"main.go"}},
		"diagnostics":            {"<new-diagnostics>\na.go:1: oh\n</new-diagnostics>\nmend it", "prompt", "mend it", []string{"editor"}},
		"nothing but context":    {opened, "", "", nil},
		"a reminder and context": {"<system-reminder>\nx\n</system-reminder>\n" + opened + "\nfix", "prompt", "fix", []string{"main.go"}},
		"a hook's context":       {"<user-prompt-submit-hook>date: today</user-prompt-submit-hook>\nfix", "prompt", "fix", nil},
		"a start hook alone":     {"<session-start-hook>\nx\n</session-start-hook>", "", "", nil},
		"a teammate":             {"<teammate-message teammate_id=\"lead\" color=\"red\">\nStart with a.go.\n</teammate-message>", "note", "Start with a.go.", nil},
		"two teammates":          {"<teammate-message teammate_id=\"a\">One.</teammate-message>\n<teammate-message teammate_id=\"b\">Two.</teammate-message>", "note", "One.\n\nTwo.", nil},
		"hook feedback":          {"Stop hook feedback:\n[./check.sh]: tests fail", "note", "Stop hook feedback:\n[./check.sh]: tests fail", nil},
		"a blocked tool":         {"PostToolUse hook blocking error from command \"x\": no", "note", "PostToolUse hook blocking error from command \"x\": no", nil},
		"a tool's hook":          {"PostToolUse:Edit hook blocking error from command: \"x\": no", "note", "PostToolUse:Edit hook blocking error from command: \"x\": no", nil},
		"a server's tool":        {"PreToolUse:mcp__a__b hook error: [x]: no", "note", "PreToolUse:mcp__a__b hook error: [x]: no", nil},
		"a hook that ended it":   {"PostToolUse hook stopped continuation: enough", "note", "PostToolUse hook stopped continuation: enough", nil},
		"a prompt refused":       {"UserPromptSubmit operation blocked by hook:\n[x]: no", "note", "UserPromptSubmit operation blocked by hook:\n[x]: no", nil},
		"a hook that worked":     {"SessionStart:resume hook success: Success", "note", "SessionStart:resume hook success: Success", nil},
		"a limit":                {"[Your previous response reached the output limit with no visible output. Please continue.]", "note", "[Your previous response reached the output limit with no visible output. Please continue.]", nil},
		"no visible output":      {"[Your previous response had no visible output. Please continue.]", "note", "[Your previous response had no visible output. Please continue.]", nil},

		"about a tag":               {"What does <ide_selection> mean?", "prompt", "What does <ide_selection> mean?", nil},
		"about a hook":              {"My Stop hook feedback: it is slow", "prompt", "My Stop hook feedback: it is slow", nil},
		"about an error":            {"Stop hook errors are odd", "prompt", "Stop hook errors are odd", nil},
		"about a success":           {"PreToolUse hook success rates?", "prompt", "PreToolUse hook success rates?", nil},
		"about a teammate":          {"<teammate-message>x</teammate-message> what is this?", "prompt", "<teammate-message>x</teammate-message> what is this?", nil},
		"a tag that is not closed":  {"<ide_opened_file>The user", "prompt", "<ide_opened_file>The user", nil},
		"a tag that is not known":   {"<my-element a=\"b\">x</my-element> fails", "prompt", "<my-element a=\"b\">x</my-element> fails", nil},
		"a goal":                    {"<goal>Build a parser</goal>", "prompt", "<goal>Build a parser</goal>", nil},
		"a tick":                    {"<tick>why?</tick>", "prompt", "<tick>why?</tick>", nil},
		"a budget at the end":       {"plan <budget>3 days</budget>", "prompt", "plan <budget>3 days</budget>", nil},
		"the CLI's word terminal":   {"<terminal>make: no rule</terminal>", "prompt", "<terminal>make: no rule</terminal>", nil},
		"files and a question":      {"<open_files>a.go</open_files> which is wrong?", "prompt", "<open_files>a.go</open_files> which is wrong?", nil},
		"a word and a tag":          {"<context>x</context>\n" + opened, "prompt", "<context>x</context>", []string{"main.go"}},
		"a reminder in a sentence":  {"What does <system-reminder>x</system-reminder> do?", "prompt", "What does <system-reminder>x</system-reminder> do?", nil},
		"closed twice":              {"why? <ide_selection>a</ide_selection> and b</ide_selection>", "prompt", "why? <ide_selection>a</ide_selection> and b</ide_selection>", nil},
		"a longer name":             {"why? <ide_selections>a</ide_selection>", "prompt", "why? <ide_selections>a</ide_selection>", nil},
		"HTML":                      {"<div>x</div>", "prompt", "<div>x</div>", nil},
		"blanks around, as typed":   {"  fix this\n", "prompt", "  fix this\n", nil},
		"a command":                 {"<command-name>/greet</command-name>\n<command-args>Ann</command-args>", "prompt", "/greet Ann", nil},
		"a command behind a window": {opened + "\n<command-name>/greet</command-name>", "prompt", "/greet", nil},
	} {
		kind, text := "", ""
		var context []string
		switch acts := envelope(tt.said, ""); {
		case len(acts) > 1:
			t.Errorf("%s: %+v", name, acts)
		case len(acts) == 1:
			kind, text = map[actKind]string{actPrompt: "prompt", actSynthetic: "note"}[acts[0].kind], acts[0].text
			for _, a := range acts[0].attachments {
				context = append(context, a.Name)
			}
		}
		if kind != tt.kind || text != tt.text {
			t.Errorf("%s: %s %q, want %s %q", name, kind, text, tt.kind, tt.text)
		}
		if diff := cmp.Diff(tt.context, context); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Only a few tags are removed from each end, so that text consisting of tags (seven
// megabytes here) isn't scanned once for each of them.
func TestManyWrappers(t *testing.T) {
	const one = "<ide_opened_file>x</ide_opened_file>"
	for _, n := range []int{maxWrappers, maxWrappers + 1, 200_000} {
		for name, said := range map[string]string{"before": strings.Repeat(one, n) + "why?", "behind": "why?" + strings.Repeat(one, n)} {
			rest, context, _ := unwrap(said)
			if left := strings.Count(rest, one); left != max(0, n-maxWrappers) || len(context) != maxWrappers {
				t.Errorf("%d %s: %d left, %d taken", n, name, left, len(context))
			}
		}
	}
}
