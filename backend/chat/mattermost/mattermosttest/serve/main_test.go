package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mattermost/mattermost/server/public/model"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program is a running instance.
type program struct {
	t *testing.T
	ready
	client *http.Client
}

// start runs the program; it ends with the test, and must exit successfully.
func start(t *testing.T) *program {
	t.Helper()
	in, stop := io.Pipe()
	out, say := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(in, say) }()
	transport := &http.Transport{}
	p := &program{t: t, client: &http.Client{Transport: transport}}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &p.ready); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	t.Cleanup(func() {
		_ = stop.Close()
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
		transport.CloseIdleConnections()
	})
	return p
}

// send sends a command and returns the status and the body of its answer.
func (p *program) send(secret, name string, in map[string]any) (int, []byte) {
	p.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.Control+"/"+name, bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	resp, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, text
}

// do runs a command that must succeed.
func do[T any](p *program, name string, in map[string]any) (out T) {
	p.t.Helper()
	status, text := p.send(p.Secret, name, in)
	if status != http.StatusOK {
		p.t.Fatalf("%s: %d %s", name, status, text)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		p.t.Fatalf("%s: %s: %v", name, text, err)
	}
	return out
}

func TestAConversationByCommands(t *testing.T) {
	p := start(t)
	bot := model.NewAPIv4Client(p.URL)
	bot.HTTPClient = p.client
	bot.SetToken(p.Token)
	ada := p.People["ada"].ID
	file := do[model.FileInfo](p, "upload", map[string]any{"as": ada, "channel": p.Channels["general"], "name": "a.txt", "data": []byte("text")})
	root := do[model.Post](p, "post", map[string]any{"as": ada, "channel": p.Channels["general"], "text": "hello", "files": []string{file.Id}})
	if len(root.FileIds) != 1 {
		t.Errorf("posted %v", root.FileIds)
	}
	waited := make(chan []*model.Post, 1)
	go func() {
		waited <- do[[]*model.Post](p, "wait", map[string]any{"thread": root.Id, "of": p.BotID, "contains": "world"})
	}()
	if _, _, err := bot.CreatePost(t.Context(), &model.Post{ChannelId: root.ChannelId, RootId: root.Id, Message: "hello world"}); err != nil {
		t.Fatal(err)
	}
	got := <-waited
	if len(got) != 1 || got[0].RootId != root.Id {
		t.Fatalf("waited for %v", got)
	}
	do[any](p, "react", map[string]any{"as": ada, "post": got[0].Id, "emoji": "+1"})
	if r := do[[]string](p, "reactions", map[string]any{"post": got[0].Id}); len(r) != 1 || r[0] != "ada +1" {
		t.Errorf("reactions %v", r)
	}
	do[model.Post](p, "reply", map[string]any{"as": ada, "post": got[0].Id, "text": "thanks"})
	if th := do[[]*model.Post](p, "thread", map[string]any{"post": root.Id}); len(th) != 3 {
		t.Errorf("the thread has %d posts", len(th))
	}
	do[any](p, "fault", map[string]any{"name": "broken", "fault": map[string]any{"what": "status", "route": "POST /posts", "code": 502}})
	if _, resp, err := bot.CreatePost(t.Context(), &model.Post{ChannelId: root.ChannelId, Message: "x"}); err == nil || resp.StatusCode != 502 {
		t.Errorf("with a fault: %v", err)
	}
	if n := do[map[string]int](p, "mend", map[string]any{"name": "broken"}); n["count"] != 1 {
		t.Errorf("it happened %v times", n)
	}
	if n := do[map[string]int](p, "cut", nil); n["count"] != 0 {
		t.Errorf("%v sockets were cut", n)
	}
}

func TestCommandsThatAreRefused(t *testing.T) {
	p := start(t)
	tests := map[string]struct {
		secret, name string
		in           map[string]any
		status       int
		says         string
	}{
		"secret":  {"wrong", "posts", nil, 401, "secret"},
		"unknown": {p.Secret, "dance", nil, 400, "no command"},
		"field":   {p.Secret, "posts", map[string]any{"chanel": "x"}, 400, "unknown field"},
		"rights":  {p.Secret, "post", map[string]any{"as": p.People["eve"].ID, "channel": p.Channels["private"], "text": "x"}, 400, "permissions"},
		"fault":   {p.Secret, "fault", map[string]any{"name": "x", "fault": map[string]any{"what": "nothing"}}, 400, "no fault"},
		"wait":    {p.Secret, "wait", map[string]any{"channel": p.Channels["general"], "contains": "never", "timeout": 1}, 400, "in vain"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			status, text := p.send(tt.secret, tt.name, tt.in)
			if status != tt.status || !strings.Contains(string(text), tt.says) {
				t.Errorf("%d %s, want %d and %q", status, text, tt.status, tt.says)
			}
		})
	}
}
