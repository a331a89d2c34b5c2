package memory

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/fault"
)

func TestPlaces(t *testing.T) {
	for _, name := range []string{"SOUL.md", "USER.md", "2026-11-21.md", "workspaces/a-1/NOTES.md", "workspaces/a-1/2024-02-29.md"} {
		if p, err := PlaceOf(name); err != nil || p.Name() != name {
			t.Errorf("%s is %+v, %v", name, p, err)
		}
	}
	for _, name := range []string{
		"", "soul.md", "NOTES.md", "2026-13-01.md", "2026-02-29.md", "2026-11-21", "../SOUL.md", "/etc/passwd", "workspaces/../SOUL.md", "workspaces/a/SOUL.md",
		"workspaces/A/NOTES.md", "workspaces/a/b/NOTES.md", "workspaces//NOTES.md", "other/a/NOTES.md", `workspaces\a\NOTES.md`, ".trash.jsonl", "workspaces/a/.workspace.json",
	} {
		if p, err := PlaceOf(name); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q is %+v, %v", name, p, err)
		}
	}
	for folder, want := range map[string]string{"/home/a/My Project!": "my-project-", "/": "folder-", "/x/日本": "folder-", "/x/" + strings.Repeat("long", 50): strings.Repeat("long", 10) + "-"} {
		if got := Slug(folder); !strings.HasPrefix(got, want) || len(got) != len(want)+8 || !IsSlug(got) {
			t.Errorf("%s is %s", folder, got)
		}
	}
	if Slug("/a/x") == Slug("/b/x") {
		t.Error("two folders have the same slug")
	}
}

// Links lead out of the folder, or make one file two.
func TestLinks(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("- secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := open(t)
	slug := Slug("/home/anna/parley")
	for link, target := range map[string]string{
		"USER.md": secret, "2026-11-21.md": secret, "workspaces/" + slug: outside, "SOUL.md": "inside.txt",
	} {
		link = filepath.Join(s.Dir(), link)
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(target, link)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	snap := look(t, s)
	if len(snap.Entries) != 0 || len(snap.Problems) != 4 {
		t.Errorf("read %q with problems %q", texts(snap.Entries), snap.Problems)
	}
	if text, err := s.Read(Place{Kind: User}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("read %+v, %v", text, err)
	}
	if _, err := s.Save(t.Context(), New{Text: "x"}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("saved: %v", err)
	}
	if _, err := s.Save(t.Context(), New{Text: "x", Workspace: "/home/anna/parley"}); err == nil {
		t.Error("saved outside")
	}
	if _, err := s.Write(t.Context(), Place{Kind: User}, "", "mine", ""); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("written: %v", err)
	}
	if data, _ := os.ReadFile(secret); string(data) != "- secret\n" {
		t.Errorf("the other file says %q", data)
	}
	if list, _ := os.ReadDir(outside); len(list) != 1 {
		t.Errorf("outside are %v", list)
	}
	if in, err := s.Prompt(Session{Budget: 2000}); err != nil || in.Text != "" {
		t.Errorf("told %q, %v", in.Text, err)
	}
}

// The folder itself may be a link to another location.
func TestLinkedFolder(t *testing.T) {
	dir, link := t.TempDir(), filepath.Join(t.TempDir(), "memory")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("no links here: ", err)
	}
	s, _ := openAt(t, link)
	save(t, s, New{Text: "x"})
	if _, err := os.Stat(filepath.Join(dir, "2026-11-21.md")); err != nil {
		t.Error(err)
	}
}
