package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/need"
	"parley/backend/session/workspace"
)

func write(t *testing.T, text string, parts ...string) {
	t.Helper()
	path := filepath.Join(parts...)
	mkdir(t, filepath.Dir(path))
	check(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestReadGit(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef01234567"
	dir := realTemp(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	tests := []struct {
		name  string
		files map[string]string
		from  string
		want  workspace.Git
	}{
		{"none", map[string]string{"x/file": ""}, "x", workspace.Git{}},
		{"branch", map[string]string{".git/HEAD": "ref: refs/heads/main\n"}, "", workspace.Git{Branch: "main"}},
		{"windows line end", map[string]string{".git/HEAD": "ref: refs/heads/main\r\n"}, "", workspace.Git{Branch: "main"}},
		{"branch with slashes", map[string]string{".git/HEAD": "ref: refs/heads/a/b/ü\n"}, "", workspace.Git{Branch: "a/b/ü"}},
		{"other reference", map[string]string{".git/HEAD": "ref: refs/bisect/bad\n"}, "", workspace.Git{Branch: "bisect/bad"}},
		{"no branch", map[string]string{".git/HEAD": hash + "\n"}, "", workspace.Git{Commit: "01234567"}},
		{"sha-256", map[string]string{".git/HEAD": hash + hash[:24] + "\n"}, "", workspace.Git{Commit: "01234567"}},
		{"reftable", map[string]string{".git/HEAD": "ref: refs/heads/.invalid\n"}, "", workspace.Git{}},
		{"below", map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a/b/c/file": ""}, "a/b/c", workspace.Git{Branch: "main"}},
		{"control characters", map[string]string{".git/HEAD": "ref: refs/heads/a\x1b[31m\n"}, "", workspace.Git{}},
		{"submodule", map[string]string{".git/modules/sub/HEAD": "ref: refs/heads/s\n", "sub/.git": "gitdir: ../.git/modules/sub\n"}, "sub", workspace.Git{Branch: "s"}},
		{"worktree", map[string]string{
			"main/.git/HEAD": "ref: refs/heads/main\n", "main/.git/worktrees/w/HEAD": "ref: refs/heads/w\n",
			"main/.git/worktrees/w/commondir": "../..\n", "w/.git": "gitdir: ../main/.git/worktrees/w\n",
		}, "w", workspace.Git{Branch: "w", Main: "main"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := in(tt.name)
			for path, text := range tt.files {
				write(t, text, root, path)
			}
			got := workspace.ReadGit(filepath.Join(root, tt.from))
			if tt.want.Main != "" {
				tt.want.Main = filepath.Join(root, tt.want.Main)
			}
			wantRoot := ""
			if tt.name != "none" {
				wantRoot = root
				if tt.name == "submodule" || tt.name == "worktree" {
					wantRoot = filepath.Join(root, tt.from)
				}
			}
			tt.want.Root = wantRoot
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadGitOddFiles(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"large HEAD":        {".git/HEAD": "ref: refs/heads/" + strings.Repeat("x", 8<<10)},
		"empty HEAD":        {".git/HEAD": ""},
		"HEAD is text":      {".git/HEAD": "hello"},
		"HEAD is missing":   {".git/config": ""},
		"file says nothing": {".git": "nothing"},
		"file leads away":   {".git": "gitdir: /none/at/all"},
		"file leads to ''":  {".git": "gitdir: "},
		"file leads back":   {".git": "gitdir: .git"},
		"large file":        {".git": "gitdir: " + strings.Repeat("x/", 8<<10)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := realTemp(t)
			for path, text := range files {
				write(t, text, dir, path)
			}
			if got := workspace.ReadGit(dir); got != (workspace.Git{}) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// The real git agrees.
func TestReadGitOfGit(t *testing.T) {
	git := need.Program(t, "git", "git")
	dir := realTemp(t)
	run := func(in string, args ...string) string {
		t.Helper()
		cmd := exec.Command(git, args...)
		cmd.Dir = in
		cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	main := mkdir(t, dir, "main")
	run(main, "init", "-q", "-b", "trunk")
	if got := workspace.ReadGit(main); got.Branch != "trunk" {
		t.Errorf("before the first commit: %+v", got)
	}
	run(main, "commit", "-q", "--allow-empty", "-m", "first")
	run(main, "worktree", "add", "-q", "-b", "side/way", filepath.Join(dir, "tree"))
	want := workspace.Git{Root: filepath.Join(dir, "tree"), Branch: "side/way", Main: main}
	if diff := cmp.Diff(want, workspace.ReadGit(mkdir(t, dir, "tree", "below"))); diff != "" {
		t.Error(diff)
	}
	run(main, "checkout", "-q", "--detach")
	if got := workspace.ReadGit(main); got.Branch != "" || !strings.HasPrefix(run(main, "rev-parse", "HEAD"), got.Commit) || got.Commit == "" {
		t.Errorf("without a branch: %+v", got)
	}
}

func TestResolve(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the table has paths with slashes")
	}
	dir := realTemp(t)
	mkdir(t, dir, "real", "sub")
	check(t, os.Symlink("real", filepath.Join(dir, "link")))
	check(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	check(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	for in, want := range map[string]string{
		"/": "/", "//": "/", dir + "/link/sub/": dir + "/real/sub", dir + "/link/none/../gone": dir + "/real/gone",
		dir + "/dangling": dir + "/dangling", dir + "/loop/x": dir + "/loop/x", "/none/../none/x/": "/none/x",
	} {
		if got, err := workspace.Resolve(in); err != nil || got != want {
			t.Errorf("%s became %s, want %s (%v)", in, got, want, err)
		}
	}
}
