package desktop

import "net/http"

// firstWrite is less than any pipe's capacity, so that writing it can't block.
const firstWrite = 2 << 10

// secure wraps the asset server: the page gets the same policy as in a browser, nothing is stored
// in WebKit's cache, and a response's pipe does not leak into programs that the back end starts at
// that moment.
func secure(csp func(urlPath string) string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("Content-Security-Policy", csp(r.URL.Path))
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("Cache-Control", "no-store")
			next.ServeHTTP(&pipeGuard{ResponseWriter: w}, r)
		})
	}
}

// A pipeGuard keeps the pipe that Wails creates for a response out of child processes. Wails
// creates it on the first write, inheritable; a child started while it is open would keep it open,
// and the page's request would not end before that child does.
type pipeGuard struct {
	http.ResponseWriter
	guarded bool
}

func (g *pipeGuard) WriteHeader(code int) {
	g.guard(func() { g.ResponseWriter.WriteHeader(code) })
}

func (g *pipeGuard) Write(p []byte) (int, error) {
	if g.guarded {
		return g.ResponseWriter.Write(p)
	}
	// No process may be started during the guarded write, so it must not block.
	head := p[:min(len(p), firstWrite)]
	var n int
	var err error
	g.guard(func() { n, err = g.ResponseWriter.Write(head) })
	if err != nil || len(head) == len(p) {
		return n, err
	}
	m, err := g.ResponseWriter.Write(p[len(head):])
	return n + m, err
}

func (g *pipeGuard) guard(open func()) {
	if g.guarded {
		open()
		return
	}
	g.guarded = true
	withoutFork(open)
}
