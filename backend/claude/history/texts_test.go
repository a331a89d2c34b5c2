package history_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history"
)

func TestTexts(t *testing.T) {
	path := file(t,
		user("u1", "", "Look for the heron"),
		piece("a1", "u1", "m1", 0, `{"type":"thinking","thinking":"Birds, then."}`),
		piece("a2", "a1", "m1", 1, `{"type":"tool_use","id":"tool-t1","name":"Bash","input":{"command":"grep \"heron\"","deep":[{"x":"y"}],"n":1}}`),
		result("r1", "a2", "t1", "heron.txt: a heron"),
		meta("n1", "r1", "nobody sees this"),
		answer("a3", "n1", "Found."),
	)
	tr := history.Open(path)
	read := func(from int64) (got []string, through int64) {
		t.Helper()
		through, err := tr.Texts(t.Context(), from, func(x history.Text) error {
			got = append(got, fmt.Sprintf("%s %s %s %q", x.Kind, x.MessageID, x.Tool, x.Text))
			// Wherever it was found, the page that ends there has the message.
			c, err := tr.CursorAt(t.Context(), x.At)
			if err != nil {
				return err
			}
			p, err := tr.Page(t.Context(), 1, c)
			if err != nil {
				return err
			}
			if id := p.Messages[len(p.Messages)-1].ID; x.MessageID != "" && id != x.MessageID {
				t.Errorf("%q leads to %s, not to %s", x.Text, id, x.MessageID)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got, through
	}
	want := []string{
		`prompt u1  "Look for the heron"`, `thinking m1  "Birds, then."`, `toolInput m1 Bash "grep \"heron\"\ny"`,
		`toolOutput m1 Bash "heron.txt: a heron"`, `answer msg-a3  "Found."`,
	}
	got, through := read(0)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	stamp, _, err := tr.Stamp()
	if err != nil || stamp == "0" {
		t.Error(stamp, err)
	}
	// An output may come long after its input was read, even one without a text.
	write(t, path, user("u2", "a3", "Thanks"),
		piece("a4", "u2", "m4", 0, `{"type":"tool_use","id":"tool-t2","name":"List","input":{"n":1}}`))
	got, through = read(through)
	if diff := cmp.Diff([]string{`prompt u2  "Thanks"`}, got); diff != "" {
		t.Error(diff)
	}
	write(t, path, result("r2", "a4", "t2", "a list"))
	got, through = read(through)
	if diff := cmp.Diff([]string{`toolOutput m4 List "a list"`}, got); diff != "" {
		t.Error(diff)
	}
	if s, size, err := tr.Stamp(); s != stamp || size != through || err != nil {
		t.Errorf("the stamp was %s and is %s; %d of %d bytes (%v)", stamp, s, through, size, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	file2 := file(t, user("other", "", "Another one"))
	if s, _, _ := history.Open(file2).Stamp(); s == stamp {
		t.Error("two files have the same stamp")
	}
	if _, _, err := tr.Stamp(); err == nil {
		t.Error("a file that is gone has a stamp")
	}
	tr = history.Open(file2)
	if _, err := tr.Texts(t.Context(), 3, nil); !errors.Is(err, history.ErrReplaced) {
		t.Error(err)
	}
	stop := errors.New("stop")
	if _, err := tr.Texts(t.Context(), 0, func(history.Text) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}
