package history_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history"
)

func TestPrompts(t *testing.T) {
	path := file(t,
		user("u1", "", "one"), answer("a1", "u1", "eins"), user("u2", "a1", "two\nlines"), meta("u3", "u2", "Caveat"),
		user("u4", "u3", "<bash-input>ls -l</bash-input>"), user("u5", "u4", "<bash-stdout>a user</bash-stdout>"),
		user("u6", "u5", "<system-reminder>\nnobody said this\n</system-reminder>"), answer("a2", "u6", "a \"user\""))
	read := func(before, most int64, n int) ([]string, int64) {
		t.Helper()
		said := []string{}
		next, _, err := history.Open(path).Prompts(t.Context(), before, most, func(s history.Said) bool {
			said = append(said, s.Text)
			return len(said) < n
		})
		if err != nil {
			t.Fatal(err)
		}
		return said, next
	}
	all, next := read(-1, 1<<20, 100)
	if diff := cmp.Diff([]string{"!ls -l", "two\nlines", "one"}, all); diff != "" || next != 0 {
		t.Errorf("all (-want +got), next %d:\n%s", next, diff)
	}
	for _, most := range []int64{1, 1 << 20} {
		var one []string
		for at := int64(-1); at != 0; {
			said, next := read(at, most, 1)
			one, at = append(one, said...), next
		}
		if diff := cmp.Diff(all, one); diff != "" {
			t.Errorf("one at a time, %d bytes (-want +got):\n%s", most, diff)
		}
	}
	if _, _, err := history.Open(fmt.Sprint(path, "x")).Prompts(t.Context(), -1, 1, nil); err == nil {
		t.Error("a file that is gone has prompts")
	}
}
