package roomstore

import (
	"context"
	"time"

	"parley/app/feature"
	"parley/backend/fault"
	"parley/backend/room"
	"parley/backend/room/natsroom"
	"parley/backend/settings"
)

// span connects the rooms across machines.
func (r *Store) span(choices settings.Rooms, secrets feature.Secrets) error {
	credentials := choices.NATSCredentials
	if credentials == "" {
		credentials = secrets.Get(feature.NATSCreds)
	}
	server, err := natsroom.Open(natsroom.Config{
		URL: choices.NATSURL, Node: r.Node, Credentials: credentials, CA: secrets.Get(feature.NATSCA),
		Token: secrets.Get(feature.NATSToken), User: secrets.Get(feature.NATSUser), Password: secrets.Get(feature.NATSPassword),
		Retention: time.Duration(choices.RoomHours) * time.Hour, Replica: r.local, Logger: r.cfg.Log,
	})
	if err != nil {
		// Parley works without it: the rooms show their last state and the reason.
		r.cfg.Log.Error("Couldn't use the NATS server for rooms", "err", err)
		r.Store = unreached{Store: r.local, problem: fault.MessageOf(err)}
		return nil
	}
	r.Store, r.begin = server, server.Start
	return nil
}

// unreached has rooms whose server can't be used as configured: they are read-only.
type unreached struct {
	room.Store
	problem string
}

func (u unreached) offline() error { return room.Errorf(room.Offline, "%s", u.problem) }

// Change implements [room.Store].
func (u unreached) Change(context.Context, string, func(*room.Room) error) (room.Room, error) {
	return room.Room{}, u.offline()
}

// Delete implements [room.Store].
func (u unreached) Delete(context.Context, string, func(room.Room) bool) error { return u.offline() }

// Append implements [room.Store].
func (u unreached) Append(context.Context, room.Message) (room.Message, error) {
	return room.Message{}, u.offline()
}

// Status implements [room.Store].
func (u unreached) Status() room.Status { return room.Status{Kind: "nats", Problem: u.problem} }
