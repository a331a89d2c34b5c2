package guard

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"parley/backend/rule"
	"parley/backend/rule/shell"
)

// touched looks at a file that a command may get at. Words that only might be files
// do not count when they are not in a place that matters.
func (n *note) touched(v view, f rule.File) {
	if v.is("rm", "rmdir", "unlink", "chmod", "chown", "chgrp", "mv", "find", "shred") && f.Write {
		n.gone(v, f)
	}
	if v.is("rm", "rmdir", "unlink", "trash") && strings.Contains(f.Real+"/", "/node_modules/") {
		f.Write = false // what is gone does not run
	}
	// A bare word without a slash or a dot is more often not a file than one; where
	// it would lie is harmless then.
	n.at(f, f.Read, f.Write, f.Name == ".." || strings.ContainsAny(f.Name, "/~"))
}

// file looks at a file that a tool names.
func (n *note) file(f rule.File, read, write bool) {
	if f.Unsure {
		n.add(Medium, Unclear, f.Name, "Where this file really is cannot be said.")
	}
	n.at(f, read, write, true)
}

// at looks at where a file is.
func (n *note) at(f rule.File, read, write, certain bool) {
	for i, name := range []string{f.Path, f.Real} {
		if i == 1 && f.Real == f.Path {
			break
		}
		rest := n.belowHome(name)
		switch {
		case write && rule.RunsLater(n.engine.Home, name):
			n.add(High, Persistence, name, "What is in this file is run later by other programs.")
		case secretFile(name, rest):
			n.add(High, Credentials, name, "Secrets are kept in this file.")
		case strings.HasPrefix(name, "/dev/tcp/") || strings.HasPrefix(name, "/dev/udp/"):
			n.add(Critical, Exfiltration, name, "It opens a connection to another machine.")
		case write && (strings.HasPrefix(name, "/dev/sd") || strings.HasPrefix(name, "/dev/nvme") || strings.HasPrefix(name, "/dev/disk") || strings.HasPrefix(name, "/dev/mem")):
			n.add(Critical, Destructive, name, "It writes over a disk.")
		case write && system(name):
			n.add(High, Privilege, name, "This file belongs to the system.")
		}
	}
	device := slices.Contains([]string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero", "/dev/fd/63"}, f.Path)
	if device || n.engine.Inside(n.call.CWD, f) || !certain && !n.linked(f) {
		return
	}
	switch {
	case write:
		n.add(Medium, Outside, f.Path, "It may change something outside of the session's folder.")
	case read:
		n.add(Medium, Outside, f.Path, "It reads something outside of the session's folder.")
	}
}

// linked says whether a file is a link: a word that names one is more than a word.
func (n *note) linked(f rule.File) bool {
	dir := n.engine.Locate(path.Dir(f.Path), ".")
	return f.Unsure || f.Real != path.Join(dir.Real, path.Base(f.Path))
}

// belowHome is a path without the home folder, or "".
func (n *note) belowHome(name string) string {
	if n.engine.Home == "" {
		return ""
	}
	rest, ok := strings.CutPrefix(name, n.engine.Home+"/")
	if !ok {
		return ""
	}
	return rest
}

// gone looks at what is deleted, moved away or given to others as a whole.
func (n *note) gone(v view, f rule.File) {
	all := v.is("shred", "mv", "find", "unlink") || v.deep
	for _, name := range []string{f.Path, f.Real} {
		name = strings.TrimRight(strings.TrimSuffix(name, string(shell.Hole)), "/")
		switch {
		case !all:
			if name == n.engine.Home || name == "" {
				n.add(High, Destructive, v.text, "It is about the whole home folder or system.")
			}
		case name == "" || len(strings.Split(name, "/")) == 2 && name != "/tmp" && path.Dir(name) == "/" || system(name) && strings.Count(name, "/") <= 2 || name == path.Dir(n.engine.Home):
			n.add(Critical, Destructive, v.text, "It destroys the system.")
		case n.engine.Home != "" && name == n.engine.Home:
			n.add(Critical, Destructive, v.text, "It destroys the home folder.")
		case name == path.Clean(n.call.CWD) || strings.HasPrefix(path.Clean(n.call.CWD)+"/", name+"/"):
			n.add(High, Destructive, v.text, "It destroys the whole folder of the session.")
		case path.Base(name) == ".git":
			n.add(High, Destructive, v.text, "It destroys the history of the repository.")
		case v.is("rm", "shred") && !n.engine.Inside(n.call.CWD, f):
			n.add(High, Destructive, v.text, "It deletes folders outside of the session's.")
		}
	}
}

// system says whether a file belongs to the system.
func system(name string) bool {
	for _, dir := range []string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/root", "/sys", "/proc", "/opt", "/var", "/System", "/Library", "/Applications", "/private/etc", "/dev"} {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return dir != "/var" && dir != "/dev" || !strings.HasPrefix(name, "/var/tmp/") && !strings.HasPrefix(name, "/var/folders/") && !strings.HasPrefix(name, "/dev/")
		}
	}
	return false
}

// secretFile says whether secrets are kept in a file.
func secretFile(name, home string) bool {
	name, home = strings.ToLower(name), strings.ToLower(home)
	base := path.Base(name)
	switch base {
	case ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".htpasswd", "credentials", "credentials.json", ".credentials.json", "shadow", "gshadow", "id_rsa",
		"id_dsa", "id_ecdsa", "id_ed25519", ".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history", "fish_history", "secrets.yml", "secrets.yaml",
		"secrets.json", "service-account.json", "login.keychain-db", "cookies.sqlite", "logins.json", "key4.db", "login data", "wallet.dat", ".vault-token", "terraform.tfstate", "kubeconfig", "master.key":
		return true
	}
	if base == ".env" || strings.HasPrefix(base, ".env.") && !slices.Contains([]string{".env.example", ".env.sample", ".env.template", ".env.dist"}, base) {
		return true
	}
	switch path.Ext(base) {
	case ".pem", ".p12", ".pfx", ".keystore", ".jks", ".kdbx", ".ppk", ".asc", ".gpg":
		return true
	case ".key":
		return true
	}
	if strings.HasPrefix(name, "/proc/") && (base == "environ" || base == "mem" || base == "maps") {
		return true
	}
	for _, dir := range []string{".ssh", ".aws", ".gnupg", ".kube", ".azure", ".docker", ".password-store", ".config/gh", ".config/gcloud", ".config/op", ".config/rclone", ".mozilla", ".config/google-chrome",
		".config/chromium", ".thunderbird", ".local/share/keyrings", "library/keychains", "library/cookies", "library/application support/google/chrome", ".electrum", ".bitcoin", ".config/bitwarden", ".terraform.d"} {
		if home == dir || strings.HasPrefix(home, dir+"/") {
			return path.Ext(base) != ".pub" && base != "known_hosts"
		}
	}
	return false
}

// address looks at an address that is fetched.
func (n *note) address(address string) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		n.add(Medium, Unclear, short(address), "Where the address leads is not clear.")
		return
	case u.User != nil:
		n.add(High, Credentials, short(u.Host), "There is a name or password in the address.")
	}
	if len(u.RawQuery)+len(u.Fragment) > 150 || len(u.Path) > 500 {
		n.add(High, Exfiltration, short(address), "The address is long enough to carry data away.")
	}
	host := u.Hostname()
	if host == "localhost" || strings.HasPrefix(host, "127.") || host == "::1" || strings.HasPrefix(host, "169.254.") || strings.HasPrefix(host, "10.") || strings.HasPrefix(host, "192.168.") || host == "metadata.google.internal" {
		n.add(High, Credentials, short(address), "It asks a machine inside of this network.")
	}
	n.add(Medium, Exfiltration, host, "It talks to another machine.")
}
