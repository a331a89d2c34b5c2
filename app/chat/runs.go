package chat

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley/app/tool"
	"parley/backend/chat"
	"parley/backend/chat/relay"
	"parley/backend/fault"
	"parley/backend/heartbeat"
)

// Ran posts the outcome of a heartbeat in a channel. Replies continue its session.
func (c *Service) Ran(ctx context.Context, name string, run heartbeat.RunOutcome) error {
	link, err := c.live()
	if err != nil {
		return err
	}
	id, err := c.Channel(ctx, name)
	if err != nil {
		return err
	}
	_, err = link.relay.PostRun(ctx, relay.Run{
		ID: run.ID, ChannelID: id, SessionID: run.SessionID, Title: run.Name, State: run.State, Text: run.Text, Asks: run.State == heartbeat.Asking,
	})
	return chatFault(err)
}

// channelCheck bounds the search for a channel while a user waits.
const channelCheck = 3 * time.Second

// Channel finds a channel by id or name: a configured one, or any other visible to the account. It
// fails with not_found for a channel that does not exist; if that can't be determined, it passes.
func (c *Service) Channel(ctx context.Context, name string) (id string, err error) {
	name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "~"), "#")
	decided := c.File.Holds()
	for _, m := range decided.Channels {
		if m.ChannelID == name || strings.EqualFold(m.Name, name) {
			return m.ChannelID, nil
		}
	}
	link := c.linked()
	if link == nil || name == "" || link.client.Connection().State != chatConnected {
		return name, nil
	}
	ctx, cancel := context.WithTimeout(ctx, channelCheck)
	defer cancel()
	if ch, err := link.client.Channel(ctx, name); err == nil {
		return ch.ID, nil
	} else if !errors.Is(err, chat.ErrGone) && !errors.Is(err, chat.ErrForbidden) {
		return name, nil
	}
	found, _, err := link.client.Channels(ctx, decided.TeamID, name)
	if err != nil {
		return name, nil //nolint:nilerr // nobody can say that there is none
	}
	for _, ch := range found {
		if strings.EqualFold(ch.Name, name) || strings.EqualFold(ch.Title, name) {
			return ch.ID, nil
		}
	}
	return "", fault.New(fault.NotFound, "Parley's account cannot see the channel %q. Choose a channel it is in, or invite it.", tool.Cut(name, 100))
}
