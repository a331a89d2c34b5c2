package role

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"parley/app/method"
)

// roles are the commands that are not methods.
var roles = []string{"open", "serve", "ask", "wait", "sessions", "watch", "methods", "call", "completion", "audit", "check", "doctor", "logs", "restore", "service", "version", "help"}

// completeName is the command that the shells' functions call.
const completeName = "__complete"

// completions are the shell functions. They call a command that knows all commands, so that they
// never become outdated.
var completions = map[string]string{
	"bash": `_parley() {
  local IFS=$'\n'
  COMPREPLY=($(parley __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _parley parley
`,
	"zsh": `#compdef parley
_parley() {
  local -a found
  found=("${(@f)$(parley __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -- $found; else _files; fi
}
compdef _parley parley
`,
	"fish": `function __parley_complete
  set -l words (commandline -opc)
  parley __complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c parley -a '(__parley_complete)'
`,
}

func (p Program) completion(args []string) int {
	set := p.flags("parley completion", "parley completion bash|zsh|fish\n\nPrints a script that completes Parley's commands. For bash, add this to ~/.bashrc:\n\n  source <(parley completion bash)")
	args, code, ok := permuted(set, args, 1)
	if !ok {
		return code
	}
	if len(args) == 0 || completions[args[0]] == "" {
		set.Usage()
		return exitUsage
	}
	_, _ = fmt.Fprint(p.Stdout, completions[args[0]])
	return exitOK
}

// complete prints the possible completions of the last word.
func (p Program) complete(words []string) int {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	var found []string
	switch {
	case len(words) == 1:
		found = p.firstWords()
	default:
		for _, m := range p.methods() {
			first, action, _ := strings.Cut(kebab(m.Name), ".")
			if first != words[0] || action == "" {
				continue
			}
			if len(words) == 2 {
				found = append(found, kebab(action))
			} else if words[1] == action || words[1] == kebab(action) {
				found = append(found, candidates(m, words[len(words)-2])...)
			}
		}
		if words[0] == "completion" && len(words) == 2 {
			found = []string{"bash", "fish", "zsh"}
		}
		if words[0] == "audit" && len(words) == 2 {
			found = append(found, "verify")
		}
	}
	slices.Sort(found)
	for _, word := range slices.Compact(found) {
		if strings.HasPrefix(word, last) {
			_, _ = fmt.Fprintln(p.Stdout, word)
		}
	}
	return exitOK
}

// candidates are a method's flags, or the values of the preceding flag.
func candidates(m *method.Method, before string) []string {
	var found []string
	for _, param := range m.Parameters() {
		names := flagNames(m, param.Name)
		if slices.Contains(names, strings.TrimLeft(before, "-")) && strings.HasPrefix(before, "-") && param.Kind != "switch" {
			return param.Values
		}
		found = append(found, "--"+names[0])
	}
	if m.Name == "session.prompt" {
		found = append(found, "--wait", "--json")
	}
	return append(found, "--data", "--timeout", "--help")
}

// firstWords are the possible words after "parley".
func (p Program) firstWords() []string {
	found := slices.Clone(roles)
	for _, m := range p.methods() {
		if first, action, _ := strings.Cut(kebab(m.Name), "."); action != "" && !slices.Contains(found, first) {
			found = append(found, first)
		}
	}
	return found
}

func (p Program) listMethods() int {
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 3, ' ', 0)
	for _, m := range p.methods() {
		if strings.Contains(m.Name, ".") {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", command(m), m.Doc)
		}
	}
	if err := w.Flush(); err != nil {
		return p.fail(err)
	}
	return exitOK
}
