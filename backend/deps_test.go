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
		"backend/paths":       {[]string{"backend/fault"}, leaf},
		"backend/settings":    {[]string{"backend/fault"}, leaf},
		"backend/store":       {[]string{"backend/fault"}, leaf},
		"backend/record":      {nil, leaf},
		"backend/bus":         {[]string{"backend/event", "backend/fault"}, "it carries events and knows neither who makes nor who shows them"},
		"backend/usage":       {[]string{"backend/claude/wire", "backend/event"}, "it does sums on what frames report"},
		"backend/transcript":  {[]string{"backend/claude/wire", "backend/event", "backend/usage"}, "frames in, events out, nothing else"},
		"backend/permission":  {[]string{"backend/event", "backend/fault"}, "it knows neither who asks nor who answers"},

		"backend/workspace": {[]string{"backend/fault", "backend/record"}, "it declares what it needs of a store and of the sessions"},

		"backend/session": {[]string{"backend/claude/wire", "backend/event", "backend/fault", "backend/transcript", "backend/usage"},
			"it imports no adapter, only interfaces that it declares itself"},

		"backend/claude":               {[]string{"backend/claude/wire", "backend/fault", "backend/session"}, adapter + "; of sessions it knows the interfaces to satisfy"},
		"backend/claude/claudetest":    {nil, "a fake knows the protocol's lines and nothing of what it tests"},
		"backend/rehearsal":            {[]string{"backend/fault"}, adapter},
		"backend/history":              {[]string{"backend/event", "backend/fault", "backend/transcript"}, adapter + "; what is found out is kept by whoever it is given to"},
		"backend/history/corpus":       {nil, "it writes what others read, and knows none of them"},
		"backend/history/corpus/write": {[]string{"backend/history/corpus"}, "it only reads the arguments"},
		"backend/store/schema":         {[]string{"backend/record", "backend/store"}, "it says what is kept, and knows nothing of what it is for"},
		"backend/store/storetest":      {[]string{"backend/store"}, "test code of the store"},
		"backend/toolserver":           {[]string{"backend/fault"}, adapter + "; tools are handed to it"},

		"app": {[]string{"app/method", "backend/bus", "backend/claude", "backend/claude/wire", "backend/event", "backend/fault", "backend/paths",
			"backend/permission", "backend/rehearsal", "backend/session", "backend/settings", "backend/toolserver"},
			"it puts the back end together and knows no surface"},
		"app/method":  {[]string{"backend/fault"}, "a table knows neither features nor transports"},
		"app/gateway": {[]string{"app/method", "backend/bus", "backend/fault"}, surface},
		"app/desktop": {[]string{"app/method", "backend/bus", "backend/fault", "build"}, surface},
		"app/role": {[]string{"app/desktop", "app/gateway", "app/method", "backend/bus", "backend/fault", "backend/paths", "backend/toolserver"},
			"it starts and ends what it is given, and knows no feature"},
		"app/tsgen":  {[]string{"app", "app/method", "backend/event"}, "it writes the types of the border"},
		"app/bench":  {[]string{"backend/claude", "backend/rehearsal", "backend/session"}, "it measures Parley from outside, as a process"},
		"app/border": {why: "it sees Parley from outside only"},
		"build":      {why: "it holds files that are compiled in"},
		"":           {[]string{"app", "app/role"}, "main only picks the role"},
	}
}

// confined lists imports that belong to few packages, and why.
func confined() map[string]rule {
	return map[string]rule{
		"github.com/wailsapp/":             {[]string{"app/desktop"}, "its functions end the process when they are called outside of a window"},
		"github.com/gorilla/websocket":     {[]string{"app/gateway", "app/role", "app/bench"}, "sockets are the gateway's; a role and the benchmark are its clients"},
		"github.com/mark3labs/mcp-go":      {[]string{"backend/toolserver"}, "MCP stays behind one package"},
		"github.com/google/jsonschema-go":  {[]string{"app/method", "backend/toolserver"}, "schemas are made where types are checked"},
		"go.etcd.io/bbolt":                 {[]string{"backend/store", "backend/store/storetest"}, "what it maps must be checked before and guarded after"},
		"github.com/fsnotify/":             {[]string{"backend/history"}, "one package watches the CLI's files"},
		"github.com/gofrs/flock":           {[]string{"backend/paths"}, "there is one lock"},
		"github.com/tidwall/gjson":         {[]string{"app/method", "backend/claude/wire", "backend/transcript"}, "JSON is taken apart where it comes in"},
		"os/exec":                          {[]string{"app", "app/bench", "backend/claude", "backend/claude/claudetest"}, "who starts processes must end them"},
		"os/signal":                        {[]string{"app/role", "app/bench", "backend/claude/claudetest"}, "signals belong to the role"},
		"unsafe":                           {[]string{"app/desktop", "backend/claude", "backend/toolserver"}, "only where the system is called"},
		"testing":                          {[]string{"backend/claude/claudetest", "backend/store/storetest"}, "test code does not belong in the program"},
		"flag":                             {[]string{"app/role", "app/bench", "backend/history/corpus/write"}, "arguments belong to the role"},
		"go/parser":                        {[]string{"app/tsgen"}, "only the generator reads sources"},
		"net/http":                         {[]string{"app/gateway", "app/role", "app/desktop", "app/bench", "backend/rehearsal"}, "HTTP is a matter of surfaces and of the scripted model"},
		"github.com/tkrajina/go-reflector": {nil, "app/method reads types itself"},
	}
}

// pure packages, with everything of ours below them, do no I/O: they are tested
// with values alone and can be used from anywhere.
func pure() []string {
	return []string{"backend/claude/wire", "backend/event", "backend/fault", "backend/usage", "backend/transcript", "backend/permission"}
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
