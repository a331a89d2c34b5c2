//go:build linux

package border

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aead.dev/minisign"

	"parley/app/diagnostics"
	appupdate "parley/app/update"
	"parley/backend/demo"
	updates "parley/backend/update"
)

// shop serves updates.
type shop struct {
	t     *testing.T
	url   string
	mu    sync.Mutex
	files map[string][]byte
}

func openShop(t *testing.T) *shop {
	s := &shop{t: t, files: map[string][]byte{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		data, ok := s.files[strings.TrimPrefix(r.URL.Path, "/")]
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}))
	t.Cleanup(server.Close)
	s.url = server.URL + "/"
	if len(s.url) != len(builtAddress) {
		t.Fatalf("%s is not as long as the address that was built in", s.url)
	}
	return s
}

// built is the Parley under test that uses this shop, as another version.
func (s *shop) built(version string) []byte {
	s.t.Helper()
	data, err := os.ReadFile(program)
	if err != nil || len(version) != len(builtVersion) {
		s.t.Fatal(version, err)
	}
	data = bytes.ReplaceAll(data, []byte(builtAddress), []byte(s.url))
	return bytes.ReplaceAll(data, []byte(builtVersion), []byte(version))
}

// offers makes it offer a program, signed.
func (s *shop) offers(version string, program []byte, key minisign.PrivateKey) {
	s.t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := w.Write(program); err != nil {
		s.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		s.t.Fatal(err)
	}
	sum := sha256.Sum256(packed.Bytes())
	now := time.Now()
	text, err := json.Marshal(updates.Manifest{Product: "parley", Issued: now, Expires: now.Add(time.Hour), Releases: []updates.Release{
		{Version: version, Channel: updates.Stable, Share: 100, Notes: "It is better.", Files: []updates.File{{
			Target: "linux-" + runtime.GOARCH, Name: "new.gz", Size: int64(packed.Len()), SHA256: hex.EncodeToString(sum[:]), Program: int64(len(program)),
		}}},
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = map[string][]byte{"manifest.json": text, "manifest.json.minisig": minisign.Sign(key, text), "new.gz": packed.Bytes()}
}

// An update while three sessions work: an unsigned one and one that does not start change
// nothing, a working one becomes the new version; no turn is interrupted and no CLI ends.
func TestUpdateInTheMiddle(t *testing.T) {
	t.Parallel()
	shop := openShop(t)
	s := copied(t)
	if err := os.WriteFile(s.program, shop.built(builtVersion), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	text := demo.NewGate()
	t.Cleanup(text.Open)
	p := startWith(t, demo.NewRules().
		When(demo.Contains("endless"), demo.Answer(demo.Text("On and ").Wait(text).More("on."))).
		When(demo.Contains("make it"), demo.Answer(demo.Tool("Bash", m{"command": "touch made.txt"})), demo.Say("It is made.")).
		When(demo.Contains("work"), demo.Answer(demo.Tool("Bash", m{"command": "touch begun; until [ -e go ]; do sleep 0.05; done"})), demo.Say("It worked.")), s)
	writes, asks, works := p.open(), p.open(), p.open()
	job := works.prompt("work")
	works.allow(works.question())
	p.until("the tool runs", func() bool { return works.exists("begun") })
	tale := writes.prompt("an endless story")
	<-text.Reached()
	writes.hears(tale, "On and ")
	makes := asks.prompt("make it")
	q := asks.question()
	pids := func() []int { return []int{p.session(writes.id).PID, p.session(asks.id).PID, p.session(works.id).PID} }
	before := pids()
	const broken, better = "0.1.7772", "0.1.7773"

	_, stranger, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	shop.offers(better, shop.built(better), stranger)
	p.watcher.refused("app.update", m{}, "forbidden", "not signed")
	shop.offers(broken, []byte("#!/bin/sh\necho it is broken >&2; exit 3\n"), signer)
	p.watcher.refused("app.update", m{}, "unavailable", "it is broken")
	version := func() string { return call[diagnostics.Info](p.watcher, "app.info", m{}).Version }
	if now := version(); !strings.HasPrefix(now, builtVersion) {
		t.Errorf("it is %s", now)
	}
	shop.offers(broken, []byte("#!/bin/sh\ncase $1 in __successor) echo '{\"version\":\"9.9\"}';; *) exec "+program+" serve --no-such-flag;; esac\n"), signer)
	if got := call[appupdate.Updated](p.watcher, "app.update", m{}); got.State != "restarting" || got.Version != broken {
		t.Fatalf("%+v", got)
	}
	p.expectContinued()
	if wrong := p.health().ids(); !slices.Contains(wrong, "restart_failed") {
		t.Errorf("nobody is told that it did not start: %q", wrong)
	}
	if on, err := os.ReadFile(p.program); err != nil || !bytes.Equal(on, shop.built(builtVersion)) {
		t.Errorf("the program before it is not back on the disk: %v", err)
	}
	if got := call[appupdate.Updates](p.watcher, "app.updates", m{}); got.State != "available" || got.Told {
		t.Errorf("it is told of again: %+v", got)
	}

	shop.offers(better, shop.built(better), signer)
	if got := call[appupdate.Updates](p.watcher, "app.updates", m{"fresh": true}); got.Newer != better || !got.Told || got.Notes != "It is better." {
		t.Errorf("%+v", got)
	}
	call[appupdate.Updated](p.watcher, "app.update", m{})
	p.expectContinued()
	if now := version(); !strings.HasPrefix(now, better) {
		t.Errorf("it is %s", now)
	}
	if old, err := os.ReadFile(p.program + ".previous"); err != nil || !bytes.Equal(old, shop.built(builtVersion)) {
		t.Errorf("the one before is not kept: %v", err)
	}
	if now := pids(); !slices.Equal(now, before) {
		t.Fatalf("the CLIs are %v, and were %v", now, before)
	}
	writes, asks, works = p.resume(writes), p.resume(asks), p.resume(works)
	asks.allow(q)
	asks.done(makes, "completed")
	works.write("go", "")
	works.done(job, "completed")
	text.Open()
	writes.done(tale, "completed")
	if said := spoken(p.messages(writes.id)); len(said) != 2 || said[1] != "assistant: On and on." {
		t.Errorf("%q", said)
	}

	check := exec.Command(p.program, "update", "--check", "--data", p.path("data"))
	check.Env = p.env
	if out, err := check.CombinedOutput(); err != nil || !strings.Contains(string(out), "no newer Parley than "+better) {
		t.Errorf("%s %v", out, err)
	}
	session := exec.Command(p.program, "update", "--data", p.path("data"))
	session.Env = append(slices.Clone(p.env), "CLAUDECODE=1")
	if out, err := session.CombinedOutput(); err == nil || !strings.Contains(string(out), "A session cannot update Parley") {
		t.Errorf("%s %v", out, err)
	}
}
