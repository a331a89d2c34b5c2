package guard

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"parley/backend/permission/rule"
	"parley/backend/permission/rule/shell"
)

// touched assesses a file that a command may access. Words that may or may not be
// files only count in sensitive places.
func (n *note) touched(v view, f rule.File) {
	if v.is("rm", "rmdir", "unlink", "chmod", "chown", "chgrp", "mv", "find", "shred") && f.Write {
		n.gone(v, f)
	}
	if slices.Contains(v.folders, f.Name) && !n.engine.Inside(n.call.CWD, f) {
		n.add(High, Code, v.text, "Works outside the session's folder.")
	}
	if slices.Contains(v.own, f.Name) {
		f.Write = false
	}
	if v.is("rm", "rmdir", "unlink", "trash") && strings.Contains(f.Real+"/", "/node_modules/") {
		f.Write = false // a deleted file doesn't run
	}
	if v.is("mv", "cp", "ln", "rsync", "ditto") && f.Write && rule.LeadsToLater(f.Path) {
		n.add(High, Persistence, f.Path, "Other programs run the files in this folder later.")
	}
	if v.is("tar", "bsdtar", "gtar", "unzip", "7z", "rsync", "ditto") || v.is("cp") && v.has("-r", "-R", "-a", "--recursive", "--archive") {
		n.below(f)
	}
	if f.Read && strings.ContainsRune(f.Path, shell.Unknown) && !v.is("ls", "du", "stat", "test", "[", "find", "fd") && secretPattern(f.Path, n.belowHome(f.Path)) {
		n.add(High, Credentials, f.Name, "May match files that contain secrets.")
	}
	if v.is("ln", "mv", "install") && f.Read && f.Write && strings.HasPrefix(f.Path, "/dev/") {
		n.add(Medium, Outside, f.Path, "May replace a device.")
	}
	// A bare word without a slash or a dot is usually not a file; if it is one, its
	// location is harmless.
	n.at(f, f.Read, f.Write, f.Name == ".." || strings.ContainsAny(f.Name, "/~"))
}

// below assesses what may put files with arbitrary names into a folder.
func (n *note) below(f rule.File) {
	if f.Write && n.engine.Home != "" && strings.HasPrefix(n.engine.Home+"/", strings.TrimSuffix(f.Path, "/")+"/") {
		n.add(High, Persistence, f.Path, "May write anywhere in your home folder.")
	}
}

// file assesses a file that a tool names.
func (n *note) file(f rule.File, read, write bool) {
	if f.Unsure {
		n.add(Medium, Unclear, f.Name, "Parley cannot tell where this path leads.")
	}
	n.at(f, read, write, true)
}

// at assesses a file's location.
func (n *note) at(f rule.File, read, write, certain bool) {
	for i, name := range []string{f.Path, f.Real} {
		if i == 1 && f.Real == f.Path {
			break
		}
		rest := n.belowHome(name)
		switch {
		case write && rule.IsExecutedLater(n.engine.Home, name):
			n.add(High, Persistence, name, "Other programs run this file later.")
		case secretFile(name, rest):
			n.add(High, Credentials, name, "This file may contain secrets.")
		case strings.HasPrefix(name, "/dev/tcp/") || strings.HasPrefix(name, "/dev/udp/"):
			n.add(Critical, Exfiltration, name, "Opens a connection to another computer.")
		case write && (strings.HasPrefix(name, "/dev/sd") || strings.HasPrefix(name, "/dev/nvme") || strings.HasPrefix(name, "/dev/disk") || strings.HasPrefix(name, "/dev/mem")):
			n.add(Critical, Destructive, name, "Overwrites a disk.")
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
		n.add(Medium, Outside, f.Path, "May change files outside the session's folder.")
	case read:
		n.add(Medium, Outside, f.Path, "Reads outside the session's folder.")
	}
}

// linked reports whether a file is a link: a word that names one is more than a
// word.
func (n *note) linked(f rule.File) bool {
	dir := n.engine.Locate(path.Dir(f.Path), ".")
	return f.Unsure || f.Real != path.Join(dir.Real, path.Base(f.Path))
}

// belowHome returns a path relative to the home folder, or "".
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

// gone assesses what is deleted, moved away or given to others as a whole.
func (n *note) gone(v view, f rule.File) {
	all := v.is("shred", "mv", "find", "unlink") || v.deep
	for _, name := range []string{f.Path, f.Real} {
		name = strings.TrimRight(strings.TrimSuffix(name, string(shell.Unknown)), "/")
		switch {
		case !all:
			if name == n.engine.Home || name == "" {
				n.add(High, Destructive, v.text, "Affects the whole home folder or system.")
			}
		case name == "" || len(strings.Split(name, "/")) == 2 && name != "/tmp" && path.Dir(name) == "/" || system(name) && strings.Count(name, "/") <= 2 || name == path.Dir(n.engine.Home):
			n.add(Critical, Destructive, v.text, "Destroys the system.")
		case n.engine.Home != "" && name == n.engine.Home:
			n.add(Critical, Destructive, v.text, "Destroys your home folder.")
		case name == path.Clean(n.call.CWD) || strings.HasPrefix(path.Clean(n.call.CWD)+"/", name+"/"):
			n.add(High, Destructive, v.text, "Deletes everything in the session's folder.")
		case path.Base(name) == ".git":
			n.add(High, Destructive, v.text, "Destroys the repository's history.")
		case v.is("rm", "shred") && !n.engine.Inside(n.call.CWD, f):
			n.add(High, Destructive, v.text, "Deletes folders outside the session's folder.")
		}
	}
}

// system reports whether a file belongs to the system.
func system(name string) bool {
	for _, dir := range []string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/root", "/sys", "/proc", "/opt", "/var", "/System", "/Library", "/Applications", "/private/etc", "/dev"} {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return dir != "/var" && dir != "/dev" || !strings.HasPrefix(name, "/var/tmp/") && !strings.HasPrefix(name, "/var/folders/") && !strings.HasPrefix(name, "/dev/")
		}
	}
	return false
}

// secretFolders are folders in the home folder that contain secrets.
var secretFolders = []string{".ssh", ".aws", ".gnupg", ".kube", ".azure", ".docker", ".password-store", ".config/gh", ".config/gcloud", ".config/op", ".config/rclone", ".mozilla", ".config/google-chrome",
	".config/chromium", ".thunderbird", ".local/share/keyrings", "library/keychains", "library/cookies", "library/application support/google/chrome", ".electrum", ".bitcoin", ".config/bitwarden", ".terraform.d"}

// secretPattern reports whether a file name pattern may match a file with secrets: it starts
// like a hidden file, or matches a secret folder in home.
func secretPattern(name, home string) bool {
	if base := path.Base(name); strings.HasPrefix(base, ".") {
		for _, secret := range []string{".env", ".env.local", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".bash_history", ".zsh_history"} {
			if rule.MayBe(secret, base) {
				return true
			}
		}
	}
	if home == "" || !strings.HasPrefix(home, ".") {
		return false
	}
	for _, dir := range secretFolders {
		if rule.MayBe(dir+"/x", home) || rule.MayBe(dir+"/"+path.Base(home), home) {
			return true
		}
	}
	return false
}

// secretFile reports whether a file contains secrets.
func secretFile(name, home string) bool {
	name, home = strings.ToLower(name), strings.ToLower(home)
	base := path.Base(name)
	switch base {
	case ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".htpasswd", "credentials", "credentials.json", ".credentials.json", "shadow", "gshadow", "id_rsa",
		"id_dsa", "id_ecdsa", "id_ed25519", ".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history", "fish_history", "secrets.yml", "secrets.yaml",
		"secrets.json", "service-account.json", "login.keychain-db", "cookies.sqlite", "logins.json", "key4.db", "login data", "wallet.dat", ".vault-token", "terraform.tfstate", "kubeconfig", "master.key", "credentials.toml", ".envrc", ".claude.json", "pip.conf", "kcore":
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
	if strings.HasPrefix(name, "/proc/") && slices.Contains([]string{"environ", "mem", "maps", "smaps", "auxv", "cmdline", "stack"}, base) ||
		strings.HasPrefix(base, "ssh_host_") && strings.HasSuffix(base, "_key") || strings.HasPrefix(name, "/run/secrets/") || strings.HasPrefix(name, "/var/run/secrets/") ||
		name == "/dev/mem" || name == "/dev/kmem" || home == ".m2/settings.xml" || home == ".gradle/gradle.properties" || home == ".config/hub" {
		return true
	}
	for _, dir := range secretFolders {
		if home == dir || strings.HasPrefix(home, dir+"/") {
			return path.Ext(base) != ".pub" && base != "known_hosts"
		}
	}
	return false
}

// address assesses an address that is fetched.
func (n *note) address(address string) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		n.add(Medium, Unclear, short(address), "It is unclear where this address leads.")
		return
	case u.User != nil:
		n.add(High, Credentials, short(u.Host), "The address contains a user name or password.")
	}
	if len(u.RawQuery)+len(u.Fragment) > 150 || len(u.Path) > 500 {
		n.add(High, Exfiltration, short(address), "The address is long enough to send data out.")
	}
	host := u.Hostname()
	if host == "localhost" || strings.HasPrefix(host, "127.") || host == "::1" || strings.HasPrefix(host, "169.254.") || strings.HasPrefix(host, "10.") || strings.HasPrefix(host, "192.168.") || host == "metadata.google.internal" {
		n.add(High, Credentials, short(address), "Contacts a computer on your network.")
	}
	n.add(Medium, Exfiltration, host, "Connects to another computer.")
}
