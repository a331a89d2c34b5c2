package guard

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"parley/backend/permission/rule"
	"parley/backend/permission/rule/shell"
)

// running lists, for programs with prefix rules, the options that make them run another
// program, load code, or write where a read-only program shouldn't. An option with "=" only
// counts if its value contains what follows. A verb is written after a dot and counts like
// an option. "@" is a file with more arguments, which may be anything.
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
	{"less more", "-k --lesskey-src --lesskey-file --lesskey-content + -o -O --log-file --LOG-FILE"}, {"man", "-P -H -C -p --pager --html --preprocessor --config-file"},
	{"npm pnpm yarn bun", "--script-shell --node-options --shell --git --viewer --editor --init-module --userconfig --globalconfig --use-yarnrc --prefix --cwd --dir -C --browser"},
	{"cargo", "--config --manifest-path -Z -C"}, {"make gmake", "--eval -E -f -C -I --file --makefile --directory --include-dir"},
	{"just", "-f -d -c --command --working-directory --set --shell --justfile --shell-arg --chooser"}, {"task", "-t -d --taskfile --dir"},
	{"pytest py.test", "-p -c -o --rootdir --confcutdir --override-ini --pdbcls --config-file"},
	{"eslint", "-c -f --rulesdir --resolve-plugins-relative-to --config --plugin --parser --format=/"}, {"prettier", "--plugin --plugin-search-dir --config"},
	{"jest", "-c --config --globalSetup --globalTeardown --testRunner --runner --transform --reporters --setupFiles --setupFilesAfterEnv --resolver --testEnvironment --env=/ --rootDir --roots --coverageReporters=/ --filter --haste --testSequencer --snapshotSerializers --watchPlugins= --prettierPath --modulePaths --moduleNameMapper --preset --projects --testResultsProcessor --dependencyExtractor"},
	{"vitest", "-c -r --config --root --dir --globalSetup --setupFiles --environment --reporter=/ --pool=/ --diff=/ --runner= --workspace --snapshotEnvironment= --sequence.sequencer= --coverage.customProviderModule= --browser.provider= --typecheck.checker= --execArgv --poolOptions.forks.execArgv= --poolOptions.threads.execArgv="},
	{"tsc", "-p --project"}, {"golangci-lint", "-c --config"}, {"mypy", "--config-file --python-executable"}, {"ruff black", "--config"},
	{"kubectl oc", "-s= --server --proxy-url --token --cluster --insecure-skip-tls-verify --tls-server-name"}, {"kubectl docker podman", "--kubeconfig --config -H --host --context"}, {"curl", "-K --config --engine"}, {"wget", "-e --execute --use-askpass --config"},
	{"gcc g++ cc c++ cpp clang clang++ gfortran", "-wrapper -B -fplugin -fplugin= -specs -load --config -gcc-toolchain --gcc-toolchain -ccc-install-dir @"},
	{"ld ld.lld ld.gold lld ar as nm objdump objcopy strip javac java javadoc jar kotlinc scalac groovyc rustc swift swiftc ghc nvcc tsc csc mcs fsc dotnet mypy pytest py.test emcc ldc2 dmd", "@"},
	{"ld ld.lld ld.gold lld ar nm ranlib objdump objcopy strip", "-plugin --plugin"}, {"javac", "-processor -processorpath --processor-path"},
	{"ssh-keygen", "-D -w"}, {"ssh-add", "-s"}, {"openssl", "-engine -provider -provider-path -config"}, {"openssl.engine", "."}, {"rsync", "--config --remote-option -M"},
	{"ctest", "-S -SP --script --build-and-test --test-dir"}, {"cmake", "-P -C -E"}, {"mvn mvnw", "-f= -s= --file --settings --global-settings"},
	{"gradle gradlew", "-I -b -p -c --init-script --build-file --project-dir --settings-file"}, {"bazel bazelisk", "--bazelrc --run_under --workspace_status_command --shell_executable --override_repository --output_user_root"},
	{"rake", "-f -r -R -e -E -p --rakefile --require --rakelibdir --execute"}, {"rspec", "-r -I -O --require --options"}, {"tox nox", "-c -f --noxfile --conf"}, {"pre-commit", "-c --config"},
	{"install", "--strip-program"}, {"tcpdump", "-z"}, {"date", "-s --set"}, {"mapfile readarray", "-C"}, {"jobs", "-x"},
}

// runsAnother looks up a command in the table.
func runsAnother(v view) bool {
	switch {
	case v.is("make", "gmake", "bmake") && slices.ContainsFunc(v.words, setsProgram):
		return true
	case v.is("gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "javac") && v.contains("plugin"):
		return true
	case v.is("git") && v.contains("ext::"), v.is("curl") && v.contains("%output{"):
		return true
	case v.is("cmake") && v.contains("_compiler=", "_compiler:", "make_program", "_launcher", "toolchain_file"):
		return true
	case v.is("mvn", "mvnw") && v.contains("-dexec.", "-dmaven.ext", "exec:exec"):
		return true
	case v.is("sqlite3", "psql") && v.contains(".sh", ".sy", "load_extension", "writefile", "edit(", "|", `\!`, " program "):
		return true
	case v.is("tar", "bsdtar", "gtar") && len(v.words) > 0 && v.words[0].Text != "" && v.words[0].Text[0] != '-': // the old option syntax
		if strings.ContainsAny(v.words[0].Text, "IF") {
			return true
		}
	}
	v = v.withFolder().withoutOwn()
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

// withoutOwn removes options that are unusual but add nothing: a settings file that the
// program reads automatically and that can't be written without asking, or an exclusion.
func (v view) withoutOwn() view {
	if !v.is("tsc", "eslint", "prettier", "jest", "vitest", "pytest", "py.test", "golangci-lint", "mypy", "ruff", "black", "tox", "nox", "pre-commit") {
		return v
	}
	var rest []shell.Word
	for i := 0; i < len(v.words); i++ {
		option, value, given := strings.Cut(v.words[i].Text, "=")
		switch option {
		case "--co": // only lists tests in pytest
			if !given && v.is("pytest", "py.test") {
				continue
			}
		case "-c", "-p", "--config", "--config-file", "--project":
			at := i
			if !given && i+1 < len(v.words) {
				at++
				value = v.words[at].Text
			}
			if w := v.words[at]; !w.Unknown && !w.Glob && v.reads(option, value) {
				i = at
				v.own = append(v.own, value)
				continue
			}
		}
		rest = append(rest, v.words[i])
	}
	return v.with(rest)
}

// reads reports whether an option's value is a usual settings file.
func (v view) reads(option, name string) bool {
	switch base := path.Base(name); {
	case name == "" || strings.HasPrefix(name, "-") || path.IsAbs(name) || name[0] == '~' || strings.Contains(name, ".."):
		return false
	case v.is("pytest", "py.test") && option == "-p":
		return strings.HasPrefix(name, "no:")
	case v.is("tsc"):
		return name == "." || strings.HasPrefix(base, "tsconfig") && strings.HasSuffix(base, ".json")
	}
	return rule.IsExecutedLater("", "/"+name)
}

// setsProgram reports whether a make variable names programs, or contains a shell or make
// command.
func setsProgram(w shell.Word) bool {
	name, value, ok := strings.Cut(w.Text, "=")
	if !ok || strings.HasPrefix(name, "-") {
		return false
	}
	switch name = strings.TrimRight(name, " :+?!"); name {
	case "SHELL", ".SHELLFLAGS", "MAKE", "MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS", "MAKEFILES", "VPATH", ".INCLUDE_DIRS":
		return true
	}
	if tools.MatchString(value) || strings.HasSuffix(name, "FLAGS") && places.MatchString(value) {
		return false
	}
	return strings.ContainsAny(value, "$`;|&\n") || shell.Dangerous(name) && (strings.ContainsAny(value, "/") || !strings.HasPrefix(value, "-") && strings.Contains(value, " ") || strings.Contains(value, "exec"))
}

var (
	// tools are the system's compilers and interpreters, by name or by their path in the
	// system.
	tools = regexp.MustCompile(`^(ccache )?(/(usr/(local/(go/)?)?|opt/homebrew/)?bin/)?([a-z0-9_]+-)*(gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|ld|ar|as|ranlib|strip|gfortran|rustc|cargo|go|node|npm|python|pip|ruby|java|javac)(-?[0-9][0-9.]*)?$`)
	// places are compiler options with paths of the system.
	places = regexp.MustCompile(`^( *-([IL]/(usr|opt/homebrew)/(local/)?(include|lib|opt)(/[a-z0-9_+-][\w.+-]*)*|l\w+|[DU]\w+(=\w+)?|O[0-3sg]?|W[a-z][\w=-]*|g|std=[\w+]+|static|pthread|fPIC))+$`)
)

// withFolder removes an option that makes a program work in a subfolder of its working
// folder, as if it ran there.
func (v view) withFolder() view {
	options := map[string]string{"make": "-C", "gmake": "-C", "npm": "--prefix", "yarn": "--cwd", "pnpm": "-C", "ctest": "--test-dir"}[v.name]
	var rest []shell.Word
	for i := 0; i < len(v.words); i++ {
		if w := v.words[i]; options != "" && w.Text == options && i+1 < len(v.words) && inner(v.words[i+1]) {
			i++
			v.folders = append(v.folders, v.words[i].Text)
			continue
		}
		rest = append(rest, v.words[i])
	}
	return v.with(rest)
}

// inner reports whether a word names a folder below the one it is used in.
func inner(w shell.Word) bool {
	name := w.Text
	return !w.Unknown && !w.Glob && name != "" && !strings.ContainsAny(name[:1], "/~-") && !slices.Contains(strings.Split(name, "/"), "..")
}

// once drops names that occur in more than one word: one of them may be written.
func (v view) once(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		found := 0
		for _, w := range v.words {
			found += strings.Count(w.Text, name)
		}
		return found != 1
	})
}

// onlyRead returns words that a program takes for files which it only reads, although it
// writes others.
func (v view) onlyRead() []string {
	var names []string
	switch {
	case v.is("npx", "bunx") && len(v.words) > 1:
		return viewOf(v.words).withoutOwn().own
	case v.is("make", "gmake"):
		for _, w := range v.words {
			if _, value, ok := strings.Cut(w.Text, "="); ok && tools.MatchString(value) {
				names = append(names, value)
			}
		}
	case v.is("gcc", "g++", "cc", "c++", "clang", "clang++"):
		for i, w := range v.words {
			if place, ok := strings.CutPrefix(w.Text, "-I"); ok {
				names = append(names, place)
			} else if place, ok = strings.CutPrefix(w.Text, "-L"); ok {
				names = append(names, place)
			}
			if i > 0 && slices.Contains([]string{"-I", "-L", "-isystem"}, v.words[i-1].Text) {
				names = append(names, w.Text)
			}
		}
	case v.is("docker", "podman") && v.verb(0) == "build":
		for i, w := range v.words {
			if i > 0 && (v.words[i-1].Text == "-f" || v.words[i-1].Text == "--file") {
				names = append(names, w.Text)
			}
		}
	case interpreter(v.name) && len(v.words) > 0 && !strings.HasPrefix(v.words[0].Text, "-"):
		names = append(names, v.words[0].Text)
	case interpreter(v.name) && len(v.words) == 3 && v.words[0].Text == "-m" && v.words[1].Text == "venv" && slices.Contains([]string{".venv", "venv", "env", ".env"}, v.words[2].Text):
		names = append(names, v.words[2].Text)
	}
	return names
}

// told reports whether an option of the table is given.
func (v view) told(option string) bool {
	if verb, ok := strings.CutPrefix(option, "."); ok && !strings.Contains(option, "=") {
		return verb == "" || v.verb(1) == verb
	}
	name, value, valued := strings.Cut(option, "=")
	for i, w := range v.words {
		switch {
		case option == "@":
			if len(w.Text) > 1 && w.Text[0] == '@' {
				return true
			}
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
		case w.Text == option, strings.HasPrefix(option, "--") && rule.IsPrefixOf(w.Text, option),
			len(option) > 2 && strings.HasPrefix(w.Text, option+"="), option == "+" && strings.HasPrefix(w.Text, "+"):
			return true
		case len(option) == 2 && option[0] == '-' && len(w.Text) > 2 && w.Text[0] == '-' && w.Text[1] != '-' && strings.Contains(w.Text[1:], option[1:]):
			return !v.is("gcc", "g++", "cc", "clang", "clang++", "tsc", "cmake") || strings.HasPrefix(w.Text, option)
		}
	}
	return false
}
