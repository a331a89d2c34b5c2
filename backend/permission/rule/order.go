package rule

import (
	"slices"
	"strings"

	"parley/backend/permission/rule/shell"
)

// ordered is what a deny or ask rule requires of a command, whatever comes in between: an
// option with its value, a toolchain, an assignment ("kubectl -n prod delete pod" for
// "kubectl delete:*").
type ordered struct {
	// ways are the words in order, the program first; each may contain *. Alternatives are
	// synonyms.
	ways [][]string
	// open means that more words may follow.
	open bool
}

func newOrdered(p commandPattern) ordered {
	words, open := p.words, p.prefix
	if p.wild != "" {
		words = strings.Fields(p.wild)
		end := words[len(words)-1]
		if open = strings.HasSuffix(end, "*"); open && end == "*" && len(words) > 1 {
			words = words[:len(words)-1]
		}
	}
	if len(words) == 0 {
		return ordered{}
	}
	ways := append(synonyms(words), words)
	switch {
	case words[0] == "docker" && len(words) > 1 && words[1] == "compose":
		ways = append(ways, append([]string{"docker-compose"}, words[2:]...))
	case words[0] == "docker-compose":
		ways = append(ways, append([]string{"docker", "compose"}, words[1:]...))
	case !strings.HasPrefix(words[0], "python"): // it may be a module ("python -m pip install")
		ways = append(ways, append([]string{"python", "-m"}, words...))
	}
	if p.named {
		last := len(words) - 1
		ways = append(ways, append(slices.Clone(words[:last]), words[last]+":*"))
	}
	return ordered{ways, open}
}

// fits reports whether a command has the words in order.
func (o ordered) fits(words []shell.Word) bool {
	return slices.ContainsFunc(o.ways, func(way []string) bool { return inOrder(way, words, o.open) })
}

func inOrder(way []string, words []shell.Word, open bool) bool {
	if len(words) < len(way) || !program(way[0], words[0]) {
		return false
	}
	at := 1
	for i, want := range way[1:] {
		// The verb of git can be determined; a later word isn't it ("git stash push").
		verb := i == 0 && words[0].Text == "git" && !option(want)
		switch {
		case verb:
			at = gitVerb(words)
		case !open && i == len(way)-2:
			at = max(at, len(words)-1)
		}
		for !verb && at < len(words) && !is(want, words[at]) {
			at++
		}
		if at == len(words) || !is(want, words[at]) {
			return false
		}
		at++
	}
	return open || at == len(words)
}

// is reports whether a command's word matches a rule's word.
func is(want string, w shell.Word) bool {
	switch {
	case w.Unknown:
		return false
	case strings.Contains(want, "*"):
		return fits(want, w.Text)
	}
	return w.Text == want || bundle(want) && bundle(w.Text) && strings.Trim(want[1:], w.Text[1:]) == "" || sameOption(want, w.Text)
}

// sameOption reports whether a word is a rule's long option: with a value, or abbreviated as most
// programs allow.
func sameOption(want, text string) bool {
	text, _, _ = strings.Cut(text, "=")
	return strings.HasPrefix(want, "--") && len(text) > 2 && strings.HasPrefix(want, text)
}

// program reports whether a command's program is a rule's, or a version of it ("pip3.12").
func program(want string, w shell.Word) bool {
	return is(want, w) || !w.Unknown && want != "" && strings.HasPrefix(w.Text, want) && strings.TrimRight(w.Text, "0123456789.-") == want
}

// bundle reports whether a word combines short options, which may be in any order and mixed
// with others. A longer one is a named option (find's -exec).
func bundle(text string) bool {
	return len(text) > 2 && len(text) < 5 && text[0] == '-' && strings.Trim(text[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// perhaps reports whether the unknown parts of a command may be the missing
// words.
func (o ordered) perhaps(words []shell.Word) bool {
	return slices.ContainsFunc(o.ways, func(way []string) bool { return mayBeInOrder(way, words) })
}

func mayBeInOrder(way []string, words []shell.Word) bool {
	if len(words) < 2 || len(way) < 2 || !program(way[0], words[0]) {
		return false
	}
	way = way[1:]
	for at := 1; at < len(words); at++ {
		switch w := words[at]; {
		case is(way[0], w):
			if way = way[1:]; len(way) == 0 {
				return false // left to fits
			}
		case (w.Unknown || w.Glob) && could(way[0], w.Shape):
			return true // it may be several words
		case !aside(words, at):
			return false
		}
	}
	return false
}

// aside reports whether a word may precede the verb: an option, its possible value, a
// toolchain, or an assignment.
func aside(words []shell.Word, at int) bool {
	text := words[at].Text
	return option(text) || strings.HasPrefix(text, "+") || strings.Contains(text, "=") || option(words[at-1].Text) && !strings.Contains(words[at-1].Text, "=")
}

func option(text string) bool { return len(text) > 1 && text[0] == '-' }

// gitVerb returns the index of git's verb, after git's own options, or the number of words
// if there is none.
func gitVerb(words []shell.Word) int {
	// Those that take the next word, according to its manual.
	for i := 1; i < len(words); i++ {
		switch text := words[i].Text; text {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source", "--shallow-file":
			i++
		default:
			if !option(text) {
				return i
			}
		}
	}
	return len(words)
}

// synonyms returns other ways to write the same, according to the programs' manuals.
func synonyms(words []string) [][]string {
	if len(words) < 2 {
		return nil
	}
	var ways [][]string
	for _, same := range sameVerbs(words[0]) {
		for _, begin := range same {
			if len(words) > len(begin) && slices.Equal(words[1:1+len(begin)], begin) {
				for _, other := range same {
					if !slices.Equal(other, begin) {
						ways = append(ways, slices.Concat(words[:1], other, words[1+len(begin):]))
					}
				}
			}
		}
	}
	return ways
}

// sameVerbs lists the verbs that are the same to a program.
func sameVerbs(program string) [][][]string {
	var lines []string
	switch program {
	case "docker", "podman", "nerdctl":
		lines = []string{"rm|container rm|container remove", "rmi|image rm|image remove", "ps|container ls|container list|container ps", "images|image ls|image list", "volume rm|volume remove", "network rm|network remove",
			"build|image build|builder build|buildx build", "import|image import", "load|image load", "pull|image pull", "push|image push", "save|image save", "tag|image tag"}
		for _, verb := range strings.Fields("attach commit cp create exec export kill logs pause rename restart run start stop unpause update wait") {
			lines = append(lines, verb+"|container "+verb)
		}
	case "npm":
		lines = []string{"install|i|in|ins|inst|insta|instal|isnt|isnta|isntal|isntall|add", "uninstall|un|unlink|remove|rm|r", "run|run-script|rum|urn", "ci|clean-install|ic|install-clean|isntall-clean", "test|t|tst", "exec|x", "update|up|upgrade|udpate", "version|verison", "owner|author", "link|ln", "config|c", "init|create|innit", //nolint:misspell // npm's own aliases
			"dist-tag|dist-tags", "view|info|show|v", "list|ls|la|ll", "rebuild|rb", "search|s|se|find", "install-test|it", "explain|why"}
	case "pnpm":
		lines = []string{"install|i", "remove|rm|uninstall|un", "update|up|upgrade", "run|run-script", "test|t|tst"}
	case "cargo":
		lines = []string{"build|b", "check|c", "doc|d", "run|r", "test|t", "remove|rm"}
	case "conda", "mamba":
		lines = []string{"remove|uninstall", "update|upgrade"}
	case "dnf", "yum":
		lines = []string{"remove|erase|rm", "install|in", "upgrade|update|up", "reinstall|rei", "downgrade|dg", "group|groups|grp"}
	case "zypper":
		lines = []string{"install|in", "remove|rm", "update|up", "dist-upgrade|dup", "addrepo|ar", "removerepo|rr", "refresh|ref"}
	case "flatpak":
		lines = []string{"uninstall|remove"}
	case "helm":
		lines = []string{"uninstall|un|del|delete", "list|ls", "dependency|dep", "pull|fetch", "repo remove|repo rm", "repo update|repo up", "plugin uninstall|plugin rm|plugin un"}
	case "brew":
		lines = []string{"uninstall|remove|rm", "list|ls"}
	case "git":
		lines = []string{"remote remove|remote rm", "add|stage", "push -f|push --force", "push -d|push --delete", "branch -d|branch --delete", "tag -d|tag --delete",
			"branch -D|branch -df|branch -d -f|branch -d --force|branch --delete -f|branch --delete --force|branch -f -d|branch --force --delete"}
	case "rustup":
		lines = []string{"toolchain install|toolchain add|toolchain update", "toolchain uninstall|toolchain remove", "target remove|target uninstall", "component remove|component uninstall"}
	case "gh":
		lines = []string{"pr create|pr new", "issue create|issue new", "repo list|repo ls", "codespace|cs", "extension|extensions|ext"}
	case "svn":
		lines = []string{"delete|del|remove|rm", "commit|ci", "checkout|co", "copy|cp", "move|mv|rename|ren", "update|up", "switch|sw", "propset|pset|ps", "propdel|pdel|pd"}
	case "hg":
		lines = []string{"commit|ci", "remove|rm", "rename|move|mv", "update|up|checkout|co"}
	}
	same := make([][][]string, 0, len(lines))
	for _, line := range lines {
		var list [][]string
		for way := range strings.SplitSeq(line, "|") {
			list = append(list, strings.Fields(way))
		}
		same = append(same, list)
	}
	return same
}
