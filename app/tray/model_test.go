package tray

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// noon is a Tuesday.
func noon() time.Time { return time.Date(2026, 3, 24, 12, 0, 0, 0, time.UTC) }

func at(month time.Month, day, hour, minute int) int64 {
	return time.Date(2026, month, day, hour, minute, 0, 0, time.UTC).UnixMilli()
}

type scene struct {
	name  string
	state State
}

func scenes() []scene {
	many := make([]Session, 11)
	for i := range many {
		many[i] = Session{ID: fmt.Sprint("s", i), Title: fmt.Sprintf("Session %d", i)}
	}
	beats := make([]Heartbeat, 15)
	for i := range beats {
		beats[i] = Heartbeat{Name: fmt.Sprintf("beat_%02d", i), State: "idle", Next: at(3, 24, 13, i)}
	}
	return []scene{
		{"nothing", State{}},
		{"working", State{Running: 1}},
		{"one waits", State{Waiting: []Session{{"a", "Fix the upload"}}, Running: 2, Failed: 1}},
		{"odd titles", State{Waiting: []Session{{"a", ""}, {"b", "two\nlines\u202eof \x1b[31mtext"}, {"c", strings.Repeat("wörter ", 20)}}}},
		{"many wait", State{Waiting: many}},
		{"failed", State{Failed: 2, Running: 1}},
		{"trouble", State{Running: 1, Retrying: 2, Failed: 3, Limited: 1, Trouble: []Trouble{
			{Session: Session{"a", "Fix the upload"}, Attempt: 4, Most: 10, Status: 529},
			{Session: Session{"b", ""}, Attempt: 1, Most: 10},
			{Session: Session{"c", "Sort the notes"}, Code: "rate_limit"},
			{Session: Session{"d", "Build"}, Code: "overloaded"},
			{Session: Session{"e", "One more"}, Code: "turn_failed"},
		}}},
		{"heartbeats", State{Heartbeats: []Heartbeat{
			{"Today", "idle", at(3, 24, 14, 30)},
			{"Tomorrow", "idle", at(3, 25, 0, 0)},
			{"This week", "idle", at(3, 28, 9, 0)},
			{"This year", "idle", at(12, 3, 9, 0)},
			{"Leap day", "idle", time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC).UnixMilli()},
			{"Runs", "running", at(3, 24, 14, 30)},
			{"Waits", "waiting", 0},
			{"Off", "off", 0},
			{"Stopped", "stopped", 0},
			{"Over", "over", 0},
		}}},
		{"paused", State{Paused: true, Heartbeats: []Heartbeat{{"Reports", "idle", at(3, 24, 14, 30)}, {"Off", "off", 0}}}},
		{"many heartbeats", State{Heartbeats: beats}},
		{"quiet for an hour", State{DoNotDisturbUntil: at(3, 24, 13, 0)}},
		{"quiet until tomorrow", State{DoNotDisturbUntil: at(3, 25, 8, 0)}},
		{"quiet until switched off", State{DoNotDisturbUntil: -1, Running: 1}},
		{"no longer quiet", State{DoNotDisturbUntil: at(3, 24, 11, 59)}},
		{"mirrors", State{Chat: "connected", Recent: []Mirrored{{"a", "Fix the upload", true}, {"b", "", false}, {"c", "Third", true}, {"d", "4", false}, {"e", "5", false}, {"f", "6", false}, {"g", "7", true}}}},
		{"no session to mirror", State{Chat: "connected"}},
		{"the chat is away", State{Chat: "waiting", Recent: []Mirrored{{"a", "Fix the upload", true}}}},
		{"something is wrong", State{Warnings: []string{"Parley's own notes were damaged. 12 of them could be kept; the damaged file is /home/ada/.local/share/parley/parley.db.bad."}, Running: 1}},
		{"much is wrong", State{Warnings: []string{"The rooms were damaged.", "The audit log cannot be written."}, Waiting: []Session{{"a", "Fix the upload"}}}},
		{"a click failed", State{Problem: "The heartbeat is paused.\nSwitch it on first."}},
	}
}

func drawing(items []Item) string {
	var b strings.Builder
	var walk func([]Item, string)
	walk = func(items []Item, indent string) {
		for _, i := range items {
			if i.Title == "" {
				b.WriteString(indent + "────\n")
				continue
			}
			mark := ""
			if i.Check {
				mark = "[ ] "
				if i.Checked {
					mark = "[x] "
				}
			}
			fmt.Fprintf(&b, "%s%s%s", indent, mark, i.Title)
			if i.Off {
				b.WriteString("  (off)")
			} else if i.Action.Do != "" {
				name, params := i.Action.call(noon())
				body, err := json.Marshal(params)
				if err != nil {
					panic(err)
				}
				if i.Action.Do == DoQuit {
					name, body = "quit", nil
				}
				fmt.Fprintf(&b, "  → %s %s", name, body)
			}
			b.WriteString("\n")
			walk(i.Items, indent+"    ")
		}
	}
	walk(items, "")
	return b.String()
}

func TestMenu(t *testing.T) {
	for _, language := range []string{"en", "de"} {
		t.Run(language, func(t *testing.T) {
			var b bytes.Buffer
			for _, s := range scenes() {
				s.state.Now, s.state.Language = noon(), language
				fmt.Fprintf(&b, "=== %s\n%s, %q\n%s\n", s.name, IconStateOf(s.state), Tooltip(s.state), drawing(Menu(s.state)))
			}
			file := filepath.Join("testdata", "menus."+language+".txt")
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMoods(t *testing.T) {
	waits, stopped := []Session{{"a", "A"}}, []Heartbeat{{"h", "stopped", 0}}
	for _, tt := range []struct {
		state State
		want  IconState
	}{
		{State{}, Idle},
		{State{Running: 1}, Working},
		{State{Running: 1, Failed: 1}, Failed},
		{State{Running: 1, Retrying: 1}, Failed},
		{State{Heartbeats: stopped}, Failed},
		{State{Heartbeats: []Heartbeat{{"h", "off", 0}}}, Idle},
		{State{Running: 1, Failed: 1, Waiting: waits}, Waiting},
	} {
		if got := IconStateOf(tt.state); got != tt.want {
			t.Errorf("%+v is %s, want %s", tt.state, got, tt.want)
		}
	}
}

func names(items []Item) []string {
	var all []string
	for _, i := range items {
		all = append(all, i.Place)
		all = append(all, names(i.Items)...)
	}
	return all
}

// Everything has its place, in the order of all places.
func TestEveryMenuFits(t *testing.T) {
	all := names(places())
	if n := len(all); n != len(slices.Compact(slices.Sorted(slices.Values(all)))) {
		t.Fatal("a place comes twice")
	}
	states := scenes()
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		s := State{
			Waiting: make([]Session, random.IntN(12)), Heartbeats: make([]Heartbeat, random.IntN(15)),
			Warnings: make([]string, random.IntN(3)), Paused: random.IntN(2) == 0, Running: random.IntN(3), DoNotDisturbUntil: int64(random.IntN(3) - 1),
		}
		if random.IntN(2) == 0 {
			s.Problem = "x"
		}
		states = append(states, scene{fmt.Sprintf("%+v", s), s})
	}
	for _, s := range states {
		s.state.Now = noon()
		rest := all
		for _, name := range names(Menu(s.state)) {
			i := slices.Index(rest, name)
			if i < 0 {
				t.Fatalf("%s: %s is not in its place", s.name, name)
			}
			rest = rest[i+1:]
		}
	}
}

// A place always has the same kind of item.
func TestPlacesKeepTheirKind(t *testing.T) {
	kinds := map[string]string{}
	var walk func([]Item)
	walk = func(items []Item) {
		for _, i := range items {
			kind := fmt.Sprint(i.Title == "", i.Check, len(i.Items))
			if before, ok := kinds[i.Place]; ok && before != kind {
				t.Errorf("%s is %s and %s", i.Place, before, kind)
			}
			kinds[i.Place] = kind
			walk(i.Items)
		}
	}
	walk(places())
	for _, s := range scenes() {
		s.state.Now = noon()
		walk(Menu(s.state))
	}
}

func TestWhenToLookAgain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		state State
		want  time.Duration
	}{
		{"at midnight", State{}, 12*time.Hour + time.Second},
		{"when it is no longer quiet", State{DoNotDisturbUntil: at(3, 24, 13, 0)}, time.Hour + time.Second},
		{"when heartbeats go on", State{DoNotDisturbUntil: -1, PausedUntil: at(3, 24, 12, 1)}, time.Minute + time.Second},
		{"a time that is over", State{PausedUntil: at(3, 24, 11, 0)}, 12*time.Hour + time.Second},
	} {
		tt.state.Now = noon()
		if got := tt.state.until(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Tomorrow is a day in the user's zone, even one with 23 hours.
func TestTomorrow(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("there are no time zones here")
	}
	now := time.Date(2026, 3, 28, 23, 30, 0, 0, berlin)
	got := time.UnixMilli(quietUntil("tomorrow", now)).In(berlin)
	if want := time.Date(2026, 3, 29, 8, 0, 0, 0, berlin); !got.Equal(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if words := english().when(now, got); words != "tomorrow at 08:00" {
		t.Error(words)
	}
}

func TestLanguage(t *testing.T) {
	for _, tt := range []struct {
		setting, lang, want string
	}{
		{"de", "en_US.UTF-8", "de"}, {"en", "de_DE", "en"}, {"system", "de_AT.UTF-8", "de"}, {"system", "fr_FR", "en"}, {"", "", "en"},
	} {
		got := languageOf(tt.setting, func(name string) string {
			if name == "LANG" {
				return tt.lang
			}
			return ""
		})
		if got != tt.want {
			t.Errorf("%q with %q is %q", tt.setting, tt.lang, got)
		}
	}
}
