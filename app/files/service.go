package files

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"

	"parley/app/feature"
	"parley/app/method"
	"parley/backend/fault"
	"parley/backend/platform/editor"
	"parley/backend/platform/filefind"
	"parley/backend/session/library"
)

// Config has the dependencies of files. All fields are required unless they say otherwise.
type Config struct {
	// Data is the data folder, Home the user's; Env is the environment of programs.
	Data, Home string
	Env        []string
	Library    *library.Library
	// Live reports whether a session is running.
	Live func(sessionID string) bool
	// Editor is the editor the user chose.
	Editor func() string
	// Picker and Saver are the window's dialogs, nil if there is no window.
	Picker feature.FolderPicker
	Saver  feature.FileSaver
	Log    *slog.Logger
}

// Service handles files that users mention, open, save and send: it implements folder.*, file.*,
// editor.* and session.attachment.
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

// New returns the service. Close must be called.
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

// Start deletes the files of sessions that no longer exist.
func (s *Service) Start() {
	s.sweep(func(id string) bool {
		_, err := s.library.Get(context.Background(), id)
		return fault.CodeOf(err) != fault.NotFound
	})
}

// Close ends the file searches. Running editors stay.
func (s *Service) Close() {
	s.finder.Close()
	s.launcher.Close()
}

// Methods are the service's API methods.
func (s *Service) Methods() []*method.Method {
	if s == nil {
		s = &Service{} // methods are only listed then, not called
	}
	return slices.Concat(s.folders.methods(), s.mentions.methods(), s.pictures.methods(), s.editors.methods(), s.saving.methods())
}
