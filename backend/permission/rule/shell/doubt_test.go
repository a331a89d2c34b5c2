package shell

import (
	"slices"
	"strings"
	"testing"
)

// doubtful reports whether anything in a script is in doubt, other than unknown words.
func doubtful(s Script) bool {
	return len(s.Doubts) > 0 || slices.ContainsFunc(s.Commands, func(c Command) bool {
		return slices.ContainsFunc(c.Doubts, func(d string) bool { return d != "Part of it is only known when it runs." })
	})
}

// Understood commands aren't in doubt, and slightly different ones are.
func TestDoubts(t *testing.T) {
	for _, line := range []struct{ fine, doubt string }{
		// builtins
		{"jobs -l", "jobs -x id"},
		{"jobs", "jobs -lx id"},
		{"read x", "read RANDOM"},
		{"read -r x y", "read 'a[0]'"},
		{"read -p x -n 1 y", "read -Z x y"},
		{"read -n1 y", "read -zn1 y"},
		{"read -t 5 x", "read -t y x"},
		{"read -t1.5 x", "read -ty x"},
		{"read -a x", "read -a"},
		{"read -t", "read -t x"},
		{"mapfile -t x -u", "mapfile -c"},
		{"read -- x", "read -- PATH"},
		{"mapfile -t x", "mapfile -C id x"},
		{"unset x", "unset 'x[0]'"},
		{"unset -v x", "unset -z x"},
		{"getopts ab x", "getopts ab RANDOM"},
		{"wait", "wait -p x"},
		{"wait -n %1", "wait x"},
		{"printf '%s' x", "printf '%n' x"},
		{"printf '%d' 5", "printf '%d' x"},
		{"printf '%s%d' x 5", "printf '%s%d' 5 x"},
		{"printf '%5.2f' 1.5", "printf '%5'"},
		{"printf '%%n'", "printf '%'"},
		{"printf -v x %s y", "printf -v 'x[0]' %s y"},
		{"printf -- %s x", "printf -- -x%n"},
		{"printf x", "printf -x"},
		{"printf '%d%%%s' 1 x", "printf '%s%%%d' 1 x"},
		{"test -f x", "test -v 'x[0]'"},
		{"test -v x", "test -R 'x[0]'"},
		{"[ -t 1 ]", "[ -t x ]"},
		{"[ 1 -eq 2 ]", "[ x -eq 2 ]"},
		{"[ -1 -lt 2 ]", "[ 1 -lt x ]"},
		{"shift 2", "shift x"},
		{"exit 1", "exit 'a[0]'"},
		{"exit", "exit 1 2"},
		{"set -e", "set -k"},
		{"set -eu", "set -p"},
		{"set -o pipefail", "set -o posix"},
		{"set +x", "set +h"},
		{"set -- -k", "set -k --"},
		{"true", "alias ls=id"},
		{"echo", "shopt -s extglob"},
		{"pwd", "enable -f x y"},
		{"cd x", "hash -p x y"},
		{"source venv/bin/activate", "source x"},
		{"source .venv/bin/activate", "source ../.venv/bin/activate"},
		{". ./env/bin/activate", ". /env/bin/activate"},
		{". venv/bin/activate", ". venv/bin/activate x"},
		{"declare x=1", "declare -i x=1"},
		{"declare -x x=1", "declare -n x=y"},
		{"export x=1", "export PATH=1"},
		{"export x", "export RANDOM"},
		{"readonly x=1", "readonly x='(1)'"},
		{"export -p", "export -f x"},
		{"local x=$(a)", "local 'x[0]=1'"},
		{"trap - EXIT", "trap ls DEBUG"},
		{"trap ls EXIT", "trap ls EXIT DEBUG"},
		{"eval ls", "eval $x"},
		// scripts of sed and awk
		{"sed s/a/id/g x", "sed s/a/id/e x"},
		{"sed 's/a/b/;p' x", "sed 's/a/b/;e id' x"},
		{"sed 's/a/b/w out' x", "sed 's/a/b/w out\ne id' x"},
		{"sed 'r a;e id' x", "sed 'r a\ne id' x"},
		{"sed '1i x\\\ne id' x", "sed '1i x\\\\\ne id' x"},
		{"sed -f x y", "sed -f x -e 'e id' y"},
		{"sed -n -e p x", "sed -ne 'e id' x"},
		{"sed --line-length 5 p x", "sed --line-length 5 'e id' x"},
		{"sed --expr=p x", "sed --expr='1e id' x"},
		{"sed --quiet p x", "sed --quiet 'e id' x"},
		{"sed -- p -e e", "sed -- 'e id' -e p"},
		{"sed -e p x", "sed 'e id' -e p x"},
		{"sed ':a\nN;p' x", "sed ':a e id' x"},
		{"sed 'ba' x", "sed 'b;e id' x"},
		{"sed -e p -e q x", "sed -e 'a x\\' -e p x"},
		{"sed 's/x/\\\ny/' x", "sed 's/x/\ny/' x"},
		{"sed -E F x", "sed -E v x"},
		{"gsed p x", "gsed e x"},
		{"env sed p x", "env sed e x"},
		{"xargs -n 1 ls", "xargs -n 1 sed e"},
		{"awk '{print $1}' x", "awk '{print | \"sh\"}' x"},
		{"awk '/a|b/ {print}' x", "awk 'BEGIN {\"id\" | getline}' x"},
		{"awk '$1 > 2 || $2 {print}' x", "awk 'BEGIN {system(\"id\")}'"},
		{"awk '{print > \"out\"}' x", "gawk '{@f()}' x"},
		{"awk -f x y", "gawk -f x -e 'BEGIN {system(\"id\")}' y"},
		{"awk --field-separator , '{print}' x", "awk --field-separator , 'BEGIN {system(\"id\")}' x"},
		{"gawk --assign v=1 '{print}' x", "gawk --assign v=1 'BEGIN {system(\"id\")}' x"},
		{"awk -F '|' '{print}' x", "mawk -W exec x"},
		{"awk '{print}' -e x", "awk 'BEGIN {system(\"id\")}' -e x"},
		{"awk -- '{print}' x", "awk -- 'BEGIN {system(\"id\")}' x"},
		{"gawk -l filefuncs '{print}' x", "gawk -l filefuncs 'BEGIN {system(\"id\")}'"},
		{"gawk -i inplace '{print}' x", "gawk -i inplace 'BEGIN {system(\"id\")}'"},
		{"gawk -o '{print}' x", "gawk -o 'BEGIN {system(\"id\")}'"},
		{"gawk -oout '{print}' x", "gawk -oout 'BEGIN {system(\"id\")}'"},
		{"gawk -bn '{print}' x", "gawk -bno 'BEGIN {system(\"id\")}'"},
		{"gawk --include=x '{print}' y", "gawk --include=x 'BEGIN {system(\"id\")}'"},
		{"gawk --load x '{print}' y", "gawk --load x 'BEGIN {system(\"id\")}'"},
		{"gawk -E x y", "original-awk -E 'BEGIN {system(\"id\")}' y"},
		{"gawk --lint '{print}' y", "original-awk --assign 'BEGIN {system(\"id\")}' y"},
		{"gawk -Lfatal '{print}' y", "original-awk -l 'BEGIN {system(\"id\")}' y"},
		{"awk -S '{print}' y", "awk -Z '{print}' y"},
		{"awk --posix '{print}' y", "awk --none '{print}' y"},
		{"awk '{print $1 \"|\" $2}' x", "awk '{print $1 \"|\" | $2}' x"},
		{"awk '{print \"a\\\\\"}' x", "awk '{print \"\\\\\" | \"id\" \"\\\\\"}' x"},
		{"awk '{print \"a\\\" | b\"}' x", "awk '{print \"a | b}' x"},
		{"awk '{print \">\" $1}' x", "awk '# \"\n{print | \"id\"}' x"},
		{"awk -v n=\"$y\" '{print n}' x", "awk -v n=$y '{print n}' x"},
		{"awk -F \"${y}\" '{print}' x", "awk -F \"$@\" '{print}' x"},
		{"awk -f \"$y\" x", "awk -F *.x '{print}' x"},
		{"sed p $y *.x", "sed -l $y p x"},
		{"sed -i.bak s/a/b/ x", "sed -Z s/a/b/ x"},
		{"sed -ni s/a/b/ x", "sed -i '' 'e id' x"},
		{"sed --in-place=.bak p x", "sed --unknown p x"},
		{"busybox sed p x", "busybox sed 'e id' x"},
		{"busybox awk '{print}' x", "busybox awk 'BEGIN {system(\"id\")}'"},
		{"toybox ls", "toybox --what ls"},
		{"busybox sh -c ls", "busybox sh -x -Z ls"},
		// variables
		{"x=1 ls", "PATH=1 ls"},
		{"GOOS=x ls", "GOFLAGS=-toolexec=x ls"},
		{"NODE_ENV=x ls", "NODE_OPTIONS=x ls"},
		{"x_y=1 ls", "X_OPTS=1 ls"},
		{"CGO_ENABLED=0 go build", "CGO_ENABLED=x go build"},
		{"CGO_ENABLED=1 go build", "CGO_ENABLED=$x go build"},
		{"GOFLAGS='-mod=mod -race' go build", "GOFLAGS='-mod=mod -exec=x' go build"},
		{"GOFLAGS=-tags=a,b go build", "GOFLAGS=-tags=a,b* go build"},
		{"GOFLAGS=-v go build", "GOFLAGS+=-v go build"},
		{"GOTOOLCHAIN=local go build", "GOTOOLCHAIN=path go build"},
		{"GOWORK=off go build", "GOWORK=x go build"},
		{"GODEBUG=gctrace=1 go build", "GODEBUG=x509sha1=1 go build"},
		{"TERM=dumb ls", "TERM=x ls"},
		{"PAGER=cat git log", "PAGER=less git log"},
		{"GIT_PAGER=cat git log", "GIT_PAGER[0]=cat git log"},
		{"env PAGER=cat git log", "env PAGER=x git log"},
		{"export PAGER=cat", "export PAGER=x"},
		{"export CGO_ENABLED=0", "export CGO_ENABLED"},
		{"export GOWORK=off x=1", "export GOWORK=off PATH=1"},
		{"export GOFLAGS=-v", "export GOFLAGS+=-v"},
		{"PAGER=cat git log", "PAGER=ca* git log"},
		{"x=(a b); ls", "aliases=(a b); ls"},
		{"x=(a b); ls", "precmd_functions=(a b); ls"},
		{"x=a; ls", "SECONDS=a; ls"},
		{"x=a; ls", "COMP_X=a; ls"},
		{"x=a; ls", "READLINE_X=a; ls"},
		{"env PAGER=cat git log", "env PAGER=$x git log"},
		{"printf", "printf -v"},
		{"read x", "read ''"},
		{"read x", "read -"},
		{"x=${y:0:1}", "x=${y:0:z}"},
		{"[[ -v x ]]", "[[ -v $x ]]"},
		{"[[ -v x ]]", "[[ -v 'x[0]' ]]"},
		{"[[ -t 1 ]]", "[[ -t x ]]"},
		{"[[ -f x ]]", "[[ -R 'x[0]' ]]"},
		{"[[ -n x && -f y ]]", "[[ -n x && -v 'y[0]' ]]"},
		// numbers
		{"i=1; ((i))", "i=1; read i; ((i))"},
		{"i=1; ((i++))", "i=1; printf -v i x; ((i))"},
		{"i=1; echo; ((i+=2))", "i=1; i=x; ((i))"},
		{"i=1; [[ $i -eq 1 ]]", "i=1; mapfile i; [[ $i -eq 1 ]]"},
		{"for i in 1 2; do ((i)); done", "for i in 1 x; do ((i)); done"},
		{"for ((i=0;i<3;i++)); do ls; done", "for ((i=x;i<3;i++)); do ls; done"},
		{"i=1 && ((i))", "((i))"},
		{"i=1; x=$((i+1))", "i=1; unset i; x=$((i+1))"},
		{"i=1; x=y; ((i))", "x=y; ((x))"},
		{"i=1; ((i))", "i+=1; ((i))"},
		{"i=1; ((i))", "i=1; i[0]=x; ((i))"},
		{"i=1; ((i))", "i=(1); ((i))"},
		{"i=1; ((i))", "i=; ((i))"},
		{"i=1; ((i))", "i=1$x; ((i))"},
		{"i=1; ((i))", "i=1 ls; ((i))"},
		{"i=1; ((i))", "i=1 & ((i))"},
		{"i=1; ((i))", "i=1 > x; ((i))"},
		{"i=$((1)); ((i))", "i=$(x); ((i))"},
		// invisible characters
		{"ls 'ä'", "ls '\U0010ffff'"},
		{"ls '~'", "ls '\ufffd'"},
		{"ls '\t\n'", "ls '\x7f'"},
		{"ls '–'", "ls '\u200b'"},
		{"ls 'x'", "ls '\u2028'"},
		{"ls 'x'", "ls '\ue000'"},
		{"ls 'x'", "ls '\xff'"},
		{"((1, 2))", "((a[0]))"},
		{"((x = 1))", "((RANDOM = 1))"},
		{"i=1; ((-i))", "((-i))"},
		{"i=1; ((i--))", "((i--))"},
		{"(( (1) ))", "(( (x) ))"},
		{"((-1)); ls", "((-x)); ls"},
		{"((~1)); ls", "((!x)); ls"},
		{"((\"1\")); ls", "((\"x\")); ls"},
		{"((1$?)); ls", "((1$x)); ls"},
		// expansions
		{"x=${y:-a}", "x=${y:=a}"},
		{"x=${y#a}", "x=${y@P}"},
		{"x=${#y}", "x=${!y}"},
		{"x=${y:1}", "x=${y:z}"},
		{"x=${y[@]}", "x=${y[z]}"},
		{"x=$'a\\tb'; ls", "x=$\"a\"; ls"},
		{"ls `a`", "ls `a \\`b\\``"},
		// names of programs
		{"ls", "l?"},
		{"/bin/ls", "/bin/l*"},
		{"'ls'", "$x"},
		{"ls", "''"},
		// redirections
		{"ls >& 2", "ls >& $x"},
		{"ls 2>&1", "ls {x}> y"},
		{"ls > x", "ls > x*"},
		{"ls < x", "ls < $(y)"},
		{"ls >& x", "ls >& 'x y'"},
		// shells
		{"bash -c ls", "bash -c"},
		{"bash -ec ls", "bash -sc ls"},
		{"bash -o pipefail -c ls", "bash -o"},
		{"bash --norc -c ls", "bash --rcfile x -c ls"},
		{"bash -- x", "bash -rcfile x"},
		{"bash +e x", "bash $x y"},
		{"bash x", "bash -s x"},
		{"bash x", "fish -c ls"},
		{"bash -s <<< ls", "bash -sc ls <<< ls"},
		{"bash <<< ls", "bash <<< \"$x\""},
		{"bash <<< ls", "bash <<< ls < y"},
		{"bash x", "bash <(ls)"},
		// the rest
		{"ls &", "coproc ls"},
		{"time ls", "ls | time ls"},
		{"{ ls; }", "f() { ls; }"},
		{"for i in a; do ls; done", "select i in a; do ls; done"},
		{"for i in a; do ls; done", "for PATH in a; do ls; done"},
		{"case x in a) ls;; esac", "case x in $\"a\") ls;; esac"},
	} {
		env := Env{Dir: "/d", Home: "/home/u"}
		for source, want := range map[string]bool{line.fine: false, line.doubt: true} {
			s := Read(source, env)
			if got := doubtful(s); got != want {
				t.Errorf("%s: in doubt %v, want %v: %q", source, got, want, s.Doubts)
			}
		}
	}
}

// A word that shells parse differently is unknown.
func TestUnknownWords(t *testing.T) {
	for _, line := range []struct{ known, unknown string }{
		{"echo $'\\x41'", "echo $'\\x{41}'"},
		{"echo $'a'", "sh -c \"echo \\$'a'\""},
		{"ls {a,b}", "sh -c 'ls {a,b}'"},
		{"ls {a,b}", "ls {1..3}"},
		{"ls ~", "ls ~x"},
		{"ls $HOME", "ls $HOMES"},
		{"ls a=b", "ls =b"},
		{"ls '$x'", "ls \"$x\""},
	} {
		for source, want := range map[string]bool{line.known: false, line.unknown: true} {
			s := Read(source, Env{Dir: "/d", Home: "/home/u"})
			last := s.Commands[len(s.Commands)-1].Args()
			if got := last[len(last)-1].Unknown; got != want {
				t.Errorf("%s: unknown %v, want %v", source, got, want)
			}
		}
	}
}

// A wrapper's options are removed as the program parses them: the rest is the command.
func TestWrappers(t *testing.T) {
	for _, line := range strings.Split(`
command rm x
command -p rm x
builtin rm x
exec rm x
exec -a y rm x
exec -cl rm x
nohup rm x
nice rm x
nice -5 rm x
nice -n 5 rm x
nice --adjustment 5 rm x
timeout 5 rm x
timeout -k 5 -s KILL 10 rm x
timeout --signal=KILL --foreground 10 rm x
stdbuf -oL rm x
stdbuf --output L rm x
env rm x
env A=b rm x
env -i A=b -- C=d rm x
env -u A rm x
env --unset=A rm x
sudo rm x
sudo -u y rm x
sudo -uy -n rm x
sudo A=b rm x
sudo --user=y -E rm x
doas rm x
su u rm x
su -g v u rm x
runuser -s /bin/sh u rm x
doas -u y rm x
pkexec rm x
pkexec --user y rm x
setsid rm x
setsid -f rm x
ionice -c 2 -n 0 rm x
ionice -c2 rm x
chrt -r 5 rm x
taskset -c 1 rm x
watch rm x
watch -n 5 -d rm x
flock y rm x
flock -n -w 5 y rm x
strace -f -o y rm x
ltrace rm x
unshare -n rm x
nsenter -m rm x
chroot y rm x
systemd-run -q rm x
repeat 3 rm x
caffeinate rm x
timeout 5 nice sudo rm x
command -- rm x
`, "\n") {
		if line == "" {
			continue
		}
		s := Read(line, Env{Dir: "/d"})
		if len(s.Commands) != 1 || Join(s.Commands[0].Args()) != "rm x" || doubtful(s) {
			t.Errorf("%s: %s %+v", line, said(s), s.Doubts)
		}
		if s.Commands[0].Text() != Join(Read(`"" `+line, Env{}).Commands[0].Args()[1:]) {
			t.Errorf("%s: its words are %s", line, s.Commands[0].Text())
		}
	}
	for source, want := range map[string]bool{"command time -p rm x": true, "nice rm x": true, "sudo rm x": false, "setsid rm x": false, "flock y rm x": false} {
		if c := Read(source, Env{Dir: "/d"}).Commands[0]; slices.ContainsFunc(c.Layers[:len(c.Layers)-1], func(l Layer) bool { return l.Transparent != want }) {
			t.Errorf("%s: a wrapper that changes nothing: %v", source, !want)
		}
	}
	// Wrapper calls that aren't understood: the command may be anywhere.
	for _, line := range []string{
		"timeout --foo 5 rm x", "timeout -z 5 rm x", "timeout $x rm x", "timeout -s $x 5 rm x", "timeout -k", "timeout", "timeout * rm x", "timeout 5 -x rm", "sudo -z rm x", "env --foo rm x",
		"nice --foo rm x", "nice -x rm x", "flock", "stdbuf --foo=L rm x", "xargs --foo rm", "xargs", "doas -z rm x", "watch -z rm x", "chrt 5 -r rm x", "env -S 'rm x'",
	} {
		if s := Read(line, Env{Dir: "/d"}); !doubtful(s) && line != "timeout" && line != "flock" {
			t.Errorf("%s is not in doubt: %s", line, said(s))
		}
	}
	// Calls that run nothing.
	for _, line := range []string{"command -v rm", "command -V rm", "sudo -l", "sudo -v", "env", "exec > y"} {
		if s := Read(line, Env{Dir: "/d"}); doubtful(s) || len(s.Commands) != 1 || len(s.Commands[0].Layers) != 1 {
			t.Errorf("%s: %s", line, said(s))
		}
	}
	// Excessively nested wrappers.
	if s := Read(strings.Repeat("nice ", maxDepth+2)+"rm x", Env{Dir: "/d"}); len(s.Doubts) == 0 || len(s.Commands) != 1 || !strings.HasSuffix(s.Commands[0].Text(), "nice rm x") {
		t.Error("wrappers without end are not in doubt")
	}
	if s := Read(strings.Repeat("nice ", maxDepth)+"rm x", Env{Dir: "/d"}); len(s.Doubts) > 0 {
		t.Errorf("%d wrappers are in doubt: %q", maxDepth, s.Doubts)
	}
}

// Whether a command's input depends on variables that may hold anything.
func TestForeign(t *testing.T) {
	for source, want := range map[string]bool{
		"cat <<E\n$USER\nE":                      false,
		"cat <<E\n$HOME ${PWD} $? $#\nE":         false,
		"cat <<E\n$(ls) $((1+1))\nE":             false,
		"cat <<E\n$(echo $x)\nE":                 false, // depends on echo, which reports it
		"cat <<E\n$x\nE":                         true,
		"cat <<E\n$TOKEN\nE":                     true,
		"cat <<'E'\n$TOKEN\nE":                   false,
		"cat <<E\n${USER:-$x}\nE":                true,
		"cat <<E\n${USER/a/b}\nE":                true,
		"cat <<< \"$x\"":                         true,
		"cat <<< \"$USER\"":                      false,
		"cat <<E <<< \"$x\"\n$USER\nE":           true,
		"{ cat; } <<< \"$x\"":                    true,
		"cat <<< \"$USER\" && cat <<< \"$USER\"": false,
		"cat < x":                                false,
	} {
		got := false
		for _, c := range Read(source, Env{Dir: "/d", Home: "/home/u"}).Commands {
			got = got || c.Foreign
		}
		if got != want {
			t.Errorf("%s: foreign %v, want %v", source, got, want)
		}
	}
	s := Read("cat <<< \"$x\" | wc", Env{Dir: "/d"})
	if !s.Commands[0].Foreign || s.Commands[1].Foreign {
		t.Errorf("of a pipeline: %v, %v", s.Commands[0].Foreign, s.Commands[1].Foreign)
	}
}

// Variables that change programs are recognized by name, ignoring case.
func TestDangerous(t *testing.T) {
	for name, want := range map[string]bool{
		"IFS": true, "ENV": true, "BASH_ENV": true, "LD_PRELOAD": true, "DYLD_X": true, "GIT_DIR": true, "git_dir": true, "PYTHONPATH": true, "MY_OPTIONS": true, "MY_OPTS": true, "EDITOR": true, "http_proxy": true,
		"CC": true, "CFLAGS": true, "A_HOME": true, "x_url": true, "SSH_ASKPASS": true, "NODE_PATH": true, "AWS_X": true, "KUBECONFIG": true, "PS4": true, "HOME": true, "GOFLAGS": true, "MAKEFILES": true, "RUSTC_WRAPPER": true,
		"x": false, "FOO": false, "NODE_ENV": false, "PYTHONUNBUFFERED": false, "GOOS": false, "RUST_LOG": false, "PORT": false, "DEBUG": false, "LC_ALL": false, "TZ": false,
	} {
		if Dangerous(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
