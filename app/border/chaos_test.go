//go:build linux

package border

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/app/diagnostics"
	"parley/app/rooms"
	"parley/backend/demo"
	"parley/backend/event"
)

var (
	kills     = flag.Int("kills", 0, "how often TestChaos kills Parley; 0 is 6, and 300 with PARLEY_TEST_LONG")
	chaosSeed = flag.Uint64("chaos-seed", 0, "the seed of TestChaos; 0 makes one")
)

// killsEach is how often a Parley is killed before the next one starts with empty folders.
const killsEach = 25

// Parley, and sometimes only a CLI, is killed at random moments during work with prompts,
// questions, rooms, heartbeats, memory and settings. Everything accepted
// exists once, nothing happens twice, and nothing is left behind.
func TestChaos(t *testing.T) {
	if raceEnabled {
		t.Skip("it is the program that is killed, and TestKilled runs it with the race detector")
	}
	t.Parallel()
	n, seed := *kills, *chaosSeed
	if n == 0 {
		n = 6
		if os.Getenv("PARLEY_TEST_LONG") != "" {
			n = 300
		}
	}
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("%d kills; again with -chaos-seed=%d", n, seed)
	for i, engine := range engines() {
		left := n / len(engines())
		for world := 0; left > 0; world++ {
			lives := min(left, killsEach)
			left -= lives
			t.Run(fmt.Sprintf("%s %d", engine, world), func(t *testing.T) {
				t.Parallel()
				(&chaos{
					t: t, engine: engine, rnd: rand.New(rand.NewPCG(seed, uint64(i*1000+world))), prompts: map[string]*promised{},
					given: map[string]bool{}, rooms: map[string]bool{}, memory: map[string]bool{}, drafts: map[string]*latest{},
					asked: make(chan struct{}, 1),
				}).run(lives)
			})
		}
	}
}

// promised is a prompt, and what is known about it.
type promised struct {
	session string
	// asked: it was sent. accepted: Parley accepted it.
	accepted bool
	// dropped: a user removed it, or tried to. again counts how often a user resent
	// it although it may have run.
	dropped bool
	again   int
	// allowed: a user allowed its command.
	allowed bool
}

// latest is the last stored value of something that exists once: the last accepted one, and
// those sent since then without an answer.
type latest struct {
	kept  string
	maybe []string
}

// chaos is a Parley that is killed repeatedly, and its invariants.
type chaos struct {
	t      *testing.T
	engine string
	p      *parley
	room   string
	// sessions are those that users work in.
	sessions []string

	mu sync.Mutex
	// rnd makes all random choices.
	rnd     *rand.Rand
	number  int
	prompts map[string]*promised
	// given are the prompts that the model received.
	given map[string]bool
	// rooms and memory are the sent messages and saved memories, true when accepted.
	rooms, memory map[string]bool
	drafts        map[string]*latest
	setting       latest
	// asked receives a value for each request to the model.
	asked chan struct{}
}

func (w *chaos) n(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rnd.IntN(n)
}

// run runs that many lives and one orderly end.
func (w *chaos) run(lives int) {
	w.p = startWith(w.t, demo.ScriptFunc(w.reply), setup{paced: true})
	w.p.strange = true
	for range 3 {
		w.sessions = append(w.sessions, w.p.openWith(m{"engine": w.engine}).id)
	}
	w.room = call[rooms.Room](w.p.watcher, "room.create", m{"name": "lobby"}).ID
	w.p.beat(m{"name": "beat", "prompt": w.token("run") + " as a heartbeat"})
	w.setting.kept = strconv.Itoa(call[diagnostics.Info](w.p.watcher, "app.info", m{}).Settings.SuspendMinutes)
	for life := range lives {
		w.live()
		w.p.nothingLeft()
		w.p.again()
		w.check(fmt.Sprint("life ", life))
		if w.t.Failed() {
			return
		}
		w.decide()
	}
	w.settle()
	w.check("in the end")
	taken, ran := 0, 0
	for token, s := range w.prompts {
		if s.accepted {
			taken++
		}
		if strings.HasSuffix(token, "-run") && s.allowed {
			ran++
		}
	}
	w.t.Logf("%d kills: %d prompts accepted, %d given to the model, %d commands allowed", lives, taken, len(w.given), ran)
}

// live simulates random user actions until Parley is killed.
func (w *chaos) live() {
	c := w.p.watcher
	var people sync.WaitGroup
	for _, do := range []func(*client) error{w.prompt, w.prompt, w.desk, w.answer(), w.meddle} {
		people.Go(func() {
			for do(c) == nil {
				time.Sleep(time.Duration(w.n(160)) * time.Millisecond) // users pause between actions
			}
		})
	}
	w.p.watcher = c
	moment := time.Duration(w.n(4000)) * time.Millisecond
	if w.n(3) == 0 {
		moment /= 10
	} else {
		// On a busy machine a CLI takes long to start working.
		select {
		case <-w.asked:
		default:
		}
		select {
		case <-w.asked:
		case <-time.After(limit):
			w.t.Error("the model was asked nothing")
		}
	}
	time.Sleep(moment) // any moment will do
	w.p.kill()
	people.Wait()
}

// try calls a method. An error from Parley does not stop the test.
func (w *chaos) try(c *client, method string, params any) (ok bool, err error) {
	_, err = c.try(method, params)
	var r *refusal
	if errors.As(err, &r) {
		return false, nil
	}
	return err == nil, err
}

// token makes a unique text. Its kind determines the model's reaction.
func (w *chaos) token(kind string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.number++
	return fmt.Sprintf("tok-%d-%s", w.number, kind)
}

// send sends a prompt, or resends it.
func (w *chaos) send(c *client, session, token string, params m) error {
	w.mu.Lock()
	s := w.prompts[token]
	if s == nil {
		s = &promised{session: session}
		w.prompts[token] = s
	}
	w.mu.Unlock()
	full := m{"sessionId": session, "text": token, "promptId": token}
	for key, value := range params {
		full[key] = value
	}
	ok, err := w.try(c, "session.prompt", full)
	w.mu.Lock()
	defer w.mu.Unlock()
	s.accepted = s.accepted || ok
	return err
}

// prompt performs one random action on prompts.
func (w *chaos) prompt(c *client) error {
	session := w.sessions[w.n(len(w.sessions))]
	switch n := w.n(100); {
	case n < 60:
		kind := []string{"say", "run", "run", "slow"}[w.n(4)]
		return w.send(c, session, w.token(kind), m{"delivery": []string{"now", "queue"}[w.n(2)]})
	case n < 72:
		_, err := w.try(c, "session.interrupt", m{"sessionId": session})
		return err
	case n < 80:
		_, err := w.try(c, "session.sendQueued", m{"sessionId": session})
		return err
	}
	raw, err := c.try("session.get", m{"sessionId": session})
	if err != nil {
		return err
	}
	var record event.Session
	if err := json.Unmarshal(raw, &record); err != nil || len(record.Queued) == 0 {
		return err
	}
	q := record.Queued[w.n(len(record.Queued))]
	if w.n(2) == 0 {
		return w.sendAgain(c, session, q)
	}
	return w.drop(c, session, q.PromptID)
}

// sendAgain resends a queued prompt.
func (w *chaos) sendAgain(c *client, session string, q event.QueuedPrompt) error {
	if q.State == "unknown" {
		w.mu.Lock()
		w.prompts[q.PromptID].again++
		w.mu.Unlock()
	}
	_, err := w.try(c, "session.sendQueued", m{"sessionId": session, "promptId": q.PromptID})
	return err
}

func (w *chaos) drop(c *client, session, id string) error {
	w.mu.Lock()
	w.prompts[id].dropped = true
	w.mu.Unlock()
	_, err := w.try(c, "session.dropQueued", m{"sessionId": session, "promptId": id})
	return err
}

// desk performs one random action on everything else.
func (w *chaos) desk(c *client) error {
	switch w.n(5) {
	case 0:
		return w.add(c, w.rooms, "room.post", func(text string) m { return m{"roomId": w.room, "text": text, "messageId": text} })
	case 1:
		return w.add(c, w.memory, "memory.save", func(text string) m { return m{"text": text} })
	case 2:
		value := 10 + w.n(500)
		return w.set(c, &w.setting, fmt.Sprint(value), "settings.set", m{"suspendMinutes": value})
	case 3:
		session := w.sessions[w.n(len(w.sessions))]
		if w.drafts[session] == nil {
			w.drafts[session] = &latest{}
		}
		text := w.token("draft")
		return w.set(c, w.drafts[session], text, "draft.set", m{"sessionId": session, "text": text})
	}
	_, err := w.try(c, "heartbeat.run", m{"name": "beat"})
	return err
}

func (w *chaos) add(c *client, list map[string]bool, method string, params func(string) m) error {
	text := w.token("note")
	list[text] = false
	ok, err := w.try(c, method, params(text))
	list[text] = ok
	return err
}

func (w *chaos) set(c *client, l *latest, value, method string, params m) error {
	ok, err := w.try(c, method, params)
	switch {
	case ok:
		l.kept, l.maybe = value, nil
	case err != nil:
		l.maybe = append(l.maybe, value)
	}
	return err
}

// answer answers requests: most with allow, some with deny, some never.
func (w *chaos) answer() func(*client) error {
	next := 0
	return func(c *client) error {
		events := c.all()
		for ; next < len(events); next++ {
			q, is := events[next].Event.(*event.PermissionRequest)
			n := w.n(20)
			if !is || n == 0 {
				continue
			}
			behavior := "allow"
			if n < 3 {
				behavior = "deny"
			}
			w.mu.Lock()
			for _, token := range tokens.FindAllString(string(q.Input), -1) {
				if s := w.prompts[token]; s != nil && behavior == "allow" {
					s.allowed = true
				}
			}
			w.mu.Unlock()
			if _, err := w.try(c, "permission.respond", m{"requestId": q.RequestID, "behavior": behavior, "message": "no"}); err != nil {
				return err
			}
		}
		select {
		case <-c.gone:
			return c.reason()
		default:
			return nil
		}
	}
}

// meddle rarely kills a CLI.
func (w *chaos) meddle(c *client) error {
	raw, err := c.try("session.get", m{"sessionId": w.sessions[w.n(len(w.sessions))]})
	if err != nil {
		return err
	}
	var record event.Session
	if err := json.Unmarshal(raw, &record); err != nil {
		return err
	}
	if record.PID > 0 && w.n(30) == 0 {
		_ = syscall.Kill(record.PID, syscall.SIGKILL) // it may be gone
	}
	return nil
}

// reply is the model: it does what each new prompt says.
func (w *chaos) reply(r demo.Request) demo.Reply {
	if r.Kind != demo.Main {
		return demo.Default(r)
	}
	select {
	case w.asked <- struct{}{}:
	default:
	}
	w.mu.Lock()
	for _, message := range r.Messages {
		for _, b := range message.Blocks {
			if message.Role == "user" && b.Type == "text" {
				for _, token := range tokens.FindAllString(b.Text, -1) {
					w.given[token] = true
				}
			}
		}
	}
	w.mu.Unlock()
	if !r.Fresh {
		return demo.Say("It is done.")
	}
	reply := demo.Answer(demo.Text("I see. "))
	for _, token := range tokens.FindAllString(r.Text, -1) {
		switch {
		case strings.HasSuffix(token, "-run"):
			reply = reply.Then(bash("echo " + token + " >> " + w.p.path("ran")))
		case strings.HasSuffix(token, "-slow"):
			reply = reply.Then(demo.Text("It takes ").Pause(700 * time.Millisecond).More("long."))
		}
	}
	return reply
}

// decide does what users do after a crash: prompts that may have run are resent or removed,
// and unanswered ones are sent again.
func (w *chaos) decide() {
	c := w.p.watcher
	for _, id := range w.sessions {
		for _, q := range w.p.session(id).Queued {
			if q.State != "unknown" {
				continue
			}
			do := w.drop(c, id, q.PromptID)
			if w.n(2) == 0 {
				do = w.sendAgain(c, id, q)
			}
			if do != nil {
				w.t.Fatal(do)
			}
		}
	}
	for token, s := range w.prompts {
		if !s.accepted && !s.dropped {
			if err := w.send(c, s.session, token, nil); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}
