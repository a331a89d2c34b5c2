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

// Config is what a stream needs. Chat, ChannelID, RootID, Key and Logger are required.
type Config struct {
	Chat              port.Chat
	ChannelID, RootID string
	// Root is the post that new posts reply to, nil for RootID.
	Root func() string
	// Key tells the stream's posts from all others, in every run of Parley the same: the
	// session's id. Posts are made once for each key, turn and part.
	Key string
	// Folder is the session's: images in it that an answer names are uploaded. "" uploads
	// none.
	Folder string
	// NoTools leaves the lines about tools out.
	NoTools bool
	// Outputs is the number of lines from which on the output of a tool is uploaded as a
	// file, 0 for never.
	Outputs int
	// Who says how the writer of a prompt is shown, and "" for a prompt that is not shown
	// because it is in the thread already. Nil shows those that were typed at this Parley
	// (they have no author), as "You, in Parley".
	Who func(*event.Author) string
	// Posts are those that an earlier stream of the key reported to Keep.
	Posts map[string]string
	// Since is when the thread began to show the session, in Unix milliseconds: [Stream.Set]
	// shows nothing older.
	Since int64
	// Keep is told what has to survive the end of the process, whenever that changes: the
	// posts of the running turns by their parts, and the number of the last event whose
	// effects are all in the thread. It is called from the stream's goroutine, waits for
	// nothing long, and may keep the map.
	Keep func(posts map[string]string, seq uint64)
	// Problem is told a sentence when what is new cannot be shown, and "" when it can be
	// again. It is called from the stream's goroutine.
	Problem func(sentence string)
	// Debounce is the least time between two updates, 300 ms when it is 0.
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
	// wake has a token when there may be something to do.
	wake chan struct{}

	mu sync.Mutex
	in intake
	// slots are the posts of the running turns, by turn.
	slots map[string]*slots
	pace  pace
	// seq is the number of the last event, shown that of the last whose effects are in the
	// thread. settled is the last turn that is.
	seq, shown uint64
	settled    settled
	// waiters wait until all is shown. pass is the number of the last event whose effects
	// are in the thread after the call that is under way, whole counts how often that was
	// so for all.
	waiters []waiter
	pass    *uint64
	whole   int
	// refused is until when no post is edited, because the chat does not allow it.
	refused time.Time
	// unkept is true when Keep has to be told. problem is what Problem was told.
	unkept  bool
	problem string
	closed  bool
}

// waiter waits until the effects of an event are in the thread, and all was looked at once
// more than it was before.
type waiter struct {
	seq   uint64
	whole int
	done  chan struct{}
}

// NewStream begins a stream. It has to be closed.
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

// Take takes the session's next event. It does not wait. An event whose number is not
// above those that were taken or set is left out.
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

// Set brings the stream to a state, after events were missed or after a restart: the
// session's record and the newest page of its history. Turns that are in the thread
// already are not shown again.
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

// Wake has the stream try again at once when it waits for a chat that was away.
func (s *Stream) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pace.notBefore = time.Time{}
	owner.Wake(s.wake)
}

// Idle says whether no turn is running and all that was taken is in the thread.
func (s *Stream) Idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.in.turns) == 0 && len(s.in.files) == 0
}

// Flush waits until all that was taken so far is in the thread, or for the end of ctx.
// What is held back because it may be the answer stays so.
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

// Close ends the stream: it brings what was taken into the thread as long as ctx allows,
// and waits for its goroutine. What is missing then comes with the next stream's Set.
func (s *Stream) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	err := s.Flush(ctx)
	s.cancel()
	<-s.done
	if ctx.Err() == nil {
		err = nil // it was closed before
	}
	return err
}
