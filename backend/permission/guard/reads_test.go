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
