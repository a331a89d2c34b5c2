package command

import (
	"context"
	"strings"

	"parley/backend/relay/port"
	"parley/backend/relay/post"
)

// rows are all commands, in the order of the help.
func rows() []row {
	watch, prompt, approve, admin := port.RoleWatch, port.RolePrompt, port.RoleApprove, port.RoleAdmin
	return []row{
		{name: "help", aliases: []string{"commands"}, form: "[command]", need: watch, run: doHelp,
			help: "This list, or how one command is written."},
		{name: "stats", aliases: []string{"cost"}, need: watch, session: true, run: doStats,
			help: "Tokens, context, model, speed and cost of this thread's session."},
		{name: "usage", need: watch, run: doUsage,
			help: "What was used today and this month, budgets, and what is known of the subscription's limits."},
		{name: "context", need: watch, session: true, run: doContext,
			help: "What fills the session's context window."},

		{name: "stop", need: prompt, session: true, run: doStop,
			help: "Ends the session and drops what waits from here. The next message begins a new one; this one stays readable in Parley. A session of Parley's own list stays open: only its turn is interrupted, and what Parley queued is kept."},
		{name: "escape", aliases: []string{"interrupt", "esc"}, need: prompt, session: true, run: doEscape,
			help: "Interrupts the running turn."},
		{name: "kill", need: admin, session: true, run: doKill,
			help: "Ends the session's process at once, without its goodbye."},
		{name: "restart", need: admin, session: true, run: doRestart,
			help: "Ends the idle process of this session; the next message starts it afresh, with the same conversation. Parley itself runs on."},
		{name: "update", need: watch, run: doUpdate,
			help: "The version of this Parley, and how it is updated. It is no checkout, and does not update itself."},

		{name: "compact", form: "[what to keep]", need: prompt, session: true, run: doCompact,
			help: "Has the conversation summarised."},
		{name: "cd", form: "<folder>", need: admin, run: doCD,
			help: "The folder of the session that this thread begins next."},
		{name: "permissions", need: watch, run: doPermissions,
			help: "What the session may do without asking, and what it asks now."},
		{name: "mode", form: "[default|acceptEdits|plan|auto|dontAsk|bypassPermissions|guarded]", need: admin, session: true, run: doMode,
			help: "What the session may do without asking."},
		{name: "model", form: "[name]", need: prompt, session: true, run: doModel,
			help: "The session's model."},
		{name: "effort", form: "[low|medium|high|xhigh|max]", need: prompt, session: true, run: doEffort,
			help: "How much the model may think."},
		{name: "rename", form: "<title>", need: prompt, session: true, run: doRename,
			help: "Gives the session a title."},
		{name: "fork", form: "[title]", need: prompt, session: true, run: doFork,
			help: "A second session that goes on from here, in Parley's list."},
		{name: "export", form: "[md|json]", need: prompt, session: true, run: doExport,
			help: "The conversation as a file."},
		{name: "loop", form: "[<interval> <prompt>]", need: prompt, run: doLoop,
			help: "Has the session do something again and again; alone, it lists what it does."},

		{name: "heartbeats", need: watch, run: doHeartbeats,
			help: "Prompts on a schedule."},
		{name: "heartbeats", sub: "run", form: "run <name>", need: admin, run: doHeartbeatRun,
			help: "Runs one now."},
		{name: "heartbeats", sub: "on", form: "on <name>", need: admin, run: doHeartbeatSwitch(true),
			help: "Switches one on."},
		{name: "heartbeats", sub: "off", form: "off <name>", need: admin, run: doHeartbeatSwitch(false),
			help: "Switches one off."},
		{name: "heartbeats", sub: "pause", form: "pause [30m|2h|1d]", need: admin, run: doHeartbeatsPause,
			help: "Runs none, for a while or until somebody resumes them."},
		{name: "heartbeats", sub: "resume", form: "resume", need: admin, run: doHeartbeatsResume,
			help: "Lets all go on."},

		{name: "memory", need: approve, run: doMemory,
			help: "The newest of what is remembered."},
		{name: "memory", sub: "save", form: "save <text>", need: prompt, run: doRemember,
			help: "Remembers something."},
		{name: "memory", sub: anyText, form: "<words>", need: approve, run: doMemory,
			help: "Looks for words in what is remembered."},

		{name: "room", aliases: []string{"rooms"}, need: prompt, run: doRooms,
			help: "The rooms in which sessions talk."},
		{name: "room", aliases: []string{"rooms"}, sub: "read", form: "read <room>", need: approve, run: doRoomRead,
			help: "The newest messages of one."},
		{name: "room", aliases: []string{"rooms"}, sub: "say", form: "say <room> <text>", need: prompt, run: doRoomSay,
			help: "Says something in one."},
		{name: "room", aliases: []string{"rooms"}, sub: "join", form: "join <room>", need: admin, session: true, run: doRoomJoin,
			help: "Brings this session into one, which is made if there is none."},

		{name: "sessions", need: prompt, run: doPanes,
			help: "Terminals (tmux) in which the CLI runs."},
		{name: "session", at: 1, form: "<pane>", need: approve, run: doPane,
			help: "The screen of one."},
		{name: "session", at: 1, sub: "status", form: "<pane> status", need: approve, run: doPaneStatus,
			help: "What it does, said last, and asks."},
		{name: "session", at: 1, sub: "nudge", form: "<pane> nudge", need: approve, run: doPaneNudge,
			help: "Asks it whether it is stuck."},
		{name: "session", at: 1, sub: "approve", form: "<pane> approve", need: approve, run: doPaneAnswer(true),
			help: "Allows what it asks, this once, if it is what this thread was shown last."},
		{name: "session", at: 1, sub: "deny", form: "<pane> deny", need: approve, run: doPaneAnswer(false),
			help: "Refuses it, likewise."},
		{name: "session", at: 1, sub: "choose", form: "<pane> choose <number>", need: approve, run: doPaneChoose,
			help: "Chooses an option, likewise."},
		{name: "session", at: 1, sub: "kill", form: "<pane> kill", need: admin, run: doPaneKill,
			help: "Ends the pane and what runs in it."},
		{name: "session", at: 1, sub: anyText, form: "<pane> \"text\"", need: admin, run: doPaneType,
			help: "Types a text and Enter."},
		{name: "spawn", form: "\"prompt\" [--name N] [--dir D]", need: admin, run: doSpawn,
			help: "Starts the CLI in a terminal of its own, and watches it for this thread."},
		{name: "watch", form: "[pane]", need: approve, run: doWatch,
			help: "Tells this thread when a terminal asks something, is done, fails, stalls or ends; alone, it lists those."},
		{name: "unwatch", form: "<pane>", need: approve, run: doUnwatch,
			help: "Tells it no more."},
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
	return Reply{Text: t.unknown(Call{Name: post.Cut(post.OneLine(name), maxName)})}, nil
}
