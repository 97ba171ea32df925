# Makes what the lines of launchers.txt need, in the folder $1. `prog` starts $2, or is written here if
# there is no $2; both leave the file `marker` in the folder.
set -e
W=$1
cd "$W"
if [ -n "$2" ]; then
    ln -s "$2" prog
else
    printf '#!/bin/sh\n: > %s/marker\ncat > /dev/null 2>&1 < /dev/null\n' "$W" > prog
    chmod +x prog
fi

echo one > a.txt
echo two > b.txt
seq 60000 > big.txt
head -c 300000 /dev/zero > big.bin
tar cf a.tar a.txt

mkdir bin evil libexec parts src template template/hooks
for tool in cc1 cc1plus as ld collect2; do ln -s "$W/prog" bin/$tool; done
ln -s "$W/prog" template/hooks/post-checkout
ln -s "$W/prog" libexec/git-x
ln -s "$W/prog" parts/run

cat > so.c <<X
#include <fcntl.h>
void C_GetFunctionList(void) {}
__attribute__((constructor)) static void start(void) { open("$W/marker", O_CREAT | O_WRONLY, 0600); }
X
echo 'int main(void) { return 0; }' > a.c
if command -v gcc > /dev/null; then
    gcc -shared -fPIC -o prog.so so.c
    gcc -c a.c
    ar rc a.a a.o
fi
echo '-wrapper ./prog -c a.c' > response.txt
printf '*cc1:\n-fplugin=./prog.so\n\n' > wrap.specs
echo 'fn main() {}' > a.rs
printf -- '-C\nlinker=./prog\na.rs\n' > rustc.txt
echo 'class A {}' > A.java
printf 'all:\n\t@true\n' > Makefile
printf 'all:\n\t./prog\n' > evil.mk
printf 'all:\n\t%s/prog\n' "$W" > evil/Makefile

echo '{"scripts": {"x": "true"}}' > package.json
echo "{\"scripts\": {\"x\": \"$W/prog\"}}" > evil/package.json
mkdir -p node_modules/x
echo '{"name": "x", "version": "1.0.0"}' > node_modules/x/package.json
cp a.rs src/main.rs
printf '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n' > Cargo.toml
printf 'build.rustc = "%s/prog"\n' "$W" > evil.toml

printf 'use_askpass = %s/prog\n' "$W" > wgetrc
printf 'APT::Update::Pre-Invoke:: "%s/prog";\n' "$W" > apt.conf
printf 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "a"\nmsgstr "b"\n' > a.po
printf '.sy ./prog\n' > sy.ms
printf 'exec ./prog\n' > evil.tcl
printf 'Runtime.getRuntime().exec("./prog").waitFor();\n/exit\n' > evil.jsh

g() {
    git -c user.name=a -c user.email=a@b -c init.defaultBranch=main -c protocol.file.allow=always "$@" \
        > /dev/null 2>&1
}
g init sub
cp a.txt sub/s
g -C sub add s
g -C sub commit -m s
for repository in . repo; do
    g init $repository
    cp a.txt $repository/f
    g -C $repository add f
    g -C $repository submodule add "$W/sub" module
    g -C $repository commit -m 1
    for number in 2 3; do
        echo "one $number" > $repository/f
        g -C $repository commit -am $number
    done
done
git config user.name a
git config user.email a@b
g bisect start HEAD HEAD~2
g clone --bare repo bare
g init evil-repo
git -C evil-repo config alias.x "!$W/prog"
git -C evil-repo config core.fsmonitor "$W/prog"
