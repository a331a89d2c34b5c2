package app

import (
	"context"

	"parley/app/method"
)

// RoomService is where sessions and people talk to each other.
type RoomService interface {
	List(context.Context, Empty) (RoomList, error)
	Get(context.Context, RoomRef) (Room, error)
	Messages(context.Context, RoomMessagesParams) (RoomMessages, error)
	Say(context.Context, RoomSayParams) (RoomSaidResult, error)
	MarkRead(context.Context, RoomReadParams) (Empty, error)
	Create(context.Context, RoomCreateParams) (Room, error)
	Direct(context.Context, RoomDirectParams) (Room, error)
	AddMember(context.Context, RoomAddParams) (Room, error)
	Mute(context.Context, RoomMuteParams) (Room, error)
	SetWake(context.Context, RoomWakeParams) (Room, error)
	Kick(context.Context, RoomMemberRef) (Room, error)
	Admit(context.Context, RoomMemberRef) (Room, error)
	Pin(context.Context, RoomPinParams) (Room, error)
	SetRules(context.Context, RoomRulesParams) (Room, error)
	Delete(context.Context, RoomRef) (Empty, error)
	Export(context.Context, RoomExportParams) (RoomExport, error)
}

func roomMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("room.list", "The rooms in which sessions and people talk, those with the newest messages first.",
			bind(s, s.Rooms, RoomService.List)),
		method.New("room.get", "One room with its members.",
			bind(s, s.Rooms, RoomService.Get)),
		method.New("room.messages", "A page of what was said in a room, the oldest first, with who received it.",
			bind(s, s.Rooms, RoomService.Messages)),
		method.New("room.say", "Says something in a room as the person, who is in it from then on.",
			bind(s, s.Rooms, RoomService.Say)).InOrder(),
		method.New("room.markRead", "Notes what the person has seen.",
			bind(s, s.Rooms, RoomService.MarkRead)),
		method.New("room.create", "Makes a room. One that exists already is returned as it is.",
			bind(s, s.Rooms, RoomService.Create)),
		method.New("room.direct", "Opens the room of the person and one session.",
			bind(s, s.Rooms, RoomService.Direct)),
		method.New("room.addMember", "Brings a session into a room.",
			bind(s, s.Rooms, RoomService.AddMember)),
		method.New("room.mute", "Forbids a member to say anything, or allows it again.",
			bind(s, s.Rooms, RoomService.Mute)),
		method.New("room.setWake", "Says which messages begin a turn in a member that is idle.",
			bind(s, s.Rooms, RoomService.SetWake)).Enum("wake", "", "off", "mention", "any"),
		method.New("room.kick", "Sends a member away, who may not come back before it is admitted again.",
			bind(s, s.Rooms, RoomService.Kick)),
		method.New("room.admit", "Lets one that was sent away join again.",
			bind(s, s.Rooms, RoomService.Admit)),
		method.New("room.pin", "Keeps a room without members and messages, or no longer.",
			bind(s, s.Rooms, RoomService.Pin)),
		method.New("room.setRules", "Sets the rules of a room.",
			bind(s, s.Rooms, RoomService.SetRules)),
		method.New("room.delete", "Deletes a room with all that was said in it.",
			bind(s, s.Rooms, RoomService.Delete)),
		method.New("room.export", "A room as text, for a file.",
			bind(s, s.Rooms, RoomService.Export)).Enum("format", "markdown", "json"),
	}
}
