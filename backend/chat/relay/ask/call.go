package ask

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/port"
	"parley/backend/permission"
)

// People who may answer but don't watch the thread learn of a question only if it mentions
// them. Whom it mentions, when they are reminded and who is mentioned next is fixed when
// the question is posted. Calls that were due while Parley wasn't running are made up
// afterwards, each once.

// The values of [port.ChatCalls.Who], besides the default.
const (
	callAll    = "all"
	callNobody = "none"
)

// call mentions people at a time.
type call struct {
	at   time.Time
	text string
}

// called plans who is mentioned when, and returns the text for the post itself, "" for
// none. In a direct message there is nobody else to mention.
func (a *Manager) called(ctx context.Context, it *item, step int, private bool) string {
	c := a.config.Calls()
	if step > 0 || c.Who == callNobody {
		return ""
	}
	need := port.RoleApprove
	if it.q.Kind == permission.KindTrust {
		need = port.RoleAdmin
	}
	people := slices.DeleteFunc(a.config.Gate.Approvers(ctx, it.channelID, it.first, need), func(p chat.Person) bool {
		return p.Username == "" || private && p.ID != it.first
	})
	if len(people) == 0 {
		return ""
	}
	asked := time.UnixMilli(it.q.AskedAt)
	calls := callsOf(c, people, asked, "`#"+pseudonym(it.q.RequestID)+"`", a.zone())
	a.mu.Lock()
	defer a.mu.Unlock()
	it.calls = calls
	if calls[0].at.After(asked) {
		return "" // it would be in quiet hours
	}
	it.called = max(it.called, 1)
	return "\n\n" + calls[0].text
}

// callsOf returns the calls of a question by time. name is what a reply calls it.
func callsOf(c port.ChatCalls, people []chat.Person, asked time.Time, name string, zone *time.Location) []call {
	first := people[:1]
	if c.Who == callAll {
		first = people[:min(len(people), maxHolders)]
	}
	var out []call
	add := func(minutes int, who []chat.Person, text string) {
		names := make([]string, 0, len(who))
		for _, p := range who {
			names = append(names, "@"+p.Username)
		}
		at := loud(c, asked.Add(time.Duration(minutes)*time.Minute), zone)
		out = append(out, call{at: at, text: strings.Join(names, ", ") + " " + text})
	}
	add(0, first, "– this is waiting for your answer.")
	if c.RemindMinutes > 0 {
		add(c.RemindMinutes, first, "– the request "+name+" is still waiting for your answer.")
	}
	for i, p := range people[len(first):] {
		if c.HandOverMinutes > 0 {
			add((i+1)*c.HandOverMinutes, []chat.Person{p}, "– no one has answered the request "+name+" yet. Can you?")
		}
	}
	slices.SortStableFunc(out, func(x, y call) int { return x.at.Compare(y.at) })
	return out
}

// loud returns the first time from t on that isn't in quiet hours.
func loud(c port.ChatCalls, t time.Time, zone *time.Location) time.Time {
	from, err := access.Clock(c.QuietFrom)
	to, err2 := access.Clock(c.QuietTo)
	if err != nil || err2 != nil {
		return t
	}
	here := t.In(zone)
	clock := time.Duration(here.Hour())*time.Hour + time.Duration(here.Minute())*time.Minute
	quiet := from <= clock && clock < to
	if from > to {
		quiet = clock >= from || clock < to
	}
	if !quiet {
		return t
	}
	day := here.Day()
	if clock >= to {
		day++
	}
	return time.Date(here.Year(), here.Month(), day, int(to.Hours()), int(to.Minutes())%60, 0, 0, zone)
}

// nextCall returns when the next person is mentioned for a question, if any: not while
// an answer is in progress.
func (a *Manager) nextCall(it *item) (time.Time, bool) {
	if it.called >= len(it.calls) || it.end != nil || it.step > 0 || len(it.chosen) > 0 || !it.card.shown() {
		return time.Time{}, false
	}
	return it.calls[it.called].at, true
}

// recall mentions people for questions that are still open: of several due calls, only
// the last.
func (a *Manager) recall() {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for id, it := range a.items {
		text := ""
		for at, ok := a.nextCall(it); ok && !now.Before(at); at, ok = a.nextCall(it) {
			text = it.calls[it.called].text
			it.called++
		}
		a.say(it.threadID, it.channelID, text, id, "call")
	}
}
