package desktop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A menuMessage is a message from the page about the window's menus: one of its fields.
type menuMessage struct {
	// Context is the content of the next context menu.
	Context *[]menuEntry `json:"context"`
	Bar     *menuBar     `json:"bar"`
	// Look has the page's colors.
	Look *menuLook `json:"look"`
}

// A menuBar is the whole menu bar. If it is not Shown, it only appears while in use.
type menuBar struct {
	Menus []menuEntry `json:"menus"`
	Shown bool        `json:"shown"`
}

// A menuEntry without an id is a separator; with entries it is a submenu.
type menuEntry struct {
	ID string `json:"id"`
	// Label has an underscore before its mnemonic, and two for a literal one.
	Label   string `json:"label"`
	Enabled bool   `json:"enabled"`
	// Keys are in the page's notation ("Mod+Shift+K"), Shown is for display.
	Keys  string `json:"keys"`
	Shown string `json:"shown"`
	// Kind is "", "check" or "radio"; the latter two may be Checked.
	Kind    string      `json:"kind"`
	Checked bool        `json:"checked"`
	Entries []menuEntry `json:"entries"`
}

// menuLook has colors as #rrggbb.
type menuLook struct {
	Back   string `json:"back"`
	Raised string `json:"raised"`
	Text   string `json:"text"`
	Dim    string `json:"dim"`
	Faint  string `json:"faint"`
	Hover  string `json:"hover"`
	Line   string `json:"line"`
}

// Limits on messages from the page; real ones are far smaller.
const (
	maxMenuMessage = 256 << 10
	maxMenuEntries = 500
	maxMenuLabel   = 200
	maxMenuDepth   = 3
)

// readMenuMessage parses a message from the page, and rejects invalid menus.
func readMenuMessage(message string) (menuMessage, error) {
	var m menuMessage
	if len(message) > maxMenuMessage {
		return m, errors.New("the message is too long")
	}
	d := json.NewDecoder(bytes.NewReader([]byte(message)))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, err
	}
	if m.Look != nil {
		if err := m.Look.check(); err != nil {
			return m, err
		}
	}
	left := maxMenuEntries
	if m.Context != nil {
		if err := checkEntries(*m.Context, 1, &left); err != nil {
			return m, err
		}
	}
	if m.Bar != nil {
		return m, checkEntries(m.Bar.Menus, maxMenuDepth, &left)
	}
	return m, nil
}

func checkEntries(entries []menuEntry, depth int, left *int) error {
	if *left -= len(entries); *left < 0 || depth == 0 && len(entries) > 0 {
		return errors.New("there are too many entries")
	}
	for _, e := range entries {
		if len(e.ID) > maxMenuLabel || len(e.Label) > maxMenuLabel || strings.ContainsRune(e.ID+e.Label, 0) {
			return fmt.Errorf("the entry %.20q cannot be shown", e.Label)
		}
		if err := checkEntries(e.Entries, depth-1, left); err != nil {
			return err
		}
	}
	return nil
}

// sameMenus reports whether two menu bars differ only in what is enabled and checked.
func sameMenus(a, b []menuEntry) bool {
	return slices.EqualFunc(a, b, func(a, b menuEntry) bool {
		return a.ID == b.ID && a.Label == b.Label && a.Keys == b.Keys && a.Shown == b.Shown && a.Kind == b.Kind && sameMenus(a.Entries, b.Entries)
	})
}

// accelerator converts the page's keys to GTK's notation, "" for unknown keys.
func accelerator(keys string) string {
	if keys == "" {
		return ""
	}
	parts := strings.Split(keys, "+")
	var b strings.Builder
	for _, modifier := range parts[:len(parts)-1] {
		name, known := map[string]string{"Mod": "<Control>", "Ctrl": "<Control>", "Alt": "<Alt>", "Shift": "<Shift>"}[modifier]
		if !known {
			return ""
		}
		b.WriteString(name)
	}
	key := parts[len(parts)-1]
	if name, known := map[string]string{
		"Esc": "Escape", "Enter": "Return", "Space": "space", "Backspace": "BackSpace", "PageUp": "Page_Up", "PageDown": "Page_Down",
		"Plus": "plus", "Minus": "minus", ",": "comma", ".": "period", "/": "slash", "\\": "backslash", ";": "semicolon", "'": "apostrophe",
		"[": "bracketleft", "]": "bracketright", "`": "grave", "#": "numbersign",
	}[key]; known {
		key = name
	} else if len(key) == 1 {
		key = strings.ToLower(key)
	}
	return b.String() + key
}

var colour = regexp.MustCompile(`^#[0-9a-f]{6}$`)

func (l menuLook) check() error {
	for _, c := range []string{l.Back, l.Raised, l.Text, l.Dim, l.Faint, l.Hover, l.Line} {
		if !colour.MatchString(c) {
			return fmt.Errorf("%.20q is no colour", c)
		}
	}
	return nil
}

// css is the look as GTK CSS, with the colors and sizes of the page's own menus.
func (l menuLook) css() string {
	return strings.NewReplacer(
		"$back", l.Back, "$raised", l.Raised, "$text", l.Text, "$dim", l.Dim, "$faint", l.Faint, "$hover", l.Hover, "$line", l.Line,
	).Replace(menuCSS)
}

const menuCSS = `
menubar { background: $back; color: $text; border: none; box-shadow: inset 0 -1px $line; padding: 2px 4px 3px; }
menubar > menuitem { color: $text; padding: 3px 8px; border: none; border-radius: 5px; box-shadow: none; }
menubar > menuitem:hover { background: $hover; color: $text; box-shadow: none; }
menu, .context-menu { background: $raised; color: $text; border: 1px solid $line; border-radius: 0; padding: 4px; }
menu menuitem { color: $text; padding: 5px 8px; border-radius: 5px; text-shadow: none; }
menu menuitem:hover { background: $hover; color: $text; }
menu menuitem:disabled, menu menuitem:disabled label { color: $faint; }
menu menuitem arrow, menu menuitem check, menu menuitem radio { color: $dim; }
menu menuitem .accelerator, menu menuitem accelerator { color: $dim; }
menu menuitem:disabled .accelerator, menu menuitem:disabled accelerator { color: $faint; }
menu separator { background: $line; min-height: 1px; margin: 4px 8px; }
`
