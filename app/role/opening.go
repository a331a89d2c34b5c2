package role

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/app/desktop"
)

// openingTime bounds how long the window's document waits for the page's initial data. The page
// requests anything that is missing.
const openingTime = 150 * time.Millisecond

// mostOpen bounds the conversations whose newest messages are included.
const mostOpen = 2

type caller = func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// Openings request the initial data of the window's page: its look, and the answers to its first
// calls, in the form in which the page makes them (frontend/src/store/create.ts and the modules it
// starts).
type Openings struct {
	call   caller
	log    *slog.Logger
	asking sync.WaitGroup
}

// First is the initial data for one load of the page.
func (o *Openings) First(ctx context.Context) desktop.First {
	late := time.NewTimer(openingTime)
	defer late.Stop()
	got := &answers{all: map[string]json.RawMessage{}}
	ask := func(method, params string) json.RawMessage {
		answer, err := o.call(ctx, method, json.RawMessage(params))
		if err != nil {
			o.log.Debug("Couldn't preload data for the page", "method", method, "err", err)
			return nil
		}
		got.put(method+" "+params, answer)
		return answer
	}
	asked := make(chan struct{})
	var look settingsLook
	var layout layoutLook
	if answer, err := o.call(ctx, "settings.get", json.RawMessage("{}")); err == nil {
		decode(answer, &look)
	}
	decode(ask("layout.get", `{"window":"main"}`), &layout)
	o.asking.Go(func() {
		defer close(asked)
		ask("session.list", `{"limit":200}`)
		for _, method := range []string{"permission.list", "style.get", "heartbeat.list", "room.list", "workspace.list", "library.status", "mattermost.get"} {
			ask(method, "{}")
		}
		for _, id := range layout.shown() {
			ask("session.history", fmt.Sprintf(`{"sessionId":%s,"limit":60}`, id))
			ask("draft.get", fmt.Sprintf(`{"sessionId":%s}`, id))
		}
		// The slowest, because it looks for the CLI.
		ask("app.info", "{}")
	})
	select {
	case <-asked:
	case <-late.C:
	case <-ctx.Done():
	}
	return desktop.First{Attributes: attributes(look, layout), Style: style(look, layout), Answers: got.take()}
}

// Begin requests in advance what takes long the first time.
func (o *Openings) Begin(ctx context.Context) {
	o.asking.Go(func() { _, _ = o.call(ctx, "app.info", json.RawMessage("{}")) })
}

// Wait returns when no request is running.
func (o *Openings) Wait() { o.asking.Wait() }

// answers are collected until they are taken.
type answers struct {
	mu  sync.Mutex
	all map[string]json.RawMessage
}

func (a *answers) put(name string, answer json.RawMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all != nil {
		a.all[name] = answer
	}
}

func (a *answers) take() map[string]json.RawMessage {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.all
	a.all = nil
	return all
}

// settingsLook are the settings that affect the page's look.
type settingsLook struct {
	Theme, Scheme, Accent, Language, Density, Font, CodeFont string
	FontSize, CodeFontSize, Zoom                             float64
}

// layoutLook is the part of the layout that is visible before any script runs.
type layoutLook struct {
	Layout struct {
		Panes []struct {
			Tabs   []json.RawMessage
			Active *string
		}
		Sidebar struct {
			Width     float64
			Collapsed bool
		}
	}
}

// shown are the visible sessions, as JSON.
func (l layoutLook) shown() []json.RawMessage {
	var ids []json.RawMessage
	for _, pane := range l.Layout.Panes {
		if pane.Active == nil || len(ids) == mostOpen {
			continue
		}
		if id, err := json.Marshal(*pane.Active); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

func (l layoutLook) tabs() bool {
	return slices.ContainsFunc(l.Layout.Panes, func(p struct {
		Tabs   []json.RawMessage
		Active *string
	}) bool {
		return len(p.Tabs) > 0
	})
}

// decode ignores invalid data: the page then has its default look.
func decode(answer json.RawMessage, to any) {
	if len(answer) > 0 {
		_ = json.Unmarshal(answer, to)
	}
}

// attributes and style match the page's own script (frontend/src/desk/theme.ts).
func attributes(s settingsLook, l layoutLook) map[string]string {
	a := map[string]string{"data-window": "native", "data-scheme": s.Scheme, "data-accent": s.Accent}
	if s.Theme == "light" || s.Theme == "dark" {
		a["data-theme"] = s.Theme
	}
	if s.Language != "system" {
		a["lang"] = s.Language
	}
	if l.Layout.Sidebar.Collapsed {
		a["data-sidebar"] = "hidden"
	}
	if l.tabs() {
		a["data-tabs"] = "shown"
	}
	return a
}

func style(s settingsLook, l layoutLook) string {
	var b strings.Builder
	if s.Zoom > 0 && s.Zoom != 100 {
		fmt.Fprintf(&b, "font-size:%gpx;", 16*s.Zoom/100)
	}
	scale := func(name string, size float64) {
		if size > 0 && size != 13 {
			fmt.Fprintf(&b, "%s:%g;", name, size/13)
		}
	}
	scale("--type-scale", s.FontSize)
	scale("--code-scale", s.CodeFontSize)
	if s.Density == "compact" {
		b.WriteString("--density:0.75;")
	}
	font := func(name, font, rest string) {
		// No font name contains characters that could end the value.
		if font != "" && !strings.ContainsAny(font, "\"\\<>{};\n\r\f") {
			fmt.Fprintf(&b, `%s:"%s", %s;`, name, font, rest)
		}
	}
	font("--font", s.Font, "system-ui, sans-serif")
	font("--mono", s.CodeFont, "ui-monospace, monospace")
	if width := l.Layout.Sidebar.Width; width > 0 {
		fmt.Fprintf(&b, "--sidebar:%gpx;", min(max(width, 200), 480))
	}
	if b.Len() == 0 {
		return ""
	}
	return ":root{" + b.String() + "}"
}
