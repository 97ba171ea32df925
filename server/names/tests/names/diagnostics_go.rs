//! Diagnostics about Go names.

use super::diagnostics::check;

#[test]
fn go_decides_per_name() {
    check(
        "
//- /go.mod
module example.com/m
//- /a.go
package m

import (
	. \"example.com/elsewhere\"
	yaml \"example.com/yaml\"
	\"example.com/go-things\"
	\"example.com/odd/name\"
)

//go:generate stringer -type=Kind

func f() {
	Exported(lower, things.All, yaml.X, name.Y)
	config := 1
	_ = config
	_ = onWindow
	_ = kindNames
}
//- /b.go
package m

// int g(void);
import \"C\"

func g() int { return int(C.g()) + wrong }

type Set[K comparable, V any] struct{ m map[K]V }

type Alias[T any] = Set[string, T]

func (s *Set[K, _]) Each(yield func(K) bool) {
	for k := range s.m {
		if !yield(k) {
			clear(s.m)
			break
		}
	}
	for i := range min(1, max(2, 3)) {
		_ = i
	}
}

type Number interface{ ~int | ~float64 }

func Sum[T Number](all ...T) (sum T) {
	const (
		first = iota
		second
	)
outer:
	for range second {
		continue outer
	}
	return onWindows + sum
}
//- /c.go
package m

import (
	\"example.com/go-things\"
	\"example.com/odd/name\"
)

func h() { missing.Call(things.All, name.Y) }
//- /d.go
package m

import \"example.com/called-otherwise\"

func k() { other.Call() }
//- /b_windows.go
package m

var onWindows = 1
//- /b_test.go
package m_test

import \"example.com/m\"

var _ = m.Sum[int]
",
        &[
            "a.go:16 undefined-name onWindow",
            "b.go:6 undefined-name wrong",
            "c.go:8 undefined-name missing",
        ],
    );
}

#[test]
fn the_first_of_many_parameters_is_not_undefined() {
    check(
        "
//- /go.mod
module example.com/m
//- /a.go
package m

func f(first, b, c, d, e, g, h, i, j, k int) int {
	return first + missing
}
",
        &["a.go:4 undefined-name missing"],
    );
}
