package mattermosttest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// ChaosConfig is a scenario that a bot must survive: people write prompts in threads while its
// sockets are cut, the server is restarted and its calls fail.
type ChaosConfig struct {
	Bot    User
	People []User
	// ChannelID is where everyone is. Its posts are the prompts and the answers.
	ChannelID string
	// Posts is the total number of posts in the given number of Threads, one after the other,
	// including the roots.
	Posts, Threads int
	// Cuts and Restarts happen in between, evenly; each waits for a socket of the bot. Two
	// prompts are written while the server is down.
	Cuts, Restarts int
	// Fail is the probability that a bot's call fails: half of them before, half of
	// them after having an effect.
	Fail float64
}

// AnswerTo is what the bot must reply, once, in the thread of a prompt.
func AnswerTo(prompt string) string { return "answer to " + prompt }

// RunChaos runs the storm and waits until all prompts are answered: each once, and in the
// order of the prompts of its thread. It returns how many of the bot's calls failed. The
// bot must already be running.
func (s *Server) RunChaos(tb testing.TB, st ChaosConfig) (failed int) {
	tb.Helper()
	each := st.Fail / 5
	calm := s.Faults(
		Fault{What: DropBefore, User: st.Bot.ID, Chance: each},
		Fault{What: Status, User: st.Bot.ID, Chance: each},
		Fault{What: Status, Code: http.StatusBadGateway, User: st.Bot.ID, Chance: each / 2},
		Fault{What: TooMany, User: st.Bot.ID, Chance: each / 2, Times: 3, RetryAfter: time.Second},
		Fault{What: DropAfter, User: st.Bot.ID, Chance: each},
		Fault{What: StatusAfter, Code: http.StatusGatewayTimeout, User: st.Bot.ID, Chance: each},
	)
	connected := func() {
		tb.Helper()
		s.WaitFor(tb, "a socket of the bot", func() bool { return s.Sockets(st.Bot.ID) > 0 })
	}
	roots := make([]string, st.Threads)
	want := make([][]string, st.Threads)
	write := func(n int) {
		tb.Helper()
		th := n % st.Threads
		text := fmt.Sprintf("prompt %d of thread %d", n/st.Threads, th)
		who := s.As(st.People[n%len(st.People)].ID)
		if roots[th] == "" {
			roots[th] = who.Post(st.ChannelID, text).Id
		} else {
			who.Reply(roots[th], text)
		}
		want[th] = append(want[th], AnswerTo(text))
	}
	cuts, restarts, away := 0, 0, 0
	strike := func(upTo int) { // what is due after that many posts
		tb.Helper()
		switch {
		case restarts*st.Posts < upTo*st.Restarts:
			connected()
			s.Stop()
			restarts++
			away = 2
		case cuts*st.Posts < upTo*st.Cuts:
			connected()
			cuts += min(s.Cut(st.Bot.ID), 1)
		}
	}
	for n := range st.Posts {
		if away == 0 {
			s.Start()
			strike(n)
		} else {
			away--
		}
		write(n)
	}
	for cuts < st.Cuts || restarts < st.Restarts {
		s.Start()
		strike(st.Posts)
	}
	s.Start()
	for th, answers := range want {
		s.WaitFor(tb, fmt.Sprintf("%d answers in thread %d, there are %d", len(answers), th, len(s.answers(roots[th], st.Bot.ID))), func() bool {
			return len(s.answers(roots[th], st.Bot.ID)) >= len(answers)
		})
	}
	for _, n := range calm() {
		failed += n
	}
	// One more, in calm: when it is answered, everything pending is done.
	last := s.As(st.People[0].ID).Post(st.ChannelID, "the last prompt")
	s.WaitFor(tb, "the last answer", func() bool { return len(s.answers(last.Id, st.Bot.ID)) > 0 })
	for th, answers := range want {
		got := s.answers(roots[th], st.Bot.ID)
		if a, b := strings.Join(answers, "\n"), strings.Join(got, "\n"); a != b {
			tb.Errorf("thread %d has %d answers, want %d:\n%s", th, len(got), len(answers), b)
		}
	}
	return failed
}

// answers returns a user's posts in a thread.
func (s *Server) answers(rootID, userID string) []string {
	var out []string
	for _, p := range s.Thread(rootID) {
		if p.UserId == userID {
			out = append(out, p.Message)
		}
	}
	return out
}
