package filechange

import (
	"bytes"
	"encoding/json"
	"strings"
)

// result is the result of the tools that edit, in the shapes of all of them.
type result struct {
	FilePath string  `json:"filePath"`
	Type     string  `json:"type"`
	Content  *string `json:"content"`
	Original *string `json:"originalFile"`
	Patch    []hunk  `json:"structuredPatch"`
	// The input: one replacement, or several.
	replacement
	Edits []struct {
		From string `json:"old_string"`
		To   string `json:"new_string"`
		All  bool   `json:"replace_all"`
	} `json:"edits"`
	// A notebook's fields are spelled differently.
	NotebookPath     string  `json:"notebook_path"`
	NotebookOriginal *string `json:"original_file"`
	NotebookUpdated  *string `json:"updated_file"`
	Error            string  `json:"error"`
}

type replacement struct {
	From string `json:"oldString"`
	To   string `json:"newString"`
	All  bool   `json:"replaceAll"`
}

// hunk is one part of a patch; each line starts with "+", "-" or " ".
type hunk struct {
	OldStart int      `json:"oldStart"`
	OldLines int      `json:"oldLines"`
	Lines    []string `json:"lines"`
}

const (
	markPatch    = `"structuredPatch"`
	markNotebook = `"notebook_path"`
)

// result takes the result of a tool.
func (l *Log) result(n line, agent bool) {
	if !bytes.Contains(n.Result, []byte(markPatch)) && !bytes.Contains(n.Result, []byte(markNotebook)) {
		return
	}
	var r result
	if json.Unmarshal(n.Result, &r) != nil || r.Error != "" {
		return
	}
	e := Edit{ToolUseID: toolUse(n.Message.Content), Turn: l.turnOf(n), At: n.Timestamp.UnixMilli(), Agent: agent}
	if e.Turn < 0 {
		return
	}
	switch {
	case r.NotebookPath != "" && r.NotebookOriginal != nil:
		e.Path, e.Before, e.After = l.absolute(r.NotebookPath), r.NotebookOriginal, r.NotebookUpdated
		e.Created = *r.NotebookOriginal == ""
		if e.After != nil {
			e.Added, e.Removed = unlike(*e.Before, *e.After)
		}
	case r.FilePath != "" && r.Type == "create":
		e.Path, e.Created, e.After = l.absolute(r.FilePath), true, r.Content
		if e.After != nil {
			e.Added = countLines(*e.After)
		}
	case r.FilePath != "" && (r.Type == "update" || r.Type == ""):
		e.Path, e.Before, e.After = l.absolute(r.FilePath), r.Original, r.Content
		e.Added, e.Removed = count(r.Patch)
		if e.After == nil && e.Before != nil {
			if after, ok := r.after(); ok {
				e.After = &after
			}
		}
	}
	if e.Path != "" {
		l.keep(e)
	}
}

// after is the text after an edit, and false if that is not certain.
func (r *result) after() (string, bool) {
	before := strings.ReplaceAll(*r.Original, "\r\n", "\n")
	if after, ok := apply(before, r.Patch); ok {
		return after, true
	}
	// The CLI shows tabs in a patch as spaces.
	edits := []replacement{r.replacement}
	if len(r.Edits) > 0 {
		edits = edits[:0]
		for _, e := range r.Edits {
			edits = append(edits, replacement{e.From, e.To, e.All})
		}
	}
	for _, e := range edits {
		n := strings.Count(before, e.From)
		if e.From == "" || n == 0 || n > 1 && !e.All || e.To == "" {
			return "", false
		}
		before = strings.ReplaceAll(before, e.From, e.To)
	}
	return before, true
}

func (l *Log) keep(e Edit) {
	if len(l.edits) >= maxEdits {
		l.Cut = true
		return
	}
	for _, text := range []**string{&e.Before, &e.After} {
		if *text == nil {
			continue
		}
		if l.text += len(**text); l.text > maxText {
			l.Cut, *text = true, nil
			continue
		}
		unified := strings.ReplaceAll(**text, "\r\n", "\n")
		*text = &unified
	}
	l.edits = append(l.edits, e)
}

func toolUse(content json.RawMessage) string {
	var blocks []struct {
		ID string `json:"tool_use_id"`
	}
	if json.Unmarshal(content, &blocks) != nil || len(blocks) == 0 {
		return ""
	}
	return blocks[0].ID
}

func count(patch []hunk) (added, removed int) {
	for _, h := range patch {
		for _, text := range h.Lines {
			switch {
			case strings.HasPrefix(text, "+"):
				added++
			case strings.HasPrefix(text, "-"):
				removed++
			}
		}
	}
	return added, removed
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// unlike counts the lines between the common start and end of two texts.
func unlike(before, after string) (added, removed int) {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(b), len(a)
}

// apply applies a patch, and returns false if it does not fit:
// the CLI shows some lines differently from what they are.
func apply(before string, patch []hunk) (string, bool) {
	lines := strings.Split(before, "\n")
	var out []string
	at := 0
	for _, h := range patch {
		start := h.OldStart - 1
		if h.OldLines == 0 {
			start = max(h.OldStart, 0)
		}
		if start < at || start > len(lines) {
			return "", false
		}
		out = append(out, lines[at:start]...)
		at = start
		for _, text := range h.Lines {
			if text == "" {
				return "", false
			}
			switch text[0] {
			case '+':
				out = append(out, text[1:])
			case '\\': // marks a missing line end
				return "", false
			default:
				if at >= len(lines) || lines[at] != text[1:] {
					return "", false
				}
				if text[0] == ' ' {
					out = append(out, lines[at])
				}
				at++
			}
		}
	}
	return strings.Join(append(out, lines[at:]...), "\n"), true
}
