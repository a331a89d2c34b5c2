package library_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/session/library"
	"parley/backend/store/model"
)

// rig is a library with everything around it. Its records and files survive a
// restart.
type rig struct {
	t       testing.TB
	l       *library.Library
	live    *fakeLive
	records *fakeRecords
	blobs   *fakeBlobs
	catalog *fakeCatalog
	spaces  *fakeSpaces
	root    string
	events  *events
	timing  sync.Mutex
	clock   func() time.Time
	// scripted is the setting of the next start.
	scripted bool
	logged   *bytes.Buffer
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{
		t: t, records: newFakeRecords(), blobs: &fakeBlobs{files: map[string][]byte{}},
		spaces: &fakeSpaces{ids: map[string]string{}}, root: t.TempDir(), clock: time.Now,
	}
	r.start()
	t.Cleanup(r.end)
	return r
}

// start starts a new Parley with the stored state.
func (r *rig) start() {
	r.t.Helper()
	r.catalog = &fakeCatalog{r: r, changes: make(chan history.Change)}
	r.events = &events{}
	r.logged = &bytes.Buffer{}
	l, err := library.New(library.Config{
		Records: r.records, Blobs: r.blobs, Catalog: r.catalog, Workspaces: r.spaces,
		Root: func(bool) string { return r.root }, Scripted: r.scripted,
		Defaults: func(folder string) model.Defaults {
			return model.Defaults{Engine: "sdk", Profile: "own", PermissionMode: "mode of " + folder}
		},
		Publish: r.events.take, Logger: slog.New(slog.NewTextHandler(r.logged, nil)), Now: r.now,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.l, r.live = l, newFakeLive(l)
	l.Start(r.live)
}

// now returns the time; background goroutines use it too.
func (r *rig) now() time.Time {
	r.timing.Lock()
	defer r.timing.Unlock()
	return r.clock()
}

func (r *rig) setClock(clock func() time.Time) {
	r.timing.Lock()
	defer r.timing.Unlock()
	r.clock = clock
}

// end ends it in order, as a user does.
func (r *rig) end() {
	if r.l == nil {
		return
	}
	r.live.end()
	if err := r.l.Close(); err != nil && !r.records.broken() {
		r.t.Error(err)
	}
	r.l = nil
}

// crash ends it without a final write.
func (r *rig) crash() {
	snapshot := r.records.clone()
	r.end()
	r.records = snapshot
}

func (r *rig) restart() {
	r.t.Helper()
	r.end()
	r.start()
}

// list returns the ids on a shelf.
func (r *rig) list(f library.Filter) []string {
	r.t.Helper()
	if f.Shelf == "" {
		f.Shelf = model.ShelfOpen
	}
	page, total := r.l.List(f)
	ids := []string{}
	for _, s := range page {
		ids = append(ids, s.ID)
	}
	if f.Limit == 0 && f.Offset == 0 && total != len(page) {
		r.t.Errorf("%d sessions, total %d", len(page), total)
	}
	return ids
}

func (r *rig) get(id string) event.Session {
	r.t.Helper()
	s, err := r.l.Get(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// events collects published events.
type events struct {
	mu   sync.Mutex
	list []event.Event
}

func (e *events) take(x event.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, x)
}

func (e *events) all() []event.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.list)
}

// changed formats the SessionsChanged events: ids, removed ones with a minus.
func (e *events) changed() []string {
	var out []string
	for _, x := range e.all() {
		if c, ok := x.(*event.SessionsChanged); ok {
			var ids []string
			for _, s := range c.Changed {
				ids = append(ids, s.ID)
			}
			for _, id := range c.Removed {
				ids = append(ids, "-"+id)
			}
			slices.Sort(ids)
			out = append(out, strings.Join(ids, " "))
		}
	}
	return out
}

// spacesChanged counts the changes of workspaces.
func (e *events) spacesChanged() int {
	n := 0
	for _, x := range e.all() {
		if _, ok := x.(*event.WorkspacesChanged); ok {
			n++
		}
	}
	return n
}

// fakeCatalog lists the files of the rig's root; their first prompts are their
// titles.
type fakeCatalog struct {
	r       *rig
	changes chan history.Change
	mu      sync.Mutex
	titles  map[string][2]string // title and source by path
}

func (c *fakeCatalog) Hidden() []history.Entry { return nil }

func (c *fakeCatalog) Changes() <-chan history.Change { return c.changes }

func (c *fakeCatalog) Entries() []history.Entry {
	paths, err := filepath.Glob(filepath.Join(c.r.root, "*", "*.jsonl"))
	if err != nil {
		c.r.t.Fatal(err)
	}
	var list []history.Entry
	for _, path := range paths {
		list = append(list, c.entry(path))
	}
	return list
}

func (c *fakeCatalog) entry(path string) history.Entry {
	info, err := os.Stat(path)
	if err != nil {
		c.r.t.Fatal(err)
	}
	page, err := history.Open(path).Page(c.r.t.Context(), 10_000, "")
	if err != nil {
		c.r.t.Fatal(err)
	}
	e := history.Entry{
		ID: strings.TrimSuffix(filepath.Base(path), ".jsonl"), Path: path, CWD: "/home/person/project",
		Title: "found", TitleSource: "prompt", Model: "claude-opus-5-5",
		CreatedAt: 1, ModifiedAt: info.ModTime().UnixMilli(), Bytes: info.Size(), Messages: len(page.Messages), Counted: info.Size(),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.titles[path]; ok {
		e.Title, e.TitleSource = t[0], t[1]
	}
	return e
}

// say sends a change of a file and returns when the library has it.
func (c *fakeCatalog) say(kind history.ChangeKind, e history.Entry) {
	c.changes <- history.Change{Kind: kind, Entry: e}
	// The library processes changes in order: when it receives the second, it has
	// handled the first.
	c.changes <- history.Change{Kind: history.Removed, Entry: history.Entry{ID: "nobody", Path: "nowhere"}}
}

// write appends turns to a conversation's file and returns its path.
func (r *rig) write(cli string, turns ...string) string {
	return r.writeIn("project", cli, turns...)
}

func (r *rig) writeIn(project, cli string, turns ...string) string {
	r.t.Helper()
	path := filepath.Join(r.root, project, cli+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	parent := "null"
	if i := bytes.LastIndex(before, []byte(`"uuid":"`)); i >= 0 {
		parent = `"` + string(before[i+8:i+8+bytes.IndexByte(before[i+8:], '"')]) + `"`
	}
	b := bytes.NewBuffer(before)
	for _, turn := range turns {
		fmt.Fprintf(b, `{"parentUuid":%s,"isSidechain":false,"type":"user","message":{"role":"user","content":%q},"timestamp":"2026-01-01T00:00:00.000Z","cwd":"/home/person/project","uuid":"%s"}`+"\n", parent, turn, turn)
		fmt.Fprintf(b, `{"parentUuid":"%s","isSidechain":false,"message":{"id":"msg-%s","model":"claude-opus-5-5","role":"assistant","content":[{"type":"text","text":"re %s"}],"usage":{"input_tokens":1,"output_tokens":2}},"apiBlockIndex":0,"type":"assistant","timestamp":"2026-01-01T00:00:01.000Z","uuid":"a-%s"}`+"\n", turn, turn, turn, turn)
		parent = `"a-` + turn + `"`
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// writeTool appends a tool use without a result to a conversation's file.
func (r *rig) writeTool(cli, id string) {
	r.t.Helper()
	path := filepath.Join(r.root, "project", cli+".jsonl")
	b, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	parent, _, _ := strings.Cut(string(b[bytes.LastIndex(b, []byte(`"uuid":"`))+8:]), `"`)
	b = fmt.Appendf(b, `{"parentUuid":%[1]q,"isSidechain":false,"message":{"id":"msg-%[2]s","model":"claude-opus-5-5","role":"assistant","content":[{"type":"tool_use","id":%[2]q,"name":"Bash","input":{"command":"sleep 9"}}],`+
		`"usage":{"input_tokens":30,"cache_read_input_tokens":400,"cache_creation_input_tokens":50,"output_tokens":20}},"apiBlockIndex":0,"type":"assistant","timestamp":"2026-01-01T00:00:02.000Z","uuid":"a-%[2]s"}`+"\n", parent, id)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// age sets the time of a file.
func (r *rig) age(path string, at time.Time) {
	r.t.Helper()
	if err := os.Chtimes(path, at, at); err != nil {
		r.t.Fatal(err)
	}
}

func ids(messages []event.Message) []string {
	out := []string{}
	for _, m := range messages {
		out = append(out, m.ID)
	}
	return out
}

// fakeBlobs keeps blobs in memory.
type fakeBlobs struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (b *fakeBlobs) Put(data []byte) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := fmt.Sprintf("blob-%x", data)
	b.files[name] = slices.Clone(data)
	return name, nil
}

func (b *fakeBlobs) Open(name string) (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (b *fakeBlobs) Sweep(keep map[string]bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name := range b.files {
		if !keep[name] {
			delete(b.files, name)
		}
	}
	return nil
}

// fakeSpaces makes a workspace of every folder.
type fakeSpaces struct {
	mu  sync.Mutex
	ids map[string]string
	// seeing is called once, while folders are taken note of.
	seeing func()
}

func (s *fakeSpaces) Use(folder string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids[folder] = "w:" + folder
	return s.ids[folder], nil
}

func (s *fakeSpaces) Of(folder string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[folder]
}

func (s *fakeSpaces) Seen(folders map[string]int64) error {
	s.mu.Lock()
	seeing := s.seeing
	s.seeing = nil
	s.mu.Unlock()
	if seeing != nil {
		seeing()
	}
	for folder := range folders {
		if _, err := s.Use(folder); err != nil {
			return err
		}
	}
	return nil
}

func (s *fakeSpaces) remove(folder string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ids, folder)
}
