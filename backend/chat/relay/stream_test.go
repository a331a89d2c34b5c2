package relay_test

import (
	"context"
	"errors"
	"sync"

	"parley/backend/chat"
	"parley/backend/chat/relay/post"
	"parley/backend/event"
)

// fakeStream posts every turn at its end.
type fakeStream struct {
	cfg  post.Config
	mu   sync.Mutex
	cond *sync.Cond
	todo []func()
	busy bool
	over bool
	done chan struct{}
	// Owned by the goroutine: unfinished texts, the last event, and whether to store
	// it.
	text map[string]string
	seq  uint64
	keep bool
	idle bool
	// awaited is true if a caller was told that it isn't idle.
	awaited bool
}

func newFakeStream(c post.Config) *fakeStream {
	s := &fakeStream{cfg: c, done: make(chan struct{}), text: map[string]string{}, idle: true}
	s.cond = sync.NewCond(&s.mu)
	go s.run()
	return s
}

func (s *fakeStream) run() {
	defer close(s.done)
	for {
		s.mu.Lock()
		for len(s.todo) == 0 && !s.over {
			s.cond.Wait()
		}
		if len(s.todo) == 0 {
			s.mu.Unlock()
			return
		}
		fn := s.todo[0]
		s.todo, s.busy = s.todo[1:], true
		s.mu.Unlock()
		fn()
		s.mu.Lock()
		s.busy = false
		s.idle = len(s.text) == 0
		// They are told when it is.
		keep, seq := s.keep || s.awaited && s.idle && len(s.todo) == 0, s.seq
		s.keep = false
		s.mu.Unlock()
		if keep {
			s.cfg.Keep(map[string]string{}, seq)
		}
	}
}

func (s *fakeStream) do(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.todo = append(s.todo, fn)
	s.cond.Signal()
}

func (s *fakeStream) Take(e event.Event) {
	s.do(func() {
		head := e.Header()
		if head.Seq != 0 && head.Seq <= s.seq {
			return
		}
		s.seq = head.Seq
		switch e := e.(type) {
		case *event.UserMessage:
			if who := s.cfg.Who(e.Author); who != "" {
				s.post("q"+e.MessageID, "> "+who+": "+e.Text)
			}
		case *event.TextDelta:
			s.text[head.TurnID] += e.Text
		case *event.Done:
			if text := s.text[head.TurnID]; text != "" {
				s.post(head.TurnID, text)
				delete(s.text, head.TurnID)
			}
			s.keep = true
		}
	})
}

func (s *fakeStream) post(key, text string) {
	_, err := s.cfg.Chat.Send(context.Background(), chat.NewPost{Key: "s-" + s.cfg.RootID + "-" + key, ChannelID: s.cfg.ChannelID, RootID: s.cfg.Root(), Text: text})
	if errors.Is(err, chat.ErrGone) {
		s.cfg.Problem("The thread is gone.")
	}
}

func (s *fakeStream) Set(_ event.Session, h event.History) {
	s.do(func() {
		clear(s.text)
		for _, m := range h.Messages {
			if m.At < s.cfg.Since {
				continue
			}
			switch {
			case m.Role == "user" && s.cfg.Who(m.Author) != "":
				s.post("q"+m.ID, "> "+s.cfg.Who(m.Author)+": "+m.Blocks[0].Text)
			case m.Role == "assistant" && m.Result != nil:
				s.post(m.TurnID, m.Blocks[0].Text)
			case m.Role == "assistant":
				s.text[m.TurnID] = m.Blocks[0].Text
			}
		}
		s.seq = max(s.seq, h.Seq)
		s.keep = true
	})
}

func (s *fakeStream) Wake() {}

func (s *fakeStream) Idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awaited = len(s.todo) > 0 || s.busy || !s.idle
	return !s.awaited
}

func (s *fakeStream) Close(context.Context) error {
	s.mu.Lock()
	s.over = true
	s.cond.Signal()
	s.mu.Unlock()
	<-s.done
	return nil
}
