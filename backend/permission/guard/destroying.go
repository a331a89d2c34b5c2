package guard

import (
	"slices"
	"strings"

	"parley/backend/permission/rule/shell"
)

// destroying lists what can't be undone.
func destroying() []line {
	return []line{
		{Critical, Destructive, "Overwrites a disk.", func(v view) bool {
			return strings.HasPrefix(v.name, "mkfs") || v.is("wipefs", "fdisk", "sfdisk", "parted", "blkdiscard", "hdparm", "diskutil", "mkswap", "cryptsetup") ||
				v.is("dd") && v.contains("of=/dev/")
		}},
		{Medium, Destructive, "Writes raw data.", func(v view) bool { return v.is("dd") }},
		{Medium, Destructive, "Deletes files.", func(v view) bool { return v.is("rm", "unlink", "trash", "rmdir") && len(v.words) > 0 }},
		{High, Destructive, "Deletes files permanently.", func(v view) bool { return v.is("shred", "srm") }},
		{High, Destructive, "Deletes files that are only known when it runs.", func(v view) bool {
			return v.is("rm") && v.has("-r", "-R", "--recursive") && slices.ContainsFunc(v.words, func(w shell.Word) bool { return w.Unknown })
		}},
		{High, Destructive, "Deletes the files it finds.", func(v view) bool {
			return v.is("find") && (v.has("-delete") || (v.has("-exec", "-execdir") && v.contains("rm", "shred")))
		}},
		{High, Destructive, "Empties a folder.", func(v view) bool { return v.is("pytest", "py.test") && v.has("--basetemp") }},
		{Medium, Destructive, "Empties files.", func(v view) bool { return v.is("truncate") }},
		{High, Destructive, "Discards uncommitted changes.", func(v view) bool {
			return v.is("git") && (v.verbs("reset") && v.has("--hard", "--merge", "--keep") || v.verbs("clean") && v.has("-f", "--force") ||
				v.verbs("checkout") && (v.has("--", "-f", "--force") || slices.Contains(v.plain, ".")) || v.verbs("restore") ||
				v.verbs("stash", "drop") || v.verbs("stash", "clear") || v.verbs("switch") && v.has("-f", "--force", "--discard-changes") || v.verbs("rm") && v.has("-f", "--force"))
		}},
		{High, Destructive, "Rewrites or deletes history that others may already have.", func(v view) bool {
			return v.is("git") && (v.verbs("push") && (v.has("-f", "--force", "--force-with-lease", "--mirror", "--delete", "-d", "--prune") || slices.ContainsFunc(v.plain, func(s string) bool {
				return strings.HasPrefix(s, "+") || strings.HasPrefix(s, ":")
			})) || v.verbs("filter-branch") || v.verbs("filter-repo") || v.verbs("reflog", "expire") || v.verbs("reflog", "delete") ||
				v.verbs("branch") && v.has("-D") || v.verbs("update-ref") && v.has("-d") || v.verbs("gc") && v.has("--prune"))
		}},
		{Medium, Destructive, "Changes the repository's history or files.", func(v view) bool {
			return v.is("git") && slices.Contains([]string{"reset", "rebase", "checkout", "switch", "merge", "cherry-pick", "revert", "branch", "tag", "stash", "rm", "mv", "am",
				"apply", "commit", "pull", "fetch", "clone", "init", "worktree", "submodule", "bisect", "gc", "prune", "replace", "notes", "sparse-checkout", "remote"}, v.verb(0))
		}},
		{High, Destructive, "Deletes resources that others use.", func(v view) bool {
			return v.is("docker", "podman") && (v.contains("prune") || v.verbs("volume", "rm") || v.verbs("rm") && v.has("-f", "-v") || v.verbs("compose", "down") && v.has("-v", "--volumes")) ||
				v.is("kubectl", "oc") && slices.Contains([]string{"delete", "drain", "replace"}, v.verb(0)) || v.is("helm") && v.verb(0) == "uninstall" ||
				v.is("terraform", "tofu", "pulumi") && slices.Contains([]string{"destroy", "apply", "up"}, v.verb(0)) ||
				v.is("aws", "gcloud", "az", "gsutil") && v.contains("delete", "terminate", " rb", "remove") || v.verbs("s3", "rm") || v.verbs("s3", "rb") ||
				v.is("dropdb", "dropuser") || v.is("gh") && v.contains("delete") || v.is("npm", "cargo") && v.contains("unpublish", "yank")
		}},
		{High, Destructive, "Deletes data in a database.", func(v view) bool {
			return v.is("psql", "mysql", "sqlite3", "mariadb", "mongosh", "mongo", "redis-cli", "clickhouse-client") && v.contains("drop ", "truncate ", "delete from", "dropdatabase", "flushall", "flushdb")
		}},
		{Medium, Destructive, "Ends running programs.", func(v view) bool { return v.is("kill", "killall", "pkill", "fuser", "xkill") }},
		{High, Destructive, "Shuts down or restarts the computer.", func(v view) bool {
			return v.is("shutdown", "reboot", "halt", "poweroff", "init", "telinit") || v.is("systemctl") && slices.Contains([]string{"poweroff", "reboot", "halt", "suspend", "hibernate"}, v.verb(0))
		}},
		{High, Destructive, "Erases history or logs.", func(v view) bool {
			return v.is("history") && v.has("-c", "-w", "-d") || v.is("journalctl") && v.has("--rotate", "--vacuum-time", "--vacuum-size") || v.is("crontab") && v.has("-r")
		}},
		{Medium, Destructive, "Edits files in place.", func(v view) bool {
			return v.is("perl", "ruby", "awk", "gawk") && v.has("-i") || v.is("patch", "ed", "ex", "sponge", "install", "rsync", "ditto")
		}},
	}
}

// privileged lists what requires elevated rights.
func privileged() []line {
	return []line{
		{High, Privilege, "Runs as administrator or as another user.", func(v view) bool {
			return v.is("sudo", "doas", "su", "pkexec", "runuser", "run0", "gsudo", "runas")
		}},
		{High, Privilege, "Lets a program run with its owner's rights.", func(v view) bool {
			return v.is("setcap") || v.is("chmod") && (slices.ContainsFunc(v.plain, setuid))
		}},
		{High, Privilege, "Makes files accessible to everyone.", func(v view) bool {
			return v.is("chmod") && v.contains("777", "666", "a+w", "o+w", "+rwx") && v.has("-R", "--recursive")
		}},
		{Medium, Privilege, "Changes file permissions.", func(v view) bool { return v.is("chmod", "chown", "chgrp", "setfacl", "chattr", "chflags") }},
		{High, Privilege, "Changes user accounts or passwords.", func(v view) bool {
			return v.is("useradd", "usermod", "userdel", "adduser", "deluser", "groupadd", "gpasswd", "passwd", "chpasswd", "visudo", "dscl", "chsh")
		}},
		{High, Privilege, "Changes system or network settings.", func(v view) bool {
			return v.is("modprobe", "insmod", "rmmod", "sysctl", "iptables", "ip6tables", "nft", "ufw", "firewall-cmd", "setenforce", "csrutil", "spctl", "mount", "umount", "swapoff",
				"ifconfig", "route", "networksetup", "scutil", "nvram", "kextload", "update-alternatives", "ldconfig")
		}},
		{High, Privilege, "Gives a container control over this computer.", func(v view) bool {
			return v.is("docker", "podman", "nerdctl") && (v.has("--privileged", "--pid", "--cap-add", "--device") || v.contains("/:/", "docker.sock", "--network=host", "--net=host"))
		}},
		{Medium, Privilege, "Changes the root folder or namespaces, or attaches to a process.", func(v view) bool {
			return v.is("chroot", "unshare", "nsenter", "bwrap", "proot", "gdb", "lldb", "strace", "ltrace")
		}},
	}
}

// setuid reports whether a chmod mode sets the setuid or setgid bits.
func setuid(mode string) bool {
	if strings.Trim(mode, "01234567") == "" {
		m := strings.TrimLeft(mode, "0")
		return len(m) == 4 && m[0] >= '2'
	}
	return strings.Contains(mode, "+") && strings.Contains(mode, "s") && strings.Trim(mode, "ugoa+rwxs,") == ""
}
