package desktop

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// First is the page's initial data. It is part of the document, so that it is available before any
// script runs.
type First struct {
	// Attributes are set on the document's root, and Style is a style sheet: the look this user
	// chose.
	Attributes map[string]string
	Style      string
	// Answers are the answers to the page's first calls, by method and parameters.
	Answers map[string]json.RawMessage
}

// handed is the data that only the page's first script reads, and removes from the document.
type handed struct {
	Pass    string                     `json:"pass"`
	Answers map[string]json.RawMessage `json:"answers"`
}

const (
	indexName = "index.html"
	frameName = "frame.css"
	rootTag   = `<html lang="en">`
	headEnd   = "</head>"
	bodyEnd   = "</body>"
)

// Each file that the document names delays the first paint, and so does the page's program. The
// frame's style sheet is therefore in the document, and the rest begins when the frame is painted.
// What takes a key out of a browser's address isn't needed here.
var (
	frameLink   = regexp.MustCompile(`\s*<link rel="stylesheet" href="/frame\.css"\s*/?>`)
	enterTag    = regexp.MustCompile(`\s*<script src="/enter\.js"></script>`)
	pageStyles  = regexp.MustCompile(`\s*<link rel="stylesheet"[^>]* href="(/assets/[^"]*)"\s*/?>`)
	pageProgram = regexp.MustCompile(`<script type="module"[^>]* src="(/assets/[^"]*)"></script>`)
)

// begin starts the page's program once its style sheet is there and the frame is painted. A hidden
// window paints nothing, so it also starts after a while.
const begin = `(() => {
	let begun = false;
	const begin = () => {
		if (begun) return;
		begun = true;
		const sheet = document.createElement("link");
		const styled = new Promise((done) => (sheet.onload = sheet.onerror = done));
		sheet.rel = "stylesheet";
		sheet.href = "%[2]s";
		document.head.append(sheet);
		const program = document.createElement("link");
		program.rel = "modulepreload";
		program.href = "%[1]s";
		document.head.append(program);
		styled.then(() => import("%[1]s"));
	};
	requestAnimationFrame(() => setTimeout(begin));
	setTimeout(begin, 100);
})();`

// documents serves the page's document. Only the response to the window itself, once for each of
// its loads, contains the secret for calls and the initial data; loading is called before that data
// is requested.
func documents(files fs.FS, issue func() (string, bool), loading func(), first func() First) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || (r.URL.Path != "/" && r.URL.Path != "/"+indexName) {
				next.ServeHTTP(w, r)
				return
			}
			secret, ok := issue()
			page, err := fs.ReadFile(files, indexName)
			if !ok || err != nil {
				next.ServeHTTP(w, r)
				return
			}
			loading()
			data := first()
			script := ""
			frame, err := fs.ReadFile(files, frameName)
			if err == nil {
				page, script = reorder(page)
			}
			if script == "" {
				frame = nil // as in a browser
			}
			h := w.Header()
			h.Set("Content-Type", "text/html; charset=utf-8")
			policy := allow(h.Get("Content-Security-Policy"), "style-src", string(frame), data.Style)
			h.Set("Content-Security-Policy", allow(policy, "script-src", script))
			_, _ = w.Write(compose(page, secret, string(frame), data))
		})
	}
}

// reorder leaves in the document's head only what the frame needs, and returns the script that
// starts the rest.
func reorder(page []byte) (reordered []byte, script string) {
	program, styles := pageProgram.FindSubmatch(page), pageStyles.FindSubmatch(page)
	if program == nil || styles == nil {
		return page, ""
	}
	script = fmt.Sprintf(begin, program[1], styles[1])
	for _, tag := range []*regexp.Regexp{frameLink, enterTag, pageStyles, pageProgram} {
		page = tag.ReplaceAll(page, nil)
	}
	return bytes.Replace(page, []byte(bodyEnd), []byte("<script>"+script+"</script>"+bodyEnd), 1), script
}

// compose inserts the frame's style sheet and the data for the page into the document.
func compose(page []byte, secret, frame string, first First) []byte {
	// JSON from this package has no "<", so it can't end its element.
	data, err := json.Marshal(handed{Pass: secret, Answers: first.Answers})
	if err != nil {
		data, _ = json.Marshal(handed{Pass: secret}) // marshaling two strings never fails
	}
	root := &strings.Builder{}
	root.WriteString("<html")
	attributes := first.Attributes
	if attributes["lang"] == "" {
		root.WriteString(` lang="en"`)
	}
	for _, name := range slices.SortedFunc(maps.Keys(attributes), cmp.Compare) {
		if value := attributes[name]; value != "" {
			root.WriteString(" " + name + `="` + html.EscapeString(value) + `"`)
		}
	}
	root.WriteString(">")
	head := &strings.Builder{}
	if frame != "" {
		head.WriteString(`<style id="frame-style">` + frame + `</style>`)
	}
	if first.Style != "" {
		head.WriteString(`<style id="look">` + first.Style + `</style>`)
	}
	head.WriteString(`<script type="application/json" id="handed">` + string(data) + `</script>` + headEnd)
	page = bytes.Replace(page, []byte(rootTag), []byte(root.String()), 1)
	return bytes.Replace(page, []byte(headEnd), []byte(head.String()), 1)
}

// allow makes a policy allow scripts or style sheets in the document, by their hashes.
func allow(policy, kind string, texts ...string) string {
	own := kind + " 'self'"
	allowed := own
	for _, text := range texts {
		if text != "" {
			sum := sha256.Sum256([]byte(text))
			allowed += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		}
	}
	return strings.Replace(policy, own, allowed, 1)
}
