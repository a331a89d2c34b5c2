package shell

import (
	"slices"
	"strings"
)

// wrapper describes how a program that runs another one parses its options.
type wrapper struct {
	transparent bool
	values      string   // short options that take a value
	long        []string // long options with a value in the next word
	before      int      // words before the command
	assigns     bool     // NAME=value may precede the command
	feeds       bool     // it appends words to the command
	text        bool     // the command may be one word of shell code
	alone       string   // short options with which it runs nothing
	flags       string   // other short options
	longFlags   []string // other long options
}

func wrapperOf(name string) (wrapper, bool) {
	switch name {
	case "command":
		return wrapper{transparent: true, alone: "vV", flags: "p"}, true
	case "builtin", "nohup", "noglob", "nocorrect", "-":
		return wrapper{transparent: true}, true
	case "exec":
		return wrapper{transparent: true, values: "a", flags: "cl"}, true
	case "time":
		return wrapper{transparent: true, values: "f", flags: "pvlh"}, true
	case "nice":
		return wrapper{transparent: true, values: "n", long: []string{"--adjustment"}}, true
	case "repeat":
		return wrapper{transparent: true, before: 1}, true
	case "timeout":
		return wrapper{transparent: true, values: "ks", long: []string{"--signal", "--kill-after"}, before: 1, flags: "fpv", longFlags: []string{"--foreground", "--preserve-status", "--verbose"}}, true
	case "stdbuf":
		return wrapper{transparent: true, values: "ioe", long: []string{"--input", "--output", "--error"}}, true
	case "env":
		return wrapper{transparent: true, values: "u", long: []string{"--unset"}, assigns: true, flags: "i0v", longFlags: []string{"--ignore-environment", "--null", "--debug"}}, true
	case "sudo":
		return wrapper{values: "ugpCcDhRrtTU", long: []string{"--user", "--group", "--chdir", "--host", "--prompt", "--chroot"}, assigns: true, alone: "lv", flags: "EHSnPAbk", longFlags: []string{"--preserve-env", "--set-home", "--non-interactive", "--stdin", "--background"}}, true
	case "doas":
		return wrapper{values: "u", flags: "n"}, true
	case "pkexec":
		return wrapper{long: []string{"--user"}}, true
	case "su", "runuser":
		return wrapper{values: "sgGw", before: 1}, true
	case "setsid", "caffeinate", "fakeroot", "unbuffer", "setarch", "linux64", "rlwrap":
		return wrapper{flags: "cfw"}, true
	case "ionice":
		return wrapper{values: "cnpPu", long: []string{"--class", "--classdata"}, flags: "t"}, true
	case "chrt":
		return wrapper{values: "TPD", before: 1, flags: "abfior"}, true
	case "taskset":
		return wrapper{before: 1, flags: "ac"}, true
	case "watch":
		return wrapper{values: "nq", long: []string{"--interval"}, text: true, flags: "bcdegtxw"}, true
	case "flock":
		return wrapper{values: "wE", long: []string{"--timeout", "--wait", "--conflict-exit-code"}, before: 1, flags: "nsuxoF"}, true
	case "strace", "ltrace":
		return wrapper{values: "aeEoOpPsSuUXI", flags: "fqrtTvxyC"}, true
	case "unshare", "nsenter":
		return wrapper{flags: "mnpuifU"}, true
	case "busybox", "toybox":
		return wrapper{}, true
	case "chroot":
		return wrapper{before: 1}, true
	case "systemd-run":
		return wrapper{flags: "tqdGP"}, true
	case "xargs", "gxargs":
		return wrapper{values: "EIJLnPsdaR", long: []string{"--max-args", "--max-procs", "--max-lines", "--delimiter", "--arg-file", "--max-chars"}, feeds: true, flags: "0rtx", longFlags: []string{"--null", "--no-run-if-empty", "--verbose"}}, true
	case "parallel":
		return wrapper{values: "jaNLnI", feeds: true, text: true, flags: "0kmX"}, true
	}
	return wrapper{}, false
}

// runner reports whether a program takes a command somewhere in its arguments.
func runner(name string) bool {
	switch name {
	case "docker", "podman", "nerdctl", "kubectl", "ssh", "npx", "bunx", "pnpx", "uvx", "pipx", "npm", "pnpm", "yarn", "bun", "uv", "poetry", "pipenv",
		"bundle", "direnv", "mise", "asdf", "devbox", "nix", "nix-shell", "vagrant", "tmux", "screen", "script", "gdb", "lldb",
		"valgrind", "perf", "hyperfine", "entr", "expect", "at", "batch", "crontab", "wsl", "proot", "firejail", "bwrap", "dbus-run-session", "xvfb-run",
		"osascript", "zargs", "sched", "sg", "newgrp", "gosu", "su-exec", "setpriv", "chpst", "envdir", "setuidgid", "softlimit", "prlimit", "cpulimit", "numactl",
		"cgexec", "systemd-inhibit", "start-stop-daemon", "run-parts", "torsocks", "torify", "proxychains", "proxychains4", "faketime", "eatmydata", "nocache", "chronic",
		"tsp", "tini", "dumb-init", "catchsegv", "rr", "lxc", "lxc-attach", "machinectl", "flatpak-spawn", "toolbox", "distrobox", "ssh-agent", "sshpass", "mosh", "autossh",
		"doppler", "dotenv", "foreman", "honcho", "nodemon", "concurrently", "cross-env", "env-cmd", "npm-run-all", "watchexec", "reflex", "pyenv", "rbenv", "nvm", "fnm",
		"volta", "conda", "mamba", "pdm", "hatch", "rye", "uftrace":
		return true
	}
	return false
}

// RunsOthers reports whether a program runs what its arguments name.
func RunsOthers(name string) bool {
	_, wraps := wrapperOf(name)
	return wraps || runner(name) || isShell(name)
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "hush", "rbash", "fish":
		return true
	}
	return false
}

// wrapper lists what a wrapper runs.
func (r *reader) wrapper(cmd Command, w wrapper, words []Word, p place) after {
	name := Base(words[0].Text)
	i, known := 1, true
	var assigns []Assign
	for ; i < len(words) && known; i++ {
		a := words[i]
		if a.Unknown || a.Glob {
			known = false
			break
		}
		if a.Text == "--" {
			i++
			break
		}
		if w.assigns {
			if n, v, ok := strings.Cut(a.Text, "="); ok && n != "" && n[0] != '-' {
				assigns = append(assigns, Assign{n, Plain(v)})
				continue
			}
		}
		if len(a.Text) < 2 || a.Text[0] != '-' {
			break
		}
		if strings.ContainsAny(a.Text[1:2], w.alone) {
			r.add(cmd, p)
			return same(p.in)
		}
		skip, ok := w.option(name, a.Text, len(words)-i-1)
		if !ok {
			known = false
			break
		}
		if known = certain(words[i+1 : i+1+skip]); !known {
			break
		}
		i += skip
	}
	if w.assigns { // also after --
		for ; known && i < len(words); i++ {
			n, v, ok := strings.Cut(words[i].Text, "=")
			if !ok || n == "" || words[i].Unknown {
				break
			}
			assigns = append(assigns, Assign{n, Plain(v)})
		}
	}
	for _, a := range assigns {
		if changes(a.Name, a.Value) {
			cmd.Doubts = append(cmd.Doubts, "It sets "+a.Name+", which changes how other commands behave.")
		}
	}
	cmd.Assigns = append(cmd.Assigns, assigns...)
	known = known && certain(words[min(i, len(words)):min(i+w.before, len(words))])
	i += w.before
	if known && i < len(words) && strings.HasPrefix(words[i].Text, "-") {
		known = false // an option in place of the command
	}
	if !known || i > len(words) {
		// The command is somewhere among the words: rules may deny it, none may
		// allow it.
		cmd.Layers[0].Guessed = true
		cmd.Doubts = append(cmd.Doubts, "It starts "+name+" in a way Parley does not understand.")
		r.add(cmd, p)
		return same(p.in)
	}
	if i == len(words) {
		if name == "xargs" {
			cmd.Doubts = append(cmd.Doubts, "It runs the output of another command.")
		}
		r.add(cmd, p) // it wraps nothing: "exec >file", "env"
		return same(p.in)
	}
	inner := words[i:]
	at := p
	at.layers = append(at.layers[:len(at.layers):len(at.layers)], Layer{Args: words[:i], Transparent: w.transparent, Guessed: !w.transparent})
	if w.feeds {
		inner = append(filled(inner, marks(words[1:i])), Word{Text: "…", Shape: string(Unknown), Unknown: true})
	}
	if w.text && strings.ContainsAny(inner[0].Text, " \t\n;|&") {
		r.add(cmd, p)
		r.source(inner[0].Text, at.within("sh"))
		return same(p.in)
	}
	return r.unwrap(cmd, inner, at)
}

// marks returns the placeholders, given with -I or -J, that a wrapper replaces; those of
// parallel are implicit.
func marks(options []Word) []string {
	out := []string{"{"}
	for i, o := range options {
		at := strings.IndexAny(o.Text, "IJ")
		if at < 1 || o.Text[0] != '-' {
			continue
		}
		mark := o.Text[at+1:]
		if mark == "" && i+1 < len(options) {
			mark = options[i+1].Text
		}
		out = append(out, mark)
	}
	return out
}

// filled returns words in which those with a placeholder are unknown.
func filled(words []Word, marks []string) []Word {
	words = slices.Clone(words)
	for i, w := range words {
		if slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(w.Text, mark) }) {
			words[i] = Word{Text: w.Text, Shape: string(Unknown), Unknown: true}
		}
	}
	return words
}

// certain reports whether each word is exactly one word: one that is only known at run
// time may be none or many, and shifts those after it.
func certain(words []Word) bool {
	return !slices.ContainsFunc(words, func(w Word) bool { return w.Unknown || w.Glob })
}

// option returns how many extra words a wrapper's option takes, and false for
// an unknown option: a command could hide behind it.
func (w wrapper) option(name, text string, left int) (int, bool) {
	if strings.HasPrefix(text, "--") {
		begin, _, valued := strings.Cut(text, "=")
		switch {
		case slices.Contains(w.long, begin) && !valued:
			return 1, left > 0
		case slices.Contains(w.long, begin), slices.Contains(w.longFlags, begin):
			return 0, true
		}
		return 0, false
	}
	if name == "nice" && strings.Trim(text[1:], "0123456789-") == "" {
		return 0, true
	}
	for j, c := range text[1:] {
		switch {
		case strings.ContainsRune(w.values, c):
			if j+2 == len(text) {
				return 1, left > 0
			}
			return 0, true
		case !strings.ContainsRune(w.flags, c):
			return 0, false
		}
	}
	return 0, true
}
