package settings

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rooms are the settings of rooms, in which sessions and users talk.
type Rooms struct {
	// RoomNick is the user's nickname in rooms, "" for their login name.
	RoomNick string `json:"roomNick"`
	// RoomHours is how long messages are kept, 1 to 720.
	RoomHours int `json:"roomHours"`
	// RoomWake, RoomTurnsPerHour and RoomMaxHops are the rules of new rooms: which messages
	// start a turn in an idle session ("off", "mention", "any"), and the limits of
	// turns per hour and of messages that trigger each other, 0 to 1,000, 0 for none.
	RoomWake         string `json:"roomWake"`
	RoomTurnsPerHour int    `json:"roomTurnsPerHour"`
	RoomMaxHops      int    `json:"roomMaxHops"`
	// NATSURL is the NATS server over which rooms span machines, "" for rooms on this one
	// only. It takes effect at the next start. It contains no secrets: those come from the
	// environment, or from NATSCredentials, the path of a credentials file.
	NATSURL         string `json:"natsUrl"`
	NATSCredentials string `json:"natsCredentials"`
}

func defaultRooms() Rooms {
	return Rooms{RoomHours: 24, RoomWake: "mention", RoomTurnsPerHour: 60, RoomMaxHops: 8}
}

func roomFields() []field {
	const most = 1000
	return []field{
		{"roomNick", func(v *Values) any { return &v.RoomNick },
			func(v Values) string { return problemOfNick(v.RoomNick) }},
		{"roomHours", func(v *Values) any { return &v.RoomHours },
			func(v Values) string { return within(v.RoomHours, 1, 720) }},
		{"roomWake", func(v *Values) any { return &v.RoomWake },
			func(v Values) string { return oneOf(v.RoomWake, "off", "mention", "any") }},
		{"roomTurnsPerHour", func(v *Values) any { return &v.RoomTurnsPerHour },
			func(v Values) string { return within(v.RoomTurnsPerHour, 0, most) }},
		{"roomMaxHops", func(v *Values) any { return &v.RoomMaxHops },
			func(v Values) string { return within(v.RoomMaxHops, 0, most) }},
		{"natsUrl", func(v *Values) any { return &v.NATSURL },
			func(v Values) string { return problemOfNATS(v.NATSURL) }},
		{"natsCredentials", func(v *Values) any { return &v.NATSCredentials },
			func(v Values) string { return problemOfPath(v.NATSCredentials) }},
	}
}

func problemOfNick(nick string) string {
	const most = 50
	if utf8.RuneCountInString(nick) > most || strings.ContainsFunc(nick, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		return "must be made of at most 50 letters, digits, \"_\" and \"-\", or empty"
	}
	return ""
}

// problemOfNATS accepts server addresses, several separated by commas.
func problemOfNATS(servers string) string {
	const most = 1000
	if servers == "" {
		return ""
	}
	if len(servers) > most {
		return "is too long"
	}
	for one := range strings.SplitSeq(servers, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		switch {
		case err != nil || u.Host == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
			return "must be an address such as \"nats://host:4222\""
		case u.User != nil:
			return "must not hold a name or a password: settings are no place for secrets. Use natsCredentials, or the environment"
		}
		switch u.Scheme {
		case "nats", "tls", "ws", "wss":
		default:
			return "must begin with nats://, tls://, ws:// or wss://"
		}
	}
	return ""
}
