// Package natsroom stores rooms on a NATS server, so that they span computers.
// Messages are a JetStream stream, with a subject per room; rooms and the members'
// progress are in a key-value bucket. All of it is also kept locally, in a [Replica],
// so that it can be read at once, and without a connection.
//
// # Without a connection
//
// Messages then wait in the replica, in order and bounded, and are published when the
// connection is back. A message whose publication has an unknown result is republished
// under the same id: the server drops it within its window, and beyond that it is
// found in the replica, which catches up first. Rooms can't be changed without a
// connection.
//
// # Trust
//
// Whoever may write to the server may write anything as anyone. Its accounts control
// that; credentials come from files and the environment, never from addresses.
//
// Goroutines: one that is the link to the server, from Start to Close, and those of the
// NATS client.
package natsroom

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"parley/backend/fault"
	"parley/backend/owner"
	"parley/backend/room"
)

// The names on the server, shared by all Parleys of a deployment.
const (
	streamName = "PARLEY_ROOMS"
	bucketName = "PARLEY_ROOMS"
	subject    = "parley.rooms.msg."
	roomKey    = "room."
	farKey     = "progress."
)

// Limits on the server.
const (
	maxStream = 1 << 30
	// window is how long the server drops duplicates.
	window = 10 * time.Minute
	// maxValue bounds a room or a progress.
	maxValue = 512 << 10
)

// Times.
const (
	callWait = 5 * time.Second
	// applyWait is how long a change may take to come back.
	applyWait = 5 * time.Second
	// retryWait and longestWait are the delays before a retry after a failure.
	retryWait   = 250 * time.Millisecond
	longestWait = 5 * time.Second
)

// Replica is the local copy of the server's data. Package embedded has one.
type Replica interface {
	room.Store
	// Mark and SetMark store values.
	Mark(name string) (string, error)
	SetMark(name, value string) error
	// Last returns the highest number; Adopt stores messages that have theirs; Restart
	// drops all messages and numbers; Known finds a message by id.
	Last() uint64
	Adopt(messages []room.Message, last uint64) error
	Restart(ctx context.Context) error
	Known(id string) (room.Message, bool, error)
	// Enqueue, Dequeue and Queued manage the queue for a connection.
	Enqueue(m room.Message) error
	Dequeue(id string) error
	Queued() int
}

// Config configures the server. Everything except the secrets is required.
type Config struct {
	// URL is one or several servers, separated by commas; it contains no secret.
	URL string
	// Node is this Parley's id.
	Node string
	// Credentials and CA are file paths; Token, or User and Password, are secrets.
	Credentials, CA       string
	Token, User, Password string
	// Retention is how long the server keeps messages if it has no setting yet.
	Retention time.Duration
	Replica   Replica
	Logger    *slog.Logger
}

// Store stores rooms on a server. It implements [room.Store].
type Store struct {
	cfg    Config
	log    *slog.Logger
	nc     *nats.Conn
	js     jetstream.JetStream
	server string

	// far is held while local progress is written, so that the server's is compared
	// with what is written. It is locked before mu.
	far sync.Mutex

	mu      sync.Mutex
	watches []func(room.Change)
	kv      jetstream.KeyValue // nil without a connection
	stream  jetstream.Stream
	problem string
	// revisions are those of rooms in the replica.
	revisions map[string]uint64
	// dirty is the progress that the server doesn't have; told are the revisions of
	// what was published, so that its echo undoes nothing newer.
	dirty map[string]room.Progress
	told  map[string]uint64
	// applied is closed when the replica has something new.
	applied chan struct{}

	kick, lost chan struct{}
	ctx        context.Context
	cancel     context.CancelFunc
	work       sync.WaitGroup
	started    bool
	closing    sync.Once
	err        error
}

var _ room.Store = (*Store)(nil)

// Open creates a store. It only fails for an invalid configuration (fault invalid); an
// unreachable server is no error.
func Open(cfg Config) (*Store, error) {
	s := &Store{
		cfg: cfg, log: cfg.Logger, server: hosts(cfg.URL), revisions: map[string]uint64{}, dirty: map[string]room.Progress{}, told: map[string]uint64{},
		applied: make(chan struct{}), kick: make(chan struct{}, 1), lost: make(chan struct{}, 1),
		problem: "Parley has not reached the NATS server yet.",
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	var err error
	if s.nc, err = nats.Connect(cfg.URL, s.options()...); err != nil {
		s.cancel()
		return nil, fault.Wrap(err, fault.Invalid, "Parley cannot connect to the NATS server for rooms. Check natsUrl and the credentials.")
	}
	if s.js, err = jetstream.New(s.nc, jetstream.WithDefaultTimeout(callWait)); err != nil {
		s.cancel()
		s.nc.Close()
		return nil, fmt.Errorf("use JetStream: %w", err)
	}
	return s, nil
}

// hosts returns only the servers of an address.
func hosts(servers string) string {
	var out []string
	for one := range strings.SplitSeq(servers, ",") {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil && u.Host != "" {
			out = append(out, u.Host)
		}
	}
	return strings.Join(out, ", ")
}

func (s *Store) options() []nats.Option {
	options := []nats.Option{
		nats.Name("parley"), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.ReconnectJitter(200*time.Millisecond, time.Second), nats.Timeout(callWait), nats.PingInterval(20 * time.Second), nats.MaxPingsOutstanding(2),
		// Publishing without a connection must fail, instead of being sent later.
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				s.log.Warn("Lost the connection to the NATS server", "server", s.server, "err", err)
			}
			owner.Wake(s.lost)
		}),
		nats.ReconnectHandler(func(*nats.Conn) { owner.Wake(s.kick) }),
		nats.ConnectHandler(func(*nats.Conn) { owner.Wake(s.kick) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			s.log.Warn("NATS client reported a problem", "server", s.server, "err", err)
		}),
	}
	if s.cfg.Credentials != "" {
		options = append(options, nats.UserCredentials(s.cfg.Credentials))
	}
	if s.cfg.CA != "" {
		options = append(options, nats.RootCAs(s.cfg.CA))
	}
	if s.cfg.Token != "" {
		options = append(options, nats.Token(s.cfg.Token))
	}
	if s.cfg.User != "" {
		options = append(options, nats.UserInfo(s.cfg.User, s.cfg.Password))
	}
	return options
}

// Start starts following the server.
func (s *Store) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.started {
		s.started = true
		s.work.Go(s.link)
	}
}

// Close implements [room.Store]. The replica stays open.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.cancel()
		s.work.Wait()
		s.nc.Close()
	})
	return s.err
}

// online returns what is needed to use the server, or why it can't be used.
func (s *Store) online() (jetstream.KeyValue, jetstream.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kv == nil || !s.nc.IsConnected() {
		return nil, nil, &room.Error{Code: room.Offline, Text: "There is no connection to the other machines now, so this cannot be done. Try again when there is one."}
	}
	return s.kv, s.stream, nil
}

// Status implements [room.Store].
func (s *Store) Status() room.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := room.Status{Kind: "nats", Server: s.server, Connected: s.kv != nil && s.nc.IsConnected(), Waiting: s.cfg.Replica.Queued()}
	if !status.Connected {
		status.Problem = s.problem
	}
	return status
}

// Watch implements [room.Store].
func (s *Store) Watch(fn func(room.Change)) {
	s.mu.Lock()
	s.watches = append(s.watches, fn)
	s.mu.Unlock()
	s.cfg.Replica.Watch(fn)
}

func (s *Store) tellStatus() {
	s.mu.Lock()
	all := append([]func(room.Change){}, s.watches...)
	s.mu.Unlock()
	for _, fn := range all {
		fn(room.Change{Status: true})
	}
}

// Rooms implements [room.Store].
func (s *Store) Rooms(ctx context.Context) ([]room.Room, error) { return s.cfg.Replica.Rooms(ctx) }

// Room implements [room.Store].
func (s *Store) Room(ctx context.Context, id string) (room.Room, error) {
	return s.cfg.Replica.Room(ctx, id)
}

// Messages implements [room.Store].
func (s *Store) Messages(ctx context.Context, id string, p room.Page) (room.Messages, error) {
	return s.cfg.Replica.Messages(ctx, id, p)
}

// Waiting implements [room.Store].
func (s *Store) Waiting(ctx context.Context) ([]room.Message, error) {
	return s.cfg.Replica.Waiting(ctx)
}

// Progress implements [room.Store].
func (s *Store) Progress(ctx context.Context, id string) ([]room.Progress, error) {
	return s.cfg.Replica.Progress(ctx, id)
}

// Prune implements [room.Store]. The server prunes its own data.
func (s *Store) Prune(ctx context.Context, before time.Time) error {
	return s.cfg.Replica.Prune(ctx, before)
}
