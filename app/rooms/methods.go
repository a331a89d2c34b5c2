package rooms

import "parley/app/method"

// Methods are the service's API methods.
func (r *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("room.list", "Lists the rooms, those with the latest messages first.",
			r.List),
		method.New("room.get", "One room with its members.",
			r.Get),
		method.New("room.messages", "A page of a room's messages with their receipts, oldest first.",
			r.Messages),
		method.New("room.post", "Posts a message in a room as the user, who joins it if necessary.",
			r.Say).Was("room.say").InOrder(),
		method.New("room.markRead", "Marks messages as read by the user.",
			r.MarkRead),
		method.New("room.create", "Creates a room. If it exists, returns it unchanged.",
			r.Create),
		method.New("room.direct", "Opens the direct messages between the user and a session.",
			r.Direct),
		method.New("room.addMember", "Adds a session to a room.",
			r.AddMember),
		method.New("room.mute", "Mutes or unmutes a member.",
			r.Mute),
		method.New("room.setWake", "Sets which messages start a turn in an idle member.",
			r.SetWake).Enum("wake", "", "off", "mention", "any"),
		method.New("room.removeMember", "Removes a member, who can't rejoin until admitted again.",
			r.Kick).Was("room.kick"),
		method.New("room.allowMember", "Lets a removed member rejoin.",
			r.Admit).Was("room.admit"),
		method.New("room.pin", "Pins or unpins a room. Pinned rooms are kept after everyone has left.",
			r.Pin),
		method.New("room.setRules", "Sets the rules of a room.",
			r.SetRules),
		method.New("room.delete", "Deletes a room and all its messages.",
			r.Delete),
		method.New("room.export", "A room as text, for a file.",
			r.Export).Enum("format", "markdown", "json"),
	}
}
