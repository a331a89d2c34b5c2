package chat

import "parley/app/method"

// Methods are the service's API methods.
func (c *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("mattermost.get", "The connection to Mattermost, and its settings.",
			c.Get).Was("chat.get"),
		method.New("mattermost.set", "Sets up Mattermost: server, token, channels, folders, and who may do what.",
			c.Set).Was("chat.set"),
		method.New("mattermost.probe", "Tests the address of a Mattermost server and a token. Changes nothing.",
			c.Probe).Was("chat.probe"),
		method.New("mattermost.channels", "Searches the channels in Mattermost.",
			c.Channels).Was("chat.channels"),
		method.New("mattermost.people", "Searches the people in Mattermost.",
			c.People).Was("chat.people"),
		method.New("mattermost.test", "Sends a test message to a Mattermost channel.",
			c.Test).Was("chat.test"),
		method.New("mattermost.events", "Recent events of the connection to Mattermost and of its threads.",
			c.Events).Was("chat.events"),
		method.New("mattermost.threads", "The Mattermost threads that have a session.",
			c.Threads).Was("chat.threads"),
		method.New("session.mirror", "Starts or stops mirroring a session to a Mattermost thread.",
			c.Mirror),
	}
}
