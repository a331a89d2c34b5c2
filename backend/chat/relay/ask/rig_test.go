package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
)

// world is the complete setup, with Run running.
type world struct {
	*Manager
	t      *testing.T
	chat   *fakeChat
	desk   *fakeDesk
	trail  *fakeTrail
	thread port.Thread
	kept   map[string]string
}

func ann() chat.Person { return chat.Person{ID: "ann", Username: "ann", Name: "Ann Lee"} } // admin
func bob() chat.Person { return chat.Person{ID: "bob", Username: "bob", Name: "Bob"} }     // approve
func cyd() chat.Person { return chat.Person{ID: "cyd", Username: "cyd", Name: "Cyd"} }     // prompt
func eve() chat.Person { return chat.Person{ID: "eve", Username: "eve", Name: "Eve"} }     // a stranger

func grants() []port.ChatGrant {
	return []port.ChatGrant{
		{Role: port.RoleAdmin, UserID: "ann", Name: "Ann Lee"}, {Role: port.RoleApprove, UserID: "bob", Name: "Bob", ChannelID: channel},
		{Role: port.RolePrompt, UserID: "cyd", Name: "Cyd"},
	}
}

// newWorld starts one; within synctest, settle waits for Run.
func newWorld(t *testing.T, change ...func(*Config)) *world {
	w := &world{t: t, chat: newChat(), desk: &fakeDesk{ends: map[string]port.Outcome{}}, trail: &fakeTrail{}, kept: map[string]string{},
		thread: port.Thread{ID: thread, ChannelID: channel, SessionID: session}}
	w.begin(change...)
	return w
}

// begin starts Asks, as after a restart.
func (w *world) begin(change ...func(*Config)) {
	gate := access.New(access.Config{Config: func() port.ChatConfig { return port.ChatConfig{Enabled: true, Access: grants()} }, Chat: w.chat, Trail: w.trail})
	c := Config{Chat: w.chat, Desk: w.desk, Gate: gate, Zone: time.UTC, Logger: slog.New(slog.DiscardHandler),
		Keep: func(_ context.Context, threadID, name, postID string) error {
			if threadID != thread {
				return errors.New("another thread")
			}
			if postID == "" {
				delete(w.kept, name)
			} else {
				w.kept[name] = postID
			}
			return nil
		}}
	for _, f := range change {
		f(&c)
	}
	w.Manager = New(c)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
	w.t.Cleanup(func() {
		cancel()
		<-done
	})
}

func (w *world) settle() { synctest.Wait() }

// ask opens questions, and returns when they are posted.
func (w *world) ask(questions ...port.Request) {
	w.desk.mu.Lock()
	w.desk.open = append(w.desk.open, questions...)
	w.desk.mu.Unlock()
	for _, q := range questions {
		w.Opened(context.Background(), w.thread, q)
		w.settle()
		time.Sleep(time.Second)
	}
}

// resolved reports an end that the desk knows.
func (w *world) resolved(id, outcome, by string) {
	w.Resolved(context.Background(), id, event.PermissionResolved{RequestID: id, Outcome: outcome, By: by, AnsweredAt: time.Now().UnixMilli()})
	w.settle()
}

func (w *world) react(by chat.Person, postID, emoji string) bool {
	is := w.Reacted(context.Background(), chat.ReactionAdded{Reaction: w.give(by, postID, emoji)}, by)
	w.settle()
	return is
}

// give adds a user's reaction to a post without an event.
func (w *world) give(by chat.Person, postID, emoji string) chat.Reaction {
	w.chat.mu.Lock()
	defer w.chat.mu.Unlock()
	r := chat.Reaction{PostID: postID, PersonID: by.ID, Emoji: emoji}
	w.chat.given = append(w.chat.given, r)
	return r
}

func (w *world) unreact(by chat.Person, postID, emoji string) {
	w.chat.mu.Lock()
	r := chat.Reaction{PostID: postID, PersonID: by.ID, Emoji: emoji}
	w.chat.given = slices.DeleteFunc(w.chat.given, func(other chat.Reaction) bool { return other == r })
	w.chat.mu.Unlock()
	w.Unreacted(context.Background(), chat.ReactionRemoved{Reaction: r}, by)
}

func (w *world) reply(by chat.Person, text string) bool {
	time.Sleep(time.Second)
	p := chat.Post{ID: fmt.Sprintf("r%d", time.Now().UnixMilli()), ChannelID: channel, RootID: thread, AuthorID: by.ID, Text: text, At: time.Now().UnixMilli()}
	is := w.Replied(context.Background(), w.thread, p, by)
	w.settle()
	return is
}

func (w *world) press(by chat.Person, postID, button string) bool {
	is := w.Pressed(context.Background(), chat.ButtonPressed{PostID: postID, ButtonID: button, PersonID: by.ID}, by)
	w.settle()
	return is
}

func (w *world) text(postID string) string {
	w.t.Helper()
	p, err := w.chat.Post(context.Background(), postID)
	if err != nil {
		w.t.Fatalf("post %s: %v (there are %d)", postID, err, len(w.chat.posts))
	}
	return p.Text
}

// wants checks the last part of a post.
func (w *world) wants(postID string, words ...string) {
	w.t.Helper()
	text := w.text(postID)
	_, tail, _ := apart(text)
	for _, word := range words {
		if !strings.Contains(tail, word) {
			w.t.Errorf("%s does not say %q:\n%s", postID, word, text)
		}
	}
}

// said returns the text of all posts except questions.
func (w *world) said() []string {
	w.chat.mu.Lock()
	defer w.chat.mu.Unlock()
	var out []string
	for _, p := range w.chat.posts {
		if strings.HasPrefix(p.Key, "asknote-") {
			out = append(out, p.Text)
		}
	}
	return out
}

func (w *world) last() port.Answer {
	w.t.Helper()
	if len(w.desk.answers) == 0 {
		w.t.Fatal("nothing was answered")
	}
	return w.desk.answers[len(w.desk.answers)-1]
}

// Questions to ask.

func asked(id, tool string, input string) port.Request {
	kinds := map[string]string{"AskUserQuestion": "question", "ExitPlanMode": "plan", "Folder": "trust"}
	kind := kinds[tool]
	if kind == "" {
		kind = "tool"
	}
	at := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	return port.Request{SessionID: session, TurnID: "turn", Question: event.Question{
		RequestID: id, ToolName: tool, Input: json.RawMessage(input), Kind: kind, CWD: "/home/ann/my work", AskedAt: at.UnixMilli(), ExpiresAt: at.Add(24 * time.Hour).UnixMilli(),
	}}
}

func push(id string) port.Request {
	q := asked(id, "Bash", `{"command":"git push origin main","description":"Publish the work","timeout":120000}`)
	q.Offers = []event.RuleOffer{
		{Means: "git push to origin", Rules: []string{"Bash(git push origin:*)"}}, {Means: "every git command", Rules: []string{"Bash(git:*)"}},
	}
	q.ExpiresAt = time.Now().Add(24 * time.Hour).UnixMilli()
	return q
}

const colours = `{"question":"Which colour?","header":"Colour","options":[{"label":"Red","description":"warm"},{"label":"Blue, light","description":"cold"}]}`
const parts = `{"question":"Which parts?","header":"Parts","multiSelect":true,"options":[{"label":"Door","description":""},{"label":"Roof","description":""},{"label":"Wall","description":""}]}`

// sleepTo is a time at which the questions below are open.
func sleepTo() { time.Sleep(time.Until(time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC))) }

func push1() port.Request { return push("q") }

func plan1() port.Request {
	return asked("q", "ExitPlanMode", `{"plan":"# Plan\n\n1. Write\n2. Test"}`)
}

func trust1() port.Request {
	return asked("q", "Folder", `{"folder":"/home/ann/x","hash":"h","state":"unknown","findings":[{"kind":"hook","file":".claude/settings.json","name":"PreToolUse","command":"./check.sh\n--all","why":"It runs before each tool."}],"more":2}`)
}

func choice1() port.Request { return asked("q", "AskUserQuestion", `{"questions":[`+colours+`]}`) }

func several1() port.Request { return asked("q", "AskUserQuestion", `{"questions":[`+parts+`]}`) }
