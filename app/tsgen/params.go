package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"parley/app/method"
)

// paramsOutput is read by package method.
const paramsOutput = "app/method/params.gen.json"

// params describes each parameter of each method: by its comment, or by the meaning its name always
// has.
func (g *generator) params(methods []*method.Method) ([]byte, error) {
	all := map[string]map[string]string{}
	for _, m := range methods {
		about := map[string]string{}
		for _, f := range fieldsOf(m.Params) {
			if err := g.docs.load(f.owner.PkgPath()); err != nil {
				return nil, err
			}
			text := g.docs.read[f.owner.PkgPath()][f.owner.Name()+"."+f.Name]
			if rest, ok := strings.CutPrefix(text, f.Name+" "); ok && !strings.HasPrefix(rest, "and ") {
				text = "It " + rest
			}
			if text == "" {
				text = words[f.json]
			}
			if text == "" {
				return nil, fmt.Errorf("%s: %s has no description; give its field a comment", m.Name, f.json)
			}
			about[f.json] = strings.Join(strings.Fields(text), " ")
		}
		if len(about) > 0 {
			all[m.Name] = about
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(all); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// words describe parameters without a comment, which mean the same in every method.
var words = map[string]string{
	"about":                "Only what is about this.",
	"accent":               "The accent color.",
	"allowInsecure":        "Whether a server without TLS is allowed.",
	"allowUnrecorded":      "Whether something may be allowed while the log cannot be written.",
	"attachments":          "Files and images to attach to the prompt.",
	"before":               "The page before this cursor, as the last answer gave it.",
	"budgetDayTokens":      "Tokens that heartbeats may use in a day.",
	"budgetDayUSD":         "Dollars that heartbeats may cost in a day.",
	"budgetMonthTokens":    "Tokens that heartbeats may use in a month.",
	"budgetMonthUSD":       "Dollars that heartbeats may cost in a month.",
	"channelId":            "The channel's ID in Mattermost.",
	"cliPath":              "The Claude Code CLI to run, \"\" for the one that is found.",
	"closeToTray":          "Whether Parley keeps running in the tray when its window is closed.",
	"closeWhileWorking":    "What closing the window does while sessions work: ask, background or quit.",
	"code":                 "The code that the sign-in page showed.",
	"codeFont":             "The font of code.",
	"codeFontSize":         "The size of code in pixels.",
	"column":               "The column, from 1.",
	"config":               "All Mattermost settings.",
	"cwd":                  "The folder to work in, as an absolute path.",
	"defaults":             "The defaults of new sessions in the folder.",
	"density":              "The spacing between elements.",
	"doNotDisturbUntil":    "Until when notifications are off, in milliseconds since 1970.",
	"editor":               "The editor that opens files.",
	"effect":               "Whether the rule allows, asks or denies.",
	"effort":               "How much the model thinks: low, medium, high or max.",
	"enabled":              "Whether it is on.",
	"engine":               "How the CLI is driven: cli or sdk.",
	"env":                  "Variables of the environment, by name.",
	"events":               "Events by name: session.*, * or exact names.",
	"expiry":               "When the rule ends.",
	"file":                 "The file's name.",
	"files":                "Only these files.",
	"first":                "The first message that the page has.",
	"folder":               "The folder, as an absolute path.",
	"font":                 "The font of text.",
	"fontSize":             "The size of text in pixels.",
	"format":               "The format: markdown or json.",
	"guard":                "Which harmless tool calls are allowed without asking: off, static or reviewed.",
	"hasError":             "Only messages with a tool that failed.",
	"helper":               "A command that prints the credential.",
	"id":                   "Its ID.",
	"kind":                 "Its kind.",
	"language":             "The language of the page.",
	"layout":               "The layout, as stored by the page.",
	"linked":               "Whether the window shows an error if the place cannot be opened.",
	"limit":                "How many at most.",
	"memberId":             "The member's id in the room.",
	"memoryBudgetTokens":   "How many tokens of memory a new session gets.",
	"memoryInject":         "Whether memory is included in new sessions.",
	"menuBar":              "Whether the window has a menu bar.",
	"messageId":            "The message's id.",
	"mode":                 "The permission mode.",
	"model":                "The model, as the CLI names it.",
	"muted":                "Whether the member is muted.",
	"name":                 "Its name.",
	"natsCredentials":      "The file with the credentials of the NATS server.",
	"natsUrl":              "The NATS server that connects rooms across computers.",
	"note":                 "Your note about it.",
	"notifyAfterSeconds":   "How long a turn must take before its end is notified.",
	"notifyDone":           "Whether the end of a turn is notified.",
	"notifyFailure":        "Whether a failure is notified.",
	"notifyQuestion":       "Whether a request is notified.",
	"number":               "The message's number in the conversation.",
	"offset":               "How many to skip.",
	"on":                   "Whether it is on.",
	"path":                 "The path, absolute or below the session's folder.",
	"paused":               "Whether heartbeats are paused.",
	"permissionMode":       "The permission mode of new sessions.",
	"pid":                  "The process's id.",
	"pinned":               "Whether it stays at the top.",
	"profile":              "The id of an environment and provider.",
	"profileId":            "The profile's id.",
	"promptId":             "The prompt's id, as it was chosen when it was sent.",
	"query":                "The words to search for.",
	"questionTimeoutHours": "After how many hours an open request is denied.",
	"recordId":             "The id of the run's record.",
	"requestId":            "The request's ID.",
	"reviewerModel":        "The small model of auto-approve's AI review.",
	"revision":             "The revision that was read; another one is a conflict.",
	"roomHours":            "How many hours a room keeps its messages.",
	"roomId":               "The room's id.",
	"roomMaxHops":          "How many messages sessions may send in a row in a room.",
	"roomNick":             "Your nickname in rooms.",
	"roomTurnsPerHour":     "How many turns an hour a room may start in a session.",
	"roomWake":             "Which messages in a room start a turn.",
	"rule":                 "The rule, as it is written.",
	"rules":                "The room's limits.",
	"scheme":               "The color scheme.",
	"scope":                "Where the rule applies: session, workspace or everywhere.",
	"scopeId":              "The session or workspace in which the rule applies.",
	"seq":                  "The number of the newest message that was read.",
	"sessionId":            "The session's id.",
	"shortcuts":            "Keyboard shortcuts by action.",
	"showTray":             "Whether there is a tray icon.",
	"since":                "Only what is newer, in milliseconds since 1970.",
	"spec":                 "The heartbeat, as it is written in heartbeats.yaml.",
	"startAtLogin":         "Whether Parley starts with your login.",
	"suggestions":          "Whether a next prompt is suggested.",
	"browserPort":          "The port on this computer where paired browsers find the window's Parley; 0 means none.",
	"suspendMinutes":       "After how many idle minutes a session's process is stopped.",
	"taskId":               "The background task's ID.",
	"teamId":               "The team's ID in Mattermost.",
	"text":                 "The text.",
	"theme":                "Light, dark, or as set in the system.",
	"title":                "The session's title.",
	"to":                   "The end of the period, in milliseconds since 1970.",
	"tool":                 "The tool's name.",
	"toolsOff":             "The sets of Parley's tools that are off.",
	"turnId":               "The turn's id.",
	"type":                 "Only records of this type.",
	"until":                "Only what is older, in milliseconds since 1970.",
	"url":                  "The address of the Mattermost server.",
	"was":                  "The text as it was read; another one is a conflict.",
	"whileBusy":            "What happens to a prompt while a turn runs: now or queue.",
	"window":               "The window's name.",
	"words":                "The words to search for.",
	"workspaceId":          "The workspace's id.",
	"zoom":                 "The zoom in percent.",
}
