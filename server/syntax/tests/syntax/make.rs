use expect_test::expect;

use crate::snapshot::{class_of, folds, highlights, links, outline};

pub(crate) const SOURCE: &str = r##"# c
CC := gcc
CFLAGS += -O2 $(shell pkg-config x)
export PATH
include common.mk
-include $(DEPS)
define FOO
bar
endef
ifeq ($(X),1)
Y = $(patsubst %.c,%.o,$(SRC))
else ifdef Z
Y = b
else
Y ?= a
endif
.PHONY: all clean
all: $(OBJ) | dir
	$(CC) -o $@ $^
	@echo "done" && \
	  if [ -f x ]; then rm x; fi
%.o: %.c
	gcc -c $<
clean:
	-rm -f *.o
$(BUILD)/x: VAR = 1
"##;

#[test]
fn declarations_are_listed() {
    expect![[r#"
        variable CC
        variable CFLAGS
        macro FOO
        variable Y
        variable Y
        variable Y
        function all
        function %.o
        function clean
    "#]]
    .assert_eq(&outline("make", SOURCE));
}

#[test]
fn identifiers_keywords_and_literals_are_highlighted() {
    expect![[r#"
        attribute: -o -c -f
        comment: # c
        function: pkg-config all CC rm %.o gcc clean rm
        function.builtin: shell patsubst echo
        function.macro: FOO
        keyword: export include -include define endef ifeq else ifdef else endif .PHONY if then fi
        operator: := += = = ?= @ && -f < - =
        string: gcc -O2      x common.mk bar
         1   %.c,%.o, b a all clean dir "done" x x %.c *.o /x 1
        variable: CC CFLAGS PATH DEPS X Y SRC Z Y Y OBJ BUILD VAR
        variable.builtin: @ ^
    "#]]
    .assert_eq(&highlights("make", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["5-6 Imports, 7-8 Code, 10-15 Code, 18-21 Code, 22-23 Code, 24-25 Code"]
        .assert_eq(&folds("make", SOURCE));
}

#[test]
fn included_files_are_linked() {
    assert_eq!(links("make", SOURCE), ["common.mk"]);
}

#[test]
fn recipes_embed_the_shell() {
    assert_eq!(class_of("make", SOURCE, "echo"), "function.builtin");
}
