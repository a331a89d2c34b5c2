package todo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/todo"
)

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "1.json", `{"id":"1","subject":"Write tests","description":"All of them","activeForm":"Writing tests","status":"in_progress","blocks":["2"],"blockedBy":[]}`)
	write(t, dir, "2.json", `{"id":"2","subject":"Ship","status":"pending","owner":"helper","blockedBy":["1"]}`)
	write(t, dir, "10.json", `{"id":"10","subject":"Rest","status":"completed"}`)
	write(t, dir, "3.json", `{"id":"3","subject":"Half`)
	write(t, dir, "4.json", `{"id":"4","subject":"  "}`)
	write(t, dir, "5.json", `{"id":"5","subject":"Odd","status":"deleted?"}`)
	write(t, dir, "6.json", `{"id":"6","subject":"`+strings.Repeat("x", 70<<10)+`"}`)
	write(t, dir, ".lock", "")
	write(t, dir, "-1.json", `{"id":"-1","subject":"no"}`)
	write(t, dir, "01.json", `{"id":"01","subject":"no"}`)
	write(t, dir, "secret", `{"id":"9","subject":"elsewhere"}`)
	if err := os.Symlink(filepath.Join(dir, "secret"), filepath.Join(dir, "7.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "8.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := todo.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := todo.List{Unread: 5, Items: []todo.Item{
		{ID: "1", Subject: "Write tests", Doing: "Writing tests", About: "All of them", State: todo.InProgress, BlockedBy: []string{}},
		{ID: "2", Subject: "Ship", State: todo.Pending, Owner: "helper", BlockedBy: []string{"1"}},
		{ID: "5", Subject: "Odd", State: todo.Pending},
		{ID: "10", Subject: "Rest", State: todo.Completed},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestReadNothing(t *testing.T) {
	got, err := todo.Read(filepath.Join(t.TempDir(), "none"))
	if err != nil || len(got.Items) > 0 || got.Unread > 0 {
		t.Errorf("%+v %v", got, err)
	}
}

func TestReadMany(t *testing.T) {
	dir := t.TempDir()
	for i := range 520 {
		write(t, dir, fmt.Sprintf("%d.json", i+1), fmt.Sprintf(`{"id":"%d","subject":"s"}`, i+1))
	}
	got, err := todo.Read(dir)
	if err != nil || len(got.Items) != 500 || got.Unread != 20 || got.Items[0].ID != "21" {
		t.Errorf("%d items, %d unread, %v", len(got.Items), got.Unread, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"id":"1","subject":"Write tests","status":"in_progress"}`))
	f.Add([]byte(`{"id":"1","subject":"` + strings.Repeat("é", 5000) + `"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		item, err := todo.Decode(raw)
		if err != nil {
			return
		}
		if item.ID == "" || item.Subject == "" || len(item.Subject) > 5<<10 || !utf8.ValidString(item.Subject) {
			t.Errorf("%+v", item)
		}
		if item.State != todo.Pending && item.State != todo.InProgress && item.State != todo.Completed {
			t.Errorf("state %q", item.State)
		}
	})
}
