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

// maxTries is how often a call is retried that fails although the chat is reachable.
const maxTries = 20

// card is one post of a question. It is brought step by step to its intended
// state; only one goroutine writes to the chat.
type card struct {
	// item is nil for the post of a question that an earlier Parley asked.
	item                *item
	step                int
	threadID, channelID string
	// key makes the post unique, name is the name it is stored under.
	key, name string

	// paper is what it shows, nil until it is about to be sent. extra follows it.
	paper *paper
	extra string
	// closing is how it ended, "" while it can be answered.
	closing string
	// again counts how often it was recreated after a deletion.
	again int

	// The known state in the chat: tried if it may be there, sent if it is,
	// with its id and time (0 if unknown) and text ("" if unknown).
	tried, sent bool
	postID      string
	at          int64
	have        string
	// fileIDs are the files uploaded for it.
	fileIDs []string
	// seeds are the reactions that it offers, seeded the number that are there; maybe is
	// true if one more may be.
	seeds  []string
	seeded int
	maybe  bool
	kept   bool
	// gone is true if it can't be shown: deleted again, or forbidden.
	gone   bool
	queued bool
	tries  int
	due    time.Time
}

// op is a step of a card.
type op int

const (
	// opNone: nothing to do. opDone: it won't change again.
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

// next returns the next step.
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
		// It may have been created: sending again with the same key returns the same
		// post.
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

// want returns its intended text.
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
		return c.have // it already says how it ended
	}
	return head + divider + c.closing
}

// sentAs returns the key that its post is sent with.
func (c *card) sentAs() string {
	if c.again > 0 {
		return fmt.Sprintf("%s-%d", c.key, c.again)
	}
	return c.key
}

// close makes it say how it ended.
func (c *card) close(how string) { c.closing = how }

// apart splits a post's text into the question and the instructions. open is false if
// it is missing, or says how it ended.
func apart(text string) (head, tail string, open bool) {
	at := strings.LastIndex(text, divider)
	if at < 0 {
		return text, "", false
	}
	head, tail = text[:at], text[at+len(divider):]
	return head, tail, strings.Contains(tail, "\nWho can answer: ")
}

// seedsIn returns the reactions that an earlier post offered.
func seedsIn(text string) []string {
	var out []string
	for _, emoji := range append(numbers(), yesEmoji, doneEmoji, editsEmoji, noEmoji) {
		if strings.Contains(text, ":"+emoji+":") {
			out = append(out, emoji)
		}
	}
	return out
}

// shown reports whether people can see and answer it.
func (c *card) shown() bool { return c.sent && !c.gone && c.closing == "" && c.paper != nil }

// lock only allows denying: the subject can't be shown in full.
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

// paint returns what a card shows, rendering it if necessary.
func (a *Manager) paint(ctx context.Context, c *card) *paper {
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

// shows gives a card a paper, which is then immutable.
func (a *Manager) shows(c *card, p *paper) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.paper, c.seeds = p, nil
	for _, act := range p.actions {
		c.seeds = append(c.seeds, act.emoji)
	}
}
