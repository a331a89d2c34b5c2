package files

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"

	"parley/app/method"
	"parley/backend/fault"
	"parley/backend/platform/editor"
	"parley/backend/platform/filefind"
	"parley/backend/session/library"
)

// Config is what files need of the rest. Required is what does not say otherwise.
type Config struct {
	// Data is the data folder, Home the user's, Env the environment of programs.
	Data, Home string
	Env        []string
	Library    *library.Library
	// Live says whether a session is running.
	Live func(sessionID string) bool
	// Editor is the editor that the user chose.
	Editor func() string
	// Picker and Saver are the window's dialogs, nil where there is no window.
	Picker FolderPicker
	Saver  FileSaver
	Log    *slog.Logger
}

// Service is about files that people name, open, save and send: it is behind folder.*,
// file.*, editor.* and session.attachment.
type Service struct {
	attic
	sentPrompts

	library  *library.Library
	finder   *filefind.Finder
	launcher *editor.Launcher
	folders  folders
	mentions mentions
	pictures pictures
	editors  editors
	saving   saving
}

// New makes it. Close must be called.
func New(cfg Config) *Service {
	s := &Service{
		attic:    attic{dir: filepath.Join(cfg.Data, "files"), log: cfg.Log},
		library:  cfg.Library,
		finder:   filefind.NewFinder(filefind.Config{Env: cfg.Env, Home: cfg.Home, Logger: cfg.Log}),
		launcher: editor.New(editor.Config{Env: cfg.Env}),
		folders:  folders{home: cfg.Home, picker: cfg.Picker},
		saving:   saving{cfg.Saver},
	}
	s.mentions = mentions{finder: s.finder, library: cfg.Library}
	s.pictures = pictures{sent: &s.sentPrompts, read: cfg.Library.Attachment, live: cfg.Live}
	s.editors = editors{launcher: s.launcher, setting: cfg.Editor, library: cfg.Library}
	return s
}

// Start removes the files of sessions that do not exist anymore.
func (s *Service) Start() {
	s.sweep(func(id string) bool {
		_, err := s.library.Get(context.Background(), id)
		return fault.CodeOf(err) != fault.NotFound
	})
}

// Close ends what looks for files. Editors that run stay.
func (s *Service) Close() {
	s.finder.Close()
	s.launcher.Close()
}

// Methods is what a front end may ask of it.
func (s *Service) Methods() []*method.Method {
	if s == nil {
		s = &Service{} // who reads about methods calls none
	}
	return slices.Concat(s.folders.methods(), s.mentions.methods(), s.pictures.methods(), s.editors.methods(), s.saving.methods())
}
