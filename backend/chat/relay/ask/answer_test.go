package ask

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
)

// The effect of each reaction and reply, for whom it counts, and what the post says
// afterwards.
func TestAnswers(t *testing.T) {
	edited := `{"command":"git push origin topic","description":"Publish the work","timeout":120000}`
	cases := []struct {
		name string
		q    func() port.Request
		do   func(w *world)
		// want is the answer passed to the desk, nil for none; says is in the post
		// afterwards, and said in other posts.
		want *port.Answer
		says []string
		said string
	}{
		{"once", push1, func(w *world) { w.react(bob(), "p1", "+1") }, &port.Answer{Allow: true, By: bob()}, []string{"**Allowed** by Bob", "22 Nov"}, ""},
		{"once, with a skin", push1, func(w *world) { w.react(bob(), "p1", "thumbsup_medium_dark_skin_tone") }, &port.Answer{Allow: true, By: bob()}, []string{"**Allowed** by Bob"}, ""},
		{"always", push1, func(w *world) { w.react(ann(), "p1", "white_check_mark") }, &port.Answer{Allow: true, Rules: []string{"Bash(git push origin:*)"}, By: ann()},
			[]string{"**Allowed** by Ann Lee", "Rule added", "`Bash(git push origin:*)`"}, ""},
		{"always by someone who may not", push1, func(w *world) { w.react(bob(), "p1", "white_check_mark") }, nil, []string{"Auto-denies"}, "change everything"},
		{"deny", push1, func(w *world) { w.react(bob(), "p1", "-1") }, &port.Answer{By: bob()}, []string{"**Denied** by Bob"}, ""},
		{"once by someone who may only write", push1, func(w *world) { w.react(cyd(), "p1", "+1") }, nil, []string{"Auto-denies"}, "answer requests"},
		{"by a stranger", push1, func(w *world) { w.react(eve(), "p1", "+1"); w.react(eve(), "p1", "-1") }, nil, []string{"Auto-denies"}, "do not have permission"},
		{"by Parley itself", push1, func(w *world) { w.react(w.chat.Me(), "p1", "+1") }, nil, []string{"Auto-denies"}, ""},
		{"by someone in the name of another", push1, func(w *world) {
			w.Reacted(context.Background(), chat.ReactionAdded{Reaction: chat.Reaction{PostID: "p1", PersonID: "eve", Emoji: "+1"}}, ann())
		}, nil, []string{"Auto-denies"}, "do not have permission"},
		{"an emoji that means nothing", push1, func(w *world) {
			if w.react(bob(), "p1", "tada") {
				w.t.Error("it was taken")
			}
		}, nil, []string{"Auto-denies"}, ""},
		{"someone else's post", push1, func(w *world) {
			if w.react(bob(), "p9", "+1") {
				w.t.Error("it was taken")
			}
		}, nil, []string{"Auto-denies"}, ""},
		{"a reaction that is taken back", push1, func(w *world) {
			w.Unreacted(context.Background(), chat.ReactionRemoved{Reaction: chat.Reaction{PostID: "p1", PersonID: "bob", Emoji: "+1"}}, bob())
		}, nil, []string{"Auto-denies"}, ""},
		{"deny with a reason", push1, func(w *world) { w.reply(bob(), " No: use a *branch*. ") }, &port.Answer{Message: "No: use a *branch*.", By: bob()}, []string{"**Denied** by Bob", `> No: use a \*branch\*.`}, ""},
		{"deny with a quote", push1, func(w *world) { w.reply(bob(), "> git push\n\nUse a branch.") }, &port.Answer{Message: "Use a branch.", By: bob()}, []string{"**Denied** by Bob"}, ""},
		{"a quote of something else", push1, func(w *world) {
			if w.reply(bob(), "> rm -rf\n\nWho wrote that?") {
				w.t.Error("it was taken")
			}
		}, nil, []string{"Auto-denies"}, "Claude reads this after it is answered"},
		{"what people say to each other", push1, func(w *world) {
			if w.reply(bob(), "Ann, can you look at the tests, too?") || w.reply(bob(), "And the docs?") {
				w.t.Error("it was taken")
			}
		}, nil, []string{"Auto-denies"}, "Claude reads this after it is answered"},
		{"yes is no reason to deny", push1, func(w *world) { w.reply(bob(), "Yes!") }, nil, []string{"Auto-denies"}, "react to the request"},
		{"an edit", push1, func(w *world) { w.reply(bob(), "edit: git push origin topic") }, &port.Answer{Allow: true, Input: []byte(edited), By: bob()},
			[]string{"**Allowed with a change** by Bob", "```bash\ngit push origin topic\n```"}, ""},
		{"a code block", push1, func(w *world) { w.reply(bob(), "```sh\ngit push origin topic\n```") }, &port.Answer{Allow: true, Input: []byte(edited), By: bob()}, []string{"**Allowed with a change**"}, ""},
		{"an empty edit", push1, func(w *world) { w.reply(bob(), "Edit:  ") }, nil, []string{"Auto-denies"}, "nothing left to run"},
		{"a reply of someone who may only write", push1, func(w *world) {
			if w.reply(cyd(), "no") {
				w.t.Error("it was taken")
			}
		}, nil, []string{"Auto-denies"}, ""},
		{"a reply of a stranger", push1, func(w *world) {
			if w.reply(eve(), "edit: rm -rf /") {
				w.t.Error("it was taken")
			}
		}, nil, []string{"Auto-denies"}, ""},
		{"a reply of a webhook in the name of an admin", push1, func(w *world) {
			p := chat.Post{ID: "x", AuthorID: "ann", Automated: true, Text: "edit: rm -rf /", At: time.Now().UnixMilli()}
			if w.Replied(context.Background(), w.thread, p, ann()) {
				w.t.Error("it was taken")
			}
		}, nil, []string{"Auto-denies"}, ""},
		{"a reply that is older than the question", push1, func(w *world) {
			p := chat.Post{ID: "x", AuthorID: "ann", Text: "and then the tests", At: time.Now().Add(-time.Minute).UnixMilli()}
			if w.Replied(context.Background(), w.thread, p, ann()) {
				w.t.Error("it was taken")
			}
		}, nil, []string{"Auto-denies"}, ""},
		{"a reply in another thread", push1, func(w *world) {
			p := chat.Post{ID: "x", AuthorID: "ann", Text: "no", At: time.Now().UnixMilli()}
			if w.Replied(context.Background(), port.Thread{ID: "other", ChannelID: channel}, p, ann()) {
				w.t.Error("it was taken")
			}
		}, nil, []string{"Auto-denies"}, ""},
		{"JSON for another tool", func() port.Request { return asked("q", "mcp__x__y", `{"a":1}`) }, func(w *world) { w.reply(ann(), `edit: {"a":2}`) },
			&port.Answer{Allow: true, Input: []byte(`{"a":2}`), By: ann()}, []string{"Allowed with a change", `"a": 2`}, ""},
		{"no JSON for another tool", func() port.Request { return asked("q", "mcp__x__y", `{"a":1}`) }, func(w *world) { w.reply(ann(), `edit: rm x`) }, nil, []string{"Auto-denies"}, "must be a JSON object"},
		{"an input that does not fit", func() port.Request { return asked("q", "Write", `{"file_path":"/a","content":"x"}`) },
			func(w *world) { w.reply(ann(), `edit: {"file_path":"/a"}`) }, nil, []string{"Auto-denies"}, "content is missing"},

		{"a plan", plan1, func(w *world) { w.react(bob(), "p1", "+1") }, &port.Answer{Allow: true, By: bob()}, []string{"**Approved** by Bob"}, ""},
		{"a plan with edits", plan1, func(w *world) { w.react(ann(), "p1", "pencil2") }, &port.Answer{Allow: true, Mode: "acceptEdits", By: ann()}, []string{"**Approved, and edits are accepted** by Ann Lee"}, ""},
		{"a plan with edits by someone who may not", plan1, func(w *world) { w.react(bob(), "p1", "pencil2") }, nil, []string{"Auto-denies"}, "change everything"},
		{"changes to a plan", plan1, func(w *world) { w.reply(bob(), "Tests first.\nThen code.") }, &port.Answer{Message: "Tests first.\nThen code.", By: bob()}, []string{"**Changes asked for** by Bob", "> Tests first. Then code."}, ""},
		{"a plan discarded", plan1, func(w *world) { w.react(bob(), "p1", "-1") }, &port.Answer{Message: discarded, By: bob()}, []string{"**Discarded** by Bob"}, ""},

		{"a folder", trust1, func(w *world) { w.react(ann(), "p1", "two") }, &port.Answer{Allow: true, Choice: "trusted", By: ann()}, []string{"**Trusted and started** by Ann Lee"}, ""},
		{"a folder without what it has", trust1, func(w *world) { w.react(ann(), "p1", "one") }, &port.Answer{Allow: true, Choice: "bare", By: ann()}, []string{"**Started without them** by Ann Lee"}, ""},
		{"no folder", trust1, func(w *world) { w.react(ann(), "p1", "-1") }, &port.Answer{By: ann()}, []string{"**Not started** by Ann Lee"}, ""},
		{"a folder by someone who may not", trust1, func(w *world) { w.react(bob(), "p1", "one"); w.react(bob(), "p1", "-1") }, nil, []string{"Auto-denies"}, "change everything"},
		{"a reply is not about a folder", trust1, func(w *world) {
			if w.reply(ann(), "hello") {
				w.t.Error("it was taken")
			}
		}, nil, []string{"Auto-denies"}, ""},

		{"a choice", choice1, func(w *world) { w.react(bob(), "p1", "two") }, &port.Answer{Allow: true, Answers: map[string]any{"Which colour?": "Blue, light"}, By: bob()}, []string{"**Blue, light** by Bob"}, ""},
		{"a choice by number", choice1, func(w *world) { w.reply(bob(), "#1.") }, &port.Answer{Allow: true, Answers: map[string]any{"Which colour?": "Red"}, By: bob()}, []string{"**Red** by Bob"}, ""},
		{"a choice by its words", choice1, func(w *world) { w.reply(bob(), "red") }, &port.Answer{Allow: true, Answers: map[string]any{"Which colour?": "Red"}, By: bob()}, []string{"**Red** by Bob"}, ""},
		{"other words", choice1, func(w *world) { w.reply(bob(), "green, 3 of them") }, &port.Answer{Allow: true, Answers: map[string]any{"Which colour?": "green, 3 of them"}, By: bob()}, []string{"**green, 3 of them** by Bob"}, ""},
		{"a number too many", choice1, func(w *world) { w.reply(bob(), "1, 2") }, nil, []string{"Auto-denies"}, "takes one answer"},
		{"no answer", choice1, func(w *world) { w.react(bob(), "p1", "-1") }, &port.Answer{By: bob()}, []string{"**Not answered** by Bob"}, ""},
		{"a number that is not offered", choice1, func(w *world) {
			if w.react(bob(), "p1", "three") {
				w.t.Error("it was taken")
			}
		}, nil, []string{"Auto-denies"}, ""},
		{"a choice by someone who may not", choice1, func(w *world) { w.react(cyd(), "p1", "one") }, nil, []string{"Auto-denies"}, "answer requests"},

		{"several", several1, func(w *world) {
			w.react(bob(), "p1", "three")
			w.react(bob(), "p1", "one")
			w.react(ann(), "p1", "two")
			w.unreact(ann(), "p1", "two")
			w.react(cyd(), "p1", "two")
			w.react(bob(), "p1", "white_check_mark")
		}, &port.Answer{Allow: true, Answers: map[string]any{"Which parts?": []string{"Door", "Wall"}}, By: bob()}, []string{"**Door, Wall** by Bob"}, "answer requests"},
		{"several, none yet", several1, func(w *world) { w.react(bob(), "p1", "white_check_mark") }, nil, []string{"Auto-denies"}, "Nothing is chosen yet"},
		{"several by numbers", several1, func(w *world) { w.reply(bob(), "3 and 1") }, &port.Answer{Allow: true, Answers: map[string]any{"Which parts?": []string{"Door", "Wall"}}, By: bob()}, []string{"**Door, Wall** by Bob"}, ""},
		{"several in other words", several1, func(w *world) { w.reply(bob(), "the cellar") }, &port.Answer{Allow: true, Answers: map[string]any{"Which parts?": []string{"the cellar"}}, By: bob()}, []string{"**the cellar** by Bob"}, ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepTo()
				w := newWorld(t)
				q := tc.q()
				w.ask(q)
				tc.do(w)
				w.settle()
				switch {
				case tc.want == nil && len(w.desk.answers) > 0:
					t.Errorf("the desk was told %+v", w.desk.answers)
				case tc.want != nil:
					tc.want.RequestID = q.RequestID
					if diff := cmp.Diff(*tc.want, w.last()); diff != "" {
						t.Error(diff)
					}
					if len(w.chat.reactions["p1"]) > 0 {
						t.Errorf("reactions stay: %v", w.chat.reactions["p1"])
					}
					if len(w.kept) > 0 {
						t.Errorf("posts stay in the record: %v", w.kept)
					}
				default:
					if len(w.chat.reactions["p1"]) == 0 {
						t.Error("nothing is offered any more")
					}
				}
				w.wants("p1", tc.says...)
				if said := strings.Join(w.said(), "\n"); !strings.Contains(said, tc.said) || tc.said == "" && said != "" || len(w.said()) > 1 {
					t.Errorf("said %q, want %q", w.said(), tc.said)
				}
				if tc.want != nil && !slices.ContainsFunc(w.trail.deeds, func(d port.Action) bool {
					return d.By.Name == tc.want.By.Name && d.RequestID == q.RequestID && d.Refused == "" && d.SessionID == session
				}) {
					t.Errorf("the log has %+v", w.trail.deeds)
				}
			})
		})
	}
}
