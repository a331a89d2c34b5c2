package ask

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
)

// maxTries is how often is tried what fails for another reason than that the chat cannot be reached.
const maxTries = 20

// card is one post of a question. It is brought step by step to what it should be;
// what is written to the chat is written by one goroutine only.
type card struct {
	// item is nil for the post of a question that an earlier Parley asked.
	item                *item
	step                int
	threadID, channelID string
	// key makes the post once, name is what it is remembered by.
	key, name string

	// paper is what it shows, nil until it is about to be sent. extra follows it.
	paper *paper
	extra string
	// closing says how it ended, "" while it can be answered.
	closing string
	// again counts how often it was made again after it was deleted.
	again int

	// What is known to be in the chat: tried when it may be there, sent when it
	// is, with its id and time (0 when not known) and text ("" likewise).
	tried, sent bool
	postID      string
	at          int64
	have        string
	// fileIDs are those that were handed over for it.
	fileIDs []string
	// seeds are the reactions that it offers, seeded how many of them are there; maybe is
	// true when one more may be.
	seeds  []string
	seeded int
	maybe  bool
	kept   bool
	// gone is true when it cannot be shown: deleted again, or not allowed.
	gone   bool
	queued bool
	tries  int
	due    time.Time
}

// step of a card.
type op int

const (
	// opNone: it is as it should be. opDone: it will not change any more.
	opNone op = iota
	opDone
	opSend
	opKeep
	opRead
	opEdit
	opSeed
	opUnseed
	opForget
)

// next is what has to be done.
func (c *card) next() op {
	if c.closing == "" {
		switch {
		case c.gone:
			return opNone
		case !c.sent:
			return opSend
		case !c.kept:
			return opKeep
		case c.paper == nil:
			return opRead
		case c.have != c.want():
			return opEdit
		case c.seeded < len(c.seeds):
			return opSeed
		}
		return opNone
	}
	switch {
	case c.gone, !c.tried:
		if c.kept {
			return opForget
		}
		return opDone
	case !c.sent:
		// It may have been made: made once more with the same key, it is the same.
		return opSend
	case c.have == "":
		return opRead
	case c.have != c.want():
		return opEdit
	case c.seeded > 0 || c.maybe:
		return opUnseed
	case c.kept:
		return opForget
	}
	return opDone
}

// want is the text that it should have.
func (c *card) want() string {
	switch {
	case c.closing == "" && c.paper == nil:
		return c.have
	case c.closing == "" && c.extra != "":
		return c.paper.text() + "\n" + c.extra
	case c.closing == "":
		return c.paper.text()
	case c.paper != nil:
		return c.paper.head + divider + c.closing
	}
	head, _, open := apart(c.have)
	if !open {
		return c.have // it says already how it ended
	}
	return head + divider + c.closing
}

// sentAs is the key that its post is sent with.
func (c *card) sentAs() string {
	if c.again > 0 {
		return fmt.Sprintf("%s-%d", c.key, c.again)
	}
	return c.key
}

// close has it say how it ended.
func (c *card) close(how string) { c.closing = how }

// apart takes the text of a post into what was asked and how to answer. open is false
// when it is not there, or says how it ended.
func apart(text string) (head, tail string, open bool) {
	at := strings.LastIndex(text, divider)
	if at < 0 {
		return text, "", false
	}
	head, tail = text[:at], text[at+len(divider):]
	return head, tail, strings.Contains(tail, "\nWho can answer: ")
}

// seedsIn are the reactions that a post from before offered.
func seedsIn(text string) []string {
	var out []string
	for _, emoji := range append(numbers(), yesEmoji, doneEmoji, editsEmoji, noEmoji) {
		if strings.Contains(text, ":"+emoji+":") {
			out = append(out, emoji)
		}
	}
	return out
}

// shown says whether people can see and answer it.
func (c *card) shown() bool { return c.sent && !c.gone && c.closing == "" && c.paper != nil }

// lock takes away everything but a no: what is decided about cannot be shown whole.
func (p *paper) lock() {
	p.file, p.locked = "", true
	var kept []action
	for _, a := range p.actions {
		if a.deed == deny {
			kept = append(kept, a)
		}
	}
	p.actions = kept
	lines := strings.Split(p.tail, "\n")
	p.head += "\n:warning: The file with the full text could not be uploaded, so this can only be allowed in Parley's window."
	p.tail = ":-1: deny\n" + post.OneLine(lines[len(lines)-1])
}

// paint makes what a card shows, when that is not made yet, and returns it.
func (a *Asks) paint(ctx context.Context, c *card) *paper {
	a.mu.Lock()
	made := c.paper
	a.mu.Unlock()
	if made != nil || c.item == nil {
		return made
	}
	channel, err := a.config.Chat.Channel(ctx, c.channelID)
	s := setting{
		limit: a.config.Chat.Limits().Text, zone: a.zone(), name: "#" + pseudonym(c.item.q.RequestID),
		private: err == nil && (channel.Kind == chat.Direct || channel.Kind == chat.Group),
		holders: func(private bool, least port.ChatRole) ([]string, int) {
			return a.config.Gate.Holders(c.channelID, private, least, maxHolders)
		},
	}
	s.call = a.called(ctx, c.item, c.step, s.private)
	p := render(c.item.q, c.step, s)
	if most := a.config.Chat.Limits().FileBytes; most > 0 && int64(len(p.file)) > most {
		p.lock()
	}
	a.shows(c, &p)
	return &p
}

// shows gives a card a paper, which does not change from then on.
func (a *Asks) shows(c *card, p *paper) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.paper, c.seeds = p, nil
	for _, act := range p.actions {
		c.seeds = append(c.seeds, act.emoji)
	}
}
