package guard

import (
	"math/rand/v2"
	"strings"

	"parley/backend/permission/rule/shell"
)

// fuzzer generates scripts.
type fuzzer struct {
	*rand.Rand
	corpus []string
}

// grammar maps each letter after % to its expansions: S a statement, C a simple command,
// W a word, V a value that is harmful if taken for code, N a variable name, A an
// arithmetic expression, F a file, R a redirection, X an expansion, T a test, B a quoted
// block, L a list of words, O an operator, K a script for awk, U one for sed, G and M the
// same as one word, H and J the arguments of awk and sed.
var grammar = map[byte][]string{
	'S': {
		"%C", "%C", "%C", "%N=%V; %S", "%N=%V; %S", "%N=%V\n%S", "%S; %S", "%S && %S", "%S || %S", "%S | %S", "%S |& %S", "%S\n%S", "(%S)", "{ %S; }", "! %C", "%C & wait",
		"if %S; then %S; fi", "if %S; then %S; else %S; fi", "while %S; do %S; break; done", "until %S; do %S; break; done", "for %N in %L; do %S; done", "for %N in 1 2; do %S; done",
		"for ((%A; %A; %A)); do %S; break; done", "for ((i=0;i<2;i++)); do %S; done", "select %N in %L; do %S; break; done", "case %W in %W) %S;; *) %S;; esac", "case %W in %W) %S;& x) %S;; esac", "case x in x) %S;;& *) %S;; esac",
		"((%A))", "((%A)) && %S", "let %W", "let '%N=%A'", "[[ %T ]] && %S", "[ %T ] && %S", "test %T; %S", "declare %N=%W; %S", "declare -i %N=%V; %S", "declare -a %N=%V", "declare -a '%N=(%V)'", "declare -A %N; %N[%W]=%W", "declare -n %N=%N; %N=%V",
		"typeset -i %N; %N=%V", "export %N=%W; %S", "readonly %N=%W", "local %N=%V", "export -n %N", "%N[%W]=%W; %S", "%N=(%L); %S", "%N+=(%L)", "%N+=%V", "%N=([%W]=%W)",
		"read %N <<< %V; %S", "read -r -a %N <<< %V", "IFS=: read %N %N <<< %V", "printf -v %N %W; %S", "printf -v '%N[%W]' x", "printf %W %V", "printf '%%d' %V", "printf '%%n' %V", "mapfile -t %N <<< %V; %S", "mapfile -C %C -c 1 %N <<< %V", "readarray -C 'evil x' -c 1 %N < a.txt",
		"getopts %W %N %W", "OPTIND=%V; getopts ab %N -a; %S", "unset %N; %S", "unset '%N[%W]'", "wait -n -p %N", "test -v %W", "[ -v %W ]", "shift %W", "exit %W", "return %W", "break %W", "set -- %L; %S", "set %W; %S", "set -x; PS4=%V; %S", "shopt -s %W; %S",
		"eval %B", "eval %W %W", "trap %B EXIT", "trap %V EXIT; %S", "trap %B DEBUG; %S", "bash -c %B", "sh -c %B", "bash -c %B x %W", "bash <<'E'\n%S\nE\n", "bash <<E\n%S\nE\n", "bash <<< %B", "sh -s x < a.txt", "bash run.sh", "source run.sh; %S", ". ./run.sh", "source <(%S)", "%S | bash",
		"cat <<E\n%X\nE\n", "cat <<'E'\n%X\nE\n", "cat <<-E\n\t%X\n\tE\n", "cat <<\"E\" %R\n$(evil)\nE\n", "cd %F && %S", "cd %F; %S", "pushd d > /dev/null; %S", "(cd d; %S)", "f() { %S; }; f %W", "p() { evil; }; %S", "function r { evil; }; %S", "alias p=evil; %S", "unalias -a; %S", "hash -p /mnt/bin/evil p; %S", "enable -n echo; %S",
		"coproc %C; %S", "coproc X { %S; }", "time %C", "time -p %C", "exec %C", "(exec %C)", "exec %R; %S", "exec {%N}>%F; %S", "command %C", "builtin %C", "command -p %C", "command -v %W", "env %N=%W %C", "env -i %C", "env -u X %C", "env -- %C", "env -S %B", "timeout 5 %C", "timeout -k 1 5 %C", "nice -n 1 %C", "nohup %C", "stdbuf -oL %C", "xargs %C <<< %V", "echo %W | xargs %C", "echo %W | xargs -I{} %C", "find . -maxdepth 1 -name %W", "find . -maxdepth 0 -exec %C {} \\;", "find . -maxdepth 0 -exec sh -c %B \\;",
		"PROMPT_COMMAND=%V; %S", "BASH_ENV=run.sh bash -c %B", "BASH_ENV=run.sh; export BASH_ENV; bash -c %B", "ENV=run.sh sh -c %B", "IFS=%W; %S", "PATH=.:$PATH; %S", "PATH=%W %C", "HOME=%F; %S", "CDPATH=%F; cd d; %S", "compgen -W %V", "compgen -C evil x", "complete -C evil p; %S", "history -s %V", "fc -s %W", "bind -x %V", "jobs -x %C", "ulimit %W", "umask %W",
		"%C %R", "%C %R %R", "{ %S; } %R", "(%S) %R", "while read -r %N; do %S; done < a.txt", "while read -r %N; do %S; done %R", "> %F", "%R", "echo %V %R", "%N=%X; %S", "%N=%X %C", ": %X; %S", ": %W", "echo %X",
		"tee %F <<< %W", "cp %F %F", "mv %F %F", "touch %F", "mkdir -p %F", "ln -s %F %F", "cp -t %F %F", "sed -i s/a/b/ %F", "sed -n %W %F", "sort -o %F a.txt", "sort --out=%F a.txt", "dd if=a.txt of=%F", "install a.txt %F", "rm %F", "truncate -s 0 %F", "cat %F", "head -n 1 %F", "ls %F", "grep x %F", "uniq a.txt %F", "find . -fprint %F", "tee -a %F %F < a.txt", "cp a.txt d; %S", "cp -r d %F", "ln %F %F", "ln -s /mnt/home/.profile l; echo %V > l", "%N=%F; echo x > $%N", "%N=%F; tee $%N < a.txt", "%N=%F; cp a.txt \"$%N\"",
		"sed -i%W p %F", "sed -i'%W' p %F", "cp -b -S %W a.txt %F", "mv -b --suffix=%W a.txt %F", "ln -bS%W b.txt %F",
		"awk %H", "awk %H", "mawk %H", "gawk %H", "sed %J", "sed %J", "busybox awk %H", "busybox sed %J", "busybox %C", "env awk %H", "find . -maxdepth 0 -exec sed %J \\;", "xargs awk %H <<< %W",
	},
	'H': {"%G", "%G a.txt", "%G a.txt", "-F %W %G a.txt", "-F: %G a.txt", "-v x=%W %G", "-v %N=%V %G a.txt", "-f run.sh %G", "-f %F %G a.txt", "-e %G", "-e %G -e %G a.txt", "--source %G", "-l %W %G", "-i %W %G", "-o %G", "-o%F %G", "-E %G a.txt", "-- %G a.txt", "--assign x=%W %G", "--include=%W %G", "--re-interval %G a.txt", "--%W %G", "-%W %G", "%G -e %G", "-W %W %G", "%W %G", "%X %G"},
	'J': {"%M a.txt", "%M a.txt", "-n %M a.txt", "-e %M a.txt", "-e %M -e %M a.txt", "-ne %M a.txt", "-i %M %F", "-i.bak %M %F", "-E %M a.txt", "-f run.sh %M", "-f %F -e %M a.txt", "-l 5 %M a.txt", "-l%W %M a.txt", "--line-length %W %M a.txt", "--expression=%M a.txt", "--exp %M a.txt", "-- %M a.txt", "%M a.txt -e %M", "-s %M a.txt b.txt", "--posix %M a.txt", "--%W %M a.txt", "-%W %M a.txt", "%W %M a.txt", "%X %M a.txt", "-i '' %M a.txt"},
	'K': {
		"{print}", "{print $1}", "{print $1 \"|\" $2}", "{print \"evil\"}", "BEGIN{system(\"evil\")}", "BEGIN{\"evil\" | getline x}", "{print | \"evil\"}", "{print \"a\" |& \"evil\"}", "BEGIN{x=\"system\";@x(\"evil\")}", "BEGIN{printf(\"a\" \"|\" \"evil\")}", "{print \"a\\\"\" | \"evil\"}", "{print \"a\\\\\" | \"evil\"}",
		"%K;%K", "%K\n%K", "# %K", "# \"\n%K", "/\"/%K", "/a/%K", "$1==\"a\"%K", "/[/\"]/%K", "{print > \"out\"}", "{print \"a\" >> \"../home/out\"}", "{print \">\" $1}", "BEGIN{ARGV[1]=\"b.txt\"}", "function f(a){system(a)} BEGIN{f(\"evil\")}", "BEGIN{getline x < \"b.txt\"}", "{x=1/2;y=\"a\"/2}%K", "BEGIN{close(\"x\")} %K", "{printf \"%%s\" , $1 || $2}", "BEGIN{if(1||0)print|\"evil\"}", "%W", "{print%W}", "\"%K", "%K\"", "BEGIN{print \"a\\\n\" | \"evil\"}",
	},
	'U': {
		"p", "d", "=", "s/a/b/", "s/a/b/g", "s/a/evil/e", "s/.*/evil/ge", "e evil", "1e evil", "1!e evil", "$e evil", ":a e evil", ":a;e evil", ":a\ne evil", "ba;e evil", "w out", "w ../home/out", "s/a/b/w out", "r a.txt", "W out", "R a.txt", "y/a/b/", "q", "q;e evil", "q5", "l 5", "l;e evil", "n", "F", "z", "v", "v 4.2\ne evil", "Q", "e",
		"%U;%U", "%U\n%U", "{%U}", "{%U;}", "{%U}%U", "a %U", "a\\\n%U", "a x\\\n%U", "a x\\\\\n%U", "i %U", "c\\%U", "1i\\  x\n%U", "$!%U", "1,$%U", "1~2%U", "0,/a/%U", "/a/%U", "/a/,/b/%U", "/[/]/%U", "\\,a,%U", "/a/I%U", "/a/ %U", "s,a,%U,", "s/[/]/x/%U", "s/[/x/;%U;s/]/y/", "s/a/\\\n/;%U", "s/a/b/;%U", "s/a/b/%U", "s/a/b/ ;%U", "# %U", "#n\n%U", "}%U", "%W", "s/%W/%W/", "p%W", "y/a\\/b/cd/;%U", "s\na\nb\n;%U",
	},
	'C': {"p %W", "q %W %W", "r", "p", "p %L", "git status", "git log %W", "npm test", "'p' %W", `\p %W`, `"q" %W`, `p"" %W`, `$'\x70' %W`, "echo %W", "echo %L", "printf '%%s\\n' %W", "%N=%W p %W", "true", "false", ":", "pwd", "ls", "cat a.txt", "{p,%W}", "$(echo p) %W", "%X %W", "/mnt/bin/p %W", "../bin/evil", "p --x=%W", "p -%W"},
	'W': {
		"a", "b", "x", "i", "1", "-1", "'c d'", `"e"`, `f\ g`, "{h,i}", "j{k,l}m", "{1..3}", "~", "~/x", "~+", "~-", "~root", "k=~/v", "$HOME", "''", `""`, "{,o}", `$'p\tq'`, `$"z"`, "*.txt", "a*", "d/?.txt", "[ab].txt", "a[0]", "%N", "%N[0]", "%V", "%V", "%X", "%X", `"%X"`, `"a%Xb"`, "a%X", "%X%X",
		"$(%S)", "`%C`", `"$(%S)"`, `"` + "`%C`" + `"`, "<(%S)", ">(%S)", "@(a|b)", "!(x)", "+(%W)", "@(a|$(evil))", `$'\'evil'`, "\"\\$(evil)\"", "'$(evil)'", "\\$(evil)", "\\`evil\\`", "a#b", "=p", "--x=%W", "%F", "{a,$(evil)}", "{$N..3}", "{%W}%W,%W}", "{%W,{%W}", "{{%W},%W}", "{a..b}%W,%W}", "\"$(cat <<'E'\n%X\nE\n)\"", "\"$(cat <<E\n%X\nE\n)\"", "-v", "-eq", "%%s", "%%d",
	},
	'V': {`'a[$(evil)]'`, `'a[$(evil)]'`, "'x[`evil`]'", `'$(evil)'`, "'`evil`'", `'evil'`, `'evil; evil'`, `'a[0$(evil)]=1'`, `'([$(evil)]=1)'`, `'1+a[$(evil)]'`, `"a[\$(evil)]"`, `a[\$(evil)]`, `$'a[$(evil)]'`, `'\$(evil)'`, `'@(x|$(evil))'`, `'i'`, `'y'`, "5", "x", "'> out'", `'${x@P}'`, "'i=a[$(evil)]'"},
	'N': {"x", "x", "y", "z", "i", "i", "a", "b", "IFS", "PATH", "RANDOM", "SECONDS", "OPTIND", "LINENO", "HISTCMD", "BASH_ARGV0", "DIRSTACK", "PS4", "REPLY", "EPOCHSECONDS", "SRANDOM", "FOO", "MAPFILE", "COLUMNS"},
	'A': {"1", "1+2", "i", "x", "x+1", "i++", "++x", "i=0", "x=5", "x=y", "i<3", "a[0]", "a[i]", "a[x]", "a[$(evil)]", "$x", "$i+1", "${x}", "${#x}", "$(echo 1)", "x?y:z", "(x)", "-x", "!x", "x,y", "'1'", "\"$x\"", "10#$x", "16#ff", "x**2", "i+=1", "i+=x", "~x", "0x1f", "RANDOM", "RANDOM=x", "$#", "$?", "$RANDOM", "%X"},
	'X': {
		"$x", "${x}", "$i", "${y}", "$#", "$?", "$@", "$*", `"$@"`, "$1", "$_", "$-", "${#x}", "${x:-%W}", "${x:=%W}", "${x:+%W}", "${x:?%W}", "${x-%W}", "${x=%V}", "${u:-$(%S)}", "${x#%W}", "${x##%W}", "${x%%%W}", "${x/%W/%W}", "${x//{%W}/%W}", "${x:-{%W}%W}", "${x//%W/%W}", "${x/#%W/%W}", "${x:%A}", "${x:%A:%A}", "${x: -1}", "${x:0:2}", "${a[%A]}", "${a[@]}", "${a[*]}", "${#a[@]}",
		"${!a[@]}", "${!x}", "${!x@}", "${!x*}", "${x@P}", "${x@Q}", "${x@E}", "${x@A}", "${x@K}", "${x@a}", "${x@U}", "${x@L}", "${x@k}", "${x^}", "${x^^%W}", "${x,,}", "$((%A))", "$((1+2))", "$[%A]", "$(%S)", "`%C`", "$(<a.txt)", "$(( $(%S) ))", "${x[%W]}", "${x[$(evil)]}", "${@:%A}", "${@:1:2}", "${x:${y}}", "$x[1]", "${x}[y]",
	},
	'T': {"-f a.txt", "-n %W", "-z %W", "%W = %W", "%W == %W", "%W != %W", "%W -eq %W", "%W -lt %W", "1 -eq 1", "$i -lt 3", "i -eq 0", "-v x", "-v %W", "-v %N[%A]", "-R x", "-t 1", "-t %W", "-o errexit", "! -f x", "%W =~ %W", "a =~ (%W)", "a == @(b|$(evil))", "a < b", "-e %F", "x -nt y", "( -f a.txt )", "%V -eq 1", "-n %X"},
	'F': {"out", "d/out", "./out", "../home/.profile", "~/.profile", "$HOME/.profile", "~+/../home/.profile", "~-/x", "a.txt", "d", "d/", "d/e", ".", "..", "'o p'", "o{1,2}", "*.txt", "d/*", "$x", `"$x"`, "$(echo out)", "/dev/null", "/dev/stdout", "/mnt/home/out", "/mnt/work/out", "../work/out", "nowhere/x", "l", "~", "Makefile"},
	'R': {"> %F", ">> %F", "2> %F", "&> %F", ">& %F", ">| %F", "<> %F", "< %F", "2>&1", ">&2", "1>&-", "<<< %W", "{fd}> %F", "{%N}> %F", "3> %F", "> >(%S)", "< <(%S)", "&>> %F", ">&%W", "<&%W", "0<&-"},
	'L': {"%W", "%W %W", "a b", "1 2 3", "*.txt", "%V %W", "{a,b} c", ""},
	'O': {";", "&&", "||", "|", "&", "\n"},
	'E': {"$", "`", "(", ")", "{", "}", "[", "]", "<", ">", "|", "&", ";", `"`, "'", `\`, "~", "*", "?", "!", "#", "=", "\n", " ", "$(", "$((", "${", "((", "))", "[[", "]]", "<<", ">>", "<(", "&&", "||", ";;", "-", "+", "@", ":", "%%", "^", ","},
}

// quoted maps letters to those whose expansion they are, as one word.
var quoted = map[byte]byte{'B': 'S', 'G': 'K', 'M': 'U'}

func (g fuzzer) fill(kind byte, depth int) string {
	options := grammar[kind]
	pick := options[g.IntN(len(options))]
	if depth <= 0 {
		for range 20 {
			if !strings.Contains(strings.ReplaceAll(pick, "%%", ""), "%") {
				break
			}
			pick = options[g.IntN(len(options))]
		}
	}
	var b strings.Builder
	for i := 0; i < len(pick); i++ {
		if pick[i] != '%' || i+1 == len(pick) {
			b.WriteByte(pick[i])
			continue
		}
		i++
		switch c := pick[i]; {
		case c == '%':
			b.WriteByte('%')
		case quoted[c] != 0:
			b.WriteString(shell.Quote(g.fill(quoted[c], depth-1)))
		case grammar[c] != nil && depth > -3:
			b.WriteString(g.fill(c, depth-1))
		case c == 'S' || c == 'C':
			b.WriteString("p")
		default:
			b.WriteString("x")
		}
	}
	return b.String()
}

// script makes up one script: by the grammar, by changing one of the tables, or both.
func (g fuzzer) script() string {
	for {
		var s string
		switch g.IntN(10) {
		case 0, 1, 2, 3, 4:
			s = g.fill('S', 1+g.IntN(4))
		case 5:
			s = g.fill('N', 0) + "=" + g.fill('V', 0) + "; " + g.fill('S', 1) + "; " + g.fill('S', 1)
		default:
			s = g.corpus[g.IntN(len(g.corpus))]
			for range 1 + g.IntN(3) {
				s = g.change(s)
			}
		}
		if g.harmless(s) {
			return s
		}
	}
}

// harmless keeps scripts away that would only waste time, or end the fuzzer itself.
func (g fuzzer) harmless(s string) bool {
	for _, bad := range []string{"kill", "command_not_found", " -l", "--login", "command -p", "|:&", "bomb", "\x00", "/dev/sd", "while :", "while true", "/dev/tcp"} {
		if strings.Contains(s, bad) {
			return false
		}
	}
	return len(s) < 4000
}

func (g fuzzer) change(s string) string {
	words := strings.Split(s, " ")
	i := g.IntN(len(words))
	switch g.IntN(9) {
	case 0:
		words[i] = g.fill('W', 2)
	case 1:
		words[i] = g.fill('X', 2)
	case 2:
		words = append(words[:i:i], append([]string{g.fill('W', 1)}, words[i:]...)...)
	case 3:
		return s + " " + g.fill('O', 0) + " " + g.fill('S', 2)
	case 4:
		return g.fill('N', 0) + "=" + g.fill('V', 0) + g.fill('O', 0) + " " + s
	case 5:
		return s + " " + g.fill('R', 2)
	case 6:
		j := g.IntN(len(s) + 1)
		return s[:j] + g.fill('E', 0) + s[j:]
	case 7:
		if s == "" {
			return s
		}
		j := g.IntN(len(s))
		return s[:j] + s[j+1:]
	default:
		return g.fill('S', 1) + g.fill('O', 0) + " " + s
	}
	return strings.Join(words, " ")
}
