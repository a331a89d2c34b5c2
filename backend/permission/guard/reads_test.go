package guard

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/backend/permission/rule"
)

// A read-only command may accompany what a rule allows, and doesn't affect what asks.
func TestReadsBeside(t *testing.T) {
	rules := make([]rule.Rule, 0, 4)
	for text, effect := range map[string]rule.Effect{"Bash(./build.sh:*)": rule.Allow, "Bash(go test:*)": rule.Allow, "Read(./private/**)": rule.Deny, "Bash(sort -R:*)": rule.Ask} {
		r, err := rule.Parse(text, effect)
		if err != nil {
			t.Fatal(err)
		}
		r.Scope, r.Source = rule.Global, rule.Person
		rules = append(rules, r)
	}
	for line := range strings.Lines(`
allow ./build.sh
allow ./build.sh 2>&1 | tail -3
allow ./build.sh | head -n 20
allow ./build.sh | grep -v warning | wc -l
allow ./build.sh 2>/dev/null | sort | uniq -c | sort -rn | head
allow ./build.sh | tr a-z A-Z | cut -d: -f1 | nl
allow ./build.sh && ls
allow ./build.sh; git status
allow ./build.sh && git status --short && echo done
allow ls && ./build.sh
allow which go && go test ./... 2>&1 | tail -n 5
allow go test ./... | grep -E "FAIL|ok" || true
allow ./build.sh | cat
allow cat VERSION && ./build.sh
allow ./build.sh && cat out.log | tail -c 300
allow cd src && go test . | tail -1
ask tail -3
ask ls
ask git status
ask ls | head
ask ./build.sh | sort -o out
ask ./build.sh | sort --compress-program=sh
ask ./build.sh | tee out
ask ./build.sh | tail -3 > out
ask ./build.sh | uniq - out
ask ./build.sh | sh
ask ./build.sh | xargs cat
ask ./build.sh | cat /etc/passwd
ask ./build.sh | cat ../other/x
ask ./build.sh && cat ~/.ssh/id_rsa
ask ./build.sh && cat .env
ask ./build.sh && cat $FILE
ask ./build.sh && cat "$(ls)"
ask ./build.sh && ls /root
ask ./build.sh | grep -f /etc/shadow
ask ./build.sh | tail -3 && rm x
ask ./build.sh | LESSOPEN=x tail
ask ./build.sh | ./tail -3
ask ./build.sh | timeout 5 tail
ask ./build.sh && git status --porcelain --output=x
ask ./build.sh && git -c core.fsmonitor=x status
ask ./build.sh | sort -R
ask cd .. && ./build.sh | tail
ask tail() { rm x; }; ./build.sh | tail
ask ./other.sh | tail -3
deny ./build.sh && cat private/key
allow ./build.sh |& tail -n 20
allow ./build.sh 2>/dev/null | grep -c error
allow ./build.sh | grep -iE 'fail|error' -A 3 -B2 | head -50
allow ./build.sh | sort -u | uniq -c | sort -rn | head
allow ./build.sh | cut -d: -f1,2
allow ./build.sh | tr -d '\r' | wc -l
allow ./build.sh | nl -ba
allow ./build.sh; echo "exit: $?"
allow ./build.sh && echo ok || echo failed
allow ./build.sh > /dev/null 2>&1; echo $?
allow ls -la && ./build.sh
allow which go; ./build.sh
allow git status -sb && ./build.sh
allow git status --porcelain | head -5; ./build.sh
allow ./build.sh | cat -n
allow ./build.sh | tail -f
allow ./build.sh | grep --color=never x
allow go test ./... 2>&1 | grep -v '^ok' | tail -40
allow go test ./... -run X -count=1 2>&1 | tail -n +5 | head -c 3000
allow go test ./... && printf '%s\n' done
allow pwd && ./build.sh
allow ./build.sh; true
allow ./build.sh 2>&1 | tail -3; echo "${PIPESTATUS[0]}"
allow ./build.sh || exit $?
allow ./build.sh; echo "$? of ${PIPESTATUS[@]}"
ask set -o pipefail; ./build.sh | tail -3
ask ./build.sh 2>&1 | tee /dev/null | tail -3
ask ./build.sh; echo "$? $HOME_X"
ask ./build.sh; echo ${PIPESTATUS[x]}
ask ./build.sh; echo ${?:-x}
ask ./build.sh; cat $?
ask ./build.sh; ls file$?
ask ./build.sh; echo $? > out$?
ask ./build.sh; echo $1
allow ./build.sh | grep -F -e a -e b
allow ./build.sh | wc --lines
allow ./build.sh | head --lines=5
allow ./build.sh | grep -rn x src
ask ./build.sh | sort --output=out
ask ./build.sh | sort -T /tmp/x -o x
ask ./build.sh | cat > x
ask ./build.sh | head $(evil)
ask ./build.sh | cut -f1 /etc/shadow
ask ./build.sh; echo $(evil)
ask ./build.sh | grep -r x /
`) {
		want, command, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		input, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		got := Reading(machine()).Decide(rules, rule.Call{Tool: "Bash", CWD: "/home/u/proj", Input: input}, time.Now())
		if string(got.Effect) != want {
			t.Errorf("%s: %s, want %s: %s %+v", command, got.Effect, want, got.Why, got.Parts)
		}
		if got.Effect == rule.Allow && len(got.Matched) == 0 {
			t.Errorf("%s: no rule allows it", command)
		}
	}
}
