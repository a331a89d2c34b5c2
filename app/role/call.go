package role

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/backend/fault"
)

func (p Program) call(args []string) int {
	set := p.flags("parley call", "parley call [flags] METHOD [JSON]\n\n"+
		"Calls a method of a running Parley and prints its result as JSON. JSON is the\n"+
		"parameters; \"-\" reads them from standard input. \"parley call method.list\" lists\n"+
		"the methods. The server is found by PARLEY_URL and PARLEY_TOKEN, or by what\n"+
		"\"parley serve --announce\" left in the data folder.")
	data := set.String("data", "", "the server's data `folder`")
	timeout := set.Duration("timeout", 30*time.Second, "how long to wait for the answer")
	args, code, ok := permuted(set, args, 2)
	if !ok {
		return code
	}
	if len(args) == 0 {
		set.Usage()
		return exitUsage
	}
	text := ""
	if len(args) == 2 {
		text = args[1]
	}
	params, err := p.params(text)
	if err != nil {
		return p.fail(err)
	}
	server, err := p.findServer(*data)
	if err != nil {
		return p.fail(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	l, err := dial(ctx, server)
	if err != nil {
		return p.fail(err)
	}
	defer l.close()
	result, err := l.call(args[0], params)
	if err != nil {
		return p.fail(err)
	}
	return p.print(result)
}

// print prints a result for users and programs.
func (p Program) print(result json.RawMessage) int {
	var out bytes.Buffer
	if err := json.Indent(&out, result, "", "  "); err != nil {
		return p.fail(err)
	}
	out.WriteByte('\n')
	if _, err := p.Stdout.Write(out.Bytes()); err != nil {
		return p.fail(err)
	}
	return exitOK
}

func (p Program) params(text string) (json.RawMessage, error) {
	if text == "-" {
		all, err := io.ReadAll(p.Stdin)
		if err != nil {
			return nil, fmt.Errorf("read the parameters: %w", err)
		}
		text = string(all)
	}
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}"), nil
	}
	if !json.Valid([]byte(text)) {
		return nil, fault.New(fault.Invalid, "The parameters are not JSON.")
	}
	return json.RawMessage(text), nil
}
