package role

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/agnivade/levenshtein"

	"parley/app/method"
)

// methods are a running Parley's methods, as far as this program knows.
func (p Program) methods() []*method.Method {
	if p.Table == nil {
		return nil
	}
	return p.Table(slog.New(slog.DiscardHandler)).List()
}

// command is a method's name in a shell: "session prompt".
func command(m *method.Method) string { return strings.Replace(kebab(m.Name), ".", " ", 1) }

// kebab is "set-model" for "setModel".
func kebab(name string) string {
	var out strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			out.WriteByte('-')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// flagNames are the names of a parameter as a flag, the displayed one first: "session",
// "session-id" and "sessionId".
func flagNames(m *method.Method, param string) []string {
	names := []string{kebab(param)}
	// "prompt" is the prompt's text, not its id.
	if short, ok := strings.CutSuffix(param, "Id"); ok && short != "" && short != "prompt" {
		taken := slices.ContainsFunc(m.Parameters(), func(other method.Parameter) bool { return other.Name == short })
		if !taken {
			names = []string{kebab(short), kebab(param)}
		}
	}
	if !slices.Contains(names, param) {
		names = append(names, param)
	}
	return names
}

// client runs "parley NAMESPACE ACTION"; false if there is no such namespace.
func (p Program) client(args []string) (int, bool) {
	namespace, rest := args[0], args[1:]
	if first, action, dotted := strings.Cut(namespace, "."); dotted {
		namespace, rest = first, append([]string{action}, rest...)
	}
	var actions []*method.Method
	for _, m := range p.methods() {
		if len(rest) > 0 && m.Former() != "" && (m.Former() == namespace+"."+rest[0] || kebab(m.Former()) == namespace+"."+rest[0]) {
			return p.perform(m, rest[1:]), true
		}
		first, _, grouped := strings.Cut(m.Name, ".")
		if (first == namespace || kebab(first) == namespace) && grouped {
			actions = append(actions, m)
		}
	}
	if len(actions) == 0 {
		return 0, false
	}
	if len(rest) == 0 || asksHelp(rest[0]) {
		p.listActions(p.Stdout, namespace, actions)
		if len(rest) == 0 {
			return exitUsage, true
		}
		return exitOK, true
	}
	var names []string
	for _, m := range actions {
		_, action, _ := strings.Cut(m.Name, ".")
		if rest[0] == action || rest[0] == kebab(action) {
			return p.perform(m, rest[1:]), true
		}
		names = append(names, kebab(action))
	}
	_, _ = fmt.Fprintf(p.Stderr, "parley: %s has no action %q%s\n\n", namespace, rest[0], suggestion(rest[0], names))
	p.listActions(p.Stderr, namespace, actions)
	return exitUsage, true
}

func asksHelp(arg string) bool {
	return arg == "-h" || arg == "-help" || arg == "--help" || arg == "help"
}

func (p Program) listActions(to io.Writer, namespace string, actions []*method.Method) {
	_, _ = fmt.Fprintf(to, "parley %s ACTION [flags]\n\n", namespace)
	w := tabwriter.NewWriter(to, 0, 0, 3, ' ', 0)
	for _, m := range actions {
		_, _ = fmt.Fprintf(w, "  %s\t%s\n", command(m), m.Doc)
	}
	_ = w.Flush()
	_, _ = fmt.Fprintf(to, "\nRun any of them with -h to see its flags.\n")
}

// suggestion is " (did you mean …?)" if a name is similar, "" otherwise.
func suggestion(wrong string, names []string) string {
	best, least := "", 1+max(1, len(wrong)/3)
	for _, name := range names {
		if d := levenshtein.ComputeDistance(wrong, name); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// perform calls a method with flags as parameters.
func (p Program) perform(m *method.Method, args []string) int {
	set := flag.NewFlagSet("parley "+command(m), flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	data := set.String("data", "", "")
	timeout := set.Duration("timeout", 30*time.Second, "")
	asJSON := set.Bool("json", false, "")
	waits := false
	if m.Name == "session.prompt" {
		set.BoolVar(&waits, "wait", false, "")
	}
	params := map[string]json.RawMessage{}
	for _, param := range m.Parameters() {
		for _, name := range flagNames(m, param.Name) {
			set.Var(&value{param, params, p.Stdin}, name, "")
		}
	}
	args, err := permute(set, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		p.explain(p.Stdout, m)
		return exitOK
	case err == nil && len(args) > 0:
		err = fmt.Errorf("unexpected argument %q", args[0])
	case err != nil:
		if name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); unknown {
			var names []string
			set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
			err = fmt.Errorf("there is no flag --%s%s", strings.TrimPrefix(name, "-"), suggestion(strings.TrimPrefix(name, "-"), names))
		}
	}
	raw, _ := json.Marshal(params) // they are JSON already
	if err == nil {
		err = m.Check(raw)
	}
	if err != nil {
		_, _ = fmt.Fprintf(p.Stderr, "parley: %v\n\n", err)
		p.explain(p.Stderr, m)
		return exitUsage
	}
	if waits {
		l, end, err := p.patient(*data)
		if err != nil {
			return p.fail(err)
		}
		defer end()
		t := &turn{}
		_ = json.Unmarshal(params["sessionId"], &t.SessionID) // it was validated
		prompt := map[string]any{}
		for name, v := range params {
			prompt[name] = v
		}
		return p.run(l, t, prompt, *asJSON)
	}
	server, err := p.findServer(*data)
	if err != nil {
		return p.fail(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	l, err := dial(ctx, server)
	if err != nil {
		return p.fail(err)
	}
	defer l.close()
	result, err := l.call(m.Name, json.RawMessage(raw))
	if err != nil {
		return p.fail(err)
	}
	return p.print(result)
}

// value is a flag that sets a parameter.
type value struct {
	param  method.Parameter
	params map[string]json.RawMessage
	stdin  io.Reader
}

func (v *value) String() string   { return "" }
func (v *value) IsBoolFlag() bool { return v.param.Kind == "switch" }

func (v *value) Set(text string) error {
	if text == "-" && v.param.Kind != "switch" && v.param.Kind != "number" {
		all, err := io.ReadAll(io.LimitReader(v.stdin, maxPrompt))
		if err != nil {
			return fmt.Errorf("standard input cannot be read: %w", err)
		}
		text = string(all)
	}
	var said any = text
	switch v.param.Kind {
	case "switch":
		on, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("it must be true or false")
		}
		said = on
	case "number":
		if !json.Valid([]byte(text)) {
			return errors.New("it must be a number")
		}
		said = json.RawMessage(text)
	case "list":
		var list []string
		_ = json.Unmarshal(v.params[v.param.Name], &list) // there is none before the first
		said = append(list, text)
	case "JSON":
		if !json.Valid([]byte(text)) {
			return errors.New("it must be JSON")
		}
		said = json.RawMessage(text)
	}
	raw, err := json.Marshal(said)
	v.params[v.param.Name] = raw
	return err
}

// permute parses flags anywhere, up to "--", and returns the other arguments.
func permute(set *flag.FlagSet, args []string) ([]string, error) {
	var rest, behind []string
	if at := slices.Index(args, "--"); at >= 0 {
		args, behind = args[:at], args[at+1:]
	}
	for len(args) > 0 {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		if args = set.Args(); len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	return append(rest, behind...), nil
}

// permuted is [parse] for commands whose flags may be anywhere.
func permuted(set *flag.FlagSet, args []string, most int) (rest []string, code int, ok bool) {
	rest, err := permute(set, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil, exitOK, false
	case err != nil:
		return nil, exitUsage, false
	case len(rest) > most:
		_, _ = fmt.Fprintf(set.Output(), "%s: unexpected argument %q\n", set.Name(), rest[most])
		set.Usage()
		return nil, exitUsage, false
	}
	return rest, exitOK, true
}

// explain prints a method's help.
func (p Program) explain(to io.Writer, m *method.Method) {
	_, _ = fmt.Fprintf(to, "parley %s [flags]\n\n%s\n\n", command(m), m.Doc)
	w := tabwriter.NewWriter(to, 0, 0, 3, ' ', 0)
	for _, param := range m.Parameters() {
		about := param.Doc
		if len(param.Values) > 0 {
			about += " One of: " + strings.Join(param.Values, ", ") + "."
		}
		if param.Required {
			about += " (required)"
		}
		kind := strings.ToUpper(param.Kind)
		if param.Kind == "switch" {
			kind = ""
		}
		_, _ = fmt.Fprintf(w, "  --%s %s\t%s\n", flagNames(m, param.Name)[0], kind, about)
	}
	if m.Name == "session.prompt" {
		_, _ = fmt.Fprint(w, "  --wait \tPrints the answer as it arrives, and exits when the turn is done; the exit codes are those of \"parley ask\".\n")
	}
	_, _ = fmt.Fprint(w, "  --data FOLDER\tThe server's data folder.\n  --timeout DURATION\tHow long to wait for the answer.\n")
	_ = w.Flush()
	_, _ = fmt.Fprintf(to, "\nExample:\n  parley %s%s\n", command(m), exampleFlags(m))
}

// exampleFlags are the parameters of a method's example as flags.
func exampleFlags(m *method.Method) string {
	var example map[string]json.RawMessage
	_ = json.Unmarshal(m.Example(), &example) // it is an object
	var out strings.Builder
	for _, param := range m.Parameters() {
		raw, ok := example[param.Name]
		if !ok {
			continue
		}
		values := []string{string(raw)}
		var text string
		switch param.Kind {
		case "text":
			_ = json.Unmarshal(raw, &text)
			values = []string{text}
		case "list":
			_ = json.Unmarshal(raw, &values)
		case "switch":
			_, _ = fmt.Fprintf(&out, " --%s=%s", flagNames(m, param.Name)[0], raw)
			continue
		}
		for _, v := range values {
			_, _ = fmt.Fprintf(&out, " --%s %s", flagNames(m, param.Name)[0], quoted(v))
		}
	}
	return out.String()
}

// quoted quotes a word for a shell.
func quoted(word string) string {
	plain := strings.IndexFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:@%+=", r)
	}) < 0
	if plain && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func (p Program) sessions(args []string) int {
	set := p.flags("parley sessions", "parley sessions [flags]\n\nLists the sessions, the most recently active first.")
	data := set.String("data", "", "the server's data `folder`")
	limit := set.Int("limit", 50, "how many at most")
	asJSON := set.Bool("json", false, "print JSON")
	if _, code, ok := permuted(set, args, 0); !ok {
		return code
	}
	server, err := p.findServer(*data)
	if err != nil {
		return p.fail(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	l, err := dial(ctx, server)
	if err != nil {
		return p.fail(err)
	}
	defer l.close()
	raw, err := l.call("session.list", map[string]any{"limit": *limit})
	if err != nil {
		return p.fail(err)
	}
	if *asJSON {
		return p.print(raw)
	}
	var list struct {
		Sessions []struct{ ID, State, Title, CWD string }
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return p.fail(err)
	}
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 3, ' ', 0)
	for _, s := range list.Sessions {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.ID, s.State, oneLine(s.Title), oneLine(s.CWD))
	}
	if err := w.Flush(); err != nil {
		return p.fail(err)
	}
	return exitOK
}

// oneLine keeps a text on its line, without terminal control characters.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
