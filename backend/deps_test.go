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

// rule says what of ours a package may import, and why not more.
type rule struct {
	may []string
	why string
}

// allowed is the direction of the program. A package that is not in the table may
// not exist: whoever adds one says here what it may know.
func allowed() map[string]rule {
	const leaf = "a leaf knows nothing of the rest"
	const adapter = "an adapter ties one thing of the outside world; adapters never know each other"
	const surface = "a surface serves the method table and the bus, and no feature behind them"
	return map[string]rule{
		"backend":             {why: "it only holds the map"},
		"backend/fault":       {why: leaf},
		"backend/event":       {why: leaf},
		"backend/claude/wire": {why: leaf},
		"backend/paths":       {[]string{"backend/fault", "backend/replace"}, leaf},
		"backend/logbook":     {why: leaf},
		"backend/notify":      {[]string{"backend/event"}, "it decides by what it is told, and knows one way to say it"},
		"backend/regular":     {why: leaf},
		"backend/replace":     {why: leaf},
		"backend/settings":    {[]string{"backend/fault", "backend/replace"}, leaf},
		"backend/store":       {[]string{"backend/fault"}, leaf},
		"backend/record":      {nil, leaf},
		"backend/bus":         {[]string{"backend/event", "backend/fault"}, "it carries events and knows neither who makes nor who shows them"},
		"backend/usage":       {[]string{"backend/claude/wire", "backend/event"}, "it does sums on what frames report"},
		"backend/transcript":  {[]string{"backend/claude/wire", "backend/event", "backend/usage"}, "frames in, events out, nothing else"},
		"backend/permission":  {[]string{"backend/event", "backend/fault"}, "it knows neither who asks nor who answers"},

		"backend/rule":       {[]string{"backend/rule/shell"}, "it decides by what it is given, and knows neither who asks nor who answers"},
		"backend/rule/shell": {why: leaf},
		"backend/guard":      {[]string{"backend/rule", "backend/rule/shell"}, "it judges what it is given, and decides nothing"},

		"backend/search":        {why: "it is given what to find, and knows neither files nor formats"},
		"backend/profile":       {[]string{"backend/fault", "backend/record"}, "it declares what it needs of a store and of a keyring"},
		"backend/spend":         {[]string{"backend/event", "backend/record", "backend/usage"}, "it is told what was used, and knows neither files nor sessions"},
		"backend/ledger":        {[]string{"backend/fault"}, "it looks at processes, and knows nothing of what they are for"},
		"backend/audit":         {[]string{"backend/fault"}, "it is told plain values, and knows neither who asks nor who answers"},
		"backend/files":         {[]string{"backend/fault", "backend/regular"}, "it finds names in folders, and knows nothing of what they are for"},
		"backend/shellrun":      {[]string{"backend/fault"}, "it runs what it is given, and knows nothing of sessions"},
		"backend/blob":          {[]string{"backend/fault"}, leaf},
		"backend/chat":          {why: leaf},
		"backend/mattermost":    {[]string{"backend/chat", "backend/fault", "backend/relay/port"}, adapter + "; of the relay it knows the interface to satisfy"},
		"backend/relay":         {[]string{"backend/chat", "backend/event", "backend/fault", "backend/relay/access", "backend/relay/ask", "backend/relay/command", "backend/relay/port", "backend/relay/post", "backend/tmux"}, "it knows chats, sessions and stores as its ports only"},
		"backend/relay/access":  {[]string{"backend/chat", "backend/fault", "backend/relay/port"}, "it decides who may, and knows nothing of what it is for"},
		"backend/relay/ask":     {[]string{"backend/chat", "backend/event", "backend/fault", "backend/permission", "backend/relay/access", "backend/relay/port", "backend/relay/post"}, "it knows the chat and the desk as the relay's ports only"},
		"backend/relay/command": {[]string{"backend/chat", "backend/event", "backend/fault", "backend/relay/port", "backend/relay/post", "backend/tmux"}, "it declares what it needs of sessions and of all else that commands are about"},
		"backend/relay/post":    {[]string{"backend/chat", "backend/event", "backend/relay/port"}, "it makes posts of events, and knows neither who may see them nor where they belong"},
		"backend/relay/port":    {[]string{"backend/chat", "backend/event"}, "it declares what the relay needs of a chat, of sessions and of a store"},
		"backend/tmux":          {nil, adapter + "; where it keeps things is handed to it"},
		"backend/todo":          {[]string{"backend/regular"}, leaf},
		"backend/heartbeat": {[]string{"backend/event", "backend/fault", "backend/heartbeat/plan", "backend/record", "backend/replace"},
			"it declares what it needs of sessions and of a store"},
		"backend/heartbeat/plan": {[]string{"backend/fault"}, "it is handed text and times, and knows neither the disk nor who runs what is due"},
		"backend/memory":         {[]string{"backend/fault"}, "it keeps texts, and knows sessions by their ids only"},
		"backend/clisettings":    {[]string{"backend/fault", "backend/regular", "backend/replace"}, adapter},
		"backend/trust":          {[]string{"backend/clisettings"}, "it says what it finds, and knows neither who asks nor what was answered"},
		"backend/rulebook":       {[]string{"backend/fault", "backend/record", "backend/rule"}, "it declares what it needs of a store, and knows neither who asks nor who answers"},
		"backend/change":         {nil, "it reads lines of the CLI's, and touches no file"},
		"backend/checkout":       {[]string{"backend/fault"}, "it asks git, and knows nothing of who asks"},
		"backend/undo":           {[]string{"backend/fault"}, "it puts back what it is given"},
		"backend/find":           {[]string{"backend/event"}, "it is given messages"},
		"backend/autostart":      {[]string{"backend/fault", "backend/replace"}, leaf},
		"backend/editor":         {[]string{"backend/fault"}, leaf},
		"backend/library": {[]string{"backend/claude/wire", "backend/event", "backend/fault", "backend/history", "backend/record", "backend/session", "backend/usage"},
			"it joins the sessions that run, rest and lie on disk; what it needs of the store it declares"},
		"backend/workspace": {[]string{"backend/fault", "backend/record", "backend/regular"}, "it declares what it needs of a store and of the sessions"},

		"backend/session": {[]string{"backend/claude/wire", "backend/event", "backend/fault", "backend/transcript", "backend/usage"},
			"it imports no adapter, only interfaces that it declares itself"},

		"backend/claude":               {[]string{"backend/claude/wire", "backend/fault", "backend/regular", "backend/session"}, adapter + "; of sessions it knows the interfaces to satisfy"},
		"backend/claude/claudetest":    {nil, "a fake knows the protocol's lines and nothing of what it tests"},
		"backend/rehearsal":            {[]string{"backend/fault"}, adapter},
		"backend/history":              {[]string{"backend/event", "backend/fault", "backend/regular", "backend/transcript", "backend/usage"}, adapter + "; what is found out is kept by whoever it is given to"},
		"backend/history/corpus":       {nil, "it writes what others read, and knows none of them"},
		"backend/history/corpus/write": {[]string{"backend/history/corpus"}, "it only reads the arguments"},
		"backend/store/schema":         {[]string{"backend/record", "backend/store"}, "it says what is kept, and knows nothing of what it is for"},
		"backend/store/storetest":      {[]string{"backend/store"}, "test code of the store"},
		"backend/toolserver":           {[]string{"backend/fault"}, adapter + "; tools are handed to it"},

		"backend/mattermost/mattermosttest":       {nil, "a fake knows the server's ways and nothing of what it tests"},
		"backend/mattermost/mattermosttest/serve": {[]string{"backend/mattermost/mattermosttest"}, "it runs the fake and does what it is told"},

		"backend/room":          {nil, "it says what rooms are, and knows neither who keeps nor who runs them"},
		"backend/room/embedded": {[]string{"backend/fault", "backend/room", "backend/store"}, "it keeps rooms, and knows nothing of who is in them"},
		"backend/room/hub":      {[]string{"backend/room"}, "it knows sessions by what it declares, and the store by its interface"},
		"backend/room/natsroom": {[]string{"backend/fault", "backend/room"}, adapter + "; its replica is handed to it"},
		"backend/room/roomtest": {[]string{"backend/room", "backend/room/hub"}, "test code of rooms"},

		"app": {[]string{"app/method", "backend/autostart", "backend/bus", "backend/claude", "backend/claude/wire", "backend/event", "backend/fault", "backend/find", "backend/files", "backend/paths",
			"backend/permission", "backend/regular", "backend/rehearsal", "backend/room", "backend/room/embedded", "backend/room/hub", "backend/room/natsroom", "backend/session", "backend/settings", "backend/shellrun", "backend/toolserver",
			"backend/logbook", "backend/notify", "backend/audit", "backend/blob", "backend/editor", "backend/guard", "backend/history", "backend/ledger", "backend/library", "backend/profile", "backend/record", "backend/rule", "backend/rulebook", "backend/clisettings", "backend/trust", "backend/search",
			"backend/chat", "backend/mattermost", "backend/relay", "backend/relay/access", "backend/relay/command", "backend/relay/port", "backend/tmux", "backend/replace", "backend/spend", "backend/heartbeat", "backend/heartbeat/plan", "backend/memory", "backend/store", "backend/store/schema", "backend/todo", "backend/change", "backend/checkout", "backend/transcript", "backend/undo", "backend/usage", "backend/workspace"},
			"it puts the back end together and knows no surface"},
		"app/method":        {[]string{"backend/fault"}, "a table knows neither features nor transports"},
		"app/gateway":       {[]string{"app/method", "backend/bus", "backend/fault"}, surface},
		"app/desktop":       {[]string{"app/method", "backend/bus", "backend/fault", "backend/replace", "build"}, surface},
		"app/tray":          {[]string{"app/method", "backend/bus", "backend/fault"}, surface},
		"app/tray/traytest": {nil, "it sees the tray from outside, as a panel does"},
		"app/role": {[]string{"backend/logbook", "app/desktop", "app/gateway", "app/tray", "app/method", "backend/audit", "backend/bus", "backend/fault", "backend/paths", "backend/toolserver"},
			"it starts and ends what it is given, and of features only the log that can be checked without them"},
		"app/tsgen":  {[]string{"app", "app/method", "backend/event"}, "it writes the types of the border"},
		"app/bench":  {[]string{"backend/claude", "backend/history/corpus", "backend/rehearsal", "backend/session"}, "it measures Parley from outside, as a process"},
		"app/border": {why: "it sees Parley from outside only"},
		"build":      {why: "it holds files that are compiled in"},
		"":           {[]string{"app", "app/role"}, "main only picks the role"},
	}
}

// confined lists imports that belong to few packages, and why.
func confined() map[string]rule {
	return map[string]rule{
		"github.com/wailsapp/":             {[]string{"app/desktop"}, "its functions end the process when they are called outside of a window"},
		"github.com/godbus/":               {[]string{"app/desktop", "app/tray", "app/tray/traytest", "backend/notify"}, "the desktop is asked where windows, icons and notifications are"},
		"fyne.io/systray":                  {[]string{"app/tray"}, "it is one for the process, and one package knows its ways"},
		"github.com/gorilla/websocket":     {[]string{"app/gateway", "app/role", "app/bench", "backend/mattermost", "backend/mattermost/mattermosttest"}, "sockets are the gateway's; a role and the benchmark are its clients; a chat has its own"},
		"github.com/mark3labs/mcp-go":      {[]string{"backend/toolserver"}, "MCP stays behind one package"},
		"github.com/google/jsonschema-go":  {[]string{"app/method", "backend/toolserver"}, "schemas are made where types are checked"},
		"go.etcd.io/bbolt":                 {[]string{"backend/store", "backend/store/storetest"}, "what it maps must be checked before and guarded after"},
		"github.com/nats-io/nats.go":       {[]string{"backend/room/natsroom"}, "one package speaks to NATS"},
		"github.com/nats-io/nats-server":   {nil, "a server is for tests"},
		"github.com/fsnotify/":             {[]string{"backend/history", "backend/heartbeat", "backend/memory"}, "each package watches the files that it reads"},
		"github.com/zalando/go-keyring":    {[]string{"backend/profile"}, "secrets have one way in and out"},
		"github.com/shirou/gopsutil/v4":    {[]string{"backend/ledger"}, "one package looks at processes"},
		"github.com/sabhiram/":             {[]string{"backend/files"}, "one package heeds what git would leave out"},
		"github.com/klauspost/compress":    {[]string{"backend/search"}, "only the index is compressed"},
		"go.yaml.in/yaml/v4":               {[]string{"backend/heartbeat/plan"}, "one package reads and writes the file of heartbeats"},
		"github.com/netresearch/go-cron":   {[]string{"backend/heartbeat/plan"}, "only its parser is used, and one package knows what it means"},
		"mvdan.cc/sh/v3":                   {[]string{"backend/rule/shell"}, "one package reads what a shell would run"},
		"github.com/gofrs/flock":           {[]string{"backend/memory", "backend/paths"}, "there is one lock on the data, and one on files that other programs write"},
		"github.com/tidwall/gjson":         {[]string{"app/method", "backend/claude/wire", "backend/transcript"}, "JSON is taken apart where it comes in"},
		"github.com/mattermost/mattermost": {[]string{"backend/mattermost", "backend/mattermost/mattermosttest", "backend/mattermost/mattermosttest/serve", "backend/relay/post"}, "one package speaks to the server; another asks its parser whom a post would call"},
		"github.com/yuin/goldmark":         {[]string{"backend/find", "backend/relay/post"}, "markdown is taken apart where it is searched and where posts are made"},
		"github.com/kballard/":             {[]string{"backend/relay/command"}, "words of commands are taken apart where they come in"},
		"github.com/agnivade/":             {[]string{"backend/relay/command"}, "the nearest command is found there"},
		"os/exec":                          {[]string{"app", "app/bench", "backend/claude", "backend/claude/claudetest", "backend/checkout", "backend/files", "backend/shellrun", "backend/editor", "backend/tmux"}, "who starts processes must end them, but for the person's own editor"},
		"os/signal":                        {[]string{"app/role", "app/bench", "backend/claude/claudetest"}, "signals belong to the role"},
		"unsafe":                           {[]string{"app/desktop", "backend/claude", "backend/toolserver"}, "only where the system is called"},
		"testing":                          {[]string{"backend/claude/claudetest", "backend/mattermost/mattermosttest", "backend/room/roomtest", "backend/store/storetest"}, "test code does not belong in the program"},
		"flag":                             {[]string{"app/role", "app/bench", "backend/history/corpus/write"}, "arguments belong to the role"},
		"go/parser":                        {[]string{"app/tsgen"}, "only the generator reads sources"},
		"net/http":                         {[]string{"app/gateway", "app/role", "app/desktop", "app/bench", "backend/rehearsal", "backend/mattermost", "backend/mattermost/mattermosttest", "backend/mattermost/mattermosttest/serve"}, "HTTP is a matter of surfaces, of the scripted model and of the chat"},
		"github.com/tkrajina/go-reflector": {nil, "app/method reads types itself"},
	}
}

// pure packages, with everything of ours below them, do no I/O: they are tested
// with values alone and can be used from anywhere.
func pure() []string {
	return []string{"backend/claude/wire", "backend/event", "backend/fault", "backend/usage", "backend/transcript", "backend/permission",
		"backend/room", "backend/rule", "backend/rule/shell", "backend/guard", "backend/change", "backend/heartbeat/plan"}
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
