package history_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/backend/claude/history"
	"parley/backend/claude/history/corpus"
	"parley/backend/claude/transcript"
	"parley/backend/event"
	"parley/backend/fault"
)

// pages reads a whole conversation page by page, oldest message first.
func pages(t testing.TB, tr *history.Transcript, limit int) []event.Message {
	t.Helper()
	var parts [][]event.Message
	for before, n := "", 0; ; n++ {
		p, err := tr.Page(context.Background(), limit, before)
		if err != nil {
			t.Fatal(err)
		}
		if p.HasMore != (p.Before != "") || p.HasMore && len(p.Messages) < limit || len(p.Messages) > limit+1 {
			t.Fatalf("page %d of %d has %d messages, more: %v, cursor %q", n, limit, len(p.Messages), p.HasMore, p.Before)
		}
		parts = append(parts, p.Messages)
		if !p.HasMore {
			slices.Reverse(parts)
			return slices.Concat(parts...)
		}
		before = p.Before
	}
}

// settled marks tools without a result as stopped, as pages other than the newest
// do.
func settled(messages []event.Message) []event.Message {
	for i := range messages {
		for j := range messages[i].Blocks {
			if tool := messages[i].Blocks[j].Tool; tool != nil && (tool.State == "pending" || tool.State == "input") {
				tool.State = "stopped"
			}
		}
	}
	return messages
}

func transcripts(t testing.TB, root string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "*", "*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	return paths
}

// Reading page by page gives the same messages as reading all at once, and as
// many as counting finds, for any page size.
func TestLongPagesAreTheWhole(t *testing.T) {
	paths, err := filepath.Glob(filepath.FromSlash("testdata/pairs/*/projects/*/*.jsonl"))
	if err != nil || len(paths) < 20 {
		t.Fatal(paths, err)
	}
	if !testing.Short() {
		small, err := corpus.Write(t.TempDir(), corpus.Options{Seed: 9, Files: 20, Bytes: 3 << 20, Largest: 1 << 20, LongLine: 9 << 20})
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, transcripts(t, small.Root)...)
	}
	for _, path := range paths {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(path))))+"/"+filepath.Base(path)[:8], func(t *testing.T) {
			tr := history.Open(path)
			whole := settled(pages(t, tr, 1_000_000))
			seen := make(map[string]bool)
			for _, m := range whole {
				if seen[m.ID] {
					t.Errorf("message %s comes twice", m.ID)
				}
				seen[m.ID] = true
			}
			for _, limit := range []int{1, 2, 3, 7, 50} {
				if limit < 7 && len(whole) > 300 {
					continue
				}
				if got := settled(pages(t, tr, limit)); !reflect.DeepEqual(whole, got) {
					t.Fatalf("pages of %d differ (-whole +pages):\n%.3000s", limit, cmp.Diff(whole, got))
				}
			}
			totals, err := tr.Count(t.Context(), history.Totals{}, nil, nil)
			if err != nil || totals.Messages != len(whole) {
				t.Errorf("counted %d messages, there are %d (%v)", totals.Messages, len(whole), err)
			}
			byNumber(t, tr, whole)
		})
	}
}

// byNumber reads a conversation by message number.
func byNumber(t *testing.T, tr *history.Transcript, whole []event.Message) {
	t.Helper()
	places, err := tr.Places(t.Context(), nil)
	if err != nil || places.Len() != len(whole) {
		t.Fatalf("%d places, there are %d messages (%v)", places.Len(), len(whole), err)
	}
	if again, err := tr.Places(t.Context(), places); again != places || err != nil {
		t.Error("what did not change was read again", err)
	}
	for end := 1; end <= len(whole); end += 1 + len(whole)/7 {
		for _, limit := range []int{1, 5} {
			cursor, err := tr.Cursor(t.Context(), places, end)
			if err != nil {
				t.Fatal(err)
			}
			p, err := tr.Page(t.Context(), limit, cursor)
			if err != nil {
				t.Fatal(err)
			}
			start := 0
			if p.HasMore {
				if start, err = places.Before(p.Before); err != nil {
					t.Fatal(err)
				}
			}
			if got := start + len(p.Messages); got < end || got > end+1 || start > max(0, end-limit) {
				t.Errorf("before message %d of %d, a page of %d has %d messages from %d on", end, len(whole), limit, len(p.Messages), start)
				continue
			}
			if diff := cmp.Diff(whole[start:start+len(p.Messages)], settled(p.Messages), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("the page before message %d (-whole +page):\n%.2000s", end, diff)
			}
		}
	}
}

func TestBranches(t *testing.T) {
	boundary := `{"parentUuid":null,"logicalParentUuid":"a2","type":"system","subtype":"compact_boundary","isSidechain":false,"compactMetadata":{"trigger":"auto","preTokens":9,"postTokens":2},"uuid":"c1"}`
	for name, tt := range map[string]struct {
		lines []string
		want  []string
	}{
		"no branch": {
			[]string{user("u1", "", "one"), answer("a1", "u1", "eins")},
			[]string{"user: one", "assistant: eins"},
		},
		"went back": {
			[]string{user("u1", "", "one"), answer("a1", "u1", "eins"), user("u2", "a1", "wrong"), answer("a2", "u2", "falsch"), user("u3", "a1", "right"), answer("a3", "u3", "recht")},
			[]string{"user: one", "assistant: eins", "user: right", "assistant: recht"},
		},
		"went back to the beginning": {
			[]string{user("u1", "", "one"), answer("a1", "u1", "eins"), user("u2", "", "anew"), answer("a2", "u2", "neu")},
			// The first line doesn't say what was before, so nothing is omitted.
			[]string{"user: one", "assistant: eins", "user: anew", "assistant: neu"},
		},
		"results of tools side by side": {
			[]string{user("u1", "", "one"), tool("t1", "u1", "m", 0), tool("t2", "t1", "m", 1), result("r1", "t1", "t1", "x"), result("r2", "t2", "t2", "y"), answer("a1", "r1", "eins")},
			[]string{"user: one", "assistant: Bash done x Bash done y", "assistant: eins"},
		},
		"a compaction": {
			[]string{user("u1", "", "one"), answer("a1", "u1", "eins"), user("u2", "a1", "two"), answer("a2", "u2", "zwei"), boundary, user("u3", "c1", "three")},
			[]string{"user: one", "assistant: eins", "user: two", "assistant: zwei", "notice: compaction", "user: three"},
		},
		"a link to nowhere": {
			[]string{user("u1", "", "one"), answer("a1", "u1", "eins"), user("u2", "gone", "two"), answer("a2", "u2", "zwei")},
			[]string{"user: one", "assistant: eins", "user: two", "assistant: zwei"},
		},
		"links to nowhere": {
			[]string{user("u1", "x", "one"), answer("a1", "y", "eins"), user("u2", "z", "two"), answer("a2", "w", "zwei")},
			[]string{"user: one", "assistant: eins", "user: two", "assistant: zwei"},
		},
		"a line that was cut by a crash": {
			[]string{user("u1", "", "one"), `{"parentUuid":"u1","type":"assistant","mess` + user("u2", "u1", "two"), answer("a2", "u2", "zwei"), "\x00\x00noise", user("u3", "a2", "three")},
			[]string{"user: one", "user: two", "assistant: zwei", "user: three"},
		},
		"subagents in the same file": {
			[]string{user("u1", "", "one"), strings.Replace(user("s1", "", "side"), `"isSidechain":false`, `"isSidechain":true`, 1), answer("a1", "u1", "eins")},
			[]string{"user: one", "assistant: eins"},
		},
		"nobody answered the tool": {
			[]string{user("u1", "", "one"), tool("t1", "u1", "m", 0), user("u2", "t1", "two")},
			[]string{"user: one", "assistant: Bash cutOff", "user: two"},
		},
		"a tool runs": {
			[]string{user("u1", "", "one"), tool("t1", "u1", "m", 0)},
			[]string{"user: one", "assistant: Bash pending"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, tt.lines...)
			if diff := cmp.Diff(tt.want, say(newest(t, path, 100).Messages)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if got, err := history.Open(path).Count(t.Context(), history.Totals{}, nil, nil); err != nil || got.Messages != len(tt.want) {
				t.Errorf("counted %d (%v)", got.Messages, err)
			}
			byNumber(t, history.Open(path), settled(newest(t, path, 100).Messages))
		})
	}
}

// The result of a tool on an older page stands behind that page.
func TestResultsAcrossPages(t *testing.T) {
	path := file(t, user("u1", "", "one"), tool("t1", "u1", "m1", 0), user("u2", "t1", "meanwhile"), answer("a2", "u2", "ja"), result("r1", "t1", "t1", "late"), answer("a3", "a2", "fertig"))
	tr := history.Open(path)
	p := newest(t, path, 2)
	if diff := cmp.Diff([]string{"assistant: ja", "assistant: fertig"}, say(p.Messages)); diff != "" {
		t.Fatal(diff)
	}
	p, err := tr.Page(t.Context(), 2, p.Before)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"assistant: Bash done late", "user: meanwhile"}, say(p.Messages)); diff != "" {
		t.Error(diff)
	}
}

func TestPageTellsTheMeter(t *testing.T) {
	path := file(t, user("u1", "", "one"), answer("a1", "u1", "eins"), `{"type":"cost-state","sessionId":"s","totalCostUSD":0.25}`)
	p := newest(t, path, 10)
	if p.Model != "claude-opus-5-5" || p.Context == nil || p.Context.Used != 4321 || p.TotalCostUSD != 0.25 {
		t.Errorf("model %q, context %+v, cost %v", p.Model, p.Context, p.TotalCostUSD)
	}
}

// A cursor stays valid while the file grows, and says so when the file is another.
func TestCursors(t *testing.T) {
	path := file(t, user("u1", "", "one"), answer("a1", "u1", "eins"), user("u2", "a1", "two"), answer("a2", "u2", "zwei"))
	tr := history.Open(path)
	cursor := newest(t, path, 2).Before
	write(t, path, user("u3", "a2", "three"))
	appendTo(t, path, `{"half":`)
	p, err := tr.Page(t.Context(), 10, cursor)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"user: one", "assistant: eins"}, say(p.Messages)); diff != "" || p.HasMore {
		t.Error(diff, p.HasMore)
	}
	for _, bad := range []string{"x", "v1", "v1.zz", "v1.-1.0.", "v2.0.0.x", cursor[:5]} {
		if _, err := tr.Page(t.Context(), 10, bad); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("cursor %q gave %v", bad, err)
		}
	}
	replaced := func(what string) {
		t.Helper()
		if _, err := tr.Page(t.Context(), 10, cursor); !errors.Is(err, history.ErrReplaced) || fault.CodeOf(err) != fault.Conflict {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := os.Truncate(path, 300); err != nil {
		t.Fatal(err)
	}
	replaced("cut")
	other := file(t, user("u1", "", "one"), answer("a1", "u1", "eins"), user("u2", "a1", "two"), answer("a2", "u2", "zwei"))
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	replaced("replaced")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Page(t.Context(), 10, cursor); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("removed: %v", err)
	}
}

func TestCursorAt(t *testing.T) {
	lines := []string{user("u1", "", "one"), answer("a1", "u1", "eins"), user("u2", "a1", "wrong"), answer("a2", "u2", "falsch"), user("u3", "a1", "right")}
	path := file(t, lines...)
	tr := history.Open(path)
	at := int64(0)
	want := [][]string{
		{"user: one"}, {"user: one", "assistant: eins"}, {"user: one", "assistant: eins", "user: wrong"},
		{"user: one", "assistant: eins", "user: wrong", "assistant: falsch"}, {"user: one", "assistant: eins", "user: right"},
	}
	for i, l := range lines {
		c, err := tr.CursorAt(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		p, err := tr.Page(t.Context(), 10, c)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[i], say(p.Messages)); diff != "" {
			t.Errorf("line %d: %s", i, diff)
		}
		at += int64(len(l)) + 1
	}
	if _, err := tr.CursorAt(t.Context(), 5); err == nil {
		t.Error("the middle of a line is no place")
	}
}

// A line of any length is shown, cut, and can be had whole.
func TestLongLine(t *testing.T) {
	big := strings.Repeat("a é ", 3<<20)
	path := file(t, user("u1", "", "one"), tool("t1", "u1", "m", 0), result("r1", "t1", "t1", big), answer("a1", "r1", "fertig"))
	p := newest(t, path, 10)
	if len(p.Messages) != 3 || len(p.Cuts) != 1 {
		t.Fatalf("%d messages, cuts %+v", len(p.Messages), p.Cuts)
	}
	shown := p.Messages[1].Blocks[0].Tool.Content[0].Text
	cut := p.Cuts[0]
	if !strings.HasPrefix(big, shown[:1000]) || !strings.HasSuffix(shown, fmt.Sprintf("… [%d more bytes are in the transcript]", cut.Left)) || len(shown) > 100<<10 || cut.UUID != "r1" {
		t.Errorf("cut %+v, shown %d bytes, ending %q", cut, len(shown), shown[len(shown)-80:])
	}
	raw, err := history.Open(path).Raw(cut.At, cut.Size)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	var line struct {
		Message struct {
			Content []struct{ Content string }
		}
	}
	if err := json.NewDecoder(raw).Decode(&line); err != nil || line.Message.Content[0].Content != big {
		t.Errorf("the whole line is not what it was: %v", err)
	}
}

func TestUnfinishedLine(t *testing.T) {
	last := answer("a1", "u1", "eins")
	for name, tt := range map[string]struct {
		tail string
		want []string
	}{
		"half":          {last[:len(last)/2], []string{"user: one"}},
		"without end":   {last, []string{"user: one", "assistant: eins"}},
		"one character": {"{", []string{"user: one"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, user("u1", "", "one"))
			appendTo(t, path, tt.tail)
			if diff := cmp.Diff(tt.want, say(newest(t, path, 10).Messages)); diff != "" {
				t.Error(diff)
			}
		})
	}
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	appendTo(t, empty, "")
	if p := newest(t, empty, 10); len(p.Messages) != 0 || p.HasMore {
		t.Errorf("an empty file has %+v", p)
	}
}

// Counting continues where it ended, wherever the file was cut at the time.
func TestCountContinues(t *testing.T) {
	small, err := corpus.Write(t.TempDir(), corpus.Options{Seed: 3, Files: 6, Bytes: 1 << 20, Largest: 300 << 10, LongLine: 1000})
	if err != nil {
		t.Fatal(err)
	}
	paths := append(transcripts(t, small.Root), filepath.FromSlash("testdata/pairs/rewound/projects/-home-user-project/00000000-0000-4000-8000-000000000003.jsonl"))
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := history.Open(path).Count(t.Context(), history.Totals{}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		growing := filepath.Join(t.TempDir(), "growing.jsonl")
		var got history.Totals
		for step := max(1, len(body)/23); len(body) > 0; {
			n := min(step, len(body))
			appendTo(t, growing, string(body[:n]))
			body = body[n:]
			if got, err = history.Open(growing).Count(t.Context(), got, nil, nil); err != nil {
				t.Fatal(err)
			}
			stored, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			got = history.Totals{}
			if err := json.Unmarshal(stored, &got); err != nil {
				t.Fatal(err)
			}
		}
		if got.Messages != want.Messages || got.Damaged != want.Damaged {
			t.Errorf("%s: counted %d in steps, %d at once", filepath.Base(path), got.Messages, want.Messages)
		}
	}
}

// What a user's command printed is on the page of its command, wherever pages end.
func TestPagesKeepCommandsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.jsonl")
	var lines []string
	var want []event.Message
	parent := ""
	for i := range 7 {
		shell := event.Shell{Command: fmt.Sprint("echo ", i), State: "done", ExitCode: i, DurationMs: 5}
		input, answer := transcript.ShellNote(shell, fmt.Sprint(i))
		id := fmt.Sprint("c", i)
		lines = append(lines, user(id, parent, input), user(id+"-out", id, answer))
		want = append(want, event.Message{ID: id, Role: "shell", Shell: &shell, Blocks: []event.Block{{ID: id + ":0", Type: "text", Text: fmt.Sprint(i)}}})
		parent = id + "-out"
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for limit := 1; limit < 9; limit++ {
		got := pages(t, history.Open(path), limit)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(event.Message{}, "At")); diff != "" {
			t.Errorf("in pages of %d (-want +got):\n%s", limit, diff)
		}
	}
}
