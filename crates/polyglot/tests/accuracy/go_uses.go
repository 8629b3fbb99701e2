// Command go_uses lists what each identifier of a Go workspace means, according
// to the language's own type checker:
//
//	GO111MODULE=off GOPATH=DIR go run go_uses.go DIR/src PACKAGE...
//
// prints, for each use of a package-level name, a method or a type that is
// declared below DIR/src, a line of tab-separated fields: file, byte offset,
// name, target's file, target's offset. A line `checked`, file says which files
// were read; names that mean something else (locals, fields, methods of
// interfaces, other libraries) have no line.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	root := filepath.Clean(os.Args[1]) + string(filepath.Separator)
	files := token.NewFileSet()
	imports := importer.ForCompiler(files, "source", nil)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, path := range os.Args[2:] {
		directory := filepath.Join(root, path)
		found, err := build.ImportDir(directory, 0)
		if err != nil && found == nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		check(out, root, files, imports, path, append(append(found.GoFiles, found.CgoFiles...), found.TestGoFiles...))
		check(out, root, files, imports, path+"_test", found.XTestGoFiles)
	}
}

func check(out *bufio.Writer, root string, files *token.FileSet, imports types.Importer, path string, names []string) {
	var parsed []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(files, filepath.Join(root, strings.TrimSuffix(path, "_test"), name), nil, 0)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		parsed = append(parsed, file)
		fmt.Fprintf(out, "checked\t%s\n", strings.TrimPrefix(files.Position(file.Pos()).Filename, root))
	}
	if len(parsed) == 0 {
		return
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: imports, FakeImportC: true, Error: func(error) {}}
	config.Check(path, files, parsed, info)
	for use, object := range info.Uses {
		at, target := files.Position(use.Pos()), files.Position(object.Pos())
		if !isDefinition(object) || !strings.HasPrefix(target.Filename, root) {
			target = token.Position{Filename: root + "-"}
		}
		fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%d\n", strings.TrimPrefix(at.Filename, root), at.Offset,
			use.Name, strings.TrimPrefix(target.Filename, root), target.Offset)
	}
}

func isDefinition(object types.Object) bool {
	if object.Pkg() == nil {
		return false
	}
	switch object := object.(type) {
	case *types.Func:
		receiver := object.Type().(*types.Signature).Recv()
		return receiver == nil || !types.IsInterface(receiver.Type())
	case *types.TypeName:
		_, parameter := object.Type().(*types.TypeParam)
		return !parameter
	case *types.Var, *types.Const:
		return object.Parent() == object.Pkg().Scope()
	}
	return false
}
