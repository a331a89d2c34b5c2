package relay

import (
	"fmt"
	"strings"

	"parley/backend/chat/relay/port"
)

// The relay's texts in threads.
const (
	pausedSaid      = "Mirroring of this session is paused, so your message was not delivered. Resume mirroring in Parley to continue here."
	emptySaid       = "This message is empty. Describe what to do."
	filesUnread     = "This was used as the answer to the question above. Its files were not delivered. Send them again in a new message."
	fullSaid        = "Not delivered: too many messages are waiting in this thread. Send it again when some have been answered."
	cutOffSaid      = "Parley quit while it ran this command. It does not run again automatically. Repeat the command if it had no effect."
	fixesSaid       = "_Asked Claude to suggest a fix. You can turn this off in Parley's Mattermost settings._"
	backSaid        = "Parley is back."
	notUploadedSaid = "_Could not upload the files for this message._"
	cutTurnSaid     = "Parley quit during this turn. Send a message to continue."
	closedSaid      = "This session was closed. The next message reopens it."
	archivedSaid    = "This session was archived. The next message unarchives it."
	deletedSaid     = "This session is in the trash. The next message starts a new session."
	removedSaid     = "This session no longer exists. The next message starts a new one."
	mirrorGoneSaid  = "This session no longer exists. This thread is no longer updated."
	clearedSaid     = "Context cleared. Claude no longer knows anything above."
	goneSaid        = "Claude Code no longer has this conversation, so waiting messages were not sent. React with :seedling: to start a new conversation and send them there. Claude will not know anything above."
	heldSaid        = "A message is on hold, because the turn before it was stopped or failed. React with :arrow_forward: to send it. It is also sent before your next message."
	didNotRunSaid   = "This message did not run. React with :arrow_forward: to send it again."
	mayHaveRunSaid  = "Parley or Claude ended while this message may have been running. Check the thread and the folder, then react with :arrow_forward: to send it again."
	freshSaid       = "A new conversation starts here."
	offSaid         = "Mirroring was stopped. The session continues in Parley. Messages here are not delivered until mirroring is resumed."
	onSaid          = "Mirroring was resumed. Messages from the meantime are only in Parley."
	elsewhereSaid   = "Parley does not listen in this channel. The person who runs Parley can add it in Parley's Mattermost settings."
	barredSaid      = "Parley's account can no longer post in this channel. Add it to the channel again, or mirror the session to another one."
	crowdedSaid     = "Too many messages are waiting in one thread. New messages there are read when earlier ones are done, and none are lost. Other threads are not affected."
	threadGone      = "The thread was deleted in the chat. Stop mirroring and mirror the session again to start a new one."

	seedling = "seedling"
	forward  = "arrow_forward"
	// waitsEmoji is on waiting posts.
	waitsEmoji = "hourglass_flowing_sand"
)

// calls returns how people are notified of questions.
func (r *Relay) calls() port.ChatCalls {
	if c := r.cfg.Config().Calls; c != nil {
		return *c
	}
	return port.ChatCalls{}
}

func droppedSaid(n int) string {
	if n == 1 {
		return "1 waiting message was discarded."
	}
	return fmt.Sprintf("%d waiting messages were discarded.", n)
}

func leftOutSaid(list []string) string {
	return "Not everything was delivered:\n- " + strings.Join(list, "\n- ")
}
