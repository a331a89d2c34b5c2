package tray

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// IconState is one of the icons.
type IconState string

// The moods, by importance to the user.
const (
	Waiting IconState = "waiting"
	Failed  IconState = "failed"
	Working IconState = "working"
	Idle    IconState = "idle"
)

// Moods lists them all.
func Moods() []IconState { return []IconState{Idle, Working, Waiting, Failed} }

// IconStateOf is the icon of a state.
func IconStateOf(s State) IconState {
	switch {
	case len(s.Waiting) > 0:
		return Waiting
	case s.Failed+s.Retrying+s.stopped()+len(s.Warnings) > 0:
		return Failed
	case s.Running > 0:
		return Working
	}
	return Idle
}

// Item is one line of the menu.
type Item struct {
	// Place identifies the same position in any menu.
	Place string
	// Title is its label, "" for a separator.
	Title string
	// Off is true if it is disabled.
	Off bool
	// Check is true for a checkable item, Checked if it is checked.
	Check, Checked bool
	Action         Action
	Items          []Item
}

// Command is the action of a click.
type Command string

// The actions of clicks. The argument is a session ("" for none where it is to be shown), the name
// of a heartbeat, or the duration of "do not disturb": "hour", "tomorrow", "on", "off".
const (
	DoShow      Command = "show"
	DoQuit      Command = "quit"
	DoRun       Command = "run"
	DoResume    Command = "resume"
	DoPause     Command = "pause"
	DoResumeAll Command = "resumeAll"
	DoPauseAll  Command = "pauseAll"
	DoQuiet     Command = "quiet"
	DoMirror    Command = "mirror"
	DoUnmirror  Command = "unmirror"
)

// Action is a click's action and its argument.
type Action struct {
	Do  Command
	Arg string
}

// The places of the menu.
const (
	maxWaiting    = 8
	maxTrouble    = 4
	maxHeartbeats = 12
	maxMirrors    = 6
)

// Menu is the menu for a state. Common places of any two menus are in the same order.
func Menu(s State) []Item {
	w := wordsOf(s.Language)
	var items []Item
	add := func(i Item) { items = append(items, i) }

	add(Item{Place: "status", Title: status(s, w), Off: true})
	if n := len(s.Warnings); n > 0 {
		title := short(s.Warnings[0], 90)
		if n > 1 {
			title += " · " + w.more(n-1)
		}
		add(Item{Place: "warning", Title: title, Action: Action{Do: DoShow}})
	}
	if s.Problem != "" {
		add(Item{Place: "problem", Title: short(s.Problem, 90), Off: true})
	}
	for i, session := range s.Waiting[:min(len(s.Waiting), maxWaiting)] {
		title := short(session.Title, 60)
		if title == "" {
			title = w.untitled
		}
		add(Item{Place: fmt.Sprintf("waiting.%d", i), Title: title, Action: Action{DoShow, session.ID}})
	}
	if more := len(s.Waiting) - maxWaiting; more > 0 {
		add(Item{Place: "waiting.more", Title: w.more(more), Action: Action{Do: DoShow}})
	}

	for i, t := range s.Trouble[:min(len(s.Trouble), maxTrouble)] {
		title := short(t.Title, 40)
		if title == "" {
			title = w.untitled
		}
		add(Item{Place: fmt.Sprintf("trouble.%d", i), Title: title + " – " + w.trouble(t), Action: Action{DoShow, t.ID}})
	}

	add(Item{Place: "line.1"})
	if len(s.Heartbeats) == 0 {
		add(Item{Place: "heartbeats.none", Title: w.noHeartbeats, Off: true})
	}
	for i, h := range s.Heartbeats[:min(len(s.Heartbeats), maxHeartbeats)] {
		add(heartbeat(fmt.Sprintf("heartbeat.%d", i), h, s, w))
	}
	if more := len(s.Heartbeats) - maxHeartbeats; more > 0 {
		add(Item{Place: "heartbeats.more", Title: w.more(more), Action: Action{Do: DoShow}})
	}
	all := Item{Place: "heartbeats.all", Title: w.pauseAll, Off: len(s.Heartbeats) == 0, Action: Action{Do: DoPauseAll}}
	if s.Paused {
		all.Title, all.Off, all.Action = w.resumeAll, false, Action{Do: DoResumeAll}
	}
	add(all)

	add(Item{Place: "line.2"})
	add(mirrors(s, w))
	add(quiet(s, w))

	add(Item{Place: "line.3"})
	add(Item{Place: "open", Title: w.open, Action: Action{Do: DoShow}})
	add(Item{Place: "quit", Title: w.quit, Action: Action{Do: DoQuit}})
	return items
}

func heartbeat(place string, h Heartbeat, s State, w words) Item {
	when, ok := w.states[h.State]
	switch {
	case ok:
	case s.Paused:
		when = w.paused
	case h.Next > 0:
		when = w.when(s.Now, time.UnixMilli(h.Next).In(s.Now.Location()))
	default:
		when = w.states["over"]
	}
	change := Item{Place: place + ".change", Title: w.pause, Action: Action{DoPause, h.Name}}
	if h.State == "off" || h.State == "stopped" {
		change.Title, change.Action.Do = w.resume, DoResume
	}
	busy := h.State == "running" || h.State == "waiting"
	return Item{Place: place, Title: short(h.Name, 40) + " – " + when, Items: []Item{
		{Place: place + ".run", Title: w.run, Off: busy, Action: Action{DoRun, h.Name}},
		change,
	}}
}

// mirrors lists the newest sessions, and whether they are mirrored.
func mirrors(s State, w words) Item {
	item := Item{Place: "mirror", Title: w.mirror}
	none := Item{Place: "mirror.none", Title: w.mirror, Off: true}
	if s.Chat != "connected" {
		none.Title += " (" + w.unconnected + ")"
		return none
	}
	if len(s.Recent) == 0 {
		return none
	}
	on := 0
	for i, session := range s.Recent[:min(len(s.Recent), maxMirrors)] {
		title := short(session.Title, 50)
		if title == "" {
			title = w.untitled
		}
		one := Item{Place: fmt.Sprintf("mirror.%d", i), Title: title, Check: true, Checked: session.On, Action: Action{DoMirror, session.ID}}
		if session.On {
			on++
			one.Action.Do = DoUnmirror
		}
		item.Items = append(item.Items, one)
	}
	if on > 0 {
		item.Title += fmt.Sprintf(" (%d)", on)
	}
	return item
}

func quiet(s State, w words) Item {
	on := s.quiet()
	title := w.quiet
	if on && s.DoNotDisturbUntil > 0 {
		title = w.quietUntil(w.when(s.Now, s.quietEnd()))
	} else if on {
		title = w.quietOn
	}
	return Item{Place: "quiet", Title: title, Items: []Item{
		{Place: "quiet.hour", Title: w.quietFor["hour"], Action: Action{DoQuiet, "hour"}},
		{Place: "quiet.tomorrow", Title: w.quietFor["tomorrow"], Action: Action{DoQuiet, "tomorrow"}},
		{Place: "quiet.on", Title: w.quietFor["on"], Check: true, Checked: s.DoNotDisturbUntil == -1, Action: Action{DoQuiet, "on"}},
		{Place: "quiet.off", Title: w.quietFor["off"], Off: !on, Action: Action{DoQuiet, "off"}},
	}}
}

// Tooltip summarizes the state.
func Tooltip(s State) string {
	w := wordsOf(s.Language)
	text := "Parley: " + status(s, w)
	if s.quiet() {
		text += " · " + quiet(s, w).Title
	}
	return text
}

// status summarizes everything on one line.
func status(s State, w words) string {
	var parts []string
	if n := len(s.Waiting); n > 0 {
		parts = append(parts, w.waiting(n))
	}
	if n := s.Failed - s.Limited; n > 0 {
		parts = append(parts, w.failed(n))
	}
	if s.Limited > 0 {
		parts = append(parts, w.limited(s.Limited))
	}
	if s.Retrying > 0 {
		parts = append(parts, w.retrying(s.Retrying))
	}
	if n := s.stopped(); n > 0 {
		parts = append(parts, w.stopped(n))
	}
	if n := len(s.Warnings); n > 0 {
		parts = append(parts, w.warnings(n))
	}
	if s.Running > 0 {
		parts = append(parts, w.running(s.Running))
	}
	if len(parts) == 0 {
		return w.idle
	}
	return strings.Join(parts, " · ")
}

// until is how long the texts of a state stay valid: to the next time they mention, and past
// midnight at most.
func (s State) until() time.Duration {
	y, m, d := s.Now.Date()
	next := time.Date(y, m, d+1, 0, 0, 0, 0, s.Now.Location())
	for _, at := range []int64{s.DoNotDisturbUntil, s.PausedUntil} {
		if t := time.UnixMilli(at); at > 0 && t.After(s.Now) && t.Before(next) {
			next = t
		}
	}
	// A slightly slow clock would show the same again.
	return next.Sub(s.Now) + time.Second
}

// call is an action's API method, with its parameters.
func (a Action) call(now time.Time) (name string, params any) {
	type named struct {
		Name string `json:"name"`
	}
	type enabled struct {
		Name    string `json:"name"`
		Enabled bool   `json:"enabled"`
	}
	type paused struct {
		Paused bool `json:"paused"`
	}
	type until struct {
		At int64 `json:"doNotDisturbUntil"`
	}
	type mirrored struct {
		SessionID string `json:"sessionId"`
		On        bool   `json:"on"`
	}
	switch a.Do {
	case DoMirror, DoUnmirror:
		return "session.mirror", mirrored{a.Arg, a.Do == DoMirror}
	case DoRun:
		return "heartbeat.run", named{a.Arg}
	case DoResume, DoPause:
		return "heartbeat.enable", enabled{a.Arg, a.Do == DoResume}
	case DoResumeAll, DoPauseAll:
		return "heartbeat.pause", paused{a.Do == DoPauseAll}
	case DoQuiet:
		return "settings.set", until{quietUntil(a.Arg, now)}
	default:
		return "window.show", struct {
			SessionID string `json:"sessionId,omitempty"`
		}{a.Arg}
	}
}

// morning is the hour at which "tomorrow" starts.
const morning = 8

func quietUntil(arg string, now time.Time) int64 {
	switch arg {
	case "hour":
		return now.Add(time.Hour).UnixMilli()
	case "tomorrow":
		y, m, d := now.Date()
		return time.Date(y, m, d+1, morning, 0, 0, 0, now.Location()).UnixMilli()
	case "on":
		return -1
	}
	return 0
}

// actionsOf maps the clickable places of a menu to their actions.
func actionsOf(items []Item) map[string]Action {
	all := map[string]Action{}
	var walk func([]Item)
	walk = func(items []Item) {
		for _, i := range items {
			if i.Action.Do != "" && !i.Off {
				all[i.Place] = i.Action
			}
			walk(i.Items)
		}
	}
	walk(items)
	return all
}

// places is a menu with every place.
func places() []Item {
	s := State{
		Now: time.Unix(0, 0), Problem: "x", Warnings: []string{"x"}, Waiting: make([]Session, maxWaiting+1), Trouble: make([]Trouble, maxTrouble),
		Heartbeats: make([]Heartbeat, maxHeartbeats+1),
		Chat:       "connected", Recent: make([]Mirrored, maxMirrors),
	}
	items := Menu(s)
	// The places that only an empty menu has.
	var all []Item
	for _, item := range items {
		switch item.Place {
		case "heartbeat.0":
			all = append(all, Item{Place: "heartbeats.none", Title: "x", Off: true})
		case "mirror":
			all = append(all, Item{Place: "mirror.none", Title: "x", Off: true})
		}
		all = append(all, item)
	}
	return all
}

// short is a text on one line with at most this many characters, all of them visible.
func short(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, word := range strings.Fields(text) {
		word = strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return -1
		}, word)
		if word == "" {
			continue
		}
		if n > 0 {
			word = " " + word
		}
		for _, r := range word {
			if n == most {
				return strings.TrimRight(b.String(), " ") + "…"
			}
			b.WriteRune(r)
			n++
		}
	}
	return b.String()
}
