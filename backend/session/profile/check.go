package profile

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/backend/fault"
	"parley/backend/store/model"
)

// Limits of a profile.
const (
	maxProfiles  = 200
	maxVariables = 100
	maxName      = 80  // characters of a profile's name
	maxVariable  = 128 // bytes of a variable's name
	maxValue     = 8 << 10
	// maxSecret is the maximum that the keyrings of all systems accept.
	maxSecret = 2400
	maxHelper = 4 << 10
)

// kind describes a kind of profile.
type kind struct {
	// turnsOn is the variable that Parley sets to 1 for it.
	turnsOn string
	// needs are required variables; never are forbidden ones.
	needs, never []string
	// helper is set if the CLI runs a credential helper for this kind.
	helper bool
	// credential is set if a credential is required: without one, the CLI would
	// send this computer's login.
	credential bool
}

func kinds() map[string]kind {
	elsewhere := []string{
		"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_MANTLE",
		"CLAUDE_CODE_USE_GATEWAY", "CLAUDE_CODE_USE_ANTHROPIC_AWS", "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
		"ANTHROPIC_UNIX_SOCKET", "CLAUDE_CODE_API_BASE_URL",
	}
	but := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(elsewhere), func(n string) bool { return slices.Contains(names, n) })
	}
	return map[string]kind{
		"anthropic": {never: append(but(), "ANTHROPIC_BASE_URL"), helper: true},
		"gateway":   {needs: []string{"ANTHROPIC_BASE_URL"}, never: but(), helper: true, credential: true},
		"bedrock": {turnsOn: "CLAUDE_CODE_USE_BEDROCK", needs: []string{"AWS_REGION"},
			never: append(but("CLAUDE_CODE_USE_BEDROCK"), "ANTHROPIC_BASE_URL")},
		"vertex": {turnsOn: "CLAUDE_CODE_USE_VERTEX", needs: []string{"CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID"},
			never: append(but("CLAUDE_CODE_USE_VERTEX"), "ANTHROPIC_BASE_URL")},
		"custom": {helper: true},
	}
}

// check validates a profile; its errors are faults (invalid). offered are the
// secrets that Parley was started with for it.
func check(p *model.Profile, offered map[string]string) error {
	if p.Name == "" || utf8.RuneCountInString(p.Name) > maxName || strings.ContainsFunc(p.Name, unicode.IsControl) || !utf8.ValidString(p.Name) {
		return fault.New(fault.Invalid, "Enter a profile name of 1 to %d characters.", maxName)
	}
	if len(p.Env)+len(p.Secrets) > maxVariables {
		return fault.New(fault.Invalid, "A profile can have at most %d variables.", maxVariables)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		if err := checkPlain(name, p.Env[name]); err != nil {
			return err
		}
		if slices.Contains(p.Secrets, name) {
			return fault.New(fault.Invalid, "%s is both a variable and a secret. Remove one of them.", name)
		}
	}
	if err := checkHelper(p.Helper); err != nil {
		return err
	}
	return checkKind(p, offered)
}

func checkKind(p *model.Profile, offered map[string]string) error {
	k, ok := kinds()[p.Kind]
	if !ok {
		return fault.New(fault.Invalid, "There is no kind of profile %.40q. The kinds are anthropic, gateway, bedrock, vertex and custom.", p.Kind)
	}
	has := map[string]string{}
	for _, name := range p.Secrets {
		has[name] = "secret"
	}
	maps.Copy(has, offered)
	maps.Copy(has, p.Env)
	var missing []string
	for _, name := range k.needs {
		if has[name] == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fault.New(fault.Invalid, "A %s profile needs %s.", p.Kind, strings.Join(missing, " and "))
	}
	for _, name := range k.never {
		if has[name] != "" {
			return fault.New(fault.Invalid, "A %s profile cannot have %s. Choose another kind.", p.Kind, name)
		}
	}
	if v := p.Env[k.turnsOn]; k.turnsOn != "" && v != "" && v != "1" {
		return fault.New(fault.Invalid, "%s must be 1 or left out in a %s profile.", k.turnsOn, p.Kind)
	}
	if p.Helper != "" && !k.helper {
		return fault.New(fault.Invalid, "Claude Code uses no helper with a %s profile. Remove the helper.", p.Kind)
	}
	if p.Helper != "" && slices.ContainsFunc(p.Secrets, credential) {
		return fault.New(fault.Invalid, "A profile can have a helper or a credential, not both. Remove one of them.")
	}
	if k.credential && p.Helper == "" && !anyOf(has, credential) {
		return fault.New(fault.Invalid, "A %s profile needs ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY as a secret, or a helper. If the gateway needs no credential, enter any text.", p.Kind)
	}
	return nil
}

// checkName validates a variable's name.
func checkName(name string) error {
	form := len(name) > 0 && len(name) <= maxVariable && (name[0] < '0' || name[0] > '9')
	for _, c := range []byte(name) {
		form = form && (c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_')
	}
	if !form {
		return fault.New(fault.Invalid, "%.60q is not a valid variable name. Use 1 to %d of A–Z, 0–9 and _, and do not start with a digit.", name, maxVariable)
	}
	if why := barred(name); why != "" {
		return fault.New(fault.Invalid, "A profile cannot set %s: %s.", name, why)
	}
	return nil
}

// checkValue validates a value. Its error never contains the value.
func checkValue(name, value string, limit int) error {
	switch {
	case len(value) > limit:
		return fault.New(fault.Invalid, "The value of %s is longer than %d bytes.", name, limit)
	case strings.ContainsFunc(value, unicode.IsControl), !utf8.ValidString(value):
		return fault.New(fault.Invalid, "The value of %s must be one line of text.", name)
	}
	return nil
}

// checkPlain validates a variable that is kept in the store.
func checkPlain(name, value string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := checkValue(name, value, maxValue); err != nil {
		return err
	}
	if secretive(name) || looksSecret(value) {
		return fault.New(fault.Invalid, "%s looks like a secret. Enter it as a secret, so that it is stored in the keyring.", name)
	}
	if !strings.HasSuffix(name, "_BASE_URL") {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fault.New(fault.Invalid, "%s must be an address that starts with https:// or http://.", name)
	}
	return nil
}

// looksSecret reports whether a value contains a known form of a credential.
func looksSecret(value string) bool {
	if strings.Contains(value, "sk-ant-") {
		return true
	}
	u, err := url.Parse(value)
	if err != nil || u.User == nil {
		return false
	}
	_, has := u.User.Password()
	return has
}

// checkSecrets validates values for the keyring.
func checkSecrets(secrets map[string]string) error {
	if len(secrets) > maxVariables {
		return fault.New(fault.Invalid, "A profile can have at most %d variables.", maxVariables)
	}
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if secrets[name] == "" {
			continue // any name may be removed
		}
		if err := checkName(name); err != nil {
			return err
		}
		if err := checkValue(name, secrets[name], maxSecret); err != nil {
			return err
		}
	}
	return nil
}

func checkHelper(helper string) error {
	switch {
	case len(helper) > maxHelper:
		return fault.New(fault.Invalid, "The helper command is longer than %d bytes. Put it into a script.", maxHelper)
	case strings.ContainsFunc(helper, unicode.IsControl), !utf8.ValidString(helper):
		return fault.New(fault.Invalid, "The helper command must be one line.")
	case looksSecret(helper):
		return fault.New(fault.Invalid, "The helper command contains a key. Enter the key as a secret instead.")
	}
	return nil
}
