package tool

import (
	"strings"

	"parley/backend/event"
	"parley/backend/toolserver"
	"parley/backend/untrusted"
)

// Made is a tool, or the error creating it.
type Made struct {
	tool toolserver.Tool
	err  error
}

// Of is a tool with its title and hints.
func Of(title string, hints toolserver.Hints) func(toolserver.Tool, error) Made {
	return func(tool toolserver.Tool, err error) Made {
		tool.Title, tool.Hints = title, hints
		return Made{tool, err}
	}
}

// Join returns the created tools, or the first error.
func Join(all ...Made) ([]toolserver.Tool, error) {
	tools := make([]toolserver.Tool, 0, len(all))
	for _, one := range all {
		if one.err != nil {
			return nil, one.err
		}
		tools = append(tools, one.tool)
	}
	return tools, nil
}

// SessionName is a session's display name.
func SessionName(s event.Session) string {
	if title := strings.TrimSpace(strings.ReplaceAll(untrusted.Visible(s.Title), "\n", " ")); title != "" {
		return Cut(title, 200)
	}
	return "New session"
}

// Dialog is one question of the dialog, in the form of AskUserQuestion.
type Dialog struct {
	Question    string   `json:"question"`
	Header      string   `json:"header"`
	MultiSelect bool     `json:"multiSelect"`
	Options     []Option `json:"options"`
}

// Option is a choice in a dialog.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}
