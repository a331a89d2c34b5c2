package demo

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// afterTool answers a tool's result: it comments on it and takes the next step.
func (g guide) afterTool(res ToolResult) Reply {
	switch res.Name {
	case "Bash":
		return g.afterBash(res)
	case "AskUserQuestion":
		return g.afterQuestion(res)
	case "EnterPlanMode":
		return g.writePlan()
	case "ExitPlanMode":
		return g.afterPlan(res)
	case "Read":
		if g.isPlan(res.Input) {
			return g.planInto()
		}
		return g.change(res)
	case "Edit", "Write":
		if g.isPlan(res.Input) {
			return g.showPlan()
		}
		return g.afterChange(res)
	}
	return Say(words("menu"))
}

// then continues with the next step, or ends the turn when a single one was wanted.
func (g guide) then(comment string, next func(string) Reply, passage string) Reply {
	if g.step != "" {
		return Say(comment)
	}
	switch g.word {
	case stepCommand, stepQuestion, stepPlan, stepDiff:
		return Say(paragraphs(comment, words("only")))
	}
	return next(paragraphs(comment, words(passage)))
}

func (g guide) afterBash(res ToolResult) Reply {
	total := regexp.MustCompile(`(?m)^total\s+(\d+)$`).FindStringSubmatch(res.Text)
	if slices.ContainsFunc(g.here, isChange) {
		comment := words("check-other")
		switch {
		case res.IsError || total == nil:
		case total[1] == "9":
			comment = words("check-right")
		case total[1] == "4":
			comment = words("check-wrong")
		}
		return Say(paragraphs(comment, words("summary")))
	}
	comment := words("command-other")
	switch {
	case res.IsError && strings.HasPrefix(res.Text, "Exit code"):
		comment = words("command-failed")
	case res.IsError:
		comment = words("command-denied")
	case total == nil:
	case total[1] == "9":
		comment = words("command-right")
	default:
		comment = words("command-wrong")
	}
	return g.then(comment, g.question, "question")
}

func (g guide) afterQuestion(res ToolResult) Reply {
	answer, own := chosen(res)
	comment := words("question-skipped")
	switch {
	case own:
		comment = words("question-own")
	case answer != "":
		comment = words("question-answered", "answer", answer)
	}
	return g.then(comment, g.plan, "plan")
}

// chosen reads the answer to the tour's question: the label, or own if the
// user wrote an answer. Both are empty if there was none.
func chosen(res ToolResult) (label string, own bool) {
	if res.IsError {
		return "", false
	}
	_, rest, found := strings.Cut(res.Text, `"`+demoQuestion+`"="`)
	if !found {
		return "", false
	}
	for _, l := range []string{answerSmall, answerComment, answerYours} {
		if strings.HasPrefix(rest, l+`"`) {
			return l, false
		}
	}
	return "", true
}

// wantsComment searches the whole conversation for the answer.
func (g guide) wantsComment() bool {
	wants := false
	for _, m := range g.r.Messages {
		for _, b := range m.Blocks {
			if b.Type != "tool_result" || b.IsError || !strings.Contains(b.Text, demoQuestion) {
				continue
			}
			label, _ := chosen(ToolResult{Text: b.Text})
			wants = label == answerComment
		}
	}
	return wants
}

// writePlan follows the CLI's protocol (measured with 2.1.329): the plan is a file that the CLI names when plan
// mode starts, and ExitPlanMode shows its content. An existing plan file must
// be read before it can be written.
func (g guide) writePlan() Reply {
	if g.planFile == "" {
		return g.showPlan()
	}
	if g.planFound {
		return Use("Read", object{"file_path": g.planFile})
	}
	return g.planInto()
}

func (g guide) planInto() Reply {
	comment := ""
	if g.wantsComment() {
		comment = "2. Above it, leave a comment that says why.\n"
	}
	return Use("Write", object{"file_path": g.planFile, "content": words("plan-file", "comment", comment) + "\n"})
}

func (g guide) showPlan() Reply {
	exit := Tool("ExitPlanMode", object{})
	if called(g.here, "ExitPlanMode") {
		return Answer(exit) // no introduction the second time
	}
	return Answer(Text(words("plan-ready")), exit)
}

func (g guide) afterPlan(res ToolResult) Reply {
	if !res.IsError {
		return g.then(words("plan-approved"), g.diff, "diff")
	}
	if strings.HasPrefix(res.Text, "<tool_use_error>") {
		return g.then(words("plan-failed"), g.diff, "diff")
	}
	times := 0
	for _, call := range g.here {
		if call.Name == "ExitPlanMode" {
			times++
		}
	}
	if times > 1 || g.planFile == "" {
		if g.step != "" {
			return Say(words("plan-refused"))
		}
		return Say(paragraphs(words("plan-refused"), words("plan-refused-typed")))
	}
	note := "> " + strings.ReplaceAll(strings.TrimSpace(res.Text), "\n", "\n> ")
	return Answer(
		Text(words("plan-again", "note", note)),
		Tool("Write", object{"file_path": g.planFile, "content": words("plan-file-short") + "\n"}),
	)
}

// change proposes the change that fits the content of the demo's file.
func (g guide) change(res ToolResult) Reply {
	if g.step == stepUndo {
		return g.back(res)
	}
	edit := func(passage, before, after string) Reply {
		return Answer(Text(words(passage)), Tool("Edit", object{
			"file_path": g.file(demoScript), "old_string": before, "new_string": after, "replace_all": false,
		}))
	}
	fixed := rightLine
	if g.wantsComment() {
		fixed = rightComment + rightLine
	}
	switch {
	case res.IsError:
	case strings.Contains(res.Text, strings.TrimSpace(rightComment)):
		return edit("diff-back", rightComment+rightLine, wrongLine)
	case strings.Contains(res.Text, strings.TrimSpace(rightLine)):
		return edit("diff-back", rightLine, wrongLine)
	case strings.Contains(res.Text, strings.TrimSpace(wrongLine)):
		return edit("diff-fix", wrongLine, fixed)
	}
	return Answer(Text(words("diff-new")), Tool("Write", object{
		"file_path": g.file(demoNewFile), "content": words("new-file") + "\n",
	}))
}

func (g guide) afterChange(res ToolResult) Reply {
	if g.step == stepUndo {
		return g.afterBack(res)
	}
	single := cmp.Or(g.step, g.word) == stepDiff
	comment := words("diff-done-only")
	switch {
	case res.IsError && strings.HasPrefix(res.Text, "<tool_use_error>"):
		comment = words("diff-failed")
	case res.IsError:
		comment = words("diff-denied")
	case res.Name == "Write":
		comment = words("file-new")
	case !single:
		return Answer(Text(words("diff-done")), g.bash())
	}
	switch {
	case g.step != "":
		return Say(comment)
	case single:
		return Say(paragraphs(comment, words("only")))
	}
	return Say(paragraphs(comment, words("summary")))
}

// undo reverts the newest change. The file is read first: the CLI doesn't edit files
// that it has not read.
func (g guide) undo(first func(string) string) Reply {
	last := g.lastMade()
	switch {
	case last == nil:
		return Say(first(words("undo-nothing"))).Pace(pace)
	case last.Name != "Edit":
		return Say(first(words("undo-file"))).Pace(pace)
	}
	return Answer(Text(first(words("undo"))), Tool("Read", object{"file_path": fileOf(last.Input)})).Pace(pace)
}

// back proposes the reverse of the newest change.
func (g guide) back(res ToolResult) Reply {
	var made struct {
		Old string `json:"old_string"`
		New string `json:"new_string"`
	}
	last := g.lastMade()
	if res.IsError || last == nil || json.Unmarshal(last.Input, &made) != nil {
		return Say(words("diff-failed"))
	}
	return Use("Edit", object{
		"file_path": fileOf(last.Input), "old_string": made.New, "new_string": made.Old, "replace_all": false,
	})
}

func (g guide) afterBack(res ToolResult) Reply {
	switch {
	case res.IsError && strings.HasPrefix(res.Text, "<tool_use_error>"):
		return Say(words("diff-failed"))
	case res.IsError:
		return Say(words("undo-denied"))
	}
	return Say(words("undo-done"))
}
