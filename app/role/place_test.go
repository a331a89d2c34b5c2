package role

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/fault"
)

func TestPlaceOf(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"work", "with space"} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(here, name) }
	const id = "0b1c2d3e-0000-4000-8000-0123456789ab"
	tests := map[string]struct {
		arg, session, folder string
		code                 fault.Code
	}{
		"a link":               {"parley://session/" + id, id, "", ""},
		"a link with a slash":  {"parley://session/" + id + "/", id, "", ""},
		"an id":                {id, id, "", ""},
		"a folder":             {"work", "", at("work"), ""},
		"this folder":          {".", "", here, ""},
		"the one above":        {"work/..", "", here, ""},
		"a whole path":         {at("work"), "", at("work"), ""},
		"a file's URL":         {"file://" + at("with%20space"), "", at("with space"), ""},
		"a URL with a host":    {"file://localhost" + at("work"), "", at("work"), ""},
		"nothing":              {"", "", "", fault.Invalid},
		"a file":               {"file", "", "", fault.Invalid},
		"no folder":            {"work/none", "", "", fault.NotFound},
		"another scheme":       {"https://example.com/session/" + id, "", "", fault.Invalid},
		"a script":             {"javascript://session/" + id, "", "", fault.Invalid},
		"another computer":     {"file://example.com" + at("work"), "", "", fault.Invalid},
		"a URL with a query":   {"file://" + at("work") + "?x", "", "", fault.Invalid},
		"a hidden line break":  {"file://" + at("work") + "%0a", "", "", fault.Invalid},
		"a link to what else":  {"parley://prompt/" + id, "", "", fault.Invalid},
		"a link with dots":     {"parley://session/../" + id, "", "", fault.Invalid},
		"a link with percents": {"parley://session/%2e%2e", "", "", fault.Invalid},
		"a link with more":     {"parley://session/" + id + "?prompt=x", "", "", fault.Invalid},
		"a link to a flag":     {"parley://session/--data", "", "", fault.Invalid},
		"a link to nothing":    {"parley://session/", "", "", fault.Invalid},
		"a line break":         {"parley://session/" + id + "\nx", "", "", fault.Invalid},
		"a zero":               {"work\x00", "", "", fault.Invalid},
		"no text":              {"parley://session/\xff", "", "", fault.Invalid},
		"ten kilobytes":        {"parley://session/" + strings.Repeat("a", 10<<10), "", "", fault.Invalid},
		"a long id":            {"parley://session/" + strings.Repeat("a", 129), "", "", fault.Invalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := placeOf(tt.arg)
			if got.SessionID != tt.session || got.Folder != tt.folder || tt.code == "" && err != nil || tt.code != "" && fault.CodeOf(err) != tt.code {
				t.Fatalf("%+v, %v", got, err)
			}
			if err != nil {
				return
			}
			if back, ok := arrived(got.handed()); !ok || back != got {
				t.Errorf("handed over it is %+v, %v", back, ok)
			}
		})
	}
}

func TestIsPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("work", 0o700); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]bool{
		".": true, "..": true, "work": true, "work/none": true, "parley://x": true, "https://x": true, "nope": false, "": false, "sesion": false,
	} {
		if isPlace(arg) != want {
			t.Errorf("%q: %v", arg, !want)
		}
	}
}

func TestArrived(t *testing.T) {
	for name, args := range map[string][]string{
		"nothing": nil, "two": {"{}", "{}"}, "no JSON": {"x"}, "a list": {"[]"}, "a prompt": {`{"sessionId":"a","prompt":"x"}`},
		"dots": {`{"sessionId":"../a"}`}, "a folder from here": {`{"folder":"work"}`}, "much": {`{"folder":"/` + strings.Repeat("a", 10<<10) + `"}`},
	} {
		if a, ok := arrived(args); ok {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func FuzzPlaceOf(f *testing.F) {
	for _, seed := range []string{"parley://session/a", "file:///tmp", "..", "a\x00", "%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		a, err := placeOf(arg)
		if err != nil {
			return
		}
		if a.SessionID != "" && !sessionID.MatchString(a.SessionID) || a.Folder != "" && !filepath.IsAbs(a.Folder) || (a.SessionID == "") == (a.Folder == "") {
			t.Errorf("%q is %+v", arg, a)
		}
	})
}
