package demo

import (
	"net/http"
	"strings"
	"sync"
)

// Script decides what the model answers. Reply is called from many goroutines at
// once and must not wait: waits belong in the [Reply]. It is called for every
// request except those of [Kind] Count; a script that does not care about a kind
// returns [Default] for it.
type Script interface {
	Reply(Request) Reply
}

// ScriptFunc adapts a function to a [Script].
type ScriptFunc func(Request) Reply

// Reply implements [Script].
func (f ScriptFunc) Reply(r Request) Reply { return f(r) }

// Default returns an answer that satisfies the CLI for its own requests, and a
// plain "Done." for turns.
func Default(r Request) Reply {
	switch r.Kind {
	case Compact:
		return Say("<analysis>\nA demo.\n</analysis>\n\n<summary>\n1. Primary Request and Intent:\n   " +
			"The conversation so far was a demo with a scripted model.\n</summary>")
	case Title:
		return Answer(Text(`{"title":"Demo session"}`).In(Whole))
	case Probe:
		return Answer(Text("ok").In(Whole)).Stop("max_tokens")
	default:
		return Say("Done.")
	}
}

// Match reports whether a rule applies to a request.
type Match func(Request) bool

// Contains matches requests whose newest typed text contains s.
func Contains(s string) Match { return func(r Request) bool { return strings.Contains(r.Text, s) } }

// Any matches every request.
func Any(Request) bool { return true }

// OfKind narrows a match to one kind of request.
func OfKind(k Kind, m Match) Match { return func(r Request) bool { return r.Kind == k && m(r) } }

// Rules is a [Script] of ordered rules: the first that matches answers. A rule's
// replies are given in sequence, one for each request (a retry counts as one), and
// the last is repeated. The sequence restarts with every prompt of every
// session, so one set of rules serves many sessions at once. If no rule matches,
// the answer is [Default].
type Rules struct {
	mu    sync.Mutex
	rules []rule
	// counts holds how often a rule answered a prompt; bounded by maxCounts.
	counts map[countKey]int
}

type rule struct {
	match   Match
	replies []Reply
}

type countKey struct {
	rule           int
	session, agent string
	prompts        int
}

const maxCounts = 100_000

// NewRules returns an empty set of rules.
func NewRules() *Rules { return &Rules{counts: map[countKey]int{}} }

// When adds a rule for turns of the main conversation.
func (s *Rules) When(m Match, replies ...Reply) *Rules { return s.add(OfKind(Main, m), replies) }

// WhenAgent adds a rule for turns of subagents.
func (s *Rules) WhenAgent(m Match, replies ...Reply) *Rules { return s.add(OfKind(Agent, m), replies) }

// WhenKind adds a rule for every request of a kind.
func (s *Rules) WhenKind(k Kind, replies ...Reply) *Rules { return s.add(OfKind(k, Any), replies) }

func (s *Rules) add(m Match, replies []Reply) *Rules {
	if len(replies) == 0 {
		replies = []Reply{Say("Done.")}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = append(s.rules, rule{match: m, replies: replies})
	return s
}

// Reply implements [Script].
func (s *Rules) Reply(r Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, rule := range s.rules {
		if !rule.match(r) {
			continue
		}
		if len(s.counts) >= maxCounts {
			clear(s.counts)
		}
		key := countKey{rule: i, session: r.SessionID, agent: r.AgentID, prompts: r.Prompts}
		n := s.counts[key]
		s.counts[key]++
		return rule.replies[min(n, len(rule.replies)-1)]
	}
	return Default(r)
}

// Queue is a [Script] that gives its replies to main requests in order of arrival,
// whatever they contain. When it is empty it answers with an error that the CLI
// does not retry, so a test notices that it scripted too few replies.
type Queue struct {
	mu     sync.Mutex
	main   []Reply
	agents []Reply
}

// NewQueue returns a queue of replies for the main conversation.
func NewQueue(replies ...Reply) *Queue { return &Queue{main: replies} }

// Push appends replies for the main conversation.
func (q *Queue) Push(replies ...Reply) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.main = append(q.main, replies...)
}

// PushAgent appends replies for subagents, which share one queue. When it is empty
// they get [Default].
func (q *Queue) PushAgent(replies ...Reply) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.agents = append(q.agents, replies...)
}

// Left is the number of main replies not yet given.
func (q *Queue) Left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.main)
}

// Reply implements [Script].
func (q *Queue) Reply(r Request) Reply {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case r.Kind == Main && len(q.main) == 0:
		return Fail(http.StatusInternalServerError, "the script has no reply left").Final()
	case r.Kind == Main:
		next := q.main[0]
		q.main = q.main[1:]
		return next
	case r.Kind == Agent && len(q.agents) > 0:
		next := q.agents[0]
		q.agents = q.agents[1:]
		return next
	}
	return Default(r)
}
