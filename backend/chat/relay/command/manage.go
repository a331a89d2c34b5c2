package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/chat/relay/post"
	"parley/backend/choice"
	"parley/backend/event"
)

// maxTitle bounds a title, in characters.
const maxTitle = 200

// folder returns where something that the thread starts begins: in its session's
// folder, or the channel's. "" if there is none.
func (t *Table) folder(ctx context.Context, g *given) (string, error) {
	if g.Thread != nil && g.Thread.SessionID != "" {
		s, err := t.session(ctx, g)
		return s.CWD, err
	}
	if t.ports.Config == nil {
		return "", nil
	}
	c := t.ports.Config()
	for _, m := range c.Channels {
		if m.ChannelID == g.ChannelID {
			return m.Folder, nil
		}
	}
	if c.Direct != nil {
		return c.Direct.Folder, nil
	}
	return "", nil
}

// resolve resolves a folder relative to the thread's own, unless it is absolute.
func (t *Table) resolve(ctx context.Context, g *given, path string) (string, error) {
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, "~") {
		from, err := t.folder(ctx, g)
		if err != nil {
			return "", err
		}
		if from != "" {
			path = filepath.Join(from, path)
		}
	}
	return t.ports.Sessions.Folder(ctx, path)
}

func doCD(ctx context.Context, t *Table, g given) (Reply, error) {
	path, rest, ok := cutWord(g.text)
	if !ok || rest != "" {
		return Reply{}, errUsage
	}
	if g.Thread != nil && g.Thread.Mirror {
		return Reply{Text: "This thread shares a session from Parley, so its folder cannot change. Start a new thread to use another folder."}, nil
	}
	path, err := t.resolve(ctx, &g, path)
	if err != nil {
		return Reply{}, err
	}
	said := ":file_folder: The folder is set to " + code(path) + "."
	if g.Thread != nil && g.Thread.SessionID != "" {
		said += " It applies to the next session: " + code("!stop") + " ends this one."
	} else {
		said += " The next message starts a session there."
	}
	return Reply{Text: said, Folder: path}, nil
}

// modeWords describe what a permission mode allows.
func modeWords(mode, guard string) string {
	switch mode {
	case "acceptEdits":
		return "file edits are allowed; everything else is asked about"
	case "plan":
		return "nothing changes until a plan is approved"
	case "auto":
		return "the CLI decides what is safe"
	case "dontAsk":
		return "denies anything not already allowed, without asking"
	case "bypassPermissions":
		return "everything is allowed, without asking"
	}
	if guard == choice.GuardStatic || guard == choice.GuardReviewed {
		return "safe actions are allowed; everything else is asked about"
	}
	return "asks about anything no rule allows"
}

func doPermissions(ctx context.Context, t *Table, g given) (Reply, error) {
	lines := []string{"#### :lock: Permissions"}
	if g.Thread == nil || g.Thread.SessionID == "" {
		lines = append(lines, "There is no active session in this thread.")
	} else {
		s, err := t.session(ctx, &g)
		if err != nil {
			return Reply{}, err
		}
		mode := s.PermissionMode
		if mode == "" {
			mode = "default"
		}
		lines = append(lines, "- **Mode:** "+code(mode)+" — "+modeWords(mode, s.Guard))
		if s.Guard != "" && s.Guard != "off" {
			lines = append(lines, "- **Auto-approve:** "+code(s.Guard))
		}
		lines = append(lines, t.openQuestions(s.ID)...)
	}
	lines = append(lines, "", "People with the role approve answer with :+1: (once), :white_check_mark: (always, within the rule shown), :-1:, or a reply with a reason. "+
		code("!mode")+" changes the mode. You have the role "+code(string(g.Role))+" here.")
	return Reply{Text: strings.Join(lines, "\n")}, nil
}

func (t *Table) openQuestions(sessionID string) []string {
	if t.ports.Desk == nil {
		return nil
	}
	open := t.ports.Desk.Open(sessionID)
	lines := []string{fmt.Sprintf("- **Open questions:** %d", len(open))}
	for _, q := range open[:min(len(open), 10)] {
		lines = append(lines, "  - "+code(q.ToolName)+" since "+moment(q.AskedAt))
	}
	return lines
}

// modes returns the modes that a session can have; "guarded" is Parley's own.
func modes() []string { return append(choice.Modes(), guarded) }

const guarded = "guarded"

// oneOf finds an element of a list, ignoring case.
func oneOf(list []string, said string) (string, bool) {
	i := slices.IndexFunc(list, func(s string) bool { return strings.EqualFold(s, said) })
	if i < 0 {
		return "", false
	}
	return list[i], true
}

func doMode(ctx context.Context, t *Table, g given) (Reply, error) {
	if g.text == "" {
		return doPermissions(ctx, t, g)
	}
	word, rest, _ := cutWord(g.text)
	mode, ok := oneOf(modes(), word)
	if !ok || rest != "" {
		return Reply{Text: "The modes are " + list(modes()) + "."}, nil
	}
	set, guard := mode, ""
	switch mode {
	case guarded:
		set, guard = "default", choice.GuardStatic
	case "default":
		guard = choice.GuardOff
	}
	if err := t.ports.Sessions.SetMode(ctx, g.Thread.SessionID, set, guard); err != nil {
		return Reply{}, err
	}
	return Reply{Text: ":lock: The mode is " + code(mode) + ": " + modeWords(set, guard) + "."}, nil
}

// list formats several names as code.
func list(names []string) string {
	coded := make([]string, len(names))
	for i, n := range names {
		coded[i] = code(n)
	}
	return strings.Join(coded, ", ")
}

// maxModels bounds the listed models.
const maxModels = 30

func doModel(ctx context.Context, t *Table, g given) (Reply, error) {
	s, err := t.session(ctx, &g)
	if err != nil {
		return Reply{}, err
	}
	names, err := t.ports.Sessions.Models(ctx, s.CWD)
	if err != nil {
		return Reply{}, err
	}
	names = names[:min(len(names), maxModels)]
	if g.text == "" {
		said := "The model is " + code(s.Model) + "."
		if s.Model == "" {
			said = "The model is the CLI's default."
		}
		if len(names) > 0 {
			said += " There are " + list(names) + "."
		}
		return Reply{Text: said}, nil
	}
	name, rest, _ := cutWord(g.text)
	if rest != "" || len(name) > maxTitle {
		return Reply{}, errUsage
	}
	if known, ok := oneOf(names, name); ok {
		name = known
	}
	if err := t.ports.Sessions.SetModel(ctx, s.ID, name); err != nil {
		return Reply{}, err
	}
	said := "The model is " + code(name) + " from the next answer on."
	if len(names) > 0 && !slices.Contains(names, name) {
		said += " The CLI does not list it. It lists: " + list(names) + "."
	}
	return Reply{Text: said}, nil
}

func doEffort(ctx context.Context, t *Table, g given) (Reply, error) {
	s, err := t.session(ctx, &g)
	if err != nil {
		return Reply{}, err
	}
	if g.text == "" {
		return Reply{Text: "The effort is " + code(s.Effort) + ". There are " + list(choice.Efforts()) + "."}, nil
	}
	effort, ok := oneOf(choice.Efforts(), g.text)
	if !ok {
		return Reply{Text: "The efforts are " + list(choice.Efforts()) + "."}, nil
	}
	if err := t.ports.Sessions.SetEffort(ctx, s.ID, effort); err != nil {
		return Reply{}, err
	}
	return Reply{Text: "The effort is " + code(effort) + " from now on."}, nil
}

// nameOf returns a session's display name.
func nameOf(s *event.Session) string {
	if s.Title == "" {
		return "a session without a title"
	}
	return "“" + post.Escape(post.OneLine(s.Title)) + "”"
}

func doRename(ctx context.Context, t *Table, g given) (Reply, error) {
	title := post.OneLine(free(g.text))
	if title == "" {
		return Reply{}, errUsage
	}
	s, err := t.ports.Sessions.Rename(ctx, g.Thread.SessionID, post.Truncate(title, maxTitle))
	if err != nil {
		return Reply{}, err
	}
	return Reply{Text: "The session is called " + nameOf(&s) + "."}, nil
}

func doFork(ctx context.Context, t *Table, g given) (Reply, error) {
	s, err := t.ports.Sessions.Fork(ctx, g.Thread.SessionID, post.Truncate(post.OneLine(free(g.text)), maxTitle))
	if err != nil {
		return Reply{}, err
	}
	return Reply{Text: ":twisted_rightwards_arrows: " + nameOf(&s) + " continues from here. This thread stays with its session.", Show: s.ID}, nil
}
