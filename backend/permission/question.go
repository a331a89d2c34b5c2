package permission

import (
	"context"
	"time"

	"parley/backend/event"
)

// DefaultExpiry is how long a question waits when nobody says otherwise.
const DefaultExpiry = 24 * time.Hour

// The bounds of a desk. A question over a bound is denied with a message that
// says so; it is never dropped in silence.
const (
	// MaxOpen is how many questions one desk holds at a time.
	MaxOpen = 1000
	// MaxOpenPerSession is how many of them one session may have.
	MaxOpenPerSession = 200
	// maxResolved is how many ended questions are remembered, so that a late
	// answer hears "somebody was first" and not "no such question".
	maxResolved = 1000
	// maxRules is how many inputs are remembered for one session, and
	// maxRuleSessions for how many sessions; the oldest are forgotten first.
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

// Names of what answers besides surfaces.
const (
	// ByRule is for rules and remembered answers.
	ByRule = "rule"
	// ByGuard is for what looked harmless by fixed tables, ByReviewer for what a small
	// model found harmless.
	ByGuard    = "guard"
	ByReviewer = "reviewer"
	// ByTimeout is for questions that nobody answered in time.
	ByTimeout = "timeout"
)

// Question is an open question with the session and turn it belongs to.
type Question struct {
	SessionID string
	TurnID    string
	// Weighty is set where the CLI asks for a reason that no table or small model may
	// set aside: a rule of its own, a hook, a check of its own.
	Weighty bool
	event.Question
}

// Resolution says how a question ended.
type Resolution struct {
	// Outcome is one of the Outcome constants.
	Outcome string
	// By names the surface that answered first; "" when nobody did.
	By string
	// Message is what the model was told, when it was not allowed.
	Message string
	// Said is as in [Decision].
	Said bool
	At   time.Time
	// Why, Rules and Made are as in [Decision].
	Why         string
	Rules, Made []string
}

// Change is one thing that happened to a question: it was opened, or (with a
// Resolution) it ended. Every question is reported as opened once and then as
// ended once.
type Change struct {
	Question   Question
	Resolution *Resolution
	seen       chan struct{} // closed when the observer has seen this; may be nil
}

// Config is what a desk needs.
type Config struct {
	// Observe receives every change, one at a time and in order, on a goroutine
	// of the desk and outside its locks. It may be slow: that delays reports and,
	// because a question counts as open until its end was reported, may fill the
	// desk, but it never delays an answer of a user's. One that is given without
	// anybody being asked waits until the question was reported, lest what it lets happen
	// is heard of before it. It must return in the end: Close waits for it. It must not
	// call Close.
	Observe func(Change)
	// Record is told of every question before it is opened, by the goroutine that asks
	// it. What it returns is told how the question ended before anybody hears of that: it
	// delays that answer and no other. Its error, a fault, says why it could not be
	// recorded: then nothing is allowed. Both must not call Close, which waits for them.
	Record func(Question) func(Decision) error
	// Again is Record for a question that is on record already, because an earlier desk put it
	// there; nil is Record.
	Again func(Question) func(Decision) error
	// Decide says how a tool's use ends without anybody being asked, nil when people
	// are. It may fill in what they are shown. It runs on the goroutine that asks, and
	// may wait until ctx ends. nil decides
	// by Forbid only.
	Decide func(ctx context.Context, q *Question) *Decision
	// Forbid says, for a tool's use that no answer can allow, why not. With Decide it is
	// asked about what a user edited only. It may be called from any goroutine; nil forbids nothing.
	Forbid func(Question) (why string)
	// Expiry is how long a question waits that does not say so itself; 0 means
	// DefaultExpiry.
	Expiry time.Duration
}
