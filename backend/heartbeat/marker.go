package heartbeat

import (
	"strings"
)

// Marker is the line that ends the answer of a run that found nothing to do.
const Marker = "HEARTBEAT_OK"

// suffix asks for the marker. It is added to every heartbeat prompt except one-time
// prompts into a session the user chose, because a running session can't get another
// system prompt.
const suffix = "\n\n(This prompt was sent by a schedule; nobody may be looking. Look first and act only if it is needed. " +
	"If there is nothing to do and nothing that a person should know, end your answer with a line that says only " + Marker + ".)"

// found splits an answer into its text and whether it found something to do. The marker
// counts on the last line, with any emphasis marks around it.
func found(answer string) (text string, did bool) {
	text = strings.TrimSpace(answer)
	before, last := "", text
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		before, last = text[:i], text[i+1:]
	}
	if strings.Trim(last, " \t\r*_`.!\"'") != Marker {
		return text, true
	}
	return strings.TrimSpace(before), false
}
