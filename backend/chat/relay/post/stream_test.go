package post

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/backend/event"
)

var ada = &event.Author{Via: "mattermost", Username: "ada", Name: "Ada"}

// feed passes events to a stream with a pause after each.
func feed(s *Stream, events []event.Event, pause time.Duration) {
	for _, e := range events {
		s.Take(e)
		time.Sleep(pause)
	}
}

func checkTexts(t *testing.T, r *recorder, want ...string) {
	t.Helper()
	got := r.texts()
	for i := range got {
		got[i], _, _ = strings.Cut(got[i], "\n\n_claude-opus")
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
}

func TestStreamOfText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		s := NewStream(testConfig(r))
		defer shut(t, s)
		sc := new(script).begin("t1", "Hello?", ada)
		feed(s, sc.events, 0)
		synctest.Wait()
		if n := r.counts(); n["typing"] != 1 || len(n) != 1 {
			t.Errorf("at first there are %v", n)
		}
		time.Sleep(time.Second)
		s.Take(&event.TextDelta{Head: event.Head{TurnID: "t1", Seq: 10}, BlockID: "b", Text: "One "})
		synctest.Wait()
		checkTexts(t, r, "One")
		s.Take(&event.TextDelta{Head: event.Head{TurnID: "t1", Seq: 11}, BlockID: "b", Text: "two "})
		s.Take(&event.TextDelta{Head: event.Head{TurnID: "t1", Seq: 12}, BlockID: "b", Text: "three"})
		synctest.Wait()
		checkTexts(t, r, "One")
		time.Sleep(300 * time.Millisecond)
		synctest.Wait()
		checkTexts(t, r, "One two three")
		s.Take(&event.Done{Head: event.Head{TurnID: "t1", Seq: 13}, Reason: "completed"})
		time.Sleep(time.Second)
		synctest.Wait()
		if n := r.counts(); n["send"] != 1 || n["edit"] != 1 || n["typing"] != 1 {
			t.Errorf("there are %v", n)
		}
		if !s.Idle() {
			t.Error("it is not idle")
		}
	})
}

// Text after tools is held back: it is posted once, complete, at the end.
func TestTheAnswerIsANewPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		s := NewStream(testConfig(r))
		defer shut(t, s)
		sc := new(script).begin("t1", "Go", ada).say("First a look.").tool("u1", "Bash", `{"command":"ls"}`).result("u1", "a", false, 500).say("Now ", "I ", "know.")
		feed(s, sc.events, 200*time.Millisecond)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		checkTexts(t, r, "First a look.\n\n🔧 **Bash** `ls` · 0.5 s")
		sc.events = nil
		sc.tool("u2", "Bash", `{"command":"pwd"}`)
		feed(s, sc.events, 0)
		time.Sleep(3 * time.Second)
		checkTexts(t, r, "First a look.\n\n🔧 **Bash** `ls` · 0.5 s\n\nNow I know.\n\n🔧 **Bash** `pwd` · …")
		sc.events = nil
		feed(s, sc.result("u2", "/", false, 100).say("The answer.").end("completed").events, 0)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		checkTexts(t, r, "First a look.\n\n🔧 **Bash** `ls` · 0.5 s\n\nNow I know.\n\n🔧 **Bash** `pwd` · 0.1 s", "The answer.")
		for i, at := range r.at[1:] {
			if r.calls[i+1] == "edit" && r.calls[i] != "typing" && at.Sub(r.at[i]) < 300*time.Millisecond {
				t.Errorf("call %d came after %v", i+1, at.Sub(r.at[i]))
			}
		}
	})
}

func TestALongAnswerIsSplit(t *testing.T) {
	_, _, texts := measure(t, 12_000, 400, 0, 0, func(*recorder) {})
	if len(texts) != 4 {
		t.Errorf("there are %d posts", len(texts))
	}
}

func TestImages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder, other := t.TempDir(), t.TempDir()
		picture := func(path string, side int) []byte {
			var b bytes.Buffer
			if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
				t.Fatal(err)
			}
			if path != "" {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			return b.Bytes()
		}
		picture(filepath.Join(folder, "out/plot.png"), 3)
		picture(filepath.Join(folder, "same.png"), 3)
		picture(filepath.Join(folder, "abs.png"), 4)
		picture(filepath.Join(other, "secret.png"), 5)
		for from, to := range map[string]string{"link.png": filepath.Join(other, "secret.png"), "within.png": "abs.png", "dir": other} {
			if err := os.Symlink(to, filepath.Join(folder, from)); err != nil {
				t.Skip(err)
			}
		}
		if err := os.WriteFile(filepath.Join(folder, "fake.png"), []byte("no image"), 0o600); err != nil {
			t.Fatal(err)
		}
		r := newRecorder()
		cfg := testConfig(r)
		cfg.Folder = folder
		s := NewStream(cfg)
		sc := new(script).begin("t1", "Go", ada).tool("u1", "Screenshot", `{}`).
			add(&event.ToolResult{ToolUseID: "u1", Outcome: event.UseDone, Content: []event.ResultContent{
				{Type: "image", MediaType: "image/png", Data: base64.StdEncoding.EncodeToString(picture("", 7))}, {Type: "image", Data: "AAAA"}}}).
			say("See ![it](out/plot.png), `same.png`, **" + filepath.Join(folder, "abs.png") + "**, link.png, dir/secret.png, fake.png, ../x.png, " +
				filepath.Join(other, "secret.png") + " and none.png.").end("completed")
		feed(s, sc.events, 0)
		shut(t, s)
		if got := len(r.uploads); got != 3 {
			t.Errorf("%d files were uploaded: %v", got, r.calls)
		}
		for _, name := range []string{"image-1.png", "plot.png", "abs.png"} {
			if len(r.uploads[name]) == 0 {
				t.Errorf("%s was not uploaded", name)
			}
		}
		last := r.posts[len(r.posts)-1]
		if len(last.Files) != 3 || last.Text != "📎 `image-1.png` · `plot.png` · `abs.png`" {
			t.Errorf("the last post is %+v", last)
		}
	})
}
