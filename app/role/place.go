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
	// scheme is the prefix of links into Parley, linkForm their only form.
	scheme   = "parley://"
	linkForm = "parley://session/ID"
	// maxPlace bounds the length of a place, in bytes.
	maxPlace = 4096
)

// sessionID matches ids of sessions.
var sessionID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{0,127}$`)

// place is what the window should show: a session, or the new-session dialog for a folder. It is
// only shown: nothing is sent, and no folder is trusted. It has the parameters of window.show.
type place struct {
	SessionID string `json:"sessionId,omitempty"`
	Folder    string `json:"folder,omitempty"`
	// Linked makes the window report errors in it.
	Linked bool `json:"linked"`
}

// isPlace reports whether an argument that is no command may be a place: it looks like a path or a
// link, or is a folder.
func isPlace(arg string) bool {
	if arg == "." || arg == ".." || strings.ContainsAny(arg, `/\`) {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && info.IsDir()
}

// placeOf parses a place typed by a user, or from a link, which anyone may have created. Its errors
// are faults.
func placeOf(arg string) (place, error) {
	bad := func(format string, args ...any) (place, error) {
		return place{}, fault.New(fault.Invalid, format, args...)
	}
	switch {
	case len(arg) > maxPlace:
		return bad("The argument is longer than %d bytes. Pass a session, a folder, or a link like %s.", maxPlace, linkForm)
	case arg == "":
		return bad("Pass a session, a folder, or a link like %s.", linkForm)
	case !utf8.ValidString(arg) || strings.ContainsFunc(arg, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return bad("The argument contains control characters, such as line breaks.")
	}
	if name, isLink := strings.CutPrefix(arg, scheme); isLink {
		id, isSession := strings.CutPrefix(name, "session/")
		// Some programs append a slash to a link.
		if id = strings.TrimSuffix(id, "/"); !isSession || !sessionID.MatchString(id) {
			return bad("Links to Parley look like %s, not like %q.", linkForm, arg)
		}
		return place{SessionID: id, Linked: true}, nil
	}
	if before, _, found := strings.Cut(arg, "://"); found && !strings.ContainsAny(before, `/\`) {
		path, ok := pathOf(arg)
		if !ok {
			return bad("Parley can open folders on this computer and links like %s, but not %q.", linkForm, arg)
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
		return bad("%q is a file. Pass the folder that contains it.", arg)
	case sessionID.MatchString(arg):
		return place{SessionID: arg, Linked: true}, nil
	}
	return place{}, fault.New(fault.NotFound, "There is no folder %q.", arg)
}

// pathOf is the path of a file URL, as used by desktops for folders.
func pathOf(link string) (path string, ok bool) {
	at, err := url.Parse(link)
	if err != nil || at.Scheme != "file" || at.Host != "" && at.Host != "localhost" || at.RawQuery != "" || at.Fragment != "" {
		return "", false
	}
	path = filepath.FromSlash(at.Path)
	// Percent-encoded characters are checked like literal ones.
	return path, filepath.IsAbs(path) && !strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// handed encodes a place for the window that is already open, and arrived decodes it. Any program
// of this desktop could send one.
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
