package doctor

import (
	"context"
	"errors"
	"io/fs"
	"strings"
)

// lines are the checkup's findings.
type lines struct {
	said []line
	err  error
}

type line struct{ level, what, says string }

// checked runs the checkup once for all checks.
func (m *Machine) checked() *lines {
	if m.lines == nil {
		m.lines = &lines{}
		_, m.lines.err = m.Checkup(false, func(level, what, says string) { m.lines.said = append(m.lines.said, line{level, what, says}) })
	}
	return m.lines
}

// dataChecks forward the checkup's findings about all stored data.
func dataChecks() []check {
	// The checkup knows what is safe to repair; it needs exclusive access to the folder.
	repair := func(_ context.Context, m *Machine) error {
		_, err := m.Checkup(true, func(string, string, string) {})
		return err
	}
	return []check{
		kept("data.store", "store", "Titles, drafts, rules, and folder decisions are stored in one database.", "parley restore --list", nil),
		kept("data.audit", "audit", "All requests and answers are in a tamper-evident log.", "For details, run: parley audit verify", nil),
		kept("data.settings", "settings.json", "Invalid settings are ignored.", "Fix the file, or use Settings.", nil),
		kept("data.heartbeats", "heartbeats.yaml", "Heartbeats with errors don't run, or run in the version you accepted last.", "Fix the line.", nil),
		kept("data.chat", "chat.json", "Without it, no one in Mattermost has access.", "Fix the file, or connect again in Settings.", nil),
		kept("data.memory", "memory", "Memory is stored in files that you can edit.", "Fix the file.", nil),
		kept("data.attachments", "attachments", "Attachments of drafts and queued prompts must be unchanged.", "Quit Parley, then run: parley doctor --fix", repair),
		kept("data.index", "index", "The list of conversations is an index of those on disk.", "Quit Parley, then run: parley doctor --fix", repair),
		kept("data.conversations", "conversations", "Parley shows the transcripts that the CLI writes.", "Restore the files from a backup if you have one.", nil),
		kept("data.snapshots", "snapshots", "Only complete snapshots can be restored.", "Delete the incomplete ones.", nil),
		kept("data.rooms", "rooms", "Messages between sessions are stored in a database.", "Parley recreates it at the next start.", nil),
		kept("data.rules", "rules", "A rule that allows all uses of a program that runs others allows every command.", "Narrow or remove it in Permissions.", nil),
		kept("data.stopped", "stopped heartbeats", "A heartbeat that keeps failing is stopped.", "Fix the cause, then turn it on again in Heartbeats.", nil),
		kept("data.leftovers", "leftovers", "A crash leaves temporary files behind.", "Quit Parley, then run: parley doctor --fix", repair),
		kept("data.aside", "set aside", "Damaged files are moved aside for you to keep or delete.", "Delete what you don't need.", nil),
	}
}

// kept is a check that forwards the lines about one thing, with the worst level.
func kept(id, what, meaning, todo string, repair func(context.Context, *Machine) error) check {
	return check{id, meaning, func(_ context.Context, m *Machine) finding {
		l := m.checked()
		if errors.Is(l.err, fs.ErrNotExist) {
			return left("no data yet")
		}
		if l.err != nil {
			return found(Wrong, "Check the permissions of the data folder.", "it can't be checked: %s", sentence(l.err))
		}
		state, says := Skipped, []string{}
		for _, one := range l.said {
			if one.what != what {
				continue
			}
			now := map[string]State{"ok": OK, "note": Note, "WRONG": Wrong}[one.level]
			switch {
			case worse(now, state):
				state, says = now, []string{one.says}
			case now == state && len(says) < 5:
				says = append(says, one.says)
			}
		}
		switch state {
		case Skipped:
			return left("nothing stored")
		case OK:
			return fine("%s", says[0])
		}
		return found(state, todo, "%s", strings.Join(says, "; "))
	}, repair}
}

func worse(a, b State) bool {
	order := map[State]int{Skipped: 0, OK: 1, Note: 2, Warning: 3, Wrong: 4}
	return order[a] > order[b]
}
