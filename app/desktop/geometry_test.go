package desktop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlaceIsRemembered(t *testing.T) {
	dir := t.TempDir()
	want := place{Width: 900, Height: 700, X: -5, Y: 40, Positioned: true, Maximised: true, Scale: 2}
	if err := savePlace(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := loadPlace(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("place (-want +got):\n%s", diff)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 1 {
		t.Errorf("files in the data folder: %v", left)
	}
}

func TestLoadPlaceIsAlwaysUsable(t *testing.T) {
	usual := place{Width: defaultWidth, Height: defaultHeight}
	tests := []struct {
		name, file string
		want       place
		wantErr    bool
	}{
		{name: "none", want: usual},
		{name: "cut off", file: `{"width":9`, want: usual, wantErr: true},
		{name: "too small", file: `{"width":1,"height":-4}`, want: place{Width: minWidth, Height: minHeight}},
		{name: "too large", file: `{"width":99999999,"height":99999999}`, want: place{Width: maxSide, Height: maxSide}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.file != "" {
				if err := os.WriteFile(placeFile(dir), []byte(tt.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := loadPlace(dir)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("place (-want +got):\n%s", diff)
			}
			if (err != nil) != tt.wantErr {
				t.Errorf("error = %v, want one: %v", err, tt.wantErr)
			}
		})
	}
}

func TestPlaceIsOnAMonitor(t *testing.T) {
	one := []area{{0, 0, 1920, 1080}}
	// A panel covers the upper edge of the first; the second is higher.
	two := []area{{0, 30, 1920, 1050}, {1920, -200, 2560, 1440}}
	at := func(x, y, width, height int) place {
		return place{X: x, Y: y, Width: width, Height: height, Positioned: true}
	}
	scaled := func(p place, scale int) place { p.Scale = scale; return p }
	tests := []struct {
		name     string
		saved    place
		monitors []area
		scale    int
		want     place
	}{
		{name: "as it was", saved: at(211, 110, 1180, 820), monitors: one, want: at(211, 110, 1180, 820)},
		{name: "partly outside", saved: at(-400, 500, 1180, 820), monitors: one, want: at(-400, 500, 1180, 820)},
		{name: "no monitor is known", saved: at(9000, 9000, 900, 700), want: at(9000, 9000, 900, 700)},
		{name: "on the second", saved: at(2500, -150, 1180, 820), monitors: two, want: at(2500, -150, 1180, 820)},
		{name: "the second is gone", saved: at(2500, -150, 1180, 820), monitors: one, want: at(728, 0, 1180, 820)},
		{name: "across both", saved: at(900, 60, 2600, 900), monitors: two, want: at(900, 60, 2600, 900)},
		{name: "across both, one is gone", saved: at(900, 60, 2600, 900), monitors: one, want: at(0, 60, 1908, 900)},
		{name: "its title is above", saved: at(300, -300, 1180, 820), monitors: one, want: at(300, 0, 1180, 820)},
		{name: "under the panel", saved: at(300, 0, 1180, 820), monitors: two, want: at(300, 30, 1180, 820)},
		{name: "its title is below", saved: at(300, 1070, 1180, 820), monitors: one, want: at(300, 224, 1180, 820)},
		{name: "a corner is left", saved: at(1900, 500, 1180, 820), monitors: one, want: at(728, 224, 1180, 820)},
		{name: "too large", saved: at(10, 10, 3000, 2000), monitors: one, want: at(0, 0, 1908, 1044)},
		{name: "no room at all", saved: at(10, 10, 900, 700), monitors: []area{{0, 0, 640, 450}}, want: at(0, 0, minWidth, minHeight)},
		{name: "never placed", saved: place{Width: 1180, Height: 820}, monitors: two, want: place{Width: 1180, Height: 820}},
		{name: "never placed, too large", saved: place{Width: 3000, Height: 820}, monitors: one, want: place{Width: 1908, Height: 820}},
		{name: "twice the scale", saved: scaled(at(400, 200, 800, 500), 1), monitors: []area{{0, 0, 1920, 1080}}, scale: 2, want: scaled(at(200, 100, 800, 500), 2)},
		{name: "half the scale", saved: scaled(at(200, 100, 800, 500), 2), monitors: []area{{0, 0, 3840, 2160}}, scale: 1, want: scaled(at(400, 200, 800, 500), 1)},
		{name: "the scale was not known", saved: at(200, 100, 800, 500), monitors: one, scale: 2, want: scaled(at(200, 100, 800, 500), 2)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.saved.on(tt.monitors, tt.scale)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("place (-want +got):\n%s", diff)
			}
			if again := got.on(tt.monitors, tt.scale); len(tt.monitors) > 0 && tt.monitors[0].width >= minWidth && again != got {
				t.Errorf("asked again, it is %+v", again)
			}
		})
	}
}
