//go:build linux

package border

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	appchat "parley/app/chat"
	"parley/app/diagnostics"
	"parley/backend/demo"
	"parley/backend/event"
	"parley/backend/problem"
)

// An unusable file of heartbeats or of the chat is a problem with advice, when
// Parley starts and while it runs, until the file is valid again.
func TestUnusableFileIsAProblem(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules())
	p.damaged = true
	p.beat(m{"name": "beat"})
	chat := call[appchat.ChatState](p.watcher, "mattermost.get", m{})
	call[appchat.ChatState](p.watcher, "mattermost.set", m{"config": chat.Config, "revision": chat.Revision})
	all := accidents()
	for _, tt := range []struct {
		name, file, id, says string
		damage               spoil
	}{
		{"zeroed", "heartbeats.yaml", problem.HeartbeatsUnread, "not valid YAML", all["zeroed"]},
		{"emptied", "heartbeats.yaml", problem.HeartbeatsUnread, "is empty", all["emptied"]},
		{"only a comment", "heartbeats.yaml", problem.HeartbeatsUnread, "is empty", text("# all gone\n")},
		{"a folder", "heartbeats.yaml", problem.HeartbeatsUnread, "not a regular file", all["a folder"]},
		{"a mistake", "heartbeats.yaml", problem.HeartbeatsIgnored, "line 2", text("heartbeats:\n  beat: {prompt: 7, folder: no}\n")},
		{"cut", "chat.json", problem.ChatUnread, "unexpected EOF", all["cut"]},
		{"emptied", "chat.json", problem.ChatUnread, "it is empty", all["emptied"]},
		{"a pipe", "chat.json", problem.ChatUnread, "not a regular file", all["a pipe"]},
		{"a link to itself", "chat.json", problem.ChatUnread, "symbolic links", all["a link to itself"]},
	} {
		for _, running := range []bool{false, true} {
			name, path := tt.file+" "+tt.name, p.path("data", tt.file)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !running {
				p.end()
			}
			if err := tt.damage(path); err != nil {
				t.Fatal(err)
			}
			if !running {
				p.again()
			}
			var found event.AppProblem
			poll(t, name+" is said", func() bool {
				list := call[diagnostics.Problems](p.watcher, "app.problems", m{}).Problems
				at := slices.IndexFunc(list, func(one event.AppProblem) bool { return one.ID == tt.id })
				if at >= 0 {
					found = list[at]
				}
				return at >= 0
			})
			if !strings.Contains(found.Title, tt.says) || strings.Count(found.Title, "cannot be") > 1 || strings.Contains(found.Title+found.Todo, "{") || !strings.Contains(found.Todo, path) {
				t.Errorf("%s: %+v", name, found)
			}
			poll(t, name+" is said to all", func() bool { return slices.Contains(p.health().ids(), tt.id) })
			// At no moment is there no file: then heartbeats would be removed, and new ones later.
			good := path + ".good"
			if err := errors.Join(os.WriteFile(good, whole, 0o600), unix.Renameat2(unix.AT_FDCWD, good, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE), os.RemoveAll(good)); err != nil {
				t.Fatal(err)
			}
			poll(t, name+" is over", func() bool {
				return len(call[diagnostics.Problems](p.watcher, "app.problems", m{}).Problems) == 0
			})
		}
	}
}
