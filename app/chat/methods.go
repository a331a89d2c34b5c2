package chat

import "parley/app/method"

// Methods are the service's API methods.
func (c *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("chat.get", "The connection to Mattermost, and its settings.",
			c.Get),
		method.New("chat.set", "Sets up Mattermost: server, token, channels, folders, and who may do what.",
			c.Set),
		method.New("chat.probe", "Tests the address of a Mattermost server and a token. Changes nothing.",
			c.Probe),
		method.New("chat.channels", "Searches the channels in Mattermost.",
			c.Channels),
		method.New("chat.people", "Searches the people in Mattermost.",
			c.People),
		method.New("chat.test", "Sends a test message to a Mattermost channel.",
			c.Test),
		method.New("chat.events", "Recent events of the connection to Mattermost and of its threads.",
			c.Events),
		method.New("chat.threads", "The Mattermost threads that have a session.",
			c.Threads),
		method.New("session.mirror", "Starts or stops sharing a session in a Mattermost thread.",
			c.Mirror),
	}
}
