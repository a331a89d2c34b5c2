package desktop

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// First is what the page begins with. It is a part of its document, so that it is there
// before any script ran.
type First struct {
	// Attributes are those of the document's root, and Style is a style sheet: what the
	// page looks like for this person.
	Attributes map[string]string
	Style      string
	// Answers are those to the first calls of the page, by the method and its parameters
	// as they would have been called.
	Answers map[string]json.RawMessage
}

// handed is what only the page's first script reads, and takes out of the document.
type handed struct {
	Pass    string                     `json:"pass"`
	Answers map[string]json.RawMessage `json:"answers"`
}

const (
	indexName = "index.html"
	rootTag   = `<html lang="en">`
	headEnd   = "</head>"
)

// documents answers requests for the page's document. Only the one that the window itself
// asked for, once for each of its loads, holds the secret of its calls, and what the page
// begins with; loading is told of it before that is asked for.
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
			begin := first()
			h := w.Header()
			h.Set("Content-Type", "text/html; charset=utf-8")
			if begin.Style != "" {
				h.Set("Content-Security-Policy", withStyle(h.Get("Content-Security-Policy"), begin.Style))
			}
			_, _ = w.Write(compose(page, secret, begin))
		})
	}
}

// compose puts into the document what is handed to the page.
func compose(page []byte, secret string, first First) []byte {
	// JSON of this package's making has no "<", so that it cannot end its element.
	data, err := json.Marshal(handed{Pass: secret, Answers: first.Answers})
	if err != nil {
		data, _ = json.Marshal(handed{Pass: secret}) // two strings always have a JSON form
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
	if first.Style != "" {
		head.WriteString(`<style id="look">` + first.Style + `</style>`)
	}
	head.WriteString(`<script type="application/json" id="handed">` + string(data) + `</script>` + headEnd)
	page = bytes.Replace(page, []byte(rootTag), []byte(root.String()), 1)
	return bytes.Replace(page, []byte(headEnd), []byte(head.String()), 1)
}

// withStyle lets a policy allow one style sheet in the document, by its hash.
func withStyle(policy, style string) string {
	sum := sha256.Sum256([]byte(style))
	const styles = "style-src 'self'"
	return strings.Replace(policy, styles, styles+" 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", 1)
}
