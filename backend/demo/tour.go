package demo

import (
	"cmp"
	"encoding/json"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The steps of the tour. Four of them are also keywords that jump to them.
const (
	stepWelcome  = "welcome"
	stepCommand  = "command"
	stepQuestion = "question"
	stepPlan     = "plan"
	stepDiff     = "diff"
	stepUndo     = "undo"
	stepEnd      = "end"
)

// Keywords that show something else, or continue.
const (
	wordTour     = "tour"
	wordLong     = "long"
	wordThinking = "thinking"
	wordSlow     = "slow"
	wordError    = "error"
)

// Streaming pace, for each word.
const (
	pace     = 12 * time.Millisecond
	slowPace = 250 * time.Millisecond
)

// Contents of the demo workspace and what the tour does with them.
const (
	demoScript  = "receipt.sh"
	demoCommand = "sh receipt.sh" // not on the CLI's list of read-only commands: it asks
	demoNewFile = "parley-tour.txt"

	wrongLine    = "\ttotal=$price"
	rightLine    = "\ttotal=$((total + price))"
	rightComment = "\t# Add up: a plain assignment keeps only the last price.\n"

	demoQuestion  = "The receipt's total is wrong. How should it be fixed?"
	answerSmall   = "Smallest change"
	answerComment = "Change and comment"
	answerYours   = "You decide"
)

// Tour is the guided tour, played against the real CLI in the
// workspace of [Folder] (elsewhere it makes do without). It keeps no state: every
// answer follows from the request's messages alone, so any number of sessions
// can take the tour at once, and a closed one continues where it was.
//
// The prompt of a [Step] plays that step. Any other prompt runs the whole tour: a
// greeting, then each step as soon as the one before it was answered, with yes or no.
// A prompt of at most three words that contains "command", "question", "plan", "diff",
// "long", "thinking", "slow" or "error" shows that alone.
func Tour() Script { return ScriptFunc(tour) }

func tour(r Request) Reply {
	if r.Kind == Title {
		return Answer(Text(`{"title":"A guided tour of Parley"}`).In(Whole))
	}
	if r.Kind != Main {
		return Default(r)
	}
	g := newGuide(r)
	if len(r.Results) > 0 && !r.Fresh {
		return g.afterTool(r.Results[len(r.Results)-1]).Pace(pace)
	}
	return g.open()
}

// guide is the tour's view of one request.
type guide struct {
	r Request
	// step is the step whose prompt is being answered, word the keyword of another
	// prompt; "" for none.
	step, word string
	// begun is true if the model has answered before.
	begun bool
	// all and here are the tools called in the whole conversation, and since the
	// newest prompt.
	all, here []Block
	// failed are the failed or denied tool calls, by id.
	failed    map[string]bool
	dir       string // the session's folder, "" when not known
	planFile  string // where the CLI wants the plan, "" when not known
	planFound bool   // the plan file exists already
}

func newGuide(r Request) guide {
	g := guide{r: r, step: stepOf(r.Text), word: keyword(r.Text), failed: map[string]bool{}}
	inDir := regexp.MustCompile(`(?m)Primary working directory: (.+)$`)
	plan := regexp.MustCompile(`(?:(create your plan at)|plan file (?:already )?exists at) (.+?\.md)\b`)
	scan := func(text string) {
		if m := inDir.FindStringSubmatch(text); m != nil {
			g.dir = strings.TrimSpace(m[1])
		}
		if m := plan.FindStringSubmatch(text); m != nil {
			g.planFile, g.planFound = m[2], m[1] == ""
		}
	}
	scan(r.System)
	for _, m := range r.Messages {
		if len(typed(m)) > 0 {
			g.here = nil
		}
		for _, b := range m.Blocks {
			switch {
			case m.Role == "assistant":
				g.begun = true
				if b.Type == "tool_use" {
					g.all, g.here = append(g.all, b), append(g.here, b)
				}
			case b.Type == "tool_result":
				g.failed[b.ToolUseID] = b.IsError
			case b.Type == "text":
				scan(b.Text)
				if strings.HasPrefix(b.Text, markContinued) {
					g.begun = true
				}
			}
		}
	}
	return g
}

// keyword finds the tour's keyword in a short prompt.
func keyword(text string) string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return (c < 'a' || c > 'z') && c < 0x80
	})
	if len(fields) > 3 {
		return ""
	}
	known := []string{stepCommand, stepQuestion, stepPlan, stepDiff, wordTour, wordLong, wordThinking, wordSlow, wordError}
	for _, f := range fields {
		if slices.Contains(known, f) {
			return f
		}
	}
	return ""
}

// open answers a user's prompt.
func (g guide) open() Reply {
	first := func(text string) string {
		switch {
		case !g.begun:
			return paragraphs(words("short-welcome"), text)
		case g.r.Interrupted:
			return paragraphs(words("interrupted"), text)
		}
		return text
	}
	switch g.step {
	case stepWelcome:
		return Say(paragraphs(words("welcome"), words("buttons"))).Pace(pace)
	case stepUndo:
		return g.undo(first)
	case stepEnd:
		return Say(first(words("summary"))).Pace(pace)
	}
	switch cmp.Or(g.step, g.word) {
	case stepCommand:
		return g.command(first(words("command")))
	case stepQuestion:
		return g.question(first(words("question")))
	case stepPlan:
		return g.plan(first(words("plan")))
	case stepDiff:
		return g.diff(first(words("diff")))
	case wordLong:
		return Say(first(words("long"))).Pace(pace)
	case wordThinking:
		return Answer(Thinking(words("thinking-inner")), Text(first(words("thinking")))).Pace(2 * pace)
	case wordSlow:
		return Answer(Pause(time.Second), Text(first(words("slow")))).Pace(slowPace)
	case wordError:
		return Fail(http.StatusInternalServerError,
			"This error is part of the tour. The session is fine: type anything to continue").Final()
	}
	if !g.begun {
		return g.command(paragraphs(words("welcome"), words("first-command")))
	}
	next := g.next()
	if next == "" && g.word == wordTour {
		next = stepCommand
	}
	switch next {
	case stepCommand:
		return g.command(first(paragraphs(words("resume"), words("command"))))
	case stepQuestion:
		return g.question(first(paragraphs(words("resume"), words("question"))))
	case stepPlan:
		return g.plan(first(paragraphs(words("resume"), words("plan"))))
	case stepDiff:
		return g.diff(first(paragraphs(words("resume"), words("diff"))))
	}
	return Say(first(words("menu"))).Pace(pace)
}

// next is the first step with a tool that the conversation has not reached, or "".
func (g guide) next() string {
	switch {
	case !called(g.all, "Bash"):
		return stepCommand
	case !called(g.all, "AskUserQuestion"):
		return stepQuestion
	case !called(g.all, "ExitPlanMode"):
		return stepPlan
	case !slices.ContainsFunc(g.all, isChange):
		return stepDiff
	}
	return ""
}

func called(calls []Block, name string) bool {
	return slices.ContainsFunc(calls, func(b Block) bool { return b.Name == name })
}

// isChange reports whether a tool call changes one of the user's files; the plan file doesn't count.
func isChange(b Block) bool {
	return b.Name == "Edit" || b.Name == "Write" && strings.HasSuffix(fileOf(b.Input), demoNewFile)
}

// lastMade is the newest change, nil if there is none.
func (g guide) lastMade() *Block {
	for _, b := range slices.Backward(g.all) {
		if isChange(b) && !g.failed[b.ToolUseID] {
			return &b
		}
	}
	return nil
}

func fileOf(input json.RawMessage) string {
	var in struct {
		FilePath string `json:"file_path"`
	}
	if json.Unmarshal(input, &in) != nil {
		return ""
	}
	return in.FilePath
}

func (g guide) isPlan(input json.RawMessage) bool {
	return g.planFile != "" && fileOf(input) == g.planFile
}

func (g guide) command(text string) Reply {
	return Answer(Text(text), g.bash()).Pace(pace)
}

func (g guide) bash() Part {
	return Tool("Bash", object{"command": demoCommand, "description": "Print the receipt"})
}

func (g guide) question(text string) Reply {
	return Answer(Text(text), Tool("AskUserQuestion", object{"questions": []object{{
		"question": demoQuestion, "header": "Fix", "multiSelect": false,
		"options": []object{
			{"label": answerSmall, "description": "One line: add the price instead of replacing the total"},
			{"label": answerComment, "description": "The same line, and a comment that says why"},
			{"label": answerYours, "description": "The tour makes the smallest change"},
		},
	}}})).Pace(pace)
}

func (g guide) plan(text string) Reply {
	return Answer(Text(text), Tool("EnterPlanMode", object{})).Pace(pace)
}

func (g guide) diff(text string) Reply {
	return Answer(Text(text), Tool("Read", object{"file_path": g.file(demoScript)})).Pace(pace)
}

// file names a file of the session's folder, whose path may be a Windows path.
func (g guide) file(name string) string {
	if strings.Contains(g.dir, `\`) {
		return strings.TrimRight(g.dir, `\`) + `\` + name
	}
	return path.Join(g.dir, name)
}
