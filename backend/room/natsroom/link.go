package natsroom

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"parley/backend/room"
)

// maxBatch is how many messages the replica stores at once.
const maxBatch = 256

// streamMark is the creation time of the stream whose messages the replica
// has.
const streamMark = "stream"

// link follows the server whenever there is a connection.
func (s *Store) link() {
	wait, told := retryWait, ""
	for {
		for !s.nc.IsConnected() {
			select {
			case <-s.ctx.Done():
				return
			case <-s.kick:
			case <-time.After(retryWait):
			}
		}
		select {
		case <-s.lost:
		default:
		}
		err := s.follow()
		s.mu.Lock()
		was := s.kv != nil
		s.kv, s.stream = nil, nil
		s.problem = "The NATS server " + s.server + " cannot be reached. Messages are delivered later."
		if s.nc.IsConnected() {
			s.problem = "The NATS server " + s.server + " has no JetStream for Parley at the moment. Messages are delivered later."
		}
		s.mu.Unlock()
		if s.ctx.Err() != nil {
			return
		}
		if wait = min(2*wait, longestWait); was {
			s.tellStatus()
			wait, told = retryWait, ""
		}
		if err != nil && s.nc.IsConnected() && err.Error() != told {
			told = err.Error()
			s.log.Warn("Couldn't follow the rooms on the NATS server", "server", s.server, "err", err)
		}
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// attached is the state of one connection.
type attached struct {
	*Store
	ctx    context.Context
	kv     jetstream.KeyValue
	stream jetstream.Stream
	// messages are received from the server.
	messages chan jetstream.Msg
	failed   chan error
	// seen are the rooms of the initial listing, nil once that has ended; pending
	// counts the initial messages not yet received.
	seen    map[string]bool
	pending uint64
	ready   bool
	// sent are published queue messages, until they come back.
	sent map[string]bool
}

// follow updates the replica until the connection is lost.
func (s *Store) follow() error {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	a := &attached{Store: s, ctx: ctx, messages: make(chan jetstream.Msg, maxBatch), failed: make(chan error, 1), seen: map[string]bool{}, sent: map[string]bool{}}
	if err := a.open(); err != nil {
		return err
	}
	watch, err := a.kv.WatchAll(ctx)
	if err != nil {
		return fmt.Errorf("watch the rooms: %w", err)
	}
	defer func() {
		_ = watch.Stop()
		for range watch.Updates() { // its goroutine blocks until they are received
		}
	}()
	consuming, err := a.consume()
	if err != nil {
		return err
	}
	defer func() {
		cancel() // so that no handler waits for us
		consuming.Stop()
		<-consuming.Closed()
	}()
	for {
		if err := a.settle(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.lost:
			return nil
		case err := <-a.failed:
			return err
		case entry, open := <-watch.Updates():
			if !open {
				return errors.New("the watch of the rooms ended")
			}
			if err := a.takeEntries(entry, watch.Updates()); err != nil {
				return err
			}
		case m := <-a.messages:
			if err := a.takeMessages(m); err != nil {
				return err
			}
		case <-s.kick:
		}
	}
}

// open finds or creates the server's data.
func (a *attached) open() error {
	stream, err := a.js.Stream(a.ctx, streamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = a.js.CreateStream(a.ctx, jetstream.StreamConfig{
			Name: streamName, Description: "Messages in Parley's rooms", Subjects: []string{subject + "*"},
			MaxAge: a.cfg.Retention, MaxMsgsPerSubject: room.MaxMessages, MaxBytes: maxStream, Discard: jetstream.DiscardOld,
			Duplicates: min(window, a.cfg.Retention), AllowDirect: true, Storage: jetstream.FileStorage,
		})
	}
	if err != nil {
		return fmt.Errorf("open the stream: %w", err)
	}
	kv, err := a.js.KeyValue(a.ctx, bucketName)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = a.js.CreateKeyValue(a.ctx, jetstream.KeyValueConfig{
			Bucket: bucketName, Description: "Parley's rooms and how far their members are", History: 1, MaxValueSize: maxValue, Storage: jetstream.FileStorage,
		})
	}
	if err != nil {
		return fmt.Errorf("open the bucket: %w", err)
	}
	info, err := stream.Info(a.ctx)
	if err != nil {
		return fmt.Errorf("look at the stream: %w", err)
	}
	// Numbers of another stream mean nothing here.
	made := info.Created.UTC().Format(time.RFC3339Nano)
	before, err := a.cfg.Replica.Mark(streamMark)
	if err != nil {
		return err
	}
	if before != made || info.State.LastSeq < a.cfg.Replica.Last() {
		if err := a.cfg.Replica.Restart(a.ctx); err != nil {
			return err
		}
		if err := a.cfg.Replica.SetMark(streamMark, made); err != nil {
			return err
		}
	}
	a.kv, a.stream = kv, stream
	a.mu.Lock()
	clear(a.revisions) // the initial listing sends them again
	clear(a.told)      // of a bucket that may have been replaced
	a.mu.Unlock()
	return nil
}

// consume requests the messages that the replica doesn't have.
func (a *attached) consume() (jetstream.ConsumeContext, error) {
	consumer, err := a.stream.OrderedConsumer(a.ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{subject + "*"}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: a.cfg.Replica.Last() + 1,
	})
	if err != nil {
		return nil, fmt.Errorf("follow the stream: %w", err)
	}
	a.pending = consumer.CachedInfo().NumPending
	consuming, err := consumer.Consume(func(m jetstream.Msg) {
		select {
		case a.messages <- m:
		case <-a.ctx.Done():
		}
	}, jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
		select {
		case a.failed <- fmt.Errorf("follow the stream: %w", err):
		default:
		}
	}))
	if err != nil {
		return nil, fmt.Errorf("follow the stream: %w", err)
	}
	return consuming, nil
}

// settle runs when nothing has arrived: it becomes ready, publishes the queue, and
// publishes the members' progress.
func (a *attached) settle() error {
	if !a.ready {
		if a.seen != nil || a.pending > 0 {
			return nil
		}
		a.ready = true
		if err := a.own(); err != nil {
			return err
		}
		a.Store.mu.Lock()
		a.Store.kv, a.Store.stream, a.problem = a.kv, a.stream, ""
		a.Store.mu.Unlock()
		a.tellStatus()
	}
	if err := a.publishWaiting(); err != nil {
		return err
	}
	return a.tellProgress()
}

// own queues the progress of local members that wasn't published before the connection
// was lost.
func (a *attached) own() error {
	rooms, err := a.cfg.Replica.Rooms(a.ctx)
	if err != nil {
		return err
	}
	for _, r := range rooms {
		all, err := a.cfg.Replica.Progress(a.ctx, r.ID)
		if err != nil {
			return err
		}
		a.mu.Lock()
		for _, p := range all {
			key := progressKey(r.ID, p.Member)
			if _, newer := a.dirty[key]; !newer && a.here(r, p.Member) {
				a.dirty[key] = p
			}
		}
		a.mu.Unlock()
	}
	return nil
}

// here reports whether a member is at this Parley.
func (a *attached) here(r room.Room, member string) bool {
	for _, m := range r.Members {
		if m.ID == member && m.Node == a.cfg.Node {
			return true
		}
	}
	return member == "p-"+a.cfg.Node
}

// publishWaiting publishes the queue, in order.
func (a *attached) publishWaiting() error {
	if a.cfg.Replica.Queued() == len(a.sent) {
		return nil
	}
	all, err := a.cfg.Replica.Waiting(a.ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if a.sent[m.ID] {
			continue
		}
		_, known, err := a.cfg.Replica.Known(m.ID)
		if err != nil {
			return err
		}
		if !known {
			if _, err := a.cfg.Replica.Room(a.ctx, m.Room); errors.Is(err, room.ErrNotFound) {
				a.log.Warn("Dropped a queued message; its room is gone", "room", m.Room)
				known = true
			}
		}
		if known {
			if err := a.cfg.Replica.Dequeue(m.ID); err != nil {
				return err
			}
			continue
		}
		if _, err := a.publish(a.ctx, m); err != nil {
			return fmt.Errorf("publish what waited: %w", err)
		}
		a.sent[m.ID] = true
	}
	return nil
}

// tellProgress publishes the progress of local members.
func (a *attached) tellProgress() error {
	a.mu.Lock()
	dirty := a.dirty
	a.dirty = map[string]room.Progress{}
	a.mu.Unlock()
	for key, p := range dirty {
		value, err := encode(p)
		var revision uint64
		if err == nil {
			revision, err = a.kv.Put(a.ctx, key, value)
		}
		a.mu.Lock()
		if err == nil {
			a.told[key] = revision
		} else {
			for key, p := range dirty { // published ones are repeated
				if _, newer := a.dirty[key]; !newer {
					a.dirty[key] = p
				}
			}
		}
		a.mu.Unlock()
		if err != nil {
			return fmt.Errorf("tell how far members are: %w", err)
		}
	}
	return nil
}
