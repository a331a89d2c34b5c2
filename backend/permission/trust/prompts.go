package trust

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/backend/claude/clisettings"
)

// Limits of the search for commands, skills and agents. Anything beyond them counts as
// unreadable.
const (
	maxPrompts = 2000
	maxDepth   = 6
)

// prompts inspects the commands, skills and agents of a folder and its parents, up to
// the top of the checkout and that of its repository, where the CLI looks too. own are
// the user's own folders of them.
func (r *Report) prompts(own []string, folder string) {
	tops := clisettings.RepoRoots(folder)
	var dirs []string
	for _, dir := range upwards(folder) {
		dirs = append(dirs, dir)
		if slices.Contains(tops, dir) {
			break
		}
	}
	for _, dir := range tops {
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	left := maxPrompts
	for _, dir := range dirs {
		place := filepath.Join(dir, ".claude")
		if slices.ContainsFunc(own, func(o string) bool { return same(o, place) }) {
			continue
		}
		for _, name := range []string{"agents", "commands", "output-styles", "skills"} {
			r.promptsIn(filepath.Join(place, name), maxDepth, &left)
		}
		const tasks = "scheduled_tasks.json"
		if data, err := clisettings.ReadFile(filepath.Join(place, tasks)); !clisettings.IsNotExist(err) {
			r.add(data, Finding{Prompt, filepath.Join(place, tasks), "", "scheduled tasks", "Gives Claude scheduled tasks."})
		}
	}
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// promptsIn inspects the texts in a folder. left is how many more it may inspect.
func (r *Report) promptsIn(dir string, depth int, left *int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if _, is := os.Lstat(dir); is == nil && !clisettings.IsNotExist(err) {
			r.add(nil, Finding{Unreadable, dir, "", "it cannot be listed", "Parley cannot tell what Claude Code would do with this."})
		}
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // the CLI follows links
		switch {
		case err != nil:
			continue
		case info.IsDir() && e.Name() == ".claude-plugin":
			r.add(nil, Finding{Plugin, path, filepath.Base(dir), "", "Its hooks, servers and commands are loaded."})
			continue
		case !info.IsDir() && !strings.EqualFold(filepath.Ext(path), ".md"):
			continue
		}
		if *left--; *left == 0 || info.IsDir() && depth == 0 {
			r.add(nil, Finding{Unreadable, path, "", "there is more than Parley checks", "Parley cannot tell what Claude Code would do with this."})
		}
		switch {
		case *left <= 0 || info.IsDir() && depth == 0:
		case info.IsDir():
			r.promptsIn(path, depth-1, left)
		default:
			r.prompt(path)
		}
	}
}

// prompt inspects one text.
func (r *Report) prompt(file string) {
	data, err := clisettings.ReadFile(file)
	if err != nil {
		r.add(nil, Finding{Unreadable, file, "", err.Error(), "Parley cannot tell what Claude Code would do with this."})
		return
	}
	if does := doing(string(data)); len(does) > 0 {
		r.add([]byte(strings.Join(does, "\n")), Finding{
			Prompt, file, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), strings.Join(does, "\n"),
			"When used, it runs commands or allows tools without asking.",
		})
	}
}

// saying reports whether a front matter key only describes the text or reduces its
// permissions.
func saying(key string) bool {
	return slices.Contains([]string{
		"agent", "argument-hint", "arguments", "author", "background", "category", "color", "compatibility", "context", "description", "disable-model-invocation",
		"disallowedTools", "effort", "globs", "icon", "isolation", "keep-coding-instructions", "license", "maxTurns", "memory", "metadata", "model", "name", "paths",
		"skills", "tags", "title", "tools", "user-invocable", "version", "when_to_use",
	}, key)
}

var (
	headKey = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:(?:[ \t]|$)`)
	// inline matches commands within a text, which the CLI runs before the model reads
	// it.
	inline = regexp.MustCompile("(?s)!`[^`]*`|```!.*?(?:```|$)")
)

// doing returns what a text runs or allows automatically: the commands within it, and
// every front matter key not known to be harmless.
func doing(text string) []string {
	var does []string
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	if head, ok := headOf(text); ok {
		keep := true // keep lines that belong to no key, because they are unknown
		for line := range strings.Lines(head) {
			line = strings.TrimRight(line, " \t\n")
			key := headKey.FindStringSubmatch(line)
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
				continue
			case key != nil:
				keep = !saying(key[1])
			case line[0] != ' ' && line[0] != '\t' && line[0] != '-':
				keep = true
			}
			if keep {
				does = append(does, line)
			}
		}
	}
	return append(does, inline.FindAllString(text, -1)...)
}

// headOf returns the front matter between lines of three dashes.
func headOf(text string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\n"), "---")
	if !ok {
		return "", false
	}
	first, rest, _ := strings.Cut(rest, "\n")
	if strings.TrimSpace(first) != "" {
		return "", false
	}
	head, _, ok := strings.Cut("\n"+rest, "\n---")
	if !ok { // the CLI also accepts them within a line
		head, _, ok = strings.Cut(rest, "---")
	}
	return strings.TrimPrefix(head, "\n"), ok
}
