package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"parley/backend/fault"
)

// Kind is the purpose of a file.
type Kind string

const (
	// Soul describes the model's role, User what it should know of the user.
	Soul Kind = "soul"
	User Kind = "user"
	// Notes are about one workspace.
	Notes Kind = "notes"
	// Daily files contain the memories saved on a day.
	Daily Kind = "daily"
)

const (
	soulFile, userFile, notesFile = "SOUL.md", "USER.md", "NOTES.md"
	// workspaces is the folder of the workspaces' folders.
	workspaces = "workspaces"
	day        = "2006-01-02"
)

// Place is a file of the memory.
type Place struct {
	// Workspace is the slug of its workspace, "" for none.
	Workspace string
	Kind      Kind
	// Day is "2006-01-02", for a daily file.
	Day string
}

// Name returns the path below the memory's folder, with slashes.
func (p Place) Name() string {
	name := map[Kind]string{Soul: soulFile, User: userFile, Notes: notesFile}[p.Kind]
	if p.Kind == Daily {
		name = p.Day + ".md"
	}
	if p.Workspace != "" {
		return path.Join(workspaces, p.Workspace, name)
	}
	return name
}

// PlaceOf parses the name of a file. Names outside the memory are a fault
// (invalid).
func PlaceOf(name string) (Place, error) {
	wrong := fault.New(fault.Invalid, "%.200q is not a memory file. Memory files are SOUL.md, USER.md and days such as 2026-11-21.md, and in workspaces/<name> NOTES.md and days.", name)
	p, file := Place{}, name
	if dir, rest, ok := strings.Cut(name, "/"); ok {
		slug, inner, ok := strings.Cut(rest, "/")
		if dir != workspaces || !ok || !IsSlug(slug) {
			return p, wrong
		}
		p.Workspace, file = slug, inner
	}
	switch {
	case file == soulFile && p.Workspace == "":
		p.Kind = Soul
	case file == userFile && p.Workspace == "":
		p.Kind = User
	case file == notesFile && p.Workspace != "":
		p.Kind = Notes
	case isDay(strings.TrimSuffix(file, ".md")) && strings.HasSuffix(file, ".md"):
		p.Kind, p.Day = Daily, strings.TrimSuffix(file, ".md")
	default:
		return p, wrong
	}
	return p, nil
}

func isDay(s string) bool {
	t, err := time.Parse(day, s)
	return err == nil && t.Format(day) == s
}

var slugs = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,60}$`)

// IsSlug reports whether a text may name a workspace's folder in the memory.
func IsSlug(s string) bool { return slugs.MatchString(s) }

// Slug returns the name of a workspace's folder in the memory: recognizable, and
// distinct from others of the same name.
func Slug(folder string) string {
	const most = 40
	var b strings.Builder
	for _, r := range strings.ToLower(filepath.Base(folder)) {
		switch {
		case b.Len() >= most:
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	sum := sha256.Sum256([]byte(folder))
	name := strings.Trim(b.String(), "-")
	if name == "" {
		name = "folder"
	}
	return name + "-" + hex.EncodeToString(sum[:4])
}

// personOf returns a name as in a daily line, without the @. It is a fault (invalid) if
// it couldn't be parsed back.
func personOf(name string) (string, error) {
	const most = 40
	name = strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(name), "@"), " ", "-")
	if !person.MatchString(name) || len([]rune(name)) > most {
		return "", fault.New(fault.Invalid, "%.100q is not a valid name for a person. Use up to %d letters, digits, and any of - _ . (parameter about).", name, most)
	}
	return name, nil
}

var person = regexp.MustCompile(`^[\pL\pM\pN._-]+$`)
