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

// Config is what a library needs.
type Config struct {
	Records    Records
	Blobs      Blobs
	Catalog    Catalog
	Workspaces Workspaces
	// Root is the projects folder of the CLI's configuration, or the one that scripted
	// sessions have. Conversations are looked for there before the catalog has found
	// them.
	Root func(rehearsal bool) string
	// Rehearsal says that the catalog's conversations are those of scripted sessions:
	// they continue as such.
	Rehearsal bool
	// Defaults may be nil. It gives the choices of a folder, with which a conversation
	// goes on here that was begun elsewhere; its model and effort stay its own.
	Defaults func(folder string) model.Defaults
	// Publish takes events: those of sessions, decorated, and the library's own. It
	// never blocks for long.
	Publish func(event.Event)
	// Changed may be nil. It hears of every change on disk, on the library's goroutine.
	Changed func(history.Change)
	// Renamed may be nil. It hears that a conversation's session has another title.
	Renamed func(cliSessionID string)
	// Ended may be nil. It hears that a session was closed or put away: nothing goes on in
	// it. It may wait.
	Ended func(sessionID string)
	// Windows is what all sessions know of the models' context windows. It may be nil.
	Windows *usage.Windows
	// Unrecorded is told how many messages of a turn the CLI did not write down, 0 for none.
	// It may be nil.
	Unrecorded func(messages int)
	Logger     *slog.Logger
	// Now may be nil.
	Now func() time.Time
}

// Library knows all sessions. Its methods may be called from any goroutine.
type Library struct {
	cfg  Config
	live Live

	// locks let one change at a time be made to a session's being live: they are
	// shared by ids with the same hash. They come before the others.
	locks [64]sync.Mutex
	// writes lets one write at a time go to the store, so that none puts back what
	// another has just changed. It is never held while a session is asked.
	writes sync.Mutex
	// blobs is held for writing while blobs are swept, and for reading while some are
	// kept that nothing on the disk refers to yet.
	blobs sync.RWMutex

	mu sync.RWMutex
	index
	dirty    map[string]bool // whose record is to be written
	released map[PromptKey]bool
	deeds    []model.Deed      // that are to be written
	outcomes []model.Outcome   // so are these
	unsaved  []model.Unsaved   // and these
	saved    []string          // messages that are in the CLI's file after all
	turns    []spoken          // turns that are to be looked for there
	tails    map[string]*tail  // ends of conversations that were read for what they lack
	anchors  map[string]anchor // of live sessions
	numbered []filePlaces      // the file asked for last first
	missing  map[string]map[string]string
	// drawing has when a page began to draw a session that it has not drawn yet.
	drawing   map[string]time.Time
	unwritten error
	closed    bool

	writer  writer
	teller  teller
	looking chan struct{}
	stop    context.CancelFunc
	running sync.WaitGroup
}

// seqGap is more than the number of events that a session can have had after its last
// word was written: a turn may go on for hours without one, a hundred events a second.
// No number is to be given twice.
const seqGap = 1 << 20

// New reads everything that is kept. What was under way when the last Parley ended
// is marked as interrupted.
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
		if s.LastSeq > 0 { // of an idle one, too, nobody knows whether all was written
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

// Start begins to write and to follow what changes on disk. live runs the sessions;
// it may be given the library as its keeper and publisher before.
func (l *Library) Start(live Live) {
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

// Close writes what is not written yet, after the last session has ended. Nothing
// is kept any more then.
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

// Unwritten is why what sessions say of themselves cannot be kept, nil while it can.
func (l *Library) Unwritten() error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.unwritten
}

// Retry writes what could not be written, for whoever knows that it may be taken now.
func (l *Library) Retry() {
	if l.Unwritten() != nil {
		_ = l.flush() // it says what is wrong, and is tried again
	}
}

func (l *Library) now() int64 { return l.cfg.Now().UnixMilli() }

// lock keeps others from waking, ending or arranging the same session.
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
