package permission

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fieldType is the type of a tool input's field.
type fieldType string

const (
	text    fieldType = "a text"
	number  fieldType = "a number"
	boolean fieldType = "true or false"
	object  fieldType = "an object"
	texts   fieldType = "a list of texts"
	list    fieldType = "a list"
)

// inputField is one field of a tool's input. Without choices any value of the type is
// valid.
type inputField struct {
	holds    fieldType
	required bool
	choices  []string
}

// inputOf describes the input of a built-in tool as the CLI publishes it. ok is
// false for an unknown tool.
func inputOf(tool string) (fields map[string]inputField, ok bool) {
	must := func(t fieldType) inputField { return inputField{holds: t, required: true} }
	may := func(t fieldType) inputField { return inputField{holds: t} }
	one := func(choices ...string) inputField { return inputField{holds: text, choices: choices} }
	switch tool {
	case "Bash":
		return map[string]inputField{"command": must(text), "timeout": may(number), "description": may(text),
			"run_in_background": may(boolean), "dangerouslyDisableSandbox": may(boolean)}, true
	case "Monitor":
		return map[string]inputField{"description": must(text), "timeout_ms": may(number), "command": may(text), "ws": may(object),
			"persistent": may(boolean)}, true
	case "Edit":
		return map[string]inputField{"file_path": must(text), "old_string": must(text), "new_string": must(text), "replace_all": may(boolean)}, true
	case "Write":
		return map[string]inputField{"file_path": must(text), "content": must(text)}, true
	case "Read":
		return map[string]inputField{"file_path": must(text), "offset": may(number), "limit": may(number), "pages": may(text), "allow_large": may(boolean)}, true
	case "Glob":
		return map[string]inputField{"pattern": must(text), "path": may(text)}, true
	case "Grep":
		return map[string]inputField{"pattern": must(text), "path": may(text), "glob": may(text), "type": may(text),
			"output_mode": one("content", "files_with_matches", "count"), "-B": may(number), "-A": may(number), "-C": may(number), "context": may(number),
			"-n": may(boolean), "-i": may(boolean), "-o": may(boolean), "head_limit": may(number), "offset": may(number), "multiline": may(boolean)}, true
	case "NotebookEdit":
		return map[string]inputField{"notebook_path": must(text), "new_source": must(text), "cell_id": may(text),
			"cell_type": one("code", "markdown"), "edit_mode": one("replace", "insert", "delete")}, true
	case "WebFetch":
		return map[string]inputField{"url": must(text), "prompt": must(text), "offset": may(number)}, true
	case "WebSearch":
		return map[string]inputField{"query": must(text), "allowed_domains": may(texts), "blocked_domains": may(texts)}, true
	case "Agent", "Task":
		return map[string]inputField{"description": must(text), "prompt": must(text), "subagent_type": may(text), "model": may(text),
			"effort": one("low", "medium", "high", "xhigh", "max"), "run_in_background": may(boolean), "name": may(text), "team_name": may(text),
			"mode": one("acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"), "isolation": one("worktree", "remote")}, true
	case "TodoWrite":
		return map[string]inputField{"todos": must(list)}, true
	case "TaskCreate":
		return map[string]inputField{"subject": must(text), "description": must(text), "activeForm": may(text), "metadata": may(object)}, true
	case "TaskGet":
		return map[string]inputField{"taskId": must(text)}, true
	case "TaskUpdate":
		return map[string]inputField{"taskId": must(text), "subject": may(text), "description": may(text), "activeForm": may(text),
			"status": one("pending", "in_progress", "completed", "deleted"), "addBlocks": may(texts), "addBlockedBy": may(texts), "owner": may(text),
			"metadata": may(object)}, true
	case "TaskStop":
		return map[string]inputField{"task_id": may(text), "shell_id": may(text)}, true
	}
	return nil, false
}

// CheckInput returns what is wrong with an input that a user edited, "" for
// nothing. For a built-in tool it checks the types and the required fields; an
// unknown field is only accepted if the original input has it. For other tools any
// JSON object is valid.
func CheckInput(tool string, asked, edited json.RawMessage) string {
	known, ok := inputOf(tool)
	if !ok {
		return ""
	}
	var before, after map[string]json.RawMessage
	if json.Unmarshal(edited, &after) != nil {
		return "it is not an object"
	}
	_ = json.Unmarshal(asked, &before) // on failure it had no fields
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		f, ok := known[name]
		switch {
		case !ok && before[name] == nil:
			problems = append(problems, fmt.Sprintf("it has no field %.50q", name))
		case ok && !f.fits(after[name]):
			problems = append(problems, fmt.Sprintf("%s must be %s", name, f.wants()))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if _, given := after[name]; known[name].required && !given {
			problems = append(problems, name+" is missing")
		}
	}
	const most = 5
	return strings.Join(problems[:min(len(problems), most)], "; ")
}

func (f inputField) wants() string {
	if f.choices != nil {
		return "one of " + strings.Join(f.choices, ", ")
	}
	return string(f.holds)
}

func (f inputField) fits(raw json.RawMessage) bool {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return false
	}
	switch v := value.(type) {
	case string:
		return f.holds == text && (f.choices == nil || slices.Contains(f.choices, v))
	case float64:
		return f.holds == number
	case bool:
		return f.holds == boolean
	case map[string]any:
		return f.holds == object
	case []any:
		return f.holds == list || f.holds == texts && !slices.ContainsFunc(v, func(e any) bool { _, ok := e.(string); return !ok })
	}
	return false
}
