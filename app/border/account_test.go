//go:build linux

package border

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"parley/backend/event"
)

// account follows one session's events and reports those that do not fit.
type account struct {
	t   testing.TB
	seq uint64
	at  int64
	// blocks are the opened blocks; true when ended.
	blocks map[string]bool
	tools  map[string]*toolAccount
	// questions are the asked questions; true when resolved.
	questions map[string]bool
	begun     map[string]bool
	// own are the turns that the CLI started on its own.
	own  map[string]bool
	done map[string]int
}

type toolAccount struct {
	input   string
	pending bool
	results int
	outcome string
}

func newAccount(t testing.TB) *account {
	return &account{
		t: t, blocks: map[string]bool{}, tools: map[string]*toolAccount{}, questions: map[string]bool{},
		begun: map[string]bool{}, own: map[string]bool{}, done: map[string]int{},
	}
}

func (a *account) add(s seen) {
	a.t.Helper()
	wrong := func(what string) {
		a.t.Helper()
		a.t.Errorf("%s: %s: %.300s", s.name, what, s.raw)
	}
	head := s.Header()
	if head.Seq != a.seq+1 {
		a.t.Errorf("event %d follows event %d: %s", head.Seq, a.seq, s.name)
	}
	if head.At < a.at {
		wrong("time runs backwards")
	}
	a.seq, a.at = head.Seq, head.At
	switch s.Event.(type) {
	case *event.State, *event.TaskUpdate, *event.Status, *event.Closed, *event.Error, *event.ContextUpdate,
		*event.PermissionRequest, *event.PermissionResolved:
	default:
		if a.done[head.TurnID] > 0 && !slices.Contains([]string{"session.done", "session.processing"}, s.name) {
			wrong("its turn is over")
		}
	}
	switch e := s.Event.(type) {
	case *event.TextDelta:
		a.grow(e.BlockID, true, wrong)
	case *event.ThinkingStart:
		a.open(e.BlockID, wrong)
	case *event.ThinkingDelta:
		a.grow(e.BlockID, false, wrong)
	case *event.ToolStart:
		a.open(e.BlockID, wrong)
		if a.tools[e.ToolUseID] != nil {
			wrong("this tool use was started before")
		}
		a.tools[e.ToolUseID] = &toolAccount{}
	case *event.ToolInput:
		a.grow(e.BlockID, false, wrong)
		a.tool(e.ToolUseID, wrong).input += e.Text
	case *event.ToolPending:
		tool := a.tool(e.ToolUseID, wrong)
		if tool.pending || tool.results > 0 {
			wrong("too late")
		}
		tool.pending = true
		// The CLI adds the plan to the input of ExitPlanMode itself, and does not
		// stream the text of subagents.
		if e.Name != "ExitPlanMode" && head.ParentToolUseID == "" && !sameJSON(tool.input, string(e.Input)) {
			wrong("the pieces of the input make " + tool.input)
		}
	case *event.ToolResult:
		tool := a.tool(e.ToolUseID, wrong)
		// A second one corrects the result of an interrupted tool.
		tool.results++
		ran := tool.outcome == event.UseDone || tool.outcome == event.UseError
		if tool.results > 2 || tool.results == 2 && (ran || tool.outcome == e.Outcome) {
			wrong("a second result")
		}
		tool.outcome = e.Outcome
	case *event.BlockEnd:
		if ended, opened := a.blocks[e.BlockID]; !opened || ended {
			wrong("this block is not open")
		}
		a.blocks[e.BlockID] = true
	case *event.ContextUpdate:
		if e.Used != e.InputTokens+e.CacheReadTokens+e.CacheCreationTokens+e.OutputTokens {
			wrong("the figures do not add up")
		}
	case *event.PermissionRequest:
		if _, asked := a.questions[e.RequestID]; asked {
			wrong("asked twice")
		}
		a.questions[e.RequestID] = false
	case *event.PermissionResolved:
		if resolved, asked := a.questions[e.RequestID]; !asked || resolved {
			wrong("this question is not open")
		}
		a.questions[e.RequestID] = true
	case *event.Processing:
		if a.begun[e.TurnID] {
			wrong("this turn began before")
		}
		a.begun[e.TurnID] = true
		a.own[e.TurnID] = e.Origin == "cli"
	case *event.Done:
		a.done[e.TurnID]++
	}
}

func (a *account) open(block string, wrong func(string)) {
	if _, opened := a.blocks[block]; opened {
		wrong("this block was opened before")
	}
	a.blocks[block] = false
}

// grow handles pieces of blocks; text pieces open their block.
func (a *account) grow(block string, opens bool, wrong func(string)) {
	ended, opened := a.blocks[block]
	switch {
	case ended:
		wrong("this block has ended")
	case !opened && !opens:
		wrong("this block was not opened")
	}
	a.blocks[block] = false
}

func (a *account) tool(id string, wrong func(string)) *toolAccount {
	if a.tools[id] == nil {
		wrong("this tool was not started")
		a.tools[id] = &toolAccount{}
	}
	return a.tools[id]
}

// close reports what is left open.
func (a *account) close() {
	a.t.Helper()
	for id, ended := range a.blocks {
		if !ended {
			a.t.Errorf("block %s was not ended", id)
		}
	}
	for id, resolved := range a.questions {
		if !resolved {
			a.t.Errorf("question %s was not resolved", id)
		}
	}
	for turn := range a.own {
		if a.own[turn] && a.done[turn] != 1 {
			a.t.Errorf("%d done for the CLI's own turn %s", a.done[turn], turn)
		}
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
