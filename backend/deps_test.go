package backend_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rule says which of our packages a package may import, and why not more.
type rule struct {
	may []string
	why string
}

// allowed defines the dependency direction of the program. A package that is not in the table
// is an error: whoever adds one defines here what it may import.
func allowed() map[string]rule {
	const leaf = "a leaf knows nothing of the rest"
	const adapter = "an adapter ties one thing of the outside world; adapters never know each other"
	const surface = "a surface serves the method table and the bus, and no feature behind them"
	return map[string]rule{
		"backend":                     {why: "it only holds the map"},
		"backend/fault":               {why: leaf},
		"backend/event":               {why: leaf},
		"backend/claude/wire":         {[]string{"backend/truncate"}, leaf},
		"backend/paths":               {[]string{"backend/fault", "backend/platform/atomicfile", "backend/platform/safeopen"}, leaf},
		"backend/platform/logbuffer":  {why: leaf},
		"backend/platform/notify":     {[]string{"backend/event"}, "it decides by what it is told, and knows one way to say it"},
		"backend/platform/push":       {[]string{"backend/fault"}, "it sends what it is told to addresses, and knows nothing of what happened"},
		"backend/platform/safeopen":   {why: leaf},
		"backend/platform/disk":       {why: leaf},
		"backend/platform/seal":       {why: leaf},
		"backend/platform/contain":    {why: leaf},
		"backend/platform/atomicfile": {why: leaf},
		"backend/platform/handover":   {why: leaf},
		"backend/host/child":          {why: leaf},
		"backend/update":              {[]string{"backend/fault", "backend/paths", "backend/platform/atomicfile", "backend/platform/safeopen"}, "it trusts what was signed, and executes nothing"},
		"backend/host":                {[]string{"backend/host/child", "backend/owner"}, "it is most of a small program that runs beside Parley, and knows nothing of what the programs say"},
		"backend/untrusted":           {why: leaf},
		"backend/choice":              {why: leaf},
		"backend/markdown":            {why: leaf},
		"backend/owner":               {why: leaf},
		"backend/truncate":            {why: leaf},
		"backend/fold":                {why: leaf},
		"backend/style":               {[]string{"backend/fault", "backend/outside", "backend/paths", "backend/platform/atomicfile", "backend/platform/safeopen"}, "it reads one file, and knows nothing of pages"},
		"backend/settings":            {[]string{"backend/choice", "backend/fault", "backend/outside", "backend/problem", "backend/platform/safeopen", "backend/platform/atomicfile"}, leaf},
		"backend/problem":             {[]string{"backend/truncate"}, leaf},
		"backend/store":               {[]string{"backend/fault", "backend/platform/atomicfile"}, leaf},
		"backend/snapshot":            {[]string{"backend/fault", "backend/platform/safeopen", "backend/platform/atomicfile", "backend/store", "backend/store/schema"}, "it copies files and puts them back, and knows of what is in them only whether a store is whole"},
		"backend/kept":                {[]string{"backend/store/model", "backend/store", "backend/store/schema"}, "it keeps texts and marks, and knows neither files nor what they mean"},
		"backend/outside/outsidetest": {why: "it keeps what was accepted for tests"},
		"backend/outside":             {[]string{"backend/choice", "backend/heartbeat/plan", "backend/chat/relay/port", "backend/truncate"}, "it judges what it is given, and knows of files only what they say"},
		"backend/store/model":         {nil, leaf},
		"backend/bus":                 {[]string{"backend/event", "backend/fault", "backend/owner"}, "it carries events and knows neither who makes nor who shows them"},
		"backend/usage":               {[]string{"backend/claude/wire", "backend/event"}, "it does sums on what frames report"},
		"backend/claude/transcript":   {[]string{"backend/claude/wire", "backend/event", "backend/truncate", "backend/untrusted", "backend/usage"}, "frames in, events out, nothing else"},
		"backend/permission":          {[]string{"backend/event", "backend/fault"}, "it knows neither who asks nor who answers"},

		"backend/permission/rule":       {[]string{"backend/permission/rule/shell"}, "it decides by what it is given, and knows neither who asks nor who answers"},
		"backend/permission/rule/shell": {why: leaf},
		"backend/permission/guard":      {[]string{"backend/permission/rule", "backend/permission/rule/shell", "backend/truncate"}, "it judges what it is given, and decides nothing"},

		"backend/search":               {[]string{"backend/owner", "backend/truncate", "backend/platform/safeopen"}, "it is given what to find, and knows neither files nor formats"},
		"backend/session/profile":      {[]string{"backend/fault", "backend/store/model"}, "it declares what it needs of a store and of a keyring"},
		"backend/usage/spend":          {[]string{"backend/event", "backend/owner", "backend/store/model", "backend/usage"}, "it is told what was used, and knows neither files nor sessions"},
		"backend/platform/process":     {[]string{"backend/fault"}, "it looks at processes, and knows nothing of what they are for"},
		"backend/permission/audit":     {[]string{"backend/fault", "backend/owner", "backend/platform/safeopen"}, "it is told plain values, and knows neither who asks nor who answers"},
		"backend/platform/filefind":    {[]string{"backend/fault", "backend/fold", "backend/platform/safeopen"}, "it finds names in folders, and knows nothing of what they are for"},
		"backend/platform/shellrun":    {[]string{"backend/fault"}, "it runs what it is given, and knows nothing of sessions"},
		"backend/store/blob":           {[]string{"backend/fault", "backend/platform/safeopen"}, leaf},
		"backend/chat":                 {why: leaf},
		"backend/chat/mattermost":      {[]string{"backend/chat", "backend/fault", "backend/chat/mattermost/wire", "backend/owner", "backend/chat/relay/port"}, adapter + "; of the relay it knows the interface to satisfy"},
		"backend/chat/relay":           {[]string{"backend/chat", "backend/event", "backend/fault", "backend/owner", "backend/chat/relay/access", "backend/chat/relay/ask", "backend/chat/relay/command", "backend/chat/relay/port", "backend/chat/relay/post", "backend/tmux", "backend/untrusted"}, "it knows chats, sessions and stores as its ports only"},
		"backend/chat/relay/access":    {[]string{"backend/chat", "backend/choice", "backend/fault", "backend/chat/relay/port", "backend/truncate"}, "it decides who may, and knows nothing of what it is for"},
		"backend/chat/relay/ask":       {[]string{"backend/chat", "backend/event", "backend/fault", "backend/owner", "backend/permission", "backend/chat/relay/access", "backend/chat/relay/port", "backend/chat/relay/post"}, "it knows the chat and the desk as the relay's ports only"},
		"backend/chat/relay/command":   {[]string{"backend/choice", "backend/chat", "backend/event", "backend/fault", "backend/chat/relay/port", "backend/chat/relay/post", "backend/tmux", "backend/untrusted"}, "it declares what it needs of sessions and of all else that commands are about"},
		"backend/chat/relay/post":      {[]string{"backend/chat", "backend/event", "backend/markdown", "backend/owner", "backend/chat/relay/port"}, "it makes posts of events, and knows neither who may see them nor where they belong"},
		"backend/chat/relay/port":      {[]string{"backend/chat", "backend/event"}, "it declares what the relay needs of a chat, of sessions and of a store"},
		"backend/tmux":                 {[]string{"backend/truncate"}, adapter + "; where it keeps things is handed to it"},
		"backend/claude/todo":          {[]string{"backend/platform/safeopen", "backend/truncate"}, leaf},
		"backend/heartbeat":            {[]string{"backend/event", "backend/fault", "backend/heartbeat/plan", "backend/outside", "backend/owner", "backend/store/model", "backend/platform/safeopen", "backend/platform/atomicfile", "backend/truncate"}, "it declares what it needs of sessions and of a store"},
		"backend/heartbeat/plan":       {[]string{"backend/choice", "backend/fault", "backend/truncate", "backend/untrusted"}, "it is handed text and times, and knows neither the disk nor who runs what is due"},
		"backend/memory":               {[]string{"backend/fault", "backend/outside", "backend/owner", "backend/platform/safeopen", "backend/truncate", "backend/untrusted"}, "it keeps texts, and knows sessions by their ids only"},
		"backend/claude/clisettings":   {[]string{"backend/fault", "backend/platform/safeopen", "backend/platform/atomicfile"}, adapter},
		"backend/permission/trust":     {[]string{"backend/claude/clisettings"}, "it says what it finds, and knows neither who asks nor what was answered"},
		"backend/permission/rulestore": {[]string{"backend/fault", "backend/store/model", "backend/permission/rule"}, "it declares what it needs of a store, and knows neither who asks nor who answers"},
		"backend/filechange":           {[]string{"backend/truncate"}, "it reads lines of the CLI's, and touches no file"},
		"backend/filechange/gitdiff":   {[]string{"backend/fault"}, "it asks git, and knows nothing of who asks"},
		"backend/filechange/undo":      {[]string{"backend/fault", "backend/platform/safeopen"}, "it puts back what it is given"},
		"backend/search/textsearch":    {[]string{"backend/event", "backend/fold", "backend/markdown"}, "it is given messages"},
		"backend/platform/logfile":     {why: leaf},
		"backend/platform/packed":      {why: leaf},
		"backend/platform/service":     {[]string{"backend/fault", "backend/platform/atomicfile", "backend/platform/safeopen"}, leaf},
		"backend/platform/autostart":   {[]string{"backend/fault", "backend/platform/atomicfile"}, leaf},
		"backend/platform/editor":      {[]string{"backend/fault"}, leaf},
		"backend/session/library":      {[]string{"backend/choice", "backend/fold", "backend/claude/wire", "backend/event", "backend/fault", "backend/claude/history", "backend/owner", "backend/store/model", "backend/session", "backend/untrusted", "backend/usage"}, "it joins the sessions that run, rest and lie on disk; what it needs of the store it declares"},
		"backend/session/workspace":    {[]string{"backend/fault", "backend/store/model", "backend/platform/safeopen"}, "it declares what it needs of a store and of the sessions"},
		"backend/need":                 {nil, "test code"},

		"backend/session": {[]string{"backend/choice", "backend/claude/wire", "backend/event", "backend/fault", "backend/owner", "backend/claude/transcript", "backend/truncate", "backend/untrusted", "backend/usage"}, "it imports no adapter, only interfaces that it declares itself"},

		"backend/claude":                      {[]string{"backend/claude/wire", "backend/fault", "backend/host/child", "backend/platform/safeopen", "backend/session"}, adapter + "; of sessions it knows the interfaces to satisfy"},
		"backend/claude/claudetest":           {nil, "a fake knows the protocol's lines and nothing of what it tests"},
		"backend/demo":                        {[]string{"backend/fault"}, adapter},
		"backend/claude/history":              {[]string{"backend/event", "backend/fault", "backend/platform/safeopen", "backend/claude/transcript", "backend/truncate", "backend/usage"}, adapter + "; what is found out is kept by whoever it is given to"},
		"backend/claude/history/corpus":       {nil, "it writes what others read, and knows none of them"},
		"backend/claude/history/corpus/write": {[]string{"backend/claude/history/corpus"}, "it only reads the arguments"},
		"backend/store/schema":                {[]string{"backend/store/model", "backend/store"}, "it says what is kept, and knows nothing of what it is for"},
		"backend/store/storetest":             {[]string{"backend/store"}, "test code of the store"},
		"backend/toolserver":                  {[]string{"backend/fault", "backend/platform/safeopen", "backend/platform/atomicfile", "backend/toolserver/relay", "backend/truncate"}, adapter + "; tools are handed to it"},

		"backend/toolserver/relay":            {nil, "each session has a process of it, so it brings nothing along"},
		"backend/toolserver/relay/parley-mcp": {[]string{"backend/host", "backend/platform/contain", "backend/platform/seal", "backend/toolserver/relay"}, "it is those packages as a program, closed off from others"},

		"backend/chat/mattermost/wire":                 {nil, "the server's JSON, and nothing else"},
		"backend/chat/mattermost/mattermosttest":       {nil, "a fake knows the server's ways and nothing of what it tests"},
		"backend/chat/mattermost/mattermosttest/serve": {[]string{"backend/chat/mattermost/mattermosttest"}, "it runs the fake and does what it is told"},

		"backend/room":          {[]string{"backend/fold", "backend/untrusted"}, "it says what rooms are, and knows neither who keeps nor who runs them"},
		"backend/room/embedded": {[]string{"backend/fault", "backend/room", "backend/store"}, "it keeps rooms, and knows nothing of who is in them"},
		"backend/room/hub":      {[]string{"backend/owner", "backend/room"}, "it knows sessions by what it declares, and the store by its interface"},
		"backend/room/natsroom": {[]string{"backend/fault", "backend/owner", "backend/room"}, adapter + "; its replica is handed to it"},
		"backend/room/roomtest": {[]string{"backend/owner", "backend/room", "backend/room/hub"}, "test code of rooms"},

		"app/changes":             {[]string{"app/feature", "app/method", "backend/filechange", "backend/filechange/gitdiff", "backend/event", "backend/fault", "backend/claude/history", "backend/session/library", "backend/session", "backend/filechange/undo"}, "it reads what sessions changed, and undoes it"},
		"app/feature":             {[]string{"backend/fault", "backend/session/profile"}, "features share what is at their border, and nothing of what they do"},
		"app/files":               {[]string{"app/feature", "app/method", "backend/claude/wire", "backend/platform/editor", "backend/event", "backend/fault", "backend/platform/filefind", "backend/session/library", "backend/platform/atomicfile"}, "files that people name, open, save and send"},
		"app/heartbeats":          {[]string{"app/feature", "app/method", "app/sessions", "backend/event", "backend/fault", "backend/heartbeat", "backend/heartbeat/plan", "backend/session/library", "backend/store/model", "backend/session", "backend/session/workspace", "backend/outside", "backend/paths", "backend/problem"}, "prompts on a schedule run as sessions"},
		"app/memory":              {[]string{"app/feature", "app/method", "app/tool", "backend/event", "backend/fault", "backend/memory", "backend/session", "backend/settings", "backend/toolserver", "backend/session/workspace", "backend/outside", "backend/paths", "backend/problem"}, "what is remembered, for people and by tools"},
		"app/push":                {[]string{"app/feature", "app/method", "backend/fault", "backend/platform/notify", "backend/platform/push", "backend/session/profile", "backend/store", "backend/store/model"}, "the addresses that word goes to, and their rules"},
		"app/notices":             {[]string{"app/feature", "app/method", "app/push", "app/settings", "app/storage", "backend/bus", "backend/event", "backend/fault", "backend/heartbeat", "backend/platform/notify", "backend/problem", "backend/room", "backend/settings", "backend/session", "backend/style"}, "it tells the person on this computer, and asks before work is cut"},
		"app/processes":           {[]string{"app/feature", "app/method", "backend/claude", "backend/platform/contain", "backend/event", "backend/fault", "backend/platform/process", "backend/platform/safeopen", "backend/platform/atomicfile"}, "it knows sessions by functions it is handed"},
		"app/rooms":               {[]string{"app/feature", "app/method", "app/notices", "app/sessions", "backend/bus", "backend/event", "backend/fault", "backend/room", "backend/room/hub", "backend/session", "backend/settings", "app/rooms/roomstore"}, "people and sessions talk, by methods and by tools"},
		"app/search":              {[]string{"app/method", "backend/event", "backend/fault", "backend/search/textsearch", "backend/claude/history", "backend/search"}, "it reads conversations, and knows no one who runs them"},
		"app/sessions":            {[]string{"backend/choice", "app/feature", "app/files", "app/method", "app/usage", "backend/claude/wire", "backend/event", "backend/fault", "backend/session/library", "backend/store/model", "backend/session", "backend/settings", "backend/claude/todo", "backend/session/workspace"}, "it keeps and runs sessions; files that go with prompts are the files'"},
		"app/sessiontools":        {[]string{"backend/choice", "app/feature", "app/sessions", "app/tool", "backend/bus", "backend/event", "backend/fault", "backend/session/library", "backend/store/model", "backend/session", "backend/toolserver", "backend/untrusted", "backend/session/workspace"}, "tools by which a session reaches others, and its person"},
		"app/settings":            {[]string{"backend/session", "backend/choice", "app/feature", "app/method", "backend/platform/autostart", "backend/fault", "backend/paths", "backend/settings", "backend/outside", "backend/problem"}, "the person's choices, and starting at login"},
		"app/shell":               {[]string{"app/feature", "app/method", "backend/claude", "backend/event", "backend/fault", "backend/session/library", "backend/session", "backend/platform/shellrun", "backend/claude/transcript"}, "commands of a person run beside a session"},
		"app/rooms/roomstore":     {[]string{"app/feature", "app/storage", "backend/fault", "backend/kept", "backend/paths", "backend/problem", "backend/room", "backend/room/embedded", "backend/room/natsroom", "backend/settings", "backend/snapshot"}, "it opens what rooms are stored in, and knows no session"},
		"app/rooms/roomtool":      {[]string{"app/rooms", "app/tool", "backend/room", "backend/room/hub", "backend/session", "backend/toolserver", "backend/untrusted"}, "a session's part in rooms; it is handed them"},
		"app/heartbeats/beattool": {[]string{"app/feature", "app/heartbeats", "app/tool", "backend/event", "backend/fault", "backend/heartbeat", "backend/heartbeat/plan", "backend/session", "backend/toolserver", "backend/untrusted"}, "it changes heartbeats for a model, and is handed them"},
		"app/heartbeats/ledger":   {[]string{"backend/heartbeat", "backend/store", "backend/store/model", "backend/store/schema"}, "it knows how runs are stored, and nothing of schedules"},
		"app/engine/models":       {[]string{"app/method", "app/sessions", "backend/choice", "backend/claude", "backend/claude/wire", "backend/event", "backend/fault", "backend/platform/atomicfile", "backend/platform/safeopen", "backend/session"}, "it has a CLI asked, and knows not how"},
		"app/engine/admission":    {[]string{"app/trust", "backend/event", "backend/fault", "backend/permission", "backend/session"}, "it asks about folders, and knows no CLI"},
		"app/health":              {nil, "it asks what it is handed"},
		"app/sessionstore":        {[]string{"backend/fault", "backend/session/library", "backend/session/workspace", "backend/store", "backend/store/blob", "backend/store/model", "backend/store/schema"}, "it knows how sessions are stored, and nothing of what they do"},
		"app/storage":             {[]string{"backend/store/blob", "backend/platform/disk", "backend/event", "backend/fault", "backend/paths", "backend/problem", "backend/platform/atomicfile", "backend/session", "backend/snapshot", "backend/store", "backend/store/schema"}, "what is kept, and what is wrong with that; it knows no feature that keeps it"},
		"app/snapshots":           {[]string{"app/feature", "app/method", "backend/fault", "backend/kept", "backend/problem", "backend/snapshot", "backend/store", "backend/store/schema"}, "it copies what is kept and brings it back, and knows nothing of what is in it"},
		"app/terminals":           {[]string{"app/feature", "app/sessiontools", "app/tool", "backend/event", "backend/fault", "backend/platform/safeopen", "backend/chat/relay/command", "backend/platform/atomicfile", "backend/session", "backend/tmux", "backend/toolserver", "backend/untrusted", "backend/claude", "backend/paths"}, "terminals are watched for sessions and people"},
		"app/tool":                {[]string{"app/feature", "app/method", "backend/event", "backend/fault", "backend/permission", "backend/permission/rule", "backend/session", "backend/settings", "backend/toolserver", "backend/untrusted", "backend/session/workspace"}, "tools are given to it; it knows no feature and not who runs sessions"},
		"app/tool/tooltest":       {[]string{"app/tool", "backend/event", "backend/permission", "backend/session"}, "test code of tools"},
		"app/usage":               {[]string{"app/feature", "app/method", "backend/claude/wire", "backend/event", "backend/fault", "backend/claude/history", "backend/store/model", "backend/session", "backend/usage/spend", "backend/store", "backend/store/schema", "backend/usage", "backend/settings"}, "it accounts for what the files and the results of turns say"},
		"app/update":              {[]string{"app/feature", "app/method", "app/restart", "backend/fault", "backend/update"}, "it decides who may have it done; what is trusted is decided below"},
		"app/restart":             {[]string{"app/feature", "app/method", "backend/event", "backend/fault", "backend/problem"}, "it decides when another program goes on; how is the role's"},
		"app/audit":               {[]string{"app/feature", "app/method", "backend/event", "backend/fault", "backend/permission", "backend/permission/audit", "backend/permission/rule", "backend/session", "backend/problem", "app/storage"}, "the log of permissions, for people"},
		"app/devices":             {[]string{"app/feature", "app/method", "backend/event", "backend/fault", "backend/store", "backend/store/model", "backend/untrusted"}, "the devices that were paired, and what they may"},
		"app/trust":               {[]string{"app/feature", "app/method", "backend/event", "backend/fault", "backend/permission", "backend/permission/audit", "backend/permission/trust", "backend/store", "backend/store/model"}, "what a folder makes the CLI load, and what people answered for"},
		"app/install":             {[]string{"backend/platform/process", "app/feature", "app/method", "backend/claude", "backend/fault", "backend/problem", "backend/settings"}, "which CLI runs, and installing one"},
		"app/signin":              {[]string{"backend/platform/process", "app/feature", "app/method", "backend/claude", "backend/fault"}, "it drives the CLI's own login"},
		"app/diagnostics":         {[]string{"app/checkup", "app/doctor", "app/feature", "app/install", "app/method", "app/notices", "app/restart", "app/settings", "backend/claude", "backend/event", "backend/fault", "backend/paths", "backend/platform/logbuffer", "backend/settings", "backend/style"}, "what this Parley is, its log and reports"},
		"app/profiles":            {[]string{"backend/platform/process", "app/feature", "app/method", "backend/claude", "backend/fault", "backend/session/profile", "backend/problem"}, "environments that sessions run with; secrets stay in the keyring"},
		"app/tour":                {[]string{"app/feature", "app/method", "app/sessions", "backend/claude/wire", "backend/event", "backend/fault", "backend/demo", "backend/session/library", "backend/paths"}, "the guided tour plays in a session of its own"},
		"app/elicitation":         {[]string{"app/feature", "app/tool", "backend/claude/wire"}, "a form is questions and answers, and asks nobody itself"},
		"app/reading":             {[]string{"backend/claude/history", "backend/event", "backend/session/library"}, "it keeps the catalog of conversations up to date"},
		"app/permissions":         {[]string{"backend/choice", "app/feature", "app/method", "backend/claude/clisettings", "backend/claude/wire", "backend/event", "backend/fault", "backend/paths", "backend/permission", "backend/permission/audit", "backend/permission/guard", "backend/permission/rule", "backend/permission/rulestore", "backend/session", "backend/toolserver"}, "it decides about uses of tools, and knows of the rest only by questions"},
		"app/chat":                {[]string{"app/chat/config", "app/feature", "app/method", "app/tool", "backend/chat", "backend/chat/mattermost", "backend/chat/relay", "backend/chat/relay/access", "backend/chat/relay/command", "backend/chat/relay/port", "backend/event", "backend/fault", "backend/heartbeat", "backend/problem", "backend/tmux"}, "it owns the connection; what threads and commands reach is handed to it"},
		"app/chat/config":         {[]string{"backend/chat/relay/access", "backend/chat/relay/port", "backend/fault", "backend/outside", "backend/paths", "backend/platform/atomicfile", "backend/platform/safeopen", "backend/problem", "backend/session/profile", "app/feature", "backend/kept"}, "it keeps what was decided, and connects to nothing"},
		"app/chat/ports":          {[]string{"app/chat/words", "app/feature", "app/files", "app/heartbeats", "app/memory", "app/permissions", "app/processes", "app/rooms", "app/sessions", "app/tool", "app/usage", "backend/bus", "backend/chat", "backend/chat/relay/command", "backend/chat/relay/port", "backend/event", "backend/fault", "backend/memory", "backend/permission", "backend/room", "backend/room/hub", "backend/session", "backend/session/library"}, "it puts the features as threads and commands ask for them, and knows no connection"},
		"app/chat/records":        {[]string{"app/chat/words", "backend/chat/mattermost", "backend/chat/relay/port", "backend/permission/audit", "backend/store", "backend/store/model", "backend/store/schema"}, "it keeps what it is given, and knows neither threads nor who reads them"},
		"app/chat/threadtool":     {[]string{"app/chat/words", "app/files", "app/tool", "backend/chat", "backend/fault", "backend/session", "backend/toolserver", "backend/untrusted", "backend/chat/relay/port"}, "it reads by way of what it is handed"},
		"app/chat/words":          {[]string{"app/method", "backend/chat", "backend/event", "backend/room", "backend/untrusted"}, "it makes words of values"},
		"app/outside":             {[]string{"app/audit", "app/chat/config", "app/feature", "app/method", "app/permissions", "backend/fault", "backend/heartbeat", "backend/kept", "backend/memory", "backend/outside", "backend/paths", "backend/problem", "backend/settings", "backend/style"}, "it shows what others changed in Parley's files, and has people decide"},
		"app/engine":              {[]string{"backend/choice", "app/elicitation", "app/feature", "app/permissions", "app/tool", "backend/claude", "backend/claude/wire", "backend/event", "backend/fault", "backend/host", "backend/host/child", "backend/permission", "backend/session", "backend/session/profile", "backend/toolserver"}, "it starts CLI processes, and ties them to who is asked and what they may call"},
		"app/recovery":            {[]string{"app/storage", "backend/kept", "backend/paths", "backend/permission/audit", "backend/permission/rule", "backend/problem", "backend/session/profile", "backend/settings", "backend/snapshot"}, "it opens what is kept, and notices when it is not what was left"},
		"app":                     {[]string{"app/update", "backend/update", "backend/owner", "app/restart", "app/audit", "app/changes", "app/devices", "app/diagnostics", "app/files", "app/heartbeats", "app/install", "app/memory", "app/method", "app/notices", "app/processes", "app/profiles", "app/push", "app/reading", "app/rooms", "app/search", "app/sessions", "app/sessiontools", "app/settings", "app/shell", "app/signin", "app/storage", "app/terminals", "app/tool", "app/tour", "app/trust", "app/usage", "backend/bus", "backend/filechange/gitdiff", "backend/claude", "backend/claude/wire", "backend/event", "backend/heartbeat", "backend/claude/history", "backend/kept", "backend/session/library", "backend/platform/logbuffer", "backend/paths", "backend/permission", "backend/problem", "backend/session/profile", "backend/store/model", "backend/session", "backend/platform/shellrun", "backend/snapshot", "backend/tmux", "backend/toolserver", "backend/filechange/undo", "backend/session/workspace", "app/permissions", "app/chat", "app/chat/config", "app/chat/ports", "app/chat/records", "app/chat/threadtool", "app/outside", "app/engine", "app/recovery", "app/snapshots", "app/feature", "backend/style", "app/sessionstore", "app/health", "app/engine/admission", "app/engine/models", "app/heartbeats/beattool", "app/heartbeats/ledger", "app/rooms/roomstore", "app/rooms/roomtool"}, "it puts the back end together and knows no surface"},
		"app/doctor": {[]string{"backend/permission/guard", "backend/permission/rule", "app/checkup", "backend/claude", "backend/claude/clisettings", "backend/fault", "backend/paths", "backend/platform/disk", "backend/platform/safeopen", "backend/session/profile", "backend/snapshot"},
			"it looks at a machine that is handed to it, and at what is kept through the checkup"},
		"app/checkup": {[]string{"backend/permission/guard", "backend/permission/rule", "backend/permission/audit", "backend/store/blob", "backend/heartbeat/plan", "backend/kept", "backend/store/model", "backend/platform/safeopen", "backend/chat/relay/access", "backend/platform/atomicfile", "backend/settings", "backend/snapshot", "backend/store", "backend/store/schema", "backend/claude", "backend/paths", "backend/fault"},
			"it reads what is kept, and knows nothing of who runs"},
		"app/method":        {[]string{"backend/event", "backend/fault", "app/feature"}, "a table knows neither features nor transports"},
		"app/gateway":       {[]string{"app/method", "backend/bus", "backend/fault", "backend/problem"}, surface},
		"app/desktop":       {[]string{"app/method", "backend/bus", "backend/fault", "backend/platform/safeopen", "backend/platform/atomicfile", "build"}, surface},
		"app/tray":          {[]string{"app/method", "backend/bus", "backend/fault", "backend/problem"}, surface},
		"app/tray/traytest": {nil, "it sees the tray from outside, as a panel does"},
		"app/desktop/dragtest": {
			why: "it sees the window from outside, as another program does"},
		"app/role": {[]string{"app/update", "backend/update", "app/restart", "backend/owner", "backend/platform/atomicfile", "backend/platform/handover", "backend/host", "app/doctor", "backend/platform/logfile", "backend/platform/logbuffer", "backend/platform/service", "app/desktop", "app/gateway", "app/tray", "app/method", "backend/permission/audit", "backend/bus", "backend/fault", "backend/kept", "backend/paths", "backend/problem", "backend/platform/safeopen", "backend/toolserver/relay", "backend/platform/contain", "backend/snapshot"},
			"it starts and ends what it is given, and of features only the log and the snapshots, which need no Parley that runs"},
		"app/tsgen":      {[]string{"app", "app/method", "backend/event", "backend/problem"}, "it writes the types of the border"},
		"app/bench":      {[]string{"backend/claude", "backend/claude/history/corpus", "backend/demo", "backend/session"}, "it measures Parley from outside, as a process"},
		"app/bench/bare": {[]string{"app/desktop"}, "it is a window without anything of Parley's, but for what lets the tests in"},
		"app/border":     {why: "it sees Parley from outside only"},
		"build":          {why: "it holds files that are compiled in"},
		"build/release":  {[]string{"backend/update"}, "it signs what Parley reads, in the same words"},
		"build/budgets":  {why: "it measures what is built, and is no part of it"},
		"build/papers":   {why: "it asks the built program, and is no part of it"},
		"build/testrun":  {why: "it runs the tests of others, and is no part of the program"},
		"build/mutants":  {why: "it runs the tests of others, and is no part of the program"},
		"build/map":      {why: "it reads imports, and imports nothing of ours"},
		"":               {[]string{"backend/update", "app", "app/role", "app/doctor", "backend/paths", "backend/platform/handover", "backend/platform/packed", "backend/platform/seal", "build", "app/checkup", "app/gateway", "app/feature"}, "main only picks the role, in a process that is closed off from others"},
	}
}

// confined lists imports that belong to few packages, and why.
func confined() map[string]rule {
	return map[string]rule{
		"github.com/wailsapp/":             {[]string{"app/desktop", "app/bench/bare"}, "its functions end the process when they are called outside of a window"},
		"github.com/godbus/":               {[]string{"app/desktop", "app/tray", "app/tray/traytest", "backend/platform/notify", "app/doctor"}, "the desktop is asked where windows, icons and notifications are"},
		"fyne.io/systray":                  {[]string{"app/tray"}, "it is one for the process, and one package knows its ways"},
		"aead.dev/minisign":                {[]string{"backend/update", "build/release"}, "one package decides what was signed, and a tool signs"},
		"github.com/gorilla/websocket":     {[]string{"app/gateway", "app/role", "app/bench", "backend/chat/mattermost", "backend/chat/mattermost/mattermosttest"}, "sockets are the gateway's; a role and the benchmark are its clients; a chat has its own"},
		"github.com/mark3labs/mcp-go":      {[]string{"backend/toolserver"}, "MCP stays behind one package"},
		"github.com/google/jsonschema-go":  {[]string{"app/method", "backend/toolserver"}, "schemas are made where types are checked"},
		"go.etcd.io/bbolt":                 {[]string{"backend/store", "backend/store/storetest"}, "what it maps must be checked before and guarded after"},
		"github.com/nats-io/nats.go":       {[]string{"backend/room/natsroom"}, "one package speaks to NATS"},
		"github.com/nats-io/nats-server":   {nil, "a server is for tests"},
		"github.com/fsnotify/":             {[]string{"backend/claude/history", "backend/heartbeat", "backend/memory"}, "each package watches the files that it reads"},
		"github.com/zalando/go-keyring":    {[]string{"backend/session/profile"}, "secrets have one way in and out"},
		"github.com/shirou/gopsutil/v4":    {[]string{"backend/platform/process"}, "one package looks at processes"},
		"github.com/coreos/go-systemd":     {[]string{"app/role"}, "the system is told how the whole program is"},
		"github.com/sabhiram/":             {[]string{"backend/platform/filefind"}, "one package heeds what git would leave out"},
		"github.com/klauspost/compress":    {[]string{"backend/search"}, "only the index is compressed"},
		"go.yaml.in/yaml/v4":               {[]string{"backend/heartbeat/plan"}, "one package reads and writes the file of heartbeats"},
		"github.com/netresearch/go-cron":   {[]string{"backend/heartbeat/plan"}, "only its parser is used, and one package knows what it means"},
		"mvdan.cc/sh/v3":                   {[]string{"backend/permission/rule/shell"}, "one package reads what a shell would run"},
		"github.com/gofrs/flock":           {[]string{"backend/memory", "backend/paths"}, "there is one lock on the data, and one on files that other programs write"},
		"github.com/tidwall/gjson":         {[]string{"app/method", "backend/claude/wire", "backend/claude/transcript"}, "JSON is taken apart where it comes in"},
		"github.com/mattermost/mattermost": {[]string{"backend/chat/mattermost/mattermosttest", "backend/chat/mattermost/mattermosttest/serve", "backend/chat/relay/post"}, "the fake is made of the server's own types, which take 200 packages along; a package asks its parser whom a post would call"},
		"github.com/yuin/goldmark":         {[]string{"backend/search/textsearch", "backend/markdown", "backend/chat/relay/post"}, "markdown is taken apart where it is searched and where posts are made"},
		"github.com/kballard/":             {[]string{"backend/chat/relay/command"}, "words of commands are taken apart where they come in"},
		"github.com/agnivade/":             {[]string{"backend/chat/relay/command", "app/role"}, "the nearest command is found there, and in a shell"},
		"os/exec":                          {[]string{"app/bench", "backend/claude", "backend/claude/claudetest", "backend/host", "backend/host/child", "backend/filechange/gitdiff", "backend/platform/filefind", "backend/platform/shellrun", "backend/platform/editor", "backend/tmux", "build/map", "build/mutants", "build/testrun", "backend/platform/contain", "backend/platform/process", "backend/need", "app/install", "app/signin", "app/profiles", "build/papers", "build/budgets", "app/role", "app/doctor"}, "who starts processes must end them, but for the person's own editor"},
		"os/signal":                        {[]string{"backend/toolserver/relay/parley-mcp", "app/role", "app/bench", "backend/claude/claudetest", "build/testrun"}, "signals belong to the role, and to who hands them on to a child"},
		"unsafe":                           {[]string{"app/desktop", "app/desktop/dragtest", "backend/host/child", "backend/toolserver"}, "only where the system is called"},
		"testing":                          {[]string{"backend/claude/claudetest", "backend/chat/mattermost/mattermosttest", "backend/need", "backend/room/roomtest", "backend/store/storetest"}, "test code does not belong in the program"},
		"flag":                             {[]string{"build/release", "app/role", "app/bench", "app/desktop/dragtest", "backend/claude/history/corpus/write", "build/mutants", "build/testrun", "build/budgets"}, "arguments belong to the role"},
		"go/parser":                        {[]string{"app/tsgen", "build/mutants"}, "only the generator reads sources, and what changes them for tests"},
		"net/http":                         {[]string{"backend/update", "backend/platform/push", "app/gateway", "app/role", "app/desktop", "app/bench", "backend/demo", "backend/chat/mattermost", "backend/chat/mattermost/mattermosttest", "backend/chat/mattermost/mattermosttest/serve"}, "HTTP is a matter of surfaces, of the scripted model, of the chat, of updates and of word to elsewhere"},
		"github.com/tkrajina/go-reflector": {nil, "app/method reads types itself"},
	}
}

// pure packages, with all our packages below them, do no I/O: they are tested
// with values alone and can be used from anywhere.
func pure() []string {
	return []string{"backend/claude/wire", "backend/event", "backend/fault", "backend/truncate", "backend/usage", "backend/claude/transcript", "backend/permission",
		"backend/room", "backend/permission/rule", "backend/permission/rule/shell", "backend/permission/guard", "backend/filechange", "backend/heartbeat/plan", "backend/untrusted", "backend/choice"}
}

func impure(imported string) bool {
	switch imported {
	case "os", "os/exec", "os/signal", "io/ioutil", "syscall", "net", "net/http", "log", "log/slog", "database/sql":
		return true
	}
	return strings.HasPrefix(imported, "go.etcd.io/") || strings.HasPrefix(imported, "golang.org/x/sys")
}

const module = "parley/"

// source is one package's files that are not tests, for all systems and tags.
type source struct {
	files   map[string]*ast.File
	imports map[string]bool
	fset    *token.FileSet
}

// sources reads the whole module, by folder.
func sources(t *testing.T) map[string]*source {
	t.Helper()
	out := map[string]*source{}
	root := ".."
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if base := d.Name(); rel != "." && (base[0] == '.' || base == "node_modules" || base == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		dir := strings.TrimPrefix(path.Dir(rel), ".")
		s := out[dir]
		if s == nil {
			s = &source{files: map[string]*ast.File{}, imports: map[string]bool{}, fset: token.NewFileSet()}
			out[dir] = s
		}
		file, err := parser.ParseFile(s.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s.files[rel] = file
		for _, i := range file.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			s.imports[p] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 10 {
		t.Fatalf("only %d packages found", len(out))
	}
	return out
}

func TestDirection(t *testing.T) {
	rules := allowed()
	all := sources(t)
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		r, ok := rules[dir]
		if !ok {
			t.Errorf("package %s is not in the table: say there what it may import, and put it on the map in doc.go", dir)
			continue
		}
		for imported := range all[dir].imports {
			ours, isOurs := strings.CutPrefix(imported, module)
			if isOurs && !slices.Contains(r.may, ours) {
				t.Errorf("%s must not import %s: %s", dir, ours, r.why)
			}
		}
	}
	for dir := range rules {
		if all[dir] == nil {
			t.Errorf("the table has a package that does not exist: %s", dir)
		}
	}
}

func TestConfinedImports(t *testing.T) {
	for dir, s := range sources(t) {
		for imported := range s.imports {
			for prefix, r := range confined() {
				isIt := imported == prefix || strings.HasPrefix(imported, strings.TrimSuffix(prefix, "/")+"/")
				if isIt && !slices.Contains(r.may, dir) {
					t.Errorf("%s must not import %s: %s", dir, imported, r.why)
				}
			}
		}
	}
}

func TestPurePackagesDoNoIO(t *testing.T) {
	all := sources(t)
	for _, start := range pure() {
		seen := map[string]bool{}
		var visit func(dir string)
		visit = func(dir string) {
			if seen[dir] || all[dir] == nil {
				return
			}
			seen[dir] = true
			for imported := range all[dir].imports {
				if impure(imported) {
					t.Errorf("%s is pure, but %s imports %s", start, dir, imported)
				}
				if ours, ok := strings.CutPrefix(imported, module); ok {
					visit(ours)
				}
			}
		}
		visit(start)
	}
}
