//! Each dialect with texts of real projects, and all of them with random texts.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(dialect: Dialect, text: &str, markdown: &str) {
    assert_eq!(to_markdown(dialect, text.trim_matches('\n')), markdown.trim_matches('\n'));
}

#[test]
fn sphinx_roles_fields_and_directives() {
    check(
        Dialect::RestructuredText,
        "
Open a resource relative to :attr:`~flask.App.root_path`, as
:meth:`open` does, see :ref:`the guide <files>` and :rfc:`2616`.

For example, where ``a_b`` is *not* there:

.. code-block:: python
    :linenos:

    with app.open(\"s\") as f:
        f.read()

Or::

    app = App(__name__)

:param resource: Path relative to :attr:`root_path`.
:param int mode: Open in this mode,
    perhaps ``\"r\"``.
:type resource: str
:raises ValueError: where it is *args.
:returns: a file.
:rtype: IO

.. versionchanged:: 3.1
    Added the ``mode`` parameter.
",
        "
Open a resource relative to `root_path`, as
`open()` does, see the guide and [RFC 2616](<https://www.rfc-editor.org/rfc/rfc2616>).

For example, where `a_b` is *not* there:

```python
with app.open(\"s\") as f:
    f.read()
```

Or:

```python
app = App(__name__)
```

**Parameters**

- `resource` (`str`): Path relative to `root_path`.
- `mode` (`int`): Open in this mode,
  perhaps `\"r\"`.

**Raises**

- `ValueError`: where it is *args.

**Returns** (`IO`): a file.

**Changed in 3.1:** Added the `mode` parameter.
",
    );
}

#[test]
fn sections_of_google_and_numpy() {
    check(
        Dialect::RestructuredText,
        "
Adds a column.

Args:
    header (str, optional): Text of the header.
        Defaults to \"\".
    *rest: More of __it__, a*b and x_y_.

Returns:
    dict[str, int]: How often.

Raises:
    KeyError: If none.

Example:
    >>> add(1)
    2
",
        "
Adds a column.

**Parameters**

- `header` (`str, optional`): Text of the header.
  Defaults to \"\".
- `*rest`: More of `__it__`, a\\*b and x_y\\_.

**Returns** (`dict[str, int]`): How often.

**Raises**

- `KeyError`: If none.

**Example**

```python
>>> add(1)
2
```
",
    );
    check(
        Dialect::RestructuredText,
        "
Sums.

Parameters
----------
a : array_like
    What is summed.
axis : int, optional
    Along what.

Returns
-------
float
    The sum.
",
        "
Sums.

**Parameters**

- `a` (`array_like`): What is summed.
- `axis` (`int, optional`): Along what.

**Returns** (`float`): The sum.
",
    );
}

#[test]
fn doxygen_commands() {
    check(
        Dialect::Doxygen,
        "
\\brief Reads a Value from <a HREF=\"http://www.json.org\">JSON</a>.

Example:
\\code{.cpp}
  Value v;
    v = 1;
\\endcode
\\param[out] root Contains \\c Value of #type if it
                  was parsed.
@param      depth how deep, a std::vector<int>
\\return \\c true if it was parsed.
\\note Only for \\em strings.

See the end.
",
        "
Reads a Value from [JSON](<http://www.json.org>).

Example:

```cpp
Value v;
  v = 1;
```

**Parameters**

- `root` (`out`): Contains `Value` of `type` if it
  was parsed.
- `depth`: how deep, a std::vector\\<int>

**Returns**: `true` if it was parsed.

**Note**: Only for *strings*.

See the end.
",
    );
}

#[test]
fn javadoc_elements_and_tags() {
    check(
        Dialect::Javadoc,
        "
Closes a {@code Closeable<T>} as {@link Closeable#close(int, A) close} does &lt;once&gt;.
<p>
Either:
</p>
<ul>
<li>this <b>one</b>
<li>or {@literal <that>}
</ul>
<pre>
 * {@literal @}Override
   close(&quot;x&quot;);
</pre>
@param <T> what is closed
@param closeable the objects to close,
      may be null
@return the {@link #name}
@throws IOException if an I/O error occurs.
@see Throwable#addSuppressed(Throwable)
@see #close()
",
        "
Closes a `Closeable<T>` as `close` does \\<once>.

Either:

- this **one**
- or \\<that>

```java
* @Override
  close(\"x\");
```

**Type parameters**

- `T`: what is closed

**Parameters**

- `closeable`: the objects to close,
  may be null

**Returns**: the `name`

**Throws**

- `IOException`: if an I/O error occurs.

**See also**: `Throwable.addSuppressed(Throwable)`, `close()`
",
    );
}

#[test]
fn rustdoc_hides_lines_and_shows_items_as_names() {
    check(
        Dialect::Rustdoc,
        "
Finds, see [`Vec`], [the map][map], [Option::Some] and [the page](https://a.b) [x].

[map]: std::collections::HashMap

```no_run
# fn main() {
use a::b;
#[test]
## not hidden
# }
```

```text
# shown
```
",
        "
Finds, see `Vec`, the map, `Option::Some` and [the page](https://a.b) [x].


```rust
use a::b;
#[test]
# not hidden
```

```text
# shown
```
",
    );
}

#[test]
fn jsdoc_tags() {
    check(
        Dialect::JsDoc,
        "
Emits after `{@link no}` what {@link delay} and {@link https://a.b|the page} do, an Array<T>.

![](debounceTime.png)

@see {@link audit}
@see {@link sample}
@param {number|{a: string}} [due=1] - The timeout
  in `ms`.
@param rest Others.
@template T
@returns {Promise<void>} when done
@internal
@example
const a = f({
  b: 1,
})
",
        "
Emits after `{@link no}` what `delay` and [the page](<https://a.b>) do, an Array\\<T>.

**See also**: `audit`, `sample`

**Parameters**

- `[due=1]` (`number|{a: string}`): The timeout
  in `ms`.
- `rest`: Others.

**Type parameters**

- `T`

**Returns** (`Promise<void>`): when done

**Example**

```typescript
const a = f({
  b: 1,
})
```
",
    );
}

const DIALECTS: [Dialect; 6] = [
    Dialect::RestructuredText,
    Dialect::Doxygen,
    Dialect::Javadoc,
    Dialect::Rustdoc,
    Dialect::JsDoc,
    Dialect::Markdown,
];

/// Pieces that mean something to some dialect.
const PIECES: &[&str] = &[
    "a",
    "word ",
    "é",
    "\n",
    "\n\n",
    "\n    ",
    "\n  ",
    "`",
    "``",
    "```\n",
    "~~~\n",
    ":meth:`",
    ":p x: ",
    ".. note:: ",
    ".. code::\n\n",
    "::\n",
    "- ",
    "1. ",
    "----\n",
    "Args:\n",
    "x : int\n",
    "\\param ",
    "@param ",
    "@code\n",
    "\\endcode",
    "\\c ",
    "[in]",
    "{",
    "}",
    "{@link ",
    "{@code ",
    "<p>",
    "<li>",
    "<ul>",
    "</ul>",
    "<pre>",
    "</pre>",
    "<a href=\"",
    "</a>",
    "<T>",
    "&lt;",
    "&#x41;",
    "[",
    "]",
    "(",
    ")",
    "]: b\n",
    "# ",
    "## ",
    "*",
    "**",
    "_",
    "\\",
    "@",
    "@example\n",
    "@see ",
    ">>> ",
    "| ",
    "!",
];

proptest! {
    #[test]
    fn every_text_is_rendered_within_bounds(
        parts in prop::collection::vec(prop::sample::select(PIECES), 0..60),
        any in ".{0,40}",
        at in 0_usize..60,
    ) {
        let mut text = parts[..at.min(parts.len())].concat();
        text.push_str(&any);
        text.push_str(&parts[at.min(parts.len())..].concat());
        for dialect in DIALECTS {
            let out = to_markdown(dialect, &text);
            // Titles and fences add a bounded number of bytes per line.
            prop_assert!(out.len() <= text.len() * 24 + 64, "{dialect:?}: {text:?} -> {out:?}");
        }
    }
}

/// Unclosed marks and unbounded nesting take linear time.
#[test]
fn hostile_texts_take_little_time() {
    for piece in PIECES {
        for separator in ["", "\n", "x "] {
            let text = format!("{piece}{separator}").repeat(MAX_LENGTH / piece.len());
            for dialect in DIALECTS {
                let start = std::time::Instant::now();
                let out = to_markdown(dialect, &text);
                let took = start.elapsed();
                assert!(took.as_millis() < 2_000, "{dialect:?} {piece:?} {separator:?}: {took:?}");
                assert!(out.len() <= MAX_LENGTH * 24, "{dialect:?} {piece:?}: {}", out.len());
            }
        }
    }
}
