package permissions

import (
	"context"
	"maps"
	"os"
	"slices"
	"sync"

	"parley/backend/claude/clisettings"
	"parley/backend/claude/wire"
	"parley/backend/permission/rule"
)

// theirs knows the CLI's own rules: those in its settings, read again when a file changed, and
// those that a session's CLI reported at its start, which include more sources (its command line,
// an organization's).
type theirs struct {
	engine rule.Engine
	// config is the CLI's configuration folder for a session.
	config func(sessionID string) string

	mu sync.Mutex
	// told are the rules that a session's CLI reported, until its process ends.
	told map[string][]rule.Rule
	// read are the rule sets by folder and session, at most maxRead.
	read map[string]cliSet
}

type cliSet struct {
	stamp string
	set   *rule.Set
}

// maxRead bounds how many folders' rules are cached.
const maxRead = 200

// newTheirs has read nothing yet; config is the folder of a session's CLI.
func newTheirs(e rule.Engine, config func(sessionID string) string) *theirs {
	return &theirs{engine: e, config: config, told: map[string][]rule.Rule{}, read: map[string]cliSet{}}
}

// hear records the rules that a session's CLI reported; forget drops them.
func (c *theirs) hear(sessionID, folder string, said []wire.PermissionRule) {
	var rules []rule.Rule
	for _, one := range said {
		if r, ok := c.parse(one.Behavior, one.Rule, baseOf(one.Source, folder, c.config(sessionID))); ok && !one.NotInEffect && one.Source != flagged {
			rules = append(rules, r)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told[sessionID] = rules
	delete(c.read, sessionID+"\x00"+folder)
}

func (c *theirs) forget(sessionID, folder string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.told, sessionID)
	delete(c.read, sessionID+"\x00"+folder)
}

// parse parses the CLI's own ask or deny rule. One that can't be parsed makes every call of its
// tool a request.
func (c *theirs) parse(effect, text, base string) (rule.Rule, bool) {
	if effect != string(rule.Ask) && effect != string(rule.Deny) {
		return rule.Rule{}, false
	}
	r, err := rule.Parse(text, rule.Effect(effect))
	if err != nil && r.Tool == "" {
		return r, false
	}
	r.Scope, r.Source, r.Base = rule.Global, rule.CLI, base
	return r, true
}

// baseOf is the base folder of a rule pattern with one leading slash.
func baseOf(where, folder, config string) string {
	if where == clisettings.User {
		return config
	}
	return folder
}

// strict are the ask and deny rules for a session in a folder.
func (c *theirs) strict(sessionID, folder string) *rule.Set {
	config := c.config(sessionID)
	stamp, key := stampOf(config, folder), sessionID+"\x00"+folder
	c.mu.Lock()
	defer c.mu.Unlock()
	if have, ok := c.read[key]; ok && have.stamp == stamp {
		return have.set
	}
	var rules []rule.Rule
	for _, f := range clisettings.Read(config, folder) {
		for _, one := range f.Rules() {
			if r, ok := c.parse(one.Effect, one.Text, baseOf(f.Where, folder, config)); ok {
				rules = append(rules, r)
			}
		}
	}
	for _, r := range c.told[sessionID] {
		if !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
	}
	if len(c.read) >= maxRead {
		for key := range maps.Keys(c.read) {
			delete(c.read, key)
			break
		}
	}
	set := c.engine.New(rules)
	c.read[key] = cliSet{stamp, set}
	return set
}

// all are all the CLI's rules, as Parley parses them.
func (c *theirs) all(sessionID, folder string) *rule.Set {
	config := c.config(sessionID)
	var rules []rule.Rule
	for _, f := range clisettings.Read(config, folder) {
		for _, one := range f.Rules() {
			if r, err := rule.Parse(one.Text, rule.Effect(one.Effect)); err == nil {
				r.Scope, r.Source, r.Base = rule.Global, rule.CLI, baseOf(f.Where, folder, config)
				rules = append(rules, r)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.engine.New(append(rules, c.told[sessionID]...))
}

// stampOf changes when a settings file does.
func stampOf(config, folder string) string {
	var stamp []byte
	for _, path := range clisettings.Paths(config, folder) {
		if info, err := os.Stat(path); err == nil {
			stamp = info.ModTime().AppendFormat(stamp, "20060102150405.000000000 ")
			stamp = append(stamp, byte(info.Size()), byte(info.Size()>>8), byte(info.Size()>>16), '\n')
			continue
		}
		stamp = append(stamp, '-')
	}
	return string(stamp)
}

// list is every rule of the CLI, for display. ask queries the session's CLI; without one, the files
// are read.
func (c *theirs) list(ctx context.Context, sessionID, folder string, ask func(context.Context) ([]wire.PermissionRule, error)) CLIRules {
	config := c.config(sessionID)
	list := CLIRules{Rules: []CLIRule{}, Source: "files", Problems: []string{}}
	files := map[string]string{}
	read := clisettings.Read(config, folder)
	for _, f := range read {
		files[f.Where] = f.Path
		if f.Problem != "" {
			list.Problems = append(list.Problems, f.Path+": "+f.Problem+".")
		}
	}
	if ask != nil {
		if said, err := ask(ctx); err == nil {
			list.Source = "process"
			for _, r := range said {
				if r.Source == flagged {
					continue // ours, see [judge.handed]
				}
				list.add(CLIRule{Effect: r.Behavior, Text: r.Rule, Where: r.Source, File: files[r.Source], InEffect: !r.NotInEffect})
			}
			return list
		}
	}
	for _, f := range read {
		for _, r := range f.Rules() {
			list.add(CLIRule{Effect: r.Effect, Text: r.Text, Where: f.Where, File: f.Path, InEffect: true})
		}
	}
	return list
}

// maxListed bounds how many of the CLI's rules are listed.
const maxListed = 5000

func (l *CLIRules) add(r CLIRule) {
	if len(l.Rules) == maxListed {
		return
	}
	if _, err := rule.Parse(r.Text, rule.Effect(r.Effect)); err != nil {
		r.Problem = err.Error()
	}
	l.Rules = append(l.Rules, r)
}
