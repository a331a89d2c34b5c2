package permissions

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/permission"
	"parley/backend/permission/guard"
	"parley/backend/permission/rule"
	"parley/backend/permission/rulestore"
	"parley/backend/toolserver"
)

// maxFindings is the number of risks shown to a user, maxVerdictParts the number of commands within
// one.
const (
	maxFindings     = 10
	maxVerdictParts = 100
)

// judge decides about tool calls before users are asked: by Parley's built-in rules (its files are
// off limits, because the model's commands run as the user and could answer their own requests), by
// the user's rules, by the CLI's ask and deny rules, and, if the session's auto-approve allows, by
// risk.
type judge struct {
	book *rulestore.Book
	// theirs are the CLI's own ask and deny rules for a session and a folder.
	theirs func(sessionID, folder string) *rule.Set
	// workspace is a folder's workspace.
	workspace func(folder string) string
	// guarded is a session's auto-approve setting and permission mode.
	guarded func(sessionID string) (guard, mode string)
	// review asks a small model.
	review func(ctx context.Context, q permission.Request) (Opinion, error)
	stats  *tally
}

// machine is the rule engine for this machine.
func machine(home string) rule.Engine {
	return guard.Reading(rule.Engine{Home: home, Readlink: readlink, Checkout: checkoutOf, Folder: linksIn, FoldCase: runtime.GOOS == "darwin" || runtime.GOOS == "windows"})
}

// reserved makes Parley's own files in the data folder off limits: every dot file, and each of
// Parley's folders. The folders in which sessions work, files and demo, are not among them.
func reserved(data string) []rule.Rule {
	var own []string
	for _, name := range []string{
		"parley.db", "parley.lock", "settings.json", "gateway.json", "owners.json", "models.json", "theme.css",
		"attachments", "search", "audit", "undo", "probe", "cli", "cache",
		// Their content is executed, or included in other sessions, without asking.
		paths.HeartbeatsFile, paths.MemoryFolder, paths.RoomsFile, paths.RoomsNATSFile, paths.ChatFile, paths.TerminalsFile,
		// It answers the CLI's requests for the user.
		paths.RelayFolder,
	} {
		own = append(own, filepath.Join(data, name))
	}
	return append(rule.Reserved(own...), rule.ReservedIn(data, "*.*", ".*")...)
}

// readlink is for [rule.Engine].
func readlink(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "", nil
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink == 0:
		return "", nil
	}
	return os.Readlink(path)
}

// maxGlobbed is how many names of a folder are examined.
const maxGlobbed = 10_000

// linksIn is for [rule.Engine]. A missing folder is empty.
func linksIn(dir string) (links, folders []string, all bool) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, nil, errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	defer f.Close()
	list, err := f.ReadDir(maxGlobbed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, errors.Is(err, syscall.ENOTDIR)
	}
	for _, d := range list {
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			links = append(links, d.Name())
		case d.IsDir():
			folders = append(folders, d.Name())
		}
	}
	return links, folders, len(list) < maxGlobbed
}

// checkoutOf is for [rule.Engine].
func checkoutOf(dir string) string {
	there := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return !errors.Is(err, fs.ErrNotExist)
	}
	for {
		switch {
		case there(".git"):
			return dir
		case there("HEAD") && there("objects") && there("refs"): // a repository without a working tree
			return ""
		case filepath.Dir(dir) == dir:
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

func (j *judge) call(q permission.Request) rule.Call {
	return rule.Call{Tool: q.ToolName, Input: q.Input, CWD: q.CWD, SessionID: q.SessionID, WorkspaceID: j.workspace(q.CWD)}
}

// verdict is the verdict of all rules: the CLI's own can only make it stricter. Their deny rules
// are left to users, because the CLI, which interprets its rules better than Parley, asks anyway.
func (j *judge) verdict(q permission.Request) rule.Verdict { return j.with(j.book.Set(), q) }

// with is the verdict with other user rules. A rule that matches more than it names was made for
// other calls: it allows nothing that looks dangerous.
func (j *judge) with(set *rule.Set, q permission.Request) rule.Verdict {
	c, now := j.call(q), time.Now()
	v := set.Decide(c, now)
	if v.Effect == rule.Deny || v.Ruled() {
		return v
	}
	if v.Effect == rule.Allow && v.Wide {
		if found := guard.Assess(j.book.Engine(), c); found.AtLeastHigh() {
			v.Effect, v.Why = rule.Ask, "A broader rule allows it, but it looks dangerous: "+found.Findings[0].Why
			v.Matched = nil
		}
	}
	if cli := j.theirs(q.SessionID, q.CWD).Decide(c, now); cli.Ruled() {
		cli.Effect, cli.Unclear = rule.Ask, cli.Unclear || v.Unclear
		cli.Why = "One of the CLI's own rules matches: " + cli.Matched[0].String() + "."
		return cli
	}
	return v
}

// decide is for [permission.Config]. It adds what users are shown.
func (j *judge) decide(ctx context.Context, q *permission.Request) *permission.Decision {
	v := j.verdict(*q)
	found := guard.Assess(j.book.Engine(), j.call(*q))
	q.Risk, q.Verdict = riskOf(found), verdictOf(v)
	if strings.HasPrefix(q.ToolName, toolserver.Prefix) {
		q.Risk = nil // Parley's own tools describe what they are about to do
	}
	if d := j.ruled(*q, v); d != nil {
		return d
	}
	if !q.NoRemember {
		q.Offers = j.offers(*q)
	}
	return j.guard(ctx, *q, v, found)
}

// again is for [permission.Queue.Review]: the current rules' decision.
func (j *judge) again(q permission.Request) *permission.Decision { return j.ruled(q, j.verdict(q)) }

// ruled is the decision of rules, nil if they leave it to users.
func (j *judge) ruled(q permission.Request, v rule.Verdict) *permission.Decision {
	switch {
	case v.Effect == rule.Deny:
		j.book.Used(v.Matched)
		return &permission.Decision{Outcome: permission.OutcomeDeny, By: permission.ByRule, Message: v.Why, Why: v.Why, Rules: textsOf(v.Matched)}
	case v.Effect == rule.Allow && !q.NoRemember:
		j.book.Used(v.Matched)
		return &permission.Decision{Outcome: permission.OutcomeAllow, By: permission.ByRule, Why: v.Why, Rules: textsOf(v.Matched)}
	}
	return nil
}

// forbid is for [permission.Config]: a user's edit must not bypass a deny rule.
func (j *judge) forbid(q permission.Request) string {
	if v := j.book.Set().Decide(j.call(q), time.Now()); v.Effect == rule.Deny {
		return v.Why
	}
	return ""
}

// offers are the rules an answer could create.
func (j *judge) offers(q permission.Request) []event.RuleOffer {
	var offers []event.RuleOffer
	for _, s := range j.suggest(j.call(q)) {
		offers = append(offers, event.RuleOffer{Means: s.Means, Rules: textsOf(s.Rules)})
	}
	return offers
}

// suggest is what a user could allow permanently, narrowest first. Parley's own tools are too
// diverse to allow all of them at once, and what looks dangerous can only be allowed by rules that
// name it.
func (j *judge) suggest(use rule.Call) []rule.Suggestion {
	e := j.book.Engine()
	list := e.Suggest(use)
	if guard.Assess(e, use).AtLeastHigh() {
		list = slices.DeleteFunc(list, func(s rule.Suggestion) bool {
			rules := slices.Clone(s.Rules)
			for i := range rules {
				rules[i].Scope = rule.Global
			}
			return e.Decide(rules, use, time.Time{}).Wide
		})
	}
	if strings.HasPrefix(use.Tool, toolserver.Prefix) {
		list = list[:min(1, len(list))]
	}
	return list
}

// settled reports whether the CLI's request about one of Parley's own tools needs no user's answer:
// in plan mode it asks about all that are not read-only, but these ask themselves about their
// changes, and refuse them then. Rules take precedence.
func (j *judge) settled(q permission.Request) bool {
	if _, mode := j.guarded(q.SessionID); mode != "plan" || !strings.HasPrefix(q.ToolName, toolserver.Prefix) || q.Weighty {
		return false
	}
	v := j.verdict(q)
	return v.Effect == rule.Ask && !v.Ruled()
}

// choose builds the rules of a user's choice, validated against the offers. They have no ids yet.
// Its errors are faults.
func (j *judge) choose(q permission.Request, c RuleChoice, now time.Time) ([]rule.Rule, error) {
	if q.Kind != permission.KindTool || q.NoRemember {
		return nil, fault.New(fault.Invalid, "No rule can be created from this request.")
	}
	e, use := j.book.Engine(), j.call(q)
	offers := j.suggest(use)
	if c.Offer < 0 || c.Offer >= len(offers) {
		return nil, fault.New(fault.Invalid, "offer is %d; this request has %d offers.", c.Offer, len(offers))
	}
	rules := offers[c.Offer].Rules
	if len(c.Texts) > 0 {
		if len(c.Texts) != len(rules) {
			return nil, fault.New(fault.Invalid, "texts has %d rules; the offer has %d.", len(c.Texts), len(rules))
		}
		narrowed := make([]rule.Rule, len(rules))
		for i, text := range c.Texts {
			var err error
			rest := slices.Delete(slices.Clone(rules), i, i+1)
			if narrowed[i], err = e.Narrow(rules[i], text, rest, use); err != nil {
				return nil, fault.Wrap(err, fault.Invalid, "This rule cannot be created: %v.", err)
			}
		}
		rules = narrowed
	}
	until, err := rulestore.Until(c.Expiry, now)
	if err != nil {
		return nil, err
	}
	scopeID := ""
	switch rule.Scope(c.Scope) {
	case rule.Session:
		scopeID = q.SessionID
	case rule.Workspace:
		if scopeID = use.WorkspaceID; scopeID == "" {
			return nil, fault.New(fault.Invalid, "This folder is not a workspace, so a rule cannot apply to it.")
		}
	case rule.Global:
	default:
		return nil, fault.New(fault.Invalid, "scope is %q; it must be session, workspace or global.", c.Scope)
	}
	made := slices.Clone(rules)
	for i := range made {
		made[i].Scope, made[i].ScopeID, made[i].ExpiresAt, made[i].Source, made[i].CreatedAt = rule.Scope(c.Scope), scopeID, until, rule.Person, now
	}
	// Each rule was checked beside the others as offered; the narrowed ones must still work
	// together.
	for i := range rules {
		rules[i].Scope = rule.Global
	}
	if v := e.Decide(rules, use, now); v.Effect != rule.Allow {
		return nil, fault.New(fault.Invalid, "Together, these rules do not match the request: %s", v.Why)
	}
	return made, nil
}

func textsOf(rules []rule.Rule) []string {
	texts := make([]string, 0, len(rules))
	for _, r := range rules {
		texts = append(texts, r.String())
	}
	return texts
}

func verdictOf(v rule.Verdict) *event.Verdict {
	out := &event.Verdict{Effect: string(v.Effect), Why: v.Why, Rules: textsOf(v.Matched), Unclear: v.Unclear, Parts: []event.VerdictPart{}}
	for _, p := range v.Parts[:min(len(v.Parts), maxVerdictParts)] {
		out.Parts = append(out.Parts, event.VerdictPart{Text: p.Text, Effect: string(p.Effect), Why: p.Why, Rules: textsOf(p.Matched)})
	}
	return out
}

// riskOf converts a risk for users.
func riskOf(found guard.Risk) *event.Risk {
	risk := &event.Risk{Level: string(found.Level), Findings: []event.RiskFinding{}}
	for _, f := range found.Findings[:min(len(found.Findings), maxFindings)] {
		risk.Findings = append(risk.Findings, event.RiskFinding{
			Level: string(f.Level), Kind: string(f.Kind), Words: f.Words, Why: f.Why,
		})
	}
	return risk
}
