package gateway

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/backend/fault"
)

// ContentPolicy is the page's Content-Security-Policy, here and in the window: only its own files.
const ContentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"font-src 'self'; connect-src 'self'; frame-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// workshopPolicy is the policy of the frame in which the page renders diagrams. The library writes
// inline styles; in return it reaches nothing but its own code.
const workshopPolicy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// workshop is that frame's file.
const workshop = "workshop.html"

// PolicyOf is the Content-Security-Policy for a path.
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
	// tags are the hashes of served files, by name. Files do not change.
	tags sync.Map
}

func newPage(files fs.FS) *page { return &page{files: files} }

const index = "index.html"

// notBuilt replaces a missing front end.
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
	data, suffix, err := p.find(name, r.Header)
	if errors.Is(err, fs.ErrNotExist) && (path.Ext(name) == "" || address(name)) {
		// The page's own addresses are not files. The page reports invalid ones.
		name = index
		data, suffix, err = p.find(name, r.Header)
	}
	if errors.Is(err, fs.ErrNotExist) && name == index {
		data, err = []byte(notBuilt), nil
	}
	if err != nil {
		writeError(w, http.StatusNotFound, fault.New(fault.NotFound, "file not found"))
		return
	}
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	h.Set("Cache-Control", cacheControl(name))
	// The tag depends on the encoding.
	stored := name
	if suffix != "" {
		stored = name + "." + suffix
		h.Set("Content-Encoding", codings[suffix])
	}
	if p.isPacked(name) {
		h.Set("Vary", "Accept-Encoding")
	}
	if name != index {
		h.Set("ETag", p.tag(stored, data))
	}
	// It is only set for unencoded content.
	h.Set("Content-Length", strconv.Itoa(len(data)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// codings are the HTTP names of the build's compressed files, by suffix.
var codings = map[string]string{"br": "br", "gz": "gzip"}

// find returns a file in the best compression that the client accepts, with its suffix;
// uncompressed, without suffix, if it accepts none.
func (p *page) find(name string, h http.Header) (data []byte, suffix string, err error) {
	accepted := strings.Join(h["Accept-Encoding"], ",")
	for _, suffix := range []string{"br", "gz"} {
		if !accepts(accepted, codings[suffix]) {
			continue
		}
		if data, err := p.read(name + "." + suffix); err == nil {
			return data, suffix, nil
		}
	}
	data, err = p.read(name)
	return data, "", err
}

func (p *page) isPacked(name string) bool {
	_, err := p.read(name + ".gz")
	return err == nil
}

// accepts reports whether an Accept-Encoding accepts a coding.
func accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
		return err != nil || q > 0
	}
	return false
}

func (p *page) tag(stored string, data []byte) string {
	if tag, ok := p.tags.Load(stored); ok {
		return tag.(string)
	}
	sum := sha256.Sum256(data)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	p.tags.Store(stored, tag)
	return tag
}

// address reports whether a name is an address within the page: its id may look like a file name.
func address(name string) bool {
	kind, id, _ := strings.Cut(name, "/")
	switch kind {
	case "session", "workspace", "rooms":
		return id != "" && !strings.Contains(id, "/")
	}
	return false
}

// read returns a file of the front end. Hidden files and folders count as missing.
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

// cacheControl lets browsers cache files with a content hash in their name.
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

// contentType does not use the system's tables, which differ.
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
