package heartbeat

import (
	"fmt"
	"hash/maphash"
	"strings"
	"sync"

	"parley/backend/event"
	"parley/backend/heartbeat/plan"
	"parley/backend/owner"
)

// maxTasks bounds how many subagents of a run are distinguished.
const maxTasks = 1000

// maxRefused is how often the service may reject the account while a run continues.
const maxRefused = 3

// meter follows a run by its session's events. The session's owner feeds it, so
// it never blocks.
type meter struct {
	promptID string
	bounds   []bound
	// rate is dollars per token, 0 if unknown: the CLI only reports a turn's cost at its
	// end.
	rate float64
	seed maphash.Seed
	// changed holds a token if there is something new.
	changed chan struct{}

	mu    sync.Mutex
	turn  string
	asked map[string]bool
	// before is the usage of all calls before the newest, now that of the newest.
	before, now event.Usage
	calls       int64
	tasks       map[string]int64
	lastCall    uint64
	repeats     int
	failure     *event.Error
	result      *event.Result
	done        string
	stop        halt
}

// halt is why a run must be stopped; without a code it need not.
type halt struct {
	state, code, reason string
}

func newMeter(promptID string, bounds []bound, rate float64) *meter {
	return &meter{
		promptID: promptID, bounds: bounds, rate: rate, seed: maphash.MakeSeed(),
		changed: make(chan struct{}, 1), asked: map[string]bool{}, tasks: map[string]int64{},
	}
}

// view is a meter's state.
type view struct {
	turn, done string
	waiting    bool
	stop       halt
	usage      event.Usage
	turns      int64
	tokens     int64
	usd        float64
	answer     string
	subtype    string
	failure    *event.Error
}

func (m *meter) view() view {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := view{turn: m.turn, done: m.done, waiting: len(m.asked) > 0, stop: m.stop, failure: m.failure}
	v.usage, v.turns, v.tokens = m.used()
	v.usd = float64(v.tokens) * m.rate
	if m.result != nil {
		v.usd, v.answer, v.subtype = m.result.CostUSD, m.result.Text, m.result.Subtype
	}
	return v
}

// used returns the run's usage: of the main conversation, and with its subagents.
func (m *meter) used() (usage event.Usage, turns, tokens int64) {
	usage, turns = plus(m.before, m.now), m.calls
	if m.result != nil {
		if turns == 0 { // the CLI also counts what isn't an answer of the model
			turns = int64(m.result.NumTurns)
		}
		// A turn that was cut off may be underreported.
		if sum(m.result.Usage) >= sum(usage) {
			usage = m.result.Usage
		}
	}
	tokens = sum(usage)
	for _, n := range m.tasks {
		tokens += n
	}
	return usage, turns, tokens
}

func sum(u event.Usage) int64 {
	return u.InputTokens + u.CacheReadTokens + u.CacheCreationTokens + u.OutputTokens
}

func plus(a, b event.Usage) event.Usage {
	return event.Usage{
		InputTokens: a.InputTokens + b.InputTokens, CacheReadTokens: a.CacheReadTokens + b.CacheReadTokens,
		CacheCreationTokens: a.CacheCreationTokens + b.CacheCreationTokens, OutputTokens: a.OutputTokens + b.OutputTokens,
	}
}

// observe processes a session event, and returns the turn that started with it, "" for
// none.
func (m *meter) observe(e event.Event) (began string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done != "" {
		return ""
	}
	head := e.Header()
	ours := m.turn != "" && head.TurnID == m.turn
	switch e := e.(type) {
	case *event.Processing:
		if e.PromptID != m.promptID {
			return ""
		}
		m.turn = head.TurnID
		began = m.turn
	case *event.PermissionRequest:
		// A trust request for the folder precedes the turn.
		m.asked[e.RequestID] = true
	case *event.PermissionResolved:
		delete(m.asked, e.RequestID)
	case *event.ContextUpdate:
		if !ours {
			return ""
		}
		m.called(event.Usage{
			InputTokens: e.InputTokens, CacheReadTokens: e.CacheReadTokens,
			CacheCreationTokens: e.CacheCreationTokens, OutputTokens: e.OutputTokens,
		})
	case *event.TaskUpdate:
		if _, known := m.tasks[e.TaskID]; ours && (known || len(m.tasks) < maxTasks) {
			m.tasks[e.TaskID] = max(m.tasks[e.TaskID], e.TotalTokens)
		}
	case *event.ToolPending:
		if ours {
			m.repeated(e)
		}
	case *event.Status:
		// The CLI retries for minutes. One or two failures may be a token being renewed.
		if again := e.Retry; ours && again != nil && again.Attempt >= maxRefused && (again.HTTPStatus == 401 || again.HTTPStatus == 403) {
			m.halt("auth", fmt.Sprintf("The API rejected the account several times (HTTP %d).", again.HTTPStatus))
		}
	case *event.Error:
		if ours || head.TurnID == "" {
			m.failure = e
		}
	case *event.Result:
		if ours {
			m.result = e
		}
	case *event.Done:
		if e.PromptID != m.promptID {
			return ""
		}
		if m.turn == "" {
			began = head.TurnID
		}
		m.turn, m.done = head.TurnID, e.Reason
	default:
		return ""
	}
	m.weigh()
	owner.Wake(m.changed)
	return began
}

// called processes the usage of the newest call. It comes at the start and end of a call,
// and is only a snapshot: a starting call has less output than the previous one at its
// end.
func (m *meter) called(u event.Usage) {
	in := func(u event.Usage) event.Usage { u.OutputTokens = 0; return u }
	if m.calls == 0 || u.OutputTokens < m.now.OutputTokens || u.OutputTokens == m.now.OutputTokens && in(u) != in(m.now) {
		m.before = plus(m.before, m.now)
		m.calls++
	}
	m.now = u
}

// repeated counts calls of the same tool with the same input.
func (m *meter) repeated(e *event.ToolPending) {
	var h maphash.Hash
	h.SetSeed(m.seed)
	_, _ = h.WriteString(e.ParentToolUseID + "\x00" + e.Name + "\x00")
	_, _ = h.Write(e.Input)
	if call := h.Sum64(); call != m.lastCall {
		m.lastCall, m.repeats = call, 0
	}
	m.repeats++
	if m.repeats >= MaxRepeats {
		m.halt("repeats", fmt.Sprintf("It was stopped, because it used %s %d times in a row with the same input.", e.Name, m.repeats))
	}
}

// weigh compares the usage with the run's limits.
func (m *meter) weigh() {
	if m.result != nil || m.done != "" {
		return // it is over anyway
	}
	_, turns, tokens := m.used()
	for _, b := range m.bounds {
		if why := over(b.Limit, turns, tokens, float64(tokens)*m.rate); why != "" {
			m.halt("budget", "It was stopped at "+b.of+": "+why+".")
		}
	}
}

func (m *meter) halt(code, reason string) {
	if m.stop.code == "" {
		m.stop = halt{"failed", code, reason}
	}
}

// over describes the exceeded limit, "" for none.
func over(l plan.Limit, turns, tokens int64, usd float64) string {
	var parts []string
	if l.Turns > 0 && turns > l.Turns {
		parts = append(parts, fmt.Sprintf("%d of %d turns", turns, l.Turns))
	}
	if l.Tokens > 0 && tokens > l.Tokens {
		parts = append(parts, fmt.Sprintf("%d of %d tokens", tokens, l.Tokens))
	}
	if l.USD > 0 && usd > l.USD {
		parts = append(parts, fmt.Sprintf("$%.2f of $%.2f", usd, l.USD))
	}
	return strings.Join(parts, ", ")
}
