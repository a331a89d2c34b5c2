// Package fault gives errors that cross the border two parts: a code for the
// machine and a sentence for the user. It is a leaf: it knows no feature, no
// transport and no logger.
//
// Inside the back end, plain wrapped errors are the rule. A fault is made where
// the user can act on it, and its message says what to do next.
package fault

import (
	"errors"
	"fmt"
)

// Code classifies a fault for the caller's program. The strings are part of the
// border: clients branch on them.
type Code string

const (
	// Invalid: the caller's parameters are wrong; the message names them.
	Invalid Code = "invalid"
	// NotFound: the named thing does not exist (or no longer).
	NotFound Code = "not_found"
	// Conflict: the thing exists but its state does not allow this now.
	Conflict Code = "conflict"
	// Unauthorized: no credential, or a wrong one.
	Unauthorized Code = "unauthorized"
	// Forbidden: a valid credential that may not do this from here.
	Forbidden Code = "forbidden"
	// TooLarge: over a stated limit.
	TooLarge Code = "too_large"
	// Busy: a bounded queue is full; try again later.
	Busy Code = "busy"
	// Unavailable: something this needs is not running or not reachable.
	Unavailable Code = "unavailable"
	// CLIMissing: no Claude Code CLI was found.
	CLIMissing Code = "cli_missing"
	// CLIUnusable: a CLI was found but cannot be run.
	CLIUnusable Code = "cli_unusable"
	// CLITooOld: a CLI was found that is older than Parley can use.
	CLITooOld Code = "cli_too_old"
	// NoAccount: the CLI has no credential to talk to a model with.
	NoAccount Code = "no_account"
	// Internal: a defect of ours; details are in the log, not in the message.
	Internal Code = "internal"
)

// Error is a fault: a code, a sentence for the user, and the cause for logs.
type Error struct {
	Code    Code
	Message string
	// Err is the cause. It is logged and can be matched with errors.Is/As, but is
	// never shown across the border.
	Err error
}

// Error returns the message followed by the cause, for logs.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns a fault without a cause.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns a fault whose cause is err. The message stands alone: it must
// make sense to a user who never sees the cause.
func Wrap(err error, code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: err}
}

// CodeOf returns the code of the outermost fault in err's chain, Internal for an
// error that is not a fault, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var f *Error
	if errors.As(err, &f) {
		return f.Code
	}
	return Internal
}

// MessageOf returns what a user may read about err: the message of the
// outermost fault, or one fixed sentence for an error that is not a fault (its text
// may contain paths, arguments or secrets). It returns "" for nil.
func MessageOf(err error) string {
	if err == nil {
		return ""
	}
	var f *Error
	if errors.As(err, &f) {
		return f.Message
	}
	return "Something went wrong inside Parley. The log has the details."
}
