package rule

import (
	"path"
	"strings"

	"parley/backend/rule/shell"
)

// later lists the files whose content other programs run by themselves, or as soon as
// somebody uses them: who may write one runs commands without a question. Names in
// small letters; "dir/" is a folder anywhere with all that is in it, "~/" is below
// home, the rest are names of files, with wildcards.
var later = []struct{ what, names string }{
	{"git", ".git/ .gitmodules .gitattributes .gitconfig ~/.config/git/ .husky/ lefthook.y*ml .lefthook.y*ml lefthook-local.y*ml .pre-commit-config.y*ml .pre-commit-hooks.y*ml .overcommit.y*ml .lintstagedrc* .simple-git-hooks.*"},
	{"assistants", ".claude/ .mcp.json .claude.json claude.md claude.local.md agents.md gemini.md .cursor/ .cursorrules .codex/ .gemini/ .continue/ .aider*"},
	{"editors", ".vscode/ .idea/ .zed/ .fleet/ .devcontainer/ .devcontainer.json .vimrc .exrc .nvimrc .emacs .emacs.d/ .dir-locals.el ~/.config/nvim/ .nanorc *.code-workspace"},
	{"shells", ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .inputrc .oh-my-zsh/ fish/ profile.d/ .envrc .env.sh .direnvrc .tool-versions .mise.toml mise.toml .mise.*.toml mise.*.toml .mise/ .rtx.toml .asdfrc .sdkmanrc devbox.json flake.nix shell.nix default.nix .autoenv"},
	{"starts of the system", ".xinitrc .xprofile .xsession .xsessionrc .pam_environment launchagents/ launchdaemons/ cron.d/ cron.daily/ cron.hourly/ cron.weekly/ crontabs/ crontab systemd/ autostart/ init.d/ rc.local udev/ sudoers sudoers.d/ *.desktop authorized_keys .ssh/rc/ .ssh/config/ ~/.local/bin/ ~/bin/ ~/.local/share/applications/"},
	{"make and its like", "makefile makefile.* gnumakefile *.mk justfile .justfile *.just rakefile *.rake taskfile.y*ml taskfile.dist.y*ml procfile procfile.* magefile.go cmakelists.txt cmakepresets.json *.cmake meson.build configure configure.ac build.ninja sconstruct sconscript wscript dodo.py fabfile.py noxfile.py tox.ini build.zig bazelrc .bazelrc build.bazel workspace.bazel module.bazel *.bzl *.bazel jenkinsfile* dockerfile dockerfile.* *.dockerfile containerfile* docker-compose*.y*ml compose*.y*ml vagrantfile earthfile tiltfile skaffold.y*ml"},
	{"JavaScript", "package.json pnpm-workspace.yaml .pnpmfile.cjs pnpmfile.* node_modules/ .npmrc .yarnrc .yarnrc.yml .yarn/ .pnp.* bunfig.toml deno.json deno.jsonc lerna.json nx.json turbo.json *.config.js *.config.ts *.config.mjs *.config.cjs *.config.mts *.config.cts *.conf.js .*rc.js .*rc.cjs .*rc.mjs .*rc.ts .eslintrc* .babelrc* .prettierrc* .stylelintrc* .mocharc* .swcrc .postcssrc* gulpfile.* gruntfile.* jakefile* webpack.* karma.* .ncurc* nodemon.json .parcelrc .huskyrc*"},
	{"Python", "conftest.py setup.py setup.cfg pyproject.toml pytest.ini .pytest.ini sitecustomize.py usercustomize.py site-packages/ *.pth .pythonrc .pythonrc.py .pypirc .pdbrc pip.conf pipfile .coveragerc mypy.ini .mypy.ini .pylintrc pylintrc hatch_build.py uv.toml poetry.toml .venv/ venv/bin/"},
	{"Rust, Go, C", "build.rs cargo.toml .cargo/ rust-toolchain rust-toolchain.toml clippy.toml go.work go.env .golangci.* .air.toml .goreleaser.* .clangd .gdbinit .lldbinit"},
	{"Ruby, PHP, Java, .NET and others", "gemfile gemfile.* *.gemspec .irbrc .pryrc .rspec spec_helper.rb .bundle/ config.ru composer.json artisan .php-cs-fixer* phpunit.xml* build.gradle* settings.gradle* *.gradle *.gradle.kts gradle.properties gradlew gradlew.bat gradle/wrapper/ pom.xml mvnw .mvn/ build.xml build.sbt *.sbt *.csproj *.fsproj *.vbproj *.props *.targets *.sln nuget.config directory.build.* mix.exs rebar.config package.swift podfile *.podspec fastfile cabal.project* *.cabal stack.y*ml dune dune-project project.clj deps.edn .rprofile rprofile.site makevars"},
	{"continuous integration", ".github/ .gitlab-ci.y*ml .gitlab/ .circleci/ .travis.y*ml azure-pipelines*.y*ml bitbucket-pipelines.y*ml .drone.y*ml .woodpecker/ .woodpecker.y*ml .buildkite/ appveyor.y*ml .appveyor.y*ml cloudbuild.y*ml netlify.toml vercel.json .semaphore/ .teamcity/ .forgejo/ .gitea/ renovate.json .renovaterc*"},
	{"settings of programs", ".curlrc .wgetrc .tmux.conf .screenrc .ripgreprc .lesskey .lessfilter .condarc .ansible.cfg ansible.cfg .terraformrc .gnuplot .mailcap .muttrc"},
}

// RunsLater says whether other programs run what is in a file, given by its absolute
// path. Upper and lower case count as one, as they do for some systems' files. A
// [shell.Hole] in the path stands for any text.
func RunsLater(home, name string) bool {
	below := ""
	if home != "" {
		below, _ = strings.CutPrefix(name, home+"/")
		if below == name {
			below = ""
		}
	}
	name, below = strings.ToLower(name), strings.ToLower(below)
	// Sessions may work in folders that belong to the assistant.
	if _, rest, ok := strings.Cut(name, "/.claude/worktrees/"); ok {
		if _, rest, ok = strings.Cut(rest, "/"); ok {
			name = "/" + rest
		}
	}
	base := path.Base(name)
	hole := strings.ContainsRune(base, shell.Hole) && !strings.HasPrefix(base, string(shell.Hole))
	for _, line := range later {
		for entry := range strings.FieldsSeq(line.names) {
			if isLater(entry, name, base, below) || hole && !strings.ContainsAny(entry, "*?[/") && could(entry, base) {
				return true
			}
		}
	}
	return false
}

// isLater says whether a file is what an entry of the table stands for.
func isLater(entry, name, base, below string) bool {
	if folder, ok := strings.CutPrefix(entry, "~/"); ok {
		return below != "" && strings.HasPrefix(below+"/", folder)
	}
	if strings.HasSuffix(entry, "/") {
		return strings.Contains(name+"/", "/"+entry)
	}
	if wild := strings.IndexAny(entry, "*?["); wild >= 0 {
		if !strings.HasPrefix(base, entry[:wild]) || !strings.HasSuffix(base, entry[strings.LastIndexAny(entry, "*?]")+1:]) {
			return false
		}
		ok, err := path.Match(entry, base)
		return err == nil && ok
	}
	return base == entry
}
