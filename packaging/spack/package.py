# Spack's recipe for Jackdaw.  It is in no repository of Spack yet; to use it:
#
#     spack repo create ~/jackdaw-repo jackdaw && mkdir -p ~/jackdaw-repo/packages/jackdaw
#     cp packaging/spack/package.py ~/jackdaw-repo/packages/jackdaw/ && spack repo add ~/jackdaw-repo
#     spack dev-build jackdaw@main             # in a checkout of the project
from spack.package import *


class Jackdaw(AutotoolsPackage):
    """Task programs whose work cannot be divided in advance: work stealing over GASNet-EX,
    distributed termination detection, user-level threads."""

    # There is no place on the network to fetch it from yet: "spack dev-build" takes a checkout.
    has_code = True
    manual_download = True
    license("BSD-3-Clause")

    version("main")
    version("0.1.0")

    variant(
        "networks",
        default="smp,udp",
        values=("smp", "udp", "mpi", "ucx"),
        multi=True,
        description="GASNet-EX networks to build a library for",
    )
    variant("argobots", default=True, description="the second engine of user-level threads")
    variant("man", default=True, description="manual pages")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type=("build", "run"))
    depends_on("lowdown", when="+man", type="build")

    # Jackdaw links GASNet's static libraries of the mode SEQ, with PSHM, as they are.
    for network in ("smp", "udp", "mpi", "ucx"):
        depends_on("gasnet conduits=" + network, when="networks=" + network)
    depends_on("mpi", when="networks=mpi")
    depends_on("mpi", when="networks=ucx")
    depends_on("ucx", when="networks=ucx")
    depends_on("hwloc@2.5:")
    depends_on("boost+context")
    depends_on("nettle")
    depends_on("xxhash@0.8:")
    depends_on("argobots@1.2:", when="+argobots")

    def autoreconf(self, spec, prefix):
        Executable("./autogen.sh")()

    def configure_args(self):
        spec = self.spec
        args = [
            "--with-gasnet=" + spec["gasnet"].prefix,
            "--with-conduits=" + ",".join(spec.variants["networks"].value),
        ]
        if "+argobots" in spec:
            args.append("--with-argobots=" + spec["argobots"].prefix)
        else:
            args.append("--with-argobots=no")
        if "~man" in spec:
            args.append("LOWDOWN=")
        return args

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        if "networks=smp" in self.spec:
            Executable(self.prefix.bin.join("jackdaw-run"))("-n", "2", "uts", "--tree=T3", "--check")
