package command

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
	"parley/backend/event"
)

const noHeartbeats = "Heartbeats aren't available."

// maxListed bounds the lines of a list.
const maxListed = 50

func doHeartbeats(ctx context.Context, t *Table, _ given) (Reply, error) {
	if t.ports.Heartbeats == nil {
		return Reply{Text: noHeartbeats}, nil
	}
	all, err := t.ports.Heartbeats.List(ctx)
	if err != nil {
		return Reply{}, err
	}
	said := "#### :anatomical_heart: Heartbeats\n"
	switch {
	case all.Paused && all.PausedUntil != 0:
		said += "All paused until " + moment(all.PausedUntil) + ".\n"
	case all.Paused:
		said += "All paused. Resume them with " + code("!heartbeats resume") + ".\n"
	}
	if len(all.Heartbeats) == 0 {
		return Reply{Text: said + "No heartbeats yet."}, nil
	}
	var lines [][]string
	for _, h := range all.Heartbeats[:min(len(all.Heartbeats), maxListed)] {
		lines = append(lines, []string{code(h.Name), moment(h.Next), moment(h.Last), strconv.FormatInt(h.Runs, 10), beatState(h)})
	}
	said += table([]string{"Name", "Next run", "Last run", "Runs this month", "Status"}, lines)
	return Reply{Text: said + more(len(all.Heartbeats))}, nil
}

// more describes how many entries a list omits.
func more(n int) string {
	if n <= maxListed {
		return ""
	}
	return fmt.Sprintf("\n%d more are not shown.", n-maxListed)
}

func beatState(h Heartbeat) string {
	switch {
	case h.State == "running":
		return "🟢 Running"
	case h.State == "waiting":
		return "🟠 Waiting for an answer"
	case h.State == "stopped":
		return "🔴 Stopped"
	case h.State == "off":
		return "⚫ Off"
	case h.State == "over":
		return "⚫ Over"
	case h.Failed:
		return "🔴 Error"
	}
	return "⚪ Idle"
}

// beat finds the heartbeat that a user named; its name may be typed differently.
func (t *Table) beat(ctx context.Context, text string) (name, said string, err error) {
	if t.ports.Heartbeats == nil {
		return "", noHeartbeats, nil
	}
	word, rest, ok := cutWord(text)
	if !ok || rest != "" {
		return "", "", errUsage
	}
	all, err := t.ports.Heartbeats.List(ctx)
	if err != nil {
		return "", "", err
	}
	var names []string
	for _, h := range all.Heartbeats {
		names = append(names, h.Name)
	}
	for _, n := range names {
		if n == word {
			return n, "", nil
		}
	}
	if n, ok := oneOf(names, word); ok {
		return n, "", nil
	}
	return "", "There is no heartbeat " + code(word) + ". " + code("!heartbeats") + " lists them.", nil
}

func doHeartbeatRun(ctx context.Context, t *Table, g given) (Reply, error) {
	name, said, err := t.beat(ctx, g.text)
	if err != nil || said != "" {
		return Reply{Text: said}, err
	}
	if err := t.ports.Heartbeats.Run(ctx, name); err != nil {
		return Reply{}, err
	}
	return Reply{Text: ":anatomical_heart: " + code(name) + " runs now."}, nil
}

func doHeartbeatSwitch(on bool) func(context.Context, *Table, given) (Reply, error) {
	return func(ctx context.Context, t *Table, g given) (Reply, error) {
		name, said, err := t.beat(ctx, g.text)
		if err != nil || said != "" {
			return Reply{Text: said}, err
		}
		if err := t.ports.Heartbeats.Enable(ctx, name, on); err != nil {
			return Reply{}, err
		}
		if on {
			return Reply{Text: code(name) + " is on."}, nil
		}
		return Reply{Text: code(name) + " is off. A run in progress continues."}, nil
	}
}

// span is a duration: "30m", "2h", "1d".
var span = regexp.MustCompile(`(?i)^([1-9][0-9]{0,3})([mhd])$`)

func doHeartbeatsPause(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Heartbeats == nil {
		return Reply{Text: noHeartbeats}, nil
	}
	until, said := int64(0), "until someone resumes them: "+code("!heartbeats resume")
	if g.text != "" {
		m := span.FindStringSubmatch(free(g.text))
		if m == nil {
			return Reply{}, errUsage
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return Reply{}, errUsage
		}
		unit := map[string]time.Duration{"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[strings.ToLower(m[2])]
		until = time.Now().Add(time.Duration(n) * unit).UnixMilli()
		said = "until " + moment(until)
	}
	if err := t.ports.Heartbeats.Pause(ctx, true, until); err != nil {
		return Reply{}, err
	}
	return Reply{Text: ":double_vertical_bar: Heartbeats are paused " + said + ". Runs in progress continue."}, nil
}

func doHeartbeatsResume(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Heartbeats == nil {
		return Reply{Text: noHeartbeats}, nil
	}
	if g.text != "" {
		return Reply{}, errUsage
	}
	if err := t.ports.Heartbeats.Pause(ctx, false, 0); err != nil {
		return Reply{}, err
	}
	return Reply{Text: ":arrow_forward: Heartbeats are running again."}, nil
}

const noMemory = "Memory isn't available."

// maxRemembered is how many memories are shown, maxMemory how many characters of each.
const maxRemembered, maxMemory = 20, 500

// sessionID returns the thread's session, "" for none.
func (g *given) sessionID() string {
	if g.Thread == nil {
		return ""
	}
	return g.Thread.SessionID
}

func doMemory(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Memory == nil {
		return Reply{Text: noMemory}, nil
	}
	found, err := t.ports.Memory.Search(ctx, g.By, g.sessionID(), free(g.text), maxRemembered)
	if err != nil {
		return Reply{}, err
	}
	if len(found) == 0 {
		return Reply{Text: "No matching memories."}, nil
	}
	noun := "memories"
	if len(found) == 1 {
		noun = "memory"
	}
	lines := []string{fmt.Sprintf("Found %d %s:", len(found), noun)}
	for _, m := range found {
		about := ""
		if m.About != "" {
			about = " · " + post.Escape(m.About)
		}
		lines = append(lines, "- **"+post.Escape(m.File)+"**"+about+": "+post.Escape(post.Truncate(post.OneLine(m.Text), maxMemory)))
	}
	return Reply{Text: strings.Join(lines, "\n")}, nil
}

func doRemember(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Memory == nil {
		return Reply{Text: noMemory}, nil
	}
	text := free(g.text)
	if text == "" {
		return Reply{}, errUsage
	}
	if g.sessionID() == "" && !reaches(g.Role, port.RoleAdmin) {
		// It would apply to every session.
		return Reply{Text: "Memories saved outside a session apply to all sessions and need the role admin. Start a session in this thread first."}, nil
	}
	if err := t.ports.Memory.Remember(ctx, g.By, g.sessionID(), text); err != nil {
		return Reply{}, err
	}
	return Reply{Text: ":memo: Saved to memory."}, nil
}

const noRooms = "Rooms aren't available."

// maxRead is how many messages of a room are shown.
const maxRead = 20

// rooms returns the rooms that a call may access: those of the thread's session, which
// people there see anyway, and all for administrators. Messages in a room start turns of
// its sessions, in other folders and with other permissions. A call without access gets
// the reason.
func (g *given) rooms(t *Table) (of Whose, none string) {
	switch id := g.sessionID(); {
	case t.ports.Rooms == nil:
		return Whose{}, noRooms
	case reaches(g.Role, port.RoleAdmin):
		return Whose{All: true}, ""
	case id != "":
		return Whose{SessionID: id}, ""
	case g.Hidden:
		return Whose{}, hiddenSession
	}
	return Whose{}, noSession
}

func doRooms(ctx context.Context, t *Table, g given) (Reply, error) {
	of, none := g.rooms(t)
	if none != "" {
		return Reply{Text: none}, nil
	}
	all, err := t.ports.Rooms.List(ctx, of)
	switch {
	case err != nil:
		return Reply{}, err
	case len(all) == 0 && !of.All:
		return Reply{Text: "This thread's session is not in any room."}, nil
	case len(all) == 0:
		return Reply{Text: "There are no rooms. " + code("!room join <room>") + " creates one."}, nil
	}
	var lines [][]string
	for _, r := range all[:min(len(all), maxListed)] {
		lines = append(lines, []string{code(r.Name), post.Escape(post.Truncate(strings.Join(r.Members, ", "), 200)), moment(r.LastAt)})
	}
	return Reply{Text: "#### :speech_balloon: Rooms\n" + table([]string{"Room", "Members", "Last message"}, lines) + more(len(all))}, nil
}

func doRoomRead(ctx context.Context, t *Table, g given) (Reply, error) {
	of, none := g.rooms(t)
	if none != "" {
		return Reply{Text: none}, nil
	}
	name, rest, ok := cutWord(g.text)
	if !ok || rest != "" {
		return Reply{}, errUsage
	}
	messages, err := t.ports.Rooms.Recent(ctx, of, strings.TrimPrefix(name, "#"), maxRead)
	if err != nil {
		return Reply{}, err
	}
	if len(messages) == 0 {
		return Reply{Text: "No messages yet."}, nil
	}
	var lines []string
	for _, m := range messages {
		lines = append(lines, roomLine(m))
	}
	return Reply{Text: strings.Join(lines, "\n")}, nil
}

func roomLine(m event.RoomMessage) string {
	return "- **" + post.Escape(m.From.Nick) + "** " + moment(m.At) + ": " + post.Escape(post.Truncate(post.OneLine(m.Text), maxMemory))
}

func doRoomSay(ctx context.Context, t *Table, g given) (Reply, error) {
	of, none := g.rooms(t)
	if none != "" {
		return Reply{Text: none}, nil
	}
	name, text, _ := cutWord(g.text)
	name, text = strings.TrimPrefix(name, "#"), free(text)
	if name == "" || text == "" {
		return Reply{}, errUsage
	}
	if err := t.ports.Rooms.Say(ctx, of, name, g.By, text); err != nil {
		return Reply{}, err
	}
	return Reply{Text: "Said in " + code("#"+name) + " as " + personName(g.By) + "."}, nil
}

func personName(p chat.Person) string { return post.Escape(post.OneLine(p.Name)) }

func doRoomJoin(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Rooms == nil {
		return Reply{Text: noRooms}, nil
	}
	name, rest, ok := cutWord(g.text)
	name = strings.TrimPrefix(name, "#")
	if !ok || rest != "" || name == "" {
		return Reply{}, errUsage
	}
	if err := t.ports.Rooms.Join(ctx, name, g.Thread.SessionID); err != nil {
		return Reply{}, err
	}
	return Reply{Text: "This session is in " + code("#"+name) + " now."}, nil
}
