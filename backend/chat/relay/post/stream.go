package post

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/owner"
)

// Config configures a stream. Chat, ChannelID, RootID, Key and Logger are required.
type Config struct {
	Chat              port.Chat
	ChannelID, RootID string
	// Root returns the post that new posts reply to; nil means RootID.
	Root func() string
	// Key distinguishes the stream's posts from all others, in every run of Parley: the
	// session's id. Posts are created once per key, turn and part.
	Key string
	// Folder is the session's: images in it that an answer names are uploaded. "" uploads
	// none.
	Folder string
	// NoTools omits the lines about tools.
	NoTools bool
	// Outputs is the number of lines from which a tool's output is uploaded as a file, 0
	// for never.
	Outputs int
	// Who returns how a prompt's author is shown, and "" for a prompt that is already in
	// the thread. Nil shows prompts typed at this Parley (without an author) as "You, in
	// Parley".
	Who func(*event.Author) string
	// Posts are those that an earlier stream with the key passed to Keep.
	Posts map[string]string
	// Since is when the thread started to show the session, in Unix milliseconds:
	// [Stream.Set] shows nothing older.
	Since int64
	// Keep receives what must survive the end of the process, whenever it changes: the
	// posts of the running turns by part, and the number of the last event whose effects
	// are all in the thread. The stream's goroutine calls it; it must not block for long,
	// and may keep the map.
	Keep func(posts map[string]string, seq uint64)
	// Problem receives a sentence when updates can't be shown, and "" when they can
	// again. The stream's goroutine calls it.
	Problem func(sentence string)
	// Debounce is the minimum time between two updates; 0 means 300 ms.
	Debounce time.Duration
	Logger   *slog.Logger
}

// Stream shows one session's turns in one thread. Its methods may be called from any
// goroutine.
type Stream struct {
	cfg    Config
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
	// wake has a token if there may be something to do.
	wake chan struct{}

	mu sync.Mutex
	in intake
	// slots are the posts of the running turns, by turn.
	slots map[string]*slots
	pace  pace
	// seq is the number of the last event, shown that of the last one whose effects are in
	// the thread. settled is the last turn in the thread.
	seq, shown uint64
	settled    settled
	// waiters wait until everything is shown. pass is the number of the last event whose
	// effects are in the thread after the current call, whole counts how often that
	// covered everything.
	waiters []waiter
	pass    *uint64
	whole   int
	// refused is until when no post is edited, because the chat doesn't allow it.
	refused time.Time
	// unkept is true if Keep must be called. problem is the last value passed to
	// Problem.
	unkept  bool
	problem string
	closed  bool
}

// waiter waits until the effects of an event are in the thread, and everything was checked
// once more.
type waiter struct {
	seq   uint64
	whole int
	done  chan struct{}
}

// NewStream starts a stream. It must be closed.
func NewStream(cfg Config) *Stream {
	if cfg.Debounce == 0 {
		cfg.Debounce = 300 * time.Millisecond
	}
	if cfg.Who == nil {
		cfg.Who = func(a *event.Author) string {
			if a == nil {
				return "You, in Parley"
			}
			return ""
		}
	}
	s := &Stream{
		cfg: cfg, done: make(chan struct{}), wake: make(chan struct{}, 1),
		in:    intake{folder: cfg.Folder, noTools: cfg.NoTools, outputs: cfg.Outputs, who: cfg.Who, shells: map[string]bool{}},
		slots: map[string]*slots{}, pace: newPace(cfg.Debounce), settled: settled{cfg.Posts[settledPart], cfg.Posts[settledMessage]},
	}
	s.restore(cfg.Posts)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.run()
	return s
}

// Take takes the session's next event. It doesn't block. An event whose number isn't
// above those taken or set is ignored.
func (s *Stream) Take(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seq := e.Header().Seq
	if s.closed || seq != 0 && seq <= s.seq {
		return
	}
	s.seq = max(s.seq, seq)
	shown, silent := s.in.shown, s.in.silent
	how := s.in.take(e)
	s.pace.wrote(s.in.shown-shown, s.in.silent-silent)
	if how != nothing {
		s.pace.changed(how, time.Now())
	}
	owner.Wake(s.wake)
	s.forget()
}

// Set sets the stream's state after missed events or a restart: the session's record
// and the newest page of its history. Turns that are already in the thread aren't
// shown again.
func (s *Stream) Set(session event.Session, h event.History) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.in.model, s.in.asking = session.Model, session.OpenQuestions
	s.in.context = percentOf(session.Context)
	busy := false
	switch session.State {
	case "running", "waiting", "interrupting", "compacting":
		busy = true
	}
	s.in.set(h.Messages, s.settled, s.cfg.Since, busy)
	s.seq = h.Seq
	s.forget()
	s.pace.changed(ending, time.Now())
	owner.Wake(s.wake)
}

// Wake makes the stream retry at once if it waits for an unreachable chat.
func (s *Stream) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pace.notBefore = time.Time{}
	owner.Wake(s.wake)
}

// Idle reports whether no turn is running and everything taken is in the
// thread.
func (s *Stream) Idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.in.turns) == 0 && len(s.in.files) == 0
}

// Flush waits until everything taken is in the thread, or ctx ends. Text held back as
// a possible answer stays held back.
func (s *Stream) Flush(ctx context.Context) error {
	s.mu.Lock()
	w := waiter{s.seq, s.whole, make(chan struct{})}
	s.waiters = append(s.waiters, w)
	s.pace.changed(ending, time.Now())
	owner.Wake(s.wake)
	s.mu.Unlock()
	select {
	case <-w.done:
		return nil
	case <-s.done:
		return context.Canceled
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the stream: it posts what was taken as long as ctx allows, and waits for
// its goroutine. The next stream's Set posts what is then missing.
func (s *Stream) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	err := s.Flush(ctx)
	s.cancel()
	<-s.done
	if ctx.Err() == nil {
		err = nil // it was already closed
	}
	return err
}
