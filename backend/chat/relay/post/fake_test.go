package post

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorder is a chat that records its calls.
type recorder struct {
	port.Chat // methods that a stream doesn't use are nil
	mu        sync.Mutex
	limits    chat.Limits
	posts     []*chat.Post
	byKey     map[string]*chat.Post
	gone      map[string]bool
	// calls are all calls, as "send", "edit", "upload", "typing".
	calls []string
	at    []time.Time
	// under counts the running calls by post.
	under int
	most  int
	// slow is the duration of a call, fail its error.
	slow    time.Duration
	fail    func(call string) error
	uploads map[string][]byte
	// fixed: no post may be edited; editFor is how long one may be.
	fixed   bool
	editFor time.Duration
}

func newRecorder() *recorder {
	return &recorder{limits: chat.Limits{Text: 16383, Files: 5, FileBytes: 50 << 20}, byKey: map[string]*chat.Post{}, gone: map[string]bool{}, uploads: map[string][]byte{}}
}

func (r *recorder) Limits() chat.Limits { return r.limits }

func (r *recorder) call(ctx context.Context, what string) error {
	r.mu.Lock()
	r.calls, r.at = append(r.calls, what), append(r.at, time.Now())
	r.under++
	r.most = max(r.most, r.under)
	slow, fail := r.slow, r.fail
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.under--
		r.mu.Unlock()
	}()
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-ctx.Done():
			return chat.ErrOffline
		}
	}
	if fail != nil {
		return fail(what)
	}
	return ctx.Err()
}

func (r *recorder) Send(ctx context.Context, p chat.NewPost) (chat.Post, error) {
	if len(p.Key) > 60 || p.Key == "" || utf8.RuneCountInString(p.Text) > r.limits.Text || len(p.FileIDs) > r.limits.Files {
		return chat.Post{}, fmt.Errorf("key %q, %d characters, %d files: %w", p.Key, len(p.Text), len(p.FileIDs), chat.ErrTooLarge)
	}
	if err := r.call(ctx, "send"); err != nil {
		return chat.Post{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if has := r.byKey[p.Key]; has != nil {
		return *has, nil
	}
	made := &chat.Post{ID: fmt.Sprintf("post%d", len(r.posts)+1), ChannelID: p.ChannelID, RootID: p.RootID, Text: p.Text, Key: p.Key, At: time.Now().UnixMilli()}
	for _, id := range p.FileIDs {
		made.Files = append(made.Files, chat.File{ID: id})
	}
	r.posts = append(r.posts, made)
	r.byKey[p.Key] = made
	return *made, nil
}

func (r *recorder) Edit(ctx context.Context, id, text string, buttons []chat.Button) error {
	if utf8.RuneCountInString(text) > r.limits.Text {
		return chat.ErrTooLarge
	}
	if err := r.call(ctx, "edit"); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone[id] {
		return chat.ErrGone
	}
	for _, p := range r.posts {
		if p.ID == id {
			if r.fixed || r.editFor > 0 && time.Since(time.UnixMilli(p.At)) > r.editFor {
				return chat.ErrForbidden
			}
			p.Text = text
			return nil
		}
	}
	return chat.ErrGone
}

func (r *recorder) Post(ctx context.Context, id string) (chat.Post, error) {
	if err := r.call(ctx, "post"); err != nil {
		return chat.Post{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.posts {
		if p.ID == id && !r.gone[id] {
			return *p, nil
		}
	}
	return chat.Post{}, chat.ErrGone
}

func (r *recorder) Upload(ctx context.Context, channelID, name string, from io.Reader) (chat.File, error) {
	if err := r.call(ctx, "upload"); err != nil {
		return chat.File{}, err
	}
	data, err := io.ReadAll(from)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.uploads[name] = data
	return chat.File{ID: "file-" + name, Name: name, Bytes: int64(len(data))}, err
}

func (r *recorder) Typing(ctx context.Context, channelID, threadID string) error {
	return r.call(ctx, "typing")
}

// texts returns the texts of the existing posts.
func (r *recorder) texts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []string{}
	for _, p := range r.posts {
		if !r.gone[p.ID] {
			out = append(out, p.Text)
		}
	}
	return out
}

func (r *recorder) counts() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := map[string]int{}
	for _, c := range r.calls {
		n[c]++
	}
	return n
}

// set changes the chat's behavior.
func (r *recorder) set(change func(*recorder)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
}

// script builds a session's events.
type script struct {
	seq    uint64
	turn   string
	events []event.Event
	blocks int
}

func (s *script) add(e event.Event) *script {
	s.seq++
	head := e.Header()
	head.SessionID, head.Seq = "session", s.seq
	if head.TurnID == "" {
		head.TurnID = s.turn
	}
	s.events = append(s.events, e)
	return s
}

// begin starts a turn with a prompt.
func (s *script) begin(turn, prompt string, author *event.Author) *script {
	s.turn = turn
	s.add(&event.UserMessage{MessageID: turn, PromptID: "p" + turn, Text: prompt, Author: author})
	s.add(&event.Processing{PromptID: "p" + turn, Origin: "prompt"})
	return s.add(&event.Ready{Model: "claude-opus-4-1"})
}

func (s *script) say(pieces ...string) *script {
	s.blocks++
	id := fmt.Sprintf("%s-b%d", s.turn, s.blocks)
	for _, p := range pieces {
		s.add(&event.TextDelta{MessageID: s.turn + "-m", BlockID: id, Text: p})
	}
	return s.add(&event.BlockEnd{BlockID: id})
}

func (s *script) tool(id, name, input string) *script {
	s.add(&event.ToolStart{MessageID: s.turn + "-m", BlockID: id + "-b", ToolUseID: id, Name: name})
	s.add(&event.ToolInput{ToolUseID: id, Name: name, BlockID: id + "-b", Text: input})
	s.add(&event.ToolPending{ToolUseID: id, Name: name, Input: []byte(input)})
	return s.add(&event.BlockEnd{BlockID: id + "-b"})
}

func (s *script) result(id, text string, failed bool, ms int64) *script {
	return s.add(&event.ToolResult{ToolUseID: id, IsError: failed, Outcome: map[bool]string{false: event.UseDone, true: event.UseError}[failed], Content: []event.ResultContent{{Type: "text", Text: text}}, DurationMs: ms})
}

func (s *script) end(reason string) *script {
	s.add(&event.ContextUpdate{Context: event.Context{Percent: new(12.4)}})
	s.add(&event.Result{CostUSD: 0.01234, DurationMs: 12_345, Usage: event.Usage{InputTokens: 1200, CacheReadTokens: 30_000, OutputTokens: 345}})
	return s.add(&event.Done{PromptID: "p" + s.turn, Reason: reason})
}

func testConfig(r *recorder) Config {
	return Config{Chat: r, ChannelID: "channel", RootID: "root", Key: "session", Logger: slog.New(slog.DiscardHandler)}
}

// shut closes an idle stream.
func shut(t *testing.T, s *Stream) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
}

// ended reports the end of a tool without a result.
func (s *script) ended(id, outcome, reason string) *script {
	return s.add(&event.ToolResult{ToolUseID: id, IsError: true, Outcome: outcome, Reason: reason, Content: []event.ResultContent{}})
}
