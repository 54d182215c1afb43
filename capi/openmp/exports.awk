# Turns exports.txt into what the linker needs.
#
#   awk -v emit=script      -f exports.awk exports.txt    the version script
#   awk -v emit=trampolines -f exports.awk exports.txt    assembly for second versions
#   awk -v emit=list        -f exports.awk exports.txt    `symbol node` lines, default marked @@
#
# A linker gives a symbol one version from the version script. A symbol that must exist under
# several gets, for each further one, a trampoline: a local function that jumps to the first, named
# with .symver as the same symbol under that version. `remove` keeps the helper name out of the
# symbol table. `NODE=FUNCTION` jumps to another function: where the two runtimes give one name two meanings.

function fail(text) {
    printf "exports.txt:%d: %s\n", FNR, text > "/dev/stderr"
    failed = 1
    exit 1
}

{ sub(/#.*/, "") }

NF == 0 { next }

$1 == "node" {
    if (NF < 2 || NF > 3) fail("expected: node NAME [PARENT]")
    if ($2 in parent) fail("node " $2 " is declared twice")
    if (NF == 3 && !($3 in parent)) fail("node " $2 " inherits from " $3 ", which is not declared yet")
    parent[$2] = (NF == 3) ? $3 : ""
    nodes[++node_count] = $2
    next
}

{
    if (NF != 2) fail("expected: SYMBOL NODE[,NODE...]")
    if ($1 in exported) fail($1 " is listed twice")
    exported[$1] = 1
    versions = split($2, node, ",")
    for (i = 1; i <= versions; i++) {
        target[i] = $1
        if (sub(/=.*/, "", node[i])) {
            target[i] = $2
            sub("(.*,)?" node[i] "=", "", target[i])
            sub(/,.*/, "", target[i])
        }
        if (!(node[i] in parent)) fail($1 " names the node " node[i] ", which is not declared")
    }
    if (target[1] == $1) members[node[1]] = members[node[1]] "    " $1 ";\n"
    else aliases[++alias_count] = $1 " @" node[1] " " target[1]
    listing = listing $1 " @@" node[1] "\n"
    for (i = 2; i <= versions; i++) {
        aliases[++alias_count] = $1 " " node[i] " " target[i]
        listing = listing $1 " @" node[i] "\n"
    }
}

function version_script(    i, name) {
    for (i = 1; i <= node_count; i++) {
        name = nodes[i]
        printf "%s {\n", name
        if (members[name] != "") printf "  global:\n%s", members[name]
        if (i == node_count) print "  local:\n    *;"
        printf "}%s;\n", (parent[name] == "") ? "" : " " parent[name]
    }
}

function trampolines(    i, part, label) {
    print "\t.section .note.GNU-stack,\"\",@progbits\n\t.text"
    for (i = 1; i <= alias_count; i++) {
        split(aliases[i], part, " ")
        label = part[1] ".at." part[2]
        sub(/@/, "", label)
        printf "\t.globl %s\n\t.type %s, @function\n\t.p2align 3\n", label, label
        printf "%s:\n\t.cfi_startproc\n\tjmp %s\n\t.cfi_endproc\n", label, part[3]
        printf "\t.size %s, . - %s\n\t.symver %s, %s@%s, remove\n", label, label, label, part[1], part[2]
    }
}

END {
    if (failed) exit 1
    if (emit == "script") version_script()
    else if (emit == "trampolines") trampolines()
    else if (emit == "list") printf "%s", listing
    else { print "exports.awk: -v emit= must be script, trampolines or list" > "/dev/stderr"; exit 1 }
}
