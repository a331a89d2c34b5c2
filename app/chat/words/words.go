package chat

import (
	"context"
	"regexp"
	"strings"

	"parley/app/method"
	"parley/backend/chat"
	"parley/backend/event"
	"parley/backend/room"
	"parley/backend/untrusted"
)

// via is what prompts say that come from the chat.
const via = "mattermost"

// authorIn is a person of the chat as the author of a prompt.
func authorIn(p chat.Person) *event.Author {
	return &event.Author{Via: via, Username: p.Username, Name: personName(p)}
}

// personName is what people read of somebody, in one short line.
func personName(p chat.Person) string {
	if name := room.Short(untrusted.Visible(p.Name)); name != "" {
		return name
	}
	return "@" + p.Username
}

// surfaceOf names somebody in the chat as who answered, made a rule or changed something.
func surfaceOf(p chat.Person) string { return "@" + p.Username + " in Mattermost" }

// leadOf is the line that tells a model who wrote what follows, in one of the several
// voices of a thread. It is Parley's alone: see [unled].
func leadOf(p chat.Person) string {
	name := strings.NewReplacer("[", "(", "]", ")").Replace(personName(p))
	alone := name == "@"+p.Username
	if name = untrusted.Text(name); alone {
		return "[Parley: from " + name + " in Mattermost]"
	}
	return "[Parley: from " + name + " (@" + p.Username + ") in Mattermost]"
}

// leadMark is what a line of [leadOf] begins with, however somebody writes it.
var leadMark = regexp.MustCompile(`(?i)[\[［【〔](\s*parley\s*[:：])`)

// unled is what somebody wrote in the chat, in which nothing passes for a line of
// Parley's about who wrote it: such brackets become round. Else it is [untrusted.Text],
// for every role. A post is written to people as well, who mean one another by "@" and
// say what they like after "/"; an account of the chat can be taken over; and even who
// administers Parley may not read this machine's files by way of the chat, unasked. What
// the CLI is to do by itself is asked for with a command of the chat, see [chatSessions.Prompt].
func unled(text string) string {
	return untrusted.Text(leadMark.ReplaceAllString(untrusted.Visible(text), "($1"))
}

// withPerson says that what is done is done by somebody in the chat.
func withPerson(ctx context.Context, p chat.Person) context.Context {
	return method.WithConnection(method.WithSurface(ctx, surfaceOf(p)), p.ID)
}
