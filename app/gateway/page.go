package gateway

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"parley/backend/fault"
)

// ContentPolicy is the Content-Security-Policy of the page, here and in the
// window: its own files and nothing else.
const ContentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// workshopPolicy is that of the frame in which the page draws diagrams. What draws
// them writes styles into its elements; in return it reaches nothing but its own code.
const workshopPolicy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// workshop is the file of that frame.
const workshop = "workshop.html"

// PolicyOf is the Content-Security-Policy of what is at a path.
func PolicyOf(urlPath string) string {
	if urlPath == "/"+workshop {
		return workshopPolicy
	}
	return ContentPolicy
}

func securityHeaders(h http.Header, urlPath string) {
	h.Set("Content-Security-Policy", PolicyOf(urlPath))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	if urlPath == "/"+workshop {
		h.Set("X-Frame-Options", "SAMEORIGIN")
	}
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
}

// page serves the built front end.
type page struct {
	files fs.FS
}

func newPage(files fs.FS) *page { return &page{files: files} }

const index = "index.html"

// notBuilt stands in for a front end that is not there.
const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Parley</title>
<h1>The front end is not built</h1>
<p>This Parley was compiled without its page. In its source folder, run</p>
<pre>(cd frontend &amp;&amp; npm ci &amp;&amp; npm run build) &amp;&amp; go build .</pre>
<p>and start it again. Programs can use the WebSocket at /ws as it is.</p>
</html>
`

func (p *page) serve(w http.ResponseWriter, r *http.Request) {
	if !readOnly(w, r) {
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = index
	}
	data, err := p.read(name)
	if errors.Is(err, fs.ErrNotExist) && (path.Ext(name) == "" || address(name)) {
		// The page's own addresses are not files. What is wrong with one, the page says.
		name = index
		data, err = p.read(name)
	}
	if errors.Is(err, fs.ErrNotExist) && name == index {
		data, err = []byte(notBuilt), nil
	}
	if err != nil {
		writeError(w, http.StatusNotFound, fault.New(fault.NotFound, "there is no such file"))
		return
	}
	w.Header().Set("Content-Type", contentType(name))
	w.Header().Set("Cache-Control", cacheControl(name))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// address says whether a name is that of something the page shows: its id may look like
// a file's name.
func address(name string) bool {
	kind, id, _ := strings.Cut(name, "/")
	return (kind == "session" || kind == "workspace") && id != "" && !strings.Contains(id, "/")
}

// read returns a file of the front end. What is hidden or no file does not exist.
func (p *page) read(name string) ([]byte, error) {
	if p.files == nil || !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return nil, fs.ErrNotExist
		}
	}
	info, err := fs.Stat(p.files, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	return fs.ReadFile(p.files, name)
}

// cacheControl lets a browser keep what has a hash of its content in its name.
func cacheControl(name string) string {
	switch {
	case name == index:
		return "no-store"
	case strings.HasPrefix(name, "assets/"):
		return "public, max-age=31536000, immutable"
	default:
		return "no-cache"
	}
}

// contentType does not ask the system, whose tables differ.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".webp":
		return "image/webp"
	case ".ico":
		return "image/x-icon"
	case ".woff2":
		return "font/woff2"
	case ".wasm":
		return "application/wasm"
	case ".txt":
		return "text/plain; charset=utf-8"
	default:
		return "application/octet-stream"
	}
}
