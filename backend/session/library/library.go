package library

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/store/model"
	"parley/backend/usage"
)

// Reading reads conversations on disk. Its methods do not block.
type Reading interface {
	// Changed is called for every change on disk.
	Changed(c history.Change)
	// Renamed is called when the title of a conversation's session changes.
	Renamed(cliSessionID string)
}

// Config configures a library. All fields are required unless noted.
type Config struct {
	Records    Records
	Blobs      Blobs
	Catalog    Catalog
	Workspaces Workspaces
	// Root returns the projects folder of the CLI's configuration, or that of demo
	// sessions. Conversations are looked up there before the catalog has found them.
	Root func(scripted bool) string
	// Scripted means that the catalog's conversations are demo sessions, and
	// continue as such.
	Scripted bool
	// Defaults returns a folder's settings, which a conversation started elsewhere
	// continues with; it keeps its own model and effort. It may be nil.
	Defaults func(folder string) model.Defaults
	// Publish receives events: decorated ones of sessions, and the library's own.
	// It never blocks for long.
	Publish func(event.Event)
	// Reading and Processes are looked up when they are needed, because they are made
	// after the library. Both may be nil.
	Reading func() Reading
	// Processes end what is left of a session that was closed, archived or deleted. That
	// may block.
	Processes func() interface{ EndGroup(sessionID string) }
	// Windows is the shared knowledge of the models' context windows. It may be nil.
	Windows *usage.Windows
	// Problems are notified of the number of a turn's messages that the CLI didn't write
	// down, 0 for none. It may be nil.
	Problems interface{ Unrecorded(messages int) }
	Logger   *slog.Logger
	// Now may be nil.
	Now func() time.Time
}

// Library knows all sessions. Its methods may be called from any goroutine.
type Library struct {
	cfg  Config
	live LiveSessions

	// locks serialize changes to whether a session is live; ids with the same
	// hash share one. They are taken before the other locks.
	locks [64]sync.Mutex
	// writes serializes writes to the store, so that none undoes another. It is
	// never held while a session is asked.
	writes sync.Mutex
	// blobs is held for writing while blobs are swept, and for reading while blobs
	// exist that nothing on disk refers to yet.
	blobs sync.RWMutex

	mu sync.RWMutex
	index
	dirty    map[string]bool // whose record must be written
	released map[PromptKey]bool
	deeds    []model.Action    // to be written
	outcomes []model.Outcome   // to be written
	unsaved  []model.Unsaved   // to be written
	saved    []string          // messages that reached the CLI's file after all
	turns    []spoken          // turns to look up in the CLI's file
	tails    map[string]*tail  // ends of conversations, read to find missing messages
	anchors  map[string]anchor // of live sessions
	numbered []filePlaces      // most recently used first
	missing  map[string]map[string]string
	// drawing is when a page started to draw a session that it hasn't finished
	// drawing.
	drawing   map[string]time.Time
	unwritten error
	closed    bool

	writer  writer
	teller  teller
	looking chan struct{}
	stop    context.CancelFunc
	running sync.WaitGroup
}

// seqGap exceeds the number of events a session can have after its last save: a turn
// may run for hours without one, with a hundred events a second. No number may be used
// twice.
const seqGap = 1 << 20

// New loads everything that is stored. Turns that were running when the last
// Parley ended are marked as interrupted.
func New(cfg Config) (*Library, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	l := &Library{
		cfg: cfg, index: newIndex(), dirty: make(map[string]bool), released: make(map[PromptKey]bool),
		anchors: make(map[string]anchor), missing: make(map[string]map[string]string),
		tails: make(map[string]*tail), drawing: make(map[string]time.Time),
		writer: newWriter(), teller: newTeller(), looking: make(chan struct{}, 1),
	}
	sessions, err := cfg.Records.Sessions()
	if err != nil {
		return nil, err
	}
	for _, s := range sessions {
		if busy(s.State) {
			if s.InterruptedTurn == "" {
				s.InterruptedTurn = unknownTurn
			}
			s.State = stateIdle
			l.dirty[s.ID] = true
		}
		if s.LastSeq > 0 { // even an idle session may have unsaved events
			s.LastSeq += seqGap
		}
		l.addRecord(s)
	}
	err = cfg.Records.Waiting(func(p model.Prompt) {
		l.queues[p.SessionID] = append(l.queues[p.SessionID], waiting{order: p.Order, id: p.PromptID, turn: p.TurnID, uuid: uuidOf(&p), phase: phaseOf(&p), note: p.Note != nil})
	})
	if err != nil {
		return nil, err
	}
	if err := cfg.Records.Drafts(func(d model.Draft) { l.drafts[d.SessionID] = true }); err != nil {
		return nil, err
	}
	l.sortAll()
	return l, nil
}

// Start starts writing and following changes on disk. live runs the sessions; it
// may already use the library as its keeper and publisher.
func (l *Library) Start(live LiveSessions) {
	l.live = live
	l.sweep()
	l.settleSent()
	ctx, cancel := context.WithCancel(context.Background())
	l.stop = cancel
	l.running.Go(func() { l.write(ctx) })
	l.running.Go(func() { l.check(ctx) })
	l.running.Go(func() { l.tell(ctx) })
	l.Refresh()
}

// Close writes what is pending, after the last session has ended. Nothing is
// stored afterwards.
func (l *Library) Close() error {
	if l.stop != nil {
		l.stop()
	}
	l.running.Wait()
	l.settleDrawing()
	l.checkDue(context.Background(), true)
	err := l.flush()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return err
}

// Unwritten returns why saved states can't be stored, nil if they can.
func (l *Library) Unwritten() error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.unwritten
}

// Retry retries failed writes. Call it when they may succeed.
func (l *Library) Retry() {
	if l.Unwritten() != nil {
		_ = l.flush() // it logs the failure and retries
	}
}

func (l *Library) now() int64 { return l.cfg.Now().UnixMilli() }

// lock prevents others from waking, ending or arranging the same session.
func (l *Library) lock(id string) *sync.Mutex {
	hash := uint32(2166136261)
	for i := range len(id) {
		hash = (hash ^ uint32(id[i])) * 16777619
	}
	m := &l.locks[hash%uint32(len(l.locks))]
	m.Lock()
	return m
}

func notFound(id string) error {
	return fault.New(fault.NotFound, "There is no session %q.", id)
}
