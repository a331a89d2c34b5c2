package chat

import "parley/app/method"

// Methods are the service's API methods.
func (c *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("chat.get", "The team chat's connection and settings.",
			c.Get),
		method.New("chat.set", "Sets up the team chat: server, token, channels, folders, and who may do what.",
			c.Set),
		method.New("chat.probe", "Tests the address of a Mattermost server and a token. Changes nothing.",
			c.Probe),
		method.New("chat.channels", "Searches the chat's channels.",
			c.Channels),
		method.New("chat.people", "Searches the chat's people.",
			c.People),
		method.New("chat.test", "Sends a test message to a channel of the chat.",
			c.Test),
		method.New("chat.events", "What happened to the connection and in the threads of the chat.",
			c.Events),
		method.New("chat.threads", "The threads of the chat that have a session.",
			c.Threads),
		method.New("session.mirror", "Starts or stops sharing a session in a thread of the chat.",
			c.Mirror),
	}
}
