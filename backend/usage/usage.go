// Package usage keeps the figures that users watch: how full the model's context
// window is, what a turn cost, and what was used over time ([Group], [Budget]). It
// is pure arithmetic over figures that the CLI reports; it estimates nothing and
// does no I/O.
//
// Context is a level, not a sum: each main-thread API call reports the whole
// conversation again (input + cache read + cache creation), so a reading replaces
// the previous one, and output is added because the next call will include it.
// Subagents have their own windows and are left out. The usage in a result
// frame is summed over a turn's calls: it is money, never a context size.
package usage

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"parley/backend/event"
)

// The levels of the meter, in percent of the window.
const (
	warningPercent  = 60
	criticalPercent = 75
)

// Meter follows one session's context. The zero value is ready to use. It is not
// safe for concurrent use.
type Meter struct {
	known  bool
	tokens event.Usage
	// mute is true while the current call has reported no input: the known value
	// is from an earlier one.
	mute bool
	// model is the current model, as the CLI names it; answers is the name that the API
	// reported in the last call: without the suffix of a window, or another model that
	// took over.
	model, answers string
	// alias is the API's name for model, if that is not a part of
	// its name.
	alias string
	// windows is shared by all sessions; environment is this session's.
	windows     *Windows
	environment string
	// last is the window that the session had when it was closed, of the model lastOf.
	last   int64
	lastOf string
}

// Share makes the meter use the windows known to all sessions.
func (m *Meter) Share(windows *Windows, environment string) {
	m.windows, m.environment = windows, environment
}

// Call records the start of a main-thread API call: its usage as message_start
// reports it, and the model that answers.
func (m *Meter) Call(model string, u event.Usage) {
	if real(model) {
		m.answers = model
	}
	// A conversation is never empty: zeros mean that the provider does not count.
	if m.mute = input(u) == 0; !m.mute {
		m.known, m.tokens = true, u
	}
}

// Output records the tokens that the current call has produced. Some
// providers send zeros at the start of a call and the real input counts at its
// end; full then fills in what the start left out. Others never report them: then the last
// reading stays, marked as old.
func (m *Meter) Output(full event.Usage) {
	if m.known && !m.mute {
		m.tokens.OutputTokens = full.OutputTokens
	}
	m.Late(full)
}

// Late records the input that the current call reports after its start, if the start
// left it out.
func (m *Meter) Late(full event.Usage) {
	if m.mute && input(full) > 0 {
		m.known, m.tokens, m.mute = true, full, false
	}
}

func input(u event.Usage) int64 { return u.InputTokens + u.CacheReadTokens + u.CacheCreationTokens }

// SetModel sets the current model, as the CLI reports it at the start of a turn.
// Names the CLI makes up for its own texts ("<synthetic>") and "" are ignored.
func (m *Meter) SetModel(model string) {
	if real(model) && model != m.model {
		m.Switch(model)
	}
}

// Switch records that another model was chosen. Until the CLI has reported which one,
// as with "", its window is unknown.
func (m *Meter) Switch(model string) { m.model, m.answers, m.alias = model, "", "" }

func real(model string) bool { return model != "" && !strings.HasPrefix(model, "<") }

// ReportWindows records the windows that the CLI reports at the end of a turn, by model,
// in tokens.
func (m *Meter) ReportWindows(windows map[string]int64) {
	if m.windows == nil {
		m.windows = NewWindows(nil, nil)
	}
	for model, tokens := range windows {
		m.windows.Learn(m.environment, model, tokens)
	}
	// A provider may have its own names for models that the CLI reports under the configured
	// name.
	if windows[m.answers] == 0 && windows[m.model] > 0 {
		m.alias = m.answers
	}
}

// Resume continues with the window that was known when the session was closed.
func (m *Meter) Resume(model string, window int64) {
	m.SetModel(model)
	m.last, m.lastOf = window, model
}

// Compacted records that the conversation was replaced by a summary of post
// tokens. With post 0 the size is unknown until the next call.
func (m *Meter) Compacted(post int64) {
	m.known, m.mute = post > 0, false
	m.tokens = event.Usage{InputTokens: max(post, 0)}
}

// Reset forgets the conversation (it was cleared). The windows stay known.
func (m *Meter) Reset() {
	m.known, m.mute = false, false
	m.tokens = event.Usage{}
}

// Reading returns the meter's state, and false before the first call.
func (m *Meter) Reading() (event.Context, bool) {
	c := event.Context{
		InputTokens:         m.tokens.InputTokens,
		CacheReadTokens:     m.tokens.CacheReadTokens,
		CacheCreationTokens: m.tokens.CacheCreationTokens,
		OutputTokens:        m.tokens.OutputTokens,
		Old:                 m.mute,
	}
	c.Used = c.InputTokens + c.CacheReadTokens + c.CacheCreationTokens + c.OutputTokens
	c.Window, c.WindowSource = m.window()
	FillContext(&c)
	return c, m.known
}

// FillContext computes how full a window is. It leaves an unknown window out.
func FillContext(c *event.Context) {
	c.Percent, c.Level = nil, ""
	if c.Window <= 0 {
		c.Window, c.WindowSource = 0, ""
		return
	}
	percent := float64(c.Used) / float64(c.Window) * 100
	rounded := math.Round(percent*10) / 10
	c.Percent, c.Level = &rounded, "ok"
	switch {
	case percent >= criticalPercent:
		c.Level = "critical"
	case percent >= warningPercent:
		c.Level = "warning"
	}
}

// window is the size of the window of the model that answers, 0 while it is unknown.
// A suffix of the name such as [1m] can only raise what the CLI reports: it has been
// seen to report the base size for such models.
func (m *Meter) window() (tokens int64, source string) {
	model := m.model
	if m.answers != "" && m.answers != m.alias && m.answers != TrimWindowSuffix(model) {
		model = m.answers
	}
	tokens = m.windows.Of(m.environment, model)
	if tokens == 0 && model == m.lastOf {
		tokens = m.last
	}
	if named := suffix(model); named > tokens {
		return named, "model"
	}
	return tokens, "cli"
}

var suffixPattern = regexp.MustCompile(`(?i)\[(\d{1,6})([km])\]$`)

// suffix reads a window from a model's name: "x[1m]" is 1,000,000. It returns 0
// if there is none.
func suffix(model string) int64 {
	found := suffixPattern.FindStringSubmatch(model)
	if found == nil {
		return 0
	}
	n, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return 0
	}
	if strings.EqualFold(found[2], "m") {
		return n * 1_000_000
	}
	return n * 1_000
}

// TrimWindowSuffix strips a window suffix, so that "x" and "x[1m]" are the same model.
func TrimWindowSuffix(model string) string {
	if !strings.HasSuffix(model, "]") {
		return model
	}
	return suffixPattern.ReplaceAllString(model, "")
}

// Cost turns the CLI's running total into the cost of each turn. The zero value
// is ready to use.
type Cost struct{ total float64 }

// Turn records the running total of a result and returns what this
// turn added, in dollars. A total that went down means that the CLI restarted
// its count (after /clear): then all of it is new. Values that are not numbers
// are ignored: they must never reach JSON.
func (c *Cost) Turn(total float64) (turn float64) {
	if math.IsNaN(total) || math.IsInf(total, 0) || total < 0 {
		return 0
	}
	turn = total - c.total
	if turn < 0 {
		turn = total
	}
	c.total = total
	return turn
}

// Reset records that the CLI's running total starts again at zero.
func (c *Cost) Reset() { c.total = 0 }

// Total returns the running total in dollars.
func (c *Cost) Total() float64 { return c.total }
