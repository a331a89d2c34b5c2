package app

import (
	"context"

	"parley/app/method"
	"parley/backend/event"
)

// ChatService ties sessions to the threads of a team chat.
type ChatService interface {
	Get(context.Context, Empty) (ChatState, error)
	Set(context.Context, ChatSetParams) (ChatState, error)
	Probe(context.Context, ChatProbeParams) (ChatProbe, error)
	Channels(context.Context, ChatChannelsParams) (ChatChannels, error)
	People(context.Context, ChatPeopleParams) (ChatPeople, error)
	Test(context.Context, ChatTestParams) (ChatLink, error)
	Events(context.Context, ChatEventsParams) (ChatEvents, error)
	Threads(context.Context, ChatThreadsParams) (ChatThreads, error)
	Mirror(context.Context, SessionMirrorParams) (event.Mirror, error)
}

func chatMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("chat.get", "How it is with the team chat: the connection, and what was decided.",
			bind(s, s.Chat, ChatService.Get)),
		method.New("chat.set", "Decides about the team chat: the server, its token, channels and folders, and who may do what.",
			bind(s, s.Chat, ChatService.Set)),
		method.New("chat.probe", "Tries the address of a Mattermost server and a token, and changes nothing.",
			bind(s, s.Chat, ChatService.Probe)),
		method.New("chat.channels", "Looks for channels of the chat.",
			bind(s, s.Chat, ChatService.Channels)),
		method.New("chat.people", "Looks for people of the chat.",
			bind(s, s.Chat, ChatService.People)),
		method.New("chat.test", "Sends a test message to a channel of the chat.",
			bind(s, s.Chat, ChatService.Test)),
		method.New("chat.events", "What happened to the connection and in the threads of the chat.",
			bind(s, s.Chat, ChatService.Events)),
		method.New("chat.threads", "The threads of the chat that have a session.",
			bind(s, s.Chat, ChatService.Threads)),
		method.New("session.mirror", "Switches the showing of a session in a thread of the chat.",
			bind(s, s.Chat, ChatService.Mirror)),
	}
}
