package access

import (
	"fmt"
	"sync"
	"time"

	"parley/backend/chat/relay/port"
)

const (
	// silence is how long the same refusal isn't repeated to a stranger in a thread; a
	// colleague with a role gets it each time, but not twice in a row.
	silence = 24 * time.Hour
	twice   = 5 * time.Second
	// perHour is how many refusals a stranger gets within an hour, across all threads.
	perHour = 3
	// maxSaid bounds the remembered refusals. While it is reached, none are posted:
	// too few answers to strangers are better than too many.
	maxSaid = 2000
)

// told is what was posted to whom, and where.
type told struct {
	person, thread string
	takes          port.ChatRole
}

// said remembers recent refusals.
type said struct {
	mu sync.Mutex
	at map[told]time.Time
}

// refuse returns the sentence, "" if it was posted recently.
func (s *said) refuse(t Attempt, has, takes port.ChatRole, now time.Time) string {
	key := told{person: t.By.ID, thread: t.ThreadID}
	if key.thread == "" {
		key.thread = t.ChannelID
	}
	quiet := silence
	if has != port.RoleNone {
		key.takes, quiet = takes, twice
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.at[key]; ok && now.Sub(at) < quiet {
		return ""
	}
	recent := 0
	for k, at := range s.at {
		switch {
		case now.Sub(at) >= silence:
			delete(s.at, k)
		case k.person == key.person && now.Sub(at) < time.Hour:
			recent++
		}
	}
	if has == port.RoleNone && recent >= perHour || len(s.at) >= maxSaid {
		return ""
	}
	if s.at == nil {
		s.at = map[told]time.Time{}
	}
	s.at[key] = now
	if has == port.RoleNone {
		return "Sorry, you do not have permission to use Parley here. The person who runs Parley can give it to you in Parley's Mattermost settings."
	}
	return fmt.Sprintf("Sorry, this needs permission to %s. Here you may %s. The person who runs Parley can change that in Parley's Mattermost settings.", does(takes), does(has))
}

// does describes what a role may do, after "may".
func does(r port.ChatRole) string {
	switch r {
	case port.RoleWatch:
		return "watch"
	case port.RolePrompt:
		return "write to sessions"
	case port.RoleApprove:
		return "answer requests"
	case port.RoleAdmin:
		return "change everything"
	}
	return "do nothing"
}

// why describes for the log what was missing.
func why(has, takes port.ChatRole) string {
	switch {
	case rank(takes) == 0:
		return "nobody may do this from the chat"
	case has == port.RoleNone:
		return fmt.Sprintf("this needs the role %s; the person has none here", takes)
	}
	return fmt.Sprintf("this needs the role %s; the person has %s here", takes, has)
}
