package desktop

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestReadMenuMessage(t *testing.T) {
	many := `{"context":[` + strings.Repeat(`{"id":"a","label":"A"},`, maxMenuEntries) + `{"id":"a","label":"A"}]}`
	for _, tt := range []struct {
		name, message string
		ok            bool
	}{
		{"a context menu", `{"context":[{"id":"copyLink","label":"_Copy link","enabled":true},{"id":""},{"id":"paste","label":"Paste"}]}`, true},
		{"an empty one", `{"context":[]}`, true},
		{"a bar", `{"bar":{"shown":true,"menus":[{"id":"","label":"_File","entries":[{"id":"newSession","label":"New","keys":"Mod+N","shown":"Ctrl+N"},{"id":""}]}]}}`, true},
		{"a menu in a menu", `{"bar":{"shown":false,"menus":[{"id":"","label":"V","entries":[{"id":"","label":"T","entries":[{"id":"theme.light","label":"L","kind":"radio","checked":true}]}]}]}}`, true},
		{"a look", `{"look":{"back":"#fdfcfa","raised":"#ffffff","text":"#222120","dim":"#5a5957","faint":"#666462","hover":"#eeece9","line":"#e3e1de"}}`, true},
		{"no JSON", `context`, false},
		{"an unknown field", `{"script":"alert(1)"}`, false},
		{"a look with a style in it", `{"look":{"back":"#fdfcfa; } * { color: red","raised":"#ffffff","text":"#222120","dim":"#5a5957","faint":"#666462","hover":"#eeece9","line":"#e3e1de"}}`, false},
		{"a look with a colour less", `{"look":{"back":"#fdfcfa"}}`, false},
		{"a context menu with menus", `{"context":[{"id":"","label":"A","entries":[{"id":"a","label":"A"}]}]}`, false},
		{"a bar that is too deep", `{"bar":{"menus":[{"label":"1","entries":[{"label":"2","entries":[{"label":"3","entries":[{"id":"a","label":"4"}]}]}]}]}}`, false},
		{"too many entries", many, false},
		{"a label that is too long", `{"context":[{"id":"a","label":"` + strings.Repeat("a", maxMenuLabel+1) + `"}]}`, false},
		{"a label that C would cut", `{"context":[{"id":"a","label":"a\u0000b"}]}`, false},
		{"a long message", `{"context":[]}` + strings.Repeat(" ", maxMenuMessage), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := readMenuMessage(tt.message); (err == nil) != tt.ok {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestAccelerator(t *testing.T) {
	for keys, want := range map[string]string{
		"":             "",
		"Mod+K":        "<Control>k",
		"Mod+Shift+N":  "<Control><Shift>n",
		"Alt+PageDown": "<Alt>Page_Down",
		"Mod+\\":       "<Control>backslash",
		"Mod+Plus":     "<Control>plus",
		"Ctrl+Tab":     "<Control>Tab",
		"F6":           "F6",
		"Esc":          "Escape",
		"Alt+Up":       "<Alt>Up",
		"Hyper+K":      "",
	} {
		if got := accelerator(keys); got != want {
			t.Errorf("accelerator(%q) = %q, want %q", keys, got, want)
		}
	}
}

func TestSameMenus(t *testing.T) {
	bar := func(change func(*menuEntry)) []menuEntry {
		e := menuEntry{ID: "pin", Label: "Pin", Keys: "Alt+P", Shown: "Alt+P"}
		change(&e)
		return []menuEntry{{Label: "Session", Entries: []menuEntry{e}}}
	}
	for name, tt := range map[string]struct {
		change func(*menuEntry)
		same   bool
	}{
		"nothing":          {func(*menuEntry) {}, true},
		"what can be done": {func(e *menuEntry) { e.Enabled = true }, true},
		"what is ticked":   {func(e *menuEntry) { e.Checked = true }, true},
		"a name":           {func(e *menuEntry) { e.Label = "Lösen" }, false},
		"keys":             {func(e *menuEntry) { e.Keys = "Alt+Q" }, false},
		"a kind":           {func(e *menuEntry) { e.Kind = "check" }, false},
		"an entry":         {func(e *menuEntry) { e.Entries = []menuEntry{{ID: "a"}} }, false},
	} {
		if got := sameMenus(bar(func(*menuEntry) {}), bar(tt.change)); got != tt.same {
			t.Errorf("with another %s they are the same: %v", name, got)
		}
	}
}

// Every color is used in the style, and no placeholder is left.
func TestMenuStyle(t *testing.T) {
	var l menuLook
	for i, c := range []*string{&l.Back, &l.Raised, &l.Text, &l.Dim, &l.Faint, &l.Hover, &l.Line} {
		*c = fmt.Sprintf("#00000%d", i)
	}
	css := l.css()
	if strings.Contains(css, "$") {
		t.Errorf("a colour is left open: %s", css)
	}
	for i := range 7 {
		if c := fmt.Sprintf("#00000%d", i); !strings.Contains(css, c) {
			t.Errorf("the colour %d is not used", i)
		}
	}
}

// The page and the window agree on the meaning of shared names.
func TestMenuNames(t *testing.T) {
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	c, window := read("contextmenu_linux.c"), read("menu_linux.go")
	page := read("../../frontend/src/features/menus/context.ts") + read("../../frontend/src/features/menus/bar.ts")
	for _, id := range []string{"undo", "redo", "cut", "copy", "paste", "selectAll", "spelling", "ignoreSpelling", "learnSpelling", "copyImage"} {
		if !strings.Contains(c, `"`+id+`"`) || !strings.Contains(page, `"`+id+`"`) {
			t.Errorf("%q is not known to both", id)
		}
	}
	host := read("../../frontend/src/host/menus.ts") + read("../../frontend/src/host/wails.ts")
	for _, name := range []string{"parley.menu", ":opened", ":closed"} {
		if !strings.Contains(window, `"`+name+`"`) || !strings.Contains(host, `"`+name+`"`) {
			t.Errorf("%q is not known to both", name)
		}
	}
}
