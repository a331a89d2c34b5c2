package toolserver

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"parley/backend/fault"
	"parley/backend/toolserver/relay"
)

// The CLI's names for what a grant gives it.
const (
	// ServerName is the name of the MCP server; tools are mcp__parley__NAME.
	ServerName = "parley"
	// Prefix is what the CLI puts before the name of a tool of this server.
	Prefix = "mcp__" + ServerName + "__"
)

// LongestCall is the timeout that the CLI is given for calls of this server: the
// longest it accepts, 24.8 days. Without it CLI 2.1.329 gives up on
// a call after 30 minutes without output (CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT), or
// after MCP_TOOL_TIMEOUT, and a user may take longer to answer.
const LongestCall = (1<<31 - 1) * time.Millisecond

// Session defines what a CLI process may do with this server.
type Session struct {
	// ID is copied into every [Call].
	ID string
	// Tools are the tools that the CLI may call.
	Tools []Tool
	// Report, if set, is called when the connection is established, lost or refused; not
	// when the grant is revoked. It must return soon and must not call
	// Revoke.
	Report func(Link)
	// Notify, if set, sends the CLI a message over its own pipes that is not an answer. Only
	// [Server.Local] uses it. It must not wait for the CLI.
	Notify func(message json.RawMessage)
}

// Link is the state of a CLI's connection.
type Link struct {
	Up bool
	// Reason is a sentence that says why the connection is not up.
	Reason string
}

// Grant entitles one CLI process to one connection.
type Grant struct {
	server  *Server
	session Session
	token   secret
	ctx     context.Context // ends with Revoke
	cancel  context.CancelFunc
	named   chan struct{} // closed when pid is set

	mu      sync.Mutex
	pid     int
	used    bool
	revoked bool
	// connection counts the goroutines that serve the connection, 0 or 1.
	connection sync.WaitGroup
}

// secret hides a token from all formatting, including formatting that reads
// unexported fields.
type secret struct{ reveal func() string }

func newSecret(token string) secret { return secret{func() string { return token }} }

// Register grants a CLI process that is about to be started one connection. The
// grant must be revoked when the process has ended.
func (s *Server) Register(session Session) (*Grant, error) {
	if session.ID == "" {
		return nil, errors.New("register a CLI process: no session id")
	}
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	ctx, cancel := context.WithCancel(s.base)
	g := &Grant{
		server: s, session: session, token: newSecret(hex.EncodeToString(random[:])),
		ctx: ctx, cancel: cancel, named: make(chan struct{}),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		cancel()
		return nil, fault.New(fault.Unavailable, "Parley is closing.")
	}
	s.grants[g] = struct{}{}
	return g, nil
}

// Env is what must be added to the CLI's environment. It contains the token: it
// must never appear in arguments or logs.
func (g *Grant) Env() []string {
	return []string{relay.EnvSocket + "=" + g.server.path, relay.EnvToken + "=" + g.token.reveal()}
}

// Args is what must be added to the CLI's arguments: the server, spawned as "exe mcp",
// and the tool that answers permission requests. They contain no secret.
func (g *Grant) Args(exe string) ([]string, error) {
	type mcpServer struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Timeout int64    `json:"timeout"`
	}
	config, err := json.Marshal(map[string]map[string]mcpServer{"mcpServers": {
		ServerName: {Type: "stdio", Command: exe, Args: []string{"mcp"}, Timeout: LongestCall.Milliseconds()},
	}})
	if err != nil {
		return nil, err
	}
	return []string{
		"--mcp-config", string(config),
		"--permission-prompt-tool", Prefix + PermissionToolName,
	}, nil
}

// SetPID sets the CLI process that the grant was made for. Until then a
// connection waits, for at most five seconds. Only the first call counts.
func (g *Grant) SetPID(pid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pid == 0 {
		g.pid = pid
		close(g.named)
	}
}

// Revoke ends the grant's connection and returns when its handlers have ended. It may
// be called again, but not by a handler or by Report.
func (g *Grant) Revoke() {
	g.server.mu.Lock()
	delete(g.server.grants, g)
	g.server.mu.Unlock()
	g.mu.Lock()
	g.revoked = true
	g.mu.Unlock()
	g.cancel()
	g.connection.Wait()
}

// waitPID returns the process that the grant was made for, 0 if ctx ended or
// the grant was revoked first.
func (g *Grant) waitPID(ctx context.Context) int {
	select {
	case <-g.named:
		return g.pid
	case <-g.ctx.Done():
	case <-ctx.Done():
	}
	return 0
}

// claim uses the grant for the caller's connection. It returns false if the grant is
// used or revoked; if true, the caller must call connection.Done at the end.
func (g *Grant) claim() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used || g.revoked {
		return false
	}
	g.used = true
	g.connection.Add(1)
	return true
}

// unused reports whether no connection has been admitted yet.
func (g *Grant) unused() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.used
}

// report reports the state of the connection to the owner, unless the owner ended it.
func (g *Grant) report(link Link) {
	if g.session.Report != nil && g.ctx.Err() == nil {
		g.session.Report(link)
	}
}

// find returns the grant with a token, or nil. It compares with all of them, each in
// constant time.
func (s *Server) find(token string) *Grant {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found *Grant
	for g := range s.grants {
		if subtle.ConstantTimeCompare([]byte(token), []byte(g.token.reveal())) == 1 {
			found = g
		}
	}
	return found
}
