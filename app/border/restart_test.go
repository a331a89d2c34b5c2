//go:build linux

package border

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app/sessions"
	"parley/backend/demo"
	"parley/backend/event"
)

// sessions returns the result of session.list.
func (p *parley) sessions(params m) []event.Session {
	p.t.Helper()
	return call[sessions.SessionList](p.watcher, "session.list", params).Sessions
}

// session is one session's record.
func (p *parley) session(id string) event.Session {
	p.t.Helper()
	return call[event.Session](p.watcher, "session.get", m{"sessionId": id})
}

// messages reads a session's whole history, page by page.
func (p *parley) messages(id string) []event.Message {
	p.t.Helper()
	var list []event.Message
	before := ""
	for {
		page := call[event.History](p.watcher, "session.history", m{"sessionId": id, "limit": 7, "before": before})
		list = append(slices.Clone(page.Messages), list...)
		if !page.HasMore {
			return list
		}
		if before = page.Before; before == "" {
			p.t.Fatal("more messages, and no cursor to them")
		}
	}
}

// words are a message's texts, with their role.
func words(message event.Message) string {
	var b strings.Builder
	b.WriteString(message.Role + ":")
	for _, block := range message.Blocks {
		b.WriteString(" " + block.Text)
	}
	if message.Notice != nil {
		b.WriteString(" " + message.Notice.Kind)
	}
	return b.String()
}

// spoken are the texts of all messages except notices.
func spoken(messages []event.Message) []string {
	var list []string
	for _, message := range messages {
		if message.Role != "notice" {
			list = append(list, words(message))
		}
	}
	return list
}

// lasting is the permanent part of a message. The CLI's files have no more: neither the
// turn's number and cost nor the exact time at which Parley received it.
func lasting(messages []event.Message) []any {
	list := []any{}
	for _, message := range messages {
		var blocks []any
		for _, block := range message.Blocks {
			one := m{"id": block.ID, "type": block.Type, "text": block.Text}
			if tool := block.Tool; tool != nil {
				one["tool"] = []any{tool.ToolUseID, tool.Name, string(tool.Input), tool.State, tool.Reason, tool.Content}
			}
			blocks = append(blocks, one)
		}
		list = append(list, m{"id": message.ID, "role": message.Role, "parent": message.ParentToolUseID, "model": message.Model,
			"attachments": message.Attachments, "blocks": blocks, "notice": message.Notice})
	}
	return list
}

// transcript is the CLI's file of a conversation, "" if there is none.
func (p *parley) transcript(cliSessionID string) string {
	p.t.Helper()
	found, err := filepath.Glob(p.path("home/.claude/projects/*/" + cliSessionID + ".jsonl"))
	if err != nil || len(found) > 1 {
		p.t.Fatalf("files of %s: %v %v", cliSessionID, found, err)
	}
	return strings.Join(found, "")
}

// resume returns a session from before the restart of Parley.
func (p *parley) resume(s *conversation) *conversation {
	return &conversation{p: p, c: p.watcher, id: s.id, dir: s.dir}
}

// noCLI reports a CLI that runs without a request.
func (p *parley) noCLI() {
	p.t.Helper()
	if list := p.running("--input-format=stream-json"); len(list) > 0 {
		p.t.Errorf("%d CLIs run", len(list))
	}
	for _, s := range p.sessions(m{}) {
		if s.PID != 0 || s.State != "idle" {
			p.t.Errorf("session %q: process %d, %s", s.Title, s.PID, s.State)
		}
	}
}

// ways to end Parley.
func ways() map[string]func(p *parley) {
	return map[string]func(p *parley){
		"term": func(p *parley) { p.end() },
		"kill": func(p *parley) {
			p.kill()
			p.nothingLeft()
		},
	}
}

// However Parley ends in the middle of a turn: the sessions keep their messages, drafts
// and prompts; nothing continues automatically, and everything
// continues with its history on request.
func TestRestart(t *testing.T) {
	t.Parallel()
	for name, end := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			oneEngine(t, func(t *testing.T, engine string) { begunAnew(t, engine, end) })
		})
	}
}

func begunAnew(t *testing.T, engine string, end func(*parley)) {
	gate := demo.NewGate()
	p := start(t, demo.NewRules().
		When(demo.Contains("aubergine"), demo.Say("Aubergine it is.")).
		When(demo.Contains("look"), demo.Answer(demo.Text("I look. "), bash("ls")), demo.Say("I have looked.")).
		When(demo.Contains("endless"), demo.Answer(demo.Text("On and ").Wait(gate).More("on."))).
		When(demo.Any, demo.Say("As you said.")))
	made := func(params m) *conversation {
		params["engine"] = engine
		return p.openWith(params)
	}
	if err := os.Mkdir(p.path("other"), 0o700); err != nil {
		t.Fatal(err)
	}
	archived, cut, told, empty := made(m{}), made(m{"permissionMode": "acceptEdits"}), made(m{"cwd": p.path("other")}), made(m{})
	archived.turn("an aubergine, please")
	call[event.Session](p.watcher, "session.archive", m{"sessionId": archived.id})
	told.turn("remember the aubergine")
	told.turn("look around")
	call[event.Session](p.watcher, "session.rename", m{"sessionId": told.id, "title": "Vegetables"})
	call[event.Session](p.watcher, "session.pin", m{"sessionId": told.id, "pinned": true})
	call[m](p.watcher, "session.markRead", m{"sessionId": told.id})
	call[m](p.watcher, "draft.set", m{"sessionId": told.id, "text": "half a thou"})
	call[m](p.watcher, "draft.set", m{"sessionId": empty.id, "text": "not begun"})
	layout := m{"tabs": []any{told.id, cut.id}, "ratio": 0.5}
	call[m](p.watcher, "layout.set", m{"window": "main", "layout": layout})
	cut.turn("remember the aubergine")
	turn := cut.prompt("an endless story")
	<-gate.Reached()
	cut.hears(turn, "On and ")
	cut.promptWith(m{"text": "first of those that wait", "delivery": "queue"})
	cut.promptWith(m{"text": "second of those that wait", "delivery": "queue"})

	all := m{"archived": true}
	before, beforeArchive := p.sessions(m{}), p.sessions(all)
	past := map[string][]event.Message{}
	for _, s := range []*conversation{told, cut, archived} {
		past[s.id] = p.messages(s.id)
	}
	requests := len(p.mainRequests())
	end(p)
	p.again()

	p.noCLI()
	if diff := cmp.Diff(kept(before), kept(p.sessions(m{}))); diff != "" {
		t.Errorf("the list differs (-before +after)\n%s", diff)
	}
	if diff := cmp.Diff(kept(beforeArchive), kept(p.sessions(all))); diff != "" || len(beforeArchive) != 1 {
		t.Errorf("the archive differs (-before +after)\n%s", diff)
	}
	for _, s := range []*conversation{told, archived} {
		if diff := cmp.Diff(lasting(past[s.id]), lasting(p.messages(s.id))); diff != "" {
			t.Errorf("what was said differs (-before +after)\n%s", diff)
		}
	}
	// Of the interrupted turn the prompt exists; the CLI may have saved the model's partial
	// answer or not.
	after := p.messages(cut.id)
	if diff := cmp.Diff(lasting(past[cut.id][:3]), lasting(after[:min(3, len(after))])); diff != "" {
		t.Errorf("what was said before the cut differs (-before +after)\n%s", diff)
	}
	if last := after[len(after)-1]; last.Notice == nil || last.Notice.Kind != "interrupted" {
		t.Errorf("the last message is %s", words(last))
	}
	if was, is := byID(before, told.id).TotalCostUSD, p.session(told.id).TotalCostUSD; was == 0 || was != is {
		t.Errorf("it cost %v, and now %v", was, is)
	}
	r := p.session(cut.id)
	if !r.Interrupted || len(r.Queued) != 2 || r.Queued[0].Text != "first of those that wait" || r.Queued[1].Text != "second of those that wait" ||
		r.Queued[0].State != "held" || r.Queued[1].State != "held" || r.PermissionMode != "acceptEdits" {
		t.Errorf("what was cut off: %+v", r)
	}
	for id, want := range map[string]string{told.id: "half a thou", empty.id: "not begun", cut.id: ""} {
		if got := call[sessions.Draft](p.watcher, "draft.get", m{"sessionId": id}).Text; got != want || p.session(id).HasDraft != (want != "") {
			t.Errorf("the draft is %q, want %q", got, want)
		}
	}
	if diff := cmp.Diff(plain(t, layout), plain(t, call[sessions.Layout](p.watcher, "layout.get", m{"window": "main"}).Layout)); diff != "" {
		t.Errorf("the layout differs\n%s", diff)
	}
	if n := len(p.mainRequests()); n != requests {
		t.Errorf("the model was asked %d times by itself", n-requests)
	}

	// Everything continues.
	again := p.resume(told)
	if got := again.turn("which vegetable?"); got != "As you said." {
		t.Errorf("said %q", got)
	}
	heard := wholeText(p.lastRequest())
	for _, want := range []string{"remember the aubergine", "Aubergine it is.", "look around", "I have looked.", "which vegetable?"} {
		if !strings.Contains(heard, want) {
			t.Errorf("the model does not know %q", want)
		}
	}
	if id := p.session(told.id).CLISessionID; id != byID(before, told.id).CLISessionID {
		t.Errorf("the conversation goes on as %s", id)
	}
	cutAgain := p.resume(cut)
	cutAgain.turn("and the story?")
	heard = wholeText(p.lastRequest())
	at := -1
	for _, want := range []string{"remember the aubergine", "Aubergine it is.", "first of those that wait", "second of those that wait", "and the story?"} {
		i := strings.Index(heard, want)
		if i <= at {
			t.Errorf("the model heard %q at %d, after %d", want, i, at)
		}
		at = i
	}
	if r := p.session(cut.id); len(r.Queued) > 0 || r.Interrupted || r.State != "idle" {
		t.Errorf("afterwards %+v", r)
	}
	if got := spoken(p.messages(cut.id)); !slices.Contains(got, "user: an endless story") || got[len(got)-1] != "assistant: As you said." {
		t.Errorf("afterwards %q", got)
	}
}

// kept is what a list must have kept of its sessions, in order.
func kept(list []event.Session) []m {
	var out []m
	for _, s := range list {
		out = append(out, m{
			"id": s.ID, "cwd": s.CWD, "title": s.Title, "source": s.TitleSource, "engine": s.Engine, "mode": s.PermissionMode, "model": s.Model,
			"cli": s.CLISessionID, "created": s.CreatedAt, "workspace": s.WorkspaceID, "pinned": s.Pinned, "archived": s.ArchivedAt, "draft": s.HasDraft,
			"origin": s.Origin,
		})
	}
	return out
}

func byID(list []event.Session, id string) event.Session {
	return list[slices.IndexFunc(list, func(s event.Session) bool { return s.ID == id })]
}
