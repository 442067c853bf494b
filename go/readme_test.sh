#!/usr/bin/env bash
# Runs the commands of README.md, here and in the root of the repository, in empty
# directories next to a clone.
set -euo pipefail
cd "$(dirname "$0")"

clone=$(cd .. && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
ln -s "$clone" "$place/bytelane"
# A go.work in a directory above would hide what these commands do.
export GOWORK=off

fail() {
    echo "readme_test.sh: $*" >&2
    exit 1
}

# expect WHAT FOUND WANTED
expect() {
    [[ $2 == "$3" ]] || fail "$1 printed '$2' instead of '$3'"
}

# section TITLE: that section of README.md.
section() {
    awk -v title="## $1" '/^## /{inside = $0 == title} inside' README.md
}

# blocks LANGUAGE: the code blocks of that language.
blocks() {
    awk -v fence="\`\`\`$1" '$0 == "```"{inside = 0} inside; $0 == fence{inside = 1}'
}

# script: a shell script of the code blocks, in which Go code is written to main.go.
script() {
    awk '$0 == "```" && go{print "END_OF_CODE"} $0 == "```"{inside = go = 0}
        inside
        $0 == "```sh"{inside = 1} $0 == "```go"{inside = go = 1; print "cat >main.go <<\"END_OF_CODE\""}'
}

# The installation in this README.
mkdir "$place/project"
commands=$(section Installation | script)
for command in "go mod init" "go mod tidy" "go run ." END_OF_CODE; do
    [[ $commands == *"$command"* ]] || fail "the installation lacks '$command'"
done
printed=$(cd "$place/project" && bash -euo pipefail -c "$commands" 2>"$place/errors") ||
    fail "the installation fails: $(cat "$place/errors")"
wanted=$(section Installation | sed -n 's/^The program prints `\(.*\)`\.$/\1/p')
[[ -n $wanted ]] || fail "the installation does not say what the program prints"
expect "the program" "$printed" "$wanted"
# After the program imports the module, its requirement is kept.
(cd "$place/project" && go mod tidy && go vet ./... && grep -q "bytelane/go v0.0.0" go.mod) ||
    fail "go mod tidy has removed the module"

# Commands in the README of the repository, to run before and after the first import.
mapfile -t commands < <(sed -n 's/^| the Go module | //p' ../README.md | grep -o '`[^`]*`' | tr -d '`')
[[ ${#commands[@]} == 2 ]] || fail "README.md has ${#commands[@]} commands for the Go module, not 2"
mkdir "$place/other"
section Installation | blocks go >"$place/main.go"
printed=$(
    cd "$place/other"
    {
        go mod init example.com/other
        eval "${commands[0]}"
        cp "$place/main.go" .
        eval "${commands[1]}"
    } 2>"$place/errors" || fail "the commands of README.md fail: $(cat "$place/errors")"
    go run .
)
expect "the program of README.md's commands" "$printed" "$wanted"

# The rewriter runs before anything imports the module.
mkdir -p "$place/service/kitex_gen/service"
cp example/plain_gen/telemetry/k-telemetry.go "$place/service/kitex_gen/service/"
rewriter=$(section "In a Kitex service" | sed -n 's/^    \(go run .*kitexlists.*\)$/\1/p')
[[ -n $rewriter ]] || fail "the README does not run kitexlists"
(
    cd "$place/service"
    bash -euo pipefail -c "$(cd "$clone/go" && section Installation | blocks sh | grep '^go mod \(init\|edit\)')"
    bash -euo pipefail -c "$rewriter"
) &>"$place/errors" || fail "kitexlists fails: $(cat "$place/errors")"
cmp "$place/service/kitex_gen/service/k-telemetry.go" example/kitex_gen/telemetry/k-telemetry.go ||
    fail "kitexlists wrote something else"
