package backend_test

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// Nothing is exported for package app alone: it hands a feature to those who need it, and they see
// it by an interface. What remains are the steps of its life.
func TestNothingIsExportedForTheRoot(t *testing.T) {
	const root = module + "app"
	ours := []string{"New", "Config", "Methods", "Tools", "Start", "Close", "Service"}
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedImports | packages.NeedExportFile | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo, Dir: "..",
	}, "./app/...", ".")
	if err != nil {
		t.Fatal(err)
	}
	// users are the packages that use a name, besides the one that declares it.
	users := map[string][]string{}
	for _, p := range all {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
		for _, used := range p.TypesInfo.Uses {
			if name := exported(used); name != "" && used.Pkg().Path() != p.PkgPath && !slices.Contains(users[name], p.PkgPath) {
				users[name] = append(users[name], p.PkgPath)
			}
		}
	}
	for name, by := range users {
		if slices.Equal(by, []string{root}) && !slices.Contains(ours, name[strings.LastIndexByte(name, '.')+1:]) {
			t.Errorf("only package app uses %s: hand the feature to those who need it, or let it do that itself", name)
		}
	}
	if len(users) < 100 {
		t.Errorf("only %d names are used by others", len(users))
	}
}

// exported is the name of a feature's function, type or method, "" for anything else.
func exported(o types.Object) string {
	if o.Pkg() == nil || !strings.HasPrefix(o.Pkg().Path(), module+"app/") || !o.Exported() {
		return ""
	}
	name := o.Pkg().Path() + "." + o.Name()
	switch o := o.(type) {
	case *types.TypeName:
		return name
	case *types.Func:
		of := o.Signature().Recv()
		if of == nil {
			return name
		}
		t := of.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := t.(*types.Named); ok && !types.IsInterface(named) {
			return o.Pkg().Path() + "." + named.Obj().Name() + "." + o.Name()
		}
	}
	return ""
}
