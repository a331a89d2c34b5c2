//go:build linux

package app

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"parley/backend/paths"
)

// BenchmarkAccept measures the time from a prompt's request to the answer that it is accepted,
// which means it is on disk. In the same run, alternately, it measures a request that writes
// nothing, and a plain write of a page with its fsync. "added" is the cost of acceptance over the
// former. With its data in memory, the same is measured without a disk. Set TMPDIR to a folder on
// the disk to measure.
func BenchmarkAccept(b *testing.B) {
	for name, dir := range map[string]string{"disk": b.TempDir(), "memory": "/dev/shm"} {
		b.Run(name, func(b *testing.B) { accept(b, dir) })
	}
}

func accept(b *testing.B, where string) {
	home, err := os.MkdirTemp(where, "ply-bench-") //nolint:usetesting // where is the point
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(home) })
	check := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	// A CLI that never becomes ready, so that every prompt is queued.
	check(os.WriteFile(filepath.Join(home, "claude"), []byte("#!/bin/sh\n[ \"$1\" = --version ] && { echo '2.1.329 (Claude Code)'; exit; }\nexec sleep 1000\n"), 0o700))
	a, err := New(Config{
		Version: "1.2.3", Env: []string{"HOME=" + home, "PATH=" + home + ":/bin:/usr/bin"}, Executable: filepath.Join(home, "parley"), Logger: slog.New(slog.DiscardHandler),
		Dirs: paths.Dirs{Home: home, Data: filepath.Join(home, "data"), Cache: filepath.Join(home, "cache"), Runtime: filepath.Join(home, "run")},
	})
	check(err)
	b.Cleanup(func() { _ = a.Close() }) // it reports that the CLI had to be killed
	check(a.Start(b.Context()))
	call := func(method string, params any) (answer json.RawMessage, took time.Duration) {
		b.Helper()
		raw, err := json.Marshal(params)
		check(err)
		begun := time.Now()
		answer, err = a.Methods().Call(b.Context(), method, raw)
		took = time.Since(begun)
		check(err)
		return answer, took
	}
	answer, _ := call("session.create", map[string]any{"cwd": home})
	var session struct{ ID string }
	check(json.Unmarshal(answer, &session))
	plain, err := os.Create(filepath.Join(home, "plain"))
	check(err)
	defer plain.Close()
	page := make([]byte, os.Getpagesize())
	send := func(id string) time.Duration {
		_, took := call("session.prompt", map[string]any{"sessionId": session.ID, "promptId": id, "text": "Please look at " + id + ".", "delivery": "queue"})
		return took
	}
	send("the first, which begins the session")
	var reads, syncs, accepts, adds []time.Duration
	for n := 0; b.Loop(); n++ {
		id := strconv.Itoa(n)
		_, read := call("session.get", map[string]any{"sessionId": session.ID})
		begun := time.Now()
		_, err := plain.WriteAt(page, 0)
		check(err)
		check(plain.Sync())
		syncs = append(syncs, time.Since(begun))
		took := send(id)
		reads, accepts, adds = append(reads, read), append(accepts, took), append(adds, took-read)
		call("session.dropQueued", map[string]any{"sessionId": session.ID, "promptId": id})
	}
	b.ReportMetric(0, "ns/op") // the total means nothing
	for name, list := range map[string][]time.Duration{"read": reads, "fsync": syncs, "accept": accepts, "added": adds} {
		slices.Sort(list)
		for _, p := range []int{50, 99} {
			b.ReportMetric(float64(list[(len(list)-1)*p/100])/float64(time.Millisecond), fmt.Sprintf("%s-p%d-ms", name, p))
		}
	}
}
