// Package words determines how Mattermost users are named, and how much of their text reaches a
// model. It knows neither threads nor sessions, and starts no goroutine.
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

// Via marks prompts from Mattermost.
const Via = "mattermost"

// Author converts a Mattermost user to the author of a prompt.
func Author(p chat.Person) *event.Author {
	return &event.Author{Via: Via, Username: p.Username, Name: Name(p)}
}

// Name is a user's display name, on one short line.
func Name(p chat.Person) string {
	if name := room.Short(untrusted.Visible(p.Name)); name != "" {
		return name
	}
	return "@" + p.Username
}

// Surface names a Mattermost user as the author of an answer, a rule or a change.
func Surface(p chat.Person) string { return "@" + p.Username + " in Mattermost" }

// Lead is the line that tells a model who wrote the following text in a thread with several people.
// Only Parley can write it: see [Plain].
func Lead(p chat.Person) string {
	name := strings.NewReplacer("[", "(", "]", ")").Replace(Name(p))
	alone := name == "@"+p.Username
	if name = untrusted.Text(name); alone {
		return "[Parley: from " + name + " in Mattermost]"
	}
	return "[Parley: from " + name + " (@" + p.Username + ") in Mattermost]"
}

// leadMark matches the beginning of a [Lead] line in all its spellings.
var leadMark = regexp.MustCompile(`(?i)[\[［【〔](\s*parley\s*[:：])`)

// Plain is a user's text in which nothing can pass for Parley's line about its author: such
// brackets become round. Otherwise it is [untrusted.Text], for every role. Posts also address
// people, with "@" for mentions and any text after "/"; a Mattermost account can be taken over; and
// even an administrator of Parley may not read this machine's files through Mattermost without
// asking. To make the CLI do something, there are Mattermost commands, see package ports.
func Plain(text string) string {
	return untrusted.Text(leadMark.ReplaceAllString(untrusted.Visible(text), "($1"))
}

// WithPerson marks a context's actions as done by a Mattermost user.
func WithPerson(ctx context.Context, p chat.Person) context.Context {
	return method.WithConnection(method.WithSurface(ctx, Surface(p)), p.ID)
}
