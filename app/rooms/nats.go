package rooms

import (
	"context"
	"strings"
	"time"

	"parley/backend/fault"
	"parley/backend/room"
	"parley/backend/room/natsroom"
	"parley/backend/settings"
)

// NATSSecrets is what opens a NATS server, by the names in the environment that it
// comes from.
type NATSSecrets map[string]string

// The names of what Parley takes out of the environment for itself.
const (
	natsToken    = "PARLEY_NATS_TOKEN"
	natsUser     = "PARLEY_NATS_USER"
	natsPassword = "PARLEY_NATS_PASSWORD"
	natsCreds    = "PARLEY_NATS_CREDS"
	natsCA       = "PARLEY_NATS_CA"
)

// WithoutNATS takes the secrets of the NATS server out of an environment: nothing that
// Parley starts, least of all a model's commands, is to have them.
func WithoutNATS(env []string) (rest []string, secrets NATSSecrets) {
	secrets = NATSSecrets{}
	rest = make([]string, 0, len(env))
	for _, pair := range env {
		switch name, value, _ := strings.Cut(pair, "="); name {
		case natsToken, natsUser, natsPassword, natsCreds, natsCA:
			secrets[name] = value
		default:
			rest = append(rest, pair)
		}
	}
	return rest, secrets
}

// span has the rooms span machines.
func (r *Service) span(choices settings.Rooms, secrets NATSSecrets) error {
	credentials := choices.NATSCredentials
	if credentials == "" {
		credentials = secrets[natsCreds]
	}
	server, err := natsroom.Open(natsroom.Config{
		URL: choices.NATSURL, Node: r.node, Credentials: credentials, CA: secrets[natsCA],
		Token: secrets[natsToken], User: secrets[natsUser], Password: secrets[natsPassword],
		Retention: time.Duration(choices.RoomHours) * time.Hour, Replica: r.local, Logger: r.cfg.Log,
	})
	if err != nil {
		// Parley works without: the rooms are as they were last, and say why.
		r.cfg.Log.Error("The NATS server of the rooms cannot be used", "err", err)
		r.store = unreached{Store: r.local, problem: fault.MessageOf(err)}
		return nil
	}
	r.store, r.begin = server, server.Start
	return nil
}

// unreached is what is left of rooms whose server cannot be used as it is configured:
// they can be read.
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
