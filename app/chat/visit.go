package chat

import (
	"context"

	"github.com/google/uuid"

	"parley/app/chat/config"
	"parley/app/feature"
	"parley/backend/chat"
	"parley/backend/chat/mattermost"
	"parley/backend/fault"
)

// Queries to the Mattermost server while users configure it, before there is a connection and
// independently of it.

// visitor is a temporary client, with a token that may not be stored yet.
func (c *Service) visitor(ctx context.Context, p ChatProbeParams) (*mattermost.Client, error) {
	if p.Token != "" {
		if err := config.CheckToken(p.Token); err != nil {
			return nil, err
		}
	}
	token := p.Token
	if token == "" {
		var err error
		if token, _, err = c.tokens.Of(ctx, p.URL); err != nil {
			return nil, err
		}
	}
	if token == "" {
		return nil, fault.New(fault.Unauthorized, "This server has no token. Enter one.")
	}
	return mattermost.New(mattermost.Config{
		URL: p.URL, AllowInsecure: p.AllowInsecure, Token: mattermost.Fixed(token), Logger: c.log,
	})
}

// asked is the connection if the query is about its server, or else a visitor.
func (c *Service) asked(ctx context.Context, p ChatProbeParams) (*mattermost.Client, error) {
	if p == (ChatProbeParams{}) {
		link, err := c.live()
		if err != nil {
			return nil, err
		}
		return link.client, nil
	}
	return c.visitor(ctx, p)
}

// Probe is mattermost.probe.
func (c *Service) Probe(ctx context.Context, p ChatProbeParams) (ChatProbe, error) {
	ctx, cancel := context.WithTimeout(ctx, chatCall)
	defer cancel()
	client, err := c.visitor(ctx, p)
	if err != nil {
		return ChatProbe{}, err
	}
	found, err := client.Probe(ctx)
	if err != nil {
		return ChatProbe{}, chatFault(err)
	}
	return ChatProbe{Version: found.Version, Me: found.Me, Teams: feature.List(found.Teams), Warnings: feature.List(found.Warnings)}, nil
}

// Channels is mattermost.channels.
func (c *Service) Channels(ctx context.Context, p ChatChannelsParams) (ChatChannels, error) {
	if len(p.Query) > maxChatQuery || len(p.TeamID) > maxChatChannel {
		return ChatChannels{}, fault.New(fault.Invalid, "Enter at most %d bytes (parameter query).", maxChatQuery)
	}
	ctx, cancel := context.WithTimeout(ctx, chatCall)
	defer cancel()
	client, err := c.asked(ctx, p.ChatProbeParams)
	if err != nil {
		return ChatChannels{}, err
	}
	found, more, err := client.Channels(ctx, p.TeamID, p.Query)
	if err != nil {
		return ChatChannels{}, chatFault(err)
	}
	return ChatChannels{Channels: feature.List(found), More: more}, nil
}

// People is mattermost.people.
func (c *Service) People(ctx context.Context, p ChatPeopleParams) (ChatPeople, error) {
	if len(p.Query) > maxChatQuery || len(p.TeamID) > maxChatChannel {
		return ChatPeople{}, fault.New(fault.Invalid, "Enter at most %d bytes (parameter query).", maxChatQuery)
	}
	ctx, cancel := context.WithTimeout(ctx, chatCall)
	defer cancel()
	client, err := c.asked(ctx, p.ChatProbeParams)
	if err != nil {
		return ChatPeople{}, err
	}
	found, err := client.People(ctx, p.Query, p.TeamID)
	if err != nil {
		return ChatPeople{}, chatFault(err)
	}
	return ChatPeople{People: feature.List(found)}, nil
}

// Test is mattermost.test.
func (c *Service) Test(ctx context.Context, p ChatTestParams) (ChatLink, error) {
	if p.ChannelID == "" || len(p.ChannelID) > maxChatChannel {
		return ChatLink{}, fault.New(fault.Invalid, "Choose a channel (parameter channelId).")
	}
	link, err := c.live()
	if err != nil {
		return ChatLink{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, chatCall)
	defer cancel()
	post, err := link.client.Send(ctx, chat.NewPost{
		Key: "test-" + uuid.NewString(), ChannelID: p.ChannelID,
		Text: "This is a test message from Parley. Everything works: Parley can post here.",
	})
	if err != nil {
		return ChatLink{}, chatFault(err)
	}
	return ChatLink{Link: link.client.Link(post.ID)}, nil
}
