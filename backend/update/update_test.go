package update

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"aead.dev/minisign"

	"parley/backend/fault"
)

const target = "linux-amd64"

// bench is an update server, and a program of version 1.0.0 that uses it.
type bench struct {
	*Updater
	t        *testing.T
	public   string
	key      minisign.PrivateKey
	manifest Manifest
	packed   []byte
	// answer, if set, answers requests for the packed program.
	answer http.HandlerFunc
	asked  []string // requested ranges
}

func packed(t *testing.T, program string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(program)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func newKey(t *testing.T) (string, minisign.PrivateKey) {
	t.Helper()
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return public.String(), private
}

const newProgram = "the new program"

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, packed: packed(t, newProgram)}
	b.public, b.key = newKey(t)
	now := time.Now().Truncate(time.Second)
	b.manifest = Manifest{Product: "parley", Issued: now, Expires: now.Add(time.Hour), Releases: []Release{b.release("1.1.0")}}
	mux := http.NewServeMux()
	mux.HandleFunc("/new.gz", func(w http.ResponseWriter, r *http.Request) {
		b.asked = append(b.asked, r.Header.Get("Range"))
		if b.answer != nil {
			b.answer(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b.packed))
	})
	mux.HandleFunc("/"+manifestName, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(b.text()) })
	mux.HandleFunc("/"+signatureName, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(minisign.Sign(b.key, b.text())) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	program := filepath.Join(dir, "parley")
	if err := os.WriteFile(program, []byte("the old program"), 0o755); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	b.Updater = &Updater{
		Source: Source{server.URL, b.public}, Version: "1.0.0+abcdef01", Program: program, Target: target,
		Dir: filepath.Join(dir, "data", "update"), Log: slog.New(slog.DiscardHandler),
	}
	return b
}

func (b *bench) release(version string) Release {
	sum := sha256.Sum256(b.packed)
	return Release{Version: version, Channel: Channel(version), Share: 100, Files: []File{
		{Target: target, Name: "new.gz", Size: int64(len(b.packed)), SHA256: hex.EncodeToString(sum[:]), Program: int64(len(newProgram))},
	}}
}

func (b *bench) text() []byte {
	text, err := json.Marshal(b.manifest)
	if err != nil {
		b.t.Error(err)
	}
	return text
}

func (b *bench) install(probe error) (string, error) {
	return b.Install(b.t.Context(), func(context.Context) error { return probe })
}

func (b *bench) has(path, want string) {
	b.t.Helper()
	if got, err := os.ReadFile(path); string(got) != want {
		b.t.Errorf("%s says %q, not %q: %v", path, got, want, err)
	}
}

// An update is swapped in with the mode of the program; the previous one is kept, and restored
// if the new one does not start.
func TestInstall(t *testing.T) {
	b := newBench(t)
	if version, err := b.install(nil); err != nil || version != "1.1.0" {
		t.Fatal(version, err)
	}
	b.has(b.Program, newProgram)
	b.has(previous(b.Program), "the old program")
	if info, err := os.Stat(b.Program); err != nil || info.Mode() != 0o755 {
		t.Error(info.Mode(), err)
	}
	if err := b.Back(); err != nil {
		t.Fatal(err)
	}
	b.has(b.Program, "the old program")
	offer, err := b.Check(t.Context(), time.Hour)
	if err != nil || offer == nil || offer.Told {
		t.Errorf("what failed is told of again: %+v %v", offer, err)
	}
	if _, err := b.install(nil); err != nil { // a user may try it once more
		t.Fatal(err)
	}
	b.Version = "1.1.0"
	if err := errors.Join(b.Settle(), b.Back()); err != nil {
		t.Fatal(err)
	}
	b.has(b.Program, newProgram)
	if _, err := b.install(nil); fault.CodeOf(err) != fault.Conflict {
		t.Error(err)
	}
}

// full fails every write.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// Every bad update is rejected with a specific error, and the program stays.
func TestRefused(t *testing.T) {
	_, other := newKey(t)
	for name, tt := range map[string]struct {
		change func(b *bench)
		probe  error
		code   fault.Code
		want   string
	}{
		"another's signature": {func(b *bench) { b.key = other }, nil, fault.Forbidden, "not signed"},
		"no key":              {func(b *bench) { b.Key = "" }, nil, fault.Unavailable, "without an update address"},
		"no https":            {func(b *bench) { b.Address = "http://example.invalid/" }, nil, fault.Unavailable, "https"},
		"another product":     {func(b *bench) { b.manifest.Product = "curtain" }, nil, fault.Unavailable, "curtain"},
		"expired": {func(b *bench) {
			b.manifest.Issued, b.manifest.Expires = b.manifest.Issued.AddDate(-1, 0, 0), b.manifest.Issued.Add(-time.Second)
		}, nil, fault.Forbidden, "expired"},
		"to come": {func(b *bench) {
			b.manifest.Issued, b.manifest.Expires = b.manifest.Issued.AddDate(1, 0, 0), b.manifest.Issued.AddDate(2, 0, 0)
		}, nil, fault.Forbidden, "clock"},
		"an older version": {func(b *bench) { b.manifest.Releases = []Release{b.release("0.9.0")} }, nil, fault.Conflict, "no newer"},
		"the same":         {func(b *bench) { b.manifest.Releases = []Release{b.release("1.0.0")} }, nil, fault.Conflict, "no newer"},
		"a beta":           {func(b *bench) { b.manifest.Releases = []Release{b.release("1.1.0-rc.1")} }, nil, fault.Conflict, "no newer"},
		"withdrawn":        {func(b *bench) { b.manifest.Releases[0].Share = 0 }, nil, fault.Conflict, "no newer"},
		"another machine":  {func(b *bench) { b.Target = "linux-arm64" }, nil, fault.Conflict, "no newer"},
		"too far":          {func(b *bench) { b.manifest.Releases[0].Minimum = "1.0.1" }, nil, fault.Conflict, "manually"},
		"a hostile name":   {func(b *bench) { b.manifest.Releases[0].Files[0].Name = "../x" }, nil, fault.Unavailable, "file's name"},
		"a hostile size":   {func(b *bench) { b.manifest.Releases[0].Files[0].Size = 1 << 40 }, nil, fault.Unavailable, "size"},
		"more than signed": {func(b *bench) {
			b.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(append(b.packed, make([]byte, 1<<20)...)) }
		}, nil, fault.Forbidden, "more data than the signed list"},
		"other bytes": {func(b *bench) {
			b.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, len(b.packed))) }
		}, nil, fault.Forbidden, "does not match the signed checksum"},
		"it unpacks to more": {func(b *bench) { b.manifest.Releases[0].Files[0].Program-- }, nil, fault.Forbidden, "larger than it says"},
		"it unpacks to less": {func(b *bench) { b.manifest.Releases[0].Files[0].Program++ }, nil, fault.Forbidden, "unpacked"},
		"no such file":       {func(b *bench) { b.answer = http.NotFound }, nil, fault.Unavailable, "404"},
		"cut at once": {func(b *bench) {
			b.answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		}, nil, fault.Unavailable, "cannot be reached"},
		"a full disk":       {func(b *bench) { b.disk = func(io.Writer) io.Writer { return full{} } }, nil, fault.Unavailable, "disk is full"},
		"it does not start": {func(*bench) {}, fault.New(fault.Unavailable, "It is broken."), fault.Unavailable, "It is broken."},
		"of the system": {func(b *bench) {
			if err := os.WriteFile(filepath.Join(filepath.Dir(b.Program), "packaged"), []byte("deb\n"), 0o600); err != nil {
				b.t.Error(err)
			}
		}, nil, fault.Unavailable, "apt"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			tt.change(b)
			if version, err := b.install(tt.probe); fault.CodeOf(err) != tt.code || !strings.Contains(fault.MessageOf(err), tt.want) {
				t.Errorf("%q %v", version, err)
			}
			b.has(b.Program, "the old program")
		})
	}
}

// Versions never go back, neither with an old manifest nor with a new one.
func TestNeverBack(t *testing.T) {
	for name, change := range map[string]func(b *bench, before Manifest){
		"a list of before": func(b *bench, before Manifest) { b.manifest = before },
		"a new list of older versions": func(b *bench, before Manifest) {
			b.manifest.Issued, b.manifest.Releases = b.manifest.Issued.Add(time.Second), before.Releases
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			before := b.manifest
			b.manifest.Issued, b.manifest.Releases = b.manifest.Issued.Add(time.Second), []Release{b.release("1.2.0")}
			if offer, err := b.Check(t.Context(), 0); err != nil || offer.Version != "1.2.0" {
				t.Fatal(offer, err)
			}
			change(b, before)
			if _, err := b.install(nil); fault.CodeOf(err) != fault.Forbidden {
				t.Error(err)
			}
			b.has(b.Program, "the old program")
		})
	}
}

// An interrupted download resumes, at once and later; without range support it restarts.
func TestCutDownload(t *testing.T) {
	for name, ranges := range map[string]bool{"with ranges": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			half := len(b.packed) / 2
			cuts := 0
			b.answer = func(w http.ResponseWriter, r *http.Request) {
				if cuts++; cuts == 1 {
					w.Header().Set("Content-Length", "1000")
					_, _ = w.Write(b.packed[:half])
					_ = http.NewResponseController(w).Flush()
					panic(http.ErrAbortHandler)
				}
				if cuts == 2 {
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				if !ranges {
					r.Header.Del("Range")
				}
				http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b.packed))
			}
			if _, err := b.install(nil); fault.CodeOf(err) != fault.Unavailable {
				t.Fatal(err)
			}
			b.has(b.Program, "the old program")
			if _, err := b.install(nil); err != nil {
				t.Fatal(err)
			}
			b.has(b.Program, newProgram)
			if len(b.asked) != 3 || b.asked[0] != "" || b.asked[2] == "" {
				t.Errorf("%q", b.asked)
			}
		})
	}
}

// A key announced by a signed manifest is valid from then on, and no other is.
func TestNextKey(t *testing.T) {
	b := newBench(t)
	next, nextKey := newKey(t)
	_, third := newKey(t)
	b.manifest.NextKey = next
	if _, err := b.Check(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	b.manifest.NextKey, b.key = "", nextKey
	if offer, err := b.Check(t.Context(), 0); err != nil || offer == nil {
		t.Fatal(offer, err)
	}
	b.key = third
	if _, err := b.Check(t.Context(), 0); fault.CodeOf(err) != fault.Forbidden {
		t.Error(err)
	}
}

// The server is asked at most once per interval; a share always contains the same Parleys.
func TestCheck(t *testing.T) {
	b := newBench(t)
	b.manifest.Releases = []Release{b.release("1.3.0"), b.release("1.2.0"), b.release("1.4.0-rc.1")}
	b.manifest.Releases[0].Share = 1
	told, total := 0, 300
	for range total {
		s := state{ID: time.Now().String()}
		offer, err := b.choose(s, &b.manifest)
		if err != nil || !offer.Told {
			t.Fatal(offer, err)
		}
		if offer.Version == "1.3.0" {
			told++
		}
	}
	if told > total/10 {
		t.Errorf("%d of %d are told of it, not 1 %%", told, total)
	}
	for range 2 {
		if _, err := b.Check(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		b.Address += "/nowhere"
	}
	if _, err := b.Check(t.Context(), 0); err == nil {
		t.Error("it was not asked")
	}
	b.Version = "1.3.0-rc.1"
	if offer, err := b.choose(state{}, &b.manifest); err != nil || offer.Version != "1.4.0-rc.1" {
		t.Error(offer, err)
	}
	if err := os.WriteFile(filepath.Join(b.Dir, stateFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := b.load(); err != nil || s.ID == "" {
		t.Error(s, err)
	}
}

// Any manifest is either rejected or within all bounds.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"product":"parley","issued":"2026-01-01T00:00:00Z","expires":"2026-02-01T00:00:00Z","releases":[{"version":"1.0.0","channel":"stable","share":5,"files":[{"target":"linux-amd64","name":"a.gz","size":1,"sha256":"` + strings.Repeat("ab", 32) + `","program":2}]}]}`))
	f.Add([]byte(`{"product":"parley","nextKey":"x"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := decode(text)
		if err != nil {
			return
		}
		for _, r := range m.Releases {
			for _, file := range r.Files {
				if file.Size > maxPacked || file.Program > maxProgram || strings.ContainsAny(file.Name, "/\\\x00") {
					t.Errorf("%+v", file)
				}
			}
		}
		u := &Updater{Version: "0.0.1", Target: target}
		if offer, err := u.choose(state{}, m); err == nil && offer != nil && compare(offer.Version, u.Version) <= 0 {
			t.Errorf("%+v", offer)
		}
	})
}
