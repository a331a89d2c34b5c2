package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"parley/backend/chat/relay/port"
	"parley/backend/tmux"
)

func doPaneChoose(ctx context.Context, t *Table, g given) (Reply, error) {
	n, err := strconv.Atoi(strings.TrimSpace(g.text))
	if err != nil || n < 1 || n > 9 {
		return Reply{}, errUsage
	}
	return t.answer(ctx, &g, fmt.Sprintf(":white_check_mark: Chose option %d", n), func(shown string) (tmux.Screen, error) {
		if !reaches(g.Role, port.RoleAdmin) {
			s, err := t.ports.Terminals.Screen(ctx, g.arg, 1)
			switch {
			case err != nil:
				return s, err
			case s.Fingerprint != shown:
				return s, tmux.ErrOther
			case lasting(s.Options, n):
				return s, errLasting
			}
		}
		return t.ports.Terminals.Choose(ctx, g.arg, shown, n)
	})
}

// errLasting: a choice requires a higher role.
var errLasting = errors.New("it allows more than this once")

// lasting reports whether an option allows more than this one request: another mode, a
// rule, a trusted folder. That requires an administrator, as for sessions.
func lasting(options []tmux.Option, n int) bool {
	for _, o := range options {
		if o.Number == n {
			label := strings.ToLower(o.Label)
			return strings.HasPrefix(label, "yes") && label != "yes" || strings.HasPrefix(label, "always")
		}
	}
	return false
}
