package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"parley/app/feature"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/toolserver"
)

// Asker is how Parley's own tools ask users. Its methods may be called from any goroutine.
type Asker struct {
	// Engine puts a session's request to users.
	Engine interface {
		Ask(ctx context.Context, spec session.Spec, weighty bool, q event.Question) (permission.Decision, error)
	}
	// Session is a session's record.
	Session func(ctx context.Context, id string) (event.Session, error)
	Rules   Rules
}

// Rules are the user's rules about a tool call.
type Rules interface {
	// Forbid is why they deny it, "" if they do not.
	Forbid(q permission.Request) string
	// Again is their own decision, nil for none.
	Again(q permission.Request) *permission.Decision
}

// forbidden is why a call must not be made, "" for nothing. The CLI receives most rules when it
// starts; later ones count, too.
func (o *Asker) forbidden(spec session.Spec, call toolserver.Call) string {
	return o.Rules.Forbid(permission.Request{SessionID: spec.SessionID, Question: event.Question{
		ToolName: call.Tool, Input: call.Arguments, CWD: spec.CWD, Kind: permission.KindTool,
	}})
}

// Question is what users are asked before one of Parley's own tools does something.
type Question struct {
	// Title is a short question ("Start another session?"), Description the effect, in plain words.
	// Both are shown as plain text.
	Title, Description string
	// Input is what will be done, and encodes to a JSON object; nil means the arguments of the
	// call. If it is a pointer, a user's changes are written to it, and must be validated again;
	// otherwise a change is an error.
	Input any
	// Reads is set for read-only actions: they are also asked about in plan mode.
	Reads bool
	// Destructive is set for actions that remove something: auto-approve never allows them.
	Destructive bool
	// Person is set for what only a user may answer, each time: no rule allows it.
	Person bool
}

// Ask asks a user whether a tool may do something for a session, and returns nil if it may. Rules,
// auto-approve and remembered answers decide first, as for any tool. The error is for the model:
// the reason, or that the request was withdrawn.
func (o *Asker) Ask(ctx context.Context, spec session.Spec, call toolserver.Call, a Question) error {
	input := call.Arguments
	if a.Input != nil {
		var err error
		if input, err = json.Marshal(a.Input); err != nil {
			return fmt.Errorf("encode what is asked about: %w", err)
		}
	}
	s, err := o.Session(ctx, spec.SessionID)
	if err != nil {
		return err
	}
	if s.PermissionMode == "plan" && !a.Reads {
		return ErrPlanning()
	}
	q := event.Question{
		ToolUseID: call.ToolUseID, ToolName: call.Tool, Input: input, Kind: permission.KindTool,
		Title: feature.Plain(a.Title), Description: feature.Plain(a.Description),
		DefaultToNo: a.Destructive, NoRemember: a.Person,
	}
	if s.PermissionMode == "dontAsk" {
		ask := q
		ask.CWD = spec.CWD
		if o.Rules.Again(permission.Request{SessionID: spec.SessionID, Question: ask}) == nil {
			return fault.New(fault.Forbidden, "This session doesn't ask (permission mode dontAsk), and none of the user's rules allows %s.", call.Tool)
		}
	}
	decision, err := o.Engine.Ask(ctx, spec, a.Destructive || a.Person, q)
	switch {
	case err != nil:
		return err
	case !decision.Allowed():
		return errors.New(decision.Message)
	case !sameJSON(decision.UpdatedInput, input):
		return edited(decision.UpdatedInput, a.Input)
	}
	return nil
}

// ErrPlanning says why a model can't change anything in plan mode.
func ErrPlanning() error {
	return fault.New(fault.Conflict, "This session is in plan mode, so nothing can be changed. Add this to the plan, and do it when the plan is approved.")
}

// edited applies a user's changes before they allowed it.
func edited(input json.RawMessage, into any) error {
	value := reflect.ValueOf(into)
	if value.Kind() != reflect.Pointer || value.IsNil() {
		return fmt.Errorf("the user allows this only with another input, so nothing was done yet; call the tool again with this: %s", input)
	}
	fresh := reflect.New(value.Type().Elem()) // omitted fields are cleared
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(fresh.Interface()); err != nil {
		return fault.Wrap(err, fault.Invalid, "The user changed the input before allowing it, but the change isn't valid: %v.", err)
	}
	value.Elem().Set(fresh.Elem())
	return nil
}

// sameJSON reports whether two JSON texts have the same value.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	left, err1 := json.Marshal(x)
	right, err2 := json.Marshal(y)
	return err1 == nil && err2 == nil && bytes.Equal(left, right)
}

// errUnanswered says that a user did not answer Claude's question.
var errUnanswered = errors.New("the user did not answer")

// Answers shows users questions in the dialog for Claude's own questions, and returns the answers
// by the text of the question: a label, labels joined by ", ", or free text. The texts must differ.
func (o *Asker) Answers(ctx context.Context, spec session.Spec, call toolserver.Call, questions []Dialog) (map[string]string, error) {
	input, err := json.Marshal(map[string][]Dialog{"questions": questions})
	if err != nil {
		return nil, fmt.Errorf("encode the questions: %w", err)
	}
	decision, err := o.Engine.Ask(ctx, spec, false, event.Question{
		ToolUseID: call.ToolUseID, ToolName: call.Tool, Input: input, Kind: permission.KindQuestion, NoRemember: true,
	})
	switch {
	case err != nil:
		return nil, err
	case !decision.Allowed():
		return nil, errors.New(decision.Message)
	}
	var given struct {
		Answers map[string]string `json:"answers"`
	}
	if err := json.Unmarshal(decision.UpdatedInput, &given); err != nil {
		return nil, fmt.Errorf("read the answers: %w", err)
	}
	if len(given.Answers) == 0 {
		return nil, errUnanswered
	}
	return given.Answers, nil
}
