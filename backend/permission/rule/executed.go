package rule

import (
	"path"
	"slices"
	"strings"
	"sync"

	"parley/backend/permission/rule/shell"
)

// later lists the files whose content other programs run automatically or when they
// are used: writing one means running commands without asking. Names are in lower
// case; "dir/" is a folder anywhere with all its contents, "~/" is in the home
// folder, the rest are file names, with wildcards.
var later = []struct{ what, names string }{
	{"git", ".git/ .gitmodules .gitattributes .gitconfig ~/.config/git/ .husky/ lefthook.y*ml .lefthook.y*ml lefthook-local.y*ml .pre-commit-config.y*ml .pre-commit-hooks.y*ml .overcommit.y*ml .lintstagedrc* .simple-git-hooks.* .gitconfig.* lefthook*.toml lefthook*.json .lefthook*.toml .lefthook*.json .lefthook/ .hg/ .hgrc .jj/"},
	{"assistants", ".claude/ .mcp.json .claude.json claude.md claude.local.md agents.md gemini.md .cursor/ .cursorrules .codex/ .gemini/ .continue/ .aider* .windsurf/ .windsurfrules .clinerules .roo/ .roorules .amazonq/ .kiro/ .junie/ .opencode/ opencode.json*"},
	{"editors", ".vscode/ .idea/ .zed/ .fleet/ .devcontainer/ .devcontainer.json .vimrc .exrc .nvimrc .emacs .emacs.d/ .dir-locals.el ~/.config/nvim/ .nanorc *.code-workspace *.sublime-project .run/ .nvim.lua .lvimrc .vim/ .dir-locals-2.el .helix/"},
	{"shells", ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .inputrc .oh-my-zsh/ fish/ profile.d/ .envrc .env.sh .direnvrc .tool-versions .mise.toml mise.toml .mise.*.toml mise.*.toml .mise/ .rtx.toml .asdfrc .sdkmanrc devbox.json flake.nix shell.nix default.nix .autoenv .envrc.* .bashrc.* .zshrc.* .direnv/ .config/mise/ .gitpod.y*ml .replit replit.nix devenv.nix .hermit/ hermit.hcl .prototools"},
	{"starts of the system", ".xinitrc .xprofile .xsession .xsessionrc .pam_environment launchagents/ launchdaemons/ cron.d/ cron.daily/ cron.hourly/ cron.weekly/ crontabs/ crontab systemd/ autostart/ init.d/ rc.local udev/ sudoers sudoers.d/ *.desktop authorized_keys .ssh/rc/ .ssh/config/ ~/.local/bin/ ~/bin/ ~/.local/share/applications/"},
	{"make and its like", "makefile makefile.* gnumakefile *.mk justfile .justfile *.just rakefile *.rake taskfile.y*ml taskfile.dist.y*ml procfile procfile.* magefile.go cmakelists.txt cmakepresets.json *.cmake meson.build configure configure.ac build.ninja sconstruct sconscript wscript dodo.py fabfile.py noxfile.py tox.ini build.zig bazelrc .bazelrc build.bazel workspace.bazel module.bazel *.bzl *.bazel jenkinsfile* dockerfile dockerfile.* *.dockerfile containerfile* docker-compose*.y*ml compose*.y*ml vagrantfile earthfile tiltfile skaffold.y*ml cmakeuserpresets.json waf autogen.sh *.m4 premake5.lua xmake.lua conanfile.* .buckconfig pants.toml build.pants tools/bazel/ .bazelversion snakefile pavement.py dagger.json"},
	{"JavaScript", "package.json pnpm-workspace.yaml .pnpmfile.cjs pnpmfile.* node_modules/ .npmrc .yarnrc .yarnrc.yml .yarn/ .pnp.* bunfig.toml deno.json deno.jsonc lerna.json nx.json turbo.json *.config.js *.config.ts *.config.mjs *.config.cjs *.config.mts *.config.cts *.conf.js .*rc.js .*rc.cjs .*rc.mjs .*rc.ts .eslintrc* .babelrc* .prettierrc* .stylelintrc* .mocharc* .swcrc .postcssrc* gulpfile.* gruntfile.* jakefile* webpack.* karma.* .ncurc* nodemon.json .parcelrc .huskyrc* vitest.workspace.* vitest.setup.* jest.setup.* gatsby-*.js gatsby-*.ts .storybook/ ember-cli-build.js testem.* .markdownlint*.cjs .markdownlint*.mjs .eslintplugin* knip.ts .dependency-cruiser.* .size-limit.* plopfile.* codegen.ts knexfile.* ormconfig.* .sequelizerc .taprc .nodemonrc angular.json project.json rush.json package-lock.json yarn.lock pnpm-lock.yaml wrangler.toml wrangler.json* serverless.y*ml"},
	{"Python", "conftest.py setup.py setup.cfg pyproject.toml pytest.ini .pytest.ini sitecustomize.py usercustomize.py site-packages/ *.pth .pythonrc .pythonrc.py .pypirc .pdbrc pip.conf pipfile .coveragerc mypy.ini .mypy.ini .pylintrc pylintrc hatch_build.py uv.toml poetry.toml .venv/ venv/bin/ *.egg-link .pythonstartup ipython_config.py .ipython/ .jupyter/ gunicorn.conf.py hatch.toml pdm.toml .pdm-python ruff.toml .ruff.toml .flake8 env/bin/"},
	{"Rust, Go, C", "build.rs cargo.toml .cargo/ rust-toolchain rust-toolchain.toml clippy.toml go.work go.env .golangci.* .air.toml .goreleaser.* .clangd .gdbinit .lldbinit .custom-gcl.y*ml air.toml"},
	{"Ruby, PHP, Java, .NET and others", "gemfile gemfile.* *.gemspec .irbrc .pryrc .rspec spec_helper.rb .bundle/ config.ru composer.json artisan .php-cs-fixer* phpunit.xml* build.gradle* settings.gradle* *.gradle *.gradle.kts gradle.properties gradlew gradlew.bat gradle/wrapper/ pom.xml mvnw .mvn/ build.xml build.sbt *.sbt *.csproj *.fsproj *.vbproj *.props *.targets *.sln nuget.config directory.build.* mix.exs rebar.config package.swift podfile *.podspec fastfile cabal.project* *.cabal stack.y*ml dune dune-project project.clj deps.edn .rprofile rprofile.site makevars rails_helper.rb guardfile capfile dangerfile brewfile .ruby-lsp/ vendor/bundle/ .phpunit.xml* .user.ini .htaccess php.ini buildsrc/ ivy.xml .sbtopts .jvmopts build.sc .formatter.exs .iex.exs .credo.exs rebar.config.script global.json dotnet-tools.json setup.hs .ghci .ghcid *.opam shadow-cljs.edn .luarc.json .busted *.rockspec build.pl cpanfile shard.yml *.nimble dub.json .renviron"},
	{"continuous integration", ".github/ .gitlab-ci.y*ml .gitlab/ .circleci/ .travis.y*ml azure-pipelines*.y*ml bitbucket-pipelines.y*ml .drone.y*ml .woodpecker/ .woodpecker.y*ml .buildkite/ appveyor.y*ml .appveyor.y*ml cloudbuild.y*ml netlify.toml vercel.json .semaphore/ .teamcity/ .forgejo/ .gitea/ renovate.json .renovaterc* action.y*ml buildspec.y*ml .readthedocs.y*ml readthedocs.y*ml"},
	{"settings of programs", ".curlrc .wgetrc .tmux.conf .screenrc .ripgreprc .lesskey .lessfilter .condarc .ansible.cfg ansible.cfg .terraformrc .gnuplot .mailcap .muttrc .psqlrc .sqliterc .octaverc"},
}

// entries is the table prepared for lookups.
type entries struct {
	names   map[string]bool // of files, without wildcards
	folders map[string]bool // of one name
	deep    []string        // folders of several names, surrounded by slashes
	home    []string        // in the home folder
	forms   []laterForm     // names with wildcards
}

// laterForm is a name with wildcards, and the text before the first and after the last of
// them.
type laterForm struct{ form, begin, end string }

var laterEntries = sync.OnceValue(func() entries {
	all := entries{names: map[string]bool{}, folders: map[string]bool{}}
	for _, line := range later {
		for entry := range strings.FieldsSeq(line.names) {
			folder, isFolder := strings.CutSuffix(entry, "/")
			wild := strings.IndexAny(entry, "*?[")
			switch {
			case strings.HasPrefix(entry, "~/"):
				all.home = append(all.home, entry[2:])
			case isFolder && strings.Contains(folder, "/"):
				all.deep = append(all.deep, "/"+entry)
			case isFolder:
				all.folders[folder] = true
			case wild >= 0:
				all.forms = append(all.forms, laterForm{entry, entry[:wild], entry[strings.LastIndexAny(entry, "*?]")+1:]})
			default:
				all.names[entry] = true
			}
		}
	}
	return all
})

// IsExecutedLater reports whether other programs run a file's content; name is absolute.
// It ignores case, as some file systems do. A [shell.Unknown] in the path stands for
// any text.
func IsExecutedLater(home, name string) bool {
	below := ""
	if home != "" {
		below, _ = strings.CutPrefix(name, home+"/")
		if below == name {
			below = ""
		}
	}
	name, below = strings.ToLower(name), strings.ToLower(below)
	// Sessions may work in folders that belong to Claude Code.
	if _, rest, ok := strings.Cut(name, "/.claude/worktrees/"); ok {
		if _, rest, ok = strings.Cut(rest, "/"); ok {
			name = "/" + rest
		}
	}
	base := path.Base(name)
	var vague []string // parts of the path that may stand for such a name
	if strings.ContainsRune(name, shell.Unknown) {
		for part := range strings.SplitSeq(name, "/") {
			rest, begins := strings.CutPrefix(part, string(shell.Unknown))
			if strings.ContainsRune(part, shell.Unknown) && (!begins || len(rest) > 3 && rest[0] != '.') {
				vague = append(vague, part)
			}
		}
	}
	all := laterEntries()
	if all.names[base] || all.has(name, base, below) {
		return true
	}
	for _, part := range vague {
		for folder := range all.folders {
			if could(folder, part) {
				return true
			}
		}
		for entry := range all.names {
			if part == base && could(entry, part) {
				return true
			}
		}
	}
	return false
}

// has reports whether a file is in a folder of the table or matches one of its wildcards.
func (all entries) has(name, base, below string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if all.folders[part] {
			return true
		}
	}
	for _, folder := range all.deep {
		if strings.Contains(name+"/", folder) {
			return true
		}
	}
	for _, folder := range all.home {
		if below != "" && strings.HasPrefix(below+"/", folder) {
			return true
		}
	}
	for _, f := range all.forms {
		if strings.HasPrefix(base, f.begin) && strings.HasSuffix(base, f.end) {
			if ok, err := path.Match(f.form, base); err == nil && ok {
				return true
			}
		}
	}
	return false
}

// LeadsToLater reports whether files deeper in a folder are run later: replacing the
// folder as a whole brings them along.
func LeadsToLater(name string) bool {
	name = strings.ToLower(name)
	all := laterEntries()
	return slices.ContainsFunc(slices.Concat(all.deep, all.home), func(entry string) bool {
		folder, ok := strings.CutSuffix(entry, "/bin/")
		if !ok {
			folder, ok = strings.CutSuffix(entry, "/wrapper/")
		}
		return ok && strings.HasSuffix(name, "/"+strings.TrimPrefix(folder, "/"))
	})
}
