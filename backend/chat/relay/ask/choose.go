package ask

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/port"
	"parley/backend/permission"
)

// choose handles a number, or the confirmation of several choices.
func (a *Manager) choose(ctx context.Context, it *item, c *card, shown *paper, act action, by chat.Person, path string) {
	all := questionsOf(it.q.Input)
	if c.step >= len(all) {
		return
	}
	asked := all[c.step]
	if act.deed == pick && !asked.MultiSelect {
		a.answered(ctx, it, c, asked, asked.Options[act.option].Label, by)
		return
	}
	if act.deed == pick {
		a.mu.Lock()
		now := it.card == c && it.end == nil
		if now {
			// Pressing a button again takes it back, as removing a reaction does.
			it.choice(act.option, by.ID, path != access.PathButton || !it.chosen[act.option][by.ID])
		}
		a.mu.Unlock()
		if !now || path != access.PathButton {
			return
		}
	}
	labels, err := a.labels(ctx, it, c, shown, asked)
	switch {
	case err != nil:
		a.config.Logger.Debug("Couldn't look up the chosen answer", "request", it.q.RequestID, "err", err)
		a.mu.Lock()
		a.say(it.threadID, it.channelID, "The chat did not report the chosen options. Nothing happened. Try again, or reply with the numbers.", c.key, by.ID, time.Now().String())
		a.mu.Unlock()
	case act.deed == pick:
		a.mu.Lock()
		if it.card == c && it.end == nil {
			c.extra = "Chosen so far: " + cmp.Or(spoken(labels), "nothing")
			a.push(c)
		}
		a.mu.Unlock()
	case len(labels) == 0:
		a.mu.Lock()
		a.say(it.threadID, it.channelID, "Nothing is chosen yet. Choose at least one option, or reply in your own words.", c.key, by.ID)
		a.mu.Unlock()
	default:
		a.answered(ctx, it, c, asked, answerOf(asked, labels), by)
	}
}

// choice records that a user chose an option, or took that back.
func (it *item) choice(option int, personID string, takes bool) {
	if it.chosen[option] == nil {
		it.chosen[option] = map[string]bool{}
	}
	if _, heard := it.chosen[option][personID]; heard || len(it.chosen[option]) < maxTold {
		it.chosen[option][personID] = takes
	}
}

// maxReactions bounds how many of a post's reactions are read.
const maxReactions = 200

// labels returns the chosen options in display order. Received events count, and for
// everything else the reactions on the post: those given before this Parley started, or
// while it was offline, are only found there.
func (a *Manager) labels(ctx context.Context, it *item, c *card, shown *paper, asked question) ([]string, error) {
	a.mu.Lock()
	postID := c.postID
	a.mu.Unlock()
	given, err := a.config.Chat.Reactions(ctx, postID)
	if err != nil && !errors.Is(err, chat.ErrGone) {
		return nil, err
	}
	a.mu.Lock()
	chosen := make([]map[string]bool, len(asked.Options))
	for i := range chosen {
		chosen[i] = maps.Clone(it.chosen[i])
	}
	a.mu.Unlock()
	counts := make([]bool, len(asked.Options))
	for i := range counts {
		for _, takes := range chosen[i] {
			counts[i] = counts[i] || takes
		}
	}
	for _, r := range given[:min(len(given), maxReactions)] {
		act, ok := byEmoji(shown.actions, r.Emoji)
		if !ok || act.deed != pick || counts[act.option] || r.PersonID == a.config.Chat.Me().ID {
			continue
		}
		if _, heard := chosen[act.option][r.PersonID]; heard {
			continue
		}
		if counts[act.option], err = a.may(ctx, it, r.PersonID, act.need); err != nil {
			return nil, err
		}
	}
	var out []string
	for i, o := range asked.Options {
		if counts[i] {
			out = append(out, o.Label)
		}
	}
	return out, nil
}

// may reports whether a user has a role where a question is asked.
func (a *Manager) may(ctx context.Context, it *item, personID string, need port.ChatRole) (bool, error) {
	by, err := a.config.Chat.Person(ctx, personID)
	switch {
	case errors.Is(err, chat.ErrGone), errors.Is(err, chat.ErrForbidden):
		return false, nil
	case err != nil:
		return false, err
	}
	return !by.Bot && access.Covers(a.config.Gate.Role(ctx, by, false, it.channelID), need), nil
}

// Unreacted handles a removed reaction, like Reacted. A decision stays.
func (a *Manager) Unreacted(_ context.Context, r chat.ReactionRemoved, by chat.Person) bool {
	by = actor(by, r.Reaction.PersonID)
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.posts[r.Reaction.PostID]
	if c == nil || c.paper == nil {
		return false
	}
	act, ok := byEmoji(c.paper.actions, r.Reaction.Emoji)
	if ok && act.deed == pick && c.item.card == c && c.item.chosen[act.option][by.ID] {
		c.item.choice(act.option, by.ID, false)
	}
	return ok
}

// answered handles the answer to one question, and asks the next or answers
// all.
func (a *Manager) answered(ctx context.Context, it *item, c *card, asked question, value any, by chat.Person) {
	a.mu.Lock()
	if it.card != c || it.end != nil {
		a.mu.Unlock()
		a.tell(it, by)
		return
	}
	said := spoken(value)
	it.answers[asked.Question] = value
	if it.step+1 < len(questionsOf(it.q.Input)) {
		e := ending{what: permission.OutcomeAllow, did: said, person: nameOf(by), at: time.Now().UnixMilli()}
		c.close(e.text(it.q, a.zone()))
		a.push(c)
		it.step++
		a.ask(it)
		a.mu.Unlock()
		return
	}
	answers := maps.Clone(it.answers)
	a.mu.Unlock()
	a.answer(ctx, it, port.Answer{RequestID: it.q.RequestID, Allow: true, Answers: answers, By: by}, ending{what: permission.OutcomeAllow, did: said})
}

// spoken formats an answer for display.
func spoken(value any) string {
	switch v := value.(type) {
	case string:
		return prose(v, 300)
	case []string:
		out := make([]string, len(v))
		for i := range v {
			out[i] = prose(v[i], 100)
		}
		return strings.Join(out, ", ")
	}
	return ""
}
