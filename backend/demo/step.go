package demo

import "strings"

// Step is a part of the tour that a user starts with a click.
type Step struct {
	// ID is the step's machine-readable name.
	ID string
	// Prompt is the prompt sent to the session. The script recognizes it by its exact text.
	Prompt string
}

// Steps are the parts of the tour, in order. The first greets, the last says what
// to do afterwards.
func Steps() []Step {
	return []Step{
		{stepWelcome, "Show me around Parley, please."},
		{stepCommand, "Run a command for me."},
		{stepQuestion, "Ask me how to fix it."},
		{stepPlan, "Make a plan before you change anything."},
		{stepDiff, "Now change the file."},
		{stepUndo, "Please take that change back."},
		{stepEnd, "What should I do next?"},
	}
}

// stepOf returns the step of a prompt, "" for none.
func stepOf(prompt string) string {
	for _, s := range Steps() {
		if strings.TrimSpace(prompt) == s.Prompt {
			return s.ID
		}
	}
	return ""
}

// Next returns the next step of a conversation, "" when the tour has ended. Like the
// script itself, it looks at the user's messages and the called tools, so
// steps that were requested in other words count too.
func Next(conversation []Message) string {
	asked := map[string]bool{}
	for _, m := range conversation {
		for _, text := range typed(m) {
			asked[stepOf(text)] = true
		}
	}
	g := newGuide(Request{Messages: conversation})
	switch next := g.next(); {
	case asked[stepEnd]:
		return ""
	case !g.begun:
		return stepWelcome
	case next != "":
		return next
	case !asked[stepUndo] && g.lastMade() != nil:
		return stepUndo
	}
	return stepEnd
}
