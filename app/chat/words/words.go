// Package words has what people of the team chat are called, and what of their words reaches
// a model. It knows neither threads nor sessions, and no goroutine is its own.
package words

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

// Via is what prompts say that come from the chat.
const Via = "mattermost"

// Author is a user of the chat as the author of a prompt.
func Author(p chat.Person) *event.Author {
	return &event.Author{Via: Via, Username: p.Username, Name: Name(p)}
}

// Name is what people read of somebody, in one short line.
func Name(p chat.Person) string {
	if name := room.Short(untrusted.Visible(p.Name)); name != "" {
		return name
	}
	return "@" + p.Username
}

// Surface names somebody in the chat as who answered, made a rule or changed something.
func Surface(p chat.Person) string { return "@" + p.Username + " in Mattermost" }

// Lead is the line that tells a model who wrote what follows, in one of the several
// voices of a thread. It is Parley's alone: see [Plain].
func Lead(p chat.Person) string {
	name := strings.NewReplacer("[", "(", "]", ")").Replace(Name(p))
	alone := name == "@"+p.Username
	if name = untrusted.Text(name); alone {
		return "[Parley: from " + name + " in Mattermost]"
	}
	return "[Parley: from " + name + " (@" + p.Username + ") in Mattermost]"
}

// leadMark is what a line of [Lead] begins with, however somebody writes it.
var leadMark = regexp.MustCompile(`(?i)[\[［【〔](\s*parley\s*[:：])`)

// Plain is what somebody wrote in the chat, in which nothing passes for a line of
// Parley's about who wrote it: such brackets become round. Else it is [untrusted.Text],
// for every role. A post is written to people as well, who mean one another by "@" and
// say what they like after "/"; an account of the chat can be taken over; and even who
// administers Parley may not read this machine's files by way of the chat, unasked. What
// the CLI is to do by itself is asked for with a command of the chat, see package ports.
func Plain(text string) string {
	return untrusted.Text(leadMark.ReplaceAllString(untrusted.Visible(text), "($1"))
}

// WithPerson says that what is done is done by somebody in the chat.
func WithPerson(ctx context.Context, p chat.Person) context.Context {
	return method.WithConnection(method.WithSurface(ctx, Surface(p)), p.ID)
}
