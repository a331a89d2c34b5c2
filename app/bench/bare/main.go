//go:build desktop

// Command bare is a Wails window whose page shows one word: the baseline for the start of any such
// window. build/bench runs both alternately.
package main

import (
	"embed"
	"log"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
)

//go:embed index.html
var page embed.FS

func main() {
	err := wails.Run(&options.App{
		Title: "Bare", Width: 1180, Height: 820,
		BackgroundColour: options.NewRGB(0x1c, 0x1c, 0x1e),
		AssetServer:      &assetserver.Options{Assets: page},
		Linux:            &linux.Options{ProgramName: "bare", WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
	})
	if err != nil {
		log.Fatal(err)
	}
}
