package ask

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/port"
	"parley/backend/fault"
	"parley/backend/permission"
)

// discarded is what the model is told when a plan is discarded, as in the
// window.
const discarded = "The user discarded this plan. Stop here and wait for what they say next."

// Reacted handles a reaction, and reports whether it answers a question's post. It checks
// with the gate itself.
func (a *Manager) Reacted(ctx context.Context, r chat.ReactionAdded, by chat.Person) bool {
	key := ""
	if r.Post.Mine { // any other post may have the same reactions
		key = r.Post.Key
	}
	return a.acted(ctx, access.PathReaction, r.Reaction.PostID, key, r.Reaction.Emoji, actor(by, r.Reaction.PersonID))
}

// Pressed handles a button, and reports whether it belongs to a question. It checks with the
// gate itself.
func (a *Manager) Pressed(ctx context.Context, p chat.ButtonPressed, by chat.Person) bool {
	return a.acted(ctx, access.PathButton, p.PostID, p.Key, p.ButtonID, actor(by, p.PersonID))
}

// actor returns the user identified by the connection: details about another person are
// discarded.
func actor(by chat.Person, id string) chat.Person {
	if by.ID != id {
		return chat.Person{ID: id}
	}
	return by
}

// acted handles a reaction or a button; key is what the post was sent with, "" if unknown.
func (a *Manager) acted(ctx context.Context, path, postID, key, what string, by chat.Person) bool {
	a.mu.Lock()
	c := a.cardOf(postID, key)
	if c == nil || c.paper == nil {
		a.mu.Unlock()
		return false
	}
	find := byEmoji
	if path == access.PathButton {
		find = byButton
	}
	shown := c.paper // never changed in place: later versions have their own paper
	act, ok := find(shown.actions, what)
	it, live := c.item, c.shown() && c.item.card == c
	a.mu.Unlock()
	switch {
	case !ok:
		return path == access.PathButton // a reaction may mean something to others
	case by.ID == a.config.Chat.Me().ID:
		return true // our own offers aren't answers
	}
	v := a.config.Gate.Check(ctx, access.Attempt{
		By: by, ChannelID: it.channelID, ThreadID: it.threadID, SessionID: it.q.SessionID, RequestID: it.q.RequestID,
		Path: path, What: what, Need: act.need,
	})
	if !v.OK {
		a.mu.Lock()
		a.say(it.threadID, it.channelID, v.Refusal, by.ID, it.q.RequestID)
		a.mu.Unlock()
		return true
	}
	if !live {
		a.tell(it, by)
		return true
	}
	a.act(ctx, it, c, shown, act, by, path)
	return true
}

// cardOf finds the card of a post, nil for other posts. People can see a post, and answer
// it, before the call that sends it returns; if that call fails, it may never return the
// post.
func (a *Manager) cardOf(postID, key string) *card {
	if c := a.posts[postID]; c != nil || key == "" {
		return c
	}
	for _, it := range a.items {
		if c := it.card; c.tried && !c.sent && c.sentAs() == key {
			c.sent, c.postID = true, postID
			a.posts[postID] = c
			return c
		}
	}
	return nil
}

// act performs an action of a shown paper.
func (a *Manager) act(ctx context.Context, it *item, c *card, shown *paper, act action, by chat.Person, path string) {
	answer := port.Answer{RequestID: it.q.RequestID, By: by, Allow: true}
	end := ending{what: permission.OutcomeAllow}
	switch act.deed {
	case allow:
	case always:
		answer.Rules, end.made = shown.rules, shown.rules
	case edits:
		answer.Mode = "acceptEdits"
		end.did = "Approved, and edits are accepted"
	case bare:
		answer.Choice, end.did = permission.ChoiceBare, "Started without them"
	case trusted:
		answer.Choice, end.did = permission.ChoiceTrusted, "Trusted and started"
	case deny:
		answer.Allow, end.what = false, permission.OutcomeDeny
		if it.q.Kind == permission.KindPlan {
			answer.Message, end.did = discarded, "Discarded"
		}
	case pick, finish:
		a.choose(ctx, it, c, shown, act, by, path)
		return
	}
	a.answer(ctx, it, answer, end)
}

// answer passes an answer to the desk and reports the result.
func (a *Manager) answer(ctx context.Context, it *item, answer port.Answer, end ending) {
	out, err := a.config.Desk.Answer(ctx, answer)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err != nil:
		a.config.Logger.Debug("Couldn't apply an answer from Mattermost", "request", it.q.RequestID, "err", err)
		a.say(it.threadID, it.channelID, "Your answer was not accepted: "+prose(fault.MessageOf(err), 500), answer.By.ID, it.q.RequestID, time.Now().String())
	case !out.Won:
		a.finish(it, lostTo(it.q, out))
		a.late(it, answer.By)
	default:
		end.person, end.personID, end.at = nameOf(answer.By), answer.By.ID, out.At
		if end.at == 0 {
			end.at = time.Now().UnixMilli()
		}
		if out.Warning != "" {
			end.notes = append(end.notes, ":warning: "+prose(out.Warning, 500))
		}
		a.won(it, end)
		text := "A question was answered."
		if it.q.Kind != permission.KindQuestion {
			text = "A request was answered: " + strings.ToLower(ending{what: end.what}.word(it.q)) + "."
		}
		a.config.Answered(answer.By, it.q.SessionID, text)
	}
}

// won ends a question with an answer from the chat. The event about its end may have come
// first, and doesn't contain the user.
func (a *Manager) won(it *item, end ending) {
	if it.end != nil {
		if len(it.end.made) > 0 {
			end.made = it.end.made
		}
		*it.end = end
		it.card.close(end.text(it.q, a.zone()))
		a.push(it.card)
		return
	}
	a.finish(it, end)
}

// maxTold bounds how many people are told that they were late.
const maxTold = 20

// tell tells a user once that it is already decided.
func (a *Manager) tell(it *item, by chat.Person) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.late(it, by)
}

func (a *Manager) late(it *item, by chat.Person) {
	if it.end == nil || it.end.personID == by.ID || it.told[by.ID] || len(it.told) >= maxTold {
		return
	}
	it.told[by.ID] = true
	a.say(it.threadID, it.channelID, nameOf(by)+", this was already decided: "+it.end.line(it.q, a.zone()), by.ID, it.q.RequestID)
}

func nameOf(p chat.Person) string {
	for _, s := range []string{p.Name, p.Username} {
		if s != "" {
			return prose(s, 60)
		}
	}
	return "someone"
}

// Replied handles a reply in a thread, and reports whether it was an answer: if a question
// is open there and the user may answer it. Otherwise it is for the session. Commands must
// not be passed to it. It checks with the gate itself.
func (a *Manager) Replied(ctx context.Context, t port.Thread, p chat.Post, by chat.Person) bool {
	text := strings.TrimSpace(p.Text)
	if p.Mine || p.System || p.AuthorID == "" || text == "" {
		return false
	}
	by = actor(by, p.AuthorID)
	open := a.answerable(t.ID, p.At)
	if len(open) == 0 || !access.Covers(a.config.Gate.Role(ctx, by, p.Automated, t.ChannelID), port.RoleApprove) {
		return false
	}
	it, text, named := a.meant(open, text)
	if !named && a.aside(open, it, text) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.say(t.ID, t.ChannelID, "A request is open here. Claude reads this after it is answered. To deny the request, start your reply with `no` or react with :-1:.", by.ID, open[0].q.RequestID)
		return false
	}
	if it == nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		names := make([]string, 0, len(open))
		for _, it := range open {
			names = append(names, "`#"+pseudonym(it.q.RequestID)+"`")
		}
		a.say(t.ID, t.ChannelID, "Several requests are open here. Start your reply with the one you are answering ("+strings.Join(names, ", ")+"), or react to its post. Nothing happened.", p.ID)
		return true
	}
	a.mu.Lock()
	c, step := it.card, it.step
	a.mu.Unlock()
	r := reply{problem: "There is no answer after the request's name. Nothing happened."}
	if text != "" {
		r = readReply(it.q, step, text)
	}
	does := r.does
	if does == "" {
		does = "unclear"
	}
	v := a.config.Gate.Check(ctx, access.Attempt{
		By: by, Automated: p.Automated, ChannelID: t.ChannelID, ThreadID: t.ID, SessionID: it.q.SessionID, RequestID: it.q.RequestID,
		Path: access.PathReply, What: does, Need: port.RoleApprove,
	})
	if !v.OK {
		r = reply{problem: v.Refusal}
	}
	a.reply(ctx, it, c, step, r, p.ID, by)
	return true
}

// reply performs a reply.
func (a *Manager) reply(ctx context.Context, it *item, c *card, step int, r reply, postID string, by chat.Person) {
	answer := port.Answer{RequestID: it.q.RequestID, By: by}
	switch r.does {
	case "deny":
		answer.Message = r.message
		end := ending{what: permission.OutcomeDeny, message: r.message}
		if it.q.Kind == permission.KindPlan {
			end.did = "Changes asked for"
		}
		a.answer(ctx, it, answer, end)
	case "edit":
		answer.Allow, answer.Input = true, r.input
		end := ending{what: permission.OutcomeAllow, did: "Allowed with a change"}
		end.changed, end.lang = changedTo(it.q, r.input)
		a.answer(ctx, it, answer, end)
	case "answer":
		if all := questionsOf(it.q.Input); step < len(all) {
			a.answered(ctx, it, c, all[step], r.answer, by)
		}
	default:
		a.mu.Lock()
		defer a.mu.Unlock()
		a.say(it.threadID, it.channelID, r.problem, postID)
	}
}

// changedTo returns what runs instead, for display.
func changedTo(q port.Request, input json.RawMessage) (text, lang string) {
	q.Input = input
	u := useOf(q.Question)
	return u.exact, u.lang
}

// answerable returns a thread's questions that a reply can answer, oldest first. A reply
// written before the question doesn't answer it.
func (a *Manager) answerable(threadID string, at int64) []*item {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []*item
	for _, it := range a.items {
		if it.threadID == threadID && it.q.Kind != permission.KindTrust && it.card.shown() && (at == 0 || at > it.card.at) && !it.card.paper.locked {
			out = append(out, it)
		}
	}
	slices.SortFunc(out, func(x, y *item) int {
		return cmp.Or(cmp.Compare(x.q.AskedAt, y.q.AskedAt), strings.Compare(x.q.RequestID, y.q.RequestID))
	})
	return out
}

// meant determines a reply's question, nil if unclear. named is true if the reply names or
// quotes the question.
func (a *Manager) meant(open []*item, text string) (it *item, rest string, named bool) {
	if name, rest := cutCode(text); name != "" {
		for _, it := range open {
			if pseudonym(it.q.RequestID) == name {
				return it, strings.TrimSpace(rest), true
			}
		}
	}
	if quote, rest := cutQuote(text); quote != "" {
		for _, it := range open {
			a.mu.Lock()
			shown := plain(it.card.paper.text())
			a.mu.Unlock()
			if strings.Contains(shown, quote) {
				return it, rest, true
			}
		}
	}
	if len(open) == 1 {
		return open[0], text, false
	}
	return nil, text, false
}

// aside reports whether a text isn't an answer: people may talk in a thread while Claude
// waits for permission. A plan and a question accept any text.
func (a *Manager) aside(open []*item, it *item, text string) bool {
	if it != nil {
		open = []*item{it}
	}
	if slices.ContainsFunc(open, func(it *item) bool { return it.q.Kind == permission.KindPlan || it.q.Kind == permission.KindQuestion }) {
		return false
	}
	_, edit := editOf(text)
	return !edit && !isYes(text) && !isNo(text)
}
