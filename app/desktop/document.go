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
	rootTag   = `<html lang="en">`
	headEnd   = "</head>"
)

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

// compose inserts the data for the page into the document.
func compose(page []byte, secret string, first First) []byte {
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
	if first.Style != "" {
		head.WriteString(`<style id="look">` + first.Style + `</style>`)
	}
	head.WriteString(`<script type="application/json" id="handed">` + string(data) + `</script>` + headEnd)
	page = bytes.Replace(page, []byte(rootTag), []byte(root.String()), 1)
	return bytes.Replace(page, []byte(headEnd), []byte(head.String()), 1)
}

// withStyle makes a policy allow one style sheet in the document, by its hash.
func withStyle(policy, style string) string {
	sum := sha256.Sum256([]byte(style))
	const styles = "style-src 'self'"
	return strings.Replace(policy, styles, styles+" 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", 1)
}
