package permission

import (
	"context"
	"time"

	"parley/backend/event"
)

// DefaultExpiry is how long a question waits by default.
const DefaultExpiry = 24 * time.Hour

// The limits of a desk. A question over a limit is denied with a message that
// says so; it is never dropped silently.
const (
	// MaxOpen is how many questions a desk holds at a time.
	MaxOpen = 1000
	// MaxOpenPerSession is how many of them one session may have.
	MaxOpenPerSession = 200
	// maxResolved is how many ended questions are remembered, so that a late
	// answer gets "already answered" instead of "not found".
	maxResolved = 1000
	// maxRules is how many inputs are remembered per session, and
	// maxRuleSessions for how many sessions; the oldest are dropped first.
	maxRules        = 1000
	maxRuleSessions = 1000
)

// Outcomes of a question.
const (
	OutcomeAllow     = "allow"
	OutcomeDeny      = "deny"
	OutcomeWithdrawn = "withdrawn"
	OutcomeExpired   = "expired"
)

// Values of By other than surfaces.
const (
	// ByRule is for rules and remembered answers.
	ByRule = "rule"
	// ByGuard is for calls that fixed tables found harmless, ByReviewer for those a
	// small model found harmless.
	ByGuard    = "guard"
	ByReviewer = "reviewer"
	// ByTimeout is for questions that nobody answered in time.
	ByTimeout = "timeout"
)

// Request is an open question with the session and turn it belongs to.
type Request struct {
	SessionID string
	TurnID    string
	// Weighty is set if the CLI asks for a reason that no table or small model may
	// override: a rule, a hook, or a check of its own.
	Weighty bool
	event.Question
}

// Resolution is how a question ended.
type Resolution struct {
	// Outcome is one of the Outcome constants.
	Outcome string
	// By is the surface that answered first; "" if none.
	By string
	// Message is what the model was told, unless allowed.
	Message string
	// Said is as in [Decision].
	Said bool
	At   time.Time
	// Why, Rules and Made are as in [Decision].
	Why         string
	Rules, Made []string
}

// Change is a change of a question: it was opened, or (with a Resolution) it
// ended. Every question is reported as opened once and then as ended once.
type Change struct {
	Question   Request
	Resolution *Resolution
	seen       chan struct{} // closed when the observer has seen this; may be nil
}

// Config configures a desk.
type Config struct {
	// Observe receives every change, one at a time and in order, on a goroutine of the
	// desk and outside its locks. It may be slow: that delays reports and, because a
	// question counts as open until its end is reported, may fill the desk, but it never
	// delays a user's answer. An automatic answer waits until the question was reported,
	// so that its effects can't precede the report. Observe must return eventually,
	// because Close waits for it. It must not call Close.
	Observe func(Change)
	// Record is called for every question before it opens, by the goroutine that asks it.
	// The returned function is called with the outcome before anyone else learns it: it
	// delays that answer and no other. Its error, a fault, says why it couldn't be
	// recorded: then nothing is allowed. Neither may call Close, which waits for them.
	Record func(Request) func(Decision) error
	// Again is Record for a question that an earlier desk already recorded; nil means Record.
	Again func(Request) func(Decision) error
	// Decide returns the decision about a tool use if no user needs to be asked,
	// otherwise nil. It may fill in what users are shown. It runs on the goroutine
	// that asks, and may block until ctx ends. nil decides by Forbid only.
	Decide func(ctx context.Context, q *Request) *Decision
	// Forbid returns why no answer can allow a tool use, or "". With Decide it is only called
	// for inputs that a user edited. It may be called from any goroutine; nil forbids nothing.
	Forbid func(Request) (why string)
	// Expiry is how long a question waits unless it says so itself; 0 means
	// DefaultExpiry.
	Expiry time.Duration
}
