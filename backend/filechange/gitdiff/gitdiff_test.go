package gitdiff

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/backend/fault"
	"parley/backend/need"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// repository makes a checkout with a commit, and returns its folder.
func repository(t *testing.T) string {
	t.Helper()
	need.Program(t, "git", "git")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kept", "changed", "gone", "sub/deep"} {
		write(t, dir, name, "one\n")
	}
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "begin")
	return dir
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) { output(t, dir, args...) }

func output(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	g := Git{Env: append(os.Environ(), "GIT_DIR=/nowhere", "GIT_EXTERNAL_DIFF=false")}
	write(t, dir, "changed", "two\n")
	write(t, dir, "sub/deep", "two\n")
	write(t, dir, "fresh/one", "")
	write(t, dir, "a \"b\"\n.txt", "")
	write(t, dir, "added", "")
	git(t, dir, "add", "added")
	if err := os.Remove(filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	s, err := g.Status(t.Context(), dir)
	if err != nil || s.Root != dir || s.More {
		t.Fatal(s, err)
	}
	got := map[string]string{}
	for _, f := range s.Files {
		rel, err := filepath.Rel(dir, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if got[filepath.ToSlash(rel)] = f.Kind; f.Folder {
			got[filepath.ToSlash(rel)] += " folder"
		}
	}
	want := map[string]string{
		"changed": "modified", "sub/deep": "modified", "gone": "deleted", "added": "added", "fresh": "untracked folder", "a \"b\"\n.txt": "untracked",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s, err := g.Status(t.Context(), filepath.Join(dir, "sub")); err != nil || len(s.Files) != 1 || s.Root != dir {
		t.Errorf("below: %+v, %v", s, err)
	}

	text, found, err := g.Committed(t.Context(), dir, filepath.Join(dir, "gone"))
	if err != nil || !found || string(text) != "one\n" {
		t.Errorf("%q, %v, %v", text, found, err)
	}
	if _, found, err := g.Committed(t.Context(), dir, filepath.Join(dir, "added")); err != nil || found {
		t.Errorf("a file that was not committed: %v, %v", found, err)
	}
	if _, _, err := g.Committed(t.Context(), dir, "/etc/passwd"); fault.CodeOf(err) != fault.Invalid {
		t.Error(err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	g := Git{Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CEILING_DIRECTORIES=/"}}
	if _, err := g.Status(t.Context(), t.TempDir()); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("no checkout: %v", err)
	}
	dir := repository(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Status(ctx, dir); err == nil {
		t.Error("nobody waits, and there is an answer")
	}
}

// Programs named by a checkout's settings do not run.
func TestNothingRuns(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	sprung := filepath.Join(t.TempDir(), "sprung")
	trap := filepath.Join(t.TempDir(), "trap")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\ntouch '"+sprung+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "diff.external", "pager.status", "alias.status", "filter.sub.one.clean", "filter.two.process", "remote.origin.uploadpack",
	} {
		git(t, dir, "config", key, trap)
	}
	git(t, dir, "config", "filter.two.required", "true")
	write(t, dir, ".gitattributes", "changed filter=sub.one\nsub/* filter=two\n")
	write(t, dir, "sub/deep", "two\n")
	// An object of the commit is missing here, to be fetched by a program.
	blob := strings.TrimSpace(output(t, dir, "rev-parse", "HEAD:gone"))
	write(t, dir, "gone", "another\n")
	write(t, dir, "kept", "another\n")
	if err := os.Remove(filepath.Join(dir, ".git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "config", "remote.origin.url", dir)
	git(t, dir, "config", "remote.origin.promisor", "true")
	git(t, dir, "config", "extensions.partialClone", "origin")
	git(t, dir, "config", "core.repositoryFormatVersion", "1")
	write(t, dir, ".git/hooks/post-index-change", "#!/bin/sh\ntouch '"+sprung+"'\n")
	if err := os.Chmod(filepath.Join(dir, ".git/hooks/post-index-change"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "changed", "two\n")
	g := Git{Env: os.Environ()}
	if _, err := g.Status(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"changed", "gone"} {
		if _, _, err := g.Committed(t.Context(), dir, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(sprung); err == nil {
		t.Error("a program of the checkout's settings ran")
	}
}
