package mattermost

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"parley/backend/chat/mattermost/wire"

	"parley/backend/chat"
)

// Person may be ten minutes out of date, unless the socket reported a change.
func (c *Client) Person(ctx context.Context, id string) (chat.Person, error) {
	if !wire.IsID(id) {
		return chat.Person{}, chat.ErrGone
	}
	if p, ok := c.people.get(id); ok {
		return p, nil
	}
	var u wire.User
	if err := c.do(ctx, call{method: http.MethodGet, path: "/users/" + id}, &u); err != nil {
		return chat.Person{}, err
	}
	p := person(&u)
	c.people.put(id, p)
	return p, nil
}

// Channel may be ten minutes out of date. Direct messages have the other person's name
// as title.
func (c *Client) Channel(ctx context.Context, id string) (chat.Channel, error) {
	if !wire.IsID(id) {
		return chat.Channel{}, chat.ErrGone
	}
	if ch, ok := c.rooms.get(id); ok {
		return ch, nil
	}
	var m wire.Channel
	if err := c.do(ctx, call{method: http.MethodGet, path: "/channels/" + id}, &m); err != nil {
		return chat.Channel{}, err
	}
	ch := channel(&m)
	if ch.Kind == chat.Direct {
		me, err := c.account(ctx)
		if err != nil {
			return chat.Channel{}, err
		}
		if p, err := c.Person(ctx, other(m.Name, me)); err == nil {
			ch.Title = "@" + p.Username
		}
	}
	c.rooms.put(id, ch)
	return ch, nil
}

// other returns the other person in a direct channel: its name consists of
// both ids.
func other(name, me string) string {
	a, b, ok := strings.Cut(name, "__")
	if ok && a == me {
		return b
	}
	return a
}

// InTeam may be two minutes out of date, unless the socket reported a change.
func (c *Client) InTeam(ctx context.Context, personID, teamID string) (bool, error) {
	if !wire.IsID(personID) || !wire.IsID(teamID) {
		return false, nil
	}
	key := teamID + personID
	if m, ok := c.members.get(key); ok {
		return m.ID != "", nil
	}
	var m wire.TeamMember
	err := c.do(ctx, call{method: http.MethodGet, path: "/teams/" + teamID + "/members/" + personID}, &m)
	switch {
	case errors.Is(err, chat.ErrGone):
	case err != nil:
		return false, err
	}
	in := err == nil && m.UserID == personID && m.TeamID == teamID && m.DeleteAt == 0
	kept := chat.Person{}
	if in {
		kept.ID = personID
	}
	c.members.put(key, kept)
	return in, nil
}
