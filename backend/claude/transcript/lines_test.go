package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// The CLI's lines, as short as possible.

func streamed(inner string) string { return streamedBy("", inner) }

func streamedBy(parent, inner string) string {
	return fmt.Sprintf(`{"type":"stream_event","event":%s,"parent_tool_use_id":%s}`, inner, orNull(parent))
}

func orNull(s string) string {
	if s == "" {
		return "null"
	}
	return `"` + s + `"`
}

func start(id string) string {
	return fmt.Sprintf(`{"type":"message_start","message":{"id":%q,"model":"m","usage":{"input_tokens":1,"cache_read_input_tokens":20,"cache_creation_input_tokens":300,"output_tokens":1}}}`, id)
}

func blockStart(index int, body string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, body)
}

func delta(index int, body string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, body)
}

func stop(index int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index) }

func text(index int, s string) string {
	return delta(index, fmt.Sprintf(`{"type":"text_delta","text":%q}`, s))
}

func assistant(id, blocks string) string { return assistantBy("", id, blocks) }

func assistantBy(parent, id, blocks string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"m","content":[%s]},"parent_tool_use_id":%s,"uuid":"u-%s"}`, id, blocks, orNull(parent), id)
}

func toolResult(id, content string) string {
	return fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]},"parent_tool_use_id":null,"uuid":"u"}`, id, content)
}

// Names for inputs that aren't lines of the CLI.
const (
	doStop    = "STOP"
	doEndTurn = "END TURN"
	doDie     = "PROCESS ENDED"
)

// brief formats an event; the caller omits irrelevant meter readings.
func brief(e event.Event) string {
	var s string
	switch e := e.(type) {
	case *event.TextDelta:
		s = fmt.Sprintf("text %s %q", e.BlockID, e.Text)
		if e.Model != "" {
			s += " by " + e.Model
		}
	case *event.ThinkingStart:
		s = "thinking " + e.BlockID
	case *event.ThinkingDelta:
		s = fmt.Sprintf("thought %s %q %d", e.BlockID, e.Text, e.Tokens)
	case *event.ToolStart:
		s = fmt.Sprintf("tool %s %s %s", e.BlockID, e.ToolUseID, e.Name)
		if e.Server {
			s += " at the provider"
		}
	case *event.ToolInput:
		s = fmt.Sprintf("input %s %s %q", e.ToolUseID, e.Name, e.Text)
	case *event.ToolPending:
		s = fmt.Sprintf("pending %s %s %s", e.ToolUseID, e.Name, e.Input)
	case *event.ToolResult:
		s = fmt.Sprintf("result %s %q error=%v", e.ToolUseID, e.Name, e.IsError)
		if e.Outcome != event.UseDone && e.Outcome != event.UseError {
			s += strings.TrimRight(" "+e.Outcome+" "+e.Reason, " ")
		}
		for _, c := range e.Content {
			s += fmt.Sprintf(" [%s %s%s %s]", c.Type, c.MediaType, c.Data, c.Text)
		}
		if e.Structured != nil {
			s += " " + string(e.Structured)
		}
	case *event.BlockEnd:
		s = "end " + e.BlockID
		if e.Stopped {
			s += " stopped"
		}
	case *event.ContextUpdate:
		s = fmt.Sprintf("context %d", e.Used)
		if e.Window > 0 {
			s += fmt.Sprintf(" of %d (%s)", e.Window, e.WindowSource)
		}
	case *event.UserMessage:
		s = fmt.Sprintf("user %s %q", e.MessageID, e.Text)
		if e.Synthetic {
			s += " synthetic"
		}
	case *event.Status:
		s = strings.TrimSpace(fmt.Sprintf("status %s %s", e.Status, e.Message))
		if e.Retry != nil {
			s += fmt.Sprintf(" %+v", *e.Retry)
		}
	case *event.Compaction:
		s = strings.TrimSpace(fmt.Sprintf("compaction %s %s %d→%d %s", e.Phase, e.Trigger, e.PreTokens, e.PostTokens, e.Error))
	case *event.Result:
		s = fmt.Sprintf("account %s error=%v %q $%.2f of $%.2f", e.Subtype, e.IsError, e.Text, e.CostUSD, e.TotalCostUSD)
		if len(e.Denials) > 0 {
			s += fmt.Sprintf(" denied %v", e.Denials)
		}
	case *event.Error:
		s = fmt.Sprintf("error %s %q", e.Code, e.Message)
	case *event.TaskUpdate:
		s = fmt.Sprintf("task %s %s %s", e.Task.TaskID, e.Task.Status, e.Task.Description)
	case *event.Ready:
		s = fmt.Sprintf("ready %s %s %s %v", e.CLISessionID, e.Model, e.PermissionMode, e.MCPServers)
	default:
		s = fmt.Sprintf("%T", e)
	}
	if parent := e.Header().ParentToolUseID; parent != "" {
		s += " <" + parent
	}
	return s
}

// project returns the formatted events of lines, without the meter unless
// requested.
func project(t testing.TB, p *Projector, meter bool, lines ...string) []string {
	t.Helper()
	var got []string
	for _, line := range lines {
		var events []event.Event
		switch line {
		case doStop:
			events = p.Stop()
		case doEndTurn:
			events = p.EndTurn()
		case doDie:
			events = p.ProcessEnded()
		default:
			f, err := wire.Decode([]byte(line))
			if err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if u, ok := f.(*wire.Unknown); ok {
				t.Fatalf("not a known frame (%s): %s", u.Reason, line)
			}
			events = p.Frame(f)
		}
		for _, e := range events {
			if _, ok := e.(*event.ContextUpdate); ok && !meter {
				continue
			}
			got = append(got, brief(e))
		}
	}
	return got
}

type projection struct {
	name  string
	meter bool
	lines []string
	want  []string
}

func run(t *testing.T, tests []projection) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := project(t, NewProjector(), tt.meter, tt.lines...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}
