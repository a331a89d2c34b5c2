package plan

import "regexp"

// bare finds a cron expression without quotes that begins with what YAML takes for
// something else: * for an alias, @ for a mistake, ? for a key.
var bare = regexp.MustCompile(`(?m)^((?:[^#"'\n]*[{,])?[ \t]*(?:- +)?["']?cron["']?[ \t]*:[ \t]+)(@[^\n"'{}]*?|[*?][^\n"'{}]*?[ \t/][^\n"'{}]*?)([ \t]*(?:[ \t]#.*|,[ \t]*\w+[ \t]*:.*|}.*)?\r?)$`)

// maybeBare matches every text that bare matches, and some others. It is much faster, and
// most files have no such expression.
var maybeBare = regexp.MustCompile(`cron["']?[ \t]*:[ \t]+[@*?]`)

// mended is the text with quotes around such expressions, where it is no YAML without. What
// is wrong with one is then said of its heartbeat, and the others continue.
func mended(text []byte) []byte {
	if !maybeBare.Match(text) {
		return text
	}
	if _, problem := load(text); problem == nil || !bare.Match(text) {
		return text
	}
	quoted := bare.ReplaceAll(text, []byte(`${1}"${2}"${3}`))
	if _, problem := load(quoted); problem != nil {
		return text
	}
	return quoted
}
