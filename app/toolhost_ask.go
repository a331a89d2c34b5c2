package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/toolserver"
)

// own is what Parley's own tools share: how they ask people. Its methods may be called
// from any goroutine.
type own struct {
	// put puts a question of a session to people, see [engine.ask].
	put func(ctx context.Context, spec session.Spec, weighty bool, q event.Question) (permission.Decision, error)
	// session is a session's record.
	session func(ctx context.Context, id string) (event.Session, error)
	// forbid says why a person's rules forbid a use of a tool, "" when they do not.
	forbid func(q permission.Question) string
	// ruled is what the person's rules decide by themselves, nil for nothing.
	ruled func(q permission.Question) *permission.Decision
}

// forbidden says why a call must not be made, "" for nothing. The CLI hears of most
// rules when it starts; those that were made later count, too.
func (o *own) forbidden(spec session.Spec, call toolserver.Call) string {
	return o.forbid(permission.Question{SessionID: spec.SessionID, Question: event.Question{
		ToolName: call.Tool, Input: call.Arguments, CWD: spec.CWD, Kind: permission.KindTool,
	}})
}

// asking is what people are asked before one of Parley's own tools does something.
type asking struct {
	// Title is a short question ("Start another session?"), Description what will happen,
	// in plain words. Both are shown as plain text.
	Title, Description string
	// Input is what will be done, and encodes to a JSON object; nil is the arguments of the
	// call. When it is a pointer, what a person changed is written into it, and has to be
	// checked again; otherwise a change is an error.
	Input any
	// Reads is set for what only shows something: it is asked about in plan mode, too.
	Reads bool
	// Destructive is set for what takes something away: no guard lets it pass.
	Destructive bool
	// Person is set for what only a person may answer, each time: no rule lets it pass.
	Person bool
}

// ask asks a person whether a tool may do something for a session, and returns nil when
// it may. Rules, guards and remembered answers decide first, as about any tool. The
// error is for the model to read: why not, or that the question was withdrawn.
func (o *own) ask(ctx context.Context, spec session.Spec, call toolserver.Call, a asking) error {
	input := call.Arguments
	if a.Input != nil {
		var err error
		if input, err = json.Marshal(a.Input); err != nil {
			return fmt.Errorf("encode what is asked about: %w", err)
		}
	}
	s, err := o.session(ctx, spec.SessionID)
	if err != nil {
		return err
	}
	if s.PermissionMode == "plan" && !a.Reads {
		return errPlanning()
	}
	q := event.Question{
		ToolUseID: call.ToolUseID, ToolName: call.Tool, Input: input, Kind: permission.KindTool,
		Title: plainText(a.Title), Description: plainText(a.Description),
		DefaultToNo: a.Destructive, NoRemember: a.Person,
	}
	if s.PermissionMode == "dontAsk" {
		ask := q
		ask.CWD = spec.CWD
		if o.ruled(permission.Question{SessionID: spec.SessionID, Question: ask}) == nil {
			return fault.New(fault.Forbidden, "This session asks nobody (its permission mode is dontAsk), and no rule of the user's allows %s.", call.Tool)
		}
	}
	decision, err := o.put(ctx, spec, a.Destructive || a.Person, q)
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

// errPlanning says why a model cannot change anything now.
func errPlanning() error {
	return fault.New(fault.Conflict, "This session is in plan mode, in which nothing is changed. Put this into the plan, and do it when the plan is approved.")
}

// edited takes over what a person changed before they allowed it.
func edited(input json.RawMessage, into any) error {
	value := reflect.ValueOf(into)
	if value.Kind() != reflect.Pointer || value.IsNil() {
		return fmt.Errorf("the user allows this only with another input, so nothing was done yet; call the tool again with this: %s", input)
	}
	fresh := reflect.New(value.Type().Elem()) // what was left out is not there any more
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(fresh.Interface()); err != nil {
		return fault.Wrap(err, fault.Invalid, "The user changed the input before allowing it, to something that does not fit: %v.", err)
	}
	value.Elem().Set(fresh.Elem())
	return nil
}

// sameJSON says whether two JSON texts are of the same value.
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

// errUnanswered says that a person let a question of the model's go.
var errUnanswered = errors.New("the user did not answer")

// answers shows people questions in the dialog of the model's own questions, and
// returns the answers by the text of the question: a label, labels with ", " between
// them, or free text. The texts must differ.
func (o *own) answers(ctx context.Context, spec session.Spec, call toolserver.Call, questions []question) (map[string]string, error) {
	input, err := json.Marshal(map[string][]question{"questions": questions})
	if err != nil {
		return nil, fmt.Errorf("encode the questions: %w", err)
	}
	decision, err := o.put(ctx, spec, false, event.Question{
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
