package usage

import (
	"cmp"
	"slices"

	"parley/backend/event"
)

// Answer is the usage of one answer of the model: one call of the API.
type Answer struct {
	// Key is derived from the API's ids of message and request: it is the same wherever the
	// answer is repeated.
	Key uint64
	// Session is the CLI's id of the conversation.
	Session string
	// At is in Unix milliseconds, 0 when unknown.
	At     int64
	Model  string
	Tokens event.Usage
}

// Sum is all tokens of a usage, including those read from a cache.
func Sum(u event.Usage) int64 {
	return u.InputTokens + u.CacheReadTokens + u.CacheCreationTokens + u.OutputTokens
}

// Add sums two usages.
func Add(a, b event.Usage) event.Usage {
	return event.Usage{
		InputTokens: a.InputTokens + b.InputTokens, CacheReadTokens: a.CacheReadTokens + b.CacheReadTokens,
		CacheCreationTokens: a.CacheCreationTokens + b.CacheCreationTokens, OutputTokens: a.OutputTokens + b.OutputTokens,
	}
}

// Row is what was used. Fields that rows were not grouped by are "".
type Row struct {
	Day, SessionID, WorkspaceID, Model string

	Answers int64
	Tokens  event.Usage
	// CostUSD is the cost that the CLI reported, in dollars; Priced is the number of tokens it covers.
	CostUSD float64
	Priced  int64
}

// unpricedPart is the share of the tokens below which a difference to the CLI's
// report is ignored: the two end at different moments.
const unpricedPart = 0.02

// Unpriced is the number of tokens without a reported price. The CLI also reports calls
// that no conversation shows, so it may report more than there are.
func (r *Row) Unpriced() int64 {
	sum := Sum(r.Tokens)
	if rest := sum - r.Priced; rest > 0 && (r.Priced == 0 || float64(rest) > unpricedPart*float64(sum)) {
		return rest
	}
	return 0
}

// By selects the fields that rows are grouped by.
type By struct{ Day, Session, Workspace, Model bool }

// Group sums rows. With days they are sorted by day, otherwise by tokens, most first.
func Group(rows []Row, by By) []Row {
	type key struct{ day, session, workspace, model string }
	at := make(map[key]int)
	var out []Row
	for _, r := range rows {
		k := key{when(by.Day, r.Day), when(by.Session, r.SessionID), when(by.Workspace, r.WorkspaceID), when(by.Model, r.Model)}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, Row{Day: k.day, SessionID: k.session, WorkspaceID: k.workspace, Model: k.model})
		}
		t := &out[i]
		t.Answers += r.Answers
		t.Tokens = Add(t.Tokens, r.Tokens)
		t.CostUSD += r.CostUSD
		t.Priced += r.Priced
	}
	slices.SortFunc(out, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(Sum(b.Tokens), Sum(a.Tokens)), cmp.Compare(b.CostUSD, a.CostUSD),
			cmp.Compare(a.SessionID, b.SessionID), cmp.Compare(a.WorkspaceID, b.WorkspaceID), cmp.Compare(a.Model, b.Model))
	})
	return out
}

func when(wanted bool, value string) string {
	if wanted {
		return value
	}
	return ""
}
