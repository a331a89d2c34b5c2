package model_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/store/model"
)

var update = flag.Bool("update", false, "write the golden files")

// The names are stored on users' disks.
func TestNamesStay(t *testing.T) {
	for _, v := range []any{
		&model.Session{}, &model.Draft{}, &model.Prompt{}, &model.Workspace{}, &model.Layout{}, &model.Transcript{}, &model.Profile{}, &model.Rule{}, &model.Trust{},
		&model.Usage{}, &model.CountedAnswers{}, &model.BudgetWarning{}, &model.HeartbeatRun{}, &model.HeartbeatState{}, &model.Pause{},
		&model.Authored{}, &model.Action{}, &model.Outcome{}, &model.Unsaved{}, &model.Thread{}, &model.Cursor{}, &model.Kept{},
	} {
		typ := reflect.TypeOf(v).Elem()
		t.Run(typ.Name(), func(t *testing.T) {
			n := 0
			fill(t, reflect.ValueOf(v).Elem(), &n)
			got, err := json.MarshalIndent(v, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			golden := filepath.Join("testdata", strings.ToLower(typ.Name())+".json")
			if *update {
				if err := os.WriteFile(golden, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("A name changed. People's data has the old one. (New fields: -update)\n%s", diff)
			}
			back := reflect.New(typ)
			decoder := json.NewDecoder(bytes.NewReader(want))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(back.Interface()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(v, back.Interface(), cmp.Transformer("compact", compact)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func compact(raw json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return err.Error()
	}
	return out.String()
}

// fill gives every field a distinct value.
func fill(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes([]byte(`{"any":1}`))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n))
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.Bool {
			v.Set(reflect.ValueOf(map[string]bool{"key": true}))
			return
		}
		v.Set(reflect.ValueOf(map[string]string{"key": fmt.Sprint("value ", *n)}))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0), n)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), n)
		}
	default:
		t.Fatalf("a record has a %v", v.Type())
	}
}

func TestShelf(t *testing.T) {
	for _, tt := range []struct {
		s    model.Session
		want model.ListState
	}{
		{model.Session{}, model.ShelfOpen},
		{model.Session{ArchivedAt: 1}, model.ShelfArchive},
		{model.Session{ArchivedAt: 1, DeletedAt: 2}, model.ShelfTrash},
		{model.Session{Hidden: true, DeletedAt: 2}, model.ShelfNone},
	} {
		if got := tt.s.Shelf(); got != tt.want {
			t.Errorf("%+v is on %q", tt.s, got)
		}
	}
}
