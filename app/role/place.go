package role

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"parley/backend/fault"
)

const (
	// scheme begins a link into Parley, linkForm is all that there is of them.
	scheme   = "parley://"
	linkForm = "parley://session/ID"
	// maxPlace bounds what is read as a place, in bytes.
	maxPlace = 4096
)

// sessionID is what ids of sessions are made of.
var sessionID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{0,127}$`)

// place is what the window is to show: a session, or the beginning of one in a folder. It
// is only shown: nothing is sent, and no folder is trusted. It is the parameters of
// window.show.
type place struct {
	SessionID string `json:"sessionId,omitempty"`
	Folder    string `json:"folder,omitempty"`
	// Linked has the window say what is wrong with it.
	Linked bool `json:"linked"`
}

// isPlace says whether what is no command may be a place: it looks like a path or a link, or
// is a folder.
func isPlace(arg string) bool {
	if arg == "." || arg == ".." || strings.ContainsAny(arg, `/\`) {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && info.IsDir()
}

// placeOf reads a place that somebody wrote, or that a link names, which anybody may have
// made. Its errors are faults.
func placeOf(arg string) (place, error) {
	bad := func(format string, args ...any) (place, error) {
		return place{}, fault.New(fault.Invalid, format, args...)
	}
	switch {
	case len(arg) > maxPlace:
		return bad("What is to be opened is longer than %d bytes. Name a session, a folder, or a link like %s.", maxPlace, linkForm)
	case arg == "":
		return bad("Name a session, a folder, or a link like %s.", linkForm)
	case !utf8.ValidString(arg) || strings.ContainsFunc(arg, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return bad("What is to be opened has characters in it that no name has, such as line breaks.")
	}
	if name, isLink := strings.CutPrefix(arg, scheme); isLink {
		id, isSession := strings.CutPrefix(name, "session/")
		// Some programs end a link with a slash.
		if id = strings.TrimSuffix(id, "/"); !isSession || !sessionID.MatchString(id) {
			return bad("Parley's links are like %s, and not like %q.", linkForm, arg)
		}
		return place{SessionID: id, Linked: true}, nil
	}
	if before, _, found := strings.Cut(arg, "://"); found && !strings.ContainsAny(before, `/\`) {
		path, ok := pathOf(arg)
		if !ok {
			return bad("Parley opens folders of this computer and links like %s, and not %q.", linkForm, arg)
		}
		arg = path
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		path, err := filepath.Abs(arg)
		if err != nil {
			return bad("The folder %q cannot be opened: %v", arg, err)
		}
		return place{Folder: path, Linked: true}, nil
	case err == nil:
		return bad("%q is a file. Name the folder that it is in.", arg)
	case sessionID.MatchString(arg):
		return place{SessionID: arg, Linked: true}, nil
	}
	return place{}, fault.New(fault.NotFound, "There is no folder %q.", arg)
}

// pathOf is the path of a file's URL, as desktops name folders.
func pathOf(link string) (path string, ok bool) {
	at, err := url.Parse(link)
	if err != nil || at.Scheme != "file" || at.Host != "" && at.Host != "localhost" || at.RawQuery != "" || at.Fragment != "" {
		return "", false
	}
	path = filepath.FromSlash(at.Path)
	// What is hidden behind percent signs is checked as what was written.
	return path, filepath.IsAbs(path) && !strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// handed is what is handed to the window that is open, and arrived reads it. Any program of
// this desktop could hand something over.
func (a place) handed() []string {
	data, err := json.Marshal(a)
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	return []string{string(data)}
}

func arrived(args []string) (a place, ok bool) {
	if len(args) != 1 || len(args[0]) > 2*maxPlace {
		return place{}, false
	}
	in := json.NewDecoder(bytes.NewReader([]byte(args[0])))
	in.DisallowUnknownFields()
	if in.Decode(&a) != nil || a.SessionID != "" && !sessionID.MatchString(a.SessionID) || a.Folder != "" && !filepath.IsAbs(a.Folder) {
		return place{}, false
	}
	return a, true
}
