package event

import "slices"

// The codes of [Error] and [SessionError] that are not codes of package fault. Each has a
// title, a meaning and a next step in the page's catalogue; see [FailureCodes].
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
	FailUnreachable = "unreachable"   // no answer of the API at all
	FailStartup     = "start_refused" // the CLI gave up before its first turn
	FailMaxTurns    = "max_turns"
	FailTurn        = "turn_failed"
	FailTools       = "tool_server"
	FailStopped     = "stopped"
	FailIntruder    = "intruder"
	FailGone        = "conversation_gone"
	FailCrash       = "cli_crashed"
	FailForkPoint   = "fork_point"
)

// faultCodes are those of package fault, which this leaf does not import. A test of
// package session holds them to it.
var faultCodes = []string{
	"invalid", "not_found", "conflict", "unauthorized", "forbidden", "busy", "unavailable", "cli_missing", "cli_unusable", "cli_too_old", "internal",
}

// FailureCodes are all that an error of a session may have, sorted.
func FailureCodes() []string {
	return slices.Sorted(slices.Values(append([]string{
		FailBadRequest, FailNoAccount, FailLogin, FailBilling, FailModel, FailTooLarge, FailRateLimit, FailOverloaded, FailAPI, FailUnreachable,
		FailStartup, FailMaxTurns, FailTurn, FailTools, FailStopped, FailIntruder, FailGone, FailCrash, FailForkPoint,
	}, faultCodes...)))
}
