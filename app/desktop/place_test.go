package desktop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlaceIsRemembered(t *testing.T) {
	dir := t.TempDir()
	want := place{Width: 900, Height: 700, X: -5, Y: 40, Positioned: true, Maximised: true}
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
