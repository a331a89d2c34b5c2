package event

import "slices"

// The codes of [Error] and [SessionError] that aren't codes of package fault. Each has a
// title, a meaning and a next step in the frontend's catalog; see [FailureCodes].
const (
	FailBadRequest  = "bad_request" // 400
	FailNoAccount   = "no_account"  // 401, 403
	FailLogin       = "login_expired"
	FailBilling     = "billing" // 402
	FailModel       = "model_not_found"
	FailTooLarge    = "too_large"     // 413
	FailRateLimit   = "rate_limit"    // 429
	FailOverloaded  = "overloaded"    // 503, 529
	FailAPI         = "api_error"     // 500 and the rest of 5xx
	FailUnreachable = "unreachable"   // the API didn't respond at all
	FailStartup     = "start_refused" // the CLI failed before its first turn
	FailMaxTurns    = "max_turns"
	FailTurn        = "turn_failed"
	FailTools       = "tool_server"
	FailStopped     = "stopped"
	FailIntruder    = "intruder"
	FailGone        = "conversation_gone"
	FailCrash       = "cli_crashed"
	FailForkPoint   = "fork_point"
)

// faultCodes are those of package fault, which this leaf doesn't import. A test of
// package session checks them.
var faultCodes = []string{
	"invalid", "not_found", "conflict", "unauthorized", "forbidden", "busy", "unavailable", "cli_missing", "cli_unusable", "cli_too_old", "internal",
}

// FailureCodes returns all codes that a session's error may have, sorted.
func FailureCodes() []string {
	return slices.Sorted(slices.Values(append([]string{
		FailBadRequest, FailNoAccount, FailLogin, FailBilling, FailModel, FailTooLarge, FailRateLimit, FailOverloaded, FailAPI, FailUnreachable,
		FailStartup, FailMaxTurns, FailTurn, FailTools, FailStopped, FailIntruder, FailGone, FailCrash, FailForkPoint,
	}, faultCodes...)))
}
