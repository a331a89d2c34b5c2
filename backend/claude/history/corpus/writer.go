package corpus

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// writer writes one file.
type writer struct {
	*bufio.Writer
	job
	text *pool
	rnd  *rand.Rand
	now  time.Time

	written int64
	leaf    string // the newest line
	lastGo  string // a line to go back to
	turn    int
	tool    int
	needled bool
}

func (w *writer) put(format string, args ...any) {
	n, _ := fmt.Fprintf(w, format, args...) // Flush reports errors
	w.written += int64(n)
}

func (w *writer) file() {
	switch w.kind {
	case "empty":
		return
	case "noise":
		w.put("%s\n", strings.Repeat("\x00\xffno json at all ", 500))
		return
	case "warmup":
		w.line(`"type":"user","message":{"role":"user","content":"<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args></command-args>"}`)
		w.line(`"type":"system","subtype":"local_command","content":"<local-command-stdout>Set model</local-command-stdout>"`)
		return
	}
	w.preparations()
	for w.written < w.bytes {
		w.conversationTurn()
	}
	switch w.kind {
	case "long":
		w.longTurn()
	case "broken":
		w.put(`{"parentUuid":"%s","isSidechain":false,"type":"assistant","message":{"id":"msg_broken","content":[{"type":"te`+"\n", w.leaf)
		w.conversationTurn()
	case "cut":
		w.put(`{"parentUuid":"%s","isSidechain":false,"type":"user","message":{"role":"user","content":"I was about to`, w.leaf)
	}
}

// line writes a line of the conversation's chain and returns its id.
func (w *writer) line(body string, args ...any) string {
	id := newID(w.rnd)
	parent := "null"
	if w.leaf != "" {
		parent = `"` + w.leaf + `"`
	}
	w.now = w.now.Add(time.Duration(200+w.rnd.IntN(4000)) * time.Millisecond)
	w.put(`{"parentUuid":%s,"isSidechain":%t,`+body+`,"uuid":"%s","timestamp":"%s","userType":"external","entrypoint":"cli","cwd":"%s","sessionId":"%s","version":"2.1.329","gitBranch":"main"}`+"\n",
		append(append([]any{parent, w.kind == "sidechain"}, args...), id, w.now.Format("2006-01-02T15:04:05.000Z"), w.cwd, w.id)...)
	w.leaf = id
	return id
}

// preparations are what the CLI writes before the first answer.
func (w *writer) preparations() {
	w.put(`{"type":"queue-operation","operation":"enqueue","timestamp":"%s","sessionId":"%s","content":"x"}`+"\n", w.now.Format(time.RFC3339), w.id)
	w.prompt()
	for i, size := range []int{600, 300, 900, 2500, 6000, 150, 200, 1200} {
		w.line(`"attachment":{"type":"preparation_%d"},"type":"attachment","rendered":[{"content":"%s"}],"renderedRole":"system"`, i, w.text.take(w.rnd, size))
	}
	if w.bytes > 100<<10 {
		w.line(`"attachment":{"type":"prompt_snapshot","systemPrompt":["%s"]},"type":"attachment"`, w.text.take(w.rnd, 14<<10))
		w.put(`{"type":"api-request-shape","sessionId":"%s","shapeHash":"0","shape":{"system":[{"type":"text","text":"%s"}]}}`+"\n", w.id, w.text.take(w.rnd, 40<<10))
	}
	w.answers()
}

func (w *writer) prompt() {
	size := 20 + w.rnd.IntN(200)
	switch w.rnd.IntN(40) {
	case 0:
		size = 20 << 10 // a pasted log
	case 1:
		w.line(`"type":"user","message":{"role":"user","content":"<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>%s</command-args>"},"promptId":"p"`, w.text.take(w.rnd, 40))
		return
	}
	w.line(`"promptId":"p","type":"user","message":{"role":"user","content":"%s"},"promptSource":"typed"`, w.text.take(w.rnd, size))
}

func (w *writer) conversationTurn() {
	w.turn++
	if w.needle != "" && !w.needled && w.written > w.bytes/2 {
		w.needled = true
		w.line(`"type":"user","message":{"role":"user","content":"look for the %s"}`, w.needle)
		w.answers()
	}
	switch w.rnd.IntN(60) {
	case 0:
		w.compaction()
	case 1:
		if w.lastGo != "" { // the user went back
			w.leaf = w.lastGo
		}
	}
	w.lastGo = w.leaf
	w.prompt()
	w.put(`{"type":"api-request","sessionId":"%s","id":"r","params":{"model":"claude-opus-5-5","betas":["%s"]}}`+"\n", w.id, w.text.take(w.rnd, 700))
	w.answers()
	w.put(`{"type":"last-prompt","lastPrompt":"%s","leafUuid":"%s","sessionId":"%s"}`+"\n", w.text.take(w.rnd, 40), w.leaf, w.id)
}

const usage = `"usage":{"input_tokens":4,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d,"service_tier":"standard","server_tool_use":{"web_search_requests":0}}`

// answers writes messages with tools until one without.
func (w *writer) answers() {
	for {
		id := fmt.Sprintf("msg_%016x", w.rnd.Uint64())
		tail := fmt.Sprintf(usage, 100+w.rnd.IntN(3000), 20_000+w.rnd.IntN(80_000), 10+w.rnd.IntN(900))
		block := 0
		piece := func(content string, args ...any) {
			w.line(`"message":{"content":[`+content+`],"id":"`+id+`","model":"claude-opus-5-5","role":"assistant","stop_reason":null,"type":"message",`+tail+`},"apiBlockIndex":%d,"requestId":"req_1","type":"assistant"`,
				append(args, block)...)
			block++
		}
		if w.rnd.IntN(3) == 0 {
			piece(`{"type":"thinking","thinking":"%s","signature":"%s"}`, w.text.take(w.rnd, 300), strings.Repeat("QUJD", 100))
		}
		tools := w.rnd.IntN(3)
		if tools == 0 || w.rnd.IntN(2) == 0 {
			piece(`{"type":"text","text":"%s"}`, w.text.take(w.rnd, 50+w.rnd.IntN(1500)))
		}
		type use struct{ id, line string }
		var uses []use
		for range tools {
			w.tool++
			tool := fmt.Sprintf("toolu_%d_%d", w.n, w.tool)
			piece(`{"type":"tool_use","id":"%s","name":"Bash","input":{"command":"%s","description":"Run it"}}`, tool, w.text.take(w.rnd, 80))
			uses = append(uses, use{tool, w.leaf})
		}
		for _, u := range uses {
			w.leaf = u.line // a result is linked to its tool use
			w.result(u.id)
		}
		if tools == 0 {
			return
		}
	}
}

func (w *writer) result(tool string) {
	size := 30 + w.rnd.IntN(600)
	switch w.rnd.IntN(20) {
	case 0, 1, 2:
		size = 2000 + w.rnd.IntN(10_000)
	case 3:
		size = 20_000 + w.rnd.IntN(60_000)
	}
	out := w.text.take(w.rnd, size)
	w.line(`"type":"user","message":{"role":"user","content":[{"tool_use_id":"%s","type":"tool_result","content":"%s","is_error":false}]},"toolUseResult":{"stdout":"%s","stderr":"","interrupted":false}`, tool, out, out)
}

func (w *writer) compaction() {
	before := w.leaf
	w.leaf = ""
	w.line(`"logicalParentUuid":"%s","type":"system","subtype":"compact_boundary","content":"Conversation compacted","isMeta":false,"compactMetadata":{"trigger":"auto","preTokens":%d,"postTokens":%d}`, before, 150_000+w.rnd.IntN(9000), 9000)
	w.line(`"type":"user","isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"This session is being continued. %s"}`, w.text.take(w.rnd, 4000))
}

// longTurn ends with a result whose line is very long.
func (w *writer) longTurn() {
	w.prompt()
	w.line(`"message":{"content":[{"type":"tool_use","id":"toolu_long","name":"Bash","input":{"command":"cat everything"}}],"id":"msg_long","model":"claude-opus-5-5","role":"assistant","type":"message",` +
		fmt.Sprintf(usage, 1, 1, 1) + `},"apiBlockIndex":0,"type":"assistant"`)
	part := w.text.take(w.rnd, 256<<10)
	var b strings.Builder
	for int64(b.Len()) < w.longLine {
		b.WriteString(part)
	}
	w.line(`"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_long","type":"tool_result","content":"%s","is_error":false}]}`, b.String())
	w.answers()
}
