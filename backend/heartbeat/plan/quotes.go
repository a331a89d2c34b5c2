package plan

import "regexp"

// bare matches an unquoted cron expression that starts with a YAML special
// character: * for an alias, @ for an error, ? for a key.
var bare = regexp.MustCompile(`(?m)^((?:[^#"'\n]*[{,])?[ \t]*(?:- +)?["']?cron["']?[ \t]*:[ \t]+)(@[^\n"'{}]*?|[*?][^\n"'{}]*?[ \t/][^\n"'{}]*?)([ \t]*(?:[ \t]#.*|,[ \t]*\w+[ \t]*:.*|}.*)?\r?)$`)

// maybeBare matches every text that bare matches, and some others. It is much faster, and
// most files have no such expression.
var maybeBare = regexp.MustCompile(`cron["']?[ \t]*:[ \t]+[@*?]`)

// mended quotes such expressions in a text that isn't YAML without the quotes. An invalid
// expression is then reported for its heartbeat, and the others continue.
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
