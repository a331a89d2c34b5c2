package app

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/feature"
	"parley/app/sessions"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/problem"
	"parley/backend/session/workspace"
)

// desk is a Parley without a CLI, on folders that survive restarts.
type desk struct {
	*App
	t        *testing.T
	home     string
	sessions *sessions.Service
	// first is the list right after a start.
	first sessions.SessionList
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, home: t.TempDir()}
	d.folder(".claude/projects")
	d.start()
	t.Cleanup(d.stop)
	return d
}

func (d *desk) start() {
	d.t.Helper()
	a, err := New(Config{
		Dirs: paths.Dirs{
			Home: d.home, Data: filepath.Join(d.home, "data"), Cache: filepath.Join(d.home, "cache"), Runtime: filepath.Join(d.home, "run"),
		},
		Env: []string{"HOME=" + d.home, "PATH=" + d.home}, Executable: filepath.Join(d.home, "parley"),
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		d.t.Fatal(err)
	}
	if err := a.Start(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	d.App, d.sessions = a, a.conversations
	if d.first, err = d.sessions.List(d.t.Context(), sessions.SessionListParams{}); err != nil {
		d.t.Fatal(err)
	}
	d.until("the first scan", func() bool { return !a.reading.Status().Scanning })
}

func (d *desk) stop() {
	if err := d.Close(); err != nil {
		d.t.Error(err)
	}
}

func (d *desk) restart() {
	d.t.Helper()
	d.stop()
	d.start()
}

// until waits for something that another goroutine does.
func (d *desk) until(what string, done func() bool) {
	d.t.Helper()
	for range 6000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	d.t.Fatalf("waited in vain for %s", what)
}

func (d *desk) folder(name string) string {
	d.t.Helper()
	path := filepath.Join(d.home, name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		d.t.Fatal(err)
	}
	return path
}

// say appends a turn to a conversation that continues in a terminal.
func (d *desk) say(folder, cli, turn string) {
	d.t.Helper()
	dir := filepath.Join(d.home, ".claude", "projects", strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(folder))
	err := os.MkdirAll(dir, 0o700)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(filepath.Join(dir, cli+".jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err == nil {
		defer f.Close()
		_, err = fmt.Fprintf(f, `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":%q},"timestamp":"2026-01-01T00:00:00.000Z","cwd":%q,"uuid":"%s"}
{"parentUuid":%q,"isSidechain":false,"message":{"id":"msg-%s","model":"m","role":"assistant","content":[{"type":"text","text":"yes"}],"usage":{"input_tokens":1}},"type":"assistant","timestamp":"2026-01-01T00:00:01.000Z","cwd":%q,"uuid":"a-%s"}
`, turn, folder, turn, turn, turn, folder, turn)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) list(p sessions.SessionListParams) []string {
	d.t.Helper()
	list, err := d.sessions.List(d.t.Context(), p)
	if err != nil {
		d.t.Fatal(err)
	}
	out := []string{}
	for _, s := range list.Sessions {
		out = append(out, fmt.Sprintf("%s %s %s", s.ID, s.State, s.Title))
	}
	slices.Sort(out)
	return out
}

// must returns a call's result.
func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// Everything created, found and arranged is there after a restart.
func TestShelvesStay(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	folder := d.folder("project")
	d.say(folder, "found", "hello")
	d.say(folder, "other", "other")
	made := must[event.Session](t)(d.sessions.Create(ctx, sessions.SessionCreateParams{CWD: folder, Title: "mine"}))
	away := must[event.Session](t)(d.sessions.Create(ctx, sessions.SessionCreateParams{CWD: folder}))
	d.until("what is on the disk", func() bool { return len(d.list(sessions.SessionListParams{Origin: "cli"})) == 2 })
	if _, err := d.sessions.Rename(ctx, sessions.SessionRenameParams{SessionID: away.ID, Title: "away"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.sessions.Archive(ctx, sessions.SessionEndParams{SessionID: away.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.sessions.Delete(ctx, sessions.SessionEndParams{SessionID: "other"}); err != nil {
		t.Fatal(err)
	}
	png := []byte("\x89PNG\r\n")
	attachments := []feature.PromptAttachment{{Name: "a.png", MediaType: "image/png", Data: base64.StdEncoding.EncodeToString(png)}}
	if _, err := d.sessions.SetDraft(ctx, sessions.DraftSetParams{SessionID: made.ID, Text: "typed", Attachments: &attachments}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.sessions.SetLayout(ctx, sessions.LayoutSetParams{Window: "main", Layout: map[string]any{"tabs": []any{"a"}}}); err != nil {
		t.Fatal(err)
	}
	yes := true
	for range 2 {
		if diff := cmp.Diff([]string{made.ID + " idle mine", "found idle hello"}, sorted(d.list(sessions.SessionListParams{}))); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{away.ID + " idle away"}, d.list(sessions.SessionListParams{Archived: &yes})); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"other idle other"}, d.list(sessions.SessionListParams{Trash: true})); diff != "" {
			t.Error(diff)
		}
		draft := must[sessions.Draft](t)(d.sessions.GetDraft(ctx, feature.SessionRef{SessionID: made.ID}))
		if draft.Text != "typed" || !cmp.Equal(draft.Attachments, attachments) {
			t.Errorf("%+v", draft)
		}
		layout := must[sessions.Layout](t)(d.sessions.GetLayout(ctx, sessions.LayoutRef{Window: "main"}))
		if diff := cmp.Diff(map[string]any{"tabs": []any{"a"}}, layout.Layout); diff != "" {
			t.Error(diff)
		}
		spaces := must[[]workspace.Workspace](t)(d.workspaces.List(ctx))
		if len(spaces) != 1 || spaces[0].Counts.Open != 2 || spaces[0].Counts.Archived != 1 {
			t.Errorf("%+v", spaces)
		}
		d.restart()
	}
	if _, err := d.sessions.Purge(ctx, feature.SessionRef{SessionID: "other"}); err != nil {
		t.Fatal(err)
	}
	d.say(folder, "other", "more")
	d.restart()
	if got := d.list(sessions.SessionListParams{Trash: true}); len(got) != 0 || len(d.list(sessions.SessionListParams{})) != 2 {
		t.Errorf("%v", got)
	}
}

// A conversation in a terminal appears and grows in the list; continuing it here makes it Parley's.
func TestTerminal(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	folder := d.folder("project")
	record := func() event.Session {
		s, err := d.sessions.Get(ctx, feature.SessionRef{SessionID: "found"})
		if err != nil && fault.CodeOf(err) != fault.NotFound {
			t.Fatal(err)
		}
		return s
	}
	d.say(folder, "found", "hello")
	d.until("the conversation", func() bool { return record().Messages == 2 })
	before := record()
	d.say(folder, "found", "more")
	d.until("its growth", func() bool { return record().Messages == 4 })
	if s := record(); s.Bytes <= before.Bytes || s.LastActivityAt < before.LastActivityAt || s.Origin != "cli" {
		t.Errorf("%+v", s)
	}
	if _, err := d.sessions.SetModel(ctx, sessions.SessionModelParams{SessionID: "found", Model: "opus"}); err != nil {
		t.Fatal(err)
	}
	d.restart()
	if s := record(); s.Origin != "parley" || s.Model != "opus" || s.Title != "hello" || s.CLISessionID != "found" {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]string{"found idle hello"}, d.list(sessions.SessionListParams{})); diff != "" {
		t.Error(diff)
	}
	page := must[event.History](t)(d.sessions.History(ctx, sessions.SessionHistoryParams{SessionID: "found"}))
	if len(page.Messages) == 0 || page.Messages[len(page.Messages)-1].ID != "msg-more" {
		t.Errorf("%+v", page)
	}
}

// Without a CLI, or without its folder, a prompt fails with an answer and stays queued with the
// reason, also after a restart, and the session stays readable.
func TestPromptFails(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	folder := d.folder("project")
	d.say(folder, "found", "hello")
	d.until("the conversation", func() bool { return len(d.list(sessions.SessionListParams{})) == 1 })
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := d.sessions.Prompt(ctx, sessions.SessionPromptParams{SessionID: "found", Text: "go on", PromptID: "p1"}); err != nil {
		t.Fatal(err)
	}
	d.until("the failure", func() bool {
		return must[event.Session](t)(d.sessions.Get(ctx, feature.SessionRef{SessionID: "found"})).State == "failed"
	})
	waits := func(s event.Session) {
		t.Helper()
		if len(s.Queued) != 1 || s.Queued[0].PromptID != "p1" || s.Queued[0].State != "failed" || s.Queued[0].Why == nil || s.Queued[0].Why.Code != string(fault.NotFound) {
			t.Errorf("waiting: %+v", s.Queued)
		}
	}
	s := must[event.Session](t)(d.sessions.Get(ctx, feature.SessionRef{SessionID: "found"}))
	if s.Error == nil || s.Error.Code == string(fault.Internal) {
		t.Errorf("%+v", s)
	}
	waits(s)
	page := must[event.History](t)(d.sessions.History(ctx, sessions.SessionHistoryParams{SessionID: "found"}))
	if len(page.Messages) < 3 || slices.ContainsFunc(page.Messages, func(m event.Message) bool { return m.PromptID == "p1" }) || page.Messages[1].ID != "msg-hello" {
		t.Errorf("%+v", page.Messages)
	}
	d.restart()
	s = must[event.Session](t)(d.sessions.Get(ctx, feature.SessionRef{SessionID: "found"}))
	if s.State != "failed" || s.Interrupted {
		t.Errorf("%+v", s)
	}
	waits(s)
}

// If Parley's own records are lost, every conversation is listed, and the user is notified.
func TestNotesLost(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	folder := d.folder("project")
	for i := range 20 {
		d.say(folder, fmt.Sprint("found-", i), "hello")
	}
	d.until("the conversations", func() bool { return len(d.list(sessions.SessionListParams{})) == 20 })
	for i := range 20 {
		if _, err := d.sessions.Archive(ctx, sessions.SessionEndParams{SessionID: fmt.Sprint("found-", i)}); err != nil {
			t.Fatal(err)
		}
	}
	d.stop()
	path := filepath.Join(d.home, "data", "parley.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("noise", 10_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	d.start()
	d.until("the conversations again", func() bool { return len(d.list(sessions.SessionListParams{})) == 20 })
	if got := problemsOf(t, d.App); !slices.Contains(got, problem.NotesRebuilt) {
		t.Errorf("problems %q", got)
	}
}

// Files of drafts are private to the user, and are deleted with the draft.
func TestAttachmentsAreSwept(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	made := must[event.Session](t)(d.sessions.Create(ctx, sessions.SessionCreateParams{CWD: d.folder("project")}))
	attachments := []feature.PromptAttachment{{Name: "a.png", MediaType: "image/png", Data: "AAAA"}}
	if _, err := d.sessions.SetDraft(ctx, sessions.DraftSetParams{SessionID: made.ID, Attachments: &attachments}); err != nil {
		t.Fatal(err)
	}
	files := func() (n int) {
		entries := must[[]fs.DirEntry](t)(os.ReadDir(filepath.Join(d.home, "data", "attachments")))
		for _, e := range entries {
			if info := must[fs.FileInfo](t)(e.Info()); info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v", e.Name(), info.Mode())
			}
		}
		return len(entries)
	}
	d.restart()
	if n := files(); n != 1 {
		t.Errorf("%d files", n)
	}
	if _, err := d.sessions.SetDraft(ctx, sessions.DraftSetParams{SessionID: made.ID, Attachments: &[]feature.PromptAttachment{}}); err != nil {
		t.Fatal(err)
	}
	d.restart()
	if n := files(); n != 0 {
		t.Errorf("%d files", n)
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// What was known before a start is listed immediately, however long reading all conversations
// takes.
func TestListedAtOnce(t *testing.T) {
	d := newDesk(t)
	folder := d.folder("project")
	const all = 200
	for i := range all {
		d.say(folder, fmt.Sprintf("00000000-0000-4000-8000-%012d", i), fmt.Sprintf("turn%d", i))
	}
	d.restart() // wait until all are read
	d.restart()
	if d.first.Total != all {
		t.Errorf("%d of %d sessions were listed at first", d.first.Total, all)
	}
}
