package outside

import (
	"bytes"
	"encoding/json"
	"slices"

	"parley/backend/choice"
)

// Widens reports whether a value of a field widens another. Both are JSON; a
// missing value is nil.
type Widens func(was, is json.RawMessage) bool

// free never widens, always does with every other value.
func free(json.RawMessage, json.RawMessage) bool   { return false }
func always(json.RawMessage, json.RawMessage) bool { return true }

// on widens when it is switched on.
func on(_, is json.RawMessage) bool { return string(bytes.TrimSpace(is)) != "false" }

// further widens if a word is further right in the list than the previous one, or not in it.
func further(words ...string) Widens {
	return func(was, is json.RawMessage) bool {
		i, j := slices.Index(words, wordOf(was)), slices.Index(words, wordOf(is))
		return j < 0 || i < 0 || j > i
	}
}

func wordOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "\x00"
	}
	return s
}

// more widens with a higher number; with zeroIsNone, zero means no limit.
func more(zeroIsNone bool) Widens {
	return func(was, is json.RawMessage) bool {
		var a, b float64
		if json.Unmarshal(was, &a) != nil || json.Unmarshal(is, &b) != nil {
			return true
		}
		if zeroIsNone && (a == 0 || b == 0) {
			return b == 0
		}
		return b > a
	}
}

// fewer widens if an entry of a list is missing.
func fewer(was, is json.RawMessage) bool {
	var a, b []string
	if json.Unmarshal(was, &a) != nil || json.Unmarshal(is, &b) != nil {
		return true
	}
	return slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// laxer reports whether a permission mode allows more than another. "" leaves the choice to
// others: as the old value it counts as the usual mode, as the new one as the laxest.
func laxer(was, is string) bool {
	if was == "" {
		was = "default"
	}
	return choice.Modes().Beyond(is, was)
}

func mode(was, is json.RawMessage) bool { return laxer(wordOf(was), wordOf(is)) }

// SettingsTable has a row for each field of settings.json.
func SettingsTable() map[string]Widens {
	return map[string]Widens{
		// What runs, and what is allowed without asking.
		"cliPath": always, "editor": always, "engine": always, "model": always, "reviewerModel": always,
		"permissionMode": mode, "guard": further(choice.Guards()...), "allowUnrecorded": on,
		"toolsOff": fewer, "startAtLogin": on,
		// What it may cost.
		"suggestions": on, "budgetDayUSD": more(true), "budgetMonthUSD": more(true), "budgetDayTokens": more(true), "budgetMonthTokens": more(true),
		// Who is talked to, and what wakes a session.
		"natsUrl": always, "natsCredentials": always, "roomNick": always, "roomHours": more(false),
		"roomWake": further("off", "mention", "any"), "roomTurnsPerHour": more(true), "roomMaxHops": more(true),
		// Who gets access.
		"browserPort": more(true),
		// What is added to prompts.
		"memoryInject": on, "memoryBudgetTokens": more(false),
		// Appearance, keys (those that answer a request cannot be chosen), notifications,
		// and settings that only end something earlier or later.
		"theme": free, "shortcuts": free, "menuBar": free, "language": free, "scheme": free, "accent": free, "font": free, "codeFont": free, "fontSize": free,
		"codeFontSize": free, "density": free, "zoom": free, "notifyDone": free, "notifyAfterSeconds": free, "notifyQuestion": free,
		"notifyFailure": free, "doNotDisturbUntil": free, "showTray": free, "closeToTray": free, "closeWhileWorking": free, "whileBusy": free,
		"questionTimeoutHours": free, "suspendMinutes": free, "recentFolders": free,
	}
}

// Settings are the fields that widen between two states of settings.json, by their names.
func Settings(was, is map[string]json.RawMessage) []Change {
	table := SettingsTable()
	var list []Change
	for _, name := range keysOf(was, is) {
		if same(was[name], is[name]) {
			continue
		}
		if w := table[name]; w == nil || w(was[name], is[name]) {
			list = append(list, Change{Field: name, Was: string(was[name]), Is: string(is[name])})
		}
	}
	return list
}

func same(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	if a == nil || b == nil || json.Compact(&x, a) != nil || json.Compact(&y, b) != nil {
		return a == nil && b == nil
	}
	return bytes.Equal(x.Bytes(), y.Bytes())
}

func keysOf(maps ...map[string]json.RawMessage) []string {
	var list []string
	for _, m := range maps {
		for k := range m {
			list = append(list, k)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
