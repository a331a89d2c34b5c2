package role

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"parley/backend/fault"
)

// turn is the outcome of a prompt.
type turn struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId,omitempty"`
	// Status is "done", "failed", "waiting" (for a user) or "cut".
	Status string `json:"status"`
	Text   string `json:"text"`
	// Why is a sentence unless it is "done".
	Why string `json:"why,omitempty"`
	// RequestID and ToolName are the request's.
	RequestID string `json:"requestId,omitempty"`
	ToolName  string `json:"toolName,omitempty"`
	// Result is the payload of the event session.result.
	Result json.RawMessage `json:"result,omitempty"`
}

var exitOf = map[string]int{"done": exitOK, "failed": exitFailed, "waiting": exitWaits, "cut": exitCut}

// happening has the relevant fields of an event.
type happening struct {
	SessionID       string `json:"sessionId"`
	TurnID          string `json:"turnId"`
	ParentToolUseID string `json:"parentToolUseId"`
	BlockID         string `json:"blockId"`
	Text            string `json:"text"`
	Message         string `json:"message"`
	Reason          string `json:"reason"`
	IsError         bool   `json:"isError"`
	RequestID       string `json:"requestId"`
	ToolName        string `json:"toolName"`
}

// follow reads events until the turn has ended or waits for a user, and writes its text as it
// arrives. A turn without an id is the running one.
func (t *turn) follow(l *link, to io.Writer) error {
	failed, block := false, ""
	for {
		m, err := l.next()
		if err != nil {
			t.Status, t.Why = "cut", fault.MessageOf(err)
			return nil
		}
		var h happening
		if err := json.Unmarshal(m.Payload, &h); err != nil || h.SessionID != t.SessionID {
			continue
		}
		if m.Event == "session.permission_request" {
			t.Status, t.RequestID, t.ToolName = "waiting", h.RequestID, h.ToolName
			return nil
		}
		// A failure to start a process belongs to no turn.
		if m.Event == "session.error" && (h.TurnID == "" || h.TurnID == t.TurnID) {
			t.Why = h.Message
			continue
		}
		if t.TurnID == "" {
			t.TurnID = h.TurnID
		}
		if h.TurnID != t.TurnID || h.ParentToolUseID != "" {
			continue
		}
		switch m.Event {
		case "session.text_delta":
			text := h.Text
			if block != "" && block != h.BlockID {
				text = "\n\n" + text
			}
			block = h.BlockID
			if _, err := io.WriteString(to, text); err != nil {
				return err
			}
		case "session.result":
			failed, t.Text, t.Result = h.IsError, h.Text, m.Payload
			if block == "" {
				if _, err := io.WriteString(to, h.Text); err != nil {
					return err
				}
			}
		case "session.done":
			t.end(h.Reason, failed)
			return nil
		}
	}
}

func (t *turn) end(reason string, failed bool) {
	switch {
	case reason == "completed" && !failed:
		t.Status, t.Why = "done", ""
		return
	case reason == "completed" || reason == "error" || reason == "failed":
		t.Status = "failed"
	default:
		t.Status = "cut"
	}
	if t.Why == "" {
		t.Why = "The turn ended: " + reason + "."
	}
}

// tell prints how the turn ended, and returns the exit code.
func (p Program) tell(t *turn, asJSON bool) int {
	if asJSON {
		raw, err := json.Marshal(t)
		if err != nil {
			return p.fail(err)
		}
		if _, err := fmt.Fprintf(p.Stdout, "%s\n", raw); err != nil {
			return p.fail(err)
		}
	}
	switch t.Status {
	case "waiting":
		_, _ = fmt.Fprintf(p.Stderr, "parley: %s needs an answer. Answer, then wait for the end of the turn:\n"+
			"  parley permission respond --request %s --behavior allow\n  parley wait %s\n", t.ToolName, t.RequestID, t.SessionID)
	case "failed", "cut":
		_, _ = fmt.Fprintf(p.Stderr, "parley: %s\n", t.Why)
	}
	return exitOf[t.Status]
}

// run sends a prompt, unless it is already running, and follows it.
func (p Program) run(l *link, t *turn, prompt map[string]any, asJSON bool) int {
	// Before the prompt, so that no event of its turn is missed.
	if _, err := l.call("subscribe", map[string]any{"events": []string{"session.*"}}); err != nil {
		return p.fail(err)
	}
	if prompt != nil {
		prompt["sessionId"] = t.SessionID
		if err := l.into(t, "session.prompt", prompt); err != nil {
			return p.fail(err)
		}
	} else if over, err := t.stands(l); err != nil {
		return p.fail(err)
	} else if over {
		if !asJSON && t.Text != "" {
			_, _ = fmt.Fprintln(p.Stdout, t.Text)
		}
		return p.tell(t, asJSON)
	}
	out := &lastLine{to: p.Stdout}
	if asJSON {
		out.to = io.Discard
	}
	err := t.follow(l, out)
	out.finish()
	if err != nil {
		return p.fail(err)
	}
	return p.tell(t, asJSON)
}

// stands reports whether nothing is running in a session, and the outcome of its last turn.
func (t *turn) stands(l *link) (bool, error) {
	var session struct {
		State  string            `json:"state"`
		Queued []json.RawMessage `json:"queued"`
	}
	if err := l.into(&session, "session.get", map[string]any{"sessionId": t.SessionID}); err != nil {
		return false, err
	}
	switch session.State {
	case "waiting":
		var open struct {
			Requests []struct{ RequestID, ToolName string }
		}
		if err := l.into(&open, "permission.list", map[string]any{"sessionId": t.SessionID}); err != nil || len(open.Requests) == 0 {
			return false, err
		}
		t.Status, t.RequestID, t.ToolName = "waiting", open.Requests[0].RequestID, open.Requests[0].ToolName
		return true, nil
	case "idle", "closed", "failed":
	default:
		return false, nil
	}
	var page struct {
		Messages []struct {
			Role, TurnID, ParentToolUseID string
			Blocks                        []struct{ Type, Text string }
			Result                        *struct{ IsError bool }
		}
	}
	if err := l.into(&page, "session.history", map[string]any{"sessionId": t.SessionID, "limit": 50}); err != nil {
		return false, err
	}
	t.Status = "done"
	var texts []string
	for _, m := range page.Messages {
		if m.Role == "user" {
			texts = nil
		}
		if m.Role != "assistant" || m.ParentToolUseID != "" {
			continue
		}
		t.TurnID = m.TurnID
		if m.Result != nil && m.Result.IsError {
			t.Status, t.Why = "failed", "The last turn failed."
		} else {
			t.Status, t.Why = "done", ""
		}
		for _, b := range m.Blocks {
			if b.Type == "text" {
				texts = append(texts, b.Text)
			}
		}
	}
	t.Text = strings.Join(texts, "\n\n")
	return true, nil
}

// lastLine adds a final newline if it is missing.
type lastLine struct {
	to   io.Writer
	open bool
}

func (l *lastLine) Write(b []byte) (int, error) {
	if len(b) > 0 {
		l.open = b[len(b)-1] != '\n'
	}
	return l.to.Write(b)
}

func (l *lastLine) finish() {
	if l.open {
		_, _ = io.WriteString(l.to, "\n")
	}
}

// patient is a link without a timeout: a signal ends it, or the end of Parley.
func (p Program) patient(data string) (*link, func(), error) {
	server, err := p.findServer(data)
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	l, err := dial(ctx, server)
	if err != nil {
		stop()
		return nil, nil, err
	}
	return l, func() { l.close(); stop() }, nil
}

func (p Program) ask(args []string) int {
	set := p.flags("parley ask", "parley ask [flags] PROMPT\n\n"+
		"Starts a session and prints the answer as it arrives. Without a prompt, or with \"-\"\n"+
		"after it, reads standard input. Exits with 0 if the turn is done, 1 if it failed, 2 if the\n"+
		"command is wrong, 3 if a request needs an answer, and 4 if the turn was interrupted.")
	data := set.String("data", "", "the server's data `folder`")
	cwd := set.String("cwd", "", "the `folder` to work in, instead of this one")
	mode := set.String("permission-mode", "", "the session's permission `mode`")
	model := set.String("model", "", "the `model`, as the CLI names it")
	title := set.String("title", "", "the session's title")
	asJSON := set.Bool("json", false, "print one object at the end instead of the text")
	args, code, ok := permuted(set, args, 2)
	if !ok {
		return code
	}
	text, err := p.prompt(args)
	if err != nil {
		_, _ = fmt.Fprintln(p.Stderr, "parley:", fault.MessageOf(err))
		return exitUsage
	}
	if *cwd == "" {
		if *cwd, err = os.Getwd(); err != nil {
			return p.fail(err)
		}
	}
	l, end, err := p.patient(*data)
	if err != nil {
		return p.fail(err)
	}
	defer end()
	params := map[string]any{"cwd": *cwd}
	for name, value := range map[string]string{"permissionMode": *mode, "model": *model, "title": *title} {
		if value != "" {
			params[name] = value
		}
	}
	var session struct {
		ID string `json:"id"`
	}
	if err := l.into(&session, "session.create", params); err != nil {
		return p.fail(err)
	}
	return p.run(l, &turn{SessionID: session.ID}, map[string]any{"text": text}, *asJSON)
}

// maxPrompt bounds a prompt from standard input, in bytes.
const maxPrompt = 16 << 20

// prompt is the prompt: the arguments, standard input, or both.
func (p Program) prompt(args []string) (string, error) {
	if len(args) == 1 && args[0] != "-" {
		return args[0], nil
	}
	if len(args) == 2 && args[1] != "-" {
		return "", fault.New(fault.Invalid, "unexpected argument %q; put the prompt in quotes", args[1])
	}
	if file, ok := p.Stdin.(*os.File); ok && len(args) == 0 {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return "", fault.New(fault.Invalid, "no prompt was given: parley ask \"…\"")
		}
	}
	all, err := io.ReadAll(io.LimitReader(p.Stdin, maxPrompt+1))
	switch {
	case err != nil:
		return "", fault.Wrap(err, fault.Invalid, "standard input cannot be read")
	case len(all) > maxPrompt:
		return "", fault.New(fault.Invalid, "standard input is too long for a prompt")
	}
	text := strings.TrimSpace(string(all))
	if len(args) == 2 {
		text = args[0] + "\n\n" + text
	}
	if strings.TrimSpace(text) == "" {
		return "", fault.New(fault.Invalid, "the prompt is empty")
	}
	return text, nil
}

func (p Program) wait(args []string) int {
	set := p.flags("parley wait", "parley wait [flags] SESSION\n\nWaits until the session's turn is done, and prints the answer. The exit codes are those of \"parley ask\".")
	data := set.String("data", "", "the server's data `folder`")
	asJSON := set.Bool("json", false, "print one object at the end instead of the text")
	args, code, ok := permuted(set, args, 1)
	if !ok {
		return code
	}
	if len(args) == 0 {
		set.Usage()
		return exitUsage
	}
	l, end, err := p.patient(*data)
	if err != nil {
		return p.fail(err)
	}
	defer end()
	return p.run(l, &turn{SessionID: args[0]}, nil, *asJSON)
}

func (p Program) watch(args []string) int {
	set := p.flags("parley watch", "parley watch [flags] [EVENT...]\n\nPrints events as they arrive, one line of JSON for each, until interrupted (exits with 0) or Parley\nquits (4). EVENT is a name, \"session.*\", or \"*\" (the default).")
	data := set.String("data", "", "the server's data `folder`")
	session := set.String("session", "", "only events of this session")
	args, code, ok := permuted(set, args, 100)
	if !ok {
		return code
	}
	if len(args) == 0 {
		args = []string{"*"}
	}
	l, end, err := p.patient(*data)
	if err != nil {
		return p.fail(err)
	}
	defer end()
	if _, err := l.call("subscribe", map[string]any{"events": args}); err != nil {
		return p.fail(err)
	}
	for {
		m, err := l.next()
		switch {
		case err != nil && errors.Is(l.ctx.Err(), context.Canceled):
			return exitOK
		case err != nil:
			p.fail(err)
			return exitCut
		}
		var h happening
		if *session != "" && (json.Unmarshal(m.Payload, &h) != nil || h.SessionID != *session) {
			continue
		}
		line, err := json.Marshal(map[string]any{"event": m.Event, "payload": m.Payload})
		if err != nil {
			return p.fail(err)
		}
		if _, err := fmt.Fprintf(p.Stdout, "%s\n", line); err != nil {
			return p.fail(err)
		}
	}
}
