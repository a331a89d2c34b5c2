package relay

import (
	"fmt"
	"strings"
)

// What the relay says in threads.
const (
	pausedSaid      = "This session is not shown here at the moment, so this was not handed on. Switch its mirror on in Parley to go on here."
	emptySaid       = "There is nothing in this message that could be worked on. Write what to do."
	filesUnread     = "This was taken as an answer to the question above. Its files were not handed on; send them once more after it."
	fullSaid        = "This was not handed on: too many messages wait here already. Write it again when some were answered."
	cutOffSaid      = "Parley was ended while it did this. It is not done a second time; give the command again if it did not have its effect."
	backSaid        = "Parley is back."
	notUploadedSaid = "_The files that belong to this could not be uploaded._"
	cutTurnSaid     = "Parley was ended while this was worked on. Write something to go on from here."
	closedSaid      = "This session was closed. The next message here opens it again."
	archivedSaid    = "This session was archived. The next message here takes it out of the archive."
	deletedSaid     = "This session is in the trash now. The next message here begins a new one."
	removedSaid     = "This session is gone. The next message here begins a new one."
	mirrorGoneSaid  = "This session is gone. This thread shows nothing any more."
	clearedSaid     = "The conversation was cleared: the model knows nothing of what is above."
	goneSaid        = "The CLI no longer knows this conversation, and messages that wait were not sent. React to this with :seedling: to begin a fresh one; messages that wait go into it. What is above stays to be read, but the model does not know it."
	heldSaid        = "A message waits, because the work before it was stopped or failed. React to this with :arrow_forward: to have it sent, or just write: then it goes first."
	freshSaid       = "A fresh conversation begins here."
	offSaid         = "This session is not shown here any more. It goes on in Parley; messages here are not handed on until its mirror is switched on again."
	onSaid          = "This session is shown here again. What went on in between is in Parley only."
	barredSaid      = "Parley's account may not post in this channel any more. Add it to the channel again, or show the session in another one."
	crowdedSaid     = "So much of a thread waits to be done that nothing more of it is taken in for now. What was written there since is not lost: it comes when there is room. Other threads go on."
	threadGone      = "The thread was deleted in the chat. Switch the mirror off and on again to begin a new one."

	seedling = "seedling"
	forward  = "arrow_forward"
	// waitsEmoji is on posts that wait.
	waitsEmoji = "hourglass_flowing_sand"
)

func droppedSaid(n int) string {
	if n == 1 {
		return "One message that waited was dropped."
	}
	return fmt.Sprintf("%d messages that waited were dropped.", n)
}

func leftOutSaid(list []string) string {
	return "Not everything was handed on:\n- " + strings.Join(list, "\n- ")
}
