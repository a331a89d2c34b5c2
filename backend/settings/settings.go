// Package settings keeps the user's choices, and the folders they used last, in
// one JSON file that only they can read. It owns that file: a change is validated
// first, written in whole, and put in place by renaming, so that a crash leaves
// either the old file or the new one. Keys that it does not know are kept.
//
// A file that cannot be understood is set aside under another name, never
// overwritten, and the defaults are used. A user may change the file by hand while
// Parley runs: [Store.Reload] takes that in, and so does every change before it is
// saved. What is wrong in it then leaves the values as they are, and is told by
// [Store.Problem]; a copy is set aside before the file is written again. What it lets
// happen more than before is held ([Store.Held]): the old value stays in force, and the
// file as it is, until a user accepts or undoes it.
//
// The package starts no goroutine. It does not know what the settings are for.
package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"parley/backend/fault"
	"parley/backend/outside"
	"parley/backend/platform/regular"
	"parley/backend/problem"
)

// Values are the settings.
type Values struct {
	// Theme is "system", "light" or "dark".
	Theme string `json:"theme"`
	// CLIPath is the CLI to run; "" means to look for it.
	CLIPath string `json:"cliPath"`
	// PermissionMode and Model are the defaults of new sessions; "" leaves the
	// choice to the CLI.
	PermissionMode string `json:"permissionMode"`
	Model          string `json:"model"`
	// Engine is how new sessions drive the CLI: "cli" or "sdk".
	Engine string `json:"engine"`
	// QuestionTimeoutHours is how long a permission question waits, 1 to 720.
	QuestionTimeoutHours int `json:"questionTimeoutHours"`
	// SuspendMinutes is after how long without use a session's process is ended, 0 to
	// 10,080; 0 means never.
	SuspendMinutes int `json:"suspendMinutes"`
	// BrowserPort is the port of this computer at which the window's Parley lets paired
	// browsers in, 1,024 to 65,535; 0 means none.
	BrowserPort int `json:"browserPort"`
	// Suggestions has the CLI guess after each turn what the user will ask next. Each
	// guess is a request to the model.
	Suggestions bool `json:"suggestions"`
	// WhileBusy is what a prompt does that is sent while a turn runs: "steer" or
	// "queue".
	WhileBusy string `json:"whileBusy"`
	// Editor is what files are opened in: "" for the first that is found, "system", the
	// name of a program, or the path of one.
	Editor string `json:"editor"`
	Look
	Notices
	Budgets
	Guarding
	Tray
	Tools
	Rooms
	Remembering
	// Shortcuts are the keys that the user chose, by the action's id: "Mod+Shift+K",
	// "" for none. Actions that are not named have their usual keys.
	Shortcuts map[string]string `json:"shortcuts"`
}

// Guarding says what may pass without a question.
type Guarding struct {
	// Guard is what new sessions begin with: "off", "static" (uses of tools that look
	// harmless by fixed tables pass) or "reviewed" (a small model may also let pass what
	// the tables do not know).
	Guard string `json:"guard"`
	// ReviewerModel is the small model, by a name that the CLI knows.
	ReviewerModel string `json:"reviewerModel"`
	// AllowUnrecorded lets through what was allowed although the log of permissions could
	// not be written.
	AllowUnrecorded bool `json:"allowUnrecorded"`
}

// Look is how the page looks and which language it speaks.
type Look struct {
	// Language is "system" or a code: "en", "de".
	Language string `json:"language"`
	// Scheme names the colours ([Schemes]), Accent the colour of what is chosen
	// ([Accents]); "" is the scheme's own.
	Scheme string `json:"scheme"`
	Accent string `json:"accent"`
	// Font and CodeFont are names of installed fonts, "" for the system's.
	Font     string `json:"font"`
	CodeFont string `json:"codeFont"`
	// FontSize and CodeFontSize are in pixels, 10 to 24.
	FontSize     int `json:"fontSize"`
	CodeFontSize int `json:"codeFontSize"`
	// Density is "comfortable" or "compact".
	Density string `json:"density"`
	// Zoom is in percent, 50 to 300.
	Zoom int `json:"zoom"`
	// MenuBar has the window show its menu bar all the time, not only while it is used.
	MenuBar bool `json:"menuBar"`
}

// Notices say of what a user is told who is not looking.
type Notices struct {
	// NotifyDone tells of turns that took NotifyAfterSeconds (0 to 3,600) or longer,
	// NotifyQuestion of questions, NotifyFailure of turns that failed.
	NotifyDone         bool `json:"notifyDone"`
	NotifyAfterSeconds int  `json:"notifyAfterSeconds"`
	NotifyQuestion     bool `json:"notifyQuestion"`
	NotifyFailure      bool `json:"notifyFailure"`
}

// Defaults are the values of a new file.
func Defaults() Values {
	return Values{
		Theme: "system", Engine: "cli", QuestionTimeoutHours: 24, SuspendMinutes: 30, WhileBusy: "steer",
		Look:        Look{Language: "system", Scheme: "parley", FontSize: 13, CodeFontSize: 13, Density: "comfortable", Zoom: 100},
		Notices:     Notices{NotifyDone: true, NotifyAfterSeconds: 20, NotifyQuestion: true, NotifyFailure: true},
		Guarding:    Guarding{Guard: "off", ReviewerModel: "haiku"},
		Tray:        Tray{ShowTray: true, CloseToTray: true, CloseWhileWorking: "ask"},
		Tools:       Tools{ToolsOff: []string{}},
		Rooms:       defaultRooms(),
		Remembering: Remembering{MemoryInject: true, MemoryBudgetTokens: 2000},
		Shortcuts:   map[string]string{},
	}
}

// recentKey is the file's key for the folders, maxRecent how many are kept.
const (
	recentKey = "recentFolders"
	maxRecent = 20
)

// maxFile bounds what is read; a real file has a few hundred bytes.
const maxFile = 1 << 20

// Store is an open settings file. Its methods may be called from any goroutine.
type Store struct {
	path string
	log  *slog.Logger

	mu      sync.Mutex
	values  Values
	recent  []string
	unknown map[string]json.RawMessage
	wrong   trouble
	subs    map[chan Values]struct{}
	// seen is the file as it was read or written last; spoilt says that it holds what
	// could not be understood and would be lost by writing it.
	seen   regular.Stamp
	spoilt bool
	// keep has what was accepted. held is what the file says and does not hold, wanted its
	// values by their keys, accepted the unknown keys that were accepted, and revision
	// names the file in which that stands.
	keep     outside.Keeper
	held     []outside.Change
	wanted   map[string]json.RawMessage
	accepted map[string]json.RawMessage
	revision string
}

// Open reads the file, which need not exist; its folder must. It fails only when
// the file cannot be read at all, with a fault (unavailable). keep has what was accepted
// of the file; without it, what the file says holds.
func Open(path string, keep outside.Keeper, log *slog.Logger) (*Store, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		// Some people keep such files elsewhere and link to them.
		path = real
	}
	s := &Store{path: path, keep: keep, log: log, values: Defaults(), subs: map[chan Values]struct{}{}}
	s.seen = regular.StampAt(path)
	data, err := regular.Read(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.weigh(nil)
		return s, nil
	case errors.Is(err, regular.ErrTooLarge):
	case err != nil:
		return nil, fault.Wrap(err, fault.Unavailable, "The settings in %s cannot be read. Check the file's permissions.", path)
	}
	if err == nil {
		err = json.Unmarshal(data, &s.unknown)
	}
	if err != nil || s.unknown == nil {
		err := s.setAside(err, problem.SettingsReset)
		s.weigh(nil)
		return s, err
	}
	s.adopt(s.values)
	s.weigh(data)
	return s, nil
}

// Get returns the values in force.
func (s *Store) Get() Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values.clone()
}

func (v Values) clone() Values {
	if v.Shortcuts = maps.Clone(v.Shortcuts); v.Shortcuts == nil {
		v.Shortcuts = map[string]string{}
	}
	if v.ToolsOff = slices.Clone(v.ToolsOff); v.ToolsOff == nil {
		v.ToolsOff = []string{}
	}
	return v
}

// Problem is what is wrong with the file, if anything is.
func (s *Store) Problem() (p problem.Problem, wrong bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p = problem.Problem{ID: s.wrong.id, Facts: map[string]string{"file": s.wrong.file}}
	if s.wrong.fact != "" {
		p.Facts[s.wrong.fact] = s.wrong.value
	}
	return p, p.ID != ""
}

// Reload takes in what was changed in the file by others, and says whether anything
// was, the problem included.
func (s *Store) Reload() (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refresh()
}

// Set lets change alter a copy of the values, checks and saves it, and tells the
// subscribers. Wrong values are a fault (invalid) that names each of them; nothing
// has changed then, nor when the file cannot be written (unavailable).
func (s *Store) Set(change func(*Values)) (Values, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	next := s.values.clone()
	change(&next)
	if err := Check(next); err != nil {
		return s.values, err
	}
	if reflect.DeepEqual(next, s.values) {
		return next, nil
	}
	held := s.held
	s.decide(next)
	if err := s.save(next, s.recent); err != nil {
		s.held = held
		return s.values, err
	}
	s.put(next)
	return next.clone(), nil
}

// put needs s.mu.
func (s *Store) put(v Values) {
	s.values = v
	for c := range s.subs {
		renew(c, v.clone())
	}
}

// RecentFolders lists the folders given to [Store.UseFolder], newest first.
func (s *Store) RecentFolders() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.recent...)
}

// UseFolder puts a folder at the head of the recent ones.
func (s *Store) UseFolder(folder string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	if len(s.recent) > 0 && s.recent[0] == folder {
		return nil
	}
	recent := []string{folder}
	for _, r := range s.recent {
		if r != folder && len(recent) < maxRecent {
			recent = append(recent, r)
		}
	}
	if err := s.save(s.values, recent); err != nil {
		return err
	}
	s.recent = recent
	return nil
}

// Subscribe returns a channel that holds the newest values after every change; a
// receiver that is slow misses the ones in between. The function ends the
// subscription and may be called again.
func (s *Store) Subscribe() (<-chan Values, func()) {
	c := make(chan Values, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subs[c] = struct{}{}
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, c)
	}
}

// renew needs s.mu: there is only one sender.
func renew(c chan Values, v Values) {
	select {
	case <-c:
	default:
	}
	c <- v
}

func oneOf(v string, allowed ...string) string {
	if slices.Contains(allowed, v) {
		return ""
	}
	return fmt.Sprintf("must be one of %q, not %q", allowed, v)
}
