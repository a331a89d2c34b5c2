package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"parley/app/method"
	"parley/backend/chat"
	"parley/backend/event"
	"parley/backend/room"
)

// via is what prompts say that come from the chat.
const via = "mattermost"

// authorIn is a person of the chat as the author of a prompt.
func authorIn(p chat.Person) *event.Author {
	return &event.Author{Via: via, Username: p.Username, Name: personName(p)}
}

// personName is what people read of somebody, in one short line.
func personName(p chat.Person) string {
	if name := room.Short(shownText(p.Name)); name != "" {
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
	if name == "@"+p.Username {
		return "[Parley: from " + name + " in Mattermost]"
	}
	return "[Parley: from " + name + " (@" + p.Username + ") in Mattermost]"
}

// commandForm is how a command of the CLI begins.
var commandForm = regexp.MustCompile(`^/[A-Za-z][A-Za-z0-9:_-]*(?:\s|$)`)

// isCommand says whether the CLI takes a text for one of its commands, if nothing stands
// before it: it has no [leadOf]. What looks like one and is none, the CLI refuses by itself,
// and the model does not read it; but "/tmp" is a path, and then the text is a prompt.
func isCommand(text string) bool {
	name := strings.TrimSpace(commandForm.FindString(text))
	if name == "" {
		return false
	}
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// leadMark is what a line of [leadOf] begins with, however somebody writes it.
var leadMark = regexp.MustCompile(`(?i)[\[［【〔](\s*parley\s*[:：])`)

// unled is what somebody wrote in the chat, in which nothing passes for a line of
// Parley's about who wrote it, or for the CLI's own words: such brackets become round,
// and what does not show is left out.
func unled(text string) string {
	return unframed("parley", leadMark.ReplaceAllString(shownText(text), "($1"))
}

// withPerson says that what is done is done by somebody in the chat.
func withPerson(ctx context.Context, p chat.Person) context.Context {
	return method.WithConnection(method.WithSurface(ctx, surfaceOf(p)), p.ID)
}
