package room

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits. User-configurable ones are defaults.
const (
	MaxText    = 64 << 10 // bytes of a message
	MaxRooms   = 500
	MaxMembers = 64
	MaxBarred  = 200
	// MaxMessages and MaxBytes bound a room's stored messages; the oldest are
	// removed first.
	MaxMessages = 20_000
	MaxBytes    = 64 << 20
	// PerSecond is a member's message rate limit.
	PerSecond = 10
	// PageMessages and PageBytes bound one delivery to a model, the latter as JSON.
	PageMessages = 50
	PageBytes    = 32 << 10
	// ShownBytes is how much of one message is delivered, as JSON.
	ShownBytes = 24 << 10
	// How long listening may take.
	LeastListen, UsualListen, MostListen = 5 * time.Second, 30 * time.Second, 120 * time.Second

	Retention = 24 * time.Hour
)

// Kinds of rooms and members.
const (
	KindRoom    = "room"
	KindDirect  = "direct"
	KindSession = "session"
	KindPerson  = "person"
)

// Which messages start a turn.
const (
	WakeOff     = "off"
	WakeMention = "mention"
	WakeAny     = "any"
)

// Rules are the user's settings for a room.
type Rules struct {
	Approval bool   `json:"approval"`
	Wake     string `json:"wake"`
	// TurnsPerHour and MaxHops are 0 for no limit.
	TurnsPerHour int `json:"turnsPerHour"`
	MaxHops      int `json:"maxHops"`
}

// DefaultRules returns the rules of a new room.
func DefaultRules() Rules { return Rules{Wake: WakeMention, TurnsPerHour: 60, MaxHops: 8} }

// Check validates rules.
func (r Rules) Check() error {
	const most = 1000
	switch {
	case r.Wake != WakeOff && r.Wake != WakeMention && r.Wake != WakeAny:
		return Errorf(Invalid, "wake must be %q, %q or %q, not %q.", WakeOff, WakeMention, WakeAny, r.Wake)
	case r.TurnsPerHour < 0 || r.TurnsPerHour > most:
		return Errorf(Invalid, "turnsPerHour must be 0 to %d.", most)
	case r.MaxHops < 0 || r.MaxHops > most:
		return Errorf(Invalid, "maxHops must be 0 to %d.", most)
	}
	return nil
}

// Room is one room. Change it with [Store.Change].
type Room struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	CreatedAt int64  `json:"createdAt"`
	Pinned    bool   `json:"pinned"`
	Rules     Rules  `json:"rules"`
	// Members are in order of joining, including former ones.
	Members []Member `json:"members"`
	Barred  []Member `json:"barred"`
	// EmptySince is when the last member left, 0 while there are members.
	EmptySince int64 `json:"emptySince"`
}

// Member is a current or former member of a room.
type Member struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Nick      string `json:"nick"`
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	// Node is its Parley, Host the computer's name.
	Node     string `json:"node"`
	Host     string `json:"host"`
	JoinedAt int64  `json:"joinedAt"`
	// Since is the number of the last message before it joined: later ones are for
	// it.
	Since uint64 `json:"since"`
	// Left is when it left, 0 while it is a member; Until is its last message.
	Left  int64  `json:"left"`
	Until uint64 `json:"until"`
	Muted bool   `json:"muted"`
	// Wake is its own rule, "" for the room's.
	Wake string `json:"wake"`
}

// Clone returns a deep copy.
func (r Room) Clone() Room {
	r.Members, r.Barred = slices.Clone(r.Members), slices.Clone(r.Barred)
	return r
}

// Member finds a current member.
func (r *Room) Member(id string) *Member {
	for i := range r.Members {
		if m := &r.Members[i]; m.ID == id && m.Left == 0 {
			return m
		}
	}
	return nil
}

// Here returns the current members.
func (r *Room) Here() []Member {
	return slices.DeleteFunc(slices.Clone(r.Members), func(m Member) bool { return m.Left != 0 })
}

// Label returns a room's display name.
func (r *Room) Label() string {
	if r.Kind == KindDirect {
		return r.ID
	}
	return "#" + r.Name
}

// Enter adds a member, or changes its nickname. Its errors are those of joining.
func (r *Room) Enter(m Member) error {
	if slices.ContainsFunc(r.Barred, func(b Member) bool { return b.ID == m.ID }) {
		return Errorf(Barred, "A person removed you from %s. Only a person can let you in again.", r.Label())
	}
	folded, here := FoldName(m.Nick), 0
	for _, other := range r.Members {
		if other.Left != 0 {
			continue
		}
		here++
		if other.ID != m.ID && FoldName(other.Nick) == folded {
			return Errorf(NickTaken, "In %s, the nickname %q is already taken. Choose another one.", r.Label(), other.Nick)
		}
	}
	if old := r.Member(m.ID); old != nil {
		old.Nick, old.Title, old.Node, old.Host = m.Nick, m.Title, m.Node, m.Host
		return nil
	}
	if here >= MaxMembers {
		return Errorf(Full, "%s has %d members, which is the limit.", r.Label(), MaxMembers)
	}
	r.Members, r.EmptySince = append(r.Members, m), 0
	return nil
}

// Leave removes a member, which stays in the list as a former one. last is the newest
// message. It returns false if it wasn't a member.
func (r *Room) Leave(id string, last uint64, now time.Time) bool {
	m := r.Member(id)
	if m == nil {
		return false
	}
	m.Left, m.Until = now.UnixMilli(), max(last, m.Since)
	gone := 0
	for i := len(r.Members) - 1; i >= 0; i-- {
		if r.Members[i].Left == 0 {
			continue
		}
		if gone++; gone > MaxMembers {
			r.Members = slices.Delete(r.Members, i, i+1)
		}
	}
	if len(r.Here()) == 0 {
		r.EmptySince = m.Left
	}
	return true
}

// Message is a message in a room.
type Message struct {
	ID   string `json:"id"`
	Room string `json:"room"`
	// Seq is 0 while it waits for the connection.
	Seq  uint64  `json:"seq"`
	At   int64   `json:"at"`
	From Speaker `json:"from"`
	Text string  `json:"text"`
	// Mentions are member ids.
	Mentions []string `json:"mentions"`
	All      bool     `json:"all"`
	ReplyTo  uint64   `json:"replyTo"`
	Thread   uint64   `json:"thread"`
	Hops     int      `json:"hops"`
}

// Speaker is a message's author at that time.
type Speaker struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Nick      string `json:"nick"`
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	Node      string `json:"node"`
	Host      string `json:"host"`
}

// Speaker returns the member as an author.
func (m Member) Speaker() Speaker {
	return Speaker{ID: m.ID, Kind: m.Kind, Nick: m.Nick, SessionID: m.SessionID, Title: m.Title, Node: m.Node, Host: m.Host}
}

// For reports whether a message is for a member: another member wrote it during the
// membership.
func (m *Message) For(member Member) bool {
	return m.From.ID != member.ID && m.Seq > member.Since && (member.Left == 0 || m.Seq <= member.Until)
}

// Names reports whether a message mentions a member.
func (m *Message) Names(id string) bool { return m.All || slices.Contains(m.Mentions, id) }

// CheckText validates a message text.
func CheckText(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return Errorf(Invalid, "The message is empty.")
	case !utf8.ValidString(text):
		return Errorf(Invalid, "The message is not valid UTF-8.")
	case len(text) > MaxText:
		return Errorf(Invalid, "The message has %d bytes; the limit is %d. Write the rest to a file and name it.", len(text), MaxText)
	}
	return nil
}
