package gateway

import (
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"

	"parley/backend/problem"
)

// serveMetrics serves metrics in Prometheus format. Its caller has authorized the request.
func (g *Gateway) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if !readOnly(w, r) {
		return
	}
	var b strings.Builder
	say := func(name, kind, help, labels string, value float64) {
		_, _ = fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n%s%s %s\n", name, help, name, kind, name, labels, strconv.FormatFloat(value, 'g', -1, 64))
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	g.mu.Lock()
	sockets := len(g.sockets)
	g.mu.Unlock()
	failing, warned := 0, 0
	if g.cfg.Problems != nil {
		for _, p := range g.cfg.Problems() {
			if p.Severity == problem.Error {
				failing++
			} else {
				warned++
			}
		}
	}
	say("parley_info", "gauge", "The running version.", fmt.Sprintf("{version=%q,go=%q}", g.cfg.Version, runtime.Version()), 1)
	say("parley_sockets", "gauge", "Open WebSockets.", "", float64(sockets))
	say("parley_problems_errors", "gauge", "Current errors.", "", float64(failing))
	say("parley_problems_warnings", "gauge", "Current warnings.", "", float64(warned))
	say("go_goroutines", "gauge", "Running goroutines.", "", float64(runtime.NumGoroutine()))
	say("go_memstats_sys_bytes", "gauge", "Memory obtained from the system.", "", float64(mem.Sys))
	say("go_memstats_heap_inuse_bytes", "gauge", "Memory of the heap in use.", "", float64(mem.HeapInuse))
	say("go_memstats_mallocs_total", "counter", "Allocations so far.", "", float64(mem.Mallocs))
	say("go_gc_cycles_total", "counter", "Garbage collections so far.", "", float64(mem.NumGC))
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodGet {
		_, _ = w.Write([]byte(b.String()))
	}
}
