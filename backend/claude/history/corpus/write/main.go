// Command write writes a corpus of transcripts; see package corpus.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"parley/backend/claude/history/corpus"
)

func main() {
	o := corpus.Full()
	dir := flag.String("dir", "", "where the projects folder is written; required")
	flag.Uint64Var(&o.Seed, "seed", o.Seed, "the same seed gives the same bytes")
	flag.IntVar(&o.Files, "files", o.Files, "how many conversations")
	flag.Int64Var(&o.Bytes, "bytes", o.Bytes, "how much they hold in all")
	flag.Int64Var(&o.Largest, "largest", o.Largest, "how much the biggest holds")
	flag.Int64Var(&o.LongLine, "line", o.LongLine, "the length of the longest line")
	flag.Parse()
	if *dir == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	report, err := corpus.Write(*dir, o)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(report)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(1)
	}
}
