package guard

import (
	"slices"
	"strings"

	"parley/backend/permission/rule/shell"
)

// program describes a program, or one of its verbs, that only reads or changes no
// more than the files it names. Everything not listed is in doubt: another option, an
// abbreviated one, more words than allowed.
type program struct {
	names  string // separated by blanks; a verb follows a dot
	manual string // where the options are from
	// options are the allowed options: "-abc" are letters that may be combined, "-n:"
	// takes a value, "--x" none, "--x=" one, "--x[=]" may have one after "=", "-#" is a
	// number.
	options string
	words   words
	// whole is set if options are words after one dash, such as "-name".
	whole bool
	// tame is set if no option of the program runs or writes anything, so that a file
	// name pattern, which may expand to an option, is harmless.
	tame bool
}

// words are the allowed non-option words of a program.
type words int

const (
	none      words = iota // none
	looks                  // files that it reads, or text
	writes                 // files that it creates or changes
	copies                 // files that it reads, then the file it writes
	pattern                // text, then files that it reads
	sedding                // a sed script, then files
	one                    // at most one, which it reads
	times                  // a format, after +
	processes              // ids, and letters that don't show the environment
)

// programs is the table.
var programs = []program{
	{names: "ls", manual: "ls(1), GNU coreutils and BSD", tame: true, words: looks, options: "-aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1@eOTWw: -I: --all --almost-all --author --escape --block-size= --ignore-backups --color[=] --directory --classify[=] --file-type --format= --full-time --group-directories-first --no-group --human-readable --si --dereference --hide= --hyperlink[=] --indicator-style= --inode --ignore= --kibibytes --literal --numeric-uid-gid --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --width= --context --zero --help --version"},
	{names: "cat tac", manual: "cat(1), tac(1), GNU coreutils", tame: true, words: looks, options: "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting --help --version"},
	{names: "head tail", manual: "head(1), tail(1), GNU coreutils", tame: true, words: looks, options: "-qvzfFr -# -n: -c: -s: --lines= --bytes= --quiet --silent --verbose --zero-terminated --follow[=] --retry --pid= --sleep-interval= --help --version"},
	{names: "wc", manual: "wc(1), GNU coreutils", tame: true, words: looks, options: "-clmLw --bytes --chars --lines --words --max-line-length --total= --help --version"},
	{names: "nl rev fold fmt paste expand unexpand pr", manual: "GNU coreutils", tame: true, words: looks, options: "-bcstuza -w: -d: -v: -n: -i: -l: --width= --delimiters= --serial --body-numbering= --help --version"},
	{names: "cut", manual: "cut(1), GNU coreutils", tame: true, words: looks, options: "-nsz -b: -c: -d: -f: --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated --help --version"},
	{names: "uniq", manual: "uniq(1), GNU coreutils: a second word is written", tame: true, words: one, options: "-cdDiuz -f: -s: -w: --count --repeated --all-repeated[=] --skip-fields= --group[=] --ignore-case --skip-chars= --unique --zero-terminated --check-chars= --help --version"},
	{names: "comm join", manual: "comm(1), join(1), GNU coreutils", tame: true, words: looks, options: "-123iz -a: -e: -o: -t: -v: -j: --check-order --nocheck-order --output-delimiter= --total --zero-terminated --header --ignore-case --help --version"},
	{names: "diff cmp", manual: "diff(1), cmp(1), GNU diffutils", tame: true, words: looks, options: "-qsceuynprNbBwaiEZdlt0123456789 -# -C: -U: -W: -I: -x: -L: --brief --report-identical-files --context[=] --unified[=] --ed --rcs --side-by-side --width= --left-column --suppress-common-lines --show-c-function --show-function-line= --label= --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --exclude= --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --minimal --speed-large-files --color[=] --verbose --bytes= --silent --quiet --print-bytes --help --version"},
	{names: "grep egrep fgrep", manual: "grep(1), GNU grep", tame: true, words: pattern, options: "-EFGPiyvwxclLoqshHnbaIrRTUzZV -# -e: -m: -A: -B: -C: -d: -D: --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color[=] --colour[=] --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --after-context= --before-context= --context= --group-separator= --no-group-separator --text --binary-files= --directories= --devices= --exclude= --exclude-dir= --include= --recursive --dereference-recursive --line-buffered --null-data --help --version"},
	{names: "rg", manual: "rg(1), ripgrep: --pre and --hostname-bin run programs", words: pattern, options: "-.0acFhHiIlLnNopPqsSuUvVwx -# -A: -B: -C: -e: -E: -g: -j: -m: -M: -r: -t: -T: -d: --after-context= --before-context= --context= --regexp= --encoding= --glob= --iglob= --max-count= --max-columns= --replace= --type= --type-not= --max-depth= --threads= --sort= --sortr= --color= --colors= --count --count-matches --column --no-column --crlf --debug --files --files-with-matches --files-without-match --fixed-strings --follow --heading --no-heading --hidden --no-hidden --ignore-case --case-sensitive --smart-case --invert-match --json --line-number --no-line-number --line-regexp --word-regexp --multiline --multiline-dotall --no-filename --with-filename --no-ignore --no-ignore-vcs --no-messages --null --only-matching --passthru --pcre2 --pretty --quiet --stats --text --trim --type-list --unrestricted --vimgrep --help --version"},
	{names: "ag", manual: "ag(1), the silver searcher: --pager runs a program", words: pattern, options: "-acilLnoqsSuvwQFH -A: -B: -C: -G: -m: --hidden --nocolor --nogroup --literal --ignore-case --count --files-with-matches --column --nonumbers --depth= --ignore= --version --help"},
	{names: "tree", manual: "tree(1): -o writes a file", words: looks, options: "-adfilpsuDFhNqQrtUXJnCSxg -L: -P: -I: --noreport --dirsfirst --filesfirst --prune --gitignore --du --si --inodes --matchdirs --ignore-case --help --version"},
	{names: "stat", manual: "stat(1), GNU coreutils and BSD", tame: true, words: looks, options: "-LftFlnqrsx -c: --dereference --file-system --format= --printf= --terse --cached= --help --version"},
	{names: "file", manual: "file(1): -C writes a file, -m reads magic", words: looks, options: "-bciNLhrsSzk0ipv --brief --mime --mime-type --mime-encoding --dereference --no-dereference --raw --keep-going --help --version"},
	{names: "readlink realpath basename dirname", manual: "GNU coreutils", tame: true, words: looks, options: "-fenmqszLPvaz -s: --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero --relative-to= --relative-base= --strip --no-symlinks --logical --physical --multiple --suffix= --help --version"},
	{names: "du df", manual: "du(1), df(1), GNU coreutils", tame: true, words: looks, options: "-0abcDhHiklLmPsSxTtI -# -B: -d: -t: -x: --all --apparent-size --block-size= --bytes --total --dereference --dereference-args --max-depth= --human-readable --inodes --count-links --no-dereference --separate-dirs --si --summarize --threshold= --time[=] --exclude= --one-file-system --local --portability --print-type --type= --exclude-type= --output[=] --help --version"},
	{names: "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum shasum sum", manual: "GNU coreutils, shasum(1): -c reads names of files from one", tame: true, words: looks, options: "-btwz -a: -l: --binary --tag --text --zero --quiet --status --strict --warn --algorithm= --length= --help --version"},
	{names: "base64 base32", manual: "GNU coreutils; on BSD -o writes a file", words: one, options: "-di -w: --decode --ignore-garbage --wrap= --help --version"},
	{names: "xxd", manual: "xxd(1): a second word is written, -r writes", words: one, options: "-abeEiudpsu -c: -g: -l: -n: -o: -s:"},
	{names: "od hexdump strings", manual: "od(1), hexdump(1), strings(1)", tame: true, words: looks, options: "-abcdfilosxvCfeahw -# -A: -j: -N: -n: -S: -t: --address-radix= --skip-bytes= --read-bytes= --format= --output-duplicates --width[=] --traditional --all --bytes= --radix= --encoding= --help --version"},
	{names: "jq", manual: "jq(1): import and include read any file", tame: true, words: pattern, options: "-cnrjasSeCMRV --compact-output --null-input --raw-output --join-output --ascii-output --slurp --sort-keys --exit-status --color-output --monochrome-output --raw-input --tab --stream --unbuffered --indent= --arg= --argjson= --help --version"},
	{names: "column", manual: "column(1), util-linux", tame: true, words: looks, options: "-tnexLJd -c: -s: -o: -N: -R: -H: -l: --table --separator= --output-separator= --columns= --json --help --version"},
	{names: "tr seq expr", manual: "GNU coreutils", tame: true, words: looks, options: "-cCdstw -# -f: -s: --complement --delete --squeeze-repeats --truncate-set1 --format= --separator= --equal-width --help --version"},
	{names: "sort", manual: "sort(1), GNU coreutils: --compress-program runs one, -o writes, -T and --files0-from", words: looks, options: "-bdfgiMhnRrVcCmsuz -k: -t: -S: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort= --version-sort --check[=] --debug --key= --merge --stable --buffer-size= --field-separator= --parallel= --unique --zero-terminated --help --version"},
	{names: "date", manual: "date(1), GNU coreutils: -s and a word set the clock", words: times, options: "-uR -d: -r: -I --date= --reference= --iso-8601[=] --rfc-email --rfc-3339= --utc --universal --debug --help --version"},
	{names: "cal whoami groups uname nproc uptime tty arch logname users", manual: "GNU coreutils, util-linux", tame: true, words: looks, options: "-asnrvmpoi3jy1A --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --operating-system --ignore= --pretty --since --silent --quiet --help --version"},
	{names: "hostname", manual: "hostname(1): a word sets it", words: none, options: "-aAdfiIsy --fqdn --short --help --version"},
	{names: "id", manual: "id(1), GNU coreutils", tame: true, words: looks, options: "-aGgnruzZ --group --groups --name --real --user --zero --help --version"},
	{names: "ps", manual: "ps(1), procps and BSD: e, and -E on BSD, shows the environment of programs", words: processes, options: "-aAdefFjlLNrTwxyZ -# -C: -G: -g: -p: -q: -t: -u: -U: -o: -O: --pid= --ppid= --user= --format= --sort= --no-headers --forest --deselect"},
	{names: "pgrep free lscpu lsblk", manual: "procps, util-linux", tame: true, words: looks, options: "-aAdefFjlLmMNrTwxyZcnvbkgthso -# -C: -G: -g: -p: -q: -t: -u: -U: -o: -O: -P: --pid= --ppid= --user= --format= --sort= --no-headers --forest --deselect --human --bytes --kilo --mega --giga --total --wide --full --list-name --list-full --exact --newest --oldest --help --version"},
	{names: "which whereis type help locale look tput", manual: "which(1), whereis(1), bash(1), locale(1), look(1), tput(1)", tame: true, words: looks, options: "-aptPfbmsduckT: --all --help --version"},
	{names: "clear", manual: "clear(1)", tame: true, words: none, options: "-xV"},
	{names: "less more bat", manual: "less(1): options and +! run commands, and write logs", words: looks, options: "-EeFiInNRrSsXMm --plain --paging=never --color= --style= --language= -l:"},
	{names: "gofmt", manual: "gofmt(1)", words: looks, whole: true, options: "-l -d -e -s -w"},
	{names: "mkdir", manual: "mkdir(1), GNU coreutils", words: writes, options: "-pv --parents --verbose"},
	{names: "touch", manual: "touch(1), GNU coreutils", words: writes, options: "-acm -d: -t: --date= --no-create --time="},
	{names: "rmdir", manual: "rmdir(1), GNU coreutils", words: writes, options: "-pv --parents --verbose --ignore-fail-on-non-empty"},
	{names: "tee", manual: "tee(1), GNU coreutils", words: writes, options: "-ai --append --ignore-interrupts"},
	{names: "cp", manual: "cp(1), GNU coreutils: -t names what is written, -l and -s make links", words: copies, options: "-abdfinpPrRuvxT --archive --force --interactive --no-clobber --no-dereference --preserve[=] --recursive --update --verbose --one-file-system --no-target-directory"},
	{names: "mv", manual: "mv(1), GNU coreutils: -t names what is written", words: copies, options: "-finuvT --force --interactive --no-clobber --update --verbose --no-target-directory"},
	{names: "ln", manual: "ln(1), GNU coreutils: -t names what is written", words: copies, options: "-sfnrvT --symbolic --force --no-dereference --relative --verbose --no-target-directory"},
	{names: "sed gsed", manual: "sed(1), GNU sed: the commands e and w run programs and write files", words: sedding, options: "-nErsuzi -e: --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --in-place"},
	{names: "find", manual: "find(1), GNU findutils: -exec, -ok, -delete, -fprint and -files0-from do more", words: looks, whole: true, options: "-H -L -P -maxdepth: -mindepth: -depth -d -follow -mount -xdev -daystart -regextype: -amin: -anewer: -atime: -cmin: -cnewer: -ctime: -empty -executable -false -fstype: -gid: -group: -ilname: -iname: -inum: -ipath: -iregex: -iwholename: -links: -lname: -mmin: -mtime: -name: -newer: -newermt: -newerct: -newerat: -nogroup -nouser -path: -perm: -readable -regex: -samefile: -size: -true -type: -uid: -used: -user: -wholename: -writable -xtype: -print -print0 -printf: -ls -prune -quit -not -a -and -o -or"},
	{names: "fd fdfind", manual: "fd(1): -x and -X run programs", words: looks, options: "-HIusiglap0L -# -d: -t: -e: -E: -S: --hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --list-details --follow --full-path --print0 --max-depth= --min-depth= --exact-depth= --type= --extension= --exclude= --size= --changed-within= --changed-before= --color= --max-results= --help --version"},
	{names: "command", manual: "bash(1): with -v and -V it runs nothing", words: looks, options: "-vV"},

	// Shell builtins; package shell has checked their words.
	{names: "cd pushd popd echo printf true false : test [ exit return break continue sleep wait pwd read shift set unset export local declare readonly typeset getopts mapfile readarray jobs times dirs", manual: "bash(1)", tame: true, words: looks, options: "*"},
	{names: "umask", manual: "bash(1)", tame: true, words: one, options: "-pS"},

	{names: "git.status", manual: "git-status(1)", words: looks, options: "-sbvuz -uno -unormal -uall --short --branch --show-stash --porcelain[=] --long --verbose --untracked-files[=] --ignore-submodules[=] --ignored[=] --column[=] --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames[=]"},
	{names: "git.diff git.log git.show git.whatchanged git.reflog", manual: "git-diff(1), git-log(1), git-show(1): --output writes, --ext-diff, --textconv, --show-signature and the formats %G and %(signature) run programs, --no-index reads anything", words: looks, options: "-pusRzabcCwWgSimtqeLnBMDr0 -# -n: -U: -S: -G: -M -C -l: -L: --patch --no-patch --unified= --raw --patch-with-raw --stat[=] --numstat --shortstat --dirstat[=] --cumulative --summary --name-only --name-status --color[=] --no-color --color-words[=] --word-diff[=] --word-diff-regex= --color-moved[=] --no-renames --check --full-index --abbrev[=] --no-abbrev --find-renames[=] --find-copies[=] --diff-filter= --pickaxe-all --pickaxe-regex --relative[=] --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --inter-hunk-context= --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules[=] --src-prefix= --dst-prefix= --no-prefix --cached --staged --merge-base --minimal --patience --histogram --diff-algorithm= --follow --no-decorate --decorate[=] --source --oneline --graph --no-graph --pretty[=] --format= --abbrev-commit --no-abbrev-commit --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --first-parent --all --branches[=] --tags[=] --remotes[=] --glob= --exclude= --reflog --cherry --cherry-pick --cherry-mark --left-right --left-only --right-only --boundary --simplify-by-decoration --full-history --ancestry-path[=] --date-order --author-date-order --topo-order --reverse --date= --relative-date --parents --children --walk-reflogs --no-walk[=] --numbered --summary --email --group= --notes[=] --no-notes --not"},
	{names: "git.shortlog", manual: "git-shortlog(1)", words: looks, options: "-snec --numbered --summary --email --committer --group= --format= --since= --until= --author= --grep= --merges --no-merges --first-parent --all --branches[=] --tags[=] --remotes[=]"},
	{names: "git.blame", manual: "git-blame(1): --contents reads any file", words: looks, options: "-bltfnspewcMCL: -L: --root --show-stats --porcelain --line-porcelain --incremental --date= --show-name --show-number --show-email --since= --first-parent --reverse --ignore-rev= --abbrev="},
	{names: "git.ls-files git.ls-tree", manual: "git-ls-files(1), git-ls-tree(1)", words: looks, options: "-zcdmoikstvufrdl -x: --cached --deleted --modified --others --ignored --stage --directory --no-empty-directory --unmerged --killed --exclude= --exclude-standard --error-unmatch --full-name --recurse-submodules --abbrev[=] --deduplicate --eol --name-only --name-status --long --full-tree --format="},
	{names: "git.rev-parse git.rev-list git.merge-base git.describe git.name-rev git.show-ref git.for-each-ref git.cherry git.count-objects git.check-ignore", manual: "their manual pages: --stdin reads more of them", words: looks, options: "-qvHnshdazr -# -n: --verify --quiet --short[=] --abbrev-ref[=] --symbolic --symbolic-full-name --all --branches[=] --tags[=] --remotes[=] --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir --absolute-git-dir --git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --git-path= --count --max-count= --skip= --since= --until= --author= --grep= --merges --no-merges --first-parent --left-right --left-only --right-only --cherry-pick --reverse --objects --header --pretty[=] --format= --sort= --points-at= --merged[=] --no-merged[=] --contains[=] --no-contains[=] --independent --is-ancestor --fork-point --octopus --dirty[=] --broken[=] --long --always --exact-match --match= --exclude= --candidates= --abbrev[=] --name-only --refs= --heads --head --dereference --hash[=] --verbose --human-readable --non-matching --no-index --not"},
	{names: "git.cat-file", manual: "git-cat-file(1): --textconv and --filters run programs", words: looks, options: "-tsep"},
	{names: "git.grep", manual: "git-grep(1): -O runs a program, -f reads any file", words: looks, options: "-aIivwnhHlLczopqEPGFrW -# -e: -A: -B: -C: -m: --cached --untracked --no-exclude-standard --exclude-standard --recurse-submodules --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --null --only-matching --count --color[=] --no-color --break --heading --show-function --function-context --context= --after-context= --before-context= --max-count= --max-depth= --threads= --and --or --not --all-match --quiet"},
	{names: "git.add", manual: "git-add(1): -e and -p start an editor", words: looks, options: "-AnvfuN --all --no-all --dry-run --verbose --force --update --intent-to-add --refresh --ignore-errors --renormalize"},

	{names: "go.version go.help go.doc", manual: "go help", words: looks, whole: true, options: "-m -v -all -c -cmd -short -src -u"},
	{names: "go.env", manual: "go help env: -w and -u change settings", words: looks, whole: true, options: "-json -changed"},
	{names: "go.list", manual: "go help list: -toolexec runs a program, -export builds, -mod=mod writes go.mod", words: looks, whole: true, options: "-f: -json -m -deps -test -e -find -u -versions -retracted -tags: -mod=readonly -mod=vendor -buildvcs=false"},
	{names: "docker-compose.ps", manual: "docker compose ps", words: looks, options: "-aq --all --quiet --services"},
}

// known returns a program's entry in the table, nil if none.
func known(name string) *program {
	for i := range programs {
		for n := range strings.FieldsSeq(programs[i].names) {
			if n == name {
				return &programs[i]
			}
		}
	}
	return nil
}

// ordinary reports whether a command only reads, or changes no more than the files
// it names.
func ordinary(v view) bool {
	if !v.standard {
		return false
	}
	if len(v.words) == 1 && told(v.name, v.words[0].Text) {
		return true
	}
	p, args := known(v.name), v.words
	if p == nil {
		if v.name == "git" {
			for len(args) > 0 && (args[0].Text == "--no-pager" || args[0].Text == "-P" || args[0].Text == "--no-optional-locks") {
				args = args[1:]
			}
		}
		if len(args) == 0 {
			return false
		}
		if p, args = known(v.name+"."+args[0].Text), args[1:]; p == nil {
			return false
		}
	}
	rest, ok := p.read(args)
	return ok && p.takes(v, rest) && !readsModules(v) && !checksSignatures(v)
}

// told reports whether a program, given one word, only prints information about itself.
// Without the dashes the word is a file to run for some, a target for others.
func told(name, word string) bool {
	programs := ""
	switch word {
	case "--version", "--help":
		programs = "node python python3 npm cargo rustc java ruby php docker kubectl pip pip3 gh deno bun pnpm yarn make gcc clang"
	case "-version":
		programs = "java"
	case "version", "help":
		programs = "npm cargo docker kubectl pip pip3 gh pnpm"
	}
	return slices.Contains(strings.Fields(programs), name)
}

// read removes the options and reports whether the table has all of them.
func (p *program) read(args []shell.Word) (rest []shell.Word, ok bool) {
	if p.options == "*" {
		return args, true
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.Glob && !p.tame && strings.HasPrefix(a.Shape, string(shell.Unknown)) {
			return nil, false // it may stand for an option
		}
		if len(a.Text) < 2 || a.Text[0] != '-' {
			rest = append(rest, a)
			continue
		}
		if name, _, _ := strings.Cut(a.Shape, "="); a.Glob && strings.ContainsRune(name, shell.Unknown) {
			return nil, false
		}
		if a.Text == "--" {
			return append(rest, args[i+1:]...), true
		}
		value, ok := p.option(a.Text)
		if !ok || value && i+1 == len(args) {
			return nil, false
		}
		if value {
			i++
		}
	}
	return rest, true
}

// option reports whether the table has an option, and whether its value is the next
// word.
func (p *program) option(text string) (value, ok bool) {
	if p.whole || strings.HasPrefix(text, "--") {
		name, _, given := strings.Cut(text, "=")
		for o := range strings.FieldsSeq(p.options) {
			switch {
			case o == text, given && o == name+"[=]", given && o == name+"=", !given && o == name+"[=]", p.whole && given && o == name+":":
				return false, true
			case o == text+"=", o == text+":" && p.whole:
				return true, true
			}
		}
		return false, false
	}
	letters, numbers := "", false
	for o := range strings.FieldsSeq(p.options) {
		switch {
		case o == "-#":
			numbers = true
		case strings.HasPrefix(o, "--"):
		case len(o) == 3 && o[2] == ':':
			if i := strings.IndexByte(text, o[1]); i == 1 || i > 1 && strings.Trim(text[1:i], letters) == "" {
				return i == len(text)-1, true
			}
		default:
			letters += strings.TrimSuffix(o[1:], ":")
		}
	}
	if numbers && strings.Trim(text[1:], "0123456789") == "" {
		return false, true
	}
	return false, strings.Trim(text[1:], letters) == ""
}

// takes reports whether the non-option words are allowed for the program.
func (p *program) takes(v view, rest []shell.Word) bool {
	switch p.words {
	case none:
		return len(rest) == 0
	case times:
		return !slices.ContainsFunc(rest, func(w shell.Word) bool { return !strings.HasPrefix(w.Text, "+") })
	case processes:
		return !v.contains("environ") && !slices.ContainsFunc(rest, func(w shell.Word) bool { return strings.Trim(w.Text, "auxwflj0123456789,") != "" })
	case one:
		return len(rest) <= 1
	case sedding:
		return plainSed(v)
	case looks:
		return v.name != "less" && v.name != "more" || !slices.ContainsFunc(rest, func(w shell.Word) bool { return strings.HasPrefix(w.Text, "+") })
	case writes:
		return !slices.ContainsFunc(rest, func(w shell.Word) bool { return w.Glob })
	case copies:
		// The destination must be known, and so must the folders of the sources.
		for i, w := range rest {
			if w.Glob && (i == len(rest)-1 || strings.ContainsRune(w.Shape[:strings.LastIndexByte(w.Shape, '/')+1], shell.Unknown)) {
				return false
			}
		}
		return len(rest) > 1 || v.name == "ln" && len(rest) == 1
	}
	return true
}

// plainSed reports whether sed only prints, deletes or replaces lines: its
// commands e and w run programs and write files.
func plainSed(v view) bool {
	given := false
	for i := 0; i < len(v.words); i++ {
		text := v.words[i].Text
		switch {
		case text == "-e" && i+1 < len(v.words):
			i++
			if !plainEdit(v.words[i].Text) {
				return false
			}
			given = true
		case text == "-n" || text == "-E" || text == "-r" || text == "-s" || text == "-i" || text == "-u" || text == "-z":
		case strings.HasPrefix(text, "-"):
			return false
		case !given:
			if !plainEdit(text) {
				return false
			}
			given = true
		}
	}
	return given
}

// plainEdit reports whether a text is one address with p, d, q or =, or one s
// command that only replaces.
func plainEdit(text string) bool {
	rest := strings.TrimLeft(text, "0123456789,$+~ ")
	switch rest {
	case "p", "d", "q", "=":
		return true
	}
	if len(rest) < 4 || rest[0] != 's' || strings.ContainsAny(text, "\n;{}") {
		return false
	}
	parts := strings.Split(rest, rest[1:2])
	return len(parts) == 4 && rest[1] != '\\' && strings.Trim(parts[3], "gpiI0123456789") == ""
}
