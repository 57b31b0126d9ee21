#!/bin/sh
# The recipes of packaging/ and debian/ ask for packages and options that there are: where no container engine and no Spack is at
# hand, this is what can be known without them.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "the same without a sanitizer"
cd "$JD_TEST_SRCDIR" || exit 99
"./configure" --help >"$scratch/options"

# Options of configure in a recipe, without those that it does not know.
unknown_options() { # FILE
    grep -oE -e '--(with|enable|disable|without)-[a-z-]+' "$1" | sort -u | while read -r option; do
        grep -qE -e "$(echo "$option" | sed 's/--without-/--with-/; s/--disable-/--enable-/')" "$scratch/options" || echo "$option"
    done
}
for file in packaging/spack/package.py debian/rules; do
    [ -f $file ] || continue # the tarball has no debian/
    is "$(unknown_options $file)" "" "$file: configure knows all options"
done
echo '--with-nothing' >"$scratch/wrong"
is "$(unknown_options "$scratch/wrong")" "--with-nothing" "and one that there is not is found"

# The container: instructions, commands that a shell can read, packages.
sed '/^#/d; /^$/d' packaging/Containerfile >"$scratch/container"
is "$(grep -vE '^(FROM [a-z]+:[a-z]+( AS [a-z]+)?|COPY( --from=[a-z]+)? [^ ]+ [^ ]+|RUN .+|WORKDIR /.*|CMD \[.*\])$' "$scratch/container")" "" \
    "Containerfile: instructions are well formed"
sed -n 's/^RUN //p' "$scratch/container" >"$scratch/run.sh"
ok "Containerfile: a shell reads the commands" sh -n "$scratch/run.sh"
needed=$(sed -n '/^needed="/,/"/p' tools/setup/deps.sh | tr -d '"' | sed 's/needed=//')
known=" $needed ca-certificates debian-archive-keyring xz-utils openssh-client "
strangers=$(grep -oE 'apt-get install [^&]*' "$scratch/run.sh" | tr ' ' '\n' | grep -vE '^(apt-get|install|-.*|)$' |
    while read -r package; do case $(echo "$known" | tr '\n' ' ') in *" $package "*) ;; *) echo "$package" ;; esac; done)
is "$strangers" "" "Containerfile: packages are those of tools/setup/deps.sh, and four of the system"

# debian/control has every library that is needed; pkgconf is the newer name of pkg-config.
if [ -f debian/control ]; then
    lacking=$(for package in $needed; do
        case $package in gcc | g++ | libc6-dev | make | autoconf | automake) continue ;; esac # debhelper's
        grep -qE "^ .*\b$package\b" debian/control || echo "$package"
    done)
    is "$lacking" "" "debian/control: Build-Depends has what tools/setup/deps.sh needs"
    version=$(sed -n 's/^#define JD_VERSION *"\(.*\)"/\1/p' include/jackdaw.h)
    like "$(head -n 1 debian/changelog)" "^jackdaw \\($version-[0-9]" "debian/changelog has the header's version"
fi

# Spack's recipe is a program of Python: what it says for each variant, with stand-ins for Spack's words.
if command -v python3 >/dev/null; then
    ok "package.py: what it says fits together" python3 - <<'PY'
import types, sys, re
said = {"variant": {}, "depends_on": [], "version": []}
spack, module = types.ModuleType("spack"), types.ModuleType("spack.package")
class Base: pass
def noop(*a, **k): return lambda f: f
def variant(name, **k): said["variant"][name] = k
def depends_on(spec, **k): said["depends_on"].append((spec, k))
def version(v, **k): said["version"].append(v)
for name, value in dict(AutotoolsPackage=Base, license=noop, variant=variant, depends_on=depends_on, version=version,
                        run_after=noop, on_package_attributes=noop, Executable=lambda c: lambda *a: None).items():
    setattr(module, name, value)
sys.modules["spack"], sys.modules["spack.package"] = spack, module
scope = {}
exec(open("packaging/spack/package.py").read(), scope)
header = re.search(r'JD_VERSION *"(.*)"', open("include/jackdaw.h").read()).group(1)
assert header in said["version"], said["version"]
class Spec(dict):
    flags = ()
    def __contains__(self, word): return word in self.flags
    def __missing__(self, name): return types.SimpleNamespace(prefix="/" + name)
for flags in (("+argobots", "+man"), ("~argobots", "~man")):
    spec = Spec(); spec.flags = flags
    spec.variants = {"networks": types.SimpleNamespace(value=("smp", "udp"))}
    package = scope["Jackdaw"](); package.spec = spec
    args = package.configure_args()
    assert "--with-conduits=smp,udp" in args and "--with-gasnet=/gasnet" in args, args
for spec, k in said["depends_on"]:
    when = re.match(r"[+~]?([a-z]+)", k.get("when", ""))
    assert not when or when.group(1) in said["variant"], (spec, k)
PY
fi
done_testing
