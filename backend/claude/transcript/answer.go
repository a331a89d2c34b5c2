package transcript

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"maps"
	"math"
	"slices"

	"github.com/tidwall/gjson"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/usage"
)

// Answer returns the usage of the model's answer that a line is a part of, and
// false for other lines. The lines of one answer have the same key; lines written
// before the answer was complete report less than the last.
func (l *Line) Answer() (usage.Answer, bool) {
	if l.Type != "assistant" {
		return usage.Answer{}, false
	}
	model := l.Model()
	if model == "" {
		return usage.Answer{}, false
	}
	u := lastMember(l.message, `"usage":`)
	if u == nil {
		u = member(l.message, "usage")
	}
	a := usage.Answer{Key: answerKey(l.MessageID, str(l.request)), Session: str(l.session), At: l.At(), Model: usage.TrimWindowSuffix(model)}
	members(u, func(key, v []byte) bool {
		switch string(key) {
		case "input_tokens":
			a.Tokens.InputTokens = count(v)
		case "cache_read_input_tokens":
			a.Tokens.CacheReadTokens = count(v)
		case "cache_creation_input_tokens":
			a.Tokens.CacheCreationTokens = count(v)
		case "output_tokens":
			a.Tokens.OutputTokens = count(v)
		}
		return true
	})
	return a, usage.Sum(a.Tokens) > 0
}

// lastMember returns the value of a member near the end of an object without
// scanning what is before it; nil if uncertain. key includes its quotes and the
// colon, which no string can contain.
func lastMember(obj []byte, key string) []byte {
	at := bytes.LastIndex(obj, []byte(key))
	if at < 0 {
		return nil
	}
	at += len(key)
	end := skip(obj, at)
	// It belongs to the object itself, and not to a nested one, if only members
	// follow.
	for i := end; i > 0 && i < len(obj); {
		switch obj[i] {
		case '}':
			if i == len(obj)-1 {
				return obj[at:end]
			}
			return nil
		case ',':
			if i = blank(obj, i+1); i >= len(obj) || obj[i] != '"' {
				return nil
			}
			if i = skipString(obj, i); i < 0 || i >= len(obj) || obj[i] != ':' {
				return nil
			}
			i = skip(obj, i+1)
		default:
			return nil
		}
	}
	return nil
}

// count reads a number of tokens. Invalid values are 0.
func count(raw []byte) int64 {
	n := gjson.ParseBytes(raw).Num
	if n < 0 || n > 1<<40 || math.IsNaN(n) {
		return 0
	}
	return int64(n)
}

// answerKey is the same in every process, because it is stored.
func answerKey(message, request string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(message))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write([]byte(request))
	return h.Sum64()
}

// Reported returns the running totals that the CLI wrote when it ended, and
// false on all other lines.
func (l *Line) Reported() ([]event.ModelTotal, bool) {
	total, ok := l.TotalCost()
	if !ok {
		return nil, false
	}
	var models map[string]wire.ModelUsage
	if json.Unmarshal(l.models, &models) != nil {
		models = nil
	}
	return modelTotals(total, models), true
}

// modelTotals returns the running totals of a report, by model. The part not
// covered by models has no name.
func modelTotals(total float64, models map[string]wire.ModelUsage) []event.ModelTotal {
	const cent = 1e-9 // less than the CLI's own rounding
	if math.IsNaN(total) || math.IsInf(total, 0) || total < 0 {
		return nil
	}
	byName := map[string]event.ModelTotal{}
	rest := total
	for name, u := range models {
		if math.IsNaN(u.CostUSD) || math.IsInf(u.CostUSD, 0) || u.CostUSD < 0 {
			continue
		}
		name = usage.TrimWindowSuffix(name)
		t := byName[name]
		byName[name] = event.ModelTotal{
			Model: name, USD: t.USD + u.CostUSD,
			Tokens: t.Tokens + max(0, u.InputTokens) + max(0, u.OutputTokens) + max(0, u.CacheReadInputTokens) + max(0, u.CacheCreationInputTokens),
		}
		rest -= u.CostUSD
	}
	if rest > cent {
		byName[""] = event.ModelTotal{USD: rest}
	}
	list := make([]event.ModelTotal, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, byName[name])
	}
	return list
}
