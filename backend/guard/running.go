package guard

import (
	"strings"

	"parley/backend/rule"
)

// running lists, for programs that rules with a prefix are made for, the options that
// make them run another program, load code, or write where a looking program should
// not. An option with "=" counts only when its value contains what follows. A verb is
// written behind a dot, and counts like an option.
var running = []struct{ programs, options string }{
	{"git", "--upload-pack --receive-pack --exec --open-files-in-pager --ext-diff --output --config-env --exec-path --extcmd --tool --smtp-server --to-cmd --cc-cmd --sendmail-cmd --template --hook-path --contents"},
	{"git.grep", "-O"}, {"git.ls-remote git.clone git.fetch-pack", "-u"}, {"git.rebase git.difftool", "-x"},
	{"git.bisect", ".run"}, {"git.submodule", ".foreach"}, {"git.hook", ".run"},
	{"git.for-each-repo git.filter-branch git.send-email git.instaweb git.daemon git.difftool git.mergetool git.upload-pack git.receive-pack git.shell git.fast-import", "."},
	{"go", "-toolexec --toolexec -vettool --vettool -exec --exec -overlay --overlay -modfile --modfile -ldflags=ext -gccgoflags --gccgoflags -compiler --compiler"},
	{"find", "-exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls -files0-from"},
	{"fd fdfind", "-x -X --exec --exec-batch"},
	{"rg", "--pre --hostname-bin"}, {"ag ack bat", "--pager"}, {"sort", "--compress-program"}, {"split", "--filter"},
	{"tar bsdtar gtar", "-I -F --to-command --use-compress-program --checkpoint-action --info-script --new-volume-script --rsh-command --rmt-command"},
	{"zip", "-TT --unzip-command"}, {"rsync", "-e --rsh --rsync-path"}, {"scp sftp", "-S -o -D -F"},
	{"less more", "-k --lesskey-src --lesskey-file --lesskey-content + -o -O --log-file --LOG-FILE"}, {"man", "-P -H --pager --html --preprocessor"},
	{"npm pnpm yarn bun", "--script-shell --node-options --shell --git --viewer --editor --init-module --userconfig --globalconfig --prefix --cwd --dir -C"},
	{"cargo", "--config --manifest-path -Z -C"}, {"make gmake", "--eval -f -C -I --file --makefile --directory --include-dir SHELL= .SHELLFLAGS="},
	{"just", "--shell --justfile --shell-arg --chooser"},
	{"pytest py.test", "-p -c -o --rootdir --confcutdir --override-ini --pdbcls --config-file"},
	{"eslint", "-c -f --rulesdir --resolve-plugins-relative-to --config --plugin --parser --format"}, {"prettier", "--plugin --config"},
	{"jest", "-c --config --globalSetup --globalTeardown --testRunner --runner --transform --reporters --setupFiles --resolver --testEnvironment --rootDir"},
	{"vitest", "-c --config --root --globalSetup --environment --reporter --runner"},
	{"tsc", "-p --project"}, {"golangci-lint", "-c --config"}, {"mypy", "--config-file --python-executable"}, {"ruff black", "--config"},
	{"kubectl docker", "--kubeconfig --config"}, {"curl", "-K --config"}, {"wget", "-e --execute --use-askpass --config"},
	{"gcc g++ cc clang clang++", "-wrapper -B -fplugin -fplugin= -specs"},
	{"install", "--strip-program"}, {"tcpdump", "-z"}, {"date", "-s --set"}, {"mapfile readarray", "-C"}, {"jobs", "-x"},
}

// runsAnother looks a command up in the table.
func runsAnother(v view) bool {
	for _, line := range running {
		for name := range strings.FieldsSeq(line.programs) {
			name, verb, _ := strings.Cut(name, ".")
			if name != v.name || verb != "" && v.verb(0) != verb {
				continue
			}
			for option := range strings.FieldsSeq(line.options) {
				if v.told(option) {
					return true
				}
			}
		}
	}
	return false
}

// told says whether an option of the table is given.
func (v view) told(option string) bool {
	if verb, ok := strings.CutPrefix(option, "."); ok && !strings.Contains(option, "=") {
		return verb == "" || v.verb(1) == verb
	}
	name, value, valued := strings.Cut(option, "=")
	for i, w := range v.words {
		switch {
		case valued && name[0] != '-': // a variable
			if strings.HasPrefix(w.Text, option) {
				return true
			}
		case valued:
			given, rest, _ := strings.Cut(strings.TrimPrefix(w.Text, "-"), "=")
			if given != strings.TrimPrefix(name, "-") && "-"+given != name {
				continue
			}
			if i+1 < len(v.words) {
				rest += v.words[i+1].Text
			}
			if strings.Contains(rest, value) {
				return true
			}
		case w.Text == option, strings.HasPrefix(option, "--") && rule.Abbreviates(w.Text, option),
			len(option) > 2 && strings.HasPrefix(w.Text, option+"="), option == "+" && strings.HasPrefix(w.Text, "+"):
			return true
		case len(option) == 2 && option[0] == '-' && len(w.Text) > 2 && w.Text[0] == '-' && w.Text[1] != '-' && strings.Contains(w.Text[1:], option[1:]):
			return !v.is("gcc", "g++", "cc", "clang", "clang++", "tsc") || strings.HasPrefix(w.Text, option)
		}
	}
	return false
}
