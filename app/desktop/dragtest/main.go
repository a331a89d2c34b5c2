//go:build desktop

// Command dragtest is another program for tests of the window: its one window, "dragtest",
// can be dragged from and dropped on.
//
//	dragtest [-uri URI]... [-file PATH]... [-picture PNG] [-text WORDS] [-move]
//
// What is dragged from it are the addresses, the files, the bytes of the picture as
// image/png, and the words; with -move the source wants to have them taken away from it.
// It says "ready" when it is shown, "begun" when something is dragged from it, "moved" when it was asked to remove what was dragged
// from it, "taken" and "refused" when a drag from it has ended, and "dropped" with each
// address that was dropped on it.
package main

/*
#cgo pkg-config: gtk+-3.0
#include <stdlib.h>
#include "drag.h"
*/
import "C"

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"unsafe"
)

func main() {
	var uris []string
	flag.Func("uri", "an address", func(s string) error { uris = append(uris, s); return nil })
	flag.Func("file", "a file's path", func(s string) error {
		uris = append(uris, (&url.URL{Scheme: "file", Path: s}).String())
		return nil
	})
	picture := flag.String("picture", "", "a PNG")
	words := flag.String("text", "", "a text")
	move := flag.Bool("move", false, "offer to move only")
	flag.Parse()

	list := make([]*C.char, 0, len(uris)+1)
	for _, u := range uris {
		list = append(list, C.CString(u))
	}
	list = append(list, nil)
	var png []byte
	if *picture != "" {
		var err error
		if png, err = os.ReadFile(*picture); err != nil {
			fmt.Fprintln(os.Stderr, "dragtest:", err)
			os.Exit(1)
		}
	}
	only := C.int(0)
	if *move {
		only = 1
	}
	// For as long as the process lives.
	uriList := (**C.char)(C.malloc(C.size_t(len(list)) * C.size_t(unsafe.Sizeof(list[0]))))
	copy(unsafe.Slice(uriList, len(list)), list)
	C.drag_run(uriList, C.int(len(uris)), C.CBytes(png), C.int(len(png)), C.CString(*words), only)
}
