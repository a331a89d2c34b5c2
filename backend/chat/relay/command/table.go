package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"parley/backend/chat/relay/port"
	"parley/backend/fault"
)

// Table is the set of commands with their ports. Its methods may be called from any
// goroutine.
type Table struct {
	ports Ports
	rows  []row
	seen  seen
}

// New returns the table of all commands with p.
func New(p Ports) *Table { return &Table{ports: p, rows: rows()} }

// row is one form of a command. Parsing, help and access use it.
type row struct {
	// name is the command's, with its aliases.
	name    string
	aliases []string
	// sub is the word that selects this form, "" for the plain one, anyText for one
	// that takes everything else; at is the word's position.
	sub string
	at  int
	// form is the syntax after the name as help shows it, and help a line about it.
	form, help string
	need       port.ChatRole
	// session is true if the thread must have a session.
	session bool
	// run gets the call's text, without the sub.
	run func(ctx context.Context, t *Table, c given) (Reply, error)
}

// anyText is the sub of a form that takes any text.
const anyText = "*"

// given is a resolved call.
type given struct {
	In
	row *row
	// text is the argument text as typed, without the word that selected the form; arg
	// is the word before that.
	text, arg string
	// shown is the fingerprint of what a reaction answers.
	shown string
}

// errUsage means that the syntax is wrong.
var errUsage = errors.New("it is written another way")

// forms returns the rows of a name or alias.
func (t *Table) forms(name string) []*row {
	var list []*row
	for i := range t.rows {
		if r := &t.rows[i]; r.name == name || slices.Contains(r.aliases, name) {
			list = append(list, r)
		}
	}
	return list
}

// find returns a call's form, nil if there is none.
func (t *Table) find(c Call) (*row, given) {
	forms := t.forms(c.Name)
	if len(forms) == 0 {
		return nil, given{}
	}
	g := given{text: c.Text, shown: c.shown}
	if forms[0].at > 0 {
		var ok bool
		if g.arg, g.text, ok = cutWord(c.Text); !ok {
			return nil, given{}
		}
	}
	word, rest, _ := cutWord(g.text)
	if _, isQuoted := quoted(g.text); isQuoted {
		word = ""
	}
	for _, r := range forms {
		if r.sub != "" && r.sub != anyText && strings.EqualFold(r.sub, word) {
			g.row, g.text = r, rest
			return r, g
		}
	}
	for _, r := range forms {
		// "!kill the process" isn't a command to kill the session.
		plain := r.sub == "" && (g.text == "" || r.form != "" && len(forms) == 1)
		if plain || r.sub == anyText && g.text != "" {
			g.row = r
			return r, g
		}
	}
	return nil, given{}
}

// Need returns the role that a call requires. An unknown command requires the
// lowest.
func (t *Table) Need(c Call) port.ChatRole {
	if r, _ := t.find(c); r != nil {
		return r.need
	}
	return port.RoleWatch
}

// Run runs a call. Errors are faults with readable sentences; a user's mistakes are in
// the reply.
func (t *Table) Run(ctx context.Context, c Call, in In) (Reply, error) {
	r, g := t.find(c)
	if r == nil {
		return Reply{Text: t.unknown(c)}, nil
	}
	g.In = in
	if r.session && (in.Thread == nil || in.Thread.SessionID == "") {
		if in.Hidden {
			return Reply{Text: hiddenSession}, nil
		}
		return Reply{Text: noSession}, nil
	}
	reply, err := r.run(ctx, t, g)
	if in.Hidden && (reply.Prompt != "" || reply.Folder != "") {
		return Reply{Text: hiddenSession}, nil
	}
	switch f := (*fault.Error)(nil); {
	case errors.Is(err, errUsage):
		return Reply{Text: t.usage(r.name)}, nil
	case err == nil, errors.As(err, &f), ctx.Err() != nil:
		return reply, err
	}
	if said, ok := terminalSaid(err); ok {
		return Reply{Text: said}, nil
	}
	return Reply{}, fmt.Errorf("command %s: %w", r.name, err)
}

const (
	noSession     = "There is no active session in this thread. Send a message to start one."
	hiddenSession = "Mirroring of this session is paused, so nothing happened. Resume mirroring in Parley to continue here."
)

// unknown answers an unknown command with the nearest known one.
func (t *Table) unknown(c Call) string {
	if len(t.forms(c.Name)) > 0 {
		return t.usage(t.forms(c.Name)[0].name)
	}
	best, distance := "", 0
	for i := range t.rows {
		for _, name := range append([]string{t.rows[i].name}, t.rows[i].aliases...) {
			if d := levenshtein.ComputeDistance(c.Name, name); best == "" || d < distance {
				best, distance = name, d
			}
		}
	}
	said := "There is no command " + code("!"+c.Name) + "."
	if distance <= max(2, len(c.Name)/3) {
		return said + " Did you mean " + code("!"+best) + "?"
	}
	return said + " " + code("!help") + " lists them all."
}

// usage describes a command's syntax.
func (t *Table) usage(name string) string {
	lines := []string{"Usage:"}
	for _, r := range t.forms(name) {
		lines = append(lines, "- "+code(strings.TrimSpace("!"+r.name+" "+r.form))+": "+r.help)
	}
	return strings.Join(lines, "\n")
}

// help lists all commands, marking those that the role doesn't permit.
func (t *Table) help(role port.ChatRole) string {
	var b strings.Builder
	b.WriteString("#### :books: Commands\n| Command | What it does | Needs |\n|:--|:--|:--|\n")
	for i := range t.rows {
		r := &t.rows[i]
		form := code(strings.TrimSpace("!" + r.name + " " + r.form))
		for _, alias := range r.aliases {
			if r.sub != "" {
				break
			}
			form += ", " + code("!"+alias)
		}
		needs := string(r.need)
		if !reaches(role, r.need) {
			needs += " :lock:"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(form), cell(r.help), needs)
	}
	b.WriteString("\nReactions to a post of mine: :octagonal_sign: is `!stop`, :skull: is `!kill`, :warning: is `!escape`. " +
		"On a terminal's request, :white_check_mark: approves, :x: denies, and :one: to :nine: choose.\n" +
		"Command text never reaches a shell.")
	return b.String()
}

// roles returns them in order.
func roles() []port.ChatRole {
	return []port.ChatRole{port.RoleNone, port.RoleWatch, port.RolePrompt, port.RoleApprove, port.RoleAdmin}
}

func reaches(has, needs port.ChatRole) bool {
	return slices.Index(roles(), has) >= slices.Index(roles(), needs)
}
