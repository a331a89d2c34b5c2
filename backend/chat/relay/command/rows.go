package command

import (
	"context"
	"strings"

	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
)

// rows returns all commands, in help order.
func rows() []row {
	watch, prompt, approve, admin := port.RoleWatch, port.RolePrompt, port.RoleApprove, port.RoleAdmin
	return []row{
		{name: "help", aliases: []string{"commands"}, form: "[command]", need: watch, run: doHelp,
			help: "This list, or help for one command."},
		{name: "stats", aliases: []string{"cost"}, need: watch, session: true, run: doStats,
			help: "Tokens, context, model, speed and cost of this thread's session."},
		{name: "usage", need: watch, run: doUsage,
			help: "Usage today and this month, budgets, and plan limits as far as they are known."},
		{name: "context", need: watch, session: true, run: doContext,
			help: "What fills the session's context window."},

		{name: "new", need: prompt, run: doNew,
			help: "In a direct message: starts another conversation. The previous one stays in the thread of its first message."},
		{name: "stop", need: prompt, session: true, run: doStop,
			help: "Ends the session and discards waiting messages from here. The next message starts a new one; this one stays readable in Parley. A session mirrored from Parley stays open: only its turn stops, and Parley's queue is kept."},
		{name: "escape", aliases: []string{"interrupt", "esc"}, need: prompt, session: true, run: doEscape,
			help: "Interrupts the running turn."},
		{name: "kill", need: admin, session: true, run: doKill,
			help: "Kills the session's process immediately."},
		{name: "restart", need: admin, run: doRestart,
			help: "Restarts Parley and reports here when it is back. While sessions work, it waits until they have finished."},
		{name: "restart", sub: "now", form: "now", need: admin, run: doRestart,
			help: "Restarts Parley at once. Running turns may be interrupted."},
		{name: "restart", sub: "session", form: "session", need: admin, session: true, run: doRestartSession,
			help: "Ends this session's idle process. The next message starts a new one with the same conversation."},
		{name: "update", need: watch, run: doUpdate,
			help: "Parley's version, and how to update it."},

		{name: "compact", form: "[what to keep]", need: prompt, session: true, run: doCompact,
			help: "Summarizes the conversation to free up context."},
		{name: "cd", form: "<folder>", need: admin, run: doCD,
			help: "Sets the folder for this thread's next session."},
		{name: "permissions", need: watch, run: doPermissions,
			help: "What the session may do without asking, and its open questions."},
		{name: "mode", form: "[default|acceptEdits|plan|auto|dontAsk|bypassPermissions|guarded]", need: admin, session: true, run: doMode,
			help: "Sets what the session may do without asking."},
		{name: "model", form: "[name]", need: prompt, session: true, run: doModel,
			help: "Sets the session's model."},
		{name: "effort", form: "[low|medium|high|xhigh|max]", need: prompt, session: true, run: doEffort,
			help: "Sets how much the model may think."},
		{name: "rename", form: "<title>", need: prompt, session: true, run: doRename,
			help: "Renames the session."},
		{name: "fork", form: "[title]", need: prompt, session: true, run: doFork,
			help: "Forks the session into a new thread."},
		{name: "export", form: "[md|json]", need: prompt, session: true, run: doExport,
			help: "Exports the conversation as a file."},
		{name: "loop", form: "[<interval> <prompt>]", need: prompt, run: doLoop,
			help: "Repeats a prompt at an interval; alone, lists what repeats."},

		{name: "heartbeats", need: watch, run: doHeartbeats,
			help: "Prompts on a schedule."},
		{name: "heartbeats", sub: "run", form: "run <name>", need: admin, run: doHeartbeatRun,
			help: "Runs one now."},
		{name: "heartbeats", sub: "on", form: "on <name>", need: admin, run: doHeartbeatSwitch(true),
			help: "Turns one on."},
		{name: "heartbeats", sub: "off", form: "off <name>", need: admin, run: doHeartbeatSwitch(false),
			help: "Turns one off."},
		{name: "heartbeats", sub: "pause", form: "pause [30m|2h|1d]", need: admin, run: doHeartbeatsPause,
			help: "Pauses all of them for a while, or until resumed."},
		{name: "heartbeats", sub: "resume", form: "resume", need: admin, run: doHeartbeatsResume,
			help: "Resumes all of them."},

		{name: "memory", need: approve, run: doMemory,
			help: "The newest memories."},
		{name: "memory", sub: "save", form: "save <text>", need: approve, run: doRemember,
			help: "Saves something to memory."},
		{name: "memory", sub: anyText, form: "<words>", need: approve, run: doMemory,
			help: "Searches the memory."},

		{name: "room", aliases: []string{"rooms"}, need: prompt, run: doRooms,
			help: "The rooms this session is in; for administrators, all rooms."},
		{name: "room", aliases: []string{"rooms"}, sub: "read", form: "read <room>", need: approve, run: doRoomRead,
			help: "The newest messages in one."},
		{name: "room", aliases: []string{"rooms"}, sub: "say", form: "say <room> <text>", need: prompt, run: doRoomSay,
			help: "Posts a message in one."},
		{name: "room", aliases: []string{"rooms"}, sub: "join", form: "join <room>", need: admin, session: true, run: doRoomJoin,
			help: "Adds this session to a room, and creates the room if needed."},

		{name: "sessions", need: prompt, run: doPanes,
			help: "The tmux terminals that run Claude Code."},
		{name: "session", at: 1, form: "<pane>", need: approve, run: doPane,
			help: "The screen of one."},
		{name: "session", at: 1, sub: "status", form: "<pane> status", need: approve, run: doPaneStatus,
			help: "What it is doing, its last message, and what it asks."},
		{name: "session", at: 1, sub: "nudge", form: "<pane> nudge", need: approve, run: doPaneNudge,
			help: "Asks it whether it is stuck."},
		{name: "session", at: 1, sub: "approve", form: "<pane> approve", need: approve, run: doPaneAnswer(true),
			help: "Allows its request once, if it is the one last shown in this thread."},
		{name: "session", at: 1, sub: "deny", form: "<pane> deny", need: approve, run: doPaneAnswer(false),
			help: "Denies its request, under the same condition."},
		{name: "session", at: 1, sub: "choose", form: "<pane> choose <number>", need: approve, run: doPaneChoose,
			help: "Chooses an option, under the same condition."},
		{name: "session", at: 1, sub: "kill", form: "<pane> kill", need: admin, run: doPaneKill,
			help: "Closes the pane and everything running in it."},
		{name: "session", at: 1, sub: anyText, form: "<pane> \"text\"", need: admin, run: doPaneType,
			help: "Types text and presses Enter."},
		{name: "spawn", form: "\"prompt\" [--name N] [--dir D]", need: admin, run: doSpawn,
			help: "Starts Claude Code in a new terminal and watches it from this thread."},
		{name: "watch", form: "[pane]", need: approve, run: doWatch,
			help: "Reports here when a terminal asks something, finishes, fails, stalls or ends; alone, lists the watched ones."},
		{name: "unwatch", form: "<pane>", need: approve, run: doUnwatch,
			help: "Stops watching it."},
	}
}

func doHelp(_ context.Context, t *Table, g given) (Reply, error) {
	if g.text == "" {
		return Reply{Text: t.help(g.Role)}, nil
	}
	name := strings.ToLower(strings.TrimPrefix(free(g.text), "!"))
	if forms := t.forms(name); len(forms) > 0 {
		return Reply{Text: t.usage(forms[0].name)}, nil
	}
	return Reply{Text: t.unknown(Call{Name: post.Truncate(post.OneLine(name), maxName)})}, nil
}
