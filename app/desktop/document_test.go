package desktop

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"
)

const index = "<!doctype html>\n<html lang=\"en\">\n<head><title>Parley</title></head>\n<body><div id=\"root\"></div></body>\n</html>\n"

func serveDocument(t *testing.T, p *pass, first First, path string) *httptest.ResponseRecorder {
	t.Helper()
	return serveFiles(t, fstest.MapFS{"index.html": {Data: []byte(index)}, "a.js": {Data: []byte("js")}}, p, first, path)
}

func serveFiles(t *testing.T, files fstest.MapFS, p *pass, first First, path string) *httptest.ResponseRecorder {
	t.Helper()
	loads := func() {}
	page := documents(files, p.issue, loads, func() First { return first })
	h := secure(func(string) string {
		return "default-src 'none'; script-src 'self'; style-src 'self'; frame-src 'self'"
	})(page(http.FileServerFS(files)))
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
	return rec
}

// find returns the attributes and text of the first element with a name, and an id if given.
func find(t *testing.T, page, name, id string) (attributes map[string]string, text string, found bool) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != name {
			continue
		}
		attributes = map[string]string{}
		for _, a := range n.Attr {
			attributes[a.Key] = a.Val
		}
		if id != "" && attributes["id"] != id {
			continue
		}
		if n.FirstChild != nil {
			text = n.FirstChild.Data
		}
		return attributes, text, true
	}
	return nil, "", false
}

func TestDocumentOfTheWindow(t *testing.T) {
	p := newPass()
	hostile := `{"title":"</script><script>alert(1)</script><!--<script>","u":"` + "\u2028&" + `"}`
	rec := serveDocument(t, p, First{
		Attributes: map[string]string{"lang": "de", "data-theme": "dark", "data-scheme": `"><script>alert(2)</script>`, "data-accent": ""},
		Style:      ":root{font-size:20px}",
		Answers:    map[string]json.RawMessage{"session.list {}": json.RawMessage(hostile)},
	}, "/")
	body := rec.Body.String()
	if n := strings.Count(body, "<script"); n != 1 {
		t.Errorf("the document has %d scripts, want the one with the data:\n%s", n, body)
	}
	root, _, _ := find(t, body, "html", "")
	want := map[string]string{"lang": "de", "data-theme": "dark", "data-scheme": `"><script>alert(2)</script>`}
	if len(root) != len(want) {
		t.Errorf("the root has %v, want %v", root, want)
	}
	for name, value := range want {
		if root[name] != value {
			t.Errorf("%s = %q, want %q", name, root[name], value)
		}
	}
	script, text, found := find(t, body, "script", "handed")
	if !found || script["type"] != "application/json" {
		t.Fatalf("there is no element with the data: %v", script)
	}
	var got handed
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var title struct{ Title, U string }
	if err := json.Unmarshal(got.Answers["session.list {}"], &title); err != nil || !strings.HasPrefix(title.Title, "</script>") || title.U != "\u2028&" {
		t.Errorf("the answer arrives as %s (%v)", got.Answers["session.list {}"], err)
	}
	if !p.admits(got.Pass) {
		t.Error("the document has another secret than the one that is asked for")
	}
	// Its style applies, and no other.
	_, style, _ := find(t, body, "style", "look")
	sum := sha256.Sum256([]byte(style))
	policy := rec.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "style-src 'self' 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"';") {
		t.Errorf("the policy %q does not allow the style %q", policy, style)
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %q", policy)
	}
}

func TestOnlyTheWindowsOwnRequestGetsTheSecret(t *testing.T) {
	p := newPass()
	answers := First{Answers: map[string]json.RawMessage{"app.info {}": json.RawMessage(`{"home":"/secret"}`)}, Style: "p{}"}
	secret := regexp.MustCompile(`"pass":"([^"]+)"`)
	if !secret.MatchString(serveDocument(t, p, answers, "/").Body.String()) {
		t.Fatal("the window's document has no secret")
	}
	// All kinds of requests by frames and scripts.
	for _, path := range []string{"/", "/?again", "/index.html", "/index.html/", "//", "/a.js"} {
		rec := serveDocument(t, p, answers, path)
		if body := rec.Body.String(); strings.Contains(body, "pass") || strings.Contains(body, "/secret") {
			t.Errorf("%s answers %s", path, body)
		}
		if policy := rec.Header().Get("Content-Security-Policy"); strings.Contains(policy, "sha256") {
			t.Errorf("%s has the policy %q", path, policy)
		}
	}
	p.expect()
	if !secret.MatchString(serveDocument(t, p, answers, "/").Body.String()) {
		t.Error("the document has no secret after a reload")
	}
}

// The page's real document must contain the places that are replaced.
func TestComposeFindsItsPlaces(t *testing.T) {
	body := string(compose([]byte(index), "s", "", First{Attributes: map[string]string{"lang": "de"}, Style: "p{}"}))
	for _, want := range []string{`<html lang="de">`, `<style id="look">p{}</style>`, `id="handed">{"pass":"s"`} {
		if strings.Count(body, want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, body)
		}
	}
}

// The frame is painted before anything else is fetched: what it needs is in the document, and a
// script of the document, which the policy allows, starts the rest.
func TestFrameNeedsNoOtherFile(t *testing.T) {
	const built = `<!doctype html>
<html lang="en">
  <head>
    <link rel="stylesheet" href="/frame.css">
    <title>Parley</title>
    <script src="/enter.js"></script>
    <script type="module" crossorigin src="/assets/page-a.js"></script>
    <link rel="stylesheet" crossorigin href="/assets/page-b.css">
  </head>
  <body><div id="root"><div id="frame"></div></div></body>
</html>
`
	const frame = "#frame{display:flex}"
	files := fstest.MapFS{"index.html": {Data: []byte(built)}, "frame.css": {Data: []byte(frame)}}
	rec := serveFiles(t, files, newPass(), First{Style: ":root{}"}, "/")
	body := rec.Body.String()
	if _, style, found := find(t, body, "style", "frame-style"); !found || style != frame {
		t.Errorf("the frame's style sheet is %q", style)
	}
	for _, other := range []string{"<link", "src="} {
		if strings.Contains(body, other) {
			t.Errorf("the document names another file (%s):\n%s", other, body)
		}
	}
	if strings.Index(body, "frame-style") > strings.Index(body, `id="look"`) {
		t.Error("the user's look comes before what it changes")
	}
	script := body[strings.LastIndex(body, "<script>")+len("<script>") : strings.LastIndex(body, "</script>")]
	if !strings.Contains(script, `import("/assets/page-a.js")`) || !strings.Contains(script, `sheet.href = "/assets/page-b.css"`) {
		t.Errorf("the script starts something else: %s", script)
	}
	policy := rec.Header().Get("Content-Security-Policy")
	for kind, texts := range map[string][]string{"script-src": {script}, "style-src": {frame, ":root{}"}} {
		want := kind + " 'self'"
		for _, text := range texts {
			sum := sha256.Sum256([]byte(text))
			want += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		}
		if !strings.Contains(policy, want+";") {
			t.Errorf("the policy is %s, want %s", policy, want)
		}
	}
	// Another page than the build's is served as it is.
	for name, page := range map[string]string{"no program": strings.Replace(built, "/assets/page-a.js", "/src/main.tsx", 1), "no style sheet": strings.Replace(built, "/assets/page-b.css", "/b.css", 1)} {
		files["index.html"].Data = []byte(page)
		if body := serveFiles(t, files, newPass(), First{}, "/").Body.String(); strings.Contains(body, "<script>") || !strings.Contains(body, "/enter.js") {
			t.Errorf("%s:\n%s", name, body)
		}
	}
}
