package room

import (
	"errors"
	"fmt"
)

// The error codes for models.
const (
	NoSession   = "SESSION_NOT_FOUND"
	NoChannel   = "CHANNEL_NOT_FOUND"
	NickTaken   = "NICKNAME_TAKEN"
	NotIn       = "NOT_IN_CHANNEL"
	RateLimited = "RATE_LIMIT_EXCEEDED"
	Invalid     = "VALIDATION_ERROR"
	Broken      = "DATABASE_ERROR"
	// In addition:
	LoopLimit = "LOOP_LIMIT"
	TurnLimit = "TURN_LIMIT"
	Muted     = "MUTED"
	Barred    = "BARRED"
	Full      = "LIMIT_EXCEEDED"
	Refused   = "REFUSED"
	Offline   = "NOT_CONNECTED"
)

// Error tells a model or a user why something failed.
type Error struct {
	Code string
	// Text is one or two sentences.
	Text string
	// Err is the cause, for the log. It may be nil.
	Err error
}

// Error includes the code, by which models distinguish errors.
func (e *Error) Error() string { return "Error [" + e.Code + "]: " + e.Text }

func (e *Error) Unwrap() error { return e.Err }

// Errorf creates an error.
func Errorf(code, format string, args ...any) *Error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// CodeOf returns an error's code, [Broken] if it has none.
func CodeOf(err error) string {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Code
	}
	return Broken
}
