package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/backend/fault"
	"parley/backend/session/workspace"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a store that can be made to fail.
type memory struct {
	mu      sync.Mutex
	records map[string]model.Workspace
	failure error
	writes  int
}

func (m *memory) All() ([]model.Workspace, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.records)), m.failure
}

func (m *memory) PutAll(all map[string]model.Workspace) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failure != nil {
		return m.failure
	}
	m.writes++
	maps.Copy(m.records, all)
	return nil
}

func (m *memory) Delete(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failure == nil {
		delete(m.records, id)
	}
	return m.failure
}

type counts map[string]model.Counts

func (c counts) CountByWorkspace() (map[string]model.Counts, error) { return c, nil }

func newMemory(all ...model.Workspace) *memory {
	m := &memory{records: map[string]model.Workspace{}}
	for _, w := range all {
		m.records[w.ID] = w
	}
	return m
}

// inABubble runs a test whose time stands still while it checks folders, so that List
// waits for them however busy the machine is.
func inABubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

func open(t testing.TB, m workspace.Records, c workspace.Sessions) *workspace.Registry {
	t.Helper()
	r, err := workspace.New(workspace.Config{Records: m, Sessions: c, Logger: slog.New(slog.DiscardHandler)})
	check(t, err)
	t.Cleanup(func() { check(t, r.Close(context.Background())) })
	return r
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		check(t, err)
		return v
	}
}

// realTemp returns a temporary folder without links in its path.
func realTemp(t testing.TB) string {
	t.Helper()
	return must[string](t)(filepath.EvalSymlinks(t.TempDir()))
}

func mkdir(t testing.TB, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	check(t, os.MkdirAll(dir, 0o700))
	return dir
}

func titles(all []workspace.Workspace) string {
	var out []string
	for _, w := range all {
		out = append(out, w.Title)
	}
	return strings.Join(out, " ")
}

func TestOneForEachFolder(t *testing.T) {
	dir := realTemp(t)
	project := mkdir(t, dir, "project")
	mkdir(t, dir, "other")
	check(t, os.Symlink(project, filepath.Join(dir, "link")))
	check(t, os.Symlink(dir, filepath.Join(dir, "other", "up")))
	r := open(t, newMemory(), counts{})
	first := must[workspace.Workspace](t)(r.Use(project))
	if first.Path != project || first.Title != "project" || first.ID == "" || first.CreatedAt == 0 {
		t.Errorf("got %+v", first)
	}
	for _, path := range []string{
		project + "/", filepath.Join(dir, "link"), filepath.Join(dir, "link") + "/", project + "/.", dir + "//project",
		filepath.Join(dir, "other") + "/../project", filepath.Join(dir, "other", "up", "link"),
	} {
		w := must[workspace.Workspace](t)(r.Use(path))
		if w.ID != first.ID {
			t.Errorf("%s is another workspace, of %s", path, w.Path)
		}
		if r.Of(path) != first.ID {
			t.Errorf("%s belongs to %q", path, r.Of(path))
		}
	}
	check(t, r.Seen(map[string]int64{filepath.Join(dir, "link"): 1, project: 2}))
	if all := must[[]workspace.Workspace](t)(r.List(t.Context())); len(all) != 1 {
		t.Errorf("%d workspaces", len(all))
	}
	if runtime.GOOS == "linux" {
		if w := must[workspace.Workspace](t)(r.Use(mkdir(t, dir, "PROJECT"))); w.ID == first.ID {
			t.Error("two folders are one workspace")
		}
	}
}

func TestWrongFolders(t *testing.T) {
	dir := realTemp(t)
	file := filepath.Join(dir, "file")
	check(t, os.WriteFile(file, nil, 0o600))
	m := newMemory()
	r := open(t, m, counts{})
	for path, want := range map[string]fault.Code{
		"": fault.Invalid, "relative": fault.Invalid, ".": fault.Invalid,
		filepath.Join(dir, "none"): fault.NotFound, file: fault.Invalid, filepath.Join(file, "below"): fault.NotFound,
	} {
		if _, err := r.Use(path); fault.CodeOf(err) != want {
			t.Errorf("%q: %v", path, err)
		}
	}
	check(t, r.Seen(map[string]int64{"relative": 5}))
	if m.writes != 0 {
		t.Errorf("%d writes", m.writes)
	}
	for name, err := range map[string]error{
		"get": second(r.Get("x")), "rename": second(r.Rename("x", "y")), "pin": second(r.Pin("x", true)), "delete": r.Delete("x"),
		"restore": second(r.Restore("x")), "general": second(r.SetGeneral("x")), "defaults": second(r.SetDefaults("x", model.Defaults{})),
	} {
		if fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second(_ workspace.Workspace, err error) error { return err }

func TestListAndChanges(t *testing.T) { inABubble(t, listAndChanges) }

func listAndChanges(t *testing.T) {
	dir := realTemp(t)
	r := open(t, newMemory(
		model.Workspace{ID: "1", Path: mkdir(t, dir, "a"), LastUsedAt: 10},
		model.Workspace{ID: "2", Path: mkdir(t, dir, "b"), LastUsedAt: 30},
		model.Workspace{ID: "3", Path: mkdir(t, dir, "c"), LastUsedAt: 20},
		model.Workspace{ID: "4", Path: filepath.Join(dir, "moved"), LastUsedAt: 5},
		model.Workspace{ID: "5", Path: filepath.Join(dir, "deleted"), LastUsedAt: 50, DeletedAt: 60},
	), counts{"1": {Open: 2, Archived: 1}})
	all := must[[]workspace.Workspace](t)(r.List(t.Context()))
	if got := titles(all); got != "b c a moved" {
		t.Errorf("listed %s", got)
	}
	if all[2].Counts != (model.Counts{Open: 2, Archived: 1}) {
		t.Errorf("counts %+v", all[2].Counts)
	}
	for i, want := range []workspace.State{workspace.Here, workspace.Here, workspace.Here, workspace.Gone} {
		if all[i].Folder.State != want {
			t.Errorf("%s is %q", all[i].Title, all[i].Folder.State)
		}
	}
	_ = must[workspace.Workspace](t)(r.Pin("1", true))
	_ = must[workspace.Workspace](t)(r.Rename("3", "  A name  "))
	if got := titles(must[[]workspace.Workspace](t)(r.List(t.Context()))); got != "a b A name moved" {
		t.Errorf("listed %s", got)
	}
	if w := must[workspace.Workspace](t)(r.Rename("3", "")); w.Title != "c" {
		t.Errorf("without a name: %q", w.Title)
	}
	for _, bad := range []string{"two\nlines", strings.Repeat("x", 201), "\xff"} {
		if _, err := r.Rename("3", bad); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%.10q: %v", bad, err)
		}
	}
	d := model.Defaults{Model: "opus", PermissionMode: "plan", Effort: "high", Engine: "sdk"}
	_ = must[workspace.Workspace](t)(r.SetDefaults("2", d))
	_ = must[workspace.Workspace](t)(r.SetGeneral("2"))
	_ = must[workspace.Workspace](t)(r.SetGeneral("3"))
	two, three := must[workspace.Workspace](t)(r.Get("2")), must[workspace.Workspace](t)(r.Get("3"))
	if two.General || !three.General || two.Defaults != d {
		t.Errorf("%+v\n%+v", two, three)
	}
}

func TestDelete(t *testing.T) {
	dir := realTemp(t)
	project := mkdir(t, dir, "project")
	check(t, os.WriteFile(filepath.Join(project, "file"), []byte("x"), 0o600))
	m := newMemory()
	r := open(t, m, counts{})
	w := must[workspace.Workspace](t)(r.Use(project))
	_ = must[workspace.Workspace](t)(r.Rename(w.ID, "Name"))
	_ = must[workspace.Workspace](t)(r.Pin(w.ID, true))
	check(t, r.Delete(w.ID))
	if all := must[[]workspace.Workspace](t)(r.List(t.Context())); len(all) != 0 || r.Of(project) != "" {
		t.Errorf("still there: %+v", all)
	}
	if _, err := os.Stat(filepath.Join(project, "file")); err != nil {
		t.Error(err)
	}
	if back := must[workspace.Workspace](t)(r.Restore(w.ID)); !back.Pinned || back.Title != "Name" {
		t.Errorf("restored: %+v", back)
	}
	check(t, r.Delete(w.ID))
	if back := must[workspace.Workspace](t)(r.Use(project)); back.ID != w.ID || back.Pinned || back.Title != "Name" {
		t.Errorf("used again: %+v", back)
	}
	// A later start finds all of it.
	again := open(t, m, counts{})
	if diff := cmp.Diff(must[workspace.Workspace](t)(r.Get(w.ID)).Workspace, must[workspace.Workspace](t)(again.Get(w.ID)).Workspace); diff != "" {
		t.Error(diff)
	}
}

// Uses recorded by the CLI before the deletion don't undo it.
func TestSeenAfterDelete(t *testing.T) {
	dir := realTemp(t)
	r := open(t, newMemory(model.Workspace{ID: "1", Path: dir, LastUsedAt: 10, DeletedAt: 60}), counts{})
	for _, at := range []int64{50, 60} {
		check(t, r.Seen(map[string]int64{dir: at}))
		if r.Of(dir) != "" {
			t.Errorf("a use at %d put it back", at)
		}
	}
	check(t, r.Seen(map[string]int64{dir: 61}))
	if r.Of(dir) != "1" {
		t.Error("a later use did not put it back")
	}
}

func TestSeen(t *testing.T) { inABubble(t, seen) }

func seen(t *testing.T) {
	dir := realTemp(t)
	m := newMemory()
	r := open(t, m, counts{})
	gone := filepath.Join(dir, "gone", "for", "ever")
	check(t, r.Seen(map[string]int64{dir: 100, gone: 50}))
	if m.writes != 1 {
		t.Errorf("%d writes", m.writes)
	}
	check(t, r.Seen(map[string]int64{dir: 90, gone: 50}))
	if m.writes != 1 {
		t.Errorf("nothing new was written")
	}
	check(t, r.Seen(map[string]int64{dir: 200}))
	all := must[[]workspace.Workspace](t)(r.List(t.Context()))
	if len(all) != 2 || all[0].LastUsedAt != 200 || all[1].Path != gone || all[1].Folder.State != workspace.Gone {
		t.Errorf("%+v", all)
	}
	mkdir(t, gone)
	if w := must[workspace.Workspace](t)(r.Use(gone)); w.ID != all[1].ID {
		t.Error("when the folder came back it was another workspace")
	}
}

func TestWhatCannotBeStoredHasNotHappened(t *testing.T) {
	dir := realTemp(t)
	m := newMemory()
	r := open(t, m, counts{})
	w := must[workspace.Workspace](t)(r.Use(dir))
	before := must[workspace.Workspace](t)(r.Get(w.ID))
	m.failure = errors.New("disk full")
	for name, err := range map[string]error{
		"use": second(r.Use(dir)), "new": second(r.Use(mkdir(t, dir, "new"))), "rename": second(r.Rename(w.ID, "x")), "pin": second(r.Pin(w.ID, true)),
		"seen": r.Seen(map[string]int64{dir: 1 << 60}), "general": second(r.SetGeneral(w.ID)), "delete": r.Delete(w.ID),
	} {
		if !errors.Is(err, m.failure) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff(before.Workspace, must[workspace.Workspace](t)(r.Get(w.ID)).Workspace); diff != "" {
		t.Error(diff)
	}
	if n := len(must[[]workspace.Workspace](t)(r.List(t.Context()))); n != 1 {
		t.Errorf("%d workspaces", n)
	}
	if _, err := workspace.New(workspace.Config{Records: m, Sessions: counts{}, Logger: slog.New(slog.DiscardHandler)}); !errors.Is(err, m.failure) {
		t.Errorf("new: %v", err)
	}
}

func TestTwoForAFolder(t *testing.T) {
	r := open(t, newMemory(
		model.Workspace{ID: "1", Path: "/a", LastUsedAt: 90, DeletedAt: 1},
		model.Workspace{ID: "2", Path: "/a", LastUsedAt: 20},
		model.Workspace{ID: "3", Path: "/a", LastUsedAt: 10},
	), counts{})
	if all := must[[]workspace.Workspace](t)(r.List(t.Context())); len(all) != 1 || all[0].ID != "2" {
		t.Errorf("%+v", all)
	}
}

func TestTooMany(t *testing.T) {
	const bound = 10_000
	m := newMemory()
	for i := range bound - 1 {
		id := fmt.Sprint(i)
		m.records[id] = model.Workspace{ID: id, Path: "/none/" + id}
	}
	m.records["deleted"] = model.Workspace{ID: "deleted", Path: "/none/deleted", DeletedAt: 5}
	r := open(t, m, counts{})
	dir := realTemp(t)
	check(t, r.Seen(map[string]int64{"/none/one/more": 1}))
	_ = must[workspace.Workspace](t)(r.Use(dir))
	if _, kept := m.records["deleted"]; kept || len(m.records) != bound {
		t.Errorf("%d records", len(m.records))
	}
	if _, err := r.Use(mkdir(t, dir, "new")); fault.CodeOf(err) != fault.Busy {
		t.Errorf("one too many: %v", err)
	}
	if _, err := r.Use(dir); err != nil {
		t.Errorf("a known one: %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	dir := realTemp(t)
	r := open(t, newMemory(), counts{})
	var wg sync.WaitGroup
	seen := make([]string, 8)
	for i := range seen {
		wg.Go(func() {
			w, err := r.Use(dir)
			if err != nil {
				t.Error(err)
			}
			seen[i] = w.ID
			if _, err := r.List(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := r.Pin(w.ID, i%2 == 0); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if slices.Sort(seen); seen[0] != seen[7] {
		t.Errorf("more than one: %v", seen)
	}
}

// With the real store, across a restart.
func TestWithTheStore(t *testing.T) {
	dir := realTemp(t)
	path := filepath.Join(dir, "store.db")
	config := schema.Config{Logger: slog.New(slog.DiscardHandler)}
	db := must[*schema.DB](t)(schema.Open(path, config))
	r := open(t, db.Workspaces, db)
	a, b := must[workspace.Workspace](t)(r.Use(mkdir(t, dir, "a"))), must[workspace.Workspace](t)(r.Use(mkdir(t, dir, "b")))
	_ = must[workspace.Workspace](t)(r.SetGeneral(a.ID))
	_ = must[workspace.Workspace](t)(r.SetGeneral(b.ID))
	_ = must[workspace.Workspace](t)(r.Rename(b.ID, "B!"))
	check(t, db.Sessions.Put("s", model.Session{ID: "s", WorkspaceID: a.ID}))
	check(t, db.Sessions.Put("z", model.Session{ID: "z", WorkspaceID: a.ID, ArchivedAt: 1}))
	check(t, db.Close())

	db = must[*schema.DB](t)(schema.Open(path, config))
	defer func() { check(t, db.Close()) }()
	r = open(t, db.Workspaces, db)
	all := must[[]workspace.Workspace](t)(r.List(t.Context()))
	slices.SortFunc(all, func(x, y workspace.Workspace) int { return strings.Compare(x.Path, y.Path) })
	if len(all) != 2 || all[0].ID != a.ID || all[0].General || !all[1].General || all[1].Title != "B!" {
		t.Errorf("%+v", all)
	}
	if all[0].Counts != (model.Counts{Open: 1, Archived: 1}) {
		t.Errorf("counts %+v", all[0].Counts)
	}
}

func BenchmarkList(b *testing.B) {
	dir := realTemp(b)
	m := newMemory()
	for i := range 300 {
		id := fmt.Sprint(i)
		m.records[id] = model.Workspace{ID: id, Path: mkdir(b, dir, "projects", id), LastUsedAt: int64(i)}
		check(b, os.MkdirAll(filepath.Join(dir, "projects", id, ".git"), 0o700))
		check(b, os.WriteFile(filepath.Join(dir, "projects", id, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	}
	r := open(b, m, counts{})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			fresh := open(b, m, counts{})
			if all := must[[]workspace.Workspace](b)(fresh.List(b.Context())); all[0].Folder.Git.Branch != "main" {
				b.Fatal(all[0])
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			_ = must[[]workspace.Workspace](b)(r.List(b.Context()))
		}
	})
}
