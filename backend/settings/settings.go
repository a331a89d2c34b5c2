// Package settings keeps the user's settings and recent folders in
// one JSON file that only they can read. It owns that file: a change is validated
// first, written completely, and moved into place by renaming, so that a crash leaves
// either the old file or the new one. Unknown keys are kept.
//
// An unreadable file is set aside under another name, never
// overwritten, and the defaults apply. A user may edit the file while
// Parley runs: [Store.Reload] reads that, and so does every change before it is
// saved. Errors in it then leave the values unchanged, and are reported by
// [Store.Problem]; a copy is set aside before the file is written again. Values that
// allow more than before are held ([Store.Held]): the old value still applies, and the
// file stays as it is, until a user accepts or undoes them.
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
	"parley/backend/platform/safeopen"
	"parley/backend/problem"
)

// Values are the settings.
type Values struct {
	// Theme is "system", "light" or "dark".
	Theme string `json:"theme"`
	// CLIPath is the CLI to run; "" means to search for it.
	CLIPath string `json:"cliPath"`
	// PermissionMode and Model are the defaults of new sessions; "" leaves the
	// choice to the CLI.
	PermissionMode string `json:"permissionMode"`
	Model          string `json:"model"`
	// Engine is the engine that drives the CLI in new sessions: "cli" or "sdk".
	Engine string `json:"engine"`
	// QuestionTimeoutHours is how long a permission request waits, 1 to 720.
	QuestionTimeoutHours int `json:"questionTimeoutHours"`
	// SuspendMinutes is the idle time after which a session's process is ended, 0 to
	// 10,080; 0 means never.
	SuspendMinutes int `json:"suspendMinutes"`
	// BrowserPort is the port of this computer on which the window's Parley serves paired
	// browsers, 1,024 to 65,535; 0 means none.
	BrowserPort int `json:"browserPort"`
	// Suggestions has the CLI suggest the user's next prompt after each turn. Each
	// suggestion is a request to the model.
	Suggestions bool `json:"suggestions"`
	// WhileBusy is what happens to a prompt sent while a turn runs: "steer" or
	// "queue".
	WhileBusy string `json:"whileBusy"`
	// Editor is the program that opens files: "" for the first that is found, "system", the
	// name of a program, or its path.
	Editor string `json:"editor"`
	Appearance
	Notifications
	Budgets
	AutoApprove
	Tray
	Tools
	Rooms
	Memory
	// Shortcuts are the user's custom keys, by the action's id: "Mod+Shift+K",
	// "" for none. Actions that are not listed have their default keys.
	Shortcuts map[string]string `json:"shortcuts"`
}

// AutoApprove defines what is allowed without asking.
type AutoApprove struct {
	// Guard is the default of new sessions: "off", "static" (tool calls that are
	// safe by fixed tables are allowed) or "reviewed" (a small model may also allow calls that
	// the tables do not know).
	Guard string `json:"guard"`
	// ReviewerModel is the small model, by a name that the CLI knows.
	ReviewerModel string `json:"reviewerModel"`
	// AllowUnrecorded allows tool calls even if the audit log could
	// not be written.
	AllowUnrecorded bool `json:"allowUnrecorded"`
}

// Appearance is the appearance and language of the page.
type Appearance struct {
	// Language is "system" or a code: "en", "de".
	Language string `json:"language"`
	// Scheme names the color scheme ([Schemes]), Accent the color of selected things
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
	// MenuBar has the window always show its menu bar, not only while it is used.
	MenuBar bool `json:"menuBar"`
}

// Notifications are the events for which a user who is not looking gets a notification.
type Notifications struct {
	// NotifyDone is for turns that took NotifyAfterSeconds (0 to 3,600) or longer,
	// NotifyQuestion for requests, NotifyFailure for turns that failed.
	NotifyDone         bool `json:"notifyDone"`
	NotifyAfterSeconds int  `json:"notifyAfterSeconds"`
	NotifyQuestion     bool `json:"notifyQuestion"`
	NotifyFailure      bool `json:"notifyFailure"`
}

// Defaults are the values of a new file.
func Defaults() Values {
	return Values{
		Theme: "system", Engine: "cli", QuestionTimeoutHours: 24, SuspendMinutes: 30, WhileBusy: "steer",
		Appearance:    Appearance{Language: "system", Scheme: "parley", FontSize: 13, CodeFontSize: 13, Density: "comfortable", Zoom: 100},
		Notifications: Notifications{NotifyDone: true, NotifyAfterSeconds: 20, NotifyQuestion: true, NotifyFailure: true},
		AutoApprove:   AutoApprove{Guard: "off", ReviewerModel: "haiku"},
		Tray:          Tray{ShowTray: true, CloseToTray: true, CloseWhileWorking: "ask"},
		Tools:         Tools{ToolsOff: []string{}},
		Rooms:         defaultRooms(),
		Memory:        Memory{MemoryInject: true, MemoryBudgetTokens: 2000},
		Shortcuts:     map[string]string{},
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
	// seen is the file as it was last read or written; spoilt is true if it contains
	// unreadable text that would be lost by writing it.
	seen   safeopen.Stamp
	spoilt bool
	// keep has what was accepted. held are the file's values that do not apply, wanted these
	// values by key, accepted the accepted unknown keys, and revision
	// names the version of the file with them.
	keep     outside.Keeper
	held     []outside.Change
	wanted   map[string]json.RawMessage
	accepted map[string]json.RawMessage
	revision string
}

// Open reads the file, which need not exist; its folder must. It fails only if
// the file cannot be read at all, with a fault (unavailable). keep has the accepted text
// of the file; without it, everything in the file applies.
func Open(path string, keep outside.Keeper, log *slog.Logger) (*Store, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		// The file may be a symlink to one kept elsewhere.
		path = real
	}
	s := &Store{path: path, keep: keep, log: log, values: Defaults(), subs: map[chan Values]struct{}{}}
	s.seen = safeopen.StampAt(path)
	data, err := safeopen.Read(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.weigh(nil)
		return s, nil
	case errors.Is(err, safeopen.ErrTooLarge):
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

// Get returns the values that apply.
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

// Problem returns the file's problem, if there is one.
func (s *Store) Problem() (p problem.Problem, wrong bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p = problem.Problem{ID: s.wrong.id, Facts: map[string]string{"file": s.wrong.file}}
	if s.wrong.fact != "" {
		p.Facts[s.wrong.fact] = s.wrong.value
	}
	return p, p.ID != ""
}

// Reload reads outside changes of the file, and reports whether there were
// any, including changes of the problem.
func (s *Store) Reload() (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refresh()
}

// Set lets change modify a copy of the values, checks and saves it, and notifies the
// subscribers. Wrong values are a fault (invalid) that names each of them; then nothing
// is changed, nor if the file cannot be written (unavailable).
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

// UseFolder moves a folder to the front of the recent ones.
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
