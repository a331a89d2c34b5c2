package session

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"parley/backend/choice"
	"parley/backend/claude/transcript"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/truncate"
	"parley/backend/untrusted"
	"parley/backend/usage"
)

// Limits of one session.
const (
	inboxSize   = 64
	maxPrompts  = 200 // accepted and not done
	maxSeenIDs  = 1000
	maxSaved    = 100  // of those, how many a later Parley remembers
	maxPrevious = 1000 // conversations before the current one
	logMessages = 2000
	logBytes    = 32 << 20
	controlWait = 15 * time.Second
)

// Session is one conversation. Everything below the inbox belongs to the owner
// goroutine (run); other goroutines reach it through post and ask.
type Session struct {
	id  string
	cfg Config
	log *transcript.Log
	out *outbox
	lg  *slog.Logger

	// ctx ends with the session; it bounds the start of a process.
	ctx    context.Context
	cancel context.CancelFunc
	inbox  chan func()
	// done is closed when the owner has ended and no process or goroutine is left.
	done     chan struct{}
	stopOnce sync.Once
	helpers  sync.WaitGroup
	// snapshot is the record for readers that must not wait for the owner.
	snapshot    atomic.Pointer[event.Session]
	currentTurn atomic.Value // string
	// speaker is who wrote the prompt that the CLI took up last, nil for the user of
	// this Parley.
	speaker atomic.Pointer[event.Author]
	// processBegan is called when a process starts.
	processBegan func()

	// Owned by run.
	record    event.Session
	dirty     bool
	projector *transcript.Projector
	state     State

	// heard is nil, or closed when the CLI's output may be read, see [Registry.TakeOver].
	heard   <-chan struct{}
	process *running
	resumes bool // the CLI has the conversation
	// unanswered is set while no turn of the conversation has ended: a CLI that dies then
	// may have written none of it.
	unanswered bool
	// given is what the CLI was told, used to detect foreign input.
	given given
	// fork is the origin of the conversation, until it exists.
	fork        *Fork
	previous    []string // conversations before this one; never changed in place
	titleChosen bool
	// handing is set while the session is being handed over to another program.
	handing *handing
	// left is set when the session is left to a later Parley.
	left *left
	// starting is closed when the requested process has started or failed to; nil
	// if none was requested.
	starting chan struct{}
	crashes  []time.Time

	prompts     []*prompt
	seen        map[string]string // prompt id → turn id
	seenOrder   []string
	recent      []SeenPrompt // the last of them; never changed in place
	order       int64        // of the last prompt
	turn        turn
	interrupted bool
	interrupts  int // a counter, so that a late check recognizes its own
	openAsks    map[string]event.Question
	// said is closed at the CLI's next output; nil if no question waits for that.
	said chan struct{}
	// shells are the user's running commands, by message.
	shells map[string]event.Shell
	// notes are the pending notes, oldest first.
	notes []*note
}

// turn is the running turn. An empty id means none.
type turn struct {
	id string
	// prompt is the one that started it, nil for a turn of the CLI's own.
	prompt *prompt
}

// running is a CLI process with its state.
type running struct {
	Process
	spec   Spec
	frames <-chan []wire.Frame
	// prompts feeds the goroutine that writes them, each with its notes. Its elements are
	// immutable, because that goroutine may briefly outlive its process.
	prompts chan []wire.UserMessage
	// unwritten counts the messages in prompts and the one being written.
	unwritten int
	// spoke is set once the process has sent its init frame.
	spoke bool
	// lifecycles is set if the process reports the lifecycle of prompts.
	lifecycles bool
	// lastError is the error it sent before its init frame.
	lastError string
	// unreachable is set when it lost its connection for permission requests.
	unreachable bool
	// adopted is set when its init frame determined the permission mode, distrusted
	// when it received foreign input.
	adopted, distrusted bool
	// own is the CLI's own prompt in progress, "" for none.
	own string
	// stopping is set when Parley stops it, broken when it does so because the
	// process no longer works: that counts as a crash.
	stopping bool
	broken   bool
	// suspended is set when Parley stops it because it is idle.
	suspended bool
	gone      chan struct{}
}

func newSession(id string, p CreateParams, cfg Config) *Session {
	now := time.Now().UnixMilli()
	log := transcript.NewLog(logMessages, logBytes)
	s := &Session{
		id: id, cfg: cfg, log: log, out: newOutbox(id, cfg.Publisher, log),
		lg:    cfg.Logger.With("component", "session", "session", id),
		inbox: make(chan func(), inboxSize), done: make(chan struct{}),
		projector: transcript.NewProjector(), state: Idle,
		seen: make(map[string]string), openAsks: make(map[string]event.Question),
		record: event.Session{
			ID: id, CWD: p.CWD, Title: p.Title, Engine: cmp.Or(p.Engine, choice.EngineCLI), Model: p.Model, Effort: p.Effort,
			PermissionMode: p.PermissionMode, Guard: cmp.Or(p.Guard, choice.GuardOff), Scripted: p.Scripted,
			CLISessionID: uuid.NewString(), CreatedAt: now, ListState: event.ListState{Profile: p.Profile},
		},
		processBegan: func() {},
	}
	s.projector.Share(cfg.Windows, usage.Environment(p.Profile, p.Scripted))
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.out.lastAt = now
	s.currentTurn.Store("")
	s.refresh()
	return s
}

// Record returns the session's record as of the last change.
func (s *Session) Record() event.Session { return *s.snapshot.Load() }

// ended reports whether the owner is gone.
func (s *Session) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

func errClosed() error {
	return fault.New(fault.Conflict, "The session is closed. Start a new one.")
}

// run is the owner: the only goroutine that touches the session's state.
func (s *Session) run() {
	defer close(s.done)
	defer s.cancel()
	for s.state != Closed || s.process != nil || s.starting != nil {
		var frames <-chan []wire.Frame
		if s.process != nil && s.heard == nil {
			frames = s.process.frames
		}
		select {
		case <-s.heard:
			s.isHeard()
		case work := <-s.inbox:
			work()
		case batch, ok := <-frames:
			if !ok {
				s.processEnded()
			}
			for _, f := range batch {
				s.frame(f)
			}
			s.spoke()
		case <-s.out.due():
			s.out.flush()
		}
		s.settle()
		s.handOver()
	}
	defer func() { s.cfg.Keeper.Save(s.saved()) }()
	s.out.flush()
	// Helpers may still post; nobody must block on a full inbox.
	quiet := make(chan struct{})
	go func() {
		s.helpers.Wait()
		close(quiet)
	}()
	for {
		select {
		case work := <-s.inbox:
			work()
			s.settle()
		case <-quiet:
			s.drain()
			return
		}
	}
}

// drain does the work left in the inbox by helpers that have ended.
func (s *Session) drain() {
	for {
		select {
		case work := <-s.inbox:
			work()
			s.settle()
		default:
			return
		}
	}
}

// settle publishes and saves the record if it has changed.
func (s *Session) settle() {
	if !s.dirty {
		return
	}
	s.dirty = false
	s.refresh()
	s.out.emit(&event.State{Session: s.Record()})
	s.refresh()
	s.cfg.Keeper.Save(s.saved())
}

// touch marks the record as changed.
func (s *Session) touch() { s.dirty = true }

// refresh updates the record and makes it visible to readers.
func (s *Session) refresh() {
	r := s.record
	r.State = string(s.state)
	r.LastSeq = s.out.seq
	r.LastActivityAt = s.out.lastAt
	r.OpenQuestions = len(s.openAsks)
	r.TotalCostUSD = s.projector.TotalCost()
	r.Tasks = s.projector.Tasks()
	r.Context = nil
	if c, known := s.projector.Context(); known {
		r.Context = &c
	}
	r.PID = 0
	if s.process != nil {
		r.PID = s.process.PID()
	}
	r.Origin, r.Messages, r.PreviousCLISessionIDs = "parley", -1, append([]string{}, s.previous...)
	r.Queued = []event.QueuedPrompt{}
	for _, p := range s.prompts {
		if !p.shown || p.held() {
			text := p.Text[:min(len(p.Text), maxQueuedText)]
			r.Queued = append(r.Queued, event.QueuedPrompt{
				PromptID: p.ID, TurnID: p.turnID, Text: strings.ToValidUTF8(text, ""), Cut: len(text) < len(p.Text), Attachments: p.Attachments, State: p.waits(), Why: p.why, Author: p.Author,
			})
		}
	}
	s.snapshot.Store(&r)
}

// maxQueuedText bounds the text of a queued prompt in a record.
const maxQueuedText = 64 << 10

// become changes the state. An illegal change is a bug: it is refused and
// logged.
func (s *Session) become(to State) {
	if s.state == to {
		return
	}
	if err := s.state.next(to); err != nil {
		s.lg.Error("Rejected an invalid state change", "err", err)
		return
	}
	s.state = to
	s.touch()
}

// emit stamps an event with the running turn and publishes it.
func (s *Session) emit(e event.Event) { s.emitIn(s.turn.id, e) }

func (s *Session) emitIn(turnID string, e event.Event) {
	e.Header().TurnID = turnID
	s.out.emit(e)
}

func (s *Session) setTurn(t turn) {
	s.turn, s.record.Retry = t, nil
	if t.id != "" {
		s.record.Suggestion = ""
	}
	s.currentTurn.Store(t.id)
}

// control sends a control request and waits for the answer. It may be called from
// any goroutine except the owner.
func (s *Session) control(ctx context.Context, body wire.ControlBody) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, controlWait)
	defer cancel()
	process, err := s.upProcess(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := process.Control(ctx, body)
	if err != nil {
		return nil, fault.Wrap(err, fault.Conflict, "Claude Code rejected this request (%s): %s", body.ControlSubtype(), reason(err))
	}
	return raw, nil
}

// upProcess returns the session's process (fault unavailable if none runs). It
// waits for one that is starting: that process got the settings at the time of
// the request, so a later change must still reach it.
func (s *Session) upProcess(ctx context.Context) (Process, error) {
	for {
		var starting chan struct{}
		process, err := ask(ctx, s, func() (Process, error) {
			starting = s.starting
			if starting != nil && len(s.openAsks) > 0 {
				return nil, fault.New(fault.Conflict, "Claude Code starts in this session when the open request is answered. Answer it first.")
			}
			if starting == nil && (s.process == nil || s.process.stopping) {
				return nil, fault.New(fault.Unavailable, "Claude Code is not running in this session yet. Send a prompt first.")
			}
			if starting != nil {
				return nil, nil
			}
			return s.process.Process, nil
		})
		if err != nil || process != nil {
			return process, err
		}
		select {
		case <-starting:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// reason describes why a control request failed, with no more than the CLI's
// own message.
func reason(err error) string {
	var refused *wire.ControlError
	if asError(err, &refused) {
		return refused.Message
	}
	return "it did not answer in time or is gone."
}

// title derives a session's title from its first prompt: its first line, at most
// 80 characters.
func title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return truncate.Runes(strings.Join(strings.Fields(untrusted.Visible(line)), " "), 80)
}
